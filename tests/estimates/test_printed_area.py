"""A published area with two class sizes: limits by the formulas, and invalid areas are refused."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

import howsure as hs
from howsure.estimates.printed_area import ASSUMED, UNKNOWN


def limits(area, m, n, *, halfway):
    """Return the areas at which the observed one is z standard errors away, by Newcombe's (2006) method 5 or halfway."""
    half, z = (m + n) / 2 - 1, norm.ppf(0.975)

    def excess(a):
        variance = a * (1 - a) / (m * n) * (1 + half * ((1 - a) / (2 - a) + a / (1 + a)))
        if halfway:
            variance = (variance + a * (1 - a) / min(m, n)) / 2
        return (a - area) ** 2 - z**2 * variance

    return brentq(excess, 1e-12, area, xtol=1e-14), brentq(excess, area, 1 - 1e-12, xtol=1e-14)


@pytest.mark.parametrize("method, words", [("halfway", UNKNOWN), ("newcombe", ASSUMED)])
@pytest.mark.parametrize("area, m, n", [(0.87, 40, 100), (0.55, 20, 20), (0.98, 500, 20)])
def test_limits_follow_from_the_area_and_the_class_sizes(area, m, n, method, words):
    found = hs.from_auc(area, positives=m, negatives=n, method=method)
    assert (found.low, found.high) == pytest.approx(limits(area, m, n, halfway=method == "halfway"), abs=1e-9)
    assert (found.value, found.metric, found.reason) == (area, "roc_auc", words)


def test_newcombes_interval_is_that_of_the_scores():
    """The method uses only the area of the scores."""
    table = hs.scores([0] * 5 + [1] * 4, [1, 2, 3, 4, 5, 3.5, 4.5, 6, 7])
    of_scores = hs.estimate(table, "roc_auc", method="newcombe", confidence_level=0.9)
    found = hs.from_auc(of_scores, positives=4, negatives=5, method="newcombe", confidence_level=0.9)
    assert (found.low, found.high, found.standard_error) == pytest.approx(
        (of_scores.low, of_scores.high, of_scores.standard_error), rel=1e-12
    )


@pytest.mark.parametrize("area", [0.0, 1.0])
def test_an_extreme_area_has_one_limit_inside(area):
    found = hs.from_auc(area, positives=1, negatives=30)
    assert 0 < found.high - found.low < 1
    assert area in (found.low, found.high)


@pytest.mark.parametrize(
    "area, sizes, words",
    [
        ("high", (3, 4), "`auc` = 'high' is no number"),
        (87, (3, 4), "lies between 0 and 1. Did you mean 0.87"),
        (-0.1, (3, 4), "lies between 0 and 1"),
        (np.nan, (3, 4), "is no area"),
        (0.8, (0, 4), "positives"),
        (0.8, (4, 2.5), "negatives"),
    ],
)
def test_a_number_that_is_no_area_is_refused(area, sizes, words):
    with pytest.raises(hs.HowsureError, match=words):
        hs.from_auc(area, positives=sizes[0], negatives=sizes[1])


def test_printed_areas_are_pooled():
    found = hs.pool([hs.from_auc(area, positives=40, negatives=60) for area in (0.8, 0.85, 0.82)])
    assert 0.8 < found.low + (found.high - found.low) / 2 < 0.85


@pytest.mark.thorough
def test_halfway_holds_the_truth_where_the_classes_spread_differently():
    """In 1,000 studies with 20 positives of twice the spread of 500 negatives, 95 % of the intervals cover the area."""
    rng, area, m, n = np.random.default_rng(3), 0.85, 20, 500
    shift = norm.ppf(area) * np.sqrt(5)
    held = 0
    for _ in range(1000):
        negative, positive = np.sort(rng.normal(size=n)), rng.normal(shift, 2, m)
        found = hs.from_auc(np.searchsorted(negative, positive).mean() / n, positives=m, negatives=n)
        held += found.low <= area <= found.high
    assert held > 930
