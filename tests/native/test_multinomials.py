"""Multinomial draws."""

import numpy as np
import pytest
from scipy import stats

from howsure.designs.sampling import multinomial
from howsure.native.multinomials import FEW, multinomials

KEY = np.uint64(2**64 - 9)
KINDS = {
    "one cell": [7],
    "two": [3, 4],
    "empty": [0, 0, 5, 0, 0],
    "nothing": [0, 0, 0],
    "ones": [1] * 37,
    "mixed": [0, 1, 2, 90_000, 25, 11, 0, 800, 19, 20, 21],
    "huge": [10**9, 3 * 10**9, 1, 0, 40],
}


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("draws", [0, 1, 255, 256, 257, 3_000])
@pytest.mark.parametrize("kind", KINDS)
def test_compiled_draws_are_those_of_numpy(kind, draws, by_numpy):
    """The compiled kernel gives the very bits that NumPy gives; each table has all cases, and none in empty cells."""
    counts = np.array(KINDS[kind])
    found = multinomials(counts, draws, KEY)
    np.testing.assert_array_equal(found, by_numpy(lambda: multinomials(counts, draws, KEY)))
    assert (found.sum(0) == counts.sum()).all()
    assert (found >= 0).all()
    assert not found[counts == 0].any()
    assert (found == np.floor(found)).all()


@pytest.mark.parametrize(
    "n, p",
    [(2, 0.5), (9, 0.3), (19, 0.5), (20, 0.5), (21, 0.6), (40, 0.25), (1_000, 0.0101), (90, 0.9), (10**6, 0.2)],
)
def test_a_split_is_binomial(n, p):
    """Counts of one of two cells have SciPy's binomial distribution, on either side of the change of method."""
    some = round(n * p)
    drawn = multinomials(np.array([some, n - some]), 200_000, np.uint64(3))[0]
    exact = stats.binom(n, some / n)
    edges = np.unique(exact.ppf(np.linspace(0.0005, 0.9995, 60)))
    expected = np.diff(np.concatenate([[0.0], exact.cdf(edges), [1.0]])) * len(drawn)
    observed = np.bincount(np.searchsorted(edges, drawn), minlength=len(edges) + 1)
    kept = expected > 1
    chi = ((observed - expected)[kept] ** 2 / expected[kept]).sum()
    assert stats.chi2(kept.sum() - 1).sf(chi) > 1e-4


def test_cells_vary_and_covary_as_a_multinomial():
    """Means are the counts, and the covariances those of the multinomial distribution, of all pairs of cells."""
    counts, size = np.array([1, 2, 3, 5, 8, 13, 40, 130, 900, 4_000]), 100_000
    drawn = multinomials(counts, size, np.uint64(4))
    share = counts / counts.sum()
    exact = counts.sum() * (np.diag(share) - np.outer(share, share))
    z = (drawn.mean(1) - counts) / np.sqrt(np.diag(exact) / size)
    assert np.abs(z).max() < 4
    scale = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    assert np.abs((np.cov(drawn) - exact) / scale * np.sqrt(size)).max() < 8  # the rarest cell's kurtosis is 4


@pytest.mark.parametrize("mean", [FEW, 10.7, 12.3, 20, 100, 1e4])
@pytest.mark.parametrize("p", [1e-6, 0.03, 0.2, 0.5])
def test_the_hat_is_above_the_chances_and_the_squeeze_below(mean, p):
    """Transformed rejection is exact if the hat is never too low, and the squeeze never too high."""
    n = np.ceil(mean / p)
    end = np.concatenate([np.geomspace(1e-12, 0.07, 4_000), np.linspace(0.07, 0.5, 4_000)])
    u = np.concatenate([0.5 - end, end - 0.5])
    end = np.concatenate([end, end])
    b = 1.15 + 2.53 * np.sqrt(n * p * (1 - p))
    a = -0.0873 + 0.0248 * b + 0.01 * p
    k = np.floor((2 * a / end + b) * u + n * p + 0.5)
    chance = stats.binom.pmf(k, n, p) * np.sqrt(2 * np.pi * (n + 1) * p * (1 - p))
    taken = chance * (a / end**2 + b) / ((2.83 + 5.1 / b) * np.sqrt(n * p * (1 - p)))
    assert taken.max() < 1
    assert (taken[end >= 0.07] >= 0.92 - 4.2 / b).all()


def test_many_poor_cells_beside_rich_ones_are_multinomial():
    """Cells of few cases, drawn by weights, have the means and variances of a multinomial, and every table all cases."""
    rng = np.random.default_rng(5)
    counts = np.concatenate([rng.integers(0, 9, 600), [5_000, 9_000]])
    drawn = multinomial(counts, 20_000, np.random.default_rng(6))
    assert drawn.shape == (20_000, 602)
    assert (drawn.sum(1) == counts.sum()).all()
    assert not drawn[:, counts == 0].any()
    variance = counts * (1 - counts / counts.sum())
    filled = counts > 0
    z = (drawn.mean(0) - counts)[filled] / np.sqrt(variance[filled] / 20_000)
    assert stats.kstest(z, "norm").pvalue > 1e-3
    np.testing.assert_allclose(drawn.var(0)[filled], variance[filled], rtol=0.08)
    pairs = np.corrcoef(drawn[:, -1], drawn[:, filled].sum(1) - drawn[:, -1])[0, 1]
    assert pairs == pytest.approx(-1)


def test_more_draws_begin_with_the_same():
    """The first draws of a key do not depend on how many follow."""
    counts = np.array([40, 3, 700, 12, 0, 9])
    np.testing.assert_array_equal(multinomials(counts, 1_000, KEY)[:, :77], multinomials(counts, 77, KEY))
