"""Weights of resampled cases."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.designs.sampling import multinomial
from howsure.native.resampling import MOST_OF_BLOCK, Resamples, block_weights, blocks_of, poisson


def weights_of(resamples):
    """Return the weights of all resamples, ``(cases, resamples)``."""
    return np.concatenate([resamples.weights(eight) for eight in range(len(resamples.keys))], axis=1)


@pytest.mark.parametrize("cases", [1, 2, 3, 255, 4095, 4096, 4097, 10_000])
def test_weights_sum_to_the_cases(cases, by_numpy):
    """Each resample has the number of cases, for any number."""
    resamples = Resamples.drawn(cases, 64, np.random.default_rng(0))
    for weights in (weights_of(resamples), by_numpy(lambda: weights_of(resamples))):
        assert (weights.sum(0, dtype=int) == cases).all()


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("cases", [1, 2, 17, 300, 4096, 4097, 9001])
def test_compiled_weights_are_those_of_numpy(cases, by_numpy):
    """The compiled kernel gives exactly the weights that NumPy gives."""
    resamples = Resamples.drawn(cases, 200, np.random.default_rng(cases))
    np.testing.assert_array_equal(weights_of(resamples), by_numpy(lambda: weights_of(resamples)))


@pytest.mark.usefixtures("compiled")
def test_totals_far_from_the_mean_are_kept(by_numpy):
    """Blocks whose totals are far too small or too large still get them, the same compiled and by NumPy."""
    rng = np.random.default_rng(1)
    totals = rng.integers(0, 2_000, size=(3, 16)).astype(np.uint32)
    totals[:, 0] = 0
    resamples = Resamples(9_000, rng.integers(2**63, size=2, dtype=np.uint64), totals)
    weights = weights_of(resamples)
    np.testing.assert_array_equal(weights, by_numpy(lambda: weights_of(resamples)))
    found = np.add.reduceat(weights.astype(int), [first for first, _ in blocks_of(9_000)], axis=0)
    np.testing.assert_array_equal(found, totals)


def test_blocks_are_equal_but_for_one_case():
    """Blocks are consecutive, contain all cases, and differ in size by at most one."""
    for cases in (1, 4096, 4097, 12_289, 1_000_000):
        blocks = np.array(blocks_of(cases))
        sizes = np.diff(blocks, axis=1)
        assert blocks[0, 0] == 0
        assert blocks[-1, 1] == cases
        assert (blocks[1:, 0] == blocks[:-1, 1]).all()
        assert np.ptp(sizes) <= 1
        assert sizes.max() <= MOST_OF_BLOCK


@pytest.mark.parametrize("size", [1, 64, 300, 2500, 4096])
def test_bytes_and_words_together_have_the_poisson_distribution(size):
    """The chance of each weight, by its bytes and by the words of the other bytes, is Poisson's to 14 digits."""
    one = poisson(size)
    mean = max(1 - 2.5 * np.sqrt(2 / size), 0.25)
    whole = np.diff(np.concatenate([[0], one.levels.astype(float)])) / 256
    left = 1 - one.levels[-1] / 256
    ends = np.concatenate([[0.0], one.atoms.astype(float) / 2**64, [1.0]])
    chance = left * np.diff(ends)
    chance[: len(whole)] += whole
    np.testing.assert_allclose(chance, stats.poisson.pmf(np.arange(16), mean), atol=3e-14)


def test_guide_agrees_with_the_words_that_it_stands_for():
    """Where the first byte of a word decides a weight, it is that of the first and of the last word with this byte."""
    one = poisson(4096)
    first = np.arange(256, dtype=np.uint64) << np.uint64(56)
    last = first | np.uint64(2**56 - 1)
    lowest, highest = (np.searchsorted(one.atoms, words, "right") for words in (first, last))
    known = one.guide < 128
    assert known.sum() > 200
    np.testing.assert_array_equal(one.guide[known], lowest[known])
    np.testing.assert_array_equal(one.guide[known], highest[known])


@pytest.mark.thorough
def test_weights_are_one_multinomial_draw():
    """Sums of weights over random sets of cases, and pairs of weights, vary like a multinomial.

    For a set of k among n cases the sum is binomial (n, k / n): its distribution function passes a test of uniformity.
    Over cases, weights have mean 1, variance 1 - 1/n, and correlation -1 / (n - 1).
    """
    cases, rng = 5_000, np.random.default_rng(3)
    weights = weights_of(Resamples.drawn(cases, 4_000, rng)).astype(float)
    for size in (50, 700, 2_500):
        some = rng.permutation(cases)[:size]
        sums = weights[some].sum(0)
        null = stats.binom(cases, size / cases)
        uniform = null.cdf(sums - 1) + rng.random(len(sums)) * null.pmf(sums)
        assert stats.kstest(uniform, "uniform").pvalue > 1e-3
    number = np.bincount(weights.astype(int).ravel(), minlength=12)
    expected = stats.binom(cases, 1 / cases).pmf(np.arange(12)) * weights.size
    assert stats.chisquare(number[:9], expected[:9] * number[:9].sum() / expected[:9].sum()).pvalue > 1e-3
    followed = (weights[:-1] * weights[1:]).mean() - 1
    assert abs(followed) < 5 / np.sqrt(weights.size)


