"""Joint confidence regions of two metrics."""

import math
import pickle

import numpy as np
import pytest
from scipy.special import xlogy
from scipy.stats import binom, f as f_distribution, norm

import howsure as hs
from howsure.requirements.regions import _radius

TABLE = hs.from_counts([[50, 3], [5, 42]])
SMALL = hs.from_counts([[44, 1], [0, 5]])
CRITICAL = -2 * math.log(0.05)  # the 0.95 quantile of χ² with two degrees of freedom
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 240)
SCORE = np.clip(RNG.normal(0.35 + 0.3 * TRUTH, 0.2), 0.01, 0.99)


def points(region, size=1000):
    """Return random points around a region."""
    spans = [(limits[0] - 0.1, min(limits[1] + 0.1, 1.0)) for limits in (region.x_limits, region.y_limits)]
    return np.stack([np.random.default_rng(1).uniform(*span, size) for span in spans], 1)


def half_width(hits, trials, truth):
    """Return the quantile of the mid-p value of a hypothetical rate: how far its interval reaches."""
    return -norm.ppf(binom.cdf(hits, trials, truth) - 0.5 * binom.pmf(hits, trials, truth))


@pytest.mark.parametrize("table", [TABLE, SMALL])
def test_two_independent_rates_have_the_points_whose_mid_p_values_allow_them(table):
    """Sensitivity and specificity: the sum of the squared quantiles of two mid-p tests is at most χ²'s quantile."""
    (tn, fp), (fn, tp) = table.counts
    region = hs.joint_region(table, "sensitivity", "specificity")
    at = points(region)
    with np.errstate(all="ignore"):
        distance = half_width(tp, tp + fn, at[:, 0]) ** 2 + half_width(tn, tn + fp, at[:, 1]) ** 2
    clear = np.isfinite(distance) & (np.abs(distance - CRITICAL) > 0.05)
    assert clear.sum() > 900
    assert (region.contains(at[clear]) == (distance[clear] <= CRITICAL)).all()


def test_recall_and_precision_are_correlated_through_the_hits():
    """The correlation is that of the delta method: hits (1 − recall)(1 − precision) over both totals."""
    region = hs.joint_region(TABLE, "recall", "precision")
    recall, precision, hits = 42 / 47, 42 / 45, 42
    covariance = hits * (1 - recall) * (1 - precision) / (47 * 45)
    spread = math.sqrt(recall * (1 - recall) / 47 * precision * (1 - precision) / 45)
    assert region.correlation == pytest.approx(covariance / spread)
    at = points(region)
    first, second = half_width(42, 47, at[:, 0]), half_width(42, 45, at[:, 1])
    rho = region.correlation
    distance = (first**2 - 2 * rho * first * second + second**2) / (1 - rho**2)
    clear = np.isfinite(distance) & (np.abs(distance - CRITICAL) > 0.05)
    assert (region.contains(at[clear]) == (distance[clear] <= CRITICAL)).all()


@pytest.mark.parametrize("table", [TABLE, SMALL])
def test_the_likelihood_region_is_the_contour_of_the_likelihood(table):
    """Sensitivity and specificity: the sum of two binomial deviances is at most χ²'s quantile, times Bartlett's factor."""
    (tn, fp), (fn, tp) = table.counts
    region = hs.joint_region(table, "sensitivity", "specificity", method="profile_likelihood")
    at = points(region)

    def loss(hits, misses, rate):
        share = hits / (hits + misses)
        return 2 * (xlogy(hits, share / rate) + xlogy(misses, (1 - share) / (1 - rate)))

    with np.errstate(all="ignore"):
        distance = loss(tp, fn, at[:, 0]) + loss(tn, fp, at[:, 1])
    critical = CRITICAL * (1 + sum(1 / (each + 0.5) for each in (tn, fp, fn, tp)) / 12)
    clear = np.isfinite(distance) & (np.abs(distance - critical) > 0.05)
    assert (region.contains(at[clear]) == (distance[clear] <= critical)).all()


