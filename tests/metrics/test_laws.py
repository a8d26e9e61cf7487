"""The laws for metrics detect violations, on informative tables."""

from dataclasses import replace

import numpy as np
import pytest

import howsure as hs
from howsure.metrics import laws
from howsure.metrics.binding import resolve
from howsure.metrics.kinds import FORMS
from howsure.metrics.registry import REGISTRY, Definition
from howsure.metrics.spec import Spec, parse

TWO = hs.from_counts([[44, 6], [9, 29]])
ACCURACY = resolve("accuracy", TWO)
METRICS = ("fbeta+beta=2@macro", "weighted_kappa", "roc_auc", "brier_score@macro", "krippendorff_alpha", "map", "mean")


def test_values_that_are_right_of_some_tables_of_a_batch_alone_break_the_law():
    """A function that takes a batch for one table, of which the first value is right, does not take leading axes."""

    def first_alone(counts):
        found = np.array(ACCURACY.value(counts))
        if found.ndim:
            found[1:] /= 2
        return found

    assert laws.takes_leading_axes(ACCURACY, TWO) == ""
    assert "leading axes" in laws.takes_leading_axes(replace(ACCURACY, value=first_alone), TWO)


def test_slopes_that_are_wrong_in_a_batch_break_the_law():
    """Also where the values are right."""
    wrong = replace(ACCURACY, gradient=lambda counts: ACCURACY.gradient(counts) * (1 + (counts.cells.ndim > 2)))
    assert "other values than one by one" in laws.takes_leading_axes(wrong, TWO)


def test_slopes_far_below_the_steepest_may_be_lost_in_rounding():
    """Central differences of a metric near a billion cannot resolve slopes near 0: not a fault of the gradient."""

    def value(counts):
        cells = counts.cells
        return 1e9 * cells[..., 0, 0] / cells[..., 0, :].sum(-1) + cells[..., 1, 1] / cells[..., 1, :].sum(-1)

    def gradient(counts):
        own, rows = counts.cells, counts.cells.sum(-1, keepdims=True)
        right = np.eye(2) / rows - own * np.eye(2) @ np.ones((2, 2)) / rows**2
        return right * np.array([[1e9], [1.0]])

    steep = replace(ACCURACY, value=value, gradient=gradient)
    assert laws.has_the_derivative_as_gradient(steep, TWO) == ""
    wrong = replace(steep, gradient=lambda counts: gradient(counts) * np.array([[1.001], [1.0]]))
    assert "not the derivative" in laws.has_the_derivative_as_gradient(wrong, TWO)


def test_what_changes_with_the_order_of_two_classes_breaks_the_law():
    """Accuracy does not depend on the order; recall of the first class does, and so does a gradient that favours it."""
    law = laws.does_not_depend_on_the_order_of_classes
    recall = replace(ACCURACY, value=lambda counts: counts.cells[..., 0, 0] / counts.cells[..., 0, :].sum(-1))
    favours = replace(ACCURACY, gradient=lambda counts: ACCURACY.gradient(counts) * np.array([[2.0], [1.0]]))
    assert law(ACCURACY, TWO) == ""
    assert law(recall, TWO) == law(favours, TWO) == "depends on the order of the classes"


@pytest.mark.parametrize("text", METRICS)
def test_generic_tables_have_no_empty_cell_and_are_better_than_chance(text):
    """Each has the parts that a table of its kind has, and the metric is defined on it and better than at random."""
    spec = parse(text)
    tables = list(laws.generic_tables(spec))
    assert tables
    for table in tables:
        assert (table.counts > 0).all()
        found = float(resolve(spec, table)(table.counts))
        low, high = resolve(spec, table).range
        assert low < found < high
        if spec.definition.random is not None:
            assert (found - spec.definition.random) * (1 if spec.definition.better == "higher" else -1) > 0


@pytest.mark.parametrize("text", ["f1@macro", "fbeta+beta=2@macro", "f1@binary+positive_class=ill"])
def test_generic_tables_of_classes_are_of_two_three_and_five(text):
    """Arguments leave the tables as they are; each class has a name, and a class that is named is among them."""
    tables = list(laws.generic_tables(parse(text)))
    assert [each.shape[-1] for each in tables if type(each).__name__ == "ConfusionTable"] == [2, 3, 5]
    for table in tables:
        if type(table).__name__ in {"ConfusionTable", "MultilabelTable"}:
            assert len(table.labels) == table.shape[0]
        assert ("ill" in table.labels) == ("ill" in text)


def test_generic_tables_of_scores_and_values_have_their_parts():
    """Two classes have scores; values are within the stated bounds; each class of detections has its own."""
    (two,) = laws.generic_tables(parse("roc_auc"))
    assert two.labels.tolist() == [0, 1]
    values = next(iter(laws.generic_tables(parse("mean"))))
    assert (values.values[0], values.values[-1]) == values.bounds
    (found,) = laws.generic_tables(parse("map"))
    assert len(found.scores) == len(found.labels)
    assert found.shape[0] == found.slices[-1].stop + 1
    assert (found.iou > 0).all()
    assert (found.iou < 1).all()
    assert found.counts[0] == found.rows


def only(size):
    """Return a function of counts of a number of classes, which raises for others and without right predictions."""

    def right(counts):
        if counts.shape[-1] != size or not np.trace(counts, axis1=-2, axis2=-1).all():
            raise ValueError
        return np.trace(counts, axis1=-2, axis2=-1) / counts.sum((-2, -1))

    return right


@pytest.mark.parametrize("size, made", [(3, [3]), (32, [32]), (33, [2])])
def test_ones_own_function_has_tables_of_the_first_size_that_it_takes(size, made):
    """Up to 32 classes are tried; a function that takes none is shown two, and fails in its own words."""
    spec = Spec(Definition(name="own", form=FORMS["cells"], function=only(size), own=True))
    assert [len(each.labels) for each in laws.generic_tables(spec)] == made


def test_howsures_functions_of_cells_have_tables_of_every_size():
    """They are for any number of classes, one's own perhaps for one."""
    assert REGISTRY.find("weighted_kappa").form.name == "cells"
    assert [len(each.labels) for each in laws.generic_tables(parse("weighted_kappa"))] == [2, 3, 5]
