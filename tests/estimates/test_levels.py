"""Estimates at several levels share what does not depend on the level."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.estimates.levels import estimates_at
from howsure.methods.variance.delta import Delta

RNG = np.random.default_rng(5)
TRUE = RNG.integers(0, 2, 300)
SCORE = 1 / (1 + np.exp(-RNG.normal(2 * TRUE - 1)))
LEVELS = (0.8, 0.95)


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "calibration_slope", "brier_score"])
def test_levels_are_those_of_single_estimates(metric):
    """Each level has the whole estimate that `estimate` returns for it."""
    table = hs.scores(TRUE, SCORE)
    for level, found in zip(LEVELS, estimates_at(table, metric, LEVELS), strict=True):
        assert found.to_dict() == hs.estimate(table, metric, confidence_level=level).to_dict()


def test_a_report_fits_calibration_once(monkeypatch):
    """The page states slope, intercept and O:E at every level, from one preparation of each."""
    asked = []
    original = Delta.at_levels

    def counted(self, metric, table, rng=None):
        asked.append(metric.label)
        return original(self, metric, table, rng)

    monkeypatch.setattr(Delta, "at_levels", counted)
    text = hs.report_of(hs.scores(TRUE, SCORE)).to_html()
    assert text.count("Calibrated scores have 1, 1 and 0") == 4
    fits = [each for each in asked if each.startswith(("calibration", "observed"))]
    assert len(fits) == len(set(fits)) == 3
