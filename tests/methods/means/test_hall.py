"""Hall's interval: its formula, equal values, and coverage."""

import numpy as np
import pytest
from scipy import optimize, stats

import howsure as hs


def test_the_long_limit_solves_the_cubic_and_the_short_one_is_students():
    """On the long side the transformed t statistic is a quantile of Student's t; the short side is not inside it."""
    x = np.array([0.2, 0.3, 0.3, 0.4, 0.4, 0.5, 0.7, 0.9, 1.4, 6.1])
    n, error = len(x), x.std(ddof=1) / np.sqrt(len(x))
    skewness = ((x - x.mean()) ** 3).mean() / x.std() ** 3 / np.sqrt(n)

    def transformed(t):
        return t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6

    found = hs.estimate(hs.values(x), "mean", method="hall")
    t = optimize.brentq(lambda t: transformed(t) - stats.t.ppf(0.025, n - 1), -300, 300, xtol=1e-13)
    assert found.high == pytest.approx(x.mean() - t * error, rel=1e-9)
    assert found.low == pytest.approx(x.mean() - stats.t.ppf(0.975, n - 1) * error, rel=1e-9)
    mirrored = hs.estimate(hs.values(-x), "mean", method="hall")
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), rel=1e-9)


def test_r2_is_not_inside_students_interval_for_the_logarithm_of_the_rest():
    """The lower limit of R² is at most that of Student's t for log(1 − R²); the upper one stays Hall's."""
    truth = np.array([1.0, 2.0, 2.5, 4.0, 5.0, 6.5, 7.0, 9.0])
    table = hs.values(truth + np.array([0.3, -0.2, 0.1, 0.4, -0.5, 0.2, -0.1, 0.3]), truth=truth)
    found = hs.estimate(table, "r2", method="hall")
    student = (1 - found.value) * np.exp(stats.t.ppf(0.975, len(truth) - 1) * found.standard_error / (1 - found.value))
    assert found.low == pytest.approx(1 - student, rel=1e-6)
    assert found.high <= 1


@pytest.mark.slow
@pytest.mark.parametrize("n", [12, 40])
def test_r2_covers(n):
    """Intervals of R² cover for normal errors; without the logarithm they miss twice as often (91.5 % at n = 12)."""
    rng, draws = np.random.default_rng(20261129), 2000
    hits = 0
    for _ in range(draws):
        truth = rng.normal(size=n)
        found = hs.estimate(hs.values(0.7 * truth + rng.normal(0, 0.5, n), truth=truth), "r2")
        hits += found.low <= 1 - (0.3**2 + 0.5**2) <= found.high
    assert hits / draws > 0.94


def test_symmetric_values_have_students_interval():
    """Without skewness the interval is that of Student's t."""
    x = np.array([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0]) + 10
    expected = stats.t.interval(0.95, 6, x.mean(), stats.sem(x))
    found = hs.estimate(hs.values(x), "mean", method="hall")
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-6)


def test_equal_values_leave_room_within_the_bounds():
    """For n equal values the limits are those of n successes in n trials, within the bounds."""
    share = hs.proportion(15, 15, method="mid_p")
    found = hs.estimate(hs.values(np.full(15, 0.8), bounds=(0, 1)), "mean", method="hall")
    assert found.low == pytest.approx(0.8 * share.low)
    assert found.high == pytest.approx(0.8 + 0.2 * (1 - share.low))
    assert hs.estimate(hs.values(np.ones(15), bounds=(0, 1)), "mean", method="hall").low == pytest.approx(share.low)


def test_equal_values_without_bounds_say_what_is_missing():
    """Without bounds other values can be arbitrarily far, and the reason states how to set bounds."""
    found = hs.estimate(hs.values(np.ones(15)), "mean", method="hall")
    assert np.isnan(found.low)
    assert "bounds" in found.reason
    assert "a single case" in hs.estimate(hs.values([0.5], bounds=(0, 1)), "mean", method="hall").reason


