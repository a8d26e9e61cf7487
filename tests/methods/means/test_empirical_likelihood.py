"""Empirical likelihood of a mean: its units, the support around them, and the score, by plain sums and searches."""

import numpy as np
import pytest
from scipy import optimize, stats

from howsure.methods.means.empirical_likelihood import (
    Units,
    reaches,
    score_limits,
    score_statistic,
    support_of,
)


def units_of(kind, seed=0):
    """Return units as they are given, each in as many copies as its number: totals, sizes and numbers."""
    rng = np.random.default_rng(seed)
    if kind == "alike":
        totals, sizes = rng.gamma(2.0, size=9), np.full(9, 2.0)
    elif kind == "few values":
        totals, sizes = rng.integers(0, 3, 12) * 1.0, np.full(12, 2.0)
    else:
        sizes = rng.integers(0 if kind == "some of size 0" else 1, 5, 11) * 1.0
        sizes[4] *= 60 if kind == "a giant" else 1
        totals = sizes * rng.normal(1, 2, 11)
    return totals, sizes, rng.integers(1, 4, len(totals)) * 1.0


def spread_out(totals, sizes, number):
    """Return totals and sizes of each single unit with a size, by ascending mean."""
    sized = sizes > 0
    repeats = number[sized].astype(int)
    totals, sizes = np.repeat(totals[sized], repeats), np.repeat(sizes[sized], repeats)
    order = np.argsort(totals / sizes, kind="stable")
    return totals[order], sizes[order]


