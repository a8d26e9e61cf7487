"""Straight lines between points."""

import sys

import numpy as np
import pytest

from howsure.native import interpolation
from howsure.native.interpolation import FEW, interpolated

RNG = np.random.default_rng(0)
LARGEST = sys.float_info.max
KNOWN = {
    "one": np.array([0.3]),
    "two": np.array([-1.0, 2.0]),
    "even": np.linspace(0.0, 1.0, 200),
    "one in each cell of a grid": np.linspace(0.0, 1.0, 4097),
    "more than cells": np.unique(RNG.normal(size=9_000)),
    "crowded at one end": np.unique(RNG.random(300) ** 40),
    "last digits only": 1.0 + np.arange(300) * 2.0**-52,
    "close together, one far": np.append(1.0 + np.arange(300) * 2.0**-52, 1e9),
    "as wide as can be": np.array([-LARGEST, -1.0, 0.0, 5e-324, 1.0, LARGEST]),
    "smallest numbers": np.array([-5e-324, 0.0, 5e-324, 1.5e-323]),
    "wide": np.unique(10.0 ** RNG.uniform(-150, 150, 500) * RNG.choice([-1, 1], 500)),
}


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", KNOWN)
def test_values_are_numpys_at_any_place(name):
    """At, between, next to and beyond all known places, in any order, the compiled kernel gives the bits of `numpy.interp`."""
    known = KNOWN[name]
    values = np.random.default_rng(1).normal(size=len(known))
    shares = np.random.default_rng(2).random((3, max(len(known) - 1, 1)))
    between = (known[:-1] * shares + known[1:] * (1 - shares)).ravel()
    with np.errstate(over="ignore"):  # beyond the largest number there is none
        beside = [np.nextafter(known, side) for side in (-np.inf, np.inf)]
    places = np.concatenate([known, between, *beside, [-LARGEST, LARGEST, 0.0, -0.0, 0.5, -3.0, 7.0]])
    places = np.random.default_rng(3).permutation(places[np.isfinite(places)])
    places = np.tile(places, -(-FEW // len(places)))  # for fewer the kernel is not used
    np.testing.assert_array_equal(interpolated(places, known, values), np.interp(places, known, values))


def test_lines_are_straight_and_level_beyond(by_numpy):
    """A quarter of the way the value is a quarter from the one to the other; beyond the ends it is the end's, compiled and by NumPy."""
    places, known, values = np.array([8.5, 3.0, 2.0, -5.0, 0.5]), np.array([0.0, 2.0, 6.0]), np.array([1.0, 3.0, -1.0])
    for call in (lambda ask: ask(), by_numpy):
        assert call(lambda: interpolated(places, known, values)).tolist() == [-1.0, 2.0, 3.0, 1.0, 1.5]


def test_columns_need_not_lie_together(by_numpy):
    """Places in a column of a frame, and no places at all, are as good as others, compiled and by NumPy."""
    columns, known = np.random.default_rng(4).random((100, 3)), np.linspace(0.0, 1.0, 11)
    for call in (lambda ask: ask(), by_numpy):
        found = call(lambda: interpolated(columns[:, 1], known, 3 * known))
        np.testing.assert_allclose(found, 3 * columns[:, 1], rtol=1e-12)
        assert call(lambda: interpolated(np.empty(0), known, known)).tolist() == []


@pytest.mark.usefixtures("compiled")
def test_a_few_places_are_not_worth_a_kernel(monkeypatch):
    """Below a size NumPy is used, above it the kernel; a value does not depend on the number of values."""
    called = []
    original = interpolation.kernel
    monkeypatch.setattr(interpolation, "kernel", lambda name: called.append(name) or original(name))
    places, known = np.random.default_rng(5).random(FEW), np.linspace(0.0, 1.0, 60) ** 2
    few = interpolated(places[:-1], known, np.sqrt(known))
    assert not called
    many = interpolated(places, known, np.sqrt(known))
    assert called
    np.testing.assert_array_equal(few, many[:-1])