@pytest.mark.parametrize("method", [None, "profile_likelihood", "delta"])
def test_large_samples_have_the_ellipse_of_the_normal_distribution(method):
    """Its area is π c² σ₁ σ₂ √(1 − ρ²)."""
    table = hs.from_counts(np.array([[500, 60], [50, 420]]) * 1000)
    region = hs.joint_region(table, "recall", "precision", method=method)
    errors = region.x.standard_error * region.y.standard_error
    expected = math.pi * CRITICAL * errors * math.sqrt(1 - region.correlation**2)
    assert region.area == pytest.approx(expected, rel=2e-3)


def test_the_ends_of_the_region_are_those_of_stricter_intervals():
    """They are the limits of the interval at c standard errors, that is at level 2Φ(c) − 1."""
    region = hs.joint_region(TABLE, "f1", "mcc")
    level = 2 * norm.cdf(math.sqrt(CRITICAL)) - 1
    for ends, metric in ((region.x_limits, "f1"), (region.y_limits, "mcc")):
        wide = hs.estimate(TABLE, metric, confidence_level=level)
        assert ends == pytest.approx([wide.low, wide.high], abs=1e-4)
    assert (region.x.low, region.x.high) == pytest.approx((hs.estimate(TABLE, "f1").low, hs.estimate(TABLE, "f1").high))


def test_a_perfect_rate_is_in_the_region():
    """Without a miss the region reaches 1, and not beyond."""
    region = hs.joint_region(SMALL, "recall", "precision")
    assert region.x_limits[1] == 1
    assert region.contains((1.0, region.y.value))
    assert not region.contains((1.0001, region.y.value))


def test_clusters_have_hotellings_radius():
    """With d degrees of freedom c² is 2 d / (d − 1) times the quantile of F with 2 and d − 1."""
    for freedom in (3.0, 9.0, 40.0):
        expected = 2 * freedom / (freedom - 1) * f_distribution.ppf(0.9, 2, freedom - 1)
        assert _radius(0.9, freedom) ** 2 == pytest.approx(expected)
    assert _radius(0.95, math.inf) ** 2 == pytest.approx(CRITICAL)


def test_cases_in_clusters_have_a_wider_region_at_their_correlation():
    """Four equal copies of each case carry no more information, and the correlation stays."""
    truth, said = TRUTH[:60], (SCORE > 0.5)[:60] * 1
    alone = hs.joint_region(hs.confusion(truth, said, groups=np.arange(60)), "recall", "precision")
    copies = hs.confusion(np.repeat(truth, 4), np.repeat(said, 4), groups=np.repeat(np.arange(60), 4))
    region = hs.joint_region(copies, "recall", "precision")
    assert region.correlation == pytest.approx(alone.correlation, abs=1e-9)
    assert region.area == pytest.approx(alone.area, rel=0.05)
    assert (
        region.area
        > 2 * hs.joint_region(hs.confusion(np.repeat(truth, 4), np.repeat(said, 4)), "recall", "precision").area
    )


def test_scores_have_a_region_at_a_threshold():
    """It is that of the confusion table there; areas under curves need no threshold."""
    table = hs.scores(TRUTH, SCORE)
    region = hs.joint_region(table, "fpr", "recall", threshold=0.5)
    same = hs.joint_region(table.at(0.5), "fpr", "recall")
    assert region.boundary_x == pytest.approx(same.boundary_x)
    assert region.boundary_y == pytest.approx(same.boundary_y)
    likely = hs.joint_region(table, "fpr", "recall", threshold=0.5, method="profile_likelihood")
    assert likely.area == pytest.approx(region.area, rel=0.1)
    assert 0 < hs.joint_region(table, "roc_auc", "average_precision").area < 0.1


