"""Conflation against the closed forms of products of densities."""

import math

import numpy as np
import pytest
from scipy import stats

import howsure as hs

MANY = 200_000


def drawn(distributions, seed=0):
    rng = np.random.default_rng(seed)
    return [each.rvs(MANY, random_state=rng) for each in distributions]


@pytest.mark.parametrize("density", ["beta", "histogram"])
def test_product_of_betas(density):
    """The product of Beta(40, 12), Beta(55, 9) and Beta(30, 6) is Beta(123, 25)."""
    pooled = hs.pooling.conflate(
        drawn([stats.beta(40, 12), stats.beta(55, 9), stats.beta(30, 6)]), density=density, random_state=1
    )
    product = stats.beta(123, 25)
    assert pooled.value == pytest.approx(product.mean(), abs=0.002)
    assert pooled.standard_error == pytest.approx(product.std(), rel=0.03)
    assert product.cdf(pooled.high) - product.cdf(pooled.low) == pytest.approx(0.95, abs=0.01)
    assert pooled.high - pooled.low <= np.subtract(*product.interval(0.95)[::-1]) * 1.02
    assert pooled.draws.shape == (MANY,)
    assert pooled.draws.mean() == pytest.approx(pooled.value, abs=0.001)


def test_betas_and_gammas_have_the_moments_of_the_draws():
    """Also for few draws, each density has their mean and their variance with n − 1."""
    draws = [np.array([0.61, 0.7, 0.72, 0.8, 0.69]), np.array([0.55, 0.66, 0.74, 0.71])]
    means, variances = (
        np.array([getattr(each, part)(**more) for each in draws]) for part, more in (("mean", {}), ("var", {"ddof": 1}))
    )
    mass = means * (1 - means) / variances - 1
    expected = stats.beta((means * mass).sum() - 1, ((1 - means) * mass).sum() - 1)
    found = hs.pooling.conflate(draws, density="beta")
    assert (found.value, found.standard_error) == pytest.approx((expected.mean(), expected.std()), rel=1e-9)
    rates = means / variances
    expected = stats.gamma((means * rates).sum() - 1, scale=1 / rates.sum())
    found = hs.pooling.conflate(draws, density="gamma", bounds=(0, math.inf))
    assert (found.value, found.standard_error) == pytest.approx((expected.mean(), expected.std()), rel=1e-9)


def test_bounds_move_and_stretch_the_beta():
    """A metric on -1 … 1 is conflated as a Beta on those bounds."""
    shares = drawn([stats.beta(40, 12), stats.beta(55, 9)])
    plain = hs.pooling.conflate(shares, density="beta")
    moved = hs.pooling.conflate([2 * each - 1 for each in shares], density="beta", bounds=(-1, 1))
    assert (moved.value, moved.low, moved.high) == pytest.approx(
        tuple(2 * each - 1 for each in (plain.value, plain.low, plain.high))
    )


def test_product_of_gammas():
    """The product of Gamma densities adds up the rates, not the scales: here shape 79 and rate 22."""
    pooled = hs.pooling.conflate(
        drawn([stats.gamma(30, scale=1 / 8), stats.gamma(50, scale=1 / 14)]), density="gamma", bounds=(0, math.inf)
    )
    product = stats.gamma(79, scale=1 / 22)
    assert pooled.value == pytest.approx(product.mean(), rel=0.005)
    assert pooled.standard_error == pytest.approx(product.std(), rel=0.02)


def test_shifted_gamma():
    """Without a finite lower bound the Gamma densities share a start below the lowest draw; near normal they agree."""
    draws = drawn([stats.norm(-3, 0.5), stats.norm(-2.6, 0.4)])
    gamma, gaussian = (
        hs.pooling.conflate(draws, density=each, bounds=(-math.inf, math.inf)) for each in ("gamma", "gaussian")
    )
    assert gamma.value == pytest.approx(gaussian.value, abs=0.05)
    assert gamma.standard_error == pytest.approx(gaussian.standard_error, rel=0.15)


def test_gaussian_conflation_is_the_fixed_effect():
    """The product of normal densities is the inverse-variance mean."""
    draws = drawn([stats.norm(0.7, 0.05), stats.norm(0.8, 0.03), stats.norm(0.78, 0.08)])
    pooled = hs.pooling.conflate(draws, density="gaussian")
    fixed = hs.pool([each.mean() for each in draws], [each.std(ddof=1) for each in draws], method="fixed")
    assert (pooled.value, pooled.standard_error, pooled.low, pooled.high) == pytest.approx(
        (fixed.value, fixed.standard_error, fixed.low, fixed.high), rel=1e-4
    )
    assert pooled.q == pytest.approx(fixed.q)


