"""Contrasts of two independent proportions."""

import numpy as np
import pytest

from howsure.methods.two_samples import SCORES


@pytest.mark.parametrize(
    "contrast, values",
    [("difference", [-1, -0.3, 0, 0.6, 1]), ("ratio", [0, 0.2, 1, 7]), ("odds_ratio", [0, 0.5, 1, 90])],
)
def test_the_search_is_in_the_unit_interval(contrast, values):
    """The ends of the contrast are 0 and 1, no effect is 1/2, and the way back is the inverse."""
    _, to_unit, back = SCORES[contrast]
    places = to_unit(np.array(values, dtype=float))
    assert (np.diff(places) > 0).all()
    assert (places[0], to_unit(np.array(0.0 if contrast == "difference" else 1.0))) == (0, 0.5)
    assert back(places) == pytest.approx(values)
