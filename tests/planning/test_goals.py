"""Goals of a study: what is expected of so many cases, against closed forms, and the number that is enough."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from howsure.methods.core.interval import Interval
from howsure.planning.goals import MOST, Shown, Spread, Support, Width

ABOVE, BELOW = (0.85, math.inf), (-math.inf, 0.85)
BETWEEN = (0.8, 0.97)
SPREAD = Spread(value=0.9, variance=0.09, null_variance=0.1275)
Z = stats.norm.ppf(0.975)


def limits(low, high):
    """Return intervals with these limits."""
    return Interval(np.array(low), np.array(high))


class Classes:
    """As a batch of tables."""

    class_totals = np.array([[10, 30], [9, 40], [10, 29], [11, 31]])


def test_a_width_takes_the_cases_of_its_closed_form():
    """The width of n cases is 2 z s / √n, and that many are enough from (2 z s / width)² on."""
    goal = Width(target=0.05, level=0.95)
    assert goal.expected(SPREAD, 400) == pytest.approx(2 * Z * 0.3 / 20)
    assert goal.cases(SPREAD) == pytest.approx((2 * Z * 0.3 / 0.05) ** 2, rel=1e-9)
    assert [goal.suffices(each) for each in (0.049, 0.05, 0.051)] == [True, True, False]
    assert Width(target=1e-7, level=0.95).cases(SPREAD) == math.inf
    assert goal.precision == pytest.approx(0.003 * 0.05)
    assert (goal.neighbours, goal.is_exact, goal.is_unreachable(0.0, 1.0)) == (0, False, False)
    assert goal.seen(None, limits([0.1, 0.4], [0.3, 0.95])) == pytest.approx([0.2, 0.55])
    assert goal.steadied(0.07, 3) == 0.07


@pytest.mark.parametrize("goal", [Width(0.1, 0.95), Shown(0.8, 0.95, (ABOVE,)), Support(0.8, np.ones(1), np.ones(1))])
def test_scales_and_places_have_their_inverse(goal):
    """On its scale a goal is about a straight line of the place: the logarithms, or a normal quantile and a root."""
    for value in (0.03, 0.5, 0.97):
        assert goal.unscaled(goal.scaled(value)) == pytest.approx(value)
        assert goal.number(goal.place(100 * value)) == pytest.approx(100 * value)
    is_width = isinstance(goal, Width)
    assert goal.scaled(0.3) == pytest.approx(math.log(0.3) if is_width else stats.norm.ppf(0.3))
    assert goal.place(49.0) == pytest.approx(math.log(49) if is_width else 7)
    if not is_width:
        assert (goal.neighbours, goal.precision) == (3, 0.005)
        assert goal.number(-2.0) == 0
        assert goal.scaled(0.0) == pytest.approx(stats.norm.ppf(1e-12))
        assert goal.scaled(1.0) == pytest.approx(stats.norm.ppf(1 - 1e-12))
        assert goal.steadied(1.0, 19) == pytest.approx(19.5 / 20)
        assert goal.steadied(0.0, 19) == pytest.approx(0.5 / 20)
        assert [goal.suffices(each) for each in (0.79, 0.8, 0.81)] == [False, True, True]


@pytest.mark.parametrize("regions", [(ABOVE,), (BELOW,), (ABOVE, BELOW), (BETWEEN,)])
@pytest.mark.parametrize("value", [0.7, 0.84, 0.9, 0.96])
def test_a_power_is_the_chance_of_limits_within_a_region(regions, value):
    """The limits are z null errors from a normal estimate: the chance that both are inside, summed over regions."""
    spread, n = Spread(value, 0.09, 0.1275), 250
    error, reach = 0.3 / math.sqrt(n), Z * math.sqrt(0.1275 / n)
    estimate = stats.norm(value, error)
    expected = 0.0
    for low, high in regions:
        if low + reach < high - reach:
            expected += estimate.cdf(high - reach) - estimate.cdf(low + reach)
    assert Shown(0.8, 0.95, regions).expected(spread, n) == pytest.approx(expected, abs=1e-12)


def test_a_power_takes_the_cases_at_which_it_is_reached():
    """The number is the root of the power; a value outside of the region is never shown."""
    goal = Shown(0.8, 0.95, (ABOVE,))
    root = optimize.brentq(lambda n: goal.expected(SPREAD, n) - 0.8, 10, 10**4)
    assert goal.cases(SPREAD) == pytest.approx(root, rel=1e-9)
    closed = (Z * math.sqrt(0.1275) + stats.norm.ppf(0.8) * 0.3) ** 2 / 0.05**2
    assert goal.cases(SPREAD) == pytest.approx(closed, rel=1e-9)
    assert Shown(0.8, 0.95, (BELOW,)).cases(SPREAD) == math.inf
    assert goal.expected(SPREAD, MOST) == pytest.approx(1)


@pytest.mark.parametrize(
    "regions, low, high, expected",
    [
        ((ABOVE,), 0.86, 0.9, False),
        ((ABOVE,), 0.85, 0.9, True),
        ((BELOW,), 0.7, 0.84, False),
        ((BELOW,), 0.7, 0.85, True),
        ((ABOVE, BELOW), 0.7, 0.8, False),
        ((ABOVE, BELOW), 0.8, 0.9, True),
        ((BETWEEN,), 0.8, 0.9, True),
    ],
)
def test_a_value_that_may_lie_outside_may_not_be_shown(regions, low, high, expected):
    """Where the pilot leaves values outside of every region, no number of cases may be enough."""
    assert Shown(0.8, 0.95, regions).is_unreachable(low, high) is expected


def test_a_study_shows_what_its_interval_lies_in():
    """Both limits are strictly inside one region; a study without an interval shows nothing."""
    intervals = limits([0.86, 0.85, 0.5, 0.82, np.nan], [0.9, 0.9, 0.84, 0.96, np.nan])
    assert Shown(0.8, 0.95, (ABOVE,)).seen(None, intervals).tolist() == [1, 0, 0, 0, 0]
    assert Shown(0.8, 0.95, (ABOVE, BELOW)).seen(None, intervals).tolist() == [1, 0, 1, 0, 0]
    assert Shown(0.8, 0.95, (BETWEEN,)).seen(None, intervals).tolist() == [1, 1, 0, 1, 0]


def test_enough_cases_of_each_class_are_binomial():
    """Each class with a minimum has its binomial chance, the others none; fewer cases than the minimum never do."""
    goal = Support(0.8, np.array([0.6, 0.3, 0.1]), np.array([30.0, 12.0, 0.0]))
    for n in (29, 30, 60, 100):
        expected = stats.binom.sf(29, n, 0.6) * stats.binom.sf(11, n, 0.3)
        assert goal.expected(SPREAD, n) == pytest.approx(expected, abs=1e-14)
    single = Support(0.8, np.array([0.9, 0.1]), np.array([0.0, 1.0]))
    assert single.expected(SPREAD, 7) == pytest.approx(1 - 0.9**7)
    assert goal.is_exact
    seen = Support(0.8, np.array([0.3, 0.7]), np.array([10.0, 30.0])).seen(Classes, limits([], []))
    assert seen.tolist() == [1, 0, 0, 1]
    n = math.ceil(goal.cases(SPREAD))
    assert goal.expected(SPREAD, n - 1) < 0.8 <= goal.expected(SPREAD, n)
