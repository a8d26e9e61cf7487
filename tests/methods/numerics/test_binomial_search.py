"""The two-sided exact test, and the limits that statsmodels' search finds by inverting it."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from howsure.methods.numerics.binomial_search import _exact_p_value, _just_rejected, accepted_shares


@pytest.mark.parametrize("x, n", [(0, 1), (1, 1), (0, 7), (3, 7), (5, 12), (12, 12), (17, 40), (31, 40), (2, 150)])
def test_p_values_are_scipys(x, n):
    """The outcomes no more likely than the observed one, ties included, at shares below, at and above it."""
    for share in (0.003, 0.1, x / n, 0.25, 0.4, 0.5, 0.6, 0.75, 0.981):
        if 0 < share < 1:
            assert _exact_p_value(x, n, share) == pytest.approx(stats.binomtest(x, n, share).pvalue, rel=1e-9)
    assert _exact_p_value(n // 2, 2 * (n // 2), 0.5) == 1
    assert _exact_p_value(3, 10, 0.5) == pytest.approx(352 / 1024)  # 0 … 3 and 7 … 10


@pytest.mark.parametrize("x, n", [(0, 1), (1, 3), (0, 9), (9, 9), (3, 9), (6, 9), (7, 20), (14, 25), (2, 60)])
@pytest.mark.parametrize("rejected", [0.05, 0.3])
def test_limits_are_those_of_statsmodels(x, n, rejected):
    """To the tolerance of its search; each is rejected, or the end, and what is closer to the observed share is not."""
    found = accepted_shares(x, n, rejected)
    if n <= 9:  # whose search takes long for more
        assert found == pytest.approx(proportion_confint(x, n, rejected, "binom_test"), abs=2e-9)
    for limit, end in zip(found, (0, 1), strict=True):
        inside = limit + 1e-6 * (x / n - limit)
        assert limit == end or _exact_p_value(x, n, limit) <= rejected * (1 + 1e-6)
        assert _exact_p_value(x, n, inside) > rejected * (1 - 1e-4)
    mirrored = accepted_shares(n - x, n, rejected)
    assert found == pytest.approx((1 - mirrored[1], 1 - mirrored[0]), abs=1e-9)


def test_counts_are_rounded_and_none_says_nothing():
    """Less than half a case has the whole range, no case and an unknown number have no limits."""
    assert accepted_shares(2.8, 10.3, 0.05) == accepted_shares(3, 10, 0.05)
    assert accepted_shares(0.2, 0.4, 0.05) == (0, 1)
    for successes, trials in ((0.0, 0.0), (np.nan, 5.0), (1.0, np.nan), (0.0, -1.0)):
        assert np.isnan(accepted_shares(successes, trials, 0.05)).all()
    low, high = accepted_shares(0, 20, 0.05)
    assert low == 0 < high < 0.2


@pytest.mark.parametrize("inside, outside", [(0.5, 0.9), (0.5, 0.1), (0.301, 0.9)])
def test_bisection_ends_on_the_side_that_is_rejected(inside, outside):
    """For a p-value that jumps over the level, the result is at the jump, on the rejected side."""
    edge, sign = (0.6180339, 1) if outside > inside else (0.2718281, -1)

    def excess(share):
        return 0.4 if sign * (share - edge) < 0 else -0.1 - abs(share - edge)

    found = _just_rejected(excess, inside, outside)
    assert excess(found) < 0
    assert found == pytest.approx(edge, abs=1e-8)
