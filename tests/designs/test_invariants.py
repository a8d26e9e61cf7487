"""Invariants of a loaded design: an invalid value is named with its position."""

import numpy as np
import pytest

import howsure as hs
from howsure.designs import invariants


@pytest.mark.parametrize(
    "values, place",
    [([0.0, 5.0, -1.0], 2), ([0.0, 7.0, 5.0, 8.0], 3), ([9.0, 0.0], 0), ([3.0, np.nan, 0.0], 1)],
)
def test_the_first_number_outside_is_named(values, place):
    """Numbers at the ends are inside: the first one beyond them is named with its position."""
    with pytest.raises(hs.HowsureError, match=rf"`x` has {values[place]} at position {place}, .* from 0 to 7"):
        invariants._within("x", np.array(values), 0.0, 7.0)


def test_numbers_at_the_ends_are_inside():
    """Nothing is refused from the lowest to the highest number, or without numbers."""
    invariants._within("x", np.array([0.0, 7.0, 3.0]), 0.0, 7.0)
    invariants._within("x", np.array([]), 0.0, 7.0)