KINDS = ["alike", "few values", "of many sizes", "some of size 0", "a giant"]


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_units_have_the_sums_of_all_units(kind):
    """Count, size, mean, typical and effective size, error and medians are those of the units one by one."""
    given = units_of(kind)
    units, (y, m) = Units.of(*given), spread_out(*given)
    assert (np.diff(units.values) >= 0).all()
    assert np.repeat(units.values, units.number.astype(int)) == pytest.approx(y / m)
    assert len(units.values) == len(set((y / m).round(9))) or kind not in ("alike", "few values")
    assert (units.count, units.size, units.mean) == pytest.approx((len(y), m.sum(), y.sum() / m.sum()))
    assert units.typical_size == pytest.approx((m**2).sum() / m.sum())
    assert units.effective == pytest.approx(m.sum() ** 2 / (m**2).sum())
    residuals = y - y.sum() / m.sum() * m
    assert units.error == pytest.approx(np.sqrt(len(y) / (len(y) - 1) * (residuals**2).sum()) / m.sum())
    assert units.standardised(0.3) == pytest.approx((units.totals - 0.3 * units.sizes) * m.sum() / (m**2).sum())
    ordered = np.sort(y / m)
    assert units.medians() == (
        pytest.approx(ordered[(len(y) - 1) // 2]),
        pytest.approx(ordered[len(y) // 2]),
    )
    assert units.are_of_one_size == (kind in ("alike", "few values"))
    assert not units.are_equal


@pytest.mark.parametrize(
    "number, medians", [((1, 1, 2), (2, 3)), ((2, 1, 1), (1, 2)), ((1, 3, 1), (2, 2)), ((1, 1, 1), (2, 2))]
)
def test_medians_are_between_as_many_units(number, medians):
    """Of an even number of units there are two."""
    values = np.array([1.0, 2.0, 3.0])
    order = np.array([2, 0, 1])  # in any order
    units = Units.of(values[order], np.ones(3), np.array(number, dtype=float)[order])
    assert units.medians() == medians


@pytest.mark.parametrize(
    "values, is_difference, one_scale",
    [
        ([0, 1], False, True),
        ([0, 0.5, 1], False, False),
        ([2, 2], False, True),
        ([-1, 0, 1], True, True),
        ([0, 1], True, True),
        ([-1, 0.5, 1], True, False),
        ([-0.5, 1], True, False),
    ],
)
def test_two_values_have_one_scale(values, is_difference, one_scale):
    """So have the differences −d, 0 and d; other samples show more than one distance."""
    units = Units.of(np.array(values, dtype=float), np.ones(len(values)), np.ones(len(values)))
    assert units.have_one_scale(is_difference=is_difference) == one_scale
    assert units.are_equal == (len(set(values)) == 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_support_reaches_as_far_as_it_is_defined(kind, seed):
    """The reach is the larger of the spread about a median and of one deviation and the tail; few units add Student's."""
    units = Units.of(*units_of(kind, seed))
    y, m = spread_out(units.totals, units.sizes, units.number)
    typical, mean = (m**2).sum() / m.sum(), y.sum() / m.sum()
    off = (y - mean * m) / typical
    second, third = (off**2).mean(), (off**3).mean()
    spread = 0.0
    for centre in units.medians():
        away = np.abs(y / m - centre) > 1e-9
        spread = max(spread, np.sqrt((((y - centre * m) / typical)[away] ** 2).mean()))
    tails = [max(sign * third / second, 0.0) for sign in (-1, 1)]
    expected = [max(spread, np.sqrt(second) + tail) for tail in tails]
    assert reaches(units) == pytest.approx(expected)
    factor = (stats.t.ppf(0.975, m.sum() ** 2 / (m**2).sum() - 1) / stats.norm.ppf(0.975)) ** 2
    ends = mean + off.min() - factor * expected[0], mean + off.max() + factor * expected[1]
    found = support_of(units, (-np.inf, np.inf), is_difference=False)
    assert found == pytest.approx(ends)
    bounds = mean + off.min() - 0.01, mean + off.max() + 0.02
    assert support_of(units, bounds, is_difference=False) == pytest.approx(bounds)


@pytest.mark.parametrize(
    "values, low, high",
    [
        ([-1.0, 0.2, 2.0, 3.0], -3.0, None),  # above 0: no lower than minus the largest
        ([1.0, -0.2, -2.0, -3.0], None, 3.0),
        ([-1.0, 0.2, 3.0, 3.0], -3.0, 3.0),  # the largest occurs twice
        ([-3.0, 0.5, 1.0, 3.0], -3.0, 3.0),
    ],
)
def test_differences_end_at_the_largest_one(values, low, high):
    """Exchanging the models changes all signs, so that the support is no wider in the direction of 0."""
    units = Units.of(np.array(values), np.ones(4), np.ones(4))
    plain = support_of(units, (-np.inf, np.inf), is_difference=False)
    expected = plain[0] if low is None else low, plain[1] if high is None else high
    assert support_of(units, (-np.inf, np.inf), is_difference=True) == pytest.approx(expected)


def test_equal_units_have_the_bounds_for_support():
    """They show no scale: the support ends where the values do."""
    units = Units.of(np.array([2.0, 1.0]), np.array([4.0, 2.0]), np.array([1.0, 3.0]))
    assert units.are_equal
    assert not units.are_of_one_size
    assert support_of(units, (0.0, 1.0), is_difference=False) == (0.0, 1.0)
    assert support_of(units, (-np.inf, np.inf), is_difference=True) == (-np.inf, np.inf)


def score_by_likelihood(units, support, null):
    """Return |T| = |Σ e| / sqrt(G Σ q e²), with the weights that maximise the likelihood, found by SciPy's root search."""
    y, m = spread_out(units.totals, units.sizes, units.number)
    e = y - null * m
    typical = (m**2).sum() / m.sum()
    ends = typical * (np.array(support) - null)

    def missing(multiplier):
        return (1 / (1 + multiplier * e)).sum() - len(e)

    total = e.sum()
    furthest = ends[1] if total < 0 else ends[0]
    extreme = min([furthest, *e]) if total > 0 else max([furthest, *e])
    if not extreme * total < 0:
        return np.inf
    top = -1 / extreme  # where one of the weights is infinite
    inner = top * (1 - 1e-12)
    found = top if missing(inner) < 0 else optimize.brentq(missing, 1e-9 * top, inner, xtol=1e-15)
    return np.sqrt(found * total)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("away", [-3.0, -1.0, 0.4, 2.0])
def test_the_score_is_that_of_the_most_likely_weights(kind, away):
    """So it is on either side of the mean, where the end of the support binds and where it does not."""
    units = Units.of(*units_of(kind, 5))
    for wide in (1.0, 50.0):
        support = units.mean - wide * 4 * units.values.std(), units.mean + wide * 5 * units.values.std()
        null = units.mean + away * units.error
        found = score_statistic(units, support, null)
        assert found == pytest.approx(score_by_likelihood(units, support, null), rel=1e-6)
    assert score_statistic(units, support, units.mean) == 0


def test_values_beyond_the_support_are_impossible():
    """The statistic is infinite there, and finite inside."""
    units = Units.of(np.array([0.2, 0.5, 0.9]), np.ones(3), np.ones(3))
    assert score_statistic(units, (0.1, 1.0), 1.0) == np.inf
    assert score_statistic(units, (0.1, 1.0), 0.05) == np.inf
    assert score_statistic(units, (0.1, 1.0), 0.999) < np.inf


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("z", [0.5, 1.96, 4.0])
def test_limits_have_the_quantile_as_their_score(kind, z):
    """Both limits are on their side of the mean, inside the support, and have the statistic z."""
    units = Units.of(*units_of(kind, 7))
    support = support_of(units, (-np.inf, np.inf), is_difference=False)
    low, high = score_limits(units, support, z)
    assert support[0] < low < units.mean < high < support[1]
    assert score_statistic(units, support, low) == pytest.approx(z, rel=1e-6)
    assert score_statistic(units, support, high) == pytest.approx(z, rel=1e-6)


def test_equal_units_have_limits_by_the_support_alone():
    """The limit is the mean of the units and of z² more at the end of the support; none at a bound that they have."""
    units = Units.of(np.array([3.0]), np.array([3.0]), np.array([5.0]))
    low, high = score_limits(units, (0.0, 1.0), 1.5)
    assert low == pytest.approx(5 / (5 + 1.5**2))
    assert high == 1.0
