"""Areas of many groups of scores: they are computed in batches, and equal those of each group alone."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.methods.areas.delong_score import DeLongScore

RNG = np.random.default_rng(3)
SIZES = np.concatenate([RNG.integers(2, 70, 40), [1, 300]])
GROUP = np.repeat(np.arange(len(SIZES)), SIZES)
TRUE = RNG.integers(0, 2, len(GROUP))
SCORE = (RNG.normal(TRUE * np.where(GROUP % 5 == 1, -2.0, 1.0))).round(1)  # areas below a half too, and ties
SCORE = np.where(GROUP == 7, 0.25, np.where(GROUP == 8, TRUE, SCORE))  # equal, and separated
TABLES = hs.scores(TRUE, SCORE, by=GROUP)
AREAS = ("delong", "delong_score", "delong_wald", "hanley_mcneil", "newcombe")
CASES = [*((None, each) for each in ("roc_auc", "average_precision")), *((each, "roc_auc") for each in AREAS)]
CASES += [("effective_wilson", "average_precision"), ("delta", "roc_auc")]


@pytest.mark.parametrize("method, metric", CASES)
def test_areas_of_groups_are_those_of_each_alone(method, metric):
    """Every method: value, limits, standard error and reason are those of the group's own table."""
    found = hs.estimate(TABLES, metric, method=method)
    for key, table in TABLES.items():
        direct, ours = hs.estimate(table, metric, method=method), found[key]
        assert (ours.method, ours.reason) == (direct.method, direct.reason)
        for name in ("low", "high", "standard_error"):
            assert getattr(ours, name) == pytest.approx(getattr(direct, name), abs=1e-12, nan_ok=True)
        assert float(ours) == pytest.approx(float(direct), abs=1e-12, nan_ok=True)


def test_an_area_below_a_half_names_the_other_class():
    """A group whose scores rank the other class higher has the note that its own table has."""
    found = hs.estimate(TABLES, "roc_auc")
    worse = np.flatnonzero(found.high < 0.5)
    assert len(worse) > 3
    for place in worse:
        assert found.reason[place].endswith(f"of the other class, 0, it is {1 - found.value[place]:.3f}")


def test_groups_share_passes(monkeypatch):
    """The limits of 42 groups need one search for each power of two of their distinct scores, and one for all cases."""
    calls = []
    original = DeLongScore.at_levels

    def counted(self, metric, table, rng=None):
        calls.append(table.batch)
        return original(self, metric, table, rng)

    monkeypatch.setattr(DeLongScore, "at_levels", counted)
    hs.estimate(TABLES, "roc_auc")
    powers = {int(len(table.scores) - 1).bit_length() for table in TABLES.values()}
    assert len(calls) == 1 + len(powers) < 10
    assert sum(batch[0] for batch in calls if batch) == len(SIZES)
