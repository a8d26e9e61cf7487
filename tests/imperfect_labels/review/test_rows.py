"""A review from rows, in arrays, frames and files."""

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from support.optional import optional

pl = optional("polars")

TRUE = ["cat", "cat", "dog", "dog", "cat", "dog", "dog", "cat"]
PREDICTED = ["cat", "dog", "dog", "dog", "cat", "cat", "dog", "dog"]
CORRECTED = ["cat", "dog", None, "dog", "dog", "dog", None, None]


def from_rows(y_true, y_pred, y_reviewed, **settings):
    """Return the corrected table of columns."""
    return hs.reviewed(y_true=y_true, y_pred=y_pred, y_reviewed=y_reviewed, **settings)


def counted():
    """Count the rows above by hand: cat is 0, dog is 1."""
    counts = [[2, 2], [1, 3]]
    reviews = [[[1, 1], [0, 1]], [[0, 1], [0, 1]]]
    return counts, reviews


def same(table, other):
    """Return whether two tables have the same counts, reviews and labels."""
    return (
        np.allclose(table.counts, other.counts)
        and all(
            np.array_equal(a.reviews, b.reviews) for a, b in zip(table.design.cells, other.design.cells, strict=True)
        )
        and table.labels.tolist() == other.labels.tolist()
    )


def test_rows_are_counted():
    """Rows give the table that their counts give."""
    assert same(from_rows(TRUE, PREDICTED, CORRECTED), hs.reviewed(*counted(), labels=["cat", "dog"]))


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame, pl.DataFrame, lambda rows: pl.DataFrame(rows).lazy(), dict],
    ids=["pandas", "polars", "lazy", "mapping"],
)
def test_frames_give_the_same(frame):
    """Columns of any frame, with its own missing values, give the same table."""
    data = frame({"label": TRUE, "model": PREDICTED, "checked": CORRECTED})
    assert same(from_rows("label", "model", "checked", data=data), from_rows(TRUE, PREDICTED, CORRECTED))


def test_files_give_the_same(tmp_path):
    """An empty field of a CSV file is a case without review."""
    path = tmp_path / "cases.csv"
    pd.DataFrame({"label": TRUE, "model": PREDICTED, "checked": CORRECTED}).to_csv(path, index=False)
    assert same(from_rows("label", "model", "checked", data=path), from_rows(TRUE, PREDICTED, CORRECTED))


def test_whole_numbers_survive_missing_values():
    """Integer labels become floats in a column with nan, but are the same labels."""
    code = {"cat": 0, "dog": 1, None: np.nan}
    true, predicted, corrected = ([code[each] for each in column] for column in (TRUE, PREDICTED, CORRECTED))
    table = from_rows(np.array(true), np.array(predicted), np.array(corrected))
    assert table.labels.tolist() == [0, 1]
    assert same(table, hs.reviewed(*counted()))
    assert same(from_rows(true, predicted, pd.array(corrected, dtype="Int64")), hs.reviewed(*counted()))


def test_a_label_known_only_to_the_reviewer_is_a_class():
    """A corrected label that was never recorded nor predicted gets its row."""
    table = from_rows(TRUE, PREDICTED, ["bird", *CORRECTED[1:]])
    assert table.labels.tolist() == ["bird", "cat", "dog"]
    assert table.counts[0].sum() > 1


def test_labels_choose_the_cases():
    """Cases recorded or predicted as another class are left out, as in `confusion`."""
    true, predicted, corrected = (
        [*column, extra] for column, extra in ((TRUE, "bird"), (PREDICTED, "cat"), (CORRECTED, None))
    )
    table = from_rows(true, predicted, corrected, labels=["cat", "dog"])
    assert same(table, from_rows(TRUE, PREDICTED, CORRECTED))


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
        from_rows(TRUE, PREDICTED, corrected, **settings)


def test_missing_recorded_labels_are_refused():
    """Only the corrected label may be missing."""
    with pytest.raises(hs.HowsureError, match="`y_true` has 1 missing"):
        from_rows([None, *TRUE[1:]], PREDICTED, CORRECTED)
    with pytest.raises(hs.HowsureError, match="no column 'chekced'.*checked"):
        from_rows("label", "model", "chekced", data={"label": TRUE, "model": PREDICTED, "checked": CORRECTED})


@pytest.mark.parametrize("wrong", [3, "checked"])
def test_what_is_no_column_is_refused(wrong):
    """A single value is not a column of corrected labels."""
    with pytest.raises(hs.HowsureError, match="`y_reviewed` is"):
        from_rows([0, 1, 0], [0, 1, 1], wrong)


@pytest.mark.parametrize(
    "given, words",
    [
        ({"counts": [[2, 2], [1, 3]], "y_reviewed": CORRECTED}, "`counts` belongs to counts and `y_reviewed` to rows"),
        (
            {"counts": [[2, 2], [1, 3]], "reviews": np.zeros((2, 2, 2)), "by": TRUE},
            "`counts` belongs to counts and `by`",
        ),
        ({"counts": [[2, 2], [1, 3]]}, "`reviews` is missing"),
        ({"y_true": TRUE, "y_pred": PREDICTED}, "`y_reviewed` is missing"),
        ({}, "`y_true` is missing"),
    ],
)
def test_counts_and_rows_are_told_apart(given, words):
    """Counts with reviews, or columns: a mixture and a part of either are refused by name."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.reviewed(**given)


def test_groups_are_corrected_by_their_own_reviews():
    """With `by` each group's table is that of its rows alone, of all classes, and the overall one of all rows."""
    site = np.array(["a", "b", "a", "b", "b", "a", "b", "a"])
    tables = from_rows(TRUE, PREDICTED, CORRECTED, by=site)
    assert tables.columns == ("group",)
    for name in "ab":
        alone = [
            [each for each, one in zip(column, site == name, strict=True) if one]
            for column in (TRUE, PREDICTED, CORRECTED)
        ]
        assert same(tables[name], from_rows(*alone, labels=["cat", "dog"]))
    assert same(tables.overall, from_rows(TRUE, PREDICTED, CORRECTED))


def test_a_group_without_a_review_is_named():
    """Where none of a group's cases was reviewed the error names the group."""
    data = {"label": TRUE, "model": PREDICTED, "checked": CORRECTED, "site": list("aabbaabb"), "sex": list("ffffffmm")}
    with pytest.raises(hs.HowsureError, match=r"In the group \('b', 'm'\): `y_reviewed` is missing everywhere"):
        from_rows("label", "model", "checked", data=data, by=["site", "sex"])


def test_a_stack_of_counts_is_one_table_for_each():
    """Counts and reviews with a leading axis give the table of each, and that of their sums."""
    counts, reviews = (np.array(each) for each in counted())
    tables = hs.reviewed(np.stack([counts, 2 * counts]), np.stack([reviews, reviews]))
    assert same(tables[1], hs.reviewed(2 * counts, reviews))
    assert same(tables.overall, hs.reviewed(3 * counts, 2 * reviews))
    with pytest.raises(hs.HowsureError, match=r"shape \(2, 2, 2\) and `counts` \(2, 2, 2\)"):
        hs.reviewed(np.stack([counts, counts]), reviews)


def test_a_class_that_is_only_predicted_is_a_class():
    """Predictions of a class that nobody recorded, and no review found, have their column."""
    table = hs.reviewed(y_true=["a", "b", "a", "b"], y_pred=["a", "c", "a", "b"], y_reviewed=["a", None, None, "b"])
    assert table.labels.tolist() == ["a", "b", "c"]
    assert table.counts.sum(0) == pytest.approx([2, 1, 1])
