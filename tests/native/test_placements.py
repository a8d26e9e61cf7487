"""DeLong's sums."""

import numpy as np
import pytest

import howsure as hs
from howsure.native.placements import area, area_slopes, placement_sums


def literal(counts):
    """Return the area, and the sums of squares and fourth powers by class, pair by pair of cases."""
    place = np.arange(len(counts))
    negative, positive = (np.repeat(place, counts[:, side].astype(int)) for side in (0, 1))
    wins = (positive[:, None] > negative) + (positive[:, None] == negative) / 2
    area = wins.mean()
    distances = (wins.mean(0) - area, wins.mean(1) - area)
    return area, [(each**2).sum() for each in distances], [(each**4).sum() for each in distances]


@pytest.mark.parametrize("seed", range(8))
def test_sums_are_those_of_pairs(seed, by_numpy):
    """Area and sums equal those over all pairs of a positive and a negative case, with ties and empty scores."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, (int(rng.integers(2, 60)), 2)).astype(float)
    counts[0] += 1
    area, squares, fourths = literal(counts)
    for sums in (placement_sums(counts), by_numpy(lambda: placement_sums(counts))):
        assert sums.area == pytest.approx(area, rel=1e-12)
        np.testing.assert_allclose(sums.squares, squares, rtol=1e-11, atol=1e-15)
        np.testing.assert_allclose(sums.fourths, fourths, rtol=1e-11, atol=1e-15)
        np.testing.assert_array_equal(sums.cases, counts.sum(0))


@pytest.mark.parametrize("seed", range(4))
def test_slopes_are_the_change_of_the_area_by_a_little_of_a_case(seed, by_numpy):
    """Central differences of the area give the same, in tables of every size next to that of a block."""
    rng = np.random.default_rng(seed)
    counts = rng.random((int(rng.integers(2, 30)), 2))
    step = 1e-6
    expected = np.empty(counts.shape)
    for cell in np.ndindex(counts.shape):
        up, down = counts.copy(), counts.copy()
        up[cell] += step
        down[cell] -= step
        expected[cell] = (area(up) - area(down)) / (2 * step)
    for found in (area_slopes(counts), by_numpy(lambda: area_slopes(counts))):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_a_table_without_a_class_has_no_area(by_numpy):
    """Without negative cases the area is nan."""
    counts = np.array([[0.0, 2.0], [0.0, 1.0]])
    assert np.isnan(placement_sums(counts).area)
    assert np.isnan(by_numpy(lambda: placement_sums(counts)).area)


@pytest.mark.parametrize("method", ["delong", "delong_wald"])
def test_intervals_are_those_of_the_design(method, by_numpy):
    """DeLong's interval from the sums equals that from the variance of weighted cases with all weights 1."""
    rng = np.random.default_rng(3)
    for size in (12, 80, 500):
        true = np.arange(size) % 2
        score = rng.normal(true).round(1)
        weighted = hs.scores(true, score, groups=np.arange(size))
        one = hs.estimate(hs.scores(true, score), "roc_auc", method=method)
        other = by_numpy(lambda true=true, score=score: hs.estimate(hs.scores(true, score), "roc_auc", method=method))
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)
        pairs = literal(hs.scores(true, score).counts)
        variance = sum(square / (size / 2) / (size / 2 - 1) for square in pairs[1])
        assert one.standard_error == pytest.approx(np.sqrt(variance), rel=1e-12)
        assert hs.estimate(weighted, "roc_auc", method=method).value == pytest.approx(one.value, rel=1e-12)
