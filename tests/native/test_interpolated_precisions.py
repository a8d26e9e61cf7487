"""Interpolated average precisions of many tables of detections follow their definition, compiled or not."""

from fractions import Fraction

import numpy as np
import pytest

from howsure.native.interpolated_precisions import interpolated_precisions

RECALLS = np.linspace(0.0, 1.0, 101)


def by_definition(false, hits, misses):
    """Return the mean over recalls of the largest precision at this recall or above, in whole numbers."""
    false, hits = np.cumsum(false[::-1]).tolist(), np.cumsum(hits[::-1]).tolist()
    truths = (hits[-1] if hits else 0) + misses
    if not truths:
        return np.nan
    precisions = [Fraction(hit, hit + wrong) if hit else Fraction(0) for hit, wrong in zip(hits, false, strict=True)]
    total = Fraction(0)
    for recall in RECALLS.tolist():
        total += max((p for p, hit in zip(precisions, hits, strict=True) if hit / truths >= recall), default=0)
    return float(total / len(RECALLS))


@pytest.mark.parametrize("draws", [0, 1, 3, 4, 5, 9])
@pytest.mark.parametrize("scores", [0, 1, 2, 40])
@pytest.mark.parametrize("unit", [1, 2**40])
def test_each_table_has_the_precision_of_its_definition(draws, scores, unit, by_numpy):
    """Tables with ties and with no truths, and between other cells; rounded to 1e-12."""
    rng = np.random.default_rng([draws, scores])
    cells = unit * rng.poisson(0.7, (draws, 2 * scores + 4))
    cells[1:2, 2:-1] = 0  # no truths
    expected = [by_definition(row[2:-2:2], row[3:-2:2], int(row[-2])) for row in cells]
    for call in (lambda ask: ask(), by_numpy):
        np.testing.assert_allclose(
            call(lambda: interpolated_precisions(cells.astype(float), 2, scores)), expected, rtol=1e-12, atol=1e-15
        )


@pytest.mark.parametrize("error", [-1e-12, 1e-12])
def test_rounded_counts_have_the_precision_of_whole_ones(error, by_numpy):
    """Counts of cases with a common weight, divided by it, are whole but for rounding."""
    counts = np.random.default_rng(0).poisson(0.7, (40, 62))
    expected = [by_definition(row[0:-2:2], row[1:-2:2], int(row[-2])) for row in counts]
    cells = counts * (1 + error)
    for call in (lambda ask: ask(), by_numpy):
        found = call(lambda: interpolated_precisions(cells, 0, 30))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_sums_of_weights_reach_a_recall_that_they_nearly_have(by_numpy):
    """Seven of ten truths of weight 0.3 reach the recall 0.7, which is a little more in floating point."""
    cells = np.array([[0.0, 2.1, 2.7, 0.3, 0.6]])  # 7 of 10 without a false alarm, then 8 of 17
    for call in (lambda ask: ask(), by_numpy):
        (found,) = call(lambda: interpolated_precisions(cells[:, [2, 3, 0, 1, 4]], 0, 2))
        assert found == pytest.approx((71 + 10 * 8 / 17) / 101, abs=1e-15)
