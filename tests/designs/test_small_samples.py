"""Small-sample corrections for few clusters of unequal size, and for very unequal weights."""

from dataclasses import replace

import numpy as np
import pytest

import howsure as hs
from howsure.designs.clusters import LARGE, UNSEEN, Clusters
from howsure.designs.counted import Weighted
from howsure.methods.standard_errors import sample_with_unseen, small_sample
from howsure.metrics.binding import resolve

SHARES = np.array([[0.60, 0.06], [0.06, 0.28]])


def of_accuracy(table):
    return small_sample(resolve("accuracy", table), table)


def of_cases(sizes, right):
    """Return the table of clusters of these sizes, in which these cases are right, and the cluster of each case."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    return hs.confusion(np.ones(len(group), int), right * 1, groups=group, labels=[0, 1]), group


def residual_maps(group):
    """Return each case's contribution to each cluster's sum of deviations from the mean, over the number of cases."""
    number = len(group)
    residual = np.eye(number) - 1 / number
    return np.stack([residual[group == each].sum(0) / number for each in np.unique(group)])


def expected(group, correlation):
    """Return the factor and the degrees of freedom by the matrices of a mean's residuals (Imbens and Kolesár 2016)."""
    number = len(group)
    covariance = correlation * (group[:, None] == group) + (1 - correlation) * np.eye(number)
    maps = residual_maps(group)
    seen = maps @ covariance @ maps.T
    groups = len(maps)
    factor = covariance.sum() / number**2 / np.trace(seen) * (groups - 1) / groups
    return factor, np.trace(seen) ** 2 / np.trace(seen @ seen)


@pytest.mark.parametrize("together", [False, True], ids=["independent", "agreeing"])
def test_unequal_clusters_have_the_degrees_of_freedom_of_their_residuals(together):
    """The bias and the freedom of a clustered variance are those of Bell, McCaffrey, Imbens and Kolesár for a mean."""
    sizes = np.array([2, 4, 4, 6, 6, 6, 8, 8, 8, 10, 10, 12])
    right = np.repeat(np.arange(len(sizes)) % 2 == 0, sizes) if together else np.arange(sizes.sum()) % 2 == 0
    table, group = of_cases(sizes, right)
    factor, freedom = expected(group, together)
    assert freedom < len(sizes) - 1.5
    assert of_accuracy(table) == pytest.approx((factor, freedom), rel=1e-9)


def test_clusters_that_agree_in_part_have_the_degrees_of_freedom_of_their_correlation():
    """The correlation is that at which the clusters' squared sums are expected as they are; bias and freedom follow."""
    sizes = np.array([2, 4, 4, 6, 6, 6, 8, 8, 8, 10, 10, 12])
    place = np.concatenate([np.arange(size) for size in sizes])
    right = place < np.repeat(sizes * np.where(np.arange(12) % 2, 0.4, 0.9), sizes)
    table, group = of_cases(sizes, right)
    maps = residual_maps(group)
    apart, together = np.trace(maps @ maps.T), np.trace(maps @ (group[:, None] == group) @ maps.T)
    seen = ((maps @ right) ** 2).sum() / (right.mean() * (1 - right.mean()))
    correlation = (seen - apart) / (together - apart)
    assert 0.1 < correlation < 0.9
    assert of_accuracy(table) == pytest.approx(expected(group, correlation), rel=1e-9)


def test_clusters_of_one_size_have_one_degree_of_freedom_less_than_clusters():
    """Where all clusters are of one size the variance is unbiased, and its freedom their number minus 1."""
    table, _ = of_cases(np.full(9, 5), np.random.default_rng(1).random(45) < 0.8)
    assert of_accuracy(table) == pytest.approx((1.0, 8.0))


def missed(sizes, right):
    """Return the ratio of the variance contributions of a partial cluster and of independent cases, all in one cell."""
    slopes = np.where(right, 1 - right.mean(), -right.mean())
    totals = np.array([each.sum() for each in np.split(slopes, np.cumsum(sizes)[:-1])])
    size, cells = (sizes**2).sum() / sizes.sum(), np.array([1 - right.mean(), -right.mean()])
    size = min(size, LARGE * max((totals**2).sum() / (slopes**2).sum(), 1))
    with_part = ((totals**2).sum() + UNSEEN * np.mean((size * cells) ** 2)) / (
        (slopes**2).sum() + UNSEEN * np.mean(size * cells**2)
    )
    return max(with_part / ((totals**2).sum() / (slopes**2).sum()), 1)


def unseen(table):
    """Return the contribution of an unobserved partial cluster to the variance of accuracy."""
    bound = resolve("accuracy", table)
    return sample_with_unseen(bound, table)[0] / small_sample(bound, table)[0]