def test_groups_have_a_region_each():
    """All cases come first, then each group."""
    groups = np.array(["a", "b"])[np.arange(240) % 2]
    found = hs.joint_region(hs.confusion(TRUTH, SCORE > 0.5, by=groups), "recall", "precision")
    alone = hs.joint_region(hs.confusion(TRUTH[::2], (SCORE > 0.5)[::2]), "recall", "precision")
    assert found["a"].area == pytest.approx(alone.area)
    assert found.overall.area < found["a"].area


def test_an_undefined_metric_has_no_region():
    """The reason names the metric; the area is nan."""
    region = hs.joint_region(hs.from_counts([[50, 3], [0, 0]]), "recall", "specificity")
    assert region.reason.startswith("recall: ")
    assert math.isnan(region.area)
    assert np.isnan(region.x_limits).all()
    with pytest.raises(hs.HowsureError, match="The region is undefined: recall"):
        region.contains((0.5, 0.5))


def test_a_metric_that_follows_from_the_other_has_no_region():
    """The false negative rate is 1 minus recall; without a false positive F1 is a function of recall, in that group."""
    region = hs.joint_region(TABLE, "recall", "fnr")
    assert region.reason == "in these data `fnr` follows from `recall`, so the region is a line"
    assert math.isnan(region.area)
    y_true, y_pred = [1] * 10 + [0] * 10, [1] * 7 + [0] * 13
    groups = ["a"] * 20 + ["b"] * 20
    found = hs.joint_region(hs.confusion(y_true * 2, [*y_pred, *y_pred[:-1], 1], by=groups), "recall", "f1")
    assert "`f1` follows from `recall`" in found["a"].reason
    assert not found["b"].reason
    assert found["b"].area > 0


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hs.joint_region(TABLE, "recall", "mcc", method="profile_likelihood"), "`mcc` is not one"),
        (
            lambda: hs.joint_region(
                hs.confusion(TRUTH, SCORE > 0.5, groups=TRUTH), "recall", "precision", method="profile_likelihood"
            ),
            "needs counts of independent cases",
        ),
        (
            lambda: hs.joint_region(hs.paired([1, 0, 1], {"A": [1, 0, 0], "B": [1, 1, 1]}), "recall", "precision"),
            "one model",
        ),
        (lambda: hs.joint_region(TABLE, "recall", "precision").contains(0.3), "A point is a pair"),
        (lambda: hs.joint_region(TABLE, "recall", "precision").contains(["a", 0.3]), "`point` must be numbers"),
    ],
)
def test_refusals_name_the_remedy(call, words):
    """Each is one line."""
    with pytest.raises(hs.HowsureError, match=words):
        call()


def test_regions_survive_pickle():
    """The boundary and the estimates stay."""
    region = hs.joint_region(TABLE, "recall", "precision")
    again = pickle.loads(pickle.dumps(region))
    assert again.to_dict() == region.to_dict()
    assert (again.boundary_x == region.boundary_x).all()


@pytest.mark.parametrize("prevalence", [0.5, 0.1])
def test_regions_of_fifty_cases_contain_both_true_values(prevalence):
    """At least 93 % of 1,000 simulated samples, with the Monte Carlo error of 0.7 % and rates near 1."""
    sensitivity, specificity = 0.9, 0.97
    cells = np.array([specificity, 1 - specificity, 1 - sensitivity, sensitivity])
    cells *= [1 - prevalence, 1 - prevalence, prevalence, prevalence]
    tn, fp, fn, tp = np.random.default_rng(3).multinomial(50, cells, 1000).T
    distance = half_width(tp, tp + fn, sensitivity) ** 2 + half_width(tn, tn + fp, specificity) ** 2
    assert (distance <= CRITICAL)[tp + fn > 0].mean() > 0.93 - 0.014


@pytest.mark.parametrize("method", [np.array([]), 3, ["delta"]])
def test_a_method_is_a_name_or_a_method(method):
    """Other arguments are refused by their name."""
    with pytest.raises(hs.HowsureError, match="method"):
        hs.joint_region(hs.from_counts([[50, 3], [5, 42]]), "recall", "precision", method=method)
