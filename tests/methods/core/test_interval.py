"""Intervals of one table and of batches, and their reasons."""

import numpy as np
import pytest

from howsure.methods.core.interval import UNDEFINED, Interval, interval_with_reasons, stacked


def test_the_last_reason_that_applies_is_told():
    """Its tables have no limits; the standard error goes where the metric is undefined alone."""
    low, high, error = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.5, 0.6, 0.7, 0.8]), np.full(4, 0.01)
    first, second = np.array([False, True, True, False]), np.array([False, False, True, False])
    last = np.array([False, False, False, True])
    found = interval_with_reasons(low, high, error, (first, "one"), (second, "another"), (last, UNDEFINED))
    assert found.reason.tolist() == ["", "one", "another", UNDEFINED]
    np.testing.assert_array_equal(found.low, [0.1, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(found.high, [0.5, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(found.standard_error, [0.01, 0.01, 0.01, np.nan])
    nothing = interval_with_reasons(low, high, error, (np.zeros(4, dtype=bool), "one"))
    assert nothing.reason.tolist() == [""] * 4
    assert nothing.low.tolist() == low.tolist()


def test_a_batch_is_taken_apart_and_put_together():
    """One reason and one standard error for all are each table's; draws are stacked if all have some."""
    batch = Interval(np.array([0.1, 0.2]), np.array([0.5, 0.6]), 0.01, reason="few")
    each = batch.each()
    assert [(one.low, one.high, one.standard_error, one.reason) for one in each] == [
        (0.1, 0.5, 0.01, "few"),
        (0.2, 0.6, 0.01, "few"),
    ]
    again = stacked(each)
    assert (again.low.tolist(), again.high.tolist(), again.reason.tolist()) == ([0.1, 0.2], [0.5, 0.6], ["few", "few"])
    assert again.draws is None
    drawn = [Interval(0.1, 0.5, draws=np.arange(3) + place, stream=place) for place in range(2)]
    joined = stacked(drawn)
    assert joined.draws.tolist() == [[0, 1, 2], [1, 2, 3]]
    assert joined.stream == (0, 1)
    assert stacked([drawn[0], each[0]]).draws is None


def test_one_table_has_plain_numbers():
    """Draws and stream are kept."""
    draws = np.arange(4.0)
    one = Interval(np.array(0.1), np.float64(0.5), np.array(0.02), draws, np.array("few"), "s").to_scalars()
    assert [type(part) for part in (one.low, one.high, one.standard_error, one.reason)] == [float, float, float, str]
    assert (one.low, one.high, one.standard_error, one.reason, one.stream) == (0.1, 0.5, 0.02, "few", "s")
    assert one.draws is draws
    rows = Interval(
        np.array([[0.1, 0.2]]), np.array([[0.5, 0.6]]), np.array([[0.0, 0.1]]), reason=np.array([["", "x"]])
    )
    (part,) = rows.parts()
    assert (part.low.tolist(), part.standard_error.tolist(), part.reason.tolist()) == (
        [0.1, 0.2],
        [0.0, 0.1],
        ["", "x"],
    )
    assert pytest.approx(0.1) == part.low[0]
