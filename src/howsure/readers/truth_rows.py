"""True classes in rows of their own, as in files of iMRMC."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array, Booleans, Floats
from howsure.errors import HowsureError
from howsure.sources.encoding import Column
from howsure.sources.imrmc import TRUTH_READERS

GIVE = (
    "Give `truth`, the true class of each read's case. It may be left out if each case has a row of the reader 'truth' "
    "or -1, whose rating is the true class, as in files of iMRMC."
)


def truth_by_row(ratings: Floats, reader: Column, case: Column) -> tuple[Array, Booleans]:
    """Return the true class of each row's case, and which rows are reads.

    Parameters
    ----------
    ratings : ndarray of shape (n,)
        Ratings of the reads, and true classes.
    reader, case : Column
        The columns of readers and cases.

    Raises
    ------
    HowsureError
        If no row has a true class, or a case has none or two.
    """
    codes, cases = (np.asarray(each.codes, dtype=np.int64) - each.offset for each in (reader, case))
    states = np.isin(
        codes, [place for place, name in enumerate(reader.levels.tolist()) if str(name).strip() in TRUTH_READERS]
    )
    if not states.any():
        raise HowsureError(GIVE)
    truth = np.full(len(case.levels), np.nan)
    truth[cases[states]] = ratings[states]
    wrong = np.isnan(truth[cases]) | (states & (truth[cases] != ratings))
    if wrong.any():
        row = int(np.argmax(wrong))
        name, number = case.levels.tolist()[cases[row]], "two truths" if states[row] else "no truth"
        raise HowsureError(
            f"The case {str(name)!r} has {number} in the rows of the reader 'truth' or -1. Give each case one."
        )
    found = truth[cases]
    return found.astype(np.int64) if (found == np.floor(found)).all() else found, ~states
