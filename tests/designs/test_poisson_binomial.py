"""The distribution of a sum of independent trials with probabilities of their own."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from howsure.designs.poisson_binomial import poisson_binomial

SHAPES = [(1.0, 1.0), (0.2, 0.3), (0.05, 5.0), (20.0, 2.0)]


def dense(size, start, mass):
    """Return the distribution over 0 … size."""
    whole = np.zeros(size + 1)
    whole[start : start + len(mass)] = mass
    return whole


def by_recursion(probability):
    """Add the trials one by one: O(n²)."""
    mass = np.zeros(len(probability) + 1)
    mass[0] = 1.0
    for number, chance in enumerate(probability, 1):
        mass[1 : number + 1] = mass[1 : number + 1] * (1 - chance) + mass[:number] * chance
        mass[0] *= 1 - chance
    return mass


@pytest.mark.parametrize("n", [1, 2, 7, 12, 15])
def test_equals_enumeration(n):
    """Up to 15 trials it equals the sum over all 2ⁿ outcomes, to 1e-10."""
    probability = np.random.default_rng(n).beta(0.7, 1.4, n)
    outcomes = np.array(list(product((0, 1), repeat=n)))
    chances = np.where(outcomes == 1, probability, 1 - probability).prod(1)
    expected = np.bincount(outcomes.sum(1), chances)
    assert dense(n, *poisson_binomial(probability)) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [30, 400, 2000])
def test_equals_the_recursion(n, shape):
    """Up to 2000 trials it equals the O(n²) recursion, to 1e-10."""
    probability = np.random.default_rng(n).beta(*shape, n)
    assert dense(n, *poisson_binomial(probability)) == pytest.approx(by_recursion(probability), abs=1e-10)


def test_repeated_probabilities_are_a_binomial():
    """Trials that share a probability make the binomial distribution, and groups of them its convolution."""
    start, mass = poisson_binomial(np.array([0.3]), np.array([40.0]))
    assert dense(40, start, mass) == pytest.approx(stats.binom(40, 0.3).pmf(np.arange(41)), abs=1e-12)
    numbers = np.array([7.0, 0.0, 11.0])
    expected = np.convolve(stats.binom(7, 0.2).pmf(np.arange(8)), stats.binom(11, 0.9).pmf(np.arange(12)))
    assert dense(18, *poisson_binomial(np.array([0.2, 0.5, 0.9]), numbers)) == pytest.approx(expected, abs=1e-12)


def test_certain_trials_have_one_outcome():
    """Probabilities of 0 and 1 leave nothing to chance; no trials succeed not once."""
    assert dense(5, *poisson_binomial(np.array([0.0, 1.0, 1.0, 0.0, 1.0])))[3] == pytest.approx(1.0, abs=1e-12)
    assert dense(0, *poisson_binomial(np.array([]))).tolist() == [1.0]


def test_a_million_trials_have_the_right_moments():
    """Mean, variance and third moment are those of the trials, for sizes without a feasible recursion."""
    probability = np.random.default_rng(0).beta(0.3, 0.9, 10**6)
    start, mass = poisson_binomial(probability)
    counts = start + np.arange(len(mass))
    mean = mass @ counts
    assert mean == pytest.approx(probability.sum(), rel=1e-10)
    assert mass @ (counts - mean) ** 2 == pytest.approx((probability * (1 - probability)).sum(), rel=1e-8)
    third = (probability * (1 - probability) * (1 - 2 * probability)).sum()
    assert mass @ (counts - mean) ** 3 == pytest.approx(third, rel=1e-5)


@pytest.mark.parametrize("scale", [1, 20, 400])
def test_many_trials_of_two_kinds_are_a_sum_of_two_binomials(scale):
    """Up to a million trials: the convolution of two binomial distributions, to 1e-9 of the largest probability."""
    numbers, chances = np.array([1_100, 1_400]) * scale, np.array([0.3, 0.62])
    mean, deviation = numbers @ chances, np.sqrt(numbers @ (chances * (1 - chances)))
    first = np.arange(
        max(0, int(numbers[0] * chances[0] - 8 * deviation)), int(numbers[0] * chances[0] + 8 * deviation)
    )
    place = np.round(mean + deviation * np.linspace(-5, 5, 41)).astype(int)
    expected = np.array(
        [
            (stats.binom.pmf(first, numbers[0], chances[0]) * stats.binom.pmf(k - first, numbers[1], chances[1])).sum()
            for k in place
        ]
    )
    start, mass = poisson_binomial(np.repeat(chances, numbers))
    assert mass[place - start] == pytest.approx(expected, abs=1e-9 * expected.max())
    start, mass = poisson_binomial(chances, numbers)
    assert mass[place - start] == pytest.approx(expected, abs=1e-9 * expected.max())
