"""Clusters of another size than the pilot's: studies that are drawn of them vary as they are to."""

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS
from howsure.planning.clustered import Clustering, intracluster_correlation, with_runs
from howsure.planning.pilots import Pilot
from howsure.planning.splits import of_test_sets

PILOT = hs.from_counts([[50, 3], [5, 42]])
OTHER = hs.from_counts([[40, 13], [9, 38]])


@pytest.mark.parametrize("size, icc", [(1, 0.0), (4, 0.0), (4, 0.3), (2, 0.8), (10, 0.1)])
def test_drawn_clusters_have_their_size_and_correlation(size, icc):
    """Each study has clusters of the size, with contributions of variance 1 + (m − 1) icc times binomial."""
    drawn = Clustering(size, icc).drawn(PILOT, 400, 300, np.random.default_rng(0))
    assert drawn.rows == 400
    assert (drawn.counts.sum((1, 2)) == 400).all()
    design = drawn.design
    again = np.bincount(design.cell, design.count, 4 * 300).reshape(300, 2, 2)
    np.testing.assert_array_equal(again, drawn.counts)
    assert (np.bincount(design.cluster, design.count) == size).all()
    right = np.bincount(design.cluster, design.count * np.isin(design.cell % 4, [0, 3]))
    assert right.mean() / size == pytest.approx(0.92, abs=0.01)
    assert right.var() / (size * 0.92 * 0.08) == pytest.approx(1 + (size - 1) * icc, rel=0.06)
    form = np.array([[1.0, 0.0], [0.0, 1.0]]) - (drawn.counts[:, 0, 0] + drawn.counts[:, 1, 1])[:, None, None] / 400
    totals = drawn.counts[:, 0, 0] + drawn.counts[:, 1, 1]
    assert np.mean(design.variance(drawn.cells, form.reshape(300, 4))) == pytest.approx(totals.var(), rel=0.25)


def test_best_splits_name_the_test_sets():
    """Parts of a split have the names of the test sets, first and second without any."""
    tables = PILOT, OTHER
    for names, expected in (((None, None), ["first", "second"]), (("new", "old"), ["new", "old"])):
        pilot = Pilot.of(tables, "accuracy", effect=EFFECTS["difference"], names=names)
        assert [share.name for share in of_test_sets(pilot, 100)] == expected


def test_a_single_case_of_an_absent_class_cannot_be_planned():
    """One case of a class that the pilot lacks is refused like many."""
    with pytest.raises(hs.HowsureError, match="The pilot has no case of class '1'"):
        hs.plan(hs.from_counts([[5, 1], [0, 0]]), "accuracy", support=1)


@pytest.mark.parametrize("first", [True, False])
def test_no_truth_is_stated_beside_estimated_counts(first):
    """Where one of two test sets has estimated counts, another true difference than the pilot's is refused."""
    estimated = hs.labels.corrected(hs.from_counts([[900, 100], [50, 450]]), sensitivity=0.95, specificity=0.98)
    tables = (estimated, OTHER) if first else (OTHER, estimated)
    with pytest.raises(hs.HowsureError, match="whose counts are estimates"):
        hs.plan(*tables, "accuracy", power=0.8, true_value=0.3)


def test_the_correlation_of_runs_is_the_pilots_unless_it_is_stated():
    """The tasks of the planned study have the mean and the intraclass correlation of the pilot's, or the stated one."""
    rng = np.random.default_rng(3)
    ease = rng.beta(1.5, 1.0, 60)
    pilot = hs.trials((rng.random((60, 4)) < ease[:, None]).astype(int).ravel(), task=np.repeat(np.arange(60), 4))
    mean, of_pilot = (hs.estimate(pilot, name).value for name in ("mean", "icc"))
    for stated, expected in ((None, of_pilot), (0.2, 0.2)):
        tasks = with_runs(pilot, 10, stated)
        share = tasks.counts / tasks.counts.sum()
        rate = tasks.successes / 10
        between = share @ (rate - mean) ** 2
        assert share @ rate == pytest.approx(mean)
        assert between == pytest.approx(mean * (1 - mean) * (expected + (1 - expected) / 10))


@pytest.mark.parametrize(
    "pilot",
    [
        PILOT.with_design(hs.designs.FixedMargins()),
        hs.confusion([0, 1, 1, 0] * 5, [0, 1, 0, 0] * 5, sample_weight=[1.0, 2.0, 0.5, 1.5] * 5),
    ],
    ids=["fixed totals", "weights"],
)
def test_other_cases_than_counted_ones_form_no_clusters(pilot):
    """Each reason alone is enough: totals fixed by design, or weights."""
    with pytest.raises(hs.HowsureError, match="`cluster_size` and `icc` are for counted cases"):
        hs.plan(pilot, "f1", width=0.1, cluster_size=4, icc=0.1)


@pytest.mark.parametrize("sizes", [np.full(12, 5), np.array([2, 9, 4, 4, 7, 1, 3, 8, 5, 5, 6, 2])])
def test_the_correlation_of_a_pilot_follows_from_its_design_effect(sizes):
    """It is the design effect less one, over the mean size over cases less one; the size is the mean over clusters."""
    rng = np.random.default_rng(4)
    group = np.repeat(np.arange(12), sizes)
    right = rng.random(len(group)) < rng.beta(2, 1, 12)[group]
    table = hs.confusion(np.ones(len(group), int), right * 1, groups=group, labels=[0, 1])
    sums = np.bincount(group, right - right.mean())
    effect = 12 / 11 * (sums**2).sum() / (len(group) * right.mean() * (1 - right.mean()))
    weighted = (sizes**2).sum() / sizes.sum()
    found = intracluster_correlation(resolve("accuracy", table), table)
    assert found == pytest.approx(((effect - 1) / (weighted - 1), len(group) / 12))
    assert intracluster_correlation(resolve("accuracy", PILOT), PILOT) == (0, 1)
    assert 0.05 < found[0] < 0.95
