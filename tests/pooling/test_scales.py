"""Scales on which experiments are averaged."""

import math

import pytest

from howsure.pooling.scales import scale_named, scale_of_range

RANGES = {
    (0.0, 1.0): 0.3,
    (-1.0, 1.0): -0.4,
    (2.0, 10.0): 3.7,
    (-5.0, -1.0): -1.3,
    (0.5, math.inf): 4.0,
    (-math.inf, 5.0): 1.2,
    (-math.inf, math.inf): 2.0,
}


@pytest.mark.parametrize("bounds", RANGES)
def test_the_scale_of_a_range_rises_and_turns_back(bounds):
    """Its slope is the derivative, positive in the range, with a correct inverse and a name that states its range."""
    scale, value, step = scale_of_range(bounds), RANGES[bounds], 1e-6
    slope = (scale.forward(value + step) - scale.forward(value - step)) / (2 * step)
    assert slope > 0
    assert scale.slope(value) == pytest.approx(slope, rel=1e-6)
    assert scale.back(scale.forward(value)) == pytest.approx(value)
    assert scale_named(scale.name).range == scale.range == bounds
    for end in bounds:
        if math.isfinite(end):
            near = value + (end - value) * (1 - 1e-9)
            assert abs(scale.forward(near)) > abs(scale.forward(value))


def test_beyond_the_largest_number_is_the_end_of_the_range():
    """A limit that is too large for a number is infinite, without a warning."""
    assert scale_named("log").back(1000.0) == math.inf
    assert scale_of_range((1.0, math.inf)).back(1000.0) == math.inf
