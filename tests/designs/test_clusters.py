"""Clusters of cases."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.designs.clusters import LARGE, UNSEEN, Clusters, clusters_of
from howsure.designs.entries import Entries
from howsure.methods.core.standard_errors import small_sample, small_sample_with_missed_clusters
from howsure.metrics.binding import resolve


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
    assert table.design.threshold_variances(table.counts, slopes) == pytest.approx(np.array(expected))


def test_parts_answer_as_the_whole_does():
    """For a form in the cells of one part, that part's entries give the variance and small-sample correction of all."""
    rng = np.random.default_rng(0)
    table = hs.events(*rng.poisson(5, (3, 40)), unit=np.arange(40) // 2, label=np.tile(["a", "b"], 20))
    for index, part in enumerate(table.design.split_by_class(table.true_class, 2)):
        form = np.where(table.true_class == index, rng.normal(size=table.counts.size), 0.0)
        expected = table.design.variance(table.counts, form), *table.design.small_sample_correction(table.counts, form)
        found = part.variance(table.counts, form), *part.small_sample_correction(table.counts, form)
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
        some_clusters(1).add_tables([some_clusters(2, units=False)])
    assert len(some_clusters(1).add_tables([some_clusters(2)]).unit) > 0
    assert some_clusters(1, units=False).add_tables([some_clusters(2, units=False)]).unit is None


def test_stacked_tables_keep_their_own_clusters():
    """In a batch each table's clusters are its own: their cells come one table after the other, as do their names."""
    designs = [some_clusters(seed, units=False) for seed in (1, 2, 3)]
    batch = designs[0].stack_tables(designs[1:], 4)
    assert batch.owner.tolist() == np.repeat([0, 1, 2], [len(each.multiplicity) for each in designs]).tolist()
    gradient = np.random.default_rng(4).normal(size=4)
    for place, each in enumerate(designs):
        inside = batch.owner[batch.cluster] == place
        assert (batch.cell[inside] - 4 * place).tolist() == each.cell.tolist()
        counts = np.bincount(each.cell, each.count * each.multiplicity[each.cluster], 4)
        alone = batch.select_table(place).variance(counts, gradient - gradient @ counts / counts.sum())
        assert float(alone) == pytest.approx(float(each.variance(counts, gradient - gradient @ counts / counts.sum())))
    assert batch.names.tolist() == [name for each in designs for name in each.names.tolist()]
    unnamed = [designs[0], replace(designs[1], names=None)]
    assert unnamed[0].stack_tables(unnamed[1:], 4).names is None


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


# Tables of seven clusters of four cells: truth 0 in the first two, 1 in the others; two clusters are alike.
EACH = np.array([[3, 0, 1, 0], [2, 2, 0, 4], [3, 0, 1, 0], [0, 1, 0, 0], [0, 0, 2, 5], [6, 1, 0, 2], [0, 0, 3, 1.0]])
SIDE = np.array([0, 0, 1, 1])
FORM = np.array([0.4, -1.2, 0.9, -0.3])


def as_kinds(each=EACH):
    """Return the design of these clusters, of which those that are alike are stored once with their number."""
    kinds, number = np.unique(each, axis=0, return_counts=True)
    cluster, cell = np.nonzero(kinds)
    order = np.random.default_rng(0).permutation(len(cell))  # entries are in no order
    entries = cluster[order], cell[order], kinds[cluster, cell][order]
    return Clusters(*entries, number.astype(float), names=np.empty(0))


def side_by_side(*tables):
    """Return the design of a batch of tables of clusters, none of which is stored twice."""
    return clusters_of(np.stack(tables))


def test_sums_over_clusters_are_those_of_the_clusters_one_by_one():
    """Variances, effective numbers and sizes of clusters come from the totals of each, alone and in a batch."""
    counts, totals, design = EACH.sum(0), EACH @ FORM, as_kinds()
    design.check((4,))
    design.check_sums(counts)
    assert (design.number, design.degrees_of_freedom) == (7, 6)
    assert design.variance(counts, FORM) == pytest.approx(7 / 6 * (totals**2).sum())
    sizes = EACH.sum(1)
    assert design.effective_sample_size(counts, np.ones(4)) == pytest.approx(sizes.sum() ** 2 / (sizes**2).sum())
    assert design.mean_unit_size(counts) == pytest.approx((sizes**2).sum() / sizes.sum())
    wide = EACH @ [3.0, 0.0, 0.1, 0.0]
    freedom = design.satterthwaite_df(counts, SIDE, np.array([3.0, 0.0, 0.1, 0.0]))
    assert freedom == pytest.approx(2 * (wide**2).sum() ** 2 / (wide**4).sum())
    assert design.satterthwaite_df(counts, SIDE, FORM) == 6 < 2 * (totals**2).sum() ** 2 / (totals**4).sum()
    assert design.satterthwaite_df(counts, SIDE, np.zeros(4)) == 6
    form, number = design.influence_functions(counts, FORM)
    assert sorted(np.repeat(form, number.astype(int))) == pytest.approx(sorted(totals))
    batch, other = side_by_side(EACH, EACH[:, ::-1]), EACH[:, ::-1] @ FORM
    both = np.stack([counts, counts[::-1]])
    batch.check((2, 4))
    batch.check_sums(both)
    assert batch.variance(both, FORM) == pytest.approx([7 / 6 * (totals**2).sum(), 7 / 6 * (other**2).sum()])
    assert batch.degrees_of_freedom.tolist() == [6, 6]
    assert np.isnan(as_kinds(EACH[:1]).variance(EACH[0], FORM))
    assert as_kinds(EACH[:2]).variance(EACH[:2].sum(0), FORM) == pytest.approx(2 * (totals[:2] ** 2).sum())


def test_placements_of_clusters_have_obuchowskis_variance():
    """Each class has the factor of the clusters that hold a case of it, the covariance that of all clusters."""
    parts = [EACH * FORM @ (side == SIDE) for side in (0, 1)]
    present = [(EACH @ (side == SIDE) > 0).sum() for side in (0, 1)]
    assert present == [5, 6]
    own = sum(n / (n - 1) * (part**2).sum() for n, part in zip(present, parts, strict=True))
    expected = own + 2 * 7 / 6 * (parts[0] * parts[1]).sum()
    assert as_kinds().placement_variance(EACH.sum(0), SIDE, FORM) == pytest.approx(expected)
    batch = side_by_side(EACH, EACH[::-1]).placement_variance(np.stack([EACH.sum(0)] * 2), SIDE, FORM)
    assert batch == pytest.approx([expected] * 2)


def tables_of(design, size):
    """Return the tables of the clusters of a design, sorted."""
    tables = np.zeros((len(design.multiplicity), size))
    np.add.at(tables, (design.cluster, design.cell), design.count)
    return sorted(map(tuple, np.repeat(tables, design.multiplicity.astype(int), axis=0)))


def test_changed_tables_of_clusters_are_those_of_each_cluster():
    """Merged, chosen, left out and tilted: what is done to the table is done to each cluster."""
    counts, design, target = EACH.sum(0), as_kinds(), np.array([1, 0, 1, 2])
    merge = np.eye(3)[target]
    assert tables_of(design.collapse_cells(target, 3), 3) == sorted(map(tuple, EACH @ merge))
    each = side_by_side(EACH, EACH[::-1]).collapse_cells(target, 3)
    assert tables_of(each.select_table(1), 3) == sorted(map(tuple, EACH @ merge))
    split = design.collapse_cells_per_table(np.stack([target, target[::-1]]), 3)
    assert split.number.tolist() == [7, 7]
    for place, cells in enumerate((target, target[::-1])):
        assert tables_of(split.select_table(place), 3) == sorted(map(tuple, EACH @ np.eye(3)[cells]))
    chosen = np.array([True, False, False, True])
    kept = design.keep_cells(chosen, np.array([1, -1, -1, 0]))
    assert tables_of(kept, 2) == sorted(map(tuple, EACH[:, [3, 0]]))
    left = [
        (tuple(table), number)
        for tables, many in design.leave_one_out(counts)
        for table, number in zip(tables, many, strict=True)
    ]
    assert sorted(np.repeat([table for table, _ in left], [int(n) for _, n in left], axis=0).tolist()) == sorted(
        (counts - EACH).tolist()
    )
    factor = np.exp(0.2 * EACH @ FORM)
    factor *= 7 / factor.sum()
    sums, moved = design.exponential_tilt(counts, 0.2 * FORM)
    assert sums == pytest.approx(factor @ EACH)
    assert moved.multiplicity.sum() == pytest.approx(7)
    assert moved.variance(sums, FORM) == pytest.approx(7 / 6 * factor @ (EACH @ FORM) ** 2)


@pytest.mark.parametrize("kinds", [True, False], ids=["kinds", "one by one"])
def test_draws_of_clusters_have_the_moments_of_the_clusters(kinds):
    """Resamples and new studies are multinomial in whole clusters; the posterior weighs each by a gamma variable."""
    design = as_kinds() if kinds else replace(side_by_side(EACH), owner=None)
    counts, size = EACH.sum(0), 20_000
    square = (EACH**2).sum(0)
    variance = square - counts**2 / 7

    def agrees(drawn, mean, variance):
        assert drawn.mean(0) == pytest.approx(mean, abs=5 * np.sqrt(variance.max() / size))
        assert drawn.var(0) == pytest.approx(variance, rel=0.08)

    agrees(design.resample(counts, size, np.random.default_rng(0)), counts, variance)
    sums, studies = design.simulate_studies(counts, 3.0, size, np.random.default_rng(1))
    agrees(sums, 3 * counts, 3 * variance)
    assert set(studies.number) == {21}
    studies.check((size, 4))
    studies.check_sums(sums)
    some = [21 / 20 * sum((table @ FORM) ** 2 for table in tables_of(studies.select_table(k), 4)) for k in (0, 1)]
    assert studies.variance(sums, FORM)[:2] == pytest.approx(some)
    assert design.simulate_studies(counts, 0.01, 3, np.random.default_rng(1))[1].number.tolist() == [1] * 3
    prior, worth = np.array([0.0, 2.0, 0.5, 0.0]), (EACH.sum(1) ** 2).sum() / EACH.sum()
    drawn = design.posterior(counts, prior, size, np.random.default_rng(2))
    agrees(drawn, counts + prior * worth, square + prior * worth**2)
    halved = replace(design, labels_per_case=2).posterior(counts, prior, size, np.random.default_rng(2))
    agrees(halved, counts + prior * worth / 2, square + prior * worth**2 / 4)


def test_clusters_of_one_name_are_one_cluster():
    """Tables whose clusters have names share them; without names they are others, and must be known to be so."""
    first, second = as_kinds(EACH[:3]), as_kinds(EACH[3:])
    both = first.add_tables([second])
    assert tables_of(both, 4) == sorted(map(tuple, EACH))
    one = replace(side_by_side(EACH[:3]), owner=None, shape=(1, 0), names=np.array(["a", "b", "c"]), case_weight=2.0)
    other = replace(side_by_side(EACH[3:]), owner=None, shape=(1, 0), names=np.array(["c", "d", "a", "e"]))
    named = one.add_tables([other])
    expected = [EACH[0] + EACH[5], EACH[1], EACH[2] + EACH[3], EACH[4], EACH[6]]
    assert tables_of(named, 4) == sorted(map(tuple, expected))
    assert named.unit_names.tolist() == ["a", "b", "c", "d", "e"]
    weight = (2.0 * EACH[:3].sum() + EACH[3:].sum()) / EACH.sum()
    assert named.case_weight == pytest.approx(weight)
    assert named.with_unshared_units().unit_names is None
    assert replace(one, names=None).unit_names is None
    with pytest.raises(hs.HowsureError, match="names were not kept"):
        one.add_tables([replace(other, names=None)])
    with pytest.raises(hs.HowsureError, match="cannot be matched"):
        one.add_tables([second])


def test_units_within_clusters_have_their_tables():
    """Without units each cluster is one, repeated as often as it occurs; with units each has its cells alone."""
    tables, cluster, names = as_kinds().unit_tables(4)
    assert sorted(tables.toarray().tolist()) == sorted(EACH.tolist())
    assert (cluster, names) == (None, None)
    some = replace(
        side_by_side(EACH[[0, 1]]), owner=None, shape=(1, 0), unit=np.array([5, 2, 7, 7, 9]), names=np.array(["a", "b"])
    )
    tables, cluster, names = some.unit_tables(4)  # units 2, 5, 7 and 9
    assert tables.toarray().tolist() == [[0, 0, 1, 0], [3, 0, 0, 0], [2, 2, 0, 0], [0, 0, 0, 4]]
    assert cluster.tolist() == [0, 0, 1, 1]
    assert names.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "change",
    [
        {"cluster": np.array([0, 9])},
        {"cell": np.array([0, 8])},
        {"count": np.array([1.0])},
        {"multiplicity": np.array([1.0, 0.0])},
        {"owner": np.array([1, 0])},
        {"owner": np.array([0, 2])},
        {"shape": (1, 4)},
        {"shape": (2, 3)},
        {"labels_per_case": 0},
        {"labels_per_case": 5},
        {"case_weight": -1.0},
        {"case_weight": np.array([1.0, -1.0])},
        {"names": np.array(["a", "b", "c"])},
        {"unit": np.array([0, 2])},
        {"unit": np.array([0])},
    ],
)
def test_clusters_that_fit_no_table_are_refused(change):
    """Each part must be of its size, and its numbers must be of clusters, cells and tables that there are."""
    good = Clusters(np.array([0, 1]), np.array([0, 7]), np.ones(2), np.ones(2), np.array([0, 1]), (2, 4))
    good = replace(good, names=np.array(["a", "b"]), unit=np.array([0, 1]), case_weight=np.ones(2), labels_per_case=4)
    good.check((2, 4))
    replace(good, owner=np.array([1, 1]), names=np.empty(0)).check((2, 4))
    with pytest.raises(hs.HowsureError):
        replace(good, **change).check((2, 4))


