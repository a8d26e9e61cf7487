"""The jackknife's values, their variance and their skewness."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods import jackknife as module
from howsure.methods.jackknife import jackknife, skewness_of_jackknife, variance_of_jackknife
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