def test_a_part_of_a_cluster_that_was_missed_adds_to_both_variances():
    """Unobserved partial clusters add to the variance of clusters and of independent cases, for any cluster sizes."""
    right = np.random.default_rng(1).random(72) < np.repeat([0.5, 0.9, 0.8, 1.0], 18)
    for sizes in (np.full(9, 8), np.array([4, 20, 8, 8, 12, 6, 6, 6, 2])):
        assert unseen(of_cases(sizes, right)[0]) == pytest.approx(missed(sizes, right))
        assert missed(sizes, right) > 1.02


def test_what_was_missed_does_not_depend_on_how_many_cells_there_are():
    """Accuracy of three classes is that of right and wrong."""
    rng = np.random.default_rng(8)
    true = rng.integers(0, 3, 90)
    said, group = np.where(rng.random(90) < 0.8, true, rng.integers(0, 3, 90)), np.arange(90) // 6
    table = hs.confusion(true, said, groups=group)
    assert unseen(table) == pytest.approx(missed(np.full(15, 6), true == said))


def test_single_cases_are_clusters_of_which_none_was_missed():
    """If every cluster is one case of any weight, the variance is that of independent cases."""
    right = np.arange(40) % 8 > 0
    for weight in (None, np.full(40, 3.0)):
        table = hs.confusion(np.ones(40, int), right * 1, groups=np.arange(40), sample_weight=weight, labels=[0, 1])
        assert unseen(table) == pytest.approx(1)


def test_large_clusters_that_are_alike_leave_little_to_be_missed():
    """For 12 clusters of 2,000 cases, with 78 to 82 % right in each, the variance is the observed one, to 5 %."""
    right = np.concatenate([np.arange(2000) < 2000 * share for share in np.linspace(0.78, 0.82, 12)])
    assert unseen(of_cases(np.full(12, 2000), right)[0]) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("metric", ["accuracy", "mcc"])
@pytest.mark.parametrize("clusters, size", [(10, 30), (16, 40)])
def test_samples_without_a_bad_cluster_cover(metric, clusters, size):
    """At least 92 % of the time where a cluster in ten is bad, and a tenth of the samples has none: before 0.85 to 0.9."""
    truth = hs.lab.Clustered([[60, 7], [3, 30]], clusters, size, 0.5)
    found = hs.lab.coverage(metric, truth=truth, draws=DRAWS, random_state=9)
    assert found.coverage > 0.92 - 2 * np.sqrt(0.92 * 0.08 / DRAWS)


def test_a_giant_among_clusters_leaves_few_degrees_of_freedom():
    """A cluster with a third of the cases leaves freedom for few clusters, and never more than there are."""
    right = np.random.default_rng(2).random((39, 10)).ravel() < np.repeat(np.linspace(0.4, 1.0, 39), 10)
    table, _ = of_cases(np.array([200, *[10] * 39]), np.r_[np.arange(200) < 190, right])
    factor, freedom = of_accuracy(table)
    assert 1.2 < factor < 2.5
    assert 4 <= freedom < 10
    two, _ = of_cases(np.array([10, 2]), np.arange(12) % 3 > 0)
    assert of_accuracy(two)[1] == 1


def test_clusters_without_a_case_that_counts_add_nothing():
    """For recall, clusters without a positive case do not count in the degrees of freedom."""
    positive, _ = of_cases(np.full(6, 4), np.arange(24) % 3 > 0)
    group = np.r_[np.repeat(np.arange(6), 4), np.arange(6, 30)]
    true, said = np.r_[np.ones(24, int), np.zeros(24, int)], np.r_[np.arange(24) % 3 > 0, np.zeros(24, bool)] * 1
    table = hs.confusion(true, said, groups=group)
    factor, freedom = small_sample(resolve("recall", table), table)
    least = small_sample(resolve("recall", positive), positive)
    assert freedom == pytest.approx(least[1])
    assert factor * 30 / 29 == pytest.approx(least[0] * 6 / 5)


def test_uneven_weights_are_worth_no_more_cases_than_kishs():
    """The variance is at least that of Kish's number of cases: (8 * 4 + 8)**2 / (8 * 16 + 8) = 11.76.

    With the weights it is 8 * 16 * 0.005**2 + 8 * 0.02**2 = 0.0064; with Kish's number 0.8 * 0.2 / 11.76 = 0.0136.
    """
    right = np.repeat([1, 0], 8)
    table = hs.confusion(np.ones(16, int), right, sample_weight=np.where(right, 4.0, 1.0), labels=[0, 1])
    assert of_accuracy(table) == pytest.approx((0.0136 / 0.0064, np.inf))
    even = hs.confusion(np.ones(16, int), right, sample_weight=np.full(16, 3.0), labels=[0, 1])
    assert of_accuracy(even) == pytest.approx((1.0, np.inf))


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