def test_equal_models_differ_by_little():
    """Two models with equal values on every case have a difference that may be off by as much as the bounds allow."""
    x = np.linspace(0, 1, 20)
    found = hs.compare(hs.values({"a": x, "b": x}, bounds=(0, 1)), "mean", method="hall")
    assert found.value == 0
    assert -0.2 < found.low < 0 < found.high < 0.2


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_whole_numbers_of_weight_are_no_more_cases(level):
    """Weights of 2 for every case leave the interval as it is."""
    x = np.random.default_rng(1).lognormal(size=20)
    plain, weighted = (
        hs.estimate(hs.values(x, sample_weight=each), "mean", confidence_level=level, method="hall")
        for each in (None, np.full(20, 2.0))
    )
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high), rel=1e-9)


DISTRIBUTIONS = {
    "log-normal": (lambda rng, size: rng.lognormal(0, 1, size), np.exp(0.5), None),
    "zero-inflated": (lambda rng, size: rng.exponential(1, size) * (rng.random(size) < 0.3), 0.3, None),
    "beta(0.5, 0.1)": (lambda rng, size: rng.beta(0.5, 0.1, size), 5 / 6, (0, 1)),
    "beta(2, 5)": (lambda rng, size: rng.beta(2, 5, size), 2 / 7, (0, 1)),
    "Bernoulli": (lambda rng, size: (rng.random(size) < 0.95) * 1.0, 0.95, (0, 1)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("n", [15, 100])
def test_the_mean_is_covered_at_other_sizes(name, n):
    """The default has the coverage stated in the guide on evaluations (2,000 samples: an error of 0.5 points)."""
    draw, mean, bounds = DISTRIBUTIONS[name]
    rng, held, known = np.random.default_rng(n), 0, 0
    for x in draw(rng, (2000, n)):
        found = hs.estimate(hs.values(x, bounds=bounds), "mean")
        known += not np.isnan(found.low)
        held += found.low <= mean <= found.high
    wanted = {("log-normal", 15): 0.905, ("log-normal", 100): 0.935}.get((name, n), 0.94)
    assert held / known >= wanted - 2.5 * np.sqrt(wanted * (1 - wanted) / 2000)


SPREADS = {  # of distributions, and the least coverage that is stated for 30 values
    "normal": (lambda rng, size: rng.normal(size=size), 1.0, 0.95),
    "exponential": (lambda rng, size: rng.exponential(1, size), 1.0, 0.93),
    "log-normal": (lambda rng, size: rng.lognormal(0, 1, size), np.sqrt((np.e - 1) * np.e), 0.89),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", SPREADS)
def test_the_standard_deviation_is_covered(name):
    """At n = 30 the standard deviation is covered as stated, up to the error of 500 samples."""
    draw, spread, wanted = SPREADS[name]
    rng, held = np.random.default_rng(20261125), 0
    for x in draw(rng, (500, 30)):
        found = hs.estimate(hs.values(x), "std")
        held += found.low <= spread <= found.high
    assert held / 500 >= wanted - 2.5 * np.sqrt(wanted * (1 - wanted) / 500)


WANTED = {"log-normal": 0.90}  # whose tail most samples of 30 do not show; 0.95 of the others


@pytest.mark.thorough
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_mean_is_covered(name):
    """At n = 30 the default covers skewed, bounded and zero-inflated means, up to the error of 400 samples.

    For the log-normal and the zero-inflated mean Student's t covers 88 %.
    """
    draw, mean, bounds = DISTRIBUTIONS[name]
    rng = np.random.default_rng(20261122)
    held = 0
    for x in draw(rng, (400, 30)):
        found = hs.estimate(hs.values(x, bounds=bounds), "mean")
        held += found.low <= mean <= found.high
    wanted = WANTED.get(name, 0.95)
    assert held / 400 >= wanted - 2.5 * np.sqrt(wanted * (1 - wanted) / 400)
