"""Losses of cells, their sums and moments equal those of each cell, compiled or not."""

import math

import numpy as np
import pytest

from howsure.native.losses import ORDERS, ORDERS_OF_CELLS, CellLosses, Tilts, in_memory, square_losses

SHAPES = [(0, 3), (1, 1), (3, 2), (5, 8), (4, 131), (2, 700)]


def of_bins(losses, counts, low, high, bins):
    """Return the moments of cases and of cells, a loss at a time."""
    width, found = (high - low) / bins, np.zeros((2, bins, ORDERS))
    for loss, count in zip(losses.ravel(), counts.ravel(), strict=True):
        place = min(int((loss - low) / width), bins - 1)
        for order in range(ORDERS):
            power = ((loss - low) / width - place - 0.5) ** order
            found[:, place, order] += count * power, power
    return found[0], found[1, :, :ORDERS_OF_CELLS]


def both(by_numpy, ask):
    """Return an answer of the kernels, and the one without them."""
    return ask(), by_numpy(ask)


def with_base(shape, rng):
    """Return losses that follow from numbers by row, and the loss of each cell."""
    given, base = rng.normal(size=shape), rng.uniform(6, 9, shape[0])
    return CellLosses(given, base, -1.5), np.repeat(base, shape[1]).reshape(shape) - 1.5 * given


@pytest.mark.parametrize("classes", [1, 2, 7, 8, 9, 64, 131])
@pytest.mark.parametrize("rows", [0, 1, 3, 500])
def test_losses_are_squared_distances_from_each_class(rows, classes, by_numpy):
    """Compiled or not, for any memory order; nothing is below 0 if a class is certain."""
    rng = np.random.default_rng(rows + classes)
    shares = rng.dirichlet(np.full(classes, 0.3), rows)
    shares[::7] = np.eye(classes)[rng.integers(classes, size=len(shares[::7]))]
    expected = ((shares[:, None, :] - np.eye(classes)) ** 2).sum(-1)
    for each in (shares, np.asfortranarray(shares)):
        for found in both(by_numpy, lambda each=each: square_losses(each).every):
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)
            assert (found >= 0).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_sums_are_those_of_all_cells(shape, by_numpy):
    """For given losses, in either memory order, and for losses computed by row."""
    rng = np.random.default_rng(sum(shape))
    counts = rng.gamma(1, size=shape) * (rng.random(shape) < 0.5)
    plain = rng.gamma(2, size=shape)
    own, every = with_base(shape, rng)
    for losses, expected in ((CellLosses(plain), plain), (CellLosses(np.asfortranarray(plain)), plain), (own, every)):
        for found in both(by_numpy, lambda losses=losses: losses.sums(counts)):
            assert found.losses == pytest.approx(sum((counts * expected).ravel().tolist()), rel=1e-12, abs=1e-15)
            assert found.cases == pytest.approx(sum(counts.ravel().tolist()), rel=1e-12)


def test_the_losses_of_certain_and_right_rows_sum_to_none(by_numpy):
    """Rounding does not make them negative, as for a probability of 1 minus machine epsilon."""
    rows = np.array([[1.0, 0.0], [1 - 2.0**-53, 2.0**-53], [1 - 2.0**-52, 2.0**-52], [0.9999999, 1e-7]])
    for found in both(by_numpy, lambda: [square_losses(rows[:n]).sums(np.eye(2)[[0] * n]).losses for n in range(1, 5)]):
        assert all(0 <= each < 1e-12 for each in found)
        assert found[0] == 0


@pytest.mark.parametrize("shape", SHAPES[1:])
def test_all_losses_lie_between_the_ends(shape):
    """Which are the smallest and the largest where the losses are given."""
    rng = np.random.default_rng(sum(shape))
    plain = rng.gamma(2, size=shape)
    assert CellLosses(plain).ends == (plain.min(), plain.max())
    own, every = with_base(shape, rng)
    low, high = own.ends
    assert low <= every.min() <= every.max() <= high
    assert high - low <= 2 * (every.max() - every.min()) or shape[0] < 5


