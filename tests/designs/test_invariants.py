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


@pytest.mark.parametrize("change", [0.0, 0.9, -0.9])
def test_sums_may_differ_by_rounding_alone(change):
    """Entries add up to the counts to the relative rounding of the largest one, from either side."""
    counts = np.array([3.0, 1000.0])
    invariants.sums("count", counts + change * invariants.EACH_SUM * np.array([1000, 0]), counts)
    with pytest.raises(hs.HowsureError, match=r"`count` adds up to 3.* in cell 0, and `counts` has 3 there"):
        invariants.sums("count", counts + 1.1 * invariants.EACH_SUM * np.array([1000, 0]), counts)


@pytest.mark.parametrize("values", [[1.0, 2.0, 2.0], [2.0, 1.0], [0.0, 3.0, 2.999]])
def test_numbers_that_do_not_ascend_are_refused(values):
    """Equal neighbours are refused as well; a single number ascends."""
    with pytest.raises(hs.HowsureError, match="`x` must ascend"):
        invariants.ascending("x", np.array(values))
    invariants.ascending("x", np.array(values[:1]))
