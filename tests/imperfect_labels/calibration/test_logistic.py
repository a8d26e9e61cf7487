"""Logistic regression on features of a score."""

import numpy as np
import pytest
from scipy import optimize, special, stats
from statsmodels import api as sm

from howsure.imperfect_labels.calibration.logistic import (
    information,
    log_likelihood,
    log_posterior,
    most_likely,
    most_probable,
    most_probable_increasing,
    posterior,
)
from howsure.metrics.logistic import probability


def cases(seed=0, rows=40, slopes=(1.0, -0.5)):
    rng = np.random.default_rng(seed)
    features = np.column_stack([rng.normal(size=(rows, len(slopes))), np.ones(rows)])
    total = rng.integers(1, 6, rows)
    positive = rng.binomial(total, special.expit(features[:, :-1] @ np.array(slopes) + 0.3))
    return features, np.stack([total - positive, positive], -1).astype(float)


@pytest.mark.parametrize("seed", range(3))
def test_the_most_likely_coefficients_are_those_of_a_generalised_linear_model(seed):
    """Coefficients and the role of an offset agree with statsmodels' binomial regression."""
    features, weights = cases(seed)
    offset = np.linspace(-1, 1, len(features))
    peer = sm.GLM(weights[:, ::-1], features, family=sm.families.Binomial(), offset=offset).fit(tol=1e-14)
    np.testing.assert_allclose(most_likely(features, weights, offset), peer.params, atol=1e-9)


@pytest.mark.parametrize("start", [(6.0, 6.0, -6.0), (-9.0, 4.0, 12.0)])
def test_the_start_does_not_matter(start):
    """With extreme probabilities at the start, where Newton's step is too long, the same fit is found."""
    features, weights = cases()
    peer = sm.GLM(weights[:, ::-1], features, family=sm.families.Binomial()).fit(tol=1e-14)
    np.testing.assert_allclose(most_likely(features, weights, start=np.array(start)), peer.params, atol=1e-9)


def test_firths_fit_of_a_two_by_two_table_adds_half_a_case_to_each_cell():
    """For a binary feature the penalised log odds are those of the cells with half a case more, also for empty ones."""
    features = np.array([[0.0, 1.0], [1.0, 1.0]])
    slope, intercept = most_probable(features, np.array([[7.0, 2.0], [0.0, 5.0]]))
    assert intercept == pytest.approx(np.log(2.5 / 7.5), abs=1e-9)
    assert slope + intercept == pytest.approx(np.log(5.5 / 0.5), abs=1e-9)


def test_firths_fit_maximises_likelihood_times_jeffreys_prior():
    """A general optimiser finds the same maximum of the posterior density."""
    features, weights = cases(4, rows=15)
    found = optimize.minimize(lambda b: -log_posterior(b, features, weights), np.zeros(3), tol=1e-12)
    np.testing.assert_allclose(most_probable(features, weights), found.x, atol=1e-5)


@pytest.mark.parametrize("slopes", [(1.0, -0.7), (-0.8, 1.2), (-1.0, -1.0), (0.8, 0.9)])
def test_slopes_that_are_not_to_be_negative_are_not(slopes):
    """The constrained fit equals a bounded optimiser's, up to Firth's penalty."""
    features, weights = cases(5, rows=4000, slopes=slopes)
    bounds = [(0, None), (0, None), (None, None)]
    found = optimize.minimize(
        lambda b: -log_likelihood(b, features, weights) / len(features), np.zeros(3), bounds=bounds, tol=1e-14
    )
    ours = most_probable_increasing(features, weights)
    assert (ours[:2] >= 0).all()
    np.testing.assert_allclose(ours, found.x, atol=2e-3)


