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
