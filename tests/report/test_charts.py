"""Charts of the report: outlines of curves and bands, read back from SVG's path data."""

import itertools
import re

import numpy as np
import pytest

import howsure as hs
from howsure.report import charts

TRUTH = np.random.default_rng(8).integers(0, 2, 120)
SCORE = np.clip(np.random.default_rng(9).normal(0.3 + 0.5 * TRUTH, 0.3), 0, 1).round(2)


@pytest.fixture(scope="module")
def drawn():
    """Return the charts by title."""
    return {each.title: each for each in charts.charts_of({"": hs.scores(TRUTH, SCORE)}, [0.95])}


def points(path):
    """Return the points of each piece of an outline, in values."""
    across, up = charts.WIDTH - charts.LEFT - charts.RIGHT, charts.HEIGHT - charts.TOP - charts.BOTTOM
    pieces = [re.findall(r"([\d.]+) ([\d.]+)", piece) for piece in path.split("M") if piece]
    return [
        [((float(x) - charts.LEFT) / across, 1 - (float(y) - charts.TOP) / up) for x, y in piece] for piece in pieces
    ]


def test_the_band_of_precision_begins_with_the_first_positive_call(drawn):
    """At recall 0 no case is predicted positive: the band has no triangle from there."""
    (band,) = drawn["Precision–recall curve"].lines[0].bands
    (piece,) = points(band)
    curve = hs.precision_recall_curve(hs.scores(TRUTH, SCORE))
    assert min(x for x, _ in piece) == pytest.approx(curve["recall"][1], abs=1e-3)
    assert min(y for _, y in piece) == pytest.approx(np.nanmin(curve.low), abs=1e-2)


def test_a_band_has_a_piece_for_each_run_of_known_limits():
    """Between two runs of known limits nothing is drawn, and a single known point has its own piece."""
    low = np.array([0.1, 0.2, np.nan, 0.3, np.nan, 0.4, 0.5])
    band = charts.Scale(0.0, 1.0).band(np.linspace(0, 1, 7), low, low + 0.2)
    first, second, third = points(band)
    assert [round(y, 2) for _, y in first] == [0.1, 0.2, 0.4, 0.3]
    assert [round(x, 2) for x, _ in second] == [0.5, 0.5]
    assert [round(x, 2) for x, _ in third] == [0.83, 1.0, 1.0, 0.83]
    nothing = np.full(2, np.nan)
    assert charts.Scale(0.0, 1.0).band(np.array([0.0, 1.0]), nothing, nothing) == ""


def test_metrics_along_thresholds_are_steps_of_any_name(drawn):
    """A value is valid from a score down to the next one: outline and band are steps."""
    for line in drawn["Metrics along the threshold"].lines:
        ((*path,),) = points(line.path)
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in itertools.pairwise(path))
