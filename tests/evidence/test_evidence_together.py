"""Tables of every kind of evidence go through what reads tables."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs

RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 2, 240)
SCORE = 1 / (1 + np.exp(-RNG.normal(2 * TRUTH - 1)))
REVIEWS = [[[20, 2], [6, 5]], [[4, 6], [1, 30]]]


def scored():
    """Return tables of scores whose labels are not known."""
    return {
        "batch": hs.calibrated(SCORE),
        "population": hs.calibrated(SCORE, target="population"),
        "calibrator": hs.calibrate(SCORE[:80], TRUTH[:80], random_state=0).batch(SCORE[80:]),
        "distribution": hs.calibrated(stats.beta(2, 3)),
        "drawn": hs.calibrated(stats.beta(2, 3), n=200),
    }


def tables():
    """Return confusion tables of estimated counts."""
    votes = np.where(RNG.random((240, 3)) < 0.85, TRUTH[:, None], 1 - TRUTH[:, None])
    return {
        "reviewed": hs.reviewed([[90, 20], [15, 115]], REVIEWS),
        "corrected": hs.corrected(hs.from_counts([[90, 20], [15, 115]]), sensitivity=0.95, specificity=0.97),
        "annotated": hs.annotated(votes, (SCORE >= 0.5).astype(int)),
        **{name: table.at(0.5) for name, table in scored().items()},
    }


@pytest.mark.parametrize("name", list(tables()))
def test_every_reader_takes_every_evidence(name):
    """Estimates, draws, the per-class report, a comparison and the page work; intervals have width or are nan."""
    table = tables()[name]
    evaluation = hs.evaluate(table, ["accuracy", "f1@macro", "mcc"], random_state=0)
    drawn = hs.estimate(table, "f1@macro", method="bayes", random_state=0)
    for each in (*evaluation.values(), drawn):
        assert each.low < each.value < each.high or (np.isnan(each.low) and each.reason)
    assert "macro avg" in str(hs.classification_report(table))
    difference = hs.compare(table, table, "accuracy", a="x", b="y")
    assert difference.value == 0
    assert difference.low < 0 < difference.high or difference.reason
    assert "f1" in hs.report_of(evaluation, title="every evidence").to_html().lower()


@pytest.mark.parametrize("name", list(scored()))
def test_every_reader_takes_scores_without_labels(name):
    """Areas, a metric at a threshold, curves, a comparison of areas and the page work."""
    table = scored()[name]
    evaluation = hs.evaluate(table, ["roc_auc", "f1"], threshold=0.5, random_state=0)
    assert 0.6 < evaluation["roc_auc"].value < 0.99
    low, high = hs.roc_curve(table).low, hs.roc_curve(table).high
    assert (low <= high).all()
    difference = hs.compare(table, table, "roc_auc", a="x", b="y")
    assert difference.low < 0 < difference.high or difference.reason
    assert "ROC" in hs.report_of(evaluation, title="scores without labels").to_html()