@pytest.mark.thorough
@pytest.mark.parametrize("separated", [False, True])
def test_draws_follow_the_posterior(separated):
    """Mean, spread and tails of the draws are those of the density summed over a fine grid, separated cases too."""
    score = np.linspace(-1, 1, 12)
    positive = score > 0 if separated else np.isin(np.arange(12), [2, 5, 7, 8, 9, 11])
    features = np.column_stack([score, np.ones(12)])
    weights = np.stack([~positive, positive], -1).astype(float)
    slopes, levels = np.meshgrid(np.linspace(-10, 120, 1301), np.linspace(-40, 40, 401), indexing="ij")
    height = log_posterior(np.stack([slopes.ravel(), levels.ravel()], -1), features, weights)
    mass = np.exp(height - height.max())
    mass /= mass.sum()
    draws = posterior(
        most_probable(features, weights), features, weights, 4000, np.random.default_rng(0), increasing=False
    )
    for quantity in (slopes.ravel(), levels.ravel(), special.expit(0.3 * slopes + levels).ravel()):
        index = next(
            i
            for i, each in enumerate((slopes, levels, None))
            if each is None or each.ravel() is quantity or np.shares_memory(each, quantity)
        )
        drawn = draws[:, index] if index < 2 else special.expit(0.3 * draws[:, 0] + draws[:, 1])
        order = np.argsort(quantity)
        cumulated = np.cumsum(mass[order])
        for share in (0.1, 0.5, 0.9):
            limit = quantity[order][np.searchsorted(cumulated, share)]
            assert (drawn <= limit).mean() == pytest.approx(share, abs=0.035)


def test_rounding_in_the_fit_does_not_move_the_draws():
    """A centre that differs in its last digits gives the same draws, so that they repeat from machine to machine."""
    features, weights = cases(6)
    centre = most_probable(features, weights)
    one, two = (
        posterior(each, features, weights, 200, np.random.default_rng(0), increasing=False)
        for each in (centre, centre * (1 + 1e-14))
    )
    np.testing.assert_allclose(one, two, atol=1e-9)


@pytest.mark.parametrize("increasing", [False, True])
def test_draws_have_no_falling_slope_where_none_may_fall(increasing):
    """With few cases that hardly rise, some draws fall, and none of those that are to rise; the level is free."""
    features = np.column_stack([np.linspace(-1, 1, 12), np.ones(12)])
    weights = np.stack([np.tile([1.0, 0.0], 6), np.tile([0.0, 1.0], 6)], 1) + 0.5
    centre = most_likely(features, weights)
    drawn = posterior(centre, features, weights, 2000, np.random.default_rng(0), increasing=increasing)
    assert (drawn[:, 0] < 0).any() == (not increasing)
    assert (drawn[:, 1] < 0).any()
    free = posterior(centre, features, weights, 2000, np.random.default_rng(0), increasing=False)[:, 0]
    if increasing:
        assert np.median(drawn[:, 0]) == pytest.approx(np.median(free[free >= 0]), rel=0.12)


def test_posterior_draws_of_a_share_are_its_beta_distribution():
    """With a constant alone, Jeffreys' prior of k of n gives Beta(k + 1/2, n − k + 1/2)."""
    features, weights = np.ones((3, 1)), np.array([[2.0, 1.0], [3.0, 0.0], [2.0, 4.0]])
    centre = most_likely(features, weights)
    assert probability(centre)[0] == pytest.approx(5 / 12)
    drawn = posterior(centre, features, weights, 4000, np.random.default_rng(1), increasing=False)
    found = np.quantile(probability(drawn[:, 0]), [0.025, 0.25, 0.5, 0.75, 0.975])
    assert found == pytest.approx(stats.beta(5.5, 7.5).ppf([0.025, 0.25, 0.5, 0.75, 0.975]), abs=0.012)


def test_information_and_likelihood_are_those_of_single_cases():
    """The information is X' W X, the log-likelihood the sum over cases; both for many coefficients at once."""
    rng = np.random.default_rng(2)
    features, weights = rng.normal(size=(6, 2)), rng.uniform(0, 3, (6, 2))
    many = rng.normal(size=(3, 2))
    for each, found, told in zip(
        many, information(many, features, weights), log_likelihood(many, features, weights), strict=True
    ):
        share = 1 / (1 + np.exp(-features @ each))
        assert found == pytest.approx((features.T * (weights.sum(1) * share * (1 - share))) @ features)
        assert told == pytest.approx((weights[:, 1] * np.log(share) + weights[:, 0] * np.log(1 - share)).sum())
    determinant = np.linalg.det(information(many[0], features, weights))
    expected = log_likelihood(many[0], features, weights) + np.log(determinant) / 2
    assert log_posterior(many[0], features, weights) == pytest.approx(expected)
