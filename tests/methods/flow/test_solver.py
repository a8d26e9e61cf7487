"""The limit between points of a path: by the parabola through three of them, while it is monotone."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.interpolate import BarycentricInterpolator

import howsure as hs
from howsure.methods.flow import exponential_tilting, solver
from howsure.methods.flow.all_cells import PathTables, Scale, TooSteepError
from howsure.methods.flow.flow import Flow
from howsure.metrics.binding import resolve
from howsure.tables.confusion import ConfusionTable

PLACES = np.linspace(1.0, 3.0, 41)
THREE = {
    "a bend": ((-0.6, 1.0, 3.0), (-0.5, 0.7, 2.6)),
    "a bend down": ((-2.0, 1.0, 3.0), (0.5, 0.3, -0.1)),
    "a line": ((0.5, 1.0, 3.0), (1.0, 2.0, 6.0)),
    "hardly apart": ((1.0 - 1e-5, 1.0, 3.0), (1.0 - 1.2e-5, 1.0, 3.5)),
}
STEEP = {
    "steep before": ((0.9, 1.0, 3.0), (-5.0, 1.0, 2.0)),
    "back before": ((0.9, 1.0, 3.0), (1.5, 1.0, 5.0)),
    "steep before, down": ((0.9, 1.0, 3.0), (6.0, 1.0, 0.5)),
}


def by_both(place, at, values):
    """Return the value of the batch and of one table, which must agree."""
    with np.errstate(divide="ignore"):
        batch = solver._between(np.array(place), *(tuple(map(np.array, each)) for each in (at, values)))
    assert exponential_tilting._between(place, list(at), list(values)) == pytest.approx(
        float(batch), rel=1e-13, abs=1e-13
    )
    return float(batch)


@pytest.mark.parametrize("case", THREE)
def test_between_points_lies_the_parabola_through_three(case):
    """Where the parabola through three points is monotone between the last two, its values are taken."""
    at, values = THREE[case]
    found = [by_both(place, at, values) for place in PLACES]
    np.testing.assert_allclose(found, BarycentricInterpolator(at, values)(PLACES), rtol=1e-9)
    assert (np.diff(found) * (values[2] - values[1]) > 0).all()


@pytest.mark.parametrize("case", STEEP)
def test_a_parabola_that_turns_is_bent_until_it_is_level_at_one_end(case):
    """If it would turn between the last two points, use the one through both that is level at one of them."""
    at, values = STEEP[case]
    _, start, stop = values
    assert np.ptp(np.sign(np.diff(BarycentricInterpolator(at, values)(PLACES)))) > 0
    share = (PLACES - at[1]) / (at[2] - at[1])
    level = 1 - (1 - share) ** 2 if case.startswith("steep") else share**2
    np.testing.assert_allclose(
        [by_both(place, at, values) for place in PLACES], start + (stop - start) * level, atol=1e-12
    )


def test_two_points_in_one_place_have_a_line():
    """If two points coincide, the value is linear to the last one."""
    at, values = (1.0, 1.0, 3.0), (0.8, 1.0, 5.0)
    assert [by_both(place, at, values) for place in (1.0, 1.5, 2.0, 2.9)] == pytest.approx([1.0, 2.0, 3.0, 4.8])
    near = (1.0 - 9e-7, 1.0, 3.0)
    assert by_both(2.0, near, values) == pytest.approx(3.0, abs=1e-12)


def test_outside_the_last_two_points_there_is_one_of_them():
    """Not beyond the second point it is its value; from the last point on, or where that ends the path, the last one's."""
    at, values = tuple(map(np.array, (-0.5, 1.0, 3.0))), tuple(map(np.array, (-0.5, 0.7, 2.6)))
    assert [float(solver._between(np.array(place), at, values)) for place in (-9.0, 0.0, 1.0)] == [0.7, 0.7, 0.7]
    assert [float(solver._between(np.array(place), at, values)) for place in (3.0, 3.5)] == [2.6, 2.6]
    assert exponential_tilting._between(0.5, [-0.5, 1.0, 3.0], [-0.5, 0.7, 2.6]) == 0.7
    end = (np.array(-0.5), np.array(1.0), np.array(exponential_tilting.FARTHEST))
    assert float(solver._between(np.array(2.0), end, values)) == 2.6


