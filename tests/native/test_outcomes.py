"""Outcomes of each class in many drawn tables."""

import numpy as np
import pytest

from howsure.native.outcomes import MANY, MOST_CLASSES, margins, outcomes


def by_hand(table):
    """Return the outcomes of one table of integers, by classifying each cell for each class."""
    found = np.zeros((4, len(table)), dtype=object)
    for true, row in enumerate(table):
        for said, number in enumerate(row):
            for own in range(len(table)):
                right = (true == own) == (said == own)
                found[(0 if true == own else 3) if right else (1 if true == own else 2), own] += int(number)
    return found.tolist()


@pytest.mark.parametrize("classes", [1, 2, 3, 7, MOST_CLASSES])
@pytest.mark.parametrize("tables", [1, MANY, MANY + 1])
@pytest.mark.parametrize("together", [True, False], ids=["cells", "tables"])
def test_each_cell_is_one_outcome_of_each_class(classes, tables, together, by_numpy):
    """Sums of integers are exact, compiled and with NumPy, for any memory layout."""
    rng = np.random.default_rng(classes + tables)
    cells = rng.integers(0, 1000, (tables, classes, classes)).astype(float)
    if together:
        cells = np.moveaxis(np.ascontiguousarray(np.moveaxis(cells, 0, -1)), -1, 0)
    expected = np.moveaxis([by_hand(table) for table in cells], 1, 0).astype(float)
    np.testing.assert_array_equal(outcomes(cells), expected)
    np.testing.assert_array_equal(by_numpy(lambda: outcomes(cells)), expected)


@pytest.mark.parametrize("classes", [1, 2, 3, 40])
@pytest.mark.parametrize("tables", [1, 31, 32, 70])
@pytest.mark.parametrize("together", [True, False], ids=["cells", "tables"])
def test_margins_are_the_cases_of_each_class(classes, tables, together, by_numpy):
    """Rows and columns add up for any memory layout, bitwise equal compiled and with NumPy."""
    cells = np.random.default_rng(classes + tables).gamma(0.3, size=(tables, classes, classes))
    if together:
        cells = np.moveaxis(np.ascontiguousarray(np.moveaxis(cells, 0, -1)), -1, 0)
    found = margins(cells)
    for axis, part, plain in zip((2, 1), found, by_numpy(lambda: margins(cells)), strict=True):
        np.testing.assert_allclose(part, [np.sum(table, axis - 1) for table in cells], rtol=1e-14)
        np.testing.assert_array_equal(part, plain)


@pytest.mark.usefixtures("compiled")
def test_fractions_add_up_alike(by_numpy):
    """Compiled and by NumPy, sums of fractions agree to rounding."""
    cells = np.random.default_rng(0).gamma(0.3, size=(200, 10, 10))
    np.testing.assert_allclose(outcomes(cells), by_numpy(lambda: outcomes(cells)), rtol=1e-13)


def test_the_smallest_weight_is_told_from_none(by_numpy):
    """A weight that rounding would swallow is there in each sum that has no other, and absent from the others."""
    cells = np.zeros((MANY, 3, 3))
    cells[:, 0, 0], cells[:, 1, 2] = 1e15, 1e-300
    for found in (outcomes(cells), by_numpy(lambda: outcomes(cells))):
        _, misses, alarms, rejections = (each[-1].tolist() for each in found)
        assert (misses, alarms) == ([0.0, 1e-300, 0.0], [0.0, 0.0, 1e-300])
        assert rejections == [1e-300, 1e15, 1e15]


def test_one_table_more_or_less_changes_no_other():
    """The outcomes of a table do not depend on the size of the batch."""
    cells = np.random.default_rng(1).gamma(0.3, size=(300, 6, 6))
    every, some = outcomes(cells), outcomes(cells[100:170])
    for whole, part in zip(every, some, strict=True):
        np.testing.assert_array_equal(whole[100:170], part)
