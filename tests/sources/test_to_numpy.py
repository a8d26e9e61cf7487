"""Columns of users: of one column, masked, with other byte orders, unsigned or half-precision numbers."""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import howsure as hs
from support.optional import optional

pl = optional("polars")

TRUE = np.array([0, 1, 1, 0, 1, 0, 1, 1])
SAID = np.array([0, 1, 0, 0, 1, 1, 1, 1])
COUNTS = [[2, 1], [1, 4]]  # counted by hand
SCORE = np.array([0.25, 0.5, 0.125, 0.25, 0.75, 0.5, 0.875, 0.5])
TYPES = ["uint64", "uint8", "int8", ">i4", ">u8", "float16", "float32", ">f8", "bool", "<U3", ">U3", "S1"]
ONE_COLUMN = {
    "array": lambda values: values[:, None],
    "list": lambda values: values[:, None].tolist(),
    "pandas": lambda values: pd.DataFrame({"only": values}),
    "polars": lambda values: pl.DataFrame({"only": values}),
    "arrow": lambda values: pa.table({"only": values}),
}


@pytest.mark.parametrize("dtype", TYPES)
def test_types_of_arrays(dtype):
    """Labels, groups and columns to split by of any type of array give the same counts, without a warning."""
    true, said = TRUE.astype(dtype), SAID.astype(dtype)
    assert hs.confusion(true, said).counts.tolist() == COUNTS
    assert hs.confusion(true, said, groups=true).counts.tolist() == COUNTS
    assert [table.rows for table in hs.confusion(true, said, by=true).values()] == [3, 5]
    assert hs.scores(true, SCORE).labels.tolist() == np.unique(true).tolist()


def test_unsigned_ids_beyond_signed_ones():
    """64-bit ids are distinguished in NumPy, Polars and Arrow: 8 cases with ids that differ by 1 are 8 clusters."""
    ids = np.arange(8, dtype=np.uint64) + np.uint64(2**63)
    for groups in (ids, pl.Series(ids), pa.array(ids)):
        assert len(hs.confusion(TRUE, SAID, groups=groups).design.multiplicity) == 8


@pytest.mark.parametrize("kind", ONE_COLUMN)
def test_one_column_is_a_column(kind):
    """Arrays of shape (n, 1) and frames of one column are labels, weights, scores and groups like flat ones."""
    of = ONE_COLUMN[kind]
    weight = np.arange(1.0, 9.0)
    flat = hs.confusion(TRUE, SAID, sample_weight=weight)
    assert hs.confusion(of(TRUE), of(SAID), sample_weight=of(weight)).counts.tolist() == flat.counts.tolist()
    assert hs.confusion(of(TRUE), SAID, groups=of(TRUE)).counts.tolist() == COUNTS
    assert hs.scores(of(TRUE), of(SCORE)).counts.tolist() == hs.scores(TRUE, SCORE).counts.tolist()
    found, expected = (hs.f1_score(true, said, average="macro") for true, said in ((of(TRUE), of(SAID)), (TRUE, SAID)))
    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)


def test_masked_values_are_missing():
    """What is masked is missing: refused among labels, scores and weights, and no trusted label."""
    mask = [True] + [False] * 7
    for true, score, weight in (
        (np.ma.array(TRUE, mask=mask), SCORE, None),
        (TRUE, np.ma.array(SCORE, mask=mask), None),
        (TRUE, SCORE, np.ma.array(SCORE, mask=mask)),
    ):
        with pytest.raises(hs.HowsureError, match="missing|not finite"):
            hs.scores(true, score, sample_weight=weight)
    assert hs.confusion(np.ma.array(TRUE, mask=False), SAID).counts.tolist() == COUNTS
    trusted = np.ma.array(TRUE, mask=[False] * 4 + [True] * 4)
    listed = [*TRUE[:4].tolist(), None, None, None, None]
    found, expected = (hs.labels.prediction_powered(true, SAID, SAID.copy(), check=False) for true in (trusted, listed))
    assert found.counts.tolist() == expected.counts.tolist()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hs.confusion(TRUE, SAID, sample_weight=SCORE + 1j), "`sample_weight` holds complex"),
        (lambda: hs.scores(TRUE, SCORE + 0j), "`y_score` holds complex"),
        (lambda: hs.confusion(TRUE + 1j, SAID), "`y_true` holds complex"),
        (lambda: hs.confusion([0.0, 1.0, np.inf], [0, 1, 1]), "`y_true` holds inf"),
        (lambda: hs.confusion([0, "a", -np.inf], [0, "a", "a"]), "`y_true` holds -inf"),
        (lambda: hs.confusion(TRUE, SAID, groups=1e29 + np.arange(8)), "`groups` holds 1e.29.*Give them as text"),
        (lambda: hs.confusion({0, 1}, [0, 1]), "not a column"),
        (lambda: hs.confusion([[0, 1], [1]], [[0, 1], [1, 1]]), "`y_true` is ragged"),
        (lambda: hs.confusion("a", "b", data={"a": TRUE, "b": SAID}, by=3), "`by` is the name of a column"),
        (lambda: hs.scores(TRUE, SCORE, pos_label=[0, 1]), "`pos_label` is"),
        (lambda: hs.reviewed(y_true=TRUE, y_pred=SAID, y_reviewed=[np.inf, *[None] * 7]), "`y_reviewed` holds inf"),
        (lambda: hs.multiclass_scores([[1, 0], [0, 1, 1]], np.zeros((2, 2))), "ragged"),
    ],
)
def test_values_that_are_no_labels(call, words):
    """Complex and infinite values, ids that floats merge, sets and ragged lists are refused in one line."""
    with pytest.raises(hs.HowsureError, match=words):
        call()


SECONDS = [dt.timedelta(seconds=each) for each in (1, 2, 3)]


@pytest.mark.parametrize(
    "given, words",
    [
        (pd.Series(SECONDS), "holds durations, not numbers.*total_seconds"),
        (pl.Series(SECONDS), "holds durations, not numbers.*total_seconds"),
        (np.array(SECONDS, dtype="timedelta64[s]"), "holds durations, not numbers.*total_seconds"),
        ([*np.array(SECONDS, dtype="timedelta64[s]")], "holds durations, not numbers.*total_seconds"),
        (SECONDS, "is not numeric.*total_seconds"),
        (pd.to_datetime(["2020", "2021"]), "holds dates, not numbers.*days since a start"),
        (pd.to_datetime(["2020", "2021"], utc=True), "is not numeric"),
        ([dt.date(2020, 1, 1)], "is not numeric"),
    ],
)
def test_times_are_no_numbers(given, words):
    """Durations and dates have a number in some unit only, which is not guessed."""
    with pytest.raises(hs.HowsureError, match=f"`score` {words}"):
        hs.values(given)


@pytest.mark.parametrize("given", [pd.Series(SECONDS), pd.to_datetime(["2020", "2021", "2022"])])
def test_times_are_no_settings(given):
    """Bounds, priors and other numbers beside the data have no unit either."""
    with pytest.raises(hs.HowsureError, match="`bounds` must be numbers"):
        hs.values([1, 2, 3], bounds=given[:2])
