"""Ends and totals of numbers are those of NumPy, compiled or not."""

import math

import numpy as np
import pytest

from howsure.native import ends as module
from howsure.native.ends import are_ones, ends, total


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Use the kernel for few numbers too."""
    monkeypatch.setattr(module, "MANY", 1)


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 33, 5000])
@pytest.mark.parametrize("special", [None, math.inf, -math.inf, 5e-324])
def test_ends_are_the_first_and_the_last_in_order(size, special, by_numpy):
    """Also of infinite numbers, and of numbers that are not contiguous or not floats."""
    rng = np.random.default_rng(size)
    numbers = rng.normal(size=size)
    if special is not None:
        numbers[rng.integers(size)] = special
    expected = (min(numbers.tolist()), max(numbers.tolist()))
    for call in (lambda ask: ask(), by_numpy):
        assert call(lambda: ends(numbers)) == expected
        assert ends(np.stack([numbers, numbers], 1)[:, 0]) == expected
    whole = rng.integers(-9, 9, size)
    assert ends(whole) == (min(whole.tolist()), max(whole.tolist()))


@pytest.mark.parametrize("size", [1, 15, 16, 17, 32, 100])
def test_a_gap_at_any_place_makes_both_ends_nan(size, by_numpy):
    """The check of input relies on it."""
    for place in range(size):
        numbers = np.linspace(-1, 1, size)
        numbers[place] = math.nan
        for call in (lambda ask: ask(), by_numpy):
            assert all(map(math.isnan, call(lambda: ends(numbers))))  # noqa: B023 - called at once


@pytest.mark.parametrize("size", [1, 7])
def test_a_repeated_number_is_not_read_again(size):
    """Its ends, its total and the comparison with one are those of the full array."""
    for number in (1.0, 2.5):
        repeated = np.broadcast_to(number, size)
        assert ends(repeated) == (number, number)
        assert total(repeated) == number * size
        assert are_ones(repeated) == (number == 1)
    assert total(np.broadcast_to(1.0, 0)) == 0
    assert total(np.array([0.5, 2.0])) == 2.5
    assert not are_ones(np.array([1.0, 2.0]))
