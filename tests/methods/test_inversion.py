"""p-values are 1 minus the level at which an interval just touches the null value."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.inversion import p_value
from howsure.methods.library import named
from howsure.metrics.binding import resolve


@pytest.mark.parametrize("k, n, null", [(5, 8, 0.01), (9, 10, 0.5), (12, 80, 0.05), (1, 80, 0.9)])
def test_p_values_of_exact_limits_are_the_smaller_tail_twice(k, n, null):
    """Also where limits at extreme levels are beyond all floats: a limit that is not known excludes nothing."""
    table = hs.from_counts([[0, 0], [n - k, k]])
    found = named("clopper_pearson").p_value(resolve("recall", table), table, null)
    tails = stats.binom.cdf(k, n, null), stats.binom.sf(k - 1, n, null)
    assert found == pytest.approx(2 * min(tails), rel=1e-6)


def test_unknown_limits_of_wide_intervals_exclude_nothing():
    """A normal interval that is unknown from 99 % on still tells p-values above 1 %, and none below."""

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
