"""Equivalent binomial sizes against mid-p limits from the binomial distribution itself."""

import numpy as np
import pytest
from scipy import optimize, stats

from howsure.pooling.equivalent import equivalent_sizes


def mid_p_limits(hits, cases, level):
    """Limits by root finding: P(X > hits) + P(X = hits) / 2 is the tail at each."""
    tail = (1 - level) / 2

    def above(p):
        return stats.binom.sf(hits, cases, p) + stats.binom.pmf(hits, cases, p) / 2

    low = 0.0 if hits == 0 else optimize.brentq(lambda p: above(p) - tail, 1e-12, 1 - 1e-12, xtol=1e-14)
    high = 1.0 if hits == cases else optimize.brentq(lambda p: above(p) - 1 + tail, 1e-12, 1 - 1e-12, xtol=1e-14)
    return low, high


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_a_proportion_gets_its_own_cases_back(level):
    """From value and mid-p limits alone both sizes are the number of cases, for perfect and empty proportions too."""
    pairs = [(0, 12), (1, 12), (7, 12), (12, 12), (42, 45), (45, 45), (399, 400), (123, 10_000)]
    limits = np.array([mid_p_limits(*pair, level) for pair in pairs])
    hits, cases = np.array(pairs, float).T
    below, above = equivalent_sizes(hits / cases, *limits.T, level)
    assert below == pytest.approx(cases, rel=1e-6)
    assert above == pytest.approx(cases, rel=1e-6)


def test_limits_of_other_sizes():
    """Each side has the size of its own limit; a limit at an end uses the other; without limits there is no size."""
    low, high = mid_p_limits(18, 20, 0.95)[0], mid_p_limits(90, 100, 0.95)[1]
    values = np.array([0.9, 0.9, 0.9, 0.9])
    below, above = equivalent_sizes(values, np.array([low, 0.0, low, 0.0]), np.array([high, high, 1.0, 1.0]), 0.95)
    assert below == pytest.approx([20, 100, 20, np.nan], nan_ok=True)
    assert above == pytest.approx([100, 100, 20, np.nan], nan_ok=True)


def test_a_limit_beside_the_value_gives_no_certainty():
    """A lower limit that equals the value up to rounding would mean 1e15 cases below it: the sizes differ by 100 at most."""
    value, low, high = np.array([2 / 3]), np.array([2 / 3 - 1e-16]), np.array([0.997])
    below, above = equivalent_sizes(value, low, high, 0.8)
    assert 0.5 < above[0] < 2
    assert below[0] == pytest.approx(100 * above[0])
