"""Plots of decision curves."""

import numpy as np
import pytest

import howsure as hs

RNG = np.random.default_rng(4)
RISK = RNG.beta(1, 4, 300)
TRUTH = RNG.random(300) < RISK
CURVE = hs.decision_curve(TRUTH, {"A": RISK, "B": np.sqrt(RISK)}, thresholds=[0.1, 0.2, 0.4], random_state=0)


@pytest.mark.parametrize("band", ["pointwise", "simultaneous", "none"])
def test_lines_and_bands_are_those_of_the_curve(band):
    """Each strategy is a line at its net benefit; bands have the limits of their kind, and start a little below 0."""
    ax = hs.plots.decision_curve(CURVE, band=band)
    lines = {line.get_label(): line for line in ax.lines}
    assert list(lines) == ["treat none", "treat all", "A", "B"]
    for name in ("treat all", "A", "B"):
        assert lines[name].get_ydata().tolist() == CURVE[name].value.tolist()
    assert len(ax.collections) == (0 if band == "none" else 2)
    if band != "none":
        own = CURVE["A"].simultaneous_low if band == "simultaneous" else CURVE["A"].low
        drawn = ax.collections[0].get_paths()[0].vertices[:, 1]
        assert set(own.round(12)) <= set(drawn.round(12))
        assert band == "pointwise" or "whole curve" in ax.get_xlabel()
    assert ax.get_ylim()[0] < 0 < max(CURVE["A"].high) < ax.get_ylim()[1]


def test_other_results_and_bands_are_refused():
    """A curve of another kind, and an unknown band."""
    with pytest.raises(hs.HowsureError, match="`decision_curve`"):
        hs.plots.decision_curve(hs.roc_curve(TRUTH, RISK))
    with pytest.raises(hs.HowsureError, match="Known"):
        hs.plots.decision_curve(CURVE, band="wide")
