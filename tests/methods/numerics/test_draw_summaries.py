"""Quantiles and tails of draws, against NumPy's and against sorting all of them."""

import numpy as np
import pytest
from scipy import ndimage, stats

from howsure.methods.numerics.draw_summaries import (
    BATCHES,
    SAMPLE,
    Summary,
    _modes,
    density,
    equal_tailed,
    highest_density,
    mode,
    probability_above,
    quantiles,
    smallest,
    summarise,
)


def draws_of(shape, size):
    rng = np.random.default_rng(size)
    if shape == "of a comb that the sample meets in its teeth":
        found = rng.normal(size=size)
        found[:: max(size // SAMPLE, 1)] = -5.0
    elif shape == "of a comb that it misses":
        found = np.full(size, -5.0)
        found[:: max(size // SAMPLE, 1)] = rng.normal(size=len(found[:: max(size // SAMPLE, 1)]))
    else:
        found = {
            "normal": lambda: rng.normal(size=size),
            "tied": lambda: rng.binomial(30, 0.9, size) / 30,
            "falling": lambda: -np.arange(size) * 1.0,
            "all alike": lambda: np.full(size, 0.25),
        }[shape]()
    return found


SHAPES = [
    "normal",
    "tied",
    "falling",
    "all alike",
    "of a comb that the sample meets in its teeth",
    "of a comb that it misses",
]
SIZES = [1, 2, 3, 40, 2 * SAMPLE - 1, 2 * SAMPLE, 9_999, 40_000]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_quantiles_are_numpys(shape, size):
    """At the ends, in the tails and in the middle, for any guess from a sample of the draws."""
    draws, shares = draws_of(shape, size), np.array([0.0, 0.0005, 0.025, 0.3, 0.5, 0.61, 0.975, 0.9995, 1.0])
    np.testing.assert_allclose(quantiles(draws, shares), np.quantile(draws, shares), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_smallest_are_the_first_in_order(shape, size):
    """They equal, to the last bit, the first values after sorting."""
    draws = draws_of(shape, size)
    for number in {1, size // 40 + 1, size // 2 + 1, size}:
        np.testing.assert_array_equal(smallest(draws, number), np.sort(draws)[:number])


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("shape", SHAPES)
def test_highest_density_is_the_shortest_of_all_intervals(shape, level):
    """No other interval between two draws with the same number of draws is shorter."""
    draws = draws_of(shape, 9_999)
    low, high = highest_density(draws, level)
    ordered, held = np.sort(draws), int(np.ceil(level * len(draws)))
    assert ((draws >= low) & (draws <= high)).sum() >= held
    assert high - low == (ordered[held - 1 :] - ordered[: len(draws) - held + 1]).min()


@pytest.mark.parametrize("level", [0.3, 0.8, 0.95])
def test_rows_of_draws_have_the_shortest_intervals_of_each_alone(level):
    """For several rows at once, partly or fully sorted, the shortest intervals are those of each row."""
    rows = np.random.default_rng(1).gamma(2.0, size=(7, 2001))
    low, high = highest_density(rows, level)
    alone = np.array([highest_density(row, level) for row in rows])
    assert np.column_stack([low, high]).tolist() == alone.tolist()


def reflected(draws, width, grid):
    """Return the histogram of the draws around the points of a grid, smoothed by a normal kernel and reflected."""
    step = grid[1] - grid[0]
    counts, _ = np.histogram(draws, np.append(grid - step / 2, draws.max()))
    return ndimage.gaussian_filter1d(counts / (len(draws) * step), width / step, mode="reflect", truncate=9.0)


@pytest.mark.parametrize("size", [400, 401, 402, 403])
@pytest.mark.parametrize("shape", ["heavy tails", "narrow tails"])
def test_kernels_have_the_smaller_of_two_widths(shape, size):
    """The width follows the quartiles for heavy tails, and the standard deviation otherwise."""
    rng = np.random.default_rng(size)
    draws = (
        rng.standard_t(2, size) if shape == "heavy tails" else np.sign(rng.normal(size=size)) + rng.normal(0, 0.3, size)
    )
    quartiles = np.quantile(draws, [0.25, 0.75], method="inverted_cdf")
    robust = (quartiles[1] - np.sort(draws)[size // 4]) / 1.349
    assert (robust < draws.std()) == (shape == "heavy tails")
    width = 0.9 * min(robust, draws.std()) * size**-0.2
    grid, heights = density(draws)
    expected = reflected(draws, width, grid)
    assert heights == pytest.approx(expected, abs=1e-4 * expected.max())
    assert mode(draws) == pytest.approx(grid[expected.argmax()], abs=1e-9)


def test_where_most_draws_are_equal_the_standard_deviation_tells_the_width():
    """Quartiles that coincide do not determine the width: the peak is at the value of most draws."""
    draws = np.concatenate([np.full(300, 0.4), np.linspace(0.1, 0.95, 100)])
    grid, heights = density(draws)
    expected = reflected(draws, 0.9 * draws.std() * 400**-0.2, grid)
    assert heights == pytest.approx(expected, abs=1e-4 * expected.max())
    assert mode(draws) == pytest.approx(grid[heights.argmax()], abs=1e-9)


def test_draws_that_are_all_undefined_have_no_summary():
    """Without a defined draw each number is nan, and the number of draws is reported."""
    found = summarise(np.full(7, np.nan))
    assert (found.defined, found.draws, found.errors) == (0, 7, {})
    numbers = [getattr(found, name) for name in Summary.__slots__ if name not in {"defined", "draws", "errors"}]
    assert len(numbers) == 9
    assert np.isnan(numbers).all()


@pytest.mark.parametrize("size", [2 * BATCHES - 1, 2 * BATCHES, 5 * BATCHES + 3])
def test_monte_carlo_errors_are_the_scatter_of_batches(size):
    """The error of the mean is the standard deviation of twenty batches' means over the root of twenty; few have none."""
    draws = np.random.default_rng(size).gamma(3.0, size=size)
    found = summarise(np.append(draws, [np.nan, np.inf]))
    assert (found.defined, found.draws) == (size, size + 2)
    if size < 2 * BATCHES:
        assert np.isnan(list(found.errors.values())).all()
        return
    batches = np.array(np.split(draws[: size - size % BATCHES], BATCHES))
    assert found.errors["mean"] == pytest.approx(batches.mean(1).std(ddof=1) / np.sqrt(BATCHES))
    assert found.errors["kurtosis"] == pytest.approx(stats.kurtosis(batches, axis=1).std(ddof=1) / np.sqrt(BATCHES))


def test_draws_at_the_threshold_are_not_above_it():
    """Among ten draws three are above 0.5 and four at it: the share is 0.3, its error that of (3 + 1) / (10 + 2)."""
    draws = np.array([0.1, 0.5, 0.5, 0.7, 0.5, 0.2, 0.9, 0.5, 0.6, 0.3, np.nan])
    found = probability_above(draws, 0.5)
    assert found.value == pytest.approx(0.3)
    assert found.error == pytest.approx(np.sqrt(4 / 12 * 8 / 12 / 10))


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_equal_tails_are_beyond_the_quantiles(level):
    """Of one set of draws and of rows of them, a half of what the level leaves is in either tail."""
    rows = np.random.default_rng(3).gamma(2.0, size=(3, 1001))
    expected = np.quantile(rows, [(1 - level) / 2, (1 + level) / 2], axis=1)
    assert np.array(equal_tailed(rows, level)) == pytest.approx(expected)
    for row, ends in zip(rows, expected.T, strict=True):
        assert equal_tailed(row, level) == pytest.approx(tuple(ends))


@pytest.mark.parametrize("size", [6, 7, 401])
def test_a_summary_has_the_textbook_statistics(size):
    """Median, moments with their usual corrections, the shortest interval and its width."""
    draws = np.random.default_rng(size).gamma(2.0, size=size)
    found = summarise(draws, 0.8)
    assert found.median == pytest.approx(np.median(draws))
    assert (found.mean, found.standard_deviation) == pytest.approx((draws.mean(), draws.std(ddof=1)))
    assert (found.skewness, found.kurtosis) == pytest.approx((stats.skew(draws), stats.kurtosis(draws)))
    assert (found.low, found.high) == highest_density(draws, 0.8)
    assert found.uncertainty == found.high - found.low
    assert found.mode == pytest.approx(mode(draws))
    tails = summarise(draws, 0.8, credible=equal_tailed)
    assert (tails.low, tails.high) == pytest.approx(tuple(np.quantile(draws, [0.1, 0.9])))


def test_draws_that_do_not_vary_have_no_shape():
    """One value has a mean, a median and a mode, and no skewness; of a single draw the spread is unknown."""
    found = summarise(np.full(50, 0.25))
    assert (found.mean, found.median, found.mode, found.standard_deviation) == pytest.approx((0.25, 0.25, 0.25, 0))
    assert np.isnan([found.skewness, found.kurtosis]).all()
    grid, heights = density(np.full(50, 0.25))
    assert (grid.tolist(), heights.tolist()) == ([0.25], [np.inf])
    one = summarise(np.array([0.3]))
    assert (one.mean, one.low, one.high, one.mode) == (0.3, 0.3, 0.3, 0.3)
    assert np.isnan(one.standard_deviation)
    nothing = probability_above(np.array([np.nan]), 0.5)
    assert np.isnan([nothing.value, nothing.error]).all()


def test_modes_of_rows_are_those_of_each():
    """Rows that vary and rows that do not, on one grid of bins each."""
    rows = np.sort(np.random.default_rng(0).gamma(3.0, size=(3, 500)) * np.array([[1.0], [50.0], [0.0]]))
    found = _modes(rows, 2048)
    assert found == pytest.approx([mode(row) for row in rows])
    assert found[2] == 0
