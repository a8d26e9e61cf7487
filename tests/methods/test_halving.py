"""Searches end where a condition stops holding, and where a function falls to zero."""

import numpy as np
import pytest

from howsure.methods.halving import edge, root

FUNCTIONS = {  # falling, with their zeros
    "straight": (lambda x: 0.3 - x, 0.3),
    "steep at the start": (lambda x: 0.001 - x**0.2, 1e-15),
    "flat at its zero": (lambda x: (0.7 - x) ** 5, 0.7),
    "with a pole at either end": (lambda x: 1 / x - 1 / (1 - x), 0.5),
    "exponential": (lambda x: np.exp(-50 * x) - np.exp(-20), 0.4),
    "with a jump": (lambda x: np.where(x < 0.123, 1.0, -5.0), 0.123),
    "undefined from there on": (lambda x: np.where(x < 0.6, 1 - x, np.nan), 0.6),
    "infinite before": (lambda x: np.where(x < 0.2, np.inf, 0.25 - x), 0.25),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_roots_and_edges_are_the_functions_zeros(name):
    """Whatever the function's shape, in either direction, both searches find its zero."""
    function, zero = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        assert edge(lambda x: function(x) > 0, 0.0, 1.0) == pytest.approx(zero, rel=1e-3 if "flat" in name else 1e-12)
    assert root(function, 0.0, 1.0) == pytest.approx(zero, rel=1e-3 if "flat" in name else 1e-12)
    assert root(lambda x: function(1 - x), 1.0, 0.0) == pytest.approx(1 - zero, abs=1e-3 if "flat" in name else 1e-12)


def test_the_far_end_is_given_where_there_is_no_zero():
    """Where the function stays positive, or is zero only there, the search ends at the far end."""
    assert root(lambda x: np.array([1.0, 2.0]) - x, 0.0, 1.0).tolist() == [1.0, 1.0]


def test_smooth_functions_take_few_steps():
    """For a thousand zeros, a smooth function is evaluated a dozen times, not fifty."""
    asked = []

    def function(x):
        asked.append(x)
        return np.cos(x) - np.linspace(0, 0.9, 1000)

    assert root(function, 0.0, 3.0) == pytest.approx(np.arccos(np.linspace(0, 0.9, 1000)), abs=1e-14)
    assert len(asked) < 20