def test_a_table_without_a_batch_has_one_row_of_cells():
    """Cells of a single table are those of its last axis alone, and other counts are not those of its clusters."""
    design, counts = as_kinds(), EACH.sum(0)
    design.check((1, 4))
    with pytest.raises(hs.HowsureError):
        replace(design, cell=np.where(design.cell == 3, 4, design.cell)).check((2, 4))
    with pytest.raises(hs.HowsureError):
        design.check_sums(counts + np.eye(4)[2])


@pytest.mark.parametrize("number", [19, 20])
def test_few_clusters_are_told(number):
    """Below twenty clusters a caution says that the intervals themselves are uncertain."""
    design = as_kinds(np.column_stack([np.arange(1.0, number + 1), np.ones((number, 3))]))
    assert design.description.sample == f"in {number} clusters"
    assert ("So few make" in design.description.caveats[0]) == (number == 19)


def test_parts_of_a_batch_have_the_variances_of_their_cells():
    """The part of a class has the variance that the whole batch has for a form that is zero in the other class."""
    batch, counts = side_by_side(EACH, EACH[:, ::-1]), np.stack([EACH.sum(0), EACH[:, ::-1].sum(0)])
    for side, part in enumerate(batch.split_by_class(SIDE, 2)):
        form = np.where(side == SIDE, FORM, 0)
        assert set(part.cell % 4) == set(np.flatnonzero(side == SIDE))
        assert part.variance(counts, form) == pytest.approx(batch.variance(counts, form))


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
    return small_sample_with_missed_clusters(bound, table)[0] / small_sample(bound, table)[0]


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
