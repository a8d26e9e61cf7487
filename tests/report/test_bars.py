"""Axes of intervals."""

import math

import pytest

from howsure.report.bars import IN_PANELS, STEPS, Ruler


@pytest.mark.parametrize("steps", [STEPS, IN_PANELS])
@pytest.mark.parametrize(
    "ends", [(0.924, 0.998), (0.0, 1.0), (-1.0, 1.0), (-0.03, 0.0003), (0.5, 0.5), (12.0, 480.0), (1e-9, 3e-9)]
)
def test_an_axis_holds_all_ends_between_few_round_ticks(ends, steps):
    """The axis contains all ends, with few ticks at equal steps of 1, 2 or 5 and zeros."""
    ruler = Ruler.over(ends, steps)
    axis = ruler.axis("", [1])
    ticks = [float(tick.replace("−", "-")) for tick in axis.ticks]
    assert 2 <= len(ticks) <= steps + 1
    assert all(0 <= ruler.place(end) <= 100 for end in ends)
    step = ticks[1] - ticks[0]
    assert round(step / 10 ** math.floor(math.log10(step) + 1e-9), 6) in {1, 2, 5}
    assert ruler.place(ticks[0]) == 0
    assert ruler.place(ticks[-1]) == 100


def test_what_is_not_finite_is_not_drawn():
    """An undefined value or an end at infinity has no bar; a line that is not on the axis is left out."""
    ruler = Ruler.over([0.2, 0.8, math.nan, math.inf])
    assert ruler.bar(math.nan, [(0.2, 0.8)]) is None
    assert ruler.bar(0.5, [(0.2, math.inf)]) is None
    assert ruler.axis("", [1], 2.0).line is None
    assert ruler.axis("", [1], 0.5).line == ruler.bar(0.5, [(0.2, 0.8)]).dot
