"""Default intervals cover for scores, pairs, clusters, weights and reviews: a short version of the page on them."""

import numpy as np
import pytest

import howsure as hs
from howsure.lab.simulation import coverages
from howsure.lab.truths import balanced, skewed

FLOOR = 0.92  # coverage of nominal 95 % intervals in any one cell, but for the noise of so few studies
COUNTS = ("accuracy", "f1@macro", "mcc")
TWO = hs.lab.Cells.of(1, 0.9, [0.6, 0.4], [1]).shares
THREE, WORSE = (hs.lab.Cells.of(1, right, skewed(3), balanced(2)).shares for right in (0.85, 0.7))
TRUTHS = {
    "pairs": (hs.lab.PairedModels(THREE, WORSE, together=0.3, n=50), COUNTS, 2000),
    "ratios": (hs.lab.PairedModels(THREE, WORSE, together=0.3, n=50, contrast="ratio"), COUNTS[:2], 2000),
    "separate": (hs.lab.SeparateModels(hs.lab.Cells(THREE, 50), hs.lab.Cells(WORSE, 100)), COUNTS, 2000),
    "clusters": (hs.lab.Clustered(TWO, clusters=12, size=30, icc=0.5), COUNTS, 2000),
    "large clusters": (hs.lab.Clustered([[57, 3], [2, 38]], clusters=20, size=400, icc=0.5), COUNTS, 2000),
    "clusters of many sizes": (hs.lab.Clustered(THREE, clusters=10, size=25, icc=0.3, spread=2.0), COUNTS, 2000),
    "weights": (hs.lab.WeightedCases(hs.lab.Cells(THREE, 60), variation=2.0), COUNTS, 2000),
    "few positive cases": (
        hs.lab.BinormalScores(0.75, 12, 288, levels=200),
        ("roc_auc", "average_precision", "brier_score", "log_loss"),
        2000,
    ),
    "reviews": (hs.lab.ReviewedLabels(hs.lab.Cells(TWO, 300), wrong=0.2, reviews=100), COUNTS, 300),
    "calibration": (hs.lab.BinormalScores(0.8, 40, 60, levels=30), ("ece",), 300),
    "miscalibration": (hs.lab.BinormalScores(0.8, 40, 60, levels=30, slope=2.0), ("ece",), 300),
}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", TRUTHS)
def test_the_default_covers(kind):
    """No metric's coverage is below the floor by more than three of its Monte Carlo errors."""
    truth, metrics, studies = TRUTHS[kind]
    for found in coverages(metrics, None, truth, studies, 0.95, np.random.SeedSequence([20261125, *kind.encode()])):
        assert found.coverage >= FLOOR - 3 * found.coverage_error, found
