"""Draws of tables: every way of drawing has the means, variances and covariances of a multinomial distribution."""

import numpy as np
import pytest
from scipy import stats

from howsure.designs import sampling
from howsure.designs.sampling import (
    counts_of_draws,
    holds_few,
    multinomial,
    multinomial_of_number,
    resampled,
    without_one,
)

SIZE = 3_001  # no multiple of eight


def as_multinomial(drawn, counts):
    """Compare draws with a multinomial distribution: totals exactly, all else within its Monte Carlo error."""
    total, share, filled = counts.sum(), counts / counts.sum(), counts > 0
    assert drawn.shape == (SIZE, counts.size)
    assert (drawn == np.rint(drawn)).all()
    assert (drawn >= 0).all()
    assert (drawn.sum(1) == total).all()
    assert (drawn[:, ~filled] == 0).all()
    variance = total * share * (1 - share)
    z = (drawn.mean(0) - counts)[filled] / np.sqrt(variance[filled] / SIZE)
    assert stats.kstest(z, "norm").pvalue > 1e-3
    for number in np.unique(counts[filled]):  # cells with equal numbers of cases are drawn separately
        some = counts == number
        found = drawn[:, some].var(0, ddof=1).mean() / variance[some][0]
        assert abs(found - 1) < 5 * np.sqrt((2 + 1 / variance[some][0]) / SIZE / some.sum()) + 2 / total
        chance = share[some].sum()
        if chance < 1 - 1e-9:
            sums = drawn[:, some].sum(1)
            assert abs(sums.mean() - total * chance) < 5 * np.sqrt(total * chance * (1 - chance) / SIZE)
            assert abs(sums.var(ddof=1) / (total * chance * (1 - chance)) - 1) < 5 * np.sqrt(2.2 / SIZE)


def every_number(rich):
    """Return counts of 330 cells: forty of each number from 0 to 8 but a few, and ten others of a size."""
    counts = np.concatenate([np.repeat(np.arange(9.0), 36), np.full(10, float(rich))])
    return np.random.default_rng(0).permutation(counts)


@pytest.mark.parametrize("rich", [9, 20, 1000])
def test_cells_of_few_cases_beside_rich_ones_are_multinomial(rich):
    """Cells of one to eight cases get weights of their cases, richer ones binomial draws; all together are one draw."""
    counts = every_number(rich)
    few = np.flatnonzero((counts > 0) & (counts <= 8))
    as_multinomial(sampling._partly_weighted(counts, few, SIZE, np.random.default_rng(1)), counts)
    as_multinomial(multinomial(counts, SIZE, np.random.default_rng(2)), counts)


def test_weighted_cells_alone_are_multinomial():
    """The same without a richer cell, and with cases in several blocks."""
    counts = np.random.default_rng(3).permutation(np.repeat(np.arange(9.0), 40))
    as_multinomial(sampling._partly_weighted(counts, np.flatnonzero(counts), SIZE, np.random.default_rng(4)), counts)
    many = np.random.default_rng(5).permutation(np.repeat([1.0, 3.0, 8.0], 400))  # 4800 cases, above 4096 of a block
    as_multinomial(sampling._partly_weighted(many, np.flatnonzero(many), SIZE, np.random.default_rng(6)), many)


def test_weights_of_a_cell_are_those_of_its_own_cases(monkeypatch):
    """Cells of k cases get k weights each, without repetition: weights 0, 1, 2, … identify all sums."""
    counts, seen = every_number(20), []

    class Numbered(sampling.Resamples):
        """The weight of each case is 0 or 1 by one bit of its number."""

        def weights(self, eight, number=1):
            seen.append((self.cases, eight, number))
            bits = np.arange(self.cases)[:, None] >> np.arange(8 * number) & 1
            return bits.astype(np.uint8)

    monkeypatch.setattr(sampling, "Resamples", Numbered)
    few = np.flatnonzero((counts > 0) & (counts <= 8))
    cases = int(counts[few].sum())
    drawn = sampling._partly_weighted(counts, few, 13, np.random.default_rng(1))
    assert seen == [(cases, 0, 2)]
    total = (np.arange(cases)[:, None] >> np.arange(13) & 1).sum(0)
    np.testing.assert_array_equal(drawn[:, few].sum(1), total)
    start = 0
    for number in range(1, 9):  # the cases of cells of one, then of two, …
        cells = np.flatnonzero(counts == number)
        own = np.arange(start, start + number * len(cells))
        np.testing.assert_array_equal(drawn[:, cells].sum(1), (own[:, None] >> np.arange(13) & 1).sum(0))
        assert (drawn[:, cells] <= number).all()
        start += number * len(cells)
    assert start == cases


