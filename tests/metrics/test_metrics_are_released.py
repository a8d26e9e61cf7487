"""A table that lives long keeps nothing of the metrics that were computed on it."""

import gc
from dataclasses import replace

import pytest

import howsure as hs
from howsure.metrics.binding import resolve
from howsure.metrics.class_sets import ClassSet


def sets_of_classes():
    """Return how many sets of classes, one for each bound average, are in memory."""
    gc.collect()
    return sum(isinstance(each, ClassSet) for each in gc.get_objects())


@pytest.mark.parametrize("spec", ["f1@macro", "recall@weighted", "balanced_accuracy"])
def test_an_average_is_released_after_its_estimate(spec):
    """Thousands of estimates from one table need no more memory than one."""
    table = hs.from_counts([[50, 3, 1], [5, 42, 2], [1, 2, 30]])
    hs.estimate(table, spec)
    before = sets_of_classes()
    for _ in range(5):
        hs.estimate(table, spec)
    assert sets_of_classes() == before


def test_counts_compute_the_value_of_a_metric_once():
    """An estimate needs value and gradient more than once; the counts keep them as long as the metric exists."""
    table = hs.from_counts([[50, 3, 1], [5, 42, 2], [1, 2, 30]])
    calls = []
    metric = resolve("f1@macro", table)
    counted = replace(metric, value=lambda counts: calls.append(counts) or metric.value(counts))
    assert counted.value_at(table.counted) == counted.value_at(table.counted) == metric.value_at(table.counted)
    assert len(calls) == 1
