"""Results about learning algorithms: text, records, copies and seams."""

import json
import pickle

import numpy as np
import pytest

import howsure as hs

DATA = hs.load_example("breast_cancer")
FOLDS = hs.cross_validated("label", ["logistic", "forest"], data=DATA, fold="fold")
RUNS = hs.training_runs("label", ["logistic", "forest", "naive_bayes"], data=DATA)


def test_an_estimate_prints_unpacks_and_has_records():
    """An estimate prints like any other, with the shares of its variance if there are several sources."""
    found = RUNS.estimate("accuracy")
    shares = ", ".join(f"{part.source} {100 * part.share:.0f} %" for part in found.parts)
    assert str(found) == f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}] ({shares})"
    assert [part.source for part in found.parts] == ["training runs", "test cases", "interaction"]
    assert repr(found) == f"AlgorithmEstimate(accuracy = {found})"
    value, (low, high) = found
    assert low < value == float(found) < high
    record = found.to_dict()
    assert sum(record[f"share_of_{name}"] for name in ("training_runs", "test_cases", "interaction")) == pytest.approx(
        1
    )
    assert json.loads(json.dumps(record))["question"] == found.question
    assert found.to_pandas().shape == (1, len(record))
    assert found.as_estimate() == found.value
    assert found.parts_grid().rows[-1][-1] == "100 %"
    squares = [part.standard_error**2 for part in found.parts]
    assert sum(squares) == pytest.approx(found.standard_error**2)


def test_sentences_say_what_the_interval_answers():
    """The question names models, runs or cases that would be drawn anew, and the shares come last."""
    found = RUNS.estimate("accuracy")
    said, limits = found.sentence(), f"{found.low:.3f} to {found.high:.3f}"
    assert said.startswith(f"Accuracy was {found.value:.3f} (95% CI {limits}; 569 cases, 3 runs; runs crossed with")
    assert "is the algorithm on average over training runs like these 3?" in said
    assert said.endswith(f"interaction {100 * found.parts[-1].share:.0f} %.")
    assert "of forest" in FOLDS.estimate("f1", model="forest").sentence()
    compared = FOLDS.compare("f1")
    assert "How much do logistic and forest differ, on new cases" in compared.sentence()
    assert f"logistic − forest = +{100 * compared.value:.1f} points" in compared.sentence("ml")


def test_an_undefined_metric_has_a_reason_in_its_sentence():
    """A class that is never predicted leaves precision undefined, with a reason."""
    y = np.arange(60) % 2
    found = hs.cross_validated(y, np.zeros(60, dtype=int), fold=np.arange(60) // 12).estimate("precision")
    assert np.isnan([found.value, found.low, found.high, found.standard_error]).all()
    assert found.parts == ()
    runs = hs.training_runs(y, [np.zeros(60, dtype=int), y * (np.arange(60) > 9)])
    assert np.isnan([runs.estimate("precision").value, runs.estimate("precision").standard_error]).all()
    assert found.reason in found.sentence() or "undefined" in found.sentence()


def test_comparisons_test_margins():
    """Non-inferiority uses the standard error and degrees of freedom of the difference."""
    from scipy import stats

    found = FOLDS.compare("accuracy")
    p = stats.norm.sf((found.value + 0.02) / found.standard_error)
    assert found.non_inferiority(0.02).p_value == pytest.approx(p)
    runs = hs.training_runs("label", {"a": ["logistic", "forest"], "b": ["forest", "naive_bayes"]}, data=DATA).compare(
        "accuracy"
    )
    t = stats.t(runs.degrees_of_freedom)
    p = max(t.sf((runs.value + 0.5) / runs.standard_error), t.cdf((runs.value - 0.5) / runs.standard_error))
    assert runs.equivalence(0.5).p_value == pytest.approx(p)


def test_algorithms_without_a_difference_have_a_reason():
    """Two algorithms with equal predictions have a difference of 0 and no interval."""
    same = hs.cross_validated(
        "label", {"a": "forest", "b": "copy"}, data=DATA | {"copy": DATA["forest"]}, fold="fold", check=False
    ).compare("accuracy")
    assert same.value == 0
    assert np.isnan(same.p_value)
    assert "do not differ on any case" in same.reason


def test_evaluations_are_mappings_with_grids():
    """Several metrics are a mapping; the grid has the question, the cautions and the shares."""
    found = RUNS.evaluate(["accuracy", "mcc"])
    assert list(found) == ["accuracy", "mcc"]
    assert found.grid().headers[-1] == "shares of the variance"
    assert found["mcc"].question in str(found)
    assert found.sentence().count("The interval answers") == 2
    assert len(found.to_pandas()) == 2
    with pytest.raises(hs.HowsureError, match="f1"):
        found["f1"]
    assert "roc_auc" in hs.cross_validated("label", y_score="score_forest", data=DATA, fold="fold").evaluate()


@pytest.mark.parametrize("made", [FOLDS, RUNS.estimate("f1"), FOLDS.compare("f1"), RUNS.evaluate("f1")], ids=repr)
def test_results_can_be_sent_to_other_processes(made):
    """Algorithms and results are the same after pickling."""
    again = pickle.loads(pickle.dumps(made))
    if isinstance(made, hs.results.Algorithms):
        made, again = made.compare("f1"), again.compare("f1")
    assert str(again) == str(made)