def test_limits_are_those_of_a_path_of_many_more_points(monkeypatch):
    """Strides of a fortieth of the length give the same limits of F1 as the parabola between points."""

    def limits():
        table = hs.from_counts([[50, 3], [5, 42]])  # which keeps its paths
        found = [
            hs.estimate(table, "f1", method="flow", confidence_level=each) for each in (0.3, 0.5, 0.8, 0.9, 0.95, 0.99)
        ]
        return np.array([(each.low, each.high) for each in found])

    usual = limits()
    for module in ("solver", "all_cells", "class_averages", "exponential_tilting"):
        monkeypatch.setattr(f"howsure.methods.flow.{module}.STRIDE", exponential_tilting.STRIDE / 40, raising=False)
    for module in ("solver", "exponential_tilting"):
        monkeypatch.setattr(f"howsure.methods.flow.{module}.MOST_STRIDES", 4000)
    fine = limits()
    assert not np.array_equal(usual, fine)
    np.testing.assert_allclose(usual, fine, atol=2e-4)


@pytest.mark.parametrize(
    "metric", ["npv_at+prevalence=0.3@geometric", "npv_at+prevalence=0.3@harmonic", "recall@geometric"]
)
def test_slopes_of_empty_cells_shorten_no_stride(metric):
    """A label that never occurs adds empty cells, along which the path does not go."""
    counts = np.array([[1, 5], [3, 3]])
    few = hs.estimate(hs.from_counts(counts), metric, confidence_level=0.8)
    more = hs.estimate(hs.from_counts(np.pad(counts, (0, 2)), check=False), metric, confidence_level=0.8)
    assert (more.low, more.high) == pytest.approx((few.low, few.high), rel=1e-9)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_the_observed_value_is_inside_where_pseudo_counts_outweigh_a_class(level):
    """Three cases of a class with 95 % of the weight move the start of the path far above the observed value."""
    found = hs.estimate(hs.from_counts([[3, 0], [3, 52]]), "fpr@weighted", method="flow", confidence_level=level)
    assert 0 <= found.low < 0.8 * found.value
    wider = hs.estimate(hs.from_counts([[3, 0], [3, 52]]), "fpr@weighted", method="flow", confidence_level=level + 5e-4)
    assert wider.low <= found.low
    assert wider.high >= found.high


def test_the_largest_value_that_a_path_reaches_stays_its_limit():
    """With a class of constant precision 0, three others that are perfect have the largest possible average."""
    counts = np.diag([0, 0, 2, 16, 11])
    counts[3, 0] = 1
    found = hs.estimate(hs.from_counts(counts), "precision@macro", method="flow")
    assert found.value == found.high == 0.75


@pytest.mark.parametrize("shape", [0.8, 5.0, 400.0])
def test_the_quantile_of_a_skewed_statistic_is_wilson_and_hilfertys(shape):
    """A gamma variable's cubic root is nearly normal; the sign is that of the way, and no skewness changes nothing."""
    at = np.array([0.3, 0.9, 1.0, 2.5]) * shape
    statistic, skewness = (at - shape) / np.sqrt(shape), np.full(4, 2 / np.sqrt(shape))
    expected = 3 * np.sqrt(shape) * (np.cbrt(at / shape) - 1 + 1 / (9 * shape))
    down, up = solver._quantile(statistic, skewness)
    assert down == pytest.approx(expected)
    assert up == pytest.approx(-expected)
    assert solver._quantile(-statistic, -skewness)[1] == pytest.approx(expected)  # mirrored
    assert solver._quantile(statistic, np.zeros(4))[0] == pytest.approx(statistic, rel=1e-5, abs=1e-5)


def test_the_skewness_of_a_value_allows_for_its_changing_variance():
    """Of a variance that is a quadratic function of the value, the derivative is exact: 3/2 of it less half the third moment."""

    def at(value):
        value = np.array(value)
        return np.array([value, 0.3 + 0.2 * value + 0.7 * value**2, 0.1 + 0 * value, 0 * value])

    here = value, variance, *_ = at([0.5, -0.4])
    found = solver._bent_skewness(here, at([0.3, -0.1]), at([-0.2, 0.5]))
    slope = 0.2 + 1.4 * value
    assert found == pytest.approx((1.5 * slope - 0.05 / variance) / np.sqrt(variance))


def test_paths_are_continued_for_a_larger_quantile(monkeypatch):
    """A larger quantile continues the paths that were walked last, from their last points."""
    strides, ahead = [], PathTables.ahead
    monkeypatch.setattr(PathTables, "ahead", lambda *args: strides.append(args) or ahead(*args))
    counts = np.array([[[50.0, 3], [5, 42]], [[5, 1], [0, 2]], [[900, 20], [1, 2]]])
    tables = ConfusionTable(counts=counts, labels=np.array([0, 1]))
    metric = resolve("kappa", tables)

    def path():
        (found,) = Flow().at_levels(metric, tables).paths.blocks
        return found

    continued, direct = path(), path()
    continued.limits(np.full(3, 4.0))
    known, is_last = len(continued.values), continued.trace.is_walking
    assert not is_last.all()
    strides.clear()
    found = continued.limits(np.where(is_last, 6.0, 4.0))
    assert len(strides) == len(continued.values) - known
    assert found == pytest.approx(direct.limits(np.where(is_last, 6.0, 4.0)), rel=1e-12)


