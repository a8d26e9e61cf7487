"""Gamma draws of many shapes."""

import numpy as np
import pytest
from scipy import special, stats

from howsure.native import arithmetic, gammas as gammas_module
from howsure.native.gammas import gammas

ODD = [0, 5e-324, 1e-310, 1e-10, 0.01, 0.3, 0.99, 1, 1 + 1e-15, 1.5, 2, 3, 3.5, 4, 5, 150, 1e6, 1e12, 1e300]
KEY = np.uint64(2**64 - 9)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("draws", [0, 1, 31, 32, 33, 64, 65, 3_000])
def test_compiled_draws_are_those_of_numpy(draws, by_numpy):
    """The compiled kernel gives the very bits that NumPy gives, for shapes of every kind and any number of draws."""
    shapes = np.array(ODD)
    found = gammas(shapes, draws, KEY)
    assert found.shape == (len(shapes), draws)
    np.testing.assert_array_equal(found, by_numpy(lambda: gammas(shapes, draws, KEY)))


@pytest.mark.parametrize("shape", [0.01, 0.1, 0.5, 0.9, 1, 1.01, 1.7, 2, 3, 4, 5, 17.3, 300, 1e4, 1e6])
def test_draws_have_the_gamma_distribution(shape):
    """Draws of any shape have SciPy's distribution function; three keys must not all be unlucky."""
    chances = [
        stats.kstest(gammas(np.array([shape]), 50_000, np.uint64(key))[0], stats.gamma(shape).cdf).pvalue
        for key in range(3)
    ]
    assert max(chances) > 0.01
    assert np.prod(chances) > 1e-7


@pytest.mark.parametrize("shape", [1e9, 1e15, 1e300])
def test_draws_of_huge_shapes_are_normal(shape):
    """For huge shapes the gamma distribution is normal: mean and variance are the shape, up to rounding."""
    drawn = gammas(np.array([shape]), 50_000, np.uint64(1))[0]
    z = (drawn - shape) / np.sqrt(shape)
    assert np.isfinite(drawn).all()
    if shape < 1e12:
        assert stats.kstest(z, "norm").pvalue > 1e-3
    else:  # z is a multiple of the spacing of the doubles
        assert np.abs(drawn / shape - 1).max() < 1e-6


def test_draws_of_tiny_shapes_are_zero_or_of_the_right_order():
    """Where most draws are below the least double, the others have the chance that the limit gives them."""
    drawn = gammas(np.array([0.001]), 200_000, np.uint64(2))[0]
    for least in (1e-300, 1e-100, 1e-10):
        chance = -np.expm1(special.xlogy(0.001, least) - special.gammaln(1.001))
        assert abs((drawn > least).mean() - chance) < 5 * np.sqrt(chance / len(drawn))
    assert (gammas(np.array([0.0, 5e-324]), 1_000, np.uint64(3)) == 0).all()


def test_cells_and_draws_are_independent():
    """Draws of different cells, and neighbours in one, are not correlated, as values or as squares."""
    drawn = gammas(np.full(40, 6.5), 6_400, np.uint64(4))
    for values in (drawn, (drawn - 6.5) ** 2):
        correlation = np.corrcoef(values)[np.triu_indices(40, 1)] * np.sqrt(6_400)
        assert stats.kstest(correlation, "norm").pvalue > 1e-3
        for step in (1, 32, 64):  # the next draw, the other of a pair, the next block
            followed = [stats.pearsonr(row[:-step], row[step:])[0] for row in values]
            assert stats.kstest(np.array(followed) * np.sqrt(6_400 - step), "norm").pvalue > 1e-3


def test_more_draws_begin_with_the_same():
    """The first draws of a cell do not depend on how many follow, nor on the cells behind it."""
    shapes = np.array([0.4, 2, 30.5, 7])
    np.testing.assert_array_equal(gammas(shapes, 1_000, KEY)[:3, :77], gammas(shapes[:3], 77, KEY))


def test_polynomials_are_the_functions_that_they_stand_for():
    """Logarithm, exponential, sine and cosine are right to the last digits over their ranges."""
    x = np.concatenate([np.geomspace(1e-60, 4, 20_001), 1 + np.linspace(-1e-8, 1e-8, 1_001)])
    np.testing.assert_allclose(arithmetic.log(x), np.log(x), rtol=4e-16)
    y = -np.geomspace(1e-300, 740, 10_001)
    np.testing.assert_allclose(arithmetic.exp(y), np.exp(y), rtol=1e-15, atol=1e-323)
    assert (arithmetic.exp(np.array([-np.inf, -800.0])) == 0).all()
    angle = np.linspace(-np.pi / 4, np.pi / 4, 10_001)
    square = angle * angle
    np.testing.assert_allclose(
        angle + angle * square * arithmetic.polynomial(gammas_module.SINE, square), np.sin(angle), rtol=4e-16
    )
    cosine = 1 - 0.5 * square + square * square * arithmetic.polynomial(gammas_module.COSINE, square)
    np.testing.assert_allclose(cosine, np.cos(angle), rtol=4e-16)
