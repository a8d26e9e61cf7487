"""A plan, drawn."""

import numpy as np
import pytest

import howsure as hs

TABLE = hs.from_counts([[50, 3], [5, 42]])


def test_a_plan_is_a_curve_with_its_number_on_it():
    """The curve decreases by half for four times the cases, and contains the planned number."""
    plan = hs.plan(TABLE, "f1", width=0.1)
    ax = hs.plots.plan(plan)
    curve, point = ax.get_lines()[:2]
    n, width = curve.get_data()
    assert np.interp(4 * plan.n, n, width) == pytest.approx(np.interp(plan.n, n, width) / 2, rel=0.01)
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (plan.n, plan.width)
    assert ax.get_xscale() == "log"


def test_a_power_is_drawn_as_a_chance():
    """The curve of a power increases within [0, 1], and its axis names the metric."""
    ax = hs.plots.plan(hs.plan(TABLE, "accuracy", power=0.8, null=0.85, alternative="greater"))
    _, chance = ax.get_lines()[0].get_data()
    assert (np.diff(chance) > 0).all()
    assert 0 <= chance[0] < chance[-1] <= 1
    assert ax.get_ylabel() == "power, accuracy"


def test_other_results_are_refused():
    """Objects that are not plans are refused with the function that makes one."""
    with pytest.raises(hs.HowsureError, match="draws what `plan` returns"):
        hs.plots.plan(TABLE)
