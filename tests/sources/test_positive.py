"""The positive class, with the same argument everywhere."""

import inspect

import numpy as np
import pytest

import howsure as hs
from howsure.cli.app import app
from howsure.cli.remedies import options_of
from howsure.errors import HowsureError
from support.public import FUNCTIONS

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 2, 60)
WORDS = np.array(["ill", "well"])  # in order, so that "well" is positive unless another is named
TRUTH = WORDS[CODES]
SCORE = np.clip(0.3 + 0.4 * CODES + RNG.normal(0, 0.2, 60), 0.01, 0.99)
PREDICTED, OTHER = WORDS[(SCORE > 0.5).astype(int)], WORDS[(SCORE > 0.35).astype(int)]
SOME = np.where(np.arange(60) < 25, TRUTH, None)
REVIEWS = [[[20, 2], [3, 4]], [[5, 1], [2, 19]]]
COUNTS = [[25, 8], [7, 30]]
CUBE = [[[20, 3], [4, 6]], [[5, 2], [1, 19]]]  # by true class, and by predictions of two models
SOURCES = {
    "confusion": lambda **chosen: hs.confusion(TRUTH, PREDICTED, **chosen),
    "paired": lambda **chosen: hs.paired(TRUTH, {"A": PREDICTED, "B": OTHER}, **chosen).model("A"),
    "judged": lambda **chosen: hs.judged(SOME, PREDICTED, **chosen),
    "partly_labelled": lambda **chosen: hs.partly_labelled(SOME, PREDICTED, SCORE, **chosen),
    "prediction_powered": lambda **chosen: hs.labels.prediction_powered(SOME, OTHER, PREDICTED, **chosen),
    "annotated": lambda **chosen: hs.labels.annotated(np.column_stack([TRUTH, OTHER]), PREDICTED, **chosen),
    "reviewed": lambda **chosen: hs.reviewed(y_true=TRUTH, y_pred=PREDICTED, y_reviewed=SOME, **chosen),
    "from_counts": lambda **chosen: hs.from_counts(COUNTS, **({"labels": WORDS} | chosen)),
    "paired_counts": lambda **chosen: hs.paired_counts(CUBE, **({"labels": WORDS} | chosen)).model("A"),
}
TWICE = {
    "truth": [*TRUTH, *TRUTH],
    "reader": np.repeat(["a", "b"], len(TRUTH)),
    "case": np.tile(np.arange(len(TRUTH)), 2),
}
OTHERS = {  # functions that do not return a table of predictions
    "cross_validated": lambda **chosen: hs.cross_validated(
        TRUTH, PREDICTED, fold=np.arange(len(TRUTH)) % 3, **chosen
    ).estimate("recall"),
    "training_runs": lambda **chosen: hs.training_runs(TRUTH, [PREDICTED, OTHER], **chosen).estimate("recall"),
    "reader_study": lambda **chosen: hs.reader_study(np.tile(SCORE, 2), **TWICE, **chosen).means["all readers"],
    "scores": lambda **chosen: hs.estimate(hs.scores(TRUTH, -SCORE, **chosen), "roc_auc"),
    "paired_scores": lambda **chosen: hs.compare(
        hs.paired_scores(TRUTH, {"A": -SCORE, "B": np.sin(SCORE * 9)}, **chosen), "roc_auc"
    ),
    "calibrate": lambda **chosen: hs.calibrate(1 - SCORE, TRUTH, random_state=0, **chosen).predict([0.1, 0.9])[1],
    "judge_bias": lambda **chosen: hs.labels.judge_bias(TRUTH, PREDICTED, SCORE, **chosen),
    "consensus": lambda **chosen: hs.labels.consensus(
        np.column_stack([TRUTH, OTHER]), random_state=0, **chosen
    ).classes[1],
    "sample_to_label": lambda **chosen: (
        hs.labels.sample_to_label(OTHER, 1 - SCORE, "recall", n=30, random_state=0, **chosen).strata
    ),
    "scorer": None,  # of estimators, with separate tests
}
WITHOUT = {
    "calibrated": "the probability is of the second of `labels`",
    "from_rates": "sensitivity is of the second of `labels`",
    "ratings": "agreement has no positive class",
    "multiclass_scores": "one class has no place before others",
}


@pytest.mark.parametrize("name", SOURCES)
def test_the_positive_class_is_the_last_of_the_table(name):
    """With two classes the one in `pos_label` is positive, as if the classes were listed in that order."""
    if name == "from_counts":
        counts = np.array(COUNTS)[::-1, ::-1]
        ordered = hs.from_counts(counts, labels=["well", "ill"])
    elif name == "paired_counts":
        ordered = hs.paired_counts(np.flip(CUBE), labels=["well", "ill"]).model("A")
    else:
        ordered = SOURCES[name](labels=["well", "ill"])
    named = SOURCES[name](pos_label="ill")
    assert named.labels.tolist() == ["well", "ill"]
    np.testing.assert_allclose(named.counts, ordered.counts)
    for metric in ("recall", "precision"):
        one, other = hs.estimate(named, metric, method="delta"), hs.estimate(ordered, metric, method="delta")
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), nan_ok=True)
    np.testing.assert_allclose(SOURCES[name](pos_label="well").counts, SOURCES[name]().counts)


