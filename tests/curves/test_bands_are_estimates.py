"""Every point of a band along thresholds is the interval that `estimate` has there, for all kinds of evidence."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.curves import along

RNG = np.random.default_rng(5)
SIZE = 24
SCORE = np.round(RNG.beta(1.2, 1.2, SIZE), 2)
TRUTH = (RNG.random(SIZE) < SCORE).astype(int)
WEIGHT = RNG.gamma(2, 0.5, SIZE) + 0.1
CLUSTER = np.arange(SIZE) // 3
STRATUM = np.array(["low", "high"])[CLUSTER % 2]
CLASSES = RNG.integers(0, 3, SIZE)
PROBABILITIES = RNG.dirichlet([1.0, 1.0, 1.0], SIZE).round(2) + np.eye(3)[CLASSES] / 2
ELSEWHERE = RNG.beta(1.2, 2, 200).round(2)

METRICS = ("recall", "mcc", "f1", "lr_plus", "accuracy", "precision", "balanced_accuracy")


def against_rest(**cases):
    """Return the probabilities of one of three classes against the others: a curve is of two."""
    return hs.scores((CLASSES == 1) * 1, (PROBABILITIES / PROBABILITIES.sum(1, keepdims=True))[:, 1], **cases)


KINDS = {
    "independent": lambda: hs.scores(TRUTH, SCORE),
    "tied": lambda: hs.scores(TRUTH, np.round(SCORE, 1)),
    "separated": lambda: hs.scores((SCORE > 0.5) * 1, SCORE),
    "fixed margins": lambda: hs.scores(TRUTH, SCORE).with_design(hs.designs.FixedMargins()),
    "weighted": lambda: hs.scores(TRUTH, SCORE, sample_weight=WEIGHT),
    "clustered": lambda: hs.scores(TRUTH, SCORE, groups=CLUSTER),
    "weighted in clusters": lambda: hs.scores(TRUTH, SCORE, groups=CLUSTER, sample_weight=WEIGHT),
    "stratified": lambda: hs.scores(TRUTH, SCORE, strata=STRATUM, stratum_sizes={"low": 900, "high": 100}),
    "stated prevalence": lambda: hs.scores(TRUTH, SCORE).at_prevalence([0.8, 0.2]),
    "transported": lambda: hs.transported(hs.scores(TRUTH, SCORE), ELSEWHERE),
    "transported weighted": lambda: hs.transported(hs.scores(TRUTH, SCORE, sample_weight=WEIGHT), ELSEWHERE),
    "transported clustered": lambda: hs.transported(hs.scores(TRUTH, SCORE, groups=CLUSTER), ELSEWHERE),
    "one of three classes": against_rest,
    "one of three classes, weighted": lambda: against_rest(sample_weight=WEIGHT),
    "one of three classes, clustered": lambda: against_rest(groups=CLUSTER),
    "one of three classes, weighted in clusters": lambda: against_rest(groups=CLUSTER, sample_weight=WEIGHT),
    "unlabelled": lambda: hs.calibrated(SCORE),
    "unlabelled population": lambda: hs.calibrated(SCORE, target="population"),
    "unlabelled weighted": lambda: hs.calibrated(np.round(SCORE, 1), sample_weight=WEIGHT),
    "unlabelled weighted population": lambda: hs.calibrated(SCORE, target="population", sample_weight=WEIGHT),
}


def estimated(table, metric, thresholds):
    """Return values and limits of estimates at thresholds, three columns."""
    each = [hs.estimate(table, metric, threshold=threshold) for threshold in thresholds]
    return np.array([(one.value, one.low, one.high) for one in each])


def sample(points):
    """Return the indices of the first two, the last two and every fourth of the points."""
    return np.unique(np.r_[:2, : len(points) : 4, len(points) - 2 : len(points)])


def close(found, expected):
    """Compare limits: those of a batch are rounded otherwise than those of one table."""
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("place, kind", list(enumerate(KINDS)))
def test_points_of_a_band_are_the_estimate_there(place, kind):
    """Metrics along thresholds, and the limits of the precision–recall curve, are those of `estimate(threshold=)`.

    Each kind has two of the metrics, so that each metric is of several kinds.
    """
    table = KINDS[kind]()
    curves = hs.threshold_curves(table, [METRICS[(place + step) % len(METRICS)] for step in (0, 3)])
    for metric, curve in curves.items():
        some = sample(curve["threshold"])
        found = np.stack([curve["value"], curve.low, curve.high], 1)[some]
        close(found, estimated(table, metric, curve["threshold"][some]))
    curve = hs.precision_recall_curve(table)
    some = sample(curve["threshold"])
    close(np.stack([curve.low, curve.high], 1)[some], estimated(table, "precision", curve["threshold"][some])[:, 1:])


@pytest.mark.parametrize("kind", KINDS)
def test_the_roc_band_is_the_estimate_at_each_false_positive_rate(kind):
    """Limits of the ROC curve are those of `recall_at+fpr=` there, and those of the DET curve their complements."""
    table = KINDS[kind]()
    roc, det = hs.roc_curve(table), hs.det_curve(table)
    last = np.append(np.diff(roc["fpr"]) > 0, True) & (roc["fpr"] > 0) & (roc["fpr"] < 1)
    method = "threshold_limits" if table.design.traits.has_known_probabilities else None  # the default one draws labels
    each = [hs.estimate(table, f"recall_at+fpr={rate!r}", method=method) for rate in roc["fpr"][last].tolist()]
    assert each
    close(np.stack([roc.low, roc.high], 1)[last], np.array([(one.low, one.high) for one in each]))
    close(np.stack([det.low, det.high], 1), 1 - np.stack([roc.high, roc.low], 1))
    assert ((roc.low <= roc.y + 1e-12) & (roc.y <= roc.high + 1e-12)).all()


def test_evidence_without_scores_has_no_curve():
    """Reviewed labels make a table of predictions, and metrics of counts need one class of many: curves refuse them."""
    reviewed = hs.reviewed([[90, 10], [20, 80]], [[[8, 1], [3, 5]], [[6, 4], [0, 9]]])
    several = hs.multiclass_scores(CLASSES, PROBABILITIES / PROBABILITIES.sum(1, keepdims=True))
    for curve in (hs.roc_curve, hs.det_curve, hs.precision_recall_curve):
        with pytest.raises(hs.HowsureError, match="table of scores"):
            curve(reviewed)
    for table in (reviewed, several):
        with pytest.raises(hs.HowsureError, match="table of scores"):
            hs.threshold_curves(table, "f1")


@pytest.mark.parametrize("kind", ["independent", "clustered", "unlabelled"])
def test_of_very_many_thresholds_those_at_the_ends_are_estimated_and_others_interpolated(kind, monkeypatch):
    """With few estimates the ends stay exact, and the interpolated limits in between are close."""
    exact = hs.threshold_curves(KINDS[kind](), "f1")["f1"]
    monkeypatch.setattr(along, "LONG", 12)
    monkeypatch.setattr(along, "MOST_ESTIMATES", 12)
    monkeypatch.setattr(along, "ENDS", 5)
    found = hs.threshold_curves(KINDS[kind](), "f1")["f1"]
    for limits, expected in ((found.low, exact.low), (found.high, exact.high)):
        close(np.r_[limits[:5], limits[-5:]], np.r_[expected[:5], expected[-5:]])
        np.testing.assert_allclose(limits, expected, atol=0.1)
        assert not np.allclose(limits, expected, atol=1e-6)
    known = np.isfinite(found.low)
    assert ((found.low <= found.y) & (found.y <= found.high))[known].all()


@pytest.mark.parametrize("kind", ["independent", "weighted", "clustered"])
def test_a_simultaneous_band_contains_the_pointwise_one(kind):
    """One is taken by the delta method, the other by the default method of the metric."""
    narrow, wide = (
        hs.threshold_curves(KINDS[kind](), "f1", band=band, n_resamples=99, random_state=0)["f1"]
        for band in ("pointwise", "simultaneous")
    )
    assert ((wide.low <= narrow.low) & (narrow.high <= wide.high)).all()


def test_the_band_of_the_precision_has_no_jump_where_the_first_false_positive_comes():
    """Without a false positive the lower limit is that of the hits; at the lowest threshold, of the prevalence."""
    truth, score = np.repeat([1, 0], [60, 100]), np.concatenate([np.linspace(1, 0.5, 60), np.linspace(0.51, 0, 100)])
    curve = hs.precision_recall_curve(truth, score)
    perfect = int((curve.y == 1).sum()) - 1  # the first point is by convention
    hits, limits = perfect + np.array([0, 1]), [stats.beta.ppf(0.025, perfect, 1), stats.beta.ppf(0.025, perfect, 2)]
    assert hits[0] > 50
    assert curve.low[hits] == pytest.approx(limits, abs=0.012)  # of Clopper and Pearson, which is wider than mid-p
    share = hs.estimate(hs.scores(truth, score), "precision", threshold=0.0)
    assert (curve.low[-1], curve.high[-1]) == pytest.approx((share.low, share.high))
    assert share.value == 60 / 160