def test_histograms_that_hardly_overlap():
    """Histograms four standard deviations apart still have a product, halfway between, with the theoretical width."""
    pooled = hs.pooling.conflate(
        drawn([stats.norm(0, 1), stats.norm(6, 1)]), density="histogram", bounds=(-math.inf, math.inf)
    )
    assert pooled.value == pytest.approx(3, abs=0.2)
    assert pooled.standard_error == pytest.approx(math.sqrt(0.5), rel=0.15)


def test_one_experiment_conflates_to_itself():
    """A single experiment's conflation has its own mean and interval."""
    pooled = hs.pooling.conflate(drawn([stats.beta(40, 12)]), density="beta")
    assert pooled.value == pytest.approx(40 / 52, abs=1e-3)
    assert math.isnan(pooled.i2)


@pytest.mark.parametrize(
    "draws, settings, words",
    [
        ([[0.5] * 10, [0.4, 0.5]], {"names": ["a", "b"]}, "experiment 'a' are all equal"),
        ([[math.nan] * 10], {}, "experiment '1' are all equal or undefined"),
        ([[0.5, 0.6]], {"density": "betta"}, "Did you mean 'beta'"),
        ([[0.5, 0.6]], {"bounds": (0, math.inf)}, "two finite ends"),
        ([[-0.5, 0.6, 0.7]], {}, "bounds"),
        ([[-0.5, -0.6]], {"density": "gamma"}, "below the bound 0"),
        ([stats.beta(0.3, 0.3).ppf(np.linspace(0.01, 0.99, 99))] * 2, {}, "no finite area"),
    ],
)
def test_refusals(draws, settings, words):
    """Inputs without a density, or without one of the requested form, are refused with the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.pooling.conflate(draws, **settings)


def test_same_seed_same_draws():
    """The draws of the conflated density follow from the seed."""
    draws = drawn([stats.beta(40, 12), stats.beta(55, 9)])
    first, second, third = (hs.pooling.conflate(draws, random_state=seed).draws for seed in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, third)


@pytest.mark.parametrize("turn", [1, -1])
def test_histograms_far_apart_have_normal_tails(turn):
    """The product of N(0, 1) and N(12, 2), N(2.4, 0.8), is where the second has none of its 2,000 draws."""
    rng = np.random.default_rng(3)
    draws = [turn * rng.normal(0, 1, 2000), turn * rng.normal(12, 2, 2000)]
    pooled = hs.pooling.conflate(draws, density="histogram", bounds=(-math.inf, math.inf))
    assert pooled.value == pytest.approx(turn * 2.4, abs=0.15)
    assert pooled.standard_error == pytest.approx(math.sqrt(0.8), rel=0.1)


def test_weights_are_inverse_variances():
    """Each experiment's weight is the precision of its draws over the sum of all."""
    draws = [np.array([0.61, 0.7, 0.72, 0.8, 0.69]), np.array([0.55, 0.66, 0.74, 0.71]), np.array([0.6, 0.62, 0.65])]
    precision = np.array([1 / each.var(ddof=1) for each in draws])
    assert hs.pooling.conflate(draws, density="beta").weights == pytest.approx(precision / precision.sum())


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_interval_is_the_shortest(level):
    """For a skewed product no interval of the level is shorter, over all its lower tails."""
    rng = np.random.default_rng(5)
    draws = [stats.beta(20, 2).rvs(400, random_state=rng), stats.beta(12, 1.5).rvs(400, random_state=rng)]
    pooled = hs.pooling.conflate(draws, density="beta", confidence_level=level)
    means, variances = np.array([(each.mean(), each.var(ddof=1)) for each in draws]).T
    mass = means * (1 - means) / variances - 1
    product = stats.beta((means * mass).sum() - 1, ((1 - means) * mass).sum() - 1)
    tails = np.linspace(0, 1 - level, 4001)
    widths = product.ppf(tails + level) - product.ppf(tails)
    assert product.cdf(pooled.high) - product.cdf(pooled.low) == pytest.approx(level, abs=1e-9)
    assert pooled.high - pooled.low == pytest.approx(np.nanmin(widths), rel=1e-4)
    assert abs(product.cdf(pooled.low) - (1 - level) / 2) > 0.005


def test_gammas_without_a_bound_start_a_hundredth_of_the_span_below():
    """The common start is the lowest draw less a hundredth of the span of all draws."""
    draws = [np.array([-3.1, -2.2, -2.9, -1.0, -2.5]), np.array([-2.0, -1.7, 0.9, -1.1])]
    start = -3.1 - (0.9 + 3.1) / 100
    means, variances = np.array([(each.mean() - start, each.var(ddof=1)) for each in draws]).T
    expected = stats.gamma((means**2 / variances).sum() - 1, loc=start, scale=1 / (means / variances).sum())
    found = hs.pooling.conflate(draws, density="gamma", bounds=(-math.inf, math.inf))
    assert (found.value, found.standard_error) == pytest.approx((expected.mean(), expected.std()), rel=1e-9)
