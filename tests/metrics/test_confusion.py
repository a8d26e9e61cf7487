"""Metrics of the four outcomes, where their derivatives end."""

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.binding import resolve


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1000.0])
def test_a_root_at_zero_has_no_derivative_in_any_unit(unit):
    """Without a false positive the prevalence threshold has a root of 0, of which the complex step is no derivative."""
    counts = unit * np.array([[30.0, 0.0, 0.0], [2.0, 25.0, 0.0], [0.0, 4.0, 20.0]])  # none falsely third
    table = hs.ConfusionTable(counts=counts, labels=np.arange(3))
    slopes = unit * resolve("prevalence_threshold@macro", table).gradient(table.counted)
    assert np.isfinite(slopes).all()
    assert np.abs(slopes).max() < 1


def test_the_smallest_weights_of_two_classes_are_told_from_none():
    """Of two classes nothing is subtracted: a likelihood ratio keeps its digits where a cell is 1e-16 of all."""
    table = hs.confusion([0, 0, 1, 1], [0, 1, 0, 1], sample_weight=[1e-16, 2.0, 1.0, 4.0])
    of_rare, of_other = 0.2 / (1e-16 / 2), 1 / 0.8
    assert hs.estimate(table, "nlr@macro", method="delta").value == pytest.approx((of_rare + of_other) / 2, rel=1e-12)


def test_the_smallest_weights_of_three_classes_are_told_from_none():
    """A class is rejected once, with a weight of 1e-16 beside 12 of others: its specificity is 1e-16 / 7."""
    truth, said = [0, 0, 1, 1, 2], [0, 1, 0, 1, 0]
    table = hs.confusion(truth, said, labels=[0, 1, 2], sample_weight=[2.0, 3.0, 4.0, 1e-16, 3.0])
    assert hs.estimate(table, "specificity@binary+positive_class=0", method="delta").value == pytest.approx(1e-16 / 7)
