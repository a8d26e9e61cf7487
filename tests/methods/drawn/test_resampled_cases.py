"""Resamples of independent cases: every metric of the same ones, by ranks and by tables."""

from dataclasses import replace

import numpy as np
import pytest

import howsure as hs
from howsure.methods.drawn.resampled_cases import values_of_resamples
from howsure.metrics.binding import resolve
from howsure.tables.table import Table

RNG = np.random.default_rng(8)
TRUTH = np.arange(37) % 3 % 2
SCORE = RNG.random(37).round(2)
TABLE = hs.scores(TRUTH, SCORE)
METRICS = [
    resolve(name, TABLE) for name in ("brier_score", "roc_auc", "recall_at+fpr=0.3", "average_precision", "log_loss")
]
SEED = np.random.SeedSequence(4)


def by_tables(metric):
    """Return the metric without its way by the ranks of the cases."""
    return replace(metric, structure=None)


@pytest.mark.parametrize("size", [1, 7, 130, 700])
def test_ranks_and_tables_are_of_the_same_resamples(size):
    """Each metric has the same values alone and among others, in any order, by ranks and by the tables of the cases."""
    found = values_of_resamples(METRICS, TABLE, size, SEED)
    assert found.shape == (5, size)
    plain = values_of_resamples([by_tables(each) for each in METRICS], TABLE, size, SEED)
    np.testing.assert_allclose(found, plain, rtol=1e-9)
    for row, metric in enumerate(METRICS):
        np.testing.assert_array_equal(values_of_resamples([metric], TABLE, size, SEED)[0], found[row])
    turned = values_of_resamples(METRICS[::-1], TABLE, size, SEED)
    np.testing.assert_array_equal(turned[::-1], found)
    if size > 1:
        assert (np.ptp(found, axis=1) > 0).all()


@pytest.mark.parametrize("at_once", [1, 3, 8, 20, 64])
def test_blocks_of_any_size_have_the_same_values(at_once, monkeypatch):
    """However many tables fit the cache."""
    expected = values_of_resamples(METRICS[:3], TABLE, 150, SEED)
    monkeypatch.setattr(Table, "block_size", at_once)
    np.testing.assert_allclose(values_of_resamples(METRICS[:3], TABLE, 150, SEED), expected, rtol=1e-12)


def test_resamples_have_as_many_cases_each_with_the_same_chance():
    """Mean losses vary as means of 37 cases do, around the observed one; a seed is a stream."""
    found = values_of_resamples([METRICS[0]], TABLE, 4000, SEED)[0]
    losses = (SCORE - TRUTH) ** 2
    assert found.mean() == pytest.approx(losses.mean(), abs=5 * losses.std() / np.sqrt(37 * 4000))
    assert found.std() == pytest.approx(losses.std() / np.sqrt(37), rel=0.06)
    other = values_of_resamples([METRICS[0]], TABLE, 4000, np.random.SeedSequence(5))[0]
    assert np.abs(np.corrcoef(found, other)[0, 1]) < 0.08
    assert np.abs(np.corrcoef(found[1:], found[:-1])[0, 1]) < 0.08
