"""ICI, E50, E90 and the maximum equal those of R's glm with natural splines; their intervals contain 0."""

import dataclasses

import numpy as np
import pytest
from scipy import special

import howsure as hs
from howsure.methods.variance.gap_test import _Gaps
from howsure.metrics.binding import resolve
from support.files import rows_of

CASES, FITTED = rows_of("recalibration.csv"), rows_of("recalibration_curves.csv")
TRUTH, SCORE = (np.array([float(row[name]) for row in CASES]) for name in ("y", "p"))
METRICS = ("ici", "e50", "e90", "e_max")


def sample(size, slope=0.5, seed=0):
    """Return truth and scores of a logistic calibration curve through (1/2, 1/2)."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 1.5, size)
    return rng.random(size) < special.expit(slope * logit), special.expit(logit)


def test_distances_equal_those_of_glm():
    """With four knots the distances are those between the scores and `glm(y ~ ns(qlogis(p)))`."""
    gaps = np.sort([abs(float(row["fitted"]) - float(row["p"])) for row in FITTED if row["knots"] == "4"])
    found = hs.evaluate(hs.scores(TRUTH, SCORE), list(METRICS))
    expected = [gaps.mean(), gaps[49], gaps[89], gaps[99]]  # the smallest with 50, 90 and 100 of 100 at or below
    assert [float(each) for each in found.values()] == pytest.approx(expected, abs=1e-7)


def test_the_logistic_curve_is_that_of_slope_and_intercept():
    """With `curve=logistic` the curve has the calibration slope and intercept, also for weights."""
    weight = np.tile([1.0, 0.5, 2.0, 1.25], 25)
    table = hs.scores(TRUTH, SCORE, sample_weight=weight)
    slope, intercept = (hs.estimate(table, each) for each in ("calibration_slope", "calibration_intercept+slope=free"))
    gaps = abs(special.expit(float(intercept) + float(slope) * special.logit(SCORE)) - SCORE)
    assert hs.estimate(table, "ici+curve=logistic").value == pytest.approx(weight @ gaps / weight.sum())
    assert hs.estimate(table, "emax+curve=logistic").value == pytest.approx(gaps.max())


@pytest.mark.parametrize("curve", ["spline", "logistic"])
@pytest.mark.parametrize("metric", METRICS)
def test_the_interval_is_that_of_the_distance(metric, curve):
    """The norm of smoothed residuals that the interval uses is the metric, where no scores are grouped."""
    truth, score = sample(55)
    table = hs.scores(truth, score)
    bound = resolve(f"{metric}+curve={curve}", table)
    distance = bound.structure
    assert distance.norm(*distance.sums(table.counts)) == pytest.approx(float(bound(table.counts)), rel=1e-9)


def slopes_are_changes(truth, score, places):
    """Check that the derivative by the count of a case is the change of the index when it is counted a little more."""
    table = hs.scores(truth, score)
    metric = resolve("ici", table)
    slopes = metric.gradient(table.counted)
    for place, outcome in places:
        step = np.zeros(table.shape)
        step[place, outcome] = 1e-4
        change = float(metric(table.counts + step)) - float(metric(table.counts))
        assert slopes[place, outcome] == pytest.approx(change / 1e-4, abs=1e-5)


def test_the_gradient_is_that_of_a_refit():
    """Each derivative has the curve fitted anew."""
    slopes_are_changes(*sample(200, seed=3), ((3, 0), (100, 1), (190, 0)))


def test_calibrated_scores_may_have_distance_zero():
    """Calibrated scores have a positive index and a lower limit of 0; scores that are too extreme have not."""
    for slope, is_zero in ((1.0, True), (0.3, False)):
        found = hs.evaluate(hs.scores(*sample(300, slope)), list(METRICS))
        assert all((each.low == 0) == is_zero and each.method == "gap_test" for each in found.values())
        assert min(map(float, found.values())) > 0


@pytest.mark.parametrize("curve", ["spline", "logistic"])
def test_certain_scores_have_no_gap(curve):
    """Right scores of 0 and 1 leave the fit as it is and add gaps of 0, as do those that approach 0 and 1."""
    truth, score = sample(150)
    certain, right = np.r_[score, np.repeat([0.0, 1.0], 20)], np.r_[truth, np.repeat([False, True], 20)]
    spec = f"ici+curve={curve}"
    found = hs.estimate(hs.scores(right, certain), spec)
    inside = hs.estimate(hs.scores(truth, score), spec)
    assert found.value == pytest.approx(inside.value * 150 / 190)
    assert 0 <= found.low <= found.value <= found.high
    assert hs.estimate(hs.scores(right, certain), f"emax+curve={curve}").value == pytest.approx(
        hs.estimate(hs.scores(truth, score), f"emax+curve={curve}").value
    )
    if curve == "logistic":  # near 0 and 1 a spline's knots would change
        near = hs.estimate(hs.scores(right, certain.clip(1e-15, 1 - 1e-15)), spec)
        assert (found.value, found.low, found.high) == pytest.approx((near.value, near.low, near.high), abs=1e-3)
        assert found.value == pytest.approx(near.value, rel=1e-6)


def test_the_gradient_is_that_of_a_refit_with_certain_scores():
    """The derivative by counts of certain scores is the change of the mean gap alone."""
    truth, score = sample(400, slope=0.8)
    truth, score = np.r_[truth, np.repeat([False, True], 9)], np.r_[score, np.repeat([0.0, 1.0], 9)]
    slopes_are_changes(truth, score, ((0, 0), (-1, 1), (60, 0)))


@pytest.mark.parametrize("metric, below, size", [("e50", 28, 55), ("e90", 50, 55)])
def test_quantiles_vary_with_the_scores_of_the_sample(metric, below, size):
    """The share of cases below has a binomial error, which widens the intervals; that of a mean is 0."""
    table = hs.scores(*sample(size))
    gaps = _Gaps.of(resolve(metric, table).structure, table)
    assert gaps.quantile_error == pytest.approx((below * (size - below) / size**3) ** 0.5)
    low, high = gaps.limits(0.95)
    fixed_low, fixed_high = dataclasses.replace(gaps, quantile_error=0.0).limits(0.95)
    assert low <= fixed_low
    assert high > fixed_high
    doubled = hs.scores(*(np.repeat(each, 2) for each in sample(size)), groups=np.repeat(np.arange(size), 2))
    clustered = _Gaps.of(resolve(metric, doubled).structure, doubled).quantile_error
    assert clustered == pytest.approx(gaps.quantile_error, rel=0.02)
    assert _Gaps.of(resolve("ici", table).structure, table).quantile_error == 0


UNDEFINED = {
    "certain": ([1, 1, 0, 1], [0.0, 0.3, 0.4, 0.6], "clip=1e-6"),
    "falling": (np.r_[0, sample(60, -0.5)[0]], np.r_[0, sample(60, -0.5)[1]], "not rise towards"),
    "few": ([0, 1, 0, 1, 1, 0], [0.3, 0.3, 0.6, 0.6, 0.6, 0.3], "curve=logistic"),
    "separated": (np.arange(12) > 5, np.linspace(0.1, 0.9, 12), "separate the classes"),
    "one class": (np.ones(12), np.linspace(0.1, 0.9, 12), "have only one class"),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_undefined_distances_have_a_reason(name):
    """Without a curve the distance is nan, and the reason states what is missing."""
    truth, score, why = UNDEFINED[name]
    found = hs.estimate(hs.scores(truth, score, pos_label=1), "ici")
    assert np.isnan(found.value)
    assert np.isnan(found.low)
    assert why in found.reason


def test_clips_move_certain_scores():
    """`clip` moves scores of 0 and 1 inwards; an invalid one is refused."""
    truth, score = sample(100)
    score[:2] = 0.0, 1.0
    truth[:2] = True, False
    clipped = hs.estimate(hs.scores(truth, score.clip(0.01, 0.99)), "ici")
    assert hs.estimate(hs.scores(truth, score), "ici+clip=0.01").value == pytest.approx(clipped.value)
    with pytest.raises(hs.HowsureError, match="`clip` of `ici` lies in"):
        hs.estimate(hs.scores(truth, score), "ici+clip=0.5")
