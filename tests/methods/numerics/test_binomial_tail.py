"""Tails and probabilities of single binomial distributions, against SciPy's."""

import numpy as np
import pytest
from scipy import special, stats

from howsure.methods.numerics.binomial_tail import _stirling_error, are_small, mid_p_odds, probabilities_of


@pytest.mark.parametrize("trials", [2, 3, 17, 400, 16_384])
@pytest.mark.parametrize("tail", [1e-14, 1e-6, 0.025, 0.3, 0.4999])
def test_mid_p_odds_of_one_count_solve_their_equation(trials, tail):
    """The mean of SciPy's two binomial tails is the requested one, at usual levels and far beyond."""
    for successes in {1, trials // 3 or 1, trials - 1}:
        odds = mid_p_odds(float(successes), float(trials), tail, stats.norm.isf(tail))
        share = special.expit(odds)
        found = stats.binom.sf([successes - 1, successes], trials, share).mean()
        assert found == pytest.approx(tail, rel=1e-8)


@pytest.mark.parametrize(
    "successes, trials, small",
    [
        ([3.0], [10.0], True),
        ([0.0, 10.0], [10.0, 10.0], True),
        ([3.0], [10.3], False),
        ([2.5], [10.0], False),
        ([3.0, 2.5], [10.0, 10.0], False),
        ([-1.0], [10.0], False),
        ([11.0], [10.0], False),
        ([3.0], [2.0**14], True),
        ([3.0], [2.0**14 + 1], False),
        ([1.0] * 16, [4.0] * 16, True),
        ([1.0] * 17, [4.0] * 17, False),
    ],
)
def test_few_whole_counts_of_few_trials_are_small(successes, trials, small):
    """The sums of chances are for at most sixteen whole counts of whole trials, and no more than 16,384 of these."""
    assert are_small(np.array(successes), np.array(trials)) is small


def test_probabilities_of_several_counts_keep_their_shape():
    """Each count has its own log odds; without a success, or without a failure, the probability is not known."""
    successes, trials = np.array([[1.0, 3.0, 0.0], [2.0, 7.0, 4.0]]), np.array([[4.0, 9.0, 5.0], [3.0, 8.0, 4.0]])
    odds = np.linspace(-1, 1, 6).reshape(2, 3)
    found = probabilities_of(successes, trials)(odds)
    inner = (successes > 0) & (successes < trials)
    expected = stats.binom.pmf(successes, trials, special.expit(odds))
    assert found[inner] == pytest.approx(expected[inner], rel=1e-10)
    assert np.isnan(found[~inner]).all()


@pytest.mark.parametrize("n", [1, 2, 7.5, 15, 15.999, 16, 16.001, 40, 1e4, 1e9])
def test_stirlings_error_is_that_of_the_logarithm_of_the_factorial(n):
    """By its series for large numbers, which continues the difference for small ones."""
    if n < 1e3:
        expected = special.gammaln(n + 1) - (n + 0.5) * np.log(n) + n - np.log(2 * np.pi) / 2
        assert _stirling_error(np.array(float(n))) == pytest.approx(expected, rel=1e-10 * max(n, 1) ** 2)
    x = float(n)
    if n >= 15:  # the next term of the series is below 1e-15 of it
        series = 1 / (12 * x) - 1 / (360 * x**3) + 1 / (1260 * x**5) - 1 / (1680 * x**7) + 1 / (1188 * x**9)
        assert _stirling_error(np.array(x)) == pytest.approx(series, rel=1e-12)
