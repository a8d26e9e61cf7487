"""Sums by class of one table and of many."""

import numpy as np
import pytest

from howsure.designs.cell_sums import degrees_of_freedom_by_class, variance_by_class


def by_hand(counts, squares, truth, slopes):
    """Return the variance and the degrees of freedom of one table, by their definitions."""
    parts, sizes, fourths = [], [], 0.0
    for label in range(truth.max() + 1):
        own = [c for c in np.flatnonzero(truth == label) if counts[c]]
        parts.append(sum(squares[c] * slopes[c] ** 2 for c in own))
        worth = sum(squares[c] for c in own)
        sizes.append(sum(counts[c] for c in own) ** 2 / worth if worth else 0.0)
        fourths += sum(squares[c] ** 3 / counts[c] ** 2 * slopes[c] ** 4 for c in own)
    known = [(part, size) for part, size in zip(parts, sizes, strict=True) if size]
    variance = sum(np.nan if size < 2 - 1e-9 else part * size / (size - 1) for part, size in known)
    welch = sum(parts) ** 2 / sum(part**2 / max(size - 1, 1) for part, size in known)
    return variance, min(welch, 2 * sum(parts) ** 2 / fourths)


@pytest.mark.parametrize("weighted", [False, True])
def test_many_tables_have_the_sums_of_each(weighted):
    """Sums of a batch equal those of each table and the definitions; slopes of empty cells have no effect."""
    rng = np.random.default_rng(1)
    truth = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 2])
    counts = rng.poisson(2.0, (30, 10)) * (rng.gamma(2, size=(30, 10)) if weighted else 1.0)
    squares = counts * (rng.gamma(2, size=(30, 10)) if weighted else 1.0)
    slopes = np.where(counts > 0, rng.normal(size=(30, 10)), np.nan)
    expected = np.transpose(
        [by_hand(*each, truth, slope) for *each, slope in zip(counts, squares, slopes, strict=True)]
    )
    for function, each in zip((variance_by_class, degrees_of_freedom_by_class), expected, strict=True):
        found = function(counts, squares, truth, slopes)
        np.testing.assert_allclose(found, each, rtol=1e-9)
        alone = [function(*one, truth, slope) for *one, slope in zip(counts, squares, slopes, strict=True)]
        np.testing.assert_allclose(alone, each, rtol=1e-9)


def test_no_tables_have_no_sums():
    """A batch may be empty."""
    none = np.ones((0, 4))
    for function in (variance_by_class, degrees_of_freedom_by_class):
        assert function(none, none, np.array([0, 0, 1, 1]), none).shape == (0,)


def test_what_does_not_vary_has_no_end_of_degrees_of_freedom():
    """A form of slope 0 has infinite degrees of freedom, and no variance, in one table and in many."""
    truth, counts = np.array([0, 0, 1, 1]), np.full(4, 3.0)
    assert np.isinf(degrees_of_freedom_by_class(counts, counts, truth, np.zeros(4)))
    many = degrees_of_freedom_by_class(
        np.stack([counts] * 2), counts, truth, np.stack([np.zeros(4), [1.0, -1.0, 1.0, -1.0]])
    )
    assert np.isinf(many[0])
    assert many[1] == pytest.approx(10)  # Welch's; by the tails it is 2 * 12**2 / 12
    assert variance_by_class(counts, counts, truth, np.zeros(4)) == 0
