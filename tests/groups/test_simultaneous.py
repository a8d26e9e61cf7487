"""Simultaneous intervals and stepdown p-values."""

import numpy as np
import pytest
from scipy import stats

from howsure.groups.simultaneous import (
    Estimated,
    contrasts,
    difference_limits,
    level_at,
    ratio_limits,
    stepdown,
)
from howsure.methods.numerics.confidence_levels import tail_of

RNG = np.random.default_rng(5)


def normal(values, errors, correlation=None):
    """Return normal estimates: their interval is value ± z · error at every level."""
    values, errors = np.asarray(values, dtype=float), np.asarray(errors, dtype=float)
    known = np.eye(len(values)) if correlation is None else np.asarray(correlation)
    return Estimated(values, lambda z: (values - z * errors, values + z * errors), known)


def all_pairs(size):
    return np.triu_indices(size, 1)


@pytest.mark.parametrize("size", [2, 3, 6, 15])
def test_equal_variances_give_tukeys_critical_value(size):
    """For independent normal estimates with equal errors the critical value is the studentized range over √2."""
    given = normal(np.zeros(size), np.ones(size))
    found = contrasts(given, *all_pairs(size), 0.95, given.deviations(np.random.default_rng(0)))
    right = stats.studentized_range.ppf(0.95, size, np.inf) / np.sqrt(2)
    assert found.critical == pytest.approx(right, abs=0.03)
    assert np.allclose(found.high - found.low, 2 * found.critical * np.sqrt(2))


def test_a_reference_gives_dunnetts_critical_value():
    """Compared with one reference, five groups have Dunnett's two-sided quantile with ρ = 1/2, 2.512."""
    given = normal(np.zeros(6), np.ones(6))
    found = contrasts(given, np.arange(1, 6), np.zeros(5, dtype=int), 0.95, given.deviations(np.random.default_rng(1)))
    assert found.critical == pytest.approx(2.512, abs=0.03)


def test_two_estimates_have_the_plain_p_value():
    """The p-value of one pair is that of a normal variable, of several groups Tukey's for the largest difference."""
    given = normal([0.0, 2.0], [0.6, 0.8])
    found = contrasts(given, *all_pairs(2), 0.95, given.deviations(np.random.default_rng(0)))
    assert found.p_value[0] == pytest.approx(2 * stats.norm.sf(2.0), rel=1e-12)  # without draws
    assert found.critical == pytest.approx(stats.norm.ppf(0.975), rel=1e-12)
    assert found.high - found.low == pytest.approx([2 * stats.norm.ppf(0.975)], rel=1e-12)
    three = normal([0.0, 1.0, 3.5], [1.0, 1.0, 1.0])
    found = contrasts(three, *all_pairs(3), 0.95, three.deviations(np.random.default_rng(0)))
    right = stats.studentized_range.sf(3.5, 3, np.inf)
    assert found.p_value[1] == pytest.approx(right, abs=0.006)
    assert found.p_value[2] < stats.studentized_range.sf(2.5, 3, np.inf)  # stepdown: compared with two pairs


def test_correlated_estimates_have_narrower_differences():
    """A positive correlation enters both the error of the difference and its limits."""
    given = normal([1.0, 0.0], [0.5, 0.5], [[1, 0.75], [0.75, 1]])
    found = contrasts(given, *all_pairs(2), 0.95, given.deviations(np.random.default_rng(0)))
    assert found.high[0] - found.low[0] == pytest.approx(2 * found.critical * 0.5 * np.sqrt(0.5))
    assert found.p_value[0] == pytest.approx(2 * stats.norm.sf(1 / (0.5 * np.sqrt(0.5))), abs=0.002)


def test_stepdown_is_romanos_and_wolfs():
    """Adjusted p-values are those of an independent loop: the largest of the remaining statistics, made monotone."""
    draws = np.abs(RNG.standard_normal((4, 3000)))
    statistic = np.array([2.5, 0.4, 3.1, 1.9])
    order = np.argsort(-statistic)
    right, before = np.zeros(4), 0.0
    for place, each in enumerate(order):
        share = (1 + (draws[order[place:]].max(0) >= statistic[each]).sum()) / 3001
        right[each] = before = max(before, share)
    found, critical = stepdown(statistic, draws.__getitem__, 3000, 0.9)
    assert found == pytest.approx(right)
    assert critical == pytest.approx(np.quantile(draws.max(0), 0.9))


def test_limits_of_ratios_solve_their_equation():
    """(x − θy)² = a² + θ²b² − 2ρθab at both limits, and a ratio contains 1 exactly where a difference contains 0."""
    x, y = RNG.uniform(0.2, 1, (2, 200))
    below, above = (0.3 * RNG.uniform(size=(2, 200)) * np.stack([x, y]) for _ in range(2))
    value, low, high = (x, y), (x - below[0], y - below[1]), (x + above[0], y + above[1])
    rho = RNG.uniform(-0.9, 0.9, 200)
    ratio, least, most = ratio_limits(value, low, high, rho)
    for limit, a, b in ((least, below[0], above[1]), (most, above[0], below[1])):
        assert np.allclose((x - limit * y) ** 2, a**2 + limit**2 * b**2 - 2 * rho * limit * a * b)
    assert (least <= ratio).all()
    assert (ratio <= most).all()
    _, lower, upper = difference_limits(value, low, high, rho)
    assert (((lower <= 0) & (upper >= 0)) == ((least <= 1) & (most >= 1))).all()


def test_ratios_at_zero():
    """0 over a positive value has an upper limit, a positive value over 0 a lower one, and 0 over 0 is undefined."""
    none, some = np.array([0.0]), np.array([0.5])
    found = ratio_limits((none, some), (none, some - 0.2), (none + 0.1, some + 0.2), np.zeros(1))
    assert found[0] == found[1] == 0
    assert found[2] == pytest.approx(0.1 / np.sqrt(0.3 * 0.7))  # u / √(l(2y − l))
    found = ratio_limits((some, none), (some - 0.2, none), (some + 0.2, none + 0.1), np.zeros(1))
    assert found[0] == found[2] == np.inf
    assert found[1] == pytest.approx(np.sqrt(0.3 * 0.7) / 0.1)
    assert np.isnan(ratio_limits((none, none), (none, none), (none + 0.1, none + 0.1), np.zeros(1))).all()


def test_estimates_without_value_do_not_count():
    """Pairs with an undefined estimate are nan, and the others are as without it."""
    with_nan, without = normal([0.1, np.nan, 0.5], [0.1, 0.1, 0.1]), normal([0.1, 0.5], [0.1, 0.1])
    found = contrasts(with_nan, *all_pairs(3), 0.95, with_nan.deviations(np.random.default_rng(0)))
    alone = contrasts(without, *all_pairs(2), 0.95, without.deviations(np.random.default_rng(0)))
    assert np.isnan(found.low[[0, 2]]).all()
    assert np.isnan(found.p_value[[0, 2]]).all()
    assert found.critical == pytest.approx(alone.critical, abs=0.03)


def test_levels_keep_their_tail():
    """The level at 12 standard errors is 1 to all digits, with its tail kept."""
    assert tail_of(level_at(12.0)) == pytest.approx(2 * stats.norm.sf(12), rel=1e-9)
