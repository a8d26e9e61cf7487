"""Numbers that stand for missing ones are refused where they cannot be scores or grades."""

from __future__ import annotations

import numpy as np
import pytest

import howsure as hs
from howsure.errors import DoubtfulDataError

GRADES = [5, 4, 3, 4, 5, 2, 1, 4, 2, 5, 3, 4]
SHARES = [0.5, 0.4, 0.31, 0.44, 0.62, 0.2, 0.1, 0.47, 0.9, 0.53, 0.3, 0.4]
MARKED = {
    "grades and -1": ([*GRADES, -1], "-1"),
    "grades and 999": ([*GRADES, 999, 999], "999"),
    "grades and -9": ([*GRADES, -9], "-9"),
    "shares and -1": ([*SHARES, -1.0], "-1"),
    "shares and 99": ([*SHARES, 99.0], "99"),
    "temperatures and -999": ([-3.5, 2.25, 8.5, 12.0, 3.75, -999.0], "-999"),
}
SOUND = {
    "votes": [-1, 0, 1, 1, 0, -1, 1],
    "grades from 0 on, and -1": [0, 1, 2, 3, 3, 2, -1],
    "grades from 1 to 9": [1, 2, 9, 3, 4, 5, 6],
    "correlations": [-1.0, -0.2, 0.4, 0.31, 0.9],
    "percentages up to 99": [99.0, 98.5, 97.25, 12.5, 40.0],
    "seconds up to 999": [999.0, 850.5, 12.25, 400.0, 300.0],
    "fractions up to 9": [9.0, 2.5, 3.25, 4.0, 1.5],
    "mostly -1": [-1, -1, -1, -1, 2, 3, 4],
    "right and wrong": [-1, 1, -1, 1, 1],
}


@pytest.mark.parametrize("name", MARKED)
def test_a_mark_for_a_missing_number_is_refused(name):
    """A number out of all proportion is no grade: the mean would be of other data."""
    numbers, mark = MARKED[name]
    with pytest.raises(DoubtfulDataError, match=f"holds {mark}, and otherwise"):
        hs.values(numbers)
    assert float(hs.estimate(hs.values(numbers, check=False), "mean")) == pytest.approx(np.mean(numbers))


@pytest.mark.parametrize("name", SOUND)
def test_other_numbers_are_taken(name):
    """Votes, correlations and large numbers next to others are data."""
    assert float(hs.estimate(hs.values(SOUND[name]), "mean")) == pytest.approx(np.mean(SOUND[name]))


def test_a_stated_range_has_no_marks():
    """A number within ``bounds=`` is possible, as the caller says."""
    assert float(hs.estimate(hs.values([*SHARES, -1.0], bounds=(-1, 1)), "mean")) == pytest.approx(
        np.mean([*SHARES, -1.0])
    )


def test_scores_and_measurements_are_checked_too():
    """Scores of −1 would rank last, and measurements of −999 are errors of a thousand."""
    with pytest.raises(DoubtfulDataError, match="`y_score` holds -1"):
        hs.scores([0, 1] * 6 + [1], [*SHARES, -1.0])
    with pytest.raises(DoubtfulDataError, match="`truth` holds -999"):
        hs.values([3.1, 2.2, 5.5, 4.4, 3.0], truth=[3.0, 2.0, 5.0, -999.0, 4.0])
