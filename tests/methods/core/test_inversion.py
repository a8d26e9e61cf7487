"""p-values are 1 minus the level at which an interval just touches the null value."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy import special, stats

import howsure as hs
from howsure.methods.core.inversion import p_value, p_values
from howsure.methods.core.lookup import named
from howsure.methods.numerics.confidence_levels import tail_of
from howsure.metrics.binding import resolve


@pytest.mark.parametrize("k, n, null", [(5, 8, 0.01), (9, 10, 0.5), (12, 80, 0.05), (1, 80, 0.9)])
def test_p_values_of_exact_limits_are_the_smaller_tail_twice(k, n, null):
    """Also where limits at extreme levels are beyond all floats: a limit that is not known excludes nothing."""
    table = hs.from_counts([[0, 0], [n - k, k]])
    found = named("clopper_pearson").p_value(resolve("recall", table), table, null)
    tails = stats.binom.cdf(k, n, null), stats.binom.sf(k - 1, n, null)
    assert found == pytest.approx(2 * min(tails), rel=1e-6)


def test_unknown_limits_of_wide_intervals_exclude_nothing():
    """A normal interval that is undefined from 99 % on gives p-values above 1 %, and none below."""

    def limits(level):
        z = stats.norm.isf((1 - level) / 2)
        return (np.nan, np.nan) if level > 0.99 else (-z, z)

    assert p_value(limits, 0.0, 1.96) == pytest.approx(2 * stats.norm.sf(1.96), rel=1e-6)
    assert p_value(limits, 0.0, 5.0) == pytest.approx(0.01, rel=1e-6)


def test_limits_that_floats_cannot_tell_from_the_value_exclude_all_others():
    """An interval that is nan below a level of 1 % for narrowness has the p-values of a normal one."""

    def limits(level):
        z = stats.norm.isf((1 - level) / 2)
        return (np.nan, np.nan) if level < 0.01 else (-z, z)

    assert p_value(limits, 0.0, 1.0) == pytest.approx(2 * stats.norm.sf(1.0), rel=1e-6)
    assert p_value(limits, 0.0, 0.0) == 1.0


@pytest.mark.parametrize("floor, most", [(-np.inf, 16), (0.0, 45)])
@pytest.mark.parametrize("ends", [0.3, 1.0, 5.0, 20.0])
def test_a_p_value_takes_few_intervals_and_is_where_the_limit_first_meets_the_hypothesis(ends, floor, most):
    """A limit that reaches the null at some number of standard errors has its p-value, also if it stays there."""
    asked = []

    def limits(level):
        asked.append(level)
        z = -NormalDist().inv_cdf(tail_of(level) / 2)
        return max(ends - z, floor), ends + z

    assert p_value(limits, ends, 0.0) == pytest.approx(math.erfc(ends / math.sqrt(2)), rel=1e-6)
    assert len(asked) <= most


def test_p_values_of_a_batch_are_those_of_each_table():
    """Found together, with undefined and equal ones among them, they are those found alone."""
    value = np.array([0.5, -2.0, 0.0, np.nan, 12.0])

    def limits(levels):
        z = -special.ndtri(np.asarray(tail_of(levels)) / 2)
        return value - z, value + z

    expected = [2 * NormalDist().cdf(-abs(each)) for each in value]
    expected[3] = np.nan
    assert p_values(limits, value, 0.0) == pytest.approx(np.array(expected), rel=1e-7, nan_ok=True)
