"""The winner's corrected value against SciPy's truncated normal distribution."""

import numpy as np
import pytest
from scipy import optimize, stats

import howsure as hs
from howsure.comparison.rank_sets import Estimated
from howsure.comparison.winner import corrected
from howsure.methods.scales import automatic_scale, on_scale, scaled


def normal_estimates(values, covariance):
    """Return normal estimates that are taken as they are."""
    return Estimated(
        np.asarray(values, dtype=float), np.asarray(covariance, dtype=float), np.full((len(values),) * 2, np.inf)
    )


@pytest.mark.parametrize("seed", range(5))
def test_hybrid_equals_its_definition(seed):
    """Value and limits are the means at which the truncated normal has the observed value at 1/2 and at the tails."""
    rng = np.random.default_rng(seed)
    root = rng.normal(0, 1, (5, 5))
    given = normal_estimates(rng.normal(0, 1.5, 5), root @ root.T)
    deviations = given.deviations(rng)
    found = corrected(given, deviations, 0.95)
    own, values = given.covariance, given.values
    first = int(np.argmax(values))
    error = np.sqrt(own[first, first])
    most = np.quantile(np.max(np.abs(deviations) / np.sqrt(np.diag(own))[:, None], axis=0), 1 - 0.005)
    below, above = -np.inf, np.inf  # Andrews, Kitagawa, McCloskey (2024), equations of the truncation points
    for j in range(5):
        share = own[first, j] / own[first, first]
        rest = values[j] - share * values[first]
        if share < 1 and j != first:
            below = max(below, rest / (1 - share))
        if share > 1:
            above = min(above, rest / (1 - share))

    def at(mean, wanted):
        low, high = max(below, mean - most * error), min(above, mean + most * error)
        limits = ((each - mean) / error for each in (low, high))
        return stats.truncnorm(*limits, loc=mean, scale=error).cdf(values[first]) - wanted

    tail = (0.05 - 0.005) / (1 - 0.005) / 2
    for shift, wanted in zip(found, (0.5, 1 - tail, tail), strict=True):
        ends = values[first] + most * error * np.array([-0.9999, 0.9999])
        inside = at(ends[0], wanted) > 0 > at(ends[1], wanted)  # else the simultaneous interval ends there
        mean = optimize.brentq(at, *ends, args=(wanted,), xtol=1e-13) if inside else ends[int(at(ends[1], wanted) > 0)]
        assert values[first] + shift * error == pytest.approx(mean, abs=1e-6 if inside else 1e-3)


def test_a_clear_winner_is_not_corrected():
    """Nine standard errors ahead, the value stays and the limits are the plain ones, of 95.5 % (0.95 / 0.995)."""
    given = normal_estimates([9.0, 0.0], [[0.5, 0], [0, 0.5]])
    value, low, high = corrected(given, given.deviations(np.random.default_rng(0)), 0.95)
    plain = stats.norm.isf((0.05 - 0.005) / (1 - 0.005) / 2)
    assert value == pytest.approx(0, abs=1e-3)
    assert (low, high) == pytest.approx((-plain, plain), abs=0.03)


def test_a_narrow_winner_is_pulled_down():
    """Just ahead of another, the corrected value is below the observed one, and within the simultaneous interval."""
    given = normal_estimates([1.01, 1.0], np.eye(2))
    value, low, high = corrected(given, given.deviations(np.random.default_rng(0)), 0.95)
    assert low < value < high < 2
    assert -3.2 < low < value < 0


def test_a_winner_without_variation_has_no_correction():
    """Where the winner's estimate does not vary, nothing is known of its luck."""
    given = normal_estimates([1.0, 0.5], [[0, 0], [0, 0.1]])
    assert np.isnan(corrected(given, given.deviations(np.random.default_rng(0)), 0.95)).all()


def test_it_covers_and_is_right_on_average():
    """Among ten equal models the winner's true value is inside in about 95 of 100 studies, above the value in half."""
    rng = np.random.default_rng(1)
    deviations = normal_estimates(np.zeros(10), np.eye(10)).deviations(rng)
    drawn = rng.normal(size=(300, 10))
    found = np.array([corrected(normal_estimates(each, np.eye(10)), deviations, 0.95) for each in drawn])
    truth = -drawn.max(1)
    assert np.mean((found[:, 1] <= truth) & (truth <= found[:, 2])) == pytest.approx(0.9548, abs=0.04)
    assert np.mean(found[:, 0] > truth) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 1.0), (0.0, np.inf), (-np.inf, 3.0), (-np.inf, np.inf)])
def test_scales_go_there_and_back(bounds):
    """A step on a scale, of the standard error there, is the limit that intervals on that scale have."""
    scale, values, half = automatic_scale(bounds), np.array([0.2, 0.7]), 0.05
    places, slopes = scaled(scale, values, bounds)
    nearby = (scaled(scale, values + 1e-6, bounds)[0] - places) / 1e-6
    np.testing.assert_allclose(slopes, nearby, rtol=1e-4)
    reached, _ = scaled(scale, on_scale(scale, values, half, bounds)[1], bounds)
    np.testing.assert_allclose(reached, places + half * slopes, rtol=1e-9, atol=1e-12)


def test_the_corrected_value_keeps_the_range():
    """Of shares near 1 the corrected limits stay below it, and a lead among losses is corrected upwards."""
    right = {"A": [1] * 39 + [0], "B": [0, 1] + [1] * 37 + [0], "C": [0, 0] + [1] * 38}
    won = hs.leaderboard(hs.values(right, bounds=(0, 1)), "mean", random_state=0).winner
    assert 0 < won.low <= won.value <= won.high < 1
    losses = {name: 1.0 - np.array(own) for name, own in right.items()}
    lost = hs.leaderboard(hs.values(losses, bounds=(0, 1)), "mean", better="lower", random_state=0).winner
    assert (lost.value, lost.low, lost.high) == pytest.approx((1 - won.value, 1 - won.high, 1 - won.low), abs=2e-3)


def test_any_lead_counts_as_what_it_is():
    """Only of estimates that tie do the number of cases, and so the step that one makes, matter."""
    for values, is_tie in (([1.0, 0.999], False), ([1.0, 1.0], True)):
        found = []
        for cases in (100.0, np.inf):
            given = Estimated(np.array(values), np.eye(2), np.full((2, 2), cases))
            found.append(corrected(given, given.deviations(np.random.default_rng(0)), 0.95))
        assert (found[0] == pytest.approx(found[1], nan_ok=True)) is not is_tie


@pytest.mark.thorough
def test_the_winner_of_scores_without_steps_is_covered_as_often_as_stated():
    """Of 300 studies of five equal models the interval covers 95 to 95.5 %, within three and a half standard errors."""
    rng, held = np.random.default_rng(3), 0
    for seed in range(300):
        scores = rng.normal(0, 0.7, (100, 1)) + rng.normal(0, 0.7, (100, 5))
        board = hs.leaderboard(hs.values(dict(zip("abcde", scores.T, strict=True))), "mean", random_state=seed)
        held += board.winner.low <= 0 <= board.winner.high
    assert abs(held / 300 - 0.9525) < 3.5 * np.sqrt(0.05 * 0.95 / 300)
