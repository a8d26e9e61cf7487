"""Top-k accuracy has scikit-learn's value, and the interval of a proportion."""

import numpy as np
import pytest
import sklearn.metrics

import howsure as hs
from howsure.metrics.spec import parse


def sample(seed, classes=5, size=60):
    """Return truth and tied scores, in which some classes never occur."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, max(classes - seed % 2, 2), size), rng.integers(0, 4, (size, classes)) / 4


@pytest.mark.parametrize("seed", range(12))
def test_values_equal_scikit_learns(seed):
    """Ties, absent classes, repeated rows and weights: the value is scikit-learn's."""
    classes = 3 + seed % 4
    truth, score = sample(seed, classes)
    weight = np.random.default_rng(seed).random(60) if seed % 3 else None
    table = hs.multiclass_scores(truth, score, labels=range(classes), sample_weight=weight)
    for k in range(1, classes):
        expected = sklearn.metrics.top_k_accuracy_score(truth, score, k=k, labels=range(classes), sample_weight=weight)
        assert hs.estimate(table, f"top_k_accuracy+k={k}").value == pytest.approx(expected, abs=1e-12)


def test_the_interval_is_that_of_the_proportion_of_hits():
    """Independent cases have the interval of the number of hits; weights and clusters that of an indicator."""
    truth, score = sample(3)
    hits = sklearn.metrics.top_k_accuracy_score(truth, score, k=2, labels=range(5), normalize=False)
    found = hs.estimate(hs.multiclass_scores(truth, score, labels=range(5)), "top_2_accuracy")
    expected = hs.proportion(int(hits), 60)
    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    order = np.argsort(score, axis=1, kind="stable")[:, -2:]
    hit = (order == truth[:, None]).any(1)
    designs = (
        {"groups": np.arange(60) // 4},
        {"sample_weight": np.linspace(1, 3, 60)},
        {"groups": {"reader": np.arange(60) % 6, "case": np.arange(60) // 6}},
        {"strata": np.arange(60) % 2, "stratum_sizes": {0: 300, 1: 100}},
    )
    for design in designs:
        found = hs.estimate(hs.multiclass_scores(truth, score, labels=range(5), **design), "top_2_accuracy")
        indicator = hs.estimate(hs.confusion(np.ones(60, dtype=int), hit.astype(int), **design), "recall")
        assert (found.value, found.standard_error) == pytest.approx((indicator.value, indicator.standard_error))


def test_the_same_for_any_block(monkeypatch):
    """Scores are compared in blocks of rows, whose size does not matter."""
    truth, score = sample(4, 5, 300)
    table = hs.multiclass_scores(truth, score, labels=range(5))
    whole = hs.estimate(table, "top_3_accuracy")
    monkeypatch.setattr("howsure.metrics.top_k.BLOCK", 40)
    assert hs.estimate(table, "top_3_accuracy").value == whole.value


def test_names():
    """`top_5_accuracy` and `top5` are top-k accuracy with k = 5, and labels state k."""
    assert parse("top_5_accuracy") == parse("top5") == parse("top_k_accuracy+k=5")
    assert parse("top_5_accuracy").label == "top_5_accuracy"
    assert parse("top_k_accuracy").label == "top_k_accuracy+k=2"


def test_two_classes():
    """One score for two classes: scikit-learn's thresholds, 1/2 for probabilities and 0 for margins."""
    truth, score = np.array([0, 1, 1, 0, 1, 0]), np.array([0.2, 0.5, 0.7, 0.6, 0.9, 0.4])
    for each in (score, 4 * score - 2):
        expected = sklearn.metrics.top_k_accuracy_score(truth, each, k=1)
        assert hs.estimate(hs.scores(truth, each), "top_1_accuracy").value == pytest.approx(expected)


@pytest.mark.parametrize("k", [5, 9])
def test_all_classes_are_no_information(k):
    """With k classes or fewer the value is 1, and has no interval."""
    truth, score = sample(2)
    found = hs.estimate(hs.multiclass_scores(truth, score, labels=range(5)), f"top_k_accuracy+k={k}")
    assert found.value == 1
    assert np.isnan(found.low)
    assert "does not vary" in found.reason


REFUSED = {
    "no average": ("top_2_accuracy@macro", {}, "takes no average"),
    "no k": ("top_k_accuracy+k=0", {}, "`k` must be a whole number of at least 1"),
    "labels": ("top_2_accuracy", {"multilabel": True}, "not of multilabel data"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    """What top-k accuracy is not defined for is refused in one line."""
    spec, facts, message = REFUSED[name]
    truth, score = sample(2)
    if facts:
        truth = np.eye(5, dtype=int)[truth]
    with pytest.raises(hs.HowsureError, match=message):
        hs.estimate(hs.multiclass_scores(truth, score, **({} if facts else {"labels": range(5)})), spec)


def test_no_weight_is_missed_where_every_case_is_hit():
    """Rounding of sums of weights leaves no negative count of misses."""
    truth, weight = np.arange(12) % 3, np.full(12, 0.1) + np.arange(12) * 1e-3 / 3
    table = hs.multiclass_scores(truth, np.eye(3)[truth] * 0.5 + 0.5 / 3, sample_weight=weight)
    found = hs.estimate(table, "top_2_accuracy")
    assert found == 1
    assert 0 < found.low < found.high == 1
