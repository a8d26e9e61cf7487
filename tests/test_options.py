"""Options that are words: anything else is refused with one line that names the option, whatever its type."""

import inspect
import typing

import numpy as np
import pytest

import howsure as hs
from support.public import FUNCTIONS

TRUTH, SAID, SCORE = [0, 1, 1, 0, 1, 0] * 5, [0, 1, 0, 0, 1, 1] * 5, [0.1, 0.9, 0.4, 0.2, 0.8, 0.6] * 5
TABLE, SCORES = hs.confusion(TRUTH, SAID), hs.scores(TRUTH, SCORE)
PAIRED = hs.paired(TRUTH, {"A": SAID, "B": TRUTH[::-1]})
BY = hs.confusion(TRUTH, SAID, by=["x"] * 15 + ["y"] * 15)
DRAWS = {"A": np.linspace(0, 1, 50), "B": np.linspace(0.2, 0.9, 50)}
UNITS = hs.confusion(TRUTH, SAID, groups=[f"u{k % 5}" for k in range(30)])
TAGS = [["B-PER", "O"], ["O", "B-LOC"]]
READERS = {"truth": TRUTH[:10] * 3, "reader": np.repeat([1, 2, 3], 10), "case": [*range(10)] * 3}
CALLS = {
    "adjusted_p_values": lambda **option: hs.comparison.adjusted_p_values([0.01, 0.2], **option),
    "bootstrap": lambda **option: hs.bootstrap(lambda x: float(np.mean(x)), TRUTH, n_resamples=39, **option),
    "certified_threshold": lambda **option: hs.certified_threshold(SCORES, "recall>0.1", **option),
    "brier_score_loss": lambda **option: hs.brier_score_loss(TRUTH, SCORE, **option),
    "calibrated": lambda **option: hs.calibrated(SCORE, **option),
    "calibration_curve": lambda **option: hs.calibration_curve(SCORES, **option),
    "classification_report": lambda **option: hs.classification_report(TRUTH, SAID, **option),
    "cohen_kappa_score": lambda **option: hs.cohen_kappa_score(TRUTH, SAID, **option),
    "compare": lambda **option: hs.compare(PAIRED, "accuracy", **option),
    "compare_all": lambda **option: hs.compare_all(PAIRED, "accuracy", **option),
    "conflate": lambda **option: hs.pooling.conflate([np.random.default_rng(0).beta(9, 3, 500)] * 2, **option),
    "confusion_matrix": lambda **option: hs.confusion_matrix(TRUTH, SAID, **option),
    "decision_curve": lambda **option: hs.decision_curve(TRUTH, np.clip(SCORE, 0, 1), thresholds=[0.2], **option),
    "det_curve": lambda **option: hs.det_curve(SCORES, **option),
    "draw_tables": lambda **option: hs.methods.draw_tables(TABLE, 3, **option),
    "entities": lambda **option: hs.entities(TAGS, TAGS, **option),
    "estimate": lambda **option: hs.estimate(TABLE, "f1", **option),
    "evaluate": lambda **option: hs.evaluate(TABLE, ["f1"], **option),
    "evaluate_models": lambda **option: hs.evaluate_models(PAIRED, ["f1"], **option),
    "f1_score": lambda **option: hs.f1_score(TRUTH, SAID, **option),
    "from_auc": lambda **option: hs.from_auc(0.8, positives=20, negatives=30, **option),
    "gaps": lambda **option: hs.gaps(BY, "recall", **option),
    "joint_test": lambda **option: hs.joint_test(TABLE, "recall>0.5", **option),
    "leaderboard": lambda **option: hs.leaderboard(PAIRED, "f1", **option),
    "monitor": lambda **option: hs.monitor(hs.confusion(TRUTH, SAID, by=["x"] * 15 + ["y"] * 15), ["f1"], **option),
    "paired": lambda **option: hs.paired(TRUTH, {"A": SAID, "B": TRUTH[::-1]}, **option),
    "paired_scores": lambda **option: hs.paired_scores(TRUTH, {"A": SCORE, "B": SCORE[::-1]}, **option),
    "per_unit": lambda **option: hs.per_unit(UNITS, "recall", **option),
    "plan": lambda **option: hs.plan(TABLE, "f1", width=0.2, **option),
    "pool": lambda **option: hs.pool([0.8, 0.9, 0.7], [0.1, 0.1, 0.2], **option),
    "precision_recall_curve": lambda **option: hs.precision_recall_curve(SCORES, **option),
    "preferences": lambda **option: hs.preferences(["A", "A"], ["B", "B"], ["A", "B"], **option),
    "proportion": lambda **option: hs.proportion(7, 9, **option),
    "ranks": lambda **option: hs.ranks(DRAWS, **option),
    "ratings": lambda **option: hs.ratings([[0, 1], [1, 1], [0, 0]], **option),
    "reader_study": lambda **option: hs.reader_study(SCORE, **READERS, **option),
    "roc_auc_score": lambda **option: hs.roc_auc_score(TRUTH, SCORE, **option),
    "roc_curve": lambda **option: hs.roc_curve(SCORES, **option),
    "simultaneous_differences": lambda **option: hs.comparison.simultaneous_differences(DRAWS, **option),
    "stop": lambda **option: hs.stop(TABLE, "f1", width=0.2, **option),
    "threshold_curves": lambda **option: hs.threshold_curves(SCORES, ["f1"], **option),
    "values": lambda **option: hs.values({"A": SCORE, "B": SCORE[::-1]}, **option),
}
ALIKE = {  # functions whose options are those of one above
    *("average_precision_score", "classification_report_with_ci", "fbeta_score", "fnr_score", "fpr_score"),
    *("jaccard_score", "npv_score", "ppv_score", "precision_recall_fscore_support", "precision_score", "recall_score"),
    *("demographic_parity_difference", "demographic_parity_ratio", "equal_opportunity_difference"),
    *("equal_opportunity_ratio", "equalized_odds_difference", "equalized_odds_ratio"),
    *("tnr_score", "tpr_score", "report_of", "scorer", "define_metric", "evaluate_log", "reviewed_precision"),
}


def options_of(name):
    """Return the options of a public function that are words."""
    try:
        hints = typing.get_type_hints(inspect.unwrap(FUNCTIONS[name]))
    except NameError:  # of an optional package
        return []
    return [option for option, hint in hints.items() if "Literal" in str(hint) and option != "return"]


def options():
    """Yield each public function and its options that are words."""
    for name in CALLS:
        yield from ((name, option) for option in options_of(name))


def test_every_function_with_such_options_is_here():
    """A new function with an option that is a word is added to the calls, or to those alike."""
    assert {name for name in FUNCTIONS if options_of(name)} <= CALLS.keys() | ALIKE


WRONG = {
    "an array": np.array([1 + 2j, 1]),
    "an array of words": np.array(["a", "b"]),
    "a word": "no such word",
    "a list": [1, 2],
    "an object": object(),
}


@pytest.mark.parametrize("name, option", list(options()))
def test_what_is_no_option_is_refused(name, option):
    """The error is ours, in one line."""
    for wrong in WRONG.values():
        with pytest.raises(hs.HowsureError):
            CALLS[name](**{option: wrong})


@pytest.mark.parametrize("name", CALLS)
def test_the_calls_are_right_without_options(name):
    """Each call works as it is, so that a refusal is of the option."""
    assert CALLS[name]() is not None