def test_removed_cases_are_removed_at_random():
    """If Poisson draws far exceed a total, the remaining ones are still uniform over the cases."""
    rng = np.random.default_rng(4)
    keys, totals = rng.integers(2**63, size=50, dtype=np.uint64), np.full(400, 20)
    weights = block_weights(100, 0, keys, totals)
    assert (weights.sum(0) == 20).all()
    each = weights.sum(1, dtype=int)
    assert stats.chisquare(each).pvalue > 1e-3
    number = np.bincount(weights.ravel(), minlength=4)[:4]
    expected = stats.binom(20, 0.01).pmf(np.arange(4))
    assert stats.chisquare(number, expected / expected.sum() * number.sum()).pvalue > 1e-3


def test_tables_of_few_cases_a_cell_have_a_multinomial_distribution():
    """Cells with several cases each, resampled by weights of cases, have the multinomial's means and variances."""
    counts = np.random.default_rng(5).integers(0, 6, 400).astype(float)
    total = counts.sum()
    drawn = multinomial(counts, 4_001, np.random.default_rng(6))
    assert drawn.shape == (4_001, 400)
    assert (drawn.sum(1) == total).all()
    assert (drawn[:, counts == 0] == 0).all()
    share = counts / total
    z = (drawn.mean(0) - counts)[counts > 0] / np.sqrt(total * share * (1 - share) / len(drawn))[counts > 0]
    assert stats.kstest(z, "norm").pvalue > 1e-3
    variance = (drawn.var(0, ddof=1) / np.where(counts > 0, total * share * (1 - share), np.inf))[counts > 0]
    assert abs(variance.mean() - 1) < 5 * np.sqrt(2 / len(drawn) / len(variance))


def test_a_rich_diagonal_beside_many_poor_cells_has_a_multinomial_distribution(monkeypatch):
    """Where most cases are in a few cells, no case has a weight: totals, means, variances and covariances are right."""
    monkeypatch.setattr(Resamples, "drawn", None)
    rng = np.random.default_rng(9)
    counts = (rng.integers(0, 4, (30, 30)) + 100 * np.eye(30)).ravel()
    total, share = counts.sum(), counts / counts.sum()
    drawn = multinomial(counts, 5_000, rng)
    assert (drawn.sum(1) == total).all()
    assert (drawn[:, counts == 0] == 0).all()
    filled = counts > 0
    z = (drawn.mean(0) - counts)[filled] / np.sqrt(total * share * (1 - share) / len(drawn))[filled]
    assert stats.kstest(z, "norm").pvalue > 1e-3
    for marks in (counts > 50, (counts > 0) & (counts < 3), np.arange(900) % 30 == 4):
        chance = share[marks].sum()
        sums = drawn[:, marks].sum(1)
        assert abs(sums.var(ddof=1) / (total * chance * (1 - chance)) - 1) < 5 * np.sqrt(2 / len(drawn))


def test_a_resample_depends_on_its_key_alone():
    """Eight resamples are the same whether they are drawn alone or among others."""
    resamples = Resamples.drawn(5_000, 24, np.random.default_rng(7))
    alone = Resamples(5_000, resamples.keys[1:2], np.ascontiguousarray(resamples.totals[:, 8:16]))
    np.testing.assert_array_equal(alone.weights(0), resamples.weights(1))


def test_draws_are_those_of_numpy_for_all_metrics(by_numpy):
    """A bootstrap's draws of every metric of scores are the same numbers whether or not anything is compiled."""
    rng = np.random.default_rng(8)
    true = rng.integers(0, 2, 700)
    table = hs.scores(true, (1 / (1 + np.exp(-rng.normal(true)))).round(3))
    names, method = (
        ["roc_auc", "average_precision", "brier_score", "roc_auc+max_fpr=0.2"],
        hs.methods.Bootstrap(n_resamples=150),
    )

    def drawn():
        return [each.draws for each in hs.evaluate(table, names, method=method, random_state=0).values()]

    np.testing.assert_allclose(drawn(), by_numpy(drawn), rtol=1e-12)
