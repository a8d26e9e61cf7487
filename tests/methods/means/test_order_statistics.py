"""Intervals of quantiles from order statistics."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs


@pytest.mark.parametrize("q, n", [(0.5, 11), (0.5, 40), (0.9, 60), (0.25, 33)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_limits_are_binomial_ranks(q, n, level):
    """They are the values whose ranks are the quantiles of Bin(n, q), as of SciPy's quantile test."""
    x = np.random.default_rng(n).lognormal(size=n)
    found = hs.estimate(hs.values(x), f"quantile+q={q}", method="order_statistics", confidence_level=level)
    theirs = stats.quantile_test(x, p=q).confidence_interval(level)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)


def test_few_cases_have_an_open_side():
    """If no value is a limit, it is the end of the range, and the reason states this."""
    found = hs.estimate(hs.values([3.0, 4.0, 9.0, 7.0]), "quantile+q=0.9")
    assert found.high == np.inf
    assert "too few cases" in found.reason
    assert hs.estimate(hs.values([0.3, 0.4, 0.9, 0.7], bounds=(0, 1)), "quantile+q=0.9").high == 1


def test_ties_are_both_limits():
    """A value of most cases is its own interval, and the reason states this."""
    found = hs.estimate(hs.values([0.0] * 50 + [1.0] * 4), "median")
    assert (found.low, found.high) == (0, 0)
    assert "share one value" in found.reason


def test_copies_of_each_case_are_no_more_cases():
    """Clusters of equal cases have the interval of their number."""
    x = np.random.default_rng(3).normal(size=41)
    alone = hs.estimate(hs.values(x), "median")
    copies = hs.estimate(hs.values(np.repeat(x, 5), groups=np.repeat(np.arange(41), 5)), "median")
    assert copies.low == pytest.approx(alone.low, abs=0.2)
    assert copies.high == pytest.approx(alone.high, abs=0.2)
    narrow = hs.estimate(hs.values(np.repeat(x, 5)), "median")
    assert narrow.high - narrow.low < 0.7 * (copies.high - copies.low)


@pytest.mark.thorough
@pytest.mark.parametrize("design", ["plain", "clusters", "weights"])
def test_quantiles_are_covered(design):
    """Medians of independent, clustered and weighted cases are covered by 95 % or a little more (300 samples)."""
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(300):
        x, more = rng.exponential(size=60), {}
        if design == "clusters":
            shared = rng.normal(size=30)
            cluster = np.repeat(np.arange(30), 2)
            x = -np.log(stats.norm.sf(np.sqrt(0.6) * shared[cluster] + np.sqrt(0.4) * rng.normal(size=60)))
            more = {"groups": cluster}
        elif design == "weights":
            more = {"sample_weight": rng.choice([1.0, 3.0], 60)}
        found = hs.estimate(hs.values(x, **more), "median")
        held += found.low <= np.log(2) <= found.high
    assert held / 300 >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 300)


def test_other_metrics_are_refused():
    """A mean is not a quantile."""
    with pytest.raises(hs.HowsureError, match="is for quantiles"):
        hs.estimate(hs.values([1.0, 2.0]), "mean", method="order_statistics")


def test_a_group_of_weight_0_has_no_median():
    """One of two groups of tasks has only runs of weight 0: no value, a reason, and no warning."""
    table = hs.trials([1, 0, 1, 1], task=[0, 0, 1, 1], sample_weight=[1, 1, 0, 0], by=["u", "u", "v", "v"])
    found = hs.estimate(table, "median")
    assert np.isnan(found["v"].value)
    assert "undefined" in found["v"].reason
    assert found["u"].value == 0.5


def test_a_level_that_a_rank_reaches_exactly_has_that_rank():
    """The lowest of 5 values is above the median with probability 1/32, the tail of the level 15/16."""
    table = hs.values([3.0, 1.0, 4.0, 1.5, 9.0])
    found = hs.estimate(table, "median", method="order_statistics", confidence_level=15 / 16)
    assert (found.low, found.high) == (1.0, 9.0)
    higher = hs.estimate(table, "median", method="order_statistics", confidence_level=15 / 16 + 1e-6)
    assert higher.low == -np.inf
