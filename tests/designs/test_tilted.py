"""The truth that a design has where units are more or less frequent than in its table."""

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.contrast import EFFECTS
from howsure.planning.pilots import Pilot

TRUTH = np.tile([0, 1, 1, 0, 1], 12)
SAID = np.where(np.arange(60) % 7 == 0, 1 - TRUTH, TRUTH)
WEIGHT = 0.5 + (np.arange(60) % 4)
TABLES = {
    "independent": hs.confusion(TRUTH, SAID),
    "weighted": hs.confusion(TRUTH, SAID, sample_weight=WEIGHT),
    "clustered": hs.confusion(TRUTH, SAID, groups=np.arange(60) // 4),
    "fixed": hs.confusion(TRUTH, SAID).with_design(hs.designs.FixedMargins()),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_another_value_keeps_its_size(name):
    """The nearest population with another accuracy has the same number of units and the same design."""
    table = TABLES[name]
    moved = Pilot.of((table,), "accuracy", effect=EFFECTS["difference"]).moved(0.8)
    (found,) = moved.tables
    assert moved.value == pytest.approx(0.8)
    assert type(found.design) is type(table.design)
    assert found.design.degrees_of_freedom == table.design.degrees_of_freedom
    if name in {"independent", "fixed"}:
        assert found.counts.sum() == pytest.approx(table.counts.sum())
    if name == "fixed":
        assert found.class_totals.tolist() == pytest.approx(table.class_totals.tolist())
    cells, _ = found.design.simulate_studies(found.cells, 30.0, 400, np.random.default_rng(0))
    drawn = cells[:, [0, 3]].sum(1) / cells.sum(1)
    assert drawn.mean() == pytest.approx(0.8, abs=0.01)


def test_a_share_moves_as_its_only_family():
    """For accuracy, right and wrong cases change by one factor each, so errors keep their relative frequencies."""
    table = hs.from_counts([[50, 3], [6, 41]])
    (moved,) = Pilot.of((table,), "accuracy", effect=EFFECTS["difference"]).moved(0.8).tables
    assert moved.counts.ravel().tolist() == pytest.approx([80 * 50 / 91, 20 * 3 / 9, 20 * 6 / 9, 80 * 41 / 91])


def test_two_test_sets_move_both():
    """A difference between two test sets changes each according to its gradient, and both keep their sizes."""
    first, second = hs.from_counts([[50, 3], [5, 42]]), hs.from_counts([[40, 13], [9, 38]])
    moved = Pilot.of((first, second), "accuracy", effect=EFFECTS["difference"]).moved(0.0)
    assert moved.value == pytest.approx(0.0, abs=1e-9)
    assert [each.counts.sum() for each in moved.tables] == pytest.approx([100, 100])
