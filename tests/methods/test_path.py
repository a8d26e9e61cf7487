"""The limit between points of a path: by the parabola through three of them, while it is monotone."""

import numpy as np
import pytest
from scipy.interpolate import BarycentricInterpolator

import howsure as hs
from howsure.methods import path, tilting

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
        batch = path._between(np.array(place), *(tuple(map(np.array, each)) for each in (at, values)))
    assert tilting._between(place, list(at), list(values)) == pytest.approx(float(batch), rel=1e-13, abs=1e-13)
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
    assert [float(path._between(np.array(place), at, values)) for place in (-9.0, 0.0, 1.0)] == [0.7, 0.7, 0.7]
    assert [float(path._between(np.array(place), at, values)) for place in (3.0, 3.5)] == [2.6, 2.6]
    assert tilting._between(0.5, [-0.5, 1.0, 3.0], [-0.5, 0.7, 2.6]) == 0.7
    end = (np.array(-0.5), np.array(1.0), np.array(tilting.FARTHEST))
    assert float(path._between(np.array(2.0), end, values)) == 2.6


def test_limits_are_those_of_a_path_of_many_more_points(monkeypatch):
    """Strides of a fortieth of the length give the same limits of F1 as the parabola between points."""

    def limits():
        table = hs.from_counts([[50, 3], [5, 42]])  # which keeps its paths
        found = [
            hs.estimate(table, "f1", method="flow", confidence_level=each) for each in (0.3, 0.5, 0.8, 0.9, 0.95, 0.99)
        ]
        return np.array([(each.low, each.high) for each in found])

    usual = limits()
    for module in ("path", "path_tables", "path_classes", "tilting"):
        monkeypatch.setattr(f"howsure.methods.{module}.STRIDE", tilting.STRIDE / 40, raising=False)
    for module in ("path", "tilting"):
        monkeypatch.setattr(f"howsure.methods.{module}.MOST_STRIDES", 4000)
    fine = limits()
    assert not np.array_equal(usual, fine)
    np.testing.assert_allclose(usual, fine, atol=2e-4)


@pytest.mark.parametrize("metric", ["npv_at@geometric", "npv_at@harmonic", "recall@geometric"])
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
