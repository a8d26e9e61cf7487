"""The jackknife's values, their variance and their skewness."""

from dataclasses import replace

import numpy as np
import pytest

import howsure as hs
from howsure.methods.drawn import jackknife as module
from howsure.methods.drawn.jackknife import jackknife, skewness_of_jackknife, variance_of_jackknife
from howsure.metrics.binding import resolve


def test_the_variance_is_that_of_leaving_out_each_case():
    """Weighted by cells, the jackknife equals the textbook sum over cases."""
    counts = np.array([[12, 3, 1], [2, 9, 4], [0, 5, 14]])
    table = hs.from_counts(counts)
    values, number = jackknife(resolve("f1@macro", table), table)
    every = []
    for i, j in np.ndindex(3, 3):
        left = counts - (np.arange(9).reshape(3, 3) == 3 * i + j)
        every += [(2 * np.diag(left) / (left.sum(0) + left.sum(1))).mean()] * counts[i, j]
    assert number.sum() == counts.sum() == len(every)
    assert variance_of_jackknife(values, number) == pytest.approx((len(every) - 1) * np.var(every), rel=1e-9)


def test_of_many_cells_it_is_told_from_the_gradient(monkeypatch):
    """Where leaving out each cell is too much work the variance differs by the order of one case."""
    table = hs.from_counts(np.random.default_rng(0).poisson(30 * np.eye(5) + 4))
    metric = resolve("mcc", table)
    exact = variance_of_jackknife(*jackknife(metric, table))
    skewness = skewness_of_jackknife(*jackknife(metric, table))
    monkeypatch.setattr(module, "MOST_ENTRIES", 0)
    values, number = jackknife(metric, table)
    assert variance_of_jackknife(values, number) == pytest.approx(exact, rel=0.03)
    assert skewness_of_jackknife(values, number) == pytest.approx(skewness, rel=0.1)


def test_undefined_values_are_left_out():
    """Tables with an undefined metric have no information on its variance; without other tables it is undefined."""
    values, number = np.array([0.5, np.nan, 0.7]), np.array([2.0, 5.0, 2.0])
    assert variance_of_jackknife(values, number) == pytest.approx(3 / 4 * 4 * 0.01)
    assert variance_of_jackknife(np.array([np.nan]), np.array([3.0])) == 0
    assert skewness_of_jackknife(np.array([np.nan]), np.array([3.0])) == 0


def test_the_skewness_is_that_of_each_unit():
    """Values that represent several units count so often: a sixth of the third moment over the second's power 3/2."""
    values, number = np.array([0.5, 0.2, 0.9, 0.45]), np.array([3, 1, 2, 5])
    each = np.repeat(values, number)
    away = each.mean() - each
    assert skewness_of_jackknife(values, number) == pytest.approx((away**3).sum() / (6 * (away**2).sum() ** 1.5))
    assert variance_of_jackknife(values, number) == pytest.approx(10 * each.var())
    assert skewness_of_jackknife(0.01 * values, number) == pytest.approx(skewness_of_jackknife(values, number))
    assert skewness_of_jackknife(np.full(3, 0.5), np.ones(3)) == variance_of_jackknife(np.full(3, 0.5), np.ones(3)) == 0


def test_few_entries_have_exact_values(monkeypatch):
    """Up to the largest number of entries each table is evaluated; with more, values are deviations."""
    counts = np.array([[12, 3, 1], [2, 9, 4], [0, 5, 14]])  # eight cells with cases, of nine
    table = hs.from_counts(counts)
    metric = resolve("accuracy", table)
    monkeypatch.setattr(module, "MOST_ENTRIES", 8 * 9)
    values, number = jackknife(metric, table)
    assert sorted({*values.round(12)}) == [round(34 / 49, 12), round(35 / 49, 12)]
    monkeypatch.setattr(module, "MOST_ENTRIES", 8 * 9 - 1)
    others, times = jackknife(metric, table)
    assert number.tolist() == times.tolist()
    assert (times * others).sum() == pytest.approx(0, abs=1e-12)
    assert np.ptp(others) == pytest.approx(np.ptp(values), rel=0.05)
    assert np.corrcoef(values, others)[0, 1] == pytest.approx(1)


def test_a_table_without_cases_has_no_values():
    """There is no unit to leave out."""
    table = hs.from_counts([[3, 1], [2, 4]])
    table = replace(table, counts=np.zeros((2, 2)))
    values, number = jackknife(resolve("accuracy", table), table)
    assert values.shape == number.shape == (0,)
    assert variance_of_jackknife(values, number) == 0
