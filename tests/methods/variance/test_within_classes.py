"""Metrics that do not depend on estimated class frequencies."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

import howsure as hs
from howsure.methods.variance.within_classes import is_within_classes
from howsure.metrics.binding import resolve

SOURCE = hs.from_counts([[27, 3, 1], [9, 41, 2], [1, 4, 22]])


@pytest.mark.parametrize(
    "metric, within",
    [
        ("recall@macro", True),
        ("recall@binary+positive_class=2", True),
        ("balanced_accuracy", True),
        ("recall@geometric", True),
        ("specificity@binary+positive_class=0", False),  # of two other classes, in their proportion
        ("specificity@binary+positive_class=1", False),
        ("specificity@binary+positive_class=2", False),
        ("fpr@binary+positive_class=1", False),
        ("recall@weighted", False),
        ("accuracy", False),
        ("precision@macro", False),
        ("prevalence@binary+positive_class=0", False),
    ],
)
def test_rates_within_the_true_classes_are_the_same_for_any_frequencies(metric, within):
    """Recalls and their means are; what has other classes in its denominator is not, nor is anything of known ones."""
    table = hs.transported(SOURCE, {0: 40, 1: 60, 2: 15})
    assert is_within_classes(resolve(metric, table), table) == within
    assert not is_within_classes(resolve(metric, SOURCE), SOURCE)


def test_contrasts_and_batches_are_not_asked():
    """Two tables have no single answer, nor have two models."""
    table = hs.transported(SOURCE, {0: 40, 1: 60, 2: 15})
    metric = resolve("recall@macro", table)
    assert is_within_classes(metric, table)
    assert not is_within_classes(replace(metric, contrast=object()), table)
    two = SimpleNamespace(
        design=table.design, batch=(2,), cells=table.cells, true_class=table.true_class, make_counts=table.make_counts
    )
    assert not is_within_classes(metric, two)
    two.batch = ()
    assert is_within_classes(metric, two)
