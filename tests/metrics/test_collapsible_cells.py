"""Sums of cells that determine a metric: moving cases within them changes nothing."""

import itertools

import numpy as np
import pytest

import howsure as hs
from howsure.designs.fixed_margins import FixedMargins
from howsure.methods.core.draws import in_order
from howsure.metrics.averages import EXTREMES
from howsure.metrics.binding import resolve
from howsure.metrics.registry import REGISTRY
from support.arguments import spec_of

AVERAGES = ("macro", "micro", "weighted", "geometric", "harmonic", "min", "max", "binary+positive_class=1")
SPECS = {  # average → metrics
    average: [
        f"{spec_of(each)}{average}"
        for each in REGISTRY.shipped
        if each.of_predictions and each.has_outcomes == bool(average) and each.name != "expected_utility"
    ]
    for average in ("", *(f"@{one}" for one in AVERAGES))
}


def tables():
    """Return tables of few and of many classes: dense, and with a class that is never true, and one never predicted."""
    rng = np.random.default_rng(8)
    dense = rng.poisson(5.0, (4, 4)) + 9 * np.eye(4)
    absent = rng.poisson(0.4, (24, 24)) + np.eye(24)
    absent[0], absent[:, 1] = 0, 0
    return [hs.from_counts(counts) for counts in (dense, absent)]


TABLES = tables()


@pytest.mark.parametrize("average", SPECS)
def test_a_metric_of_collapsed_cells_is_that_of_the_table(average):
    """The sums of cells that a metric declares determine its value and its gradient."""
    for spec, table in itertools.product(SPECS[average], TABLES):
        for classes in (None, [0, 2]) if average and "binary" not in average else (None,):
            metric = resolve(spec, table, classes=classes)
            if metric.collapsible_cells is None:
                continue
            codes = in_order(metric.collapsible_cells().ravel())
            small = table.collapse_cells(codes)
            assert small.cells.sum() == table.cells.sum()
            assert metric(small.counted) == pytest.approx(metric(table.counted), rel=1e-12, abs=1e-14, nan_ok=True)
            slopes = [np.nan_to_num(metric.finite_gradient(each.counted)).ravel() for each in (table, small)]
            tied = metric.average in EXTREMES  # one of several tied classes is chosen
            assert tied or slopes[1][codes] == pytest.approx(slopes[0], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    "spec, cells",
    [
        ("accuracy", 2),  # right, wrong
        ("f1@micro", 2),
        ("f1@binary+positive_class=1", 4),  # the 2×2 table
        ("mcc@binary+positive_class=1", 4),
        ("recall@macro", 2 * 23 + 1),  # right and wrong by true class; one class has no case
        ("balanced_accuracy", 2 * 23 + 1),
        ("precision@macro", 2 * 23 + 1),  # right and wrong by predicted class
        ("mae", 24),  # by distance, 0 to 23
    ],
)
def test_metrics_look_at_few_sums(spec, cells):
    """Accuracy needs two sums, one class four, means of recalls or precisions two for each class."""
    table = TABLES[-1]
    assert len(np.unique(resolve(spec, table).collapsible_cells())) == cells


@pytest.mark.parametrize("spec", ["f1@macro", "mcc", "kappa", "precision@weighted"])
def test_metrics_of_both_margins_tell_all_cells_apart(spec):
    """What depends on the totals of true and of predicted classes has no cells in common."""
    assert resolve(spec, TABLES[-1]).collapsible_cells is None


@pytest.mark.parametrize("spec", ["f1@binary+positive_class=1", "recall@macro"])
def test_collapsed_cells_have_the_sums_of_their_cells(spec):
    """Of few groups, and of so many that no matrix product is made."""
    counts = np.random.default_rng(9).poisson(2.0, (70, 70)) + np.eye(70, dtype=int)
    table = hs.from_counts(counts)
    codes = in_order(resolve(spec, table).collapsible_cells().ravel())
    expected = np.zeros(codes.max() + 1)
    for code, count in zip(codes, counts.ravel(), strict=True):
        expected[code] += count
    assert table.collapse_cells(codes).cells.tolist() == expected.tolist()


def test_metrics_together_keep_apart_what_one_of_them_does():
    """Accuracy and a class's F1 need five sums: right cases of other classes are separate from wrong ones."""
    table = hs.from_counts(np.full((6, 6), 4) + 30 * np.eye(6))
    found = hs.methods.Bootstrap().drawn_from(
        [resolve(each, table) for each in ("accuracy", "f1@binary+positive_class=2")], table
    )
    assert sorted(found.cells.tolist()) == sorted([34, 5 * 4, 5 * 4, 5 * 34, 20 * 4])


def test_collapsed_cells_keep_to_the_strata():
    """With fixed class totals, accuracy needs right and wrong cases of each class."""
    table = hs.from_counts(np.full((6, 6), 4) + 30 * np.eye(6)).with_design(FixedMargins())
    found = hs.methods.Bootstrap().drawn_from([resolve("accuracy", table)], table)
    assert sorted(found.cells.tolist()) == [20.0] * 6 + [34.0] * 6


def test_weighted_tables_and_tables_of_many_labels_are_drawn_whole():
    """Draws that may not add up, and cells that are not a partition of the cases, are not merged."""
    rng = np.random.default_rng(0)
    true, predicted = rng.integers(0, 5, (2, 60))
    weighted = hs.confusion(true, predicted, sample_weight=rng.uniform(1, 2, 60))
    labels = hs.confusion(*(rng.random((2, 60, 3)) < 0.5))
    for table, spec in ((weighted, "accuracy"), (labels, "recall@macro")):
        assert hs.methods.Bootstrap().drawn_from([resolve(spec, table)], table) is table
