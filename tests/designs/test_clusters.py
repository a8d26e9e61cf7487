"""Clusters of cases."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.designs.entries import Entries


def test_variance_along_thresholds_is_the_clusters_variance_at_each():
    """For any form of the cases above and below a threshold: the squared cluster sums times n / (n − 1)."""
    rng = np.random.default_rng(0)
    truth, score, group = rng.integers(0, 2, 50), rng.integers(0, 12, 50) / 12, rng.integers(0, 9, 50)
    table = hs.scores(truth, score, groups=group)
    thresholds = [np.inf, *table.scores[::-1]]  # from the top
    slopes = rng.normal(size=(len(thresholds), 2, 2))  # at each, of either class, below and above
    expected = []
    for threshold, slope in zip(thresholds, slopes, strict=True):
        each = slope[truth, (score >= threshold).astype(int)]
        expected.append(9 / 8 * sum(each[group == name].sum() ** 2 for name in range(9)))
    assert table.design.variance_from_top(table.counts, slopes) == pytest.approx(np.array(expected))


def test_parts_answer_as_the_whole_does():
    """For a form in the cells of one part, that part's entries give the variance and small-sample correction of all."""
    rng = np.random.default_rng(0)
    table = hs.events(*rng.poisson(5, (3, 40)), unit=np.arange(40) // 2, label=np.tile(["a", "b"], 20))
    for index, part in enumerate(table.design.parted(table.truth, 2)):
        form = np.where(table.truth == index, rng.normal(size=table.counts.size), 0.0)
        expected = table.design.variance(table.counts, form), *table.design.small_sample(table.counts, form)
        found = part.variance(table.counts, form), *part.small_sample(table.counts, form)
        assert [float(each) for each in found] == pytest.approx([float(each) for each in expected])


def some_clusters(seed, *, units=True):
    """Return the design of a table whose clusters are known by name, with units within them or without."""
    rng = np.random.default_rng(seed)
    truth, said, group = rng.integers(0, 2, 30), rng.integers(0, 2, 30), rng.integers(0, 6, 30)
    table = hs.confusion(truth, said, groups=group)
    return replace(table.design, unit=np.arange(len(table.design.cell)) if units else None)


def test_units_of_several_tables_stay_apart():
    """Put side by side, units of one number in two tables are two, and each stays in its cluster."""
    one, other = some_clusters(1), some_clusters(2)
    found = Entries.side_by_side([one, other])
    number = len(one.unit)
    assert found.unit.tolist() == [*range(number), *range(number, number + len(other.unit))]
    assert found.cluster[number:].tolist() == (other.cluster + len(one.multiplicity)).tolist()
    assert found.cell.tolist() == [*one.cell, *other.cell]
    assert Entries.side_by_side([one, some_clusters(2, units=False)]).unit is None


def test_tables_with_units_and_without_are_not_added():
    """A table that counts units within clusters cannot be added to one of cases; two of a kind can."""
    with pytest.raises(hs.HowsureError, match="Some of the tables have units within their clusters"):
        some_clusters(1).joined([some_clusters(2, units=False)])
    assert len(some_clusters(1).joined([some_clusters(2)]).unit) > 0
    assert some_clusters(1, units=False).joined([some_clusters(2, units=False)]).unit is None


def test_stacked_tables_keep_their_own_clusters():
    """In a batch each table's clusters are its own: their cells come one table after the other, as do their names."""
    designs = [some_clusters(seed, units=False) for seed in (1, 2, 3)]
    batch = designs[0].stacked(designs[1:], 4)
    assert batch.owner.tolist() == np.repeat([0, 1, 2], [len(each.multiplicity) for each in designs]).tolist()
    gradient = np.random.default_rng(4).normal(size=4)
    for place, each in enumerate(designs):
        inside = batch.owner[batch.cluster] == place
        assert (batch.cell[inside] - 4 * place).tolist() == each.cell.tolist()
        counts = np.bincount(each.cell, each.count * each.multiplicity[each.cluster], 4)
        alone = batch.picked(place).variance(counts, gradient - gradient @ counts / counts.sum())
        assert float(alone) == pytest.approx(float(each.variance(counts, gradient - gradient @ counts / counts.sum())))
    assert batch.names.tolist() == [name for each in designs for name in each.names.tolist()]
    unnamed = [designs[0], replace(designs[1], names=None)]
    assert unnamed[0].stacked(unnamed[1:], 4).names is None


def test_clusters_of_equal_content_are_one_kind():
    """Among clusters with equal numbers of entries, those with the same counts in the same cells are merged."""
    entries = Entries(
        cluster=np.array([0, 0, 1, 1, 2, 2, 3, 3]),
        cell=np.array([3, 0, 0, 3, 0, 3, 1, 3]),
        count=np.array([2.0, 1.0, 1.0, 2.0, 1.0, 5.0, 1.0, 2.0]),
        multiplicity=np.array([1.0, 4.0, 2.0, 3.0]),
    )
    found = entries.by_content()
    kinds = {}
    for kind, number in enumerate(found.multiplicity):
        inside = found.cluster == kind
        kinds[tuple(zip(found.cell[inside].tolist(), found.count[inside].tolist(), strict=True))] = float(number)
    assert kinds == {((0, 1.0), (3, 2.0)): 5.0, ((0, 1.0), (3, 5.0)): 2.0, ((1, 1.0), (3, 2.0)): 3.0}
    uneven = replace(entries, cluster=np.array([0, 0, 0, 1, 1, 2, 2, 3]))
    assert uneven.by_content() is uneven


@pytest.mark.parametrize("size", [2, 5, 20])
@pytest.mark.parametrize("together", [0.05, 0.3, 0.9])
def test_excess_skewness_is_that_of_the_beta_binomial_distribution(size, together):
    """Successes of a cluster are beta-binomial: its skewness over a binomial's, and over the root of the design effect."""
    table = hs.confusion(np.arange(3 * size) % 2, np.zeros(3 * size, dtype=int), groups=np.arange(3 * size) // size)
    effect, rest = 1 + (size - 1) * together, (1 - together) / together
    skewness = float(stats.betabinom.stats(size, 0.2 * rest, 0.8 * rest, moments="s"))
    expected = skewness / float(stats.binom.stats(size, 0.2, moments="s")) / np.sqrt(effect) - 1
    assert float(table.design.excess_skewness(table.cells, np.array(effect))) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("metric", ["fpr@weighted", "recall_gain@macro", "f1@macro"])
def test_an_unused_label_does_not_change_the_allowance_for_missed_clusters(metric):
    """Only cells of classes that occur can be in a cluster that the sample lacks."""
    rng = np.random.default_rng(5)
    truth, cluster = rng.choice(["a", "b", "c"], 40, p=[0.2, 0.1, 0.7]), rng.integers(0, 7, 40)
    said = np.where(rng.random(40) < 0.7, truth, rng.choice(["a", "b", "c"], 40))
    few, more = (hs.confusion(truth, said, groups=cluster, labels=list(labels)) for labels in ("abc", "abcd"))
    one, other = (hs.estimate(table, metric, method="flow") for table in (few, more))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)


def test_a_class_of_a_single_cluster_has_no_placement_variance():
    """Two clusters are enough, whatever the other class has."""
    truth, score = [0, 0, 0, 1, 1, 1], [0.1, 0.5, 0.3, 0.4, 0.8, 0.9]
    one = hs.estimate(hs.scores(truth, score, groups=[1, 2, 3, 4, 4, 4]), "roc_auc")
    two = hs.estimate(hs.scores(truth, score, groups=[1, 2, 3, 4, 4, 5]), "roc_auc")
    assert np.isnan(one.standard_error)
    assert "single cluster" in one.reason
    assert two.standard_error > 0
