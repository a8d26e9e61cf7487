"""Averages over classes: values, slopes and biases equal finite differences, compiled or not."""

import numpy as np
import pytest

from howsure.native.averages import ClassShares

PRECISION, RECALL, F1, JACCARD = (
    ([1, 0, 0], [0, 0, 1]),
    ([1, 0, 0], [0, 1, 0]),
    ([2, 0, 0], [0, 1, 1]),
    ([1, 0, 0], [-1, 1, 1]),
)


def averages_of(classes):
    """Return averages of several kinds, of some classes and of all, and how each is worked out by hand."""
    rng = np.random.default_rng(classes)
    kinds = [(*ratio, weighted) for ratio in (PRECISION, RECALL, F1, JACCARD) for weighted in (False, True)]
    times = [np.ones(classes), rng.integers(0, 3, classes) + (np.arange(classes) == 0)]
    constants = [np.full(classes, np.nan), np.where(np.arange(classes) % 4 == 3, rng.choice([0.0, 1.0]), np.nan)]
    return [
        ClassShares.of(above, below, by_total=weighted, times=times[place % 2], constants=constants[place // 4 % 2])
        for place, (above, below, weighted) in enumerate(kinds)
    ]


def value(average, hits, rows, columns):
    """Return an average, class by class."""
    part, whole = (coefficients[:, 0] @ [hits, rows, columns] for coefficients in (average.above, average.below))
    total = weight = 0.0
    for own, all_of_it, row, times, constant in zip(part, whole, rows, average.times, average.constants, strict=True):
        share = constant if not np.isnan(constant) or not all_of_it else own / all_of_it
        counts = times * (row if average.by_total[0] else 1.0) * (not np.isnan(share))
        total, weight = total + counts * np.nan_to_num(share), weight + counts
    return total / weight


def tables_of(classes, averages, *, empty):
    """Return hits, row and column totals of a table for each average, three times; of some classes there may be none."""
    rng = np.random.default_rng(classes)
    hits, misses, alarms = rng.gamma(2.0, 5.0, (3, 3, averages, classes))
    if empty:
        absent = (np.arange(classes) > 0) & (rng.random(hits.shape) < 0.4)
        hits, misses, alarms = (np.where(absent, 0.0, each) for each in (hits, misses, alarms))
    return hits, hits + misses, hits + alarms


@pytest.mark.parametrize("classes", [1, 2, 5, 40])
@pytest.mark.parametrize("empty", [False, True])
def test_values_and_slopes_are_those_of_differences(classes, empty, by_numpy):
    """For every kind of average, with classes without cases that are left out or have a value."""
    alone = averages_of(classes)
    together, counts = ClassShares.beside(alone), tables_of(classes, len(alone), empty=empty)
    with np.errstate(all="ignore"):
        found, other = together.slopes(*counts), by_numpy(lambda: together.slopes(*counts))
    for slopes, theirs in zip(found, other, strict=True):
        np.testing.assert_allclose(slopes, theirs, rtol=1e-9, atol=1e-12)
    for (row, place), own in np.ndenumerate(found.value):
        table = [each[row, place] for each in counts]
        assert own == pytest.approx(value(alone[place], *table), rel=1e-12)
        for which, slopes in enumerate(found[1:]):
            for label in np.flatnonzero(table[1])[[0, -1]]:  # a small change of a class with cases is a small change
                step = 1e-6 * (np.arange(3) == which)[:, None] * (np.arange(classes) == label)
                rise = value(alone[place], *(table + step)) - value(alone[place], *(table - step))
                assert slopes[row, place, label] == pytest.approx(rise / 2e-6, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("classes", [1, 3, 40])
def test_biases_are_half_the_second_differences_times_the_counts(classes, by_numpy):
    """Each outcome of each class is changed alone, up and down; a weighted average counts a class by its share."""
    rng, alone = np.random.default_rng(classes), averages_of(classes)
    outcomes = rng.gamma(2.0, 5.0, (4, 2, len(alone), classes))

    def added(average, four):
        tp, fn, fp, tn = four
        part, whole = (each[:, 0] @ [tp, tp + fn, tp + fp] for each in (average.above, average.below))
        share = (tp + fn) / (tp + fn + fp + tn) if average.by_total[0] else 1 / average.times.sum()
        return np.where(np.isnan(average.constants), average.times, 0.0) * part / whole * share

    expected = np.zeros((2, len(alone)))
    for row, place in np.ndindex(expected.shape):
        four = outcomes[:, row, place]
        for which in range(4):
            nudge = np.minimum(four[which] / 16, 0.5)
            step = (np.arange(4) == which)[:, None] * nudge
            up, down, here = (added(alone[place], each) for each in (four + step, four - step, four))
            expected[row, place] += (four[which] * (up + down - 2 * here) / nudge**2).sum() / 2
    for call in (lambda ask: ask(), by_numpy):
        found = call(lambda: ClassShares.beside(alone).bias(list(outcomes), 1 / 16, 0.5))
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_one_average_of_many_tables_has_their_values():
    """Where averages have no axis of their own all tables are of the same one."""
    average = averages_of(4)[5]
    hits, rows, columns = tables_of(4, 7, empty=False)
    found = average.slopes(hits, rows, columns)
    expected = [
        value(average, *table) for table in zip(*(each.reshape(-1, 4) for each in (hits, rows, columns)), strict=True)
    ]
    np.testing.assert_allclose(found.value.ravel(), expected, rtol=1e-12)
