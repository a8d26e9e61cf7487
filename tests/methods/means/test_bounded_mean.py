"""Intervals for bounded means that cover for every distribution."""

import numpy as np
import pytest

import howsure as hs

METHODS = ("betting", "hoeffding")


def test_hoeffdings_formula():
    """The half width is (b − a) sqrt(log(2 / 0.05) / (2 n))."""
    found = hs.estimate(hs.values([4.0, 6.0] * 25, bounds=(0, 10)), "mean", method="hoeffding")
    half = 10 * np.sqrt(np.log(40) / 100)
    assert (found.low, found.high) == pytest.approx((5 - half, 5 + half), rel=1e-12)


def test_no_bet_beats_the_means_inside():
    """At the limits of the betting interval the average of the bets' capitals is 2 / α, as computed case by case."""
    x = np.random.default_rng(2).beta(2, 5, 50)
    found = hs.estimate(hs.values(x, bounds=(0, 1)), "mean", method="betting")
    stakes = np.geomspace(50**-0.5, 1, 10)
    above = np.mean([np.prod(1 + stake / found.low * (x - found.low)) for stake in stakes])
    below = np.mean([np.prod(1 + stake / (1 - found.high) * (found.high - x)) for stake in stakes])
    assert (above, below) == pytest.approx((40, 40), rel=1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_the_worst_case_is_covered(method, share):
    """For Bernoulli samples, the most variable bounded values, coverage is at least 95 % for any size."""
    rng = np.random.default_rng(5)
    for n in (5, 40):
        held, numbers = 0.0, rng.binomial(n, share, 2000)
        for successes in np.unique(numbers):
            found = hs.estimate(
                hs.values([1.0] * successes + [0.0] * (n - successes), bounds=(0, 1)), "mean", method=method
            )
            held += (found.low <= share <= found.high) * (numbers == successes).mean()
        assert held >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 2000)


@pytest.mark.parametrize("method", METHODS)
def test_perfect_samples_leave_room(method):
    """Equal values have an interval, also at a bound."""
    found = hs.estimate(hs.values(np.ones(20), bounds=(0, 1)), "mean", method=method)
    assert 0.5 < found.low < 0.9
    assert found.high == 1


@pytest.mark.parametrize(
    "table, metric, words",
    [
        (hs.values([1.0, 2.0]), "mean", "needs bounds"),
        (hs.values([0.1, 0.2], bounds=(0, 1), groups=[1, 2]), "mean", "for independent cases"),
        (hs.values([0.1, 0.2], bounds=(0, 1)), "std", "for a mean of values"),
        (hs.from_counts([[1, 2], [3, 4]]), "accuracy", "for a mean of values"),
    ],
)
def test_what_the_theorem_does_not_cover_is_refused(table, metric, words):
    """Unbounded, clustered and other metrics are refused, with an alternative."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.estimate(table, metric, method="betting")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bounds", [(-1.0, 3.0), (2.0, 12.0)])
def test_bounds_move_and_stretch_the_interval(method, bounds):
    """Values with other bounds have limits shifted and scaled accordingly."""
    share = np.random.default_rng(4).beta(2, 5, 80).round(3)
    one = hs.estimate(hs.values(share, bounds=(0, 1)), "mean", method=method)
    low, high = bounds
    other = hs.estimate(hs.values(low + (high - low) * share, bounds=bounds), "mean", method=method)
    expected = [low + (high - low) * each for each in (one.value, one.low, one.high)]
    assert [other.value, other.low, other.high] == pytest.approx(expected, rel=1e-6)
    assert other.low < other.value < other.high