@pytest.mark.parametrize("bins", [1, 7, 16])
@pytest.mark.parametrize("shape", SHAPES)
def test_moments_by_bin_are_sums_of_powers(shape, bins, by_numpy):
    """For losses at the ends and between, for cells with and without cases, and with weights."""
    rng = np.random.default_rng(sum(shape))
    counts = rng.gamma(1, size=shape) * (rng.random(shape) < 0.7)
    plain = np.where(rng.random(shape) < 0.2, rng.choice([-1.0, 3.0], shape), rng.uniform(-1, 3, shape))
    own, every = with_base(shape, rng)
    turned = CellLosses(np.asfortranarray(plain))
    cases = (CellLosses(plain), plain, (-1.0, 3.0)), (turned, plain, (-1.0, 3.0)), (own, every, (0.0, 20.0))
    for losses, each, ends in cases:
        expected = of_bins(each, counts, *ends, bins)
        for found in both(by_numpy, lambda losses=losses, ends=ends: losses.moments(counts, ends, bins)):
            for moments, sums in zip(found, expected, strict=True):
                np.testing.assert_allclose(moments, sums, rtol=1e-10, atol=1e-12)


def test_the_largest_loss_is_in_the_last_bin(by_numpy):
    """However its place among the bins is rounded."""
    rng = np.random.default_rng(0)
    for bins in range(1, 100):
        ends = tuple(np.sort(rng.normal(size=2)))
        own = CellLosses(np.array([ends[1]]))
        for _, cells in both(by_numpy, lambda own=own, ends=ends, bins=bins: own.moments(np.ones(1), ends, bins)):
            assert cells[-1, 0] == 1 == cells[:, 0].sum()


def test_both_paths_say_the_same(by_numpy):
    """To rounding, on a million cells, of which each block has a part."""
    rng = np.random.default_rng(0)
    losses, counts = square_losses(rng.dirichlet(np.ones(10), 10**5)), rng.poisson(1.0, (10**5, 10)) * 1.0

    def ask():
        return [*losses.moments(counts, losses.ends, 64), np.array(losses.sums(counts))]

    found, other = both(by_numpy, ask)
    for one, two in zip(found, other, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)
    assert found[0][:, 0].sum() == pytest.approx(counts.sum(), rel=1e-12)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 255, 256, 257, 3000])
@pytest.mark.parametrize("pace, shift", [(0.0, 0.0), (1.3, 0.0), (-40.0, 2.5), (0.0, 1.0)])
def test_tilted_weights_rise_by_the_exponential_of_their_losses(size, pace, shift, by_numpy):
    """No factor is beyond the bound, and the sums are of the new weights times powers of the losses."""
    rng = np.random.default_rng(size)
    off, weights = rng.normal(size=size), rng.poisson(1.0, size) + 0.01

    def tilted():
        own = weights.copy()
        return own, Tilts(off, 5.0).sums(own, pace, shift)

    expected = [w * math.exp(min(max(pace * x - shift, -5.0), 5.0)) for w, x in zip(weights, off, strict=True)]
    size_of = [math.fsum(w * abs(x) ** order for w, x in zip(expected, off, strict=True)) for order in range(4)]
    for found, sums in both(by_numpy, tilted):
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        for order in range(4):
            exact = math.fsum(w * x**order for w, x in zip(expected, off, strict=True))
            assert sums[order] == pytest.approx(exact, abs=1e-13 * size_of[order])


def test_factors_of_weights_are_exponentials_wherever_they_may_lie(by_numpy):
    """From logarithm -650 to 650 they equal `math.exp` to the last digits."""
    place = np.concatenate([np.linspace(-650, 650, 4001), [0.0, 1e-300, -1e-17, math.log(2), -0.5 * math.log(2)]])

    def factors():
        weights = np.ones(len(place))
        Tilts(place, 700.0).sums(weights, 1.0)
        return weights

    for found in both(by_numpy, factors):
        np.testing.assert_allclose(found, list(map(math.exp, place)), rtol=5e-16)


@pytest.mark.parametrize("base", [np.arange(4.0)[::2], np.array([0.0, 2.0], dtype=np.float32)], ids=["apart", "single"])
def test_bases_of_rows_need_not_lie_together(base, by_numpy):
    """The kernels read a base as contiguous doubles, for any given array."""
    losses = CellLosses(np.ones((2, 3)), base)
    for found in both(by_numpy, lambda: losses.sums(np.ones((2, 3)))):
        assert found == (12.0, 6.0)


def test_the_order_of_an_array_is_that_of_its_memory():
    """Fortran order only for arrays that are contiguous by columns."""
    array = np.zeros((3, 2))
    assert (in_memory(array), in_memory(array.T), in_memory(array[:, :1])) == ("C", "F", "C")
