"""The winner's corrected value and interval: known distributions, ties, and how often it covers."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.comparison.rank_sets import Estimated
from howsure.comparison.winner import level_of, selection_error
from howsure.methods.core.scales import automatic_scale, on_scale, scaled


def normal_estimates(values, covariance):
    """Return normal estimates without correction."""
    return Estimated(
        np.asarray(values, dtype=float), np.asarray(covariance, dtype=float), np.full((len(values),) * 2, np.inf)
    )


def corrected(values, covariance):
    """Return the error of the first of normal estimates."""
    given = normal_estimates(values, covariance)
    return selection_error(given, given.deviations(np.random.default_rng(0)), 0.95)


@pytest.mark.parametrize("number", [2, 5, 20])
def test_tied_models_have_the_error_of_a_maximum(number):
    """For k equal independent models, the first one's error is the largest of k: Φ^k is 1/2 and 0.975 there."""
    found = corrected(np.ones(number), np.eye(number))
    assert found.median == pytest.approx(stats.norm.ppf(0.5 ** (1 / number)), abs=0.05)
    assert found.largest == pytest.approx(stats.norm.ppf(0.975 ** (1 / number)), abs=0.08)


def test_a_clear_winner_is_not_corrected():
    """Nine standard errors ahead, the errors are those of one normal estimate."""
    found = corrected([9.0, 0.0], np.eye(2) / 2)
    assert found.median == pytest.approx(0, abs=0.04)
    assert level_of(found.largest, 0.95) == pytest.approx(0.95, abs=0.006)


def test_a_narrow_winner_is_pulled_down():
    """A lead of a hundredth of a standard error counts as a tie; one of three standard errors is corrected less."""
    near, apart = corrected([1.01, 1.0], np.eye(2)), corrected([5.0, 1.0], np.eye(2))
    assert near.median == pytest.approx(stats.norm.ppf(0.5**0.5), abs=0.04)
    assert 0 < apart.median < near.median / 2
    assert apart.largest < near.largest + 0.05


def test_a_winner_without_variation_has_no_correction():
    """If the winner's estimate does not vary, its bias is unknown."""
    assert corrected([1.0, 0.5], [[0, 0], [0, 0.1]]) is None


def test_models_that_always_agree_are_one():
    """Copies of one model add nothing to the error of the first."""
    found = corrected([1.0, 1.0, 1.0], np.ones((3, 3)))
    assert (found.median, found.largest) == pytest.approx((0, stats.norm.ppf(0.975)), abs=0.05)


def tied(rng, right, n, number):
    """Return models that have equally many of n items right."""
    return {f"model {index}": rng.permutation(np.arange(n) < right) * 1.0 for index in range(number)}


@pytest.mark.parametrize("right, n, number", [(50, 100, 2), (63, 517, 2), (651, 1000, 60)])
def test_a_tie_is_corrected_to_values_among_the_observed_ones(right, n, number):
    """Models that tie have their value; its interval contains the first one's own, and is up to 1.7 times as wide."""
    board = hs.leaderboard(
        hs.values(tied(np.random.default_rng(1), right, n, number), bounds=(0, 1)), "mean", random_state=0
    )
    won, own = board.winner, board.places[0].estimate
    assert won.value == pytest.approx(right / n)
    assert won.low < own.low < own.high <= won.high
    assert won.high - won.low < 1.7 * (own.high - own.low)


@pytest.mark.parametrize("few", [{"groups": np.repeat(np.arange(5), 5)}, {}], ids=["five clusters", "25 items"])
@pytest.mark.parametrize("better", ["higher", "lower"])
def test_the_corrected_interval_contains_the_models_own(few, better):
    """With few clusters the quantile is that of Student's t, as in the model's own interval."""
    rng = np.random.default_rng(2)
    models = {name: rng.normal(50 + 3 * place, 1, 25) for place, name in enumerate("abc")}
    board = hs.leaderboard(hs.values(models, **few), "mean", better=better, random_state=0)
    won, own = board.winner, board.places[0].estimate
    assert won.low <= own.low
    assert own.high <= won.high
    assert (won.low, won.high) == pytest.approx((own.low, own.high), abs=0.1 * (own.high - own.low))


def test_the_leaderboard_and_the_comparison_of_two_models_agree():
    """A model may be the best where the two-sided comparison does not reject equality, at 5 %."""
    table = hs.paired("label", ["logistic", "forest"], data=hs.load_example("breast_cancer"))
    board = hs.leaderboard(table, "f1@macro", random_state=0)
    assert 0.05 < hs.compare(table, "f1@macro").p_value < 0.1
    assert board["forest"].may_be_best
    assert board.tied == ["logistic", "forest"]
    assert "two-sided" in str(board)


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
    """Corrected limits of proportions near 1 stay below 1, and the lead of a smallest loss is corrected upwards."""
    right = {"A": [1] * 39 + [0], "B": [0, 1] + [1] * 37 + [0], "C": [0, 0] + [1] * 38}
    won = hs.leaderboard(hs.values(right, bounds=(0, 1)), "mean", random_state=0).winner
    assert 0 < won.low <= won.value <= won.high < 1
    losses = {name: 1.0 - np.array(own) for name, own in right.items()}
    lost = hs.leaderboard(hs.values(losses, bounds=(0, 1)), "mean", better="lower", random_state=0).winner
    assert (lost.value, lost.low, lost.high) == pytest.approx((1 - won.value, 1 - won.high, 1 - won.low), abs=2e-3)


@pytest.mark.thorough
@pytest.mark.parametrize("distance", [0.0, 0.02])
@pytest.mark.parametrize("n, number", [(8, 4), (100, 5), (100, 20)])
def test_the_winner_is_covered(n, number, distance):
    """In 300 studies the interval covers at least 95 %, within two and a half standard errors."""
    rng, held = np.random.default_rng(n + number), 0
    truth = -distance * np.arange(number)
    for seed in range(300):
        scores = truth + rng.normal(0, 0.7, (n, 1)) + rng.normal(0, 0.7, (n, number))
        board = hs.leaderboard(hs.values(dict(enumerate(scores.T))), "mean", random_state=seed)
        held += board.winner.low <= truth[int(board.places[0].model)] <= board.winner.high
    assert held / 300 >= 0.95 - 2.5 * np.sqrt(0.05 * 0.95 / 300)
