"""How many more cases halve an interval, from the gradient."""

import time

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.binding import resolve
from howsure.planning.halve_width import to_halve

TABLE = hs.from_counts([[50, 3], [5, 42]])


def found(metric, table=TABLE):
    return to_halve(resolve(metric, table), table)


def test_half_the_width_is_four_times_the_cases():
    """For F1 three times as many more cases of the same kind, 47 % of the positive class as in the sample."""
    more = found("f1")
    assert (more.cases, more.label, more.of_class, more.chosen) == (300, "1", 141, False)
    assert hs.estimate(hs.from_counts([[200, 12], [20, 168]]), "f1").standard_error == pytest.approx(
        hs.estimate(TABLE, "f1").standard_error / 2
    )


def test_recall_needs_cases_of_its_class_alone():
    """For recall three times the positive cases, and no negative ones."""
    more = found("recall")
    assert (more.cases, more.of_class, more.chosen) == (141, 141, True)


def test_cases_that_are_there_stay():
    """The fewest more cases of two classes bring the sum of s² / n to a quarter, all in the class that lacks them."""
    table = hs.from_counts([[900, 100], [4, 6]])
    more = found("balanced_accuracy", table)
    now = 0.09 / 1000 + 0.24 / 10
    assert more.label == "1"
    assert more.cases == more.of_class == pytest.approx(0.24 / (now / 4 - 0.09 / 1000) - 10, abs=1)


def test_nothing_is_said_where_the_table_does_not_tell():
    """A perfect or undefined metric, and counts that are estimates, have no such number."""
    assert found("accuracy", hs.from_counts([[5, 0], [0, 4]])) is None
    assert found("recall", hs.from_counts([[5, 1], [0, 0]])) is None
    assert found("accuracy", hs.labels.corrected(TABLE, sensitivity=0.95, specificity=0.98)) is None


def test_clusters_need_as_many_more_cases_in_clusters():
    """For clustered cases three times as many more cases, without a class."""
    table = hs.confusion([0, 1, 1, 0] * 5, [0, 1, 0, 0] * 4 + [1, 1, 1, 0], groups=np.arange(20) // 2)
    more = found("accuracy", table)
    assert (more.cases, more.label) == (60, "")


def test_reports_say_it_in_a_sentence():
    """A report has the sentence for the metric that a reader looks for first, and it takes a few milliseconds."""
    report = hs.report_of(TABLE)
    assert "about 300 more such cases, 141 of them of class 1" in report.to_markdown()
    metric, spent = resolve("f1", TABLE), []
    for _ in range(9):
        start = time.perf_counter()
        to_halve(metric, TABLE)
        spent.append(time.perf_counter() - start)
    assert min(spent) < 0.005
