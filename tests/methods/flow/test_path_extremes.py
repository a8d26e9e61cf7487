"""Running extremes along curves, between their stops."""

import numpy as np
import pytest

from howsure.methods.flow.path_extremes import PathExtremes

STOPS = np.array([0.0, 0.1, 0.4, 1.0])
VALUES = np.array([[0.0, 0.0, 1.0], [-2.0, 1.0, 1.0], [3.0, -1.0, 1.0], [1.0, 4.0, 1.0]])


@pytest.mark.parametrize("place", [0.0, 0.05, 0.1, 0.33, 0.4, 0.7, 1.0])
def test_extremes_are_interpolated_between_those_of_the_stops_so_far(place):
    """Each curve has its own place, and beyond the ends those of the first and the last stop."""
    ways, every = PathExtremes(STOPS, VALUES), np.full(3, place)
    for found, running in ((ways.lowest, np.minimum), (ways.highest, np.maximum)):
        upto = running.accumulate(VALUES)
        assert found(every) == pytest.approx([np.interp(place, STOPS, each) for each in upto.T])
        assert found(every - 2) == pytest.approx(upto[0])
        assert found(every + 2) == pytest.approx(upto[-1])
    mixed = ways.lowest(np.array([place, 0.4, 0.0]))
    assert mixed == pytest.approx([ways.lowest(every)[0], -1.0, 1.0])
