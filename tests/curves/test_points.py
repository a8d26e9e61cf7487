"""Some points of curves, for pages: they have the limits of the whole curve, at several levels."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.curves.points import roc_points, threshold_points

RNG = np.random.default_rng(8)
LEVELS = (0.95, 0.5)
METRICS = ("recall", "f1")


def table(size, **more):
    """Return a table of scores that overlap."""
    true = RNG.integers(0, 2, size)
    return hs.scores(true, RNG.normal(true), **more)


TABLES = {
    "independent": table(150),
    "clusters": table(120, groups=RNG.integers(0, 40, 120)),
    "one cluster": table(120, groups=np.zeros(120)),
    "weights": table(120, sample_weight=RNG.exponential(size=120)),
}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.thorough if each == "one cluster" else ()) for each in TABLES]
)
def test_points_have_the_limits_of_the_whole_curve(name):
    """Whatever the design and the level, each point has the columns and limits that the curve with a band has there."""
    some = TABLES[name]
    places = np.array([1, 2, 7, 40, len(some.scores)])
    others = np.array([3, 7, 90])
    bare = hs.threshold_curves(some, METRICS, band="none")
    shown = threshold_points([bare[each] for each in METRICS], METRICS, some, [places, others], LEVELS)
    rocs = roc_points(hs.roc_curve(some, band="none"), some, places, LEVELS)
    for index, level in enumerate(LEVELS):
        whole = hs.threshold_curves(some, METRICS, confidence_level=level)
        pairs = [(rocs[index], hs.roc_curve(some, confidence_level=level), places)]
        pairs += [(shown[0][index], whole["recall"], places), (shown[1][index], whole["f1"], others)]
        for found, curve, chosen in pairs:
            assert list(found.columns) == list(curve.columns)
            assert (found.name, found.confidence_level, found.band) == (curve.name, level, "pointwise")
            assert found.reason == curve.reason
            for column, values in curve.columns.items():
                np.testing.assert_allclose(found[column], values[chosen], atol=1e-12)


def test_few_points_of_a_long_curve_are_estimated_exactly():
    """Limits are those of `estimate` at the threshold, where a whole curve of 30,000 scores interpolates them."""
    some = table(30_000)
    curve = hs.threshold_curves(some, ["precision"], band="none")["precision"]
    places = np.array([5_001, 12_345, 20_002])
    ((found,),) = threshold_points([curve], ["precision"], some, [places], [0.9])
    for low, high, threshold in zip(found.low, found.high, found["threshold"], strict=True):
        direct = hs.estimate(some, "precision", threshold=threshold, confidence_level=0.9)
        assert (low, high) == pytest.approx((direct.low, direct.high), rel=1e-9)