def test_what_the_positive_class_changes_elsewhere():
    """An area under a curve, its difference, a slope and calibrated scores reverse with the positive class."""
    areas = [float(OTHERS["scores"](pos_label=label)) for label in ("ill", "well")]
    assert sum(areas) == pytest.approx(1)
    readers = [float(OTHERS["reader_study"](pos_label=label)) for label in ("ill", "well")]
    assert sum(readers) == pytest.approx(1)
    for name in ("cross_validated", "training_runs"):
        found = [float(OTHERS[name](pos_label=label)) for label in ("ill", "well")]
        other = [float(OTHERS[name](labels=labels)) for labels in (["well", "ill"], ["ill", "well"])]
        assert found == pytest.approx(other)
    differences = [OTHERS["paired_scores"](pos_label=label).value for label in ("ill", "well")]
    assert sum(differences) == pytest.approx(0)
    slopes = [OTHERS["judge_bias"](pos_label=label).value for label in ("ill", "well")]
    assert sum(slopes) == pytest.approx(0)
    assert OTHERS["calibrate"](pos_label="ill") > 0.5
    assert OTHERS["consensus"](pos_label="ill") == "ill"
    assert OTHERS["sample_to_label"](pos_label="ill") == OTHERS["sample_to_label"](labels=["well", "ill"])
    assert OTHERS["sample_to_label"](pos_label="ill") != OTHERS["sample_to_label"]()


def test_reviews_are_turned_with_their_counts():
    """The counts, the reviews and an array of pseudo-reviews are in the order of `labels`, whichever is positive."""
    prior = np.arange(1.0, 9).reshape(2, 2, 2)
    turned = np.ix_([1, 0], [1, 0], [1, 0])
    named = hs.reviewed(COUNTS, REVIEWS, labels=WORDS, pos_label="ill", prior=prior)
    ordered = hs.reviewed(
        np.array(COUNTS)[::-1, ::-1], np.array(REVIEWS)[turned], labels=["well", "ill"], prior=prior[turned]
    )
    assert named.labels.tolist() == ["well", "ill"]
    np.testing.assert_allclose(named.counts, ordered.counts)
    pooled = hs.reviewed(COUNTS, REVIEWS, labels=WORDS, pos_label="ill")  # of records that agree, and others
    np.testing.assert_allclose(pooled.counts, hs.reviewed(COUNTS, REVIEWS, labels=WORDS).counts[::-1, ::-1])
    stack = hs.reviewed([COUNTS, COUNTS], [REVIEWS, REVIEWS], labels=WORDS, pos_label="ill")
    assert stack.overall.labels.tolist() == ["well", "ill"]


@pytest.mark.parametrize("name", [*SOURCES, *(name for name, made in OTHERS.items() if made)])
def test_an_unknown_class_is_told_with_the_nearest(name):
    """An unknown class gives a one-line error, which names the nearest class."""
    with pytest.raises(HowsureError, match="There is no class 'il'. Did you mean 'ill'"):
        {**SOURCES, **OTHERS}[name](pos_label="il")


def test_it_is_for_two_classes():
    """With three classes none is positive by default; the message states how to choose one."""
    with pytest.raises(HowsureError, match="for two classes, and there are 3.*f1@binary.positive_class=b"):
        hs.confusion(["a", "b", "c"], ["a", "b", "b"], pos_label="b")
    with pytest.raises(HowsureError, match="cases of two classes"):
        hs.confusion(np.eye(3), np.eye(3)[::-1], pos_label=1)
    with pytest.raises(HowsureError, match="it is one class, such as"):
        hs.confusion([0, 1, 1], [1, 1, 0], pos_label=[1])


def test_one_class_alone_has_an_opposite():
    """If all cases are of one class, the positive one may be a class that never occurs, and need not be."""
    never = hs.confusion(["well"] * 9, ["well"] * 8 + ["ill"], pos_label="ill")
    assert hs.estimate(never, "specificity").value == pytest.approx(8 / 9)
    always = hs.confusion([1] * 9, [1] * 9, pos_label=1, check=False)
    assert (always.labels.tolist(), hs.estimate(always, "recall").value) == ([0, 1], 1)
    negatives = hs.confusion(["well"] * 9, ["well"] * 9, pos_label="ill", check=False)
    assert (negatives.labels.tolist(), hs.estimate(negatives, "specificity").value) == (["well", "ill"], 1)


def test_text_names_a_number():
    """A class may be named as a file would write it."""
    assert hs.confusion([2, 1, 1, 2], [1, 1, 2, 2], pos_label="1").labels.tolist() == [2, 1]


def test_every_source_of_labels_takes_it():
    """Each public function with `labels` also has `pos_label`, unless the order is already stated."""
    ours = [name for name, each in FUNCTIONS.items() if "compat" not in inspect.unwrap(each).__module__]
    given = {name: {*inspect.signature(FUNCTIONS[name]).parameters} for name in ours}
    assert {name for name, parameters in given.items() if {"labels", "pos_label"} & parameters} == {
        *SOURCES, *OTHERS, *WITHOUT
    } - {"scorer"}  # fmt: skip
    assert not [
        name for name in given if "labels" in given[name] and "pos_label" not in given[name] and name not in WITHOUT
    ]


def test_every_command_that_takes_classes_takes_it():
    """Each command with `--labels` has `--pos-label`."""
    commands = [options_of(app, [name]) for name in app if not name.startswith("-")]
    with_labels = [each for each in commands if "labels" in each]
    assert len(with_labels) > 5
    assert all("pos_label" in each for each in with_labels)