def test_several_strides_end_before_one_that_is_too_steep(monkeypatch):
    """Of several strides at once only the first must be possible: the limits may not need the others."""
    tables, ahead = hs.from_counts(20 * np.eye(30) + 1.0), PathTables.ahead
    (path,) = Flow().at_levels(resolve("kappa", tables), tables).paths.blocks
    path.limits(np.array([1.0]))
    outcomes = [ahead, ahead, None, None]

    def steep_later(*args):
        possible = outcomes.pop(0)
        if possible is None:
            raise TooSteepError
        return possible(*args)

    monkeypatch.setattr(PathTables, "ahead", steep_later)
    assert len(path.trace._strides(path, 3)) == 2
    with pytest.raises(TooSteepError):
        path.trace._strides(path, 3)


def test_paths_of_other_tables_are_kept():
    """The shorter of two paths is continued by its last value."""
    one, other = np.arange(6.0).reshape(3, 1, 2), np.arange(10.0, 20.0).reshape(5, 1, 2)
    found = solver._merged(np.array([True, False]), one, other)
    assert found[:, 0, 0].tolist() == [0, 2, 4, 4, 4]
    assert found[:, 0, 1].tolist() == [11, 13, 15, 17, 19]
    back = solver._merged(np.array([True, False]), other, one)
    assert back[:, 0].T.tolist() == [[10, 12, 14, 16, 18], [1, 3, 5, 5, 5]]
    assert solver._merged(np.array([True, True]), one, other) is one


def walked(distances, values, observed, *, scale=None, bounds=(-9.0, 9.0)):
    """Return a path with these stops down and up, after its start, whose end is known."""
    found = solver.Path.__new__(solver.Path)
    first = [-distances[1][1]], [-distances[0][1]]  # one stop on the other way
    before = [values[1][1]], [values[0][1]]
    found.distances = np.array([[*first[way], *distances[way]] for way in (0, 1)]).T[..., None]
    found.values = np.array([[*before[way], *values[way]] for way in (0, 1)]).T[..., None]
    found.observed = np.array([observed])
    found.bounds, found.reach = bounds, np.array([np.inf])
    found.ends = np.array(bounds)[:, None]
    found.tables = SimpleNamespace(scale=scale or Scale())
    found.start = SimpleNamespace(value=np.array([[values[0][0]]]))
    return found


def test_limits_are_between_the_stops_of_a_path():
    """On straight ways the limit is linear in the quantile; beyond the last stop it is the bound."""
    straight = walked(
        [[0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0]], [[0.0, -0.6, -1.2, -1.8], [0.0, 0.6, 1.2, 1.8]], 0.0
    )
    with np.errstate(all="ignore"):  # as of the callers
        assert straight.limits(np.array([3.01])).ravel().tolist() == [-9, 9]
    for z in (0.4, 1.0, 1.7, 2.9, 3.0):
        assert straight.limits(np.array([z])).ravel() == pytest.approx([-0.6 * z, 0.6 * z])


def test_quantiles_count_from_where_a_late_path_passes_the_observed_value():
    """Half a quantile before it: of a path that starts far above the observed value."""
    late = walked(
        [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]],
        [[2.0, 1.5, 1.0, 0.5, 0.0, -0.5], [2.0, 2.5, 3.0, 3.5, 4.0, 4.5]],
        0.9,
    )
    assert late._passes().ravel().tolist() == [True, True]
    assert late._quantile_of_passing().ravel() == pytest.approx([2.2, 0.0])
    low, high = late.limits(np.array([1.0])).ravel()
    assert low == pytest.approx(2 - 0.5 * (1 + 2.2 - 0.5))
    assert high == pytest.approx(2.5)
    above = walked([[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]], [[0.0, -1.0, -2.0], [0.0, 1.0, 2.0]], 2.5)
    assert above._passes().ravel().tolist() == [True, False]


def test_remote_limits_of_a_logarithmic_scale_are_the_bounds():
    """More than six powers of ten from the start rounding decides; on the identity such values are kept."""
    for distance, is_remote in ((13.0, False), (14.5, True)):
        ways = [0.0, 1.0, 2.0], [0.0, 1.0, 2.0]
        values = [0.0, -distance / 2, -distance], [0.0, distance / 2, distance]
        found = walked(ways, values, 0.0, scale=Scale(1.0, 0.0), bounds=(0.0, np.inf)).limits(np.array([2.0])).ravel()
        expected = (0, np.inf) if is_remote else (np.exp(-distance), np.exp(distance))
        assert found == pytest.approx(expected)
        plain = walked(ways, values, 0.0).limits(np.array([2.0])).ravel()
        assert plain == pytest.approx((-distance, distance))
