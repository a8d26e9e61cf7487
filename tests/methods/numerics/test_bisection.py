"""Searches end where a condition stops holding, and where a function falls to zero."""

import numpy as np
import pytest

from howsure.methods.numerics.bisection import _interpolated, edge, root

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


def test_the_parabola_through_three_points_is_zero_where_lagranges_is():
    """The way from the first point to the second, if the inverse parabola is monotone there; half of it otherwise."""
    rng = np.random.default_rng(5)
    b, a, c = np.sort(rng.random((3, 400)), axis=0)
    f, g = rng.random(400), -rng.random(400)
    h = f + np.where(np.arange(400) % 4, rng.random(400), -rng.random(400) * f)
    for sign, turn in ((1, 1), (-1, 1), (1, -1)):
        found = _interpolated((turn * a, turn * b, turn * c), (sign * f, sign * g, sign * h))
        at_zero = a * g * h / ((f - g) * (f - h)) + b * f * h / ((g - f) * (g - h)) + c * f * g / ((h - f) * (h - g))
        along, up = (a - b) / (c - b), (f - g) / (h - g)
        smooth = (1 - np.sqrt(1 - along) < up) & (up < np.sqrt(along))  # Chandrupatla's condition
        assert 50 < smooth.sum() < 350
        assert found[smooth] == pytest.approx(((at_zero - a) / (b - a))[smooth])
        assert (found[~smooth] == 0.5).all()


@pytest.mark.parametrize("search", [root, lambda function, *ends, **how: edge(lambda x: function(x) > 0, *ends, **how)])
def test_searches_end_at_the_width_that_is_asked_for(search):
    """Relative to the value, or to the tiniest that counts; they then take fewer steps."""
    numbers = []
    for relative in (1e-2, 1e-5, 1e-9):
        asked = []

        def function(x, asked=asked):
            asked.append(x)
            return 0.3 - x + 0.1 * np.sin(20 * x)

        found = search(function, 0.0, 1.0, relative=relative)
        exact = search(lambda x: 0.3 - x + 0.1 * np.sin(20 * x), 0.0, 1.0)
        assert abs(found - exact) <= relative * exact
        numbers.append(len(asked))
    assert numbers[0] < numbers[1] < numbers[2]
    assert abs(search(lambda x: 1e-9 - x, 0.0, 1.0, relative=0.01, tiniest=1e-3)) <= 1e-5
    near = [abs(float(search(lambda x: 1e-9 - x, 0.0, 1.0, tiniest=tiniest)) - 1e-9) for tiniest in (2.0**-20, 1e-30)]
    assert near[0] < 1e-14
    assert near[1] < 1e-23


def test_each_element_has_its_own_ends_and_shape():
    """Searches are elementwise in any shape, in either direction, and end at the far end where nothing ends before."""
    zeros = np.array([[0.2, 0.9, -3.0], [5.0, 0.5, 1.0]])
    near = np.array([[0.0, 1.0, -5.0], [4.0, 0.5, 2.0]])
    far = np.array([[1.0, 0.0, 9.0], [4.5, 0.75, 0.0]])
    sign = np.sign(far - near)
    expected = np.where((far - zeros) * sign > 0, zeros, far)
    assert root(lambda x: (zeros - x) * sign, near, far) == pytest.approx(expected, abs=1e-12)
    assert edge(lambda x: (zeros - x) * sign > 0, near, far) == pytest.approx(expected, abs=1e-12)
