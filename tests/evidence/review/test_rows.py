"""A review from rows, in arrays, frames and files."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import howsure as hs

TRUE = ["cat", "cat", "dog", "dog", "cat", "dog", "dog", "cat"]
PREDICTED = ["cat", "dog", "dog", "dog", "cat", "cat", "dog", "dog"]
CORRECTED = ["cat", "dog", None, "dog", "dog", "dog", None, None]


def counted():
    """Count the rows above by hand: cat is 0, dog is 1."""
    counts = [[2, 2], [1, 3]]
    reviews = [[[1, 1], [0, 1]], [[0, 1], [0, 1]]]
    return counts, reviews


def same(table, other):
    """Whether two tables hold the same counts, reviews and labels."""
    return (
        np.allclose(table.counts, other.counts)
        and all(
            np.array_equal(a.reviews, b.reviews) for a, b in zip(table.design.cells, other.design.cells, strict=True)
        )
        and table.labels.tolist() == other.labels.tolist()
    )


def test_rows_are_counted():
    """Rows give the table that their counts give."""
    assert same(hs.review(TRUE, PREDICTED, CORRECTED), hs.reviewed(*counted(), labels=["cat", "dog"]))


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame, pl.DataFrame, lambda rows: pl.DataFrame(rows).lazy(), dict],
    ids=["pandas", "polars", "lazy", "mapping"],
)
def test_frames_give_the_same(frame):
    """Columns of any frame, with its own missing values, give the same table."""
    data = frame({"label": TRUE, "model": PREDICTED, "checked": CORRECTED})
    assert same(hs.review("label", "model", "checked", data=data), hs.review(TRUE, PREDICTED, CORRECTED))


def test_files_give_the_same(tmp_path):
    """An empty field of a CSV file is a case without review."""
    path = tmp_path / "cases.csv"
    pd.DataFrame({"label": TRUE, "model": PREDICTED, "checked": CORRECTED}).to_csv(path, index=False)
    assert same(hs.review("label", "model", "checked", data=path), hs.review(TRUE, PREDICTED, CORRECTED))


def test_whole_numbers_survive_missing_values():
    """Integer labels become floats beside a nan, and are the same labels."""
    code = {"cat": 0, "dog": 1, None: np.nan}
    true, predicted, corrected = ([code[each] for each in column] for column in (TRUE, PREDICTED, CORRECTED))
    table = hs.review(np.array(true), np.array(predicted), np.array(corrected))
    assert table.labels.tolist() == [0, 1]
    assert same(table, hs.reviewed(*counted()))
    assert same(hs.review(true, predicted, pd.array(corrected, dtype="Int64")), hs.reviewed(*counted()))


def test_a_label_known_only_to_the_reviewer_is_a_class():
    """A corrected label that was never recorded nor predicted gets its row."""
    table = hs.review(TRUE, PREDICTED, ["bird", *CORRECTED[1:]])
    assert table.labels.tolist() == ["bird", "cat", "dog"]
    assert table.counts[0].sum() > 1


def test_labels_choose_the_cases():
    """Cases recorded or predicted as another class are left out, as in `confusion`."""
    true, predicted, corrected = (
        [*column, extra] for column, extra in ((TRUE, "bird"), (PREDICTED, "cat"), (CORRECTED, None))
    )
    table = hs.review(true, predicted, corrected, labels=["cat", "dog"])
    assert same(table, hs.review(TRUE, PREDICTED, CORRECTED))


@pytest.mark.parametrize(
    "corrected, settings, words",
    [
        ([None] * 8, {}, "no case was reviewed"),
        (["wolf", *CORRECTED[1:]], {"labels": ["cat", "dog"]}, "no class 'wolf'"),
        (CORRECTED[1:], {}, "differ in length"),
        ([1.0, *[None] * 7], {}, "never agree"),
    ],
)
def test_impossible_columns_are_refused(corrected, settings, words):
    """What cannot be a review is refused in a line."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.review(TRUE, PREDICTED, corrected, **settings)


def test_missing_recorded_labels_are_refused():
    """Only the corrected label may be missing."""
    with pytest.raises(hs.HowsureError, match="`y_true` has 1 missing"):
        hs.review([None, *TRUE[1:]], PREDICTED, CORRECTED)
    with pytest.raises(hs.HowsureError, match="no column 'chekced'.*checked"):
        hs.review("label", "model", "chekced", data={"label": TRUE, "model": PREDICTED, "checked": CORRECTED})


@pytest.mark.parametrize("wrong", [None, 3, "checked"])
def test_what_is_no_column_is_refused(wrong):
    """A single value is no column of corrected labels."""
    with pytest.raises(hs.HowsureError, match="`y_reviewed` is"):
        hs.review([0, 1, 0], [0, 1, 1], wrong)
