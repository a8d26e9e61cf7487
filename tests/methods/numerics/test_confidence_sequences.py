"""Confidence sequences: their mixtures by integration, SciPy's beta-binomial distribution and their optimum."""

import numpy as np
import pytest
from scipy import stats

from howsure.methods.numerics.confidence_sequences import (
    BEST,
    FARTHEST,
    TUNED,
    beta_binomial,
    log_beta_binomial,
    mixture_variance,
    normal_mixture,
    reach,
    stakes,
)


def test_the_mixture_is_narrowest_after_the_optimal_number_of_cases():
    """At that number the half width in standard errors has its minimum, and the constant solves its equation."""
    assert BEST - np.log1p(BEST) == pytest.approx(2 * np.log(1 / TUNED), rel=1e-12)
    for optimal in (50.0, 400.0):
        assert mixture_variance(optimal) * optimal == pytest.approx(BEST)
        around = reach(optimal * np.array([0.97, 1.0, 1.03]), TUNED, optimal)
        assert around.argmin() == 1


@pytest.mark.parametrize("cases", [20, 200, 3000])
@pytest.mark.parametrize("z", [-2.5, 0.0, 1.0, 3.2])
def test_the_normal_mixture_is_the_mean_of_likelihood_ratios(z, cases):
    """Over normal true values with variance ρ², of a mean at a distance of z standard errors."""
    spread = np.sqrt(mixture_variance(150) * cases)  # in standard errors
    away = np.linspace(-30, 30, 60_001)
    prior = np.exp(-((away / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
    expected = (np.exp(z * away - away**2 / 2) * prior).sum() * 1e-3
    assert normal_mixture(z, cases, 150) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("tail", [0.2, 0.05, 0.001])
@pytest.mark.parametrize("cases", [30, 500, 20_000])
def test_at_the_reach_the_mixture_is_one_over_the_error(tail, cases):
    """The limits are where the e-value is 1 / α; of very few cases they end at thirty standard errors."""
    assert normal_mixture(float(reach(cases, tail, 200)), cases, 200) == pytest.approx(1 / tail, rel=1e-9)
    assert reach([0, 1e-9], tail, 200).tolist() == [FARTHEST, FARTHEST]


@pytest.mark.parametrize("counts", [(3, 10), (0, 12), (12, 12), (40, 95)])
@pytest.mark.parametrize("share", [0.1, 0.45, 0.9])
def test_the_mixture_of_shares_is_that_of_beta_binomials(counts, share):
    """The e-value is the ratio of SciPy's beta-binomial and binomial probabilities, with the variance ρ² p (1 − p)."""
    successes, trials = counts
    for optimal in (20.0, 300.0):
        mass = 1 / mixture_variance(optimal) - 1
        prior = stats.beta(mass * share, mass * (1 - share))
        assert prior.var() == pytest.approx(mixture_variance(optimal) * share * (1 - share))
        mixed = stats.betabinom(trials, mass * share, mass * (1 - share)).logpmf(successes)
        expected = mixed - stats.binom(trials, share).logpmf(successes)
        found = log_beta_binomial(*map(np.asarray, (successes, trials - successes)), np.asarray(share), optimal)
        assert float(found) == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("tail", [0.2, 0.05])
def test_limits_of_shares_have_the_e_value_of_their_error(tail):
    """At each limit inside (0, 1) the mixture is 1 / α; limits are mirrored, and reach the end without a success."""
    successes, trials = np.array([3, 0, 12, 40]), np.array([10, 12, 12, 95])
    low, high = beta_binomial(successes, trials, tail, 100)
    mirrored = beta_binomial(trials - successes, trials, tail, 100)
    assert low == pytest.approx(1 - mirrored[1], rel=1e-9)
    assert (low[1], high[2]) == (0, 1)
    for ends in (low, high):
        inner = (ends > 0) & (ends < 1)
        found = log_beta_binomial(successes[inner], (trials - successes)[inner], ends[inner], 100)
        assert found == pytest.approx(-np.log(tail) * np.ones(inner.sum()), rel=1e-7)
    assert ((low < successes / trials) | (successes == 0)).all()


@pytest.mark.parametrize("optimal, winning", [(100.0, 3.0), (25.0, 3.0), (400.0, 6.0)])
def test_stakes_are_octaves_of_the_best_one(optimal, winning):
    """Each is twice the one before and at most 1; their parts fall with the square of the distance, and make one whole."""
    bets, parts = stakes(optimal, winning)
    assert bets[1:] / bets[:-1] == pytest.approx(2 * np.ones(len(bets) - 1))
    assert bets.max() <= 1 < 2 * bets.max()
    assert parts.sum() == pytest.approx(1)
    best = parts.argmax()
    assert bets[best] == pytest.approx(winning / np.sqrt(optimal))
    away = np.abs(np.arange(len(bets)) - best)
    assert parts / parts[best] == pytest.approx(1 / (1.0 + away) ** 2)
    assert best == 30
