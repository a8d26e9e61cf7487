"""Scales on which normal intervals keep a metric's range: by the logarithms themselves."""

import math

import numpy as np
import pytest
from scipy import special

from howsure.methods.core.scales import inside, on_scale, scaled

HALF = np.array([0.01, 0.3, 2.0])


@pytest.mark.parametrize("value", [0.2, 3.0, 50.0])
def test_logarithms_of_the_distance_from_one_end(value):
    """On the logarithm of the distance from either end, the limits are half a width away on both sides."""
    half = HALF / value  # of the logarithm
    low, high = on_scale("log", 5.0 + value, HALF, (5.0, math.inf))
    assert np.log(low - 5.0) == pytest.approx(math.log(value) - half)
    assert np.log(high - 5.0) == pytest.approx(math.log(value) + half)
    low, high = on_scale("log", 5.0 - value, HALF, (-math.inf, 5.0))
    assert np.log(5.0 - low) == pytest.approx(math.log(value) + half)
    assert np.log(5.0 - high) == pytest.approx(math.log(value) - half)


@pytest.mark.parametrize("value", [-0.9, 0.1, 1.7])
def test_logits_of_the_share_of_a_range(value):
    """The logit of the share of the range moves by the half width times its slope."""
    share = (value + 1) / 3
    low, high = on_scale("logit", value, HALF, (-1.0, 2.0))
    half = HALF / (3 * share * (1 - share))
    assert (low, high) == (
        pytest.approx(3 * special.expit(special.logit(share) - half) - 1),
        pytest.approx(3 * special.expit(special.logit(share) + half) - 1),
    )


@pytest.mark.parametrize("scale, bounds", [("log", (0.0, math.inf)), ("log", (-math.inf, 4.0)), ("logit", (0.0, 4.0))])
def test_slopes_are_derivatives(scale, bounds):
    """The slope of a scale equals central differences; the identity has slope 1."""
    value = np.array([0.3, 1.1, 3.5])
    _, slope = scaled(scale, value, bounds)
    ahead, behind = (scaled(scale, value + step, bounds)[0] for step in (1e-6, -1e-6))
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)
    assert scaled("identity", value, bounds)[1] == pytest.approx(1.0)


def test_ends_and_unknown_widths():
    """A value at an end keeps the identity, and without a width the limits are the bounds."""
    assert on_scale("logit", 1.0, 0.1, (0.0, 1.0)) == (pytest.approx(0.9), pytest.approx(1.1))
    assert on_scale("log", 2.0, np.nan, (0.0, math.inf)) == (0.0, math.inf)


def test_the_ends_of_a_range_are_not_inside():
    """A value at an end keeps the identity, and the end is its limit where nothing is known."""
    values = np.array([-1.0, -0.999, 0.5, 1.999, 2.0])
    assert inside(values, (-1.0, 2.0)).tolist() == [False, True, True, True, False]
    low, high = on_scale("logit", np.array([-1.0, 2.0]), 0.1, (-1.0, 2.0))
    assert (low.tolist(), high.tolist()) == ([-1.1, 1.9], [-0.9, 2.1])
    low, high = on_scale("logit", np.array([0.5, np.nan]), np.inf, (-1.0, 2.0))
    np.testing.assert_array_equal([low, high], [[-1.0, np.nan], [2.0, np.nan]])
