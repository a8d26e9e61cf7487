"""Metrics of the four outcomes, where their derivatives end."""

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.binding import resolve
from howsure.metrics.registry import REGISTRY


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1000.0])
def test_a_root_at_zero_has_no_derivative_in_any_unit(unit):
    """Without a false positive the prevalence threshold has a root of 0, where a complex step is not a derivative."""
    counts = unit * np.array([[30.0, 0.0, 0.0], [2.0, 25.0, 0.0], [0.0, 4.0, 20.0]])  # none falsely third
    table = hs.tables.ConfusionTable(counts=counts, labels=np.arange(3))
    slopes = unit * resolve("prevalence_threshold@macro", table).gradient(table.counted)
    assert np.isfinite(slopes).all()
    assert np.abs(slopes).max() < 1


def test_the_smallest_weights_of_two_classes_are_told_from_none():
    """For two classes nothing is subtracted: a likelihood ratio keeps its digits if a cell is 1e-16 of all."""
    table = hs.confusion([0, 0, 1, 1], [0, 1, 0, 1], sample_weight=[1e-16, 2.0, 1.0, 4.0])
    of_rare, of_other = 0.2 / (1e-16 / 2), 1 / 0.8
    assert hs.estimate(table, "nlr@macro", method="delta").value == pytest.approx((of_rare + of_other) / 2, rel=1e-12)


def test_the_smallest_weights_of_three_classes_are_told_from_none():
    """With one rejection of weight 1e-16 and 12 of others, the specificity of the class is 1e-16 / 7."""
    truth, said = [0, 0, 1, 1, 2], [0, 1, 0, 1, 0]
    table = hs.confusion(truth, said, labels=[0, 1, 2], sample_weight=[2.0, 3.0, 4.0, 1e-16, 3.0])
    assert hs.estimate(table, "specificity@binary+positive_class=0", method="delta").value == pytest.approx(1e-16 / 7)


def test_a_class_that_never_occurs_has_the_smallest_specificity_with_its_own_slopes():
    """The standard error of the smallest class is that class's, also for a class without cases: 14 of 19."""
    table = hs.from_counts([[5, 1, 3], [2, 6, 2], [0, 0, 0]])
    found = hs.estimate(table, "specificity@min", method="delta")
    assert found.value == pytest.approx(14 / 19)
    own = hs.estimate(table, "specificity@binary+positive_class=2", method="delta")
    assert found.standard_error == pytest.approx(own.standard_error, rel=1e-12)
    assert found.standard_error > 0


def test_adjusted_balanced_accuracy_lies_between_minus_one_and_one():
    """For two classes with every case wrong it is minus one."""
    table = hs.from_counts([[0, 4], [7, 0]])
    metric = resolve("balanced_accuracy+adjusted=true", table)
    assert metric.range == (-1, 1)
    assert float(metric(table.counted)) == -1


@pytest.mark.parametrize("classes", [[0, 2], [1], [2, 1, 0], [2, 2, 0], None])
def test_an_average_over_some_classes_is_the_sum_of_what_each_adds(classes):
    """The terms of an unweighted mean add up to it, whichever classes it is over."""
    table = hs.from_counts([[44, 6, 3], [7, 29, 5], [2, 8, 21]])
    metric = resolve("f1@macro", table, classes=classes)
    diagonal, rows, columns = np.diag(table.counts), table.counts.sum(1), table.counts.sum(0)
    rest = table.counts.sum() - rows - columns + diagonal
    f1 = 2 * diagonal / (rows + columns)
    expected = f1[list(range(3)) if classes is None else classes].mean()
    assert metric.class_average.class_terms(diagonal, rows - diagonal, columns - diagonal, rest).sum() == pytest.approx(
        expected
    )
    assert metric.class_shares.slopes(diagonal, rows, columns).value == pytest.approx(expected)
    assert float(metric(table.counted)) == pytest.approx(expected)


def test_a_class_that_is_never_predicted_has_no_slopes_of_precision():
    """Where a ratio is undefined its derivatives are 0 and not nan."""
    slopes = REGISTRY.find("precision").slopes(*np.array([[0.0, 3.0], [4.0, 1.0], [0.0, 2.0], [5.0, 4.0]]))
    assert slopes[:, 0].tolist() == [0, 0, 0, 0]
    assert slopes[:, 1] == pytest.approx([2 / 25, 0, -3 / 25, 0])


def test_only_ratios_of_two_groups_of_outcomes_are_shares():
    """Recall and F1 follow from a share of cases; F2 weighs misses and false alarms differently, and does not."""
    definition = REGISTRY.find("fbeta")
    assert definition.share_ratio(beta=1.0).proportion is not None
    assert REGISTRY.find("recall").share_ratio() is REGISTRY.find("recall").outcome_ratio()
    assert definition.outcome_ratio(beta=2.0).denominator.tolist() == [5, 4, 1, 0]
    assert definition.share_ratio(beta=2.0) is None
