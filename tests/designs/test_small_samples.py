"""Coverage from few clusters of unequal size and from very unequal weights, by their small-sample corrections."""

from dataclasses import replace

import numpy as np
import pytest

import howsure as hs
from howsure.designs.clusters import Clusters
from howsure.designs.independent import Weighted
from howsure.methods.core.standard_errors import small_sample
from howsure.metrics.binding import resolve

SHARES = np.array([[0.60, 0.06], [0.06, 0.28]])


def of_accuracy(table):
    return small_sample(resolve("accuracy", table), table)


def test_uneven_weights_are_worth_no_more_cases_than_kishs():
    """The variance is at least that of Kish's number of cases: (8 * 4 + 8)**2 / (8 * 16 + 8) = 11.76.

    With the weights it is 8 * 16 * 0.005**2 + 8 * 0.02**2 = 0.0064; with Kish's number 0.8 * 0.2 / 11.76 = 0.0136.
    """
    right = np.repeat([1, 0], 8)
    table = hs.confusion(np.ones(16, int), right, sample_weight=np.where(right, 4.0, 1.0), labels=[0, 1])
    assert of_accuracy(table) == pytest.approx((0.0136 / 0.0064, np.inf))
    even = hs.confusion(np.ones(16, int), right, sample_weight=np.full(16, 3.0), labels=[0, 1])
    assert of_accuracy(even) == pytest.approx((1.0, np.inf))


def test_uneven_weights_in_clusters_are_worth_no_more_cases_than_kishs():
    """Clusters of one weighted case each have the variance of the weighted cases; equal weights of any size add none."""
    right = np.repeat([1, 0], 8)
    single = {"labels": [0, 1], "groups": np.arange(16)}
    table = hs.confusion(np.ones(16, int), right, sample_weight=np.where(right, 4.0, 1.0), check=False, **single)
    assert of_accuracy(table)[0] == pytest.approx(0.0136 / 0.0064)
    pairs = np.arange(16) % 8  # of which each has one error: the clusters agree
    for weight in (None, np.full(16, 0.3)):
        table = hs.confusion(np.ones(16, int), right, sample_weight=weight, labels=[0, 1], groups=pairs, check=False)
        assert of_accuracy(table)[0] == pytest.approx(1)


def clustered(sizes, correlation, rng):
    """Return a batch of tables whose clusters, ``(draws, clusters)``, have cells that vary by the correlation."""
    spread = (1 - correlation) / correlation
    shares = rng.standard_gamma(np.broadcast_to(spread * SHARES.ravel(), (*sizes.shape, 4))) + 1e-300
    cells = rng.multinomial(sizes, shares / shares.sum(-1, keepdims=True))
    draw, cluster, cell = np.nonzero(cells)
    draws, number = sizes.shape
    entries = draw * number + cluster, 4 * draw + cell, cells[draw, cluster, cell].astype(float)
    design = Clusters(*entries, np.ones(draws * number), np.repeat(np.arange(draws), number), (draws, 4))
    return batch(cells.sum(1), design, sizes.sum(1))


def weighted(cases, variation, draws, rng):
    """Return a batch of tables of cases whose weights are lognormal with a coefficient of variation."""
    weight = rng.lognormal(0, np.sqrt(np.log1p(variation**2)), (draws, cases))
    flat = (4 * np.arange(draws)[:, None] + rng.choice(4, (draws, cases), p=SHARES.ravel())).ravel()
    counts, squares = (np.bincount(flat, each.ravel(), 4 * draws).reshape(-1, 4) for each in (weight, weight**2))
    return batch(counts, Weighted(squares), np.full(draws, cases))


def batch(counts, design, rows):
    one = hs.from_counts([[60, 6], [6, 28]])
    return replace(one, counts=counts.reshape(-1, 2, 2).astype(float), design=design, rows=rows)


def coverage(table, metric, method):
    bound = resolve(metric, table)
    truth = float(bound(hs.from_counts(1e6 * SHARES).counted))
    found = method.interval(bound, table, 0.95)
    known = np.isfinite(found.low)
    return ((found.low <= truth) & (truth <= found.high))[known].mean()


DRAWS = 1500
METHODS = [
    ("accuracy", hs.methods.Wilson()),
    ("recall", hs.methods.Wilson()),
    ("f1@macro", hs.methods.Mover()),
    ("mcc", hs.methods.Delta()),
]


@pytest.mark.parametrize(
    "metric, clusters, size", [("accuracy", 10, 30), pytest.param("mcc", 16, 40, marks=pytest.mark.thorough)]
)
def test_samples_without_a_bad_cluster_cover(metric, clusters, size):
    """At least 92 % of the time where a cluster in ten is bad, and a tenth of the samples has none: before 0.85 to 0.9."""
    truth = hs.lab.Clustered([[60, 7], [3, 30]], clusters, size, 0.5)
    found = hs.lab.coverage(metric, truth=truth, draws=DRAWS, random_state=9)
    assert found.coverage > 0.92 - 2 * np.sqrt(0.92 * 0.08 / DRAWS)


@pytest.mark.parametrize("metric, method", METHODS, ids=[name for name, _ in METHODS])
def test_few_unequal_clusters_cover(metric, method):
    """95 % intervals from 10 or 20 clusters, uneven or with a giant, of correlation 0.5 cover 92 % or more."""
    rng = np.random.default_rng(3)
    uneven = np.maximum(np.round(rng.lognormal(np.log(10) - 0.5, 1, (DRAWS, 10))), 1).astype(int)
    giant = np.full((DRAWS, 20), 10)
    giant[:, 0] = 95
    for sizes in (uneven, giant):
        # Two standard errors of the simulation below; 0.83 to 0.89 where the sizes are not taken into account.
        assert coverage(clustered(sizes, 0.5, rng), metric, method) > 0.92 - 2 * np.sqrt(0.92 * 0.08 / DRAWS)


@pytest.mark.parametrize("metric, method", METHODS, ids=[name for name, _ in METHODS])
def test_weights_that_vary_much_cover_by_every_default(metric, method):
    """95 % intervals from 50 cases whose weights vary by 2 cover 92 % or more."""
    table = weighted(50, 2.0, DRAWS, np.random.default_rng(4))
    # Two standard errors of the simulation below; the delta method covers 0.83 by the plain variance.
    assert coverage(table, metric, method) > 0.92 - 2 * np.sqrt(0.92 * 0.08 / DRAWS)


def test_rounding_is_no_variation_of_uneven_weights():
    """A design effect below 1 is raised to 1, but not one that is left by rounding where nothing varies."""
    weight, true = np.random.default_rng(3).gamma(2, 0.5, 30) + 0.1, np.tile([0, 1], 15)
    design = hs.confusion(true, true[::-1], sample_weight=weight, groups=np.arange(30) // 3).design
    assert design.heavy_case_inflation(np.array([1e-30, 0.0, 0.5, 2.0])).tolist() == [1, 1, 2, 1]