@pytest.mark.parametrize(
    "counts",
    [
        np.array([5.0, 0.0, 3.0, 42.0]),
        np.random.default_rng(0).permutation(np.repeat([0.0, 1.0, 2.0, 15.0], 100)),
        np.random.default_rng(0).permutation(np.repeat([0.0, 1.0, 8.0, 500.0], 140)),
        np.ones(300),
    ],
    ids=["few cells", "few cases a cell", "weighted and rich", "one case a cell"],
)
def test_every_way_of_drawing_is_multinomial(counts):
    """Whichever way a table's cells are drawn, it is the same distribution; one stream gives one set of draws."""
    drawn = multinomial(counts, SIZE, np.random.default_rng(7))
    as_multinomial(drawn, counts)
    np.testing.assert_array_equal(drawn, multinomial(counts, SIZE, np.random.default_rng(7)))


def test_tables_of_weights_do_not_hang_on_their_blocks(monkeypatch):
    """Resampled tables are the same for any block size."""
    counts = np.random.default_rng(0).permutation(np.repeat([0.0, 1.0, 2.0], 150))
    found = multinomial(counts, 101, np.random.default_rng(8))
    monkeypatch.setattr(sampling, "BLOCK_CELLS", 1)
    np.testing.assert_array_equal(found, multinomial(counts, 101, np.random.default_rng(8)))
    monkeypatch.setattr(sampling, "BLOCK_CELLS", 8 * 450 * 5)
    np.testing.assert_array_equal(found, multinomial(counts, 101, np.random.default_rng(8)))


def test_few_cases_a_cell_need_many_cells():
    """With 256 or more cells of at most sixteen cases, cases are resampled."""
    assert holds_few(256, 16 * 256)
    assert not holds_few(255, 255)
    assert not holds_few(256, 16 * 256 + 1)


def test_weights_add_up_to_the_cells_of_their_cases():
    """Cases come cell by cell: a table's cell is the sum of the weights of its cases, and an empty cell stays empty."""
    counts, rng = np.array([0.0, 2.0, 1.0, 0.0, 3.0]), np.random.default_rng(0)
    weights = rng.integers(0, 200, (6, 16)).astype(np.uint8)
    cell = np.repeat(np.arange(5), counts.astype(int))
    expected = np.array([[int(weights[cell == each, draw].sum()) for each in range(5)] for draw in range(16)])
    np.testing.assert_array_equal(resampled(counts, weights), expected)
    np.testing.assert_array_equal(resampled((counts > 0) * 1.0, weights[:3]), np.insert(weights[:3].T, (0, 2), 0, 1))


def test_drawn_cells_are_counted():
    """How often each cell is among those of a draw, also twice."""
    cells = np.array([[0, 2, 2], [1, 1, 1], [3, 0, 1]])
    expected = [np.bincount(each, minlength=4) for each in cells]
    np.testing.assert_array_equal(counts_of_draws(cells, 4), expected)


@pytest.mark.parametrize("at_once", [1, 8, 2**20])
def test_tables_without_one_case(at_once, monkeypatch):
    """A case of a weight is taken away from its cell, never below zero, in blocks that follow each other."""
    monkeypatch.setattr(sampling, "BLOCK_CELLS", at_once)
    counts, cell = np.array([5.0, 1.0, 0.5, 2.0]), np.array([0, 1, 2, 3, 3])
    weight, number = np.array([1.0, 0.25, 0.75, 2.0, 0.5]), np.arange(5.0)
    found = list(without_one(counts, cell, weight, number))
    expected = [[4, 1, 0.5, 2], [5, 0.75, 0.5, 2], [5, 1, 0, 2], [5, 1, 0.5, 0], [5, 1, 0.5, 1.5]]
    np.testing.assert_array_equal(np.concatenate([tables for tables, _ in found]), expected)
    np.testing.assert_array_equal(np.concatenate([each for _, each in found]), number)
    assert max(len(tables) for tables, _ in found) == max(1, min(at_once // 4, 5))


@pytest.mark.parametrize("cells", [6, 700])
def test_studies_of_another_size_are_multinomial(cells):
    """Shares need not be whole, and a study can have more cases than the counts."""
    counts = np.arange(cells) % 3 * 5.0
    as_multinomial(multinomial_of_number(counts / 7, round(counts.sum()), SIZE, np.random.default_rng(cells)), counts)
