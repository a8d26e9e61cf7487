"""Columns of odd kinds are refused in one line, also where several things are wrong at once."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import xarray as xr
from scipy import sparse

import howsure as hs
from howsure.errors import HowsureError
from support.optional import optional
from support.soundness import answered

pl = optional("polars")

MASKED = np.ma.masked_array([5, 1], mask=[1, 0])
DAYS = np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]")


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hs.scores([], MASKED, sample_weight=range(3)), "`y_score` has 1 missing"),
        (lambda: hs.confusion([0, 1], [0, 1], sample_weight=DAYS), "`sample_weight` is not numeric"),
        (lambda: hs.calibrated([0.1, 0.9], every=np.zeros((0, 2))), "`every` is a period or a whole number"),
        (lambda: hs.calibrated([0.1, 0.9], every=True), "of at least 1, not True"),
        (
            lambda: hs.compat.classification_report_with_ci([1, 2], [1, 2], numerical_to_label_map=hs.values([1, 2])),
            "`numerical_to_label_map` is a mapping of labels to names, not ValuesTable",
        ),
    ],
)
def test_columns_that_are_none_are_told(call, words):
    """The line names the culprit."""
    with pytest.raises(HowsureError, match=words):
        call()


def test_chunks_take_whole_numbers_of_any_kind():
    """A whole number of NumPy's is as good as one of Python's."""
    assert len(hs.calibrated([0.1, 0.9, 0.8], every=np.int64(2))) == 2


ODD = {
    "lists in a Series": lambda: pd.Series([["a"], ["b"], ["a"], ["b"]]),
    "lists in Polars": lambda: pl.Series([["a"], ["b"], ["a"], ["b"]]),
    "structures": lambda: pl.Series([{"a": 1}, {"a": 0}, {"a": 1}, {"a": 0}]),
    "nulls": lambda: pa.nulls(4),
    "a sparse matrix": lambda: sparse.csr_matrix(np.eye(4)),
    "a Dataset": lambda: xr.Dataset({"a": ("i", [1, 0, 1, 1])}),
    "huge numbers": lambda: [10**400, 0, 1, 1],
    "scalars in a list": lambda: [np.array(1), np.array(0)],
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize(
    "make",
    [
        lambda odd: hs.confusion([1, 0, 1, 1], odd),
        lambda odd: hs.confusion(odd, [1, 0, 1, 1]),
        lambda odd: hs.scores([1, 0, 1, 1], odd),
        lambda odd: hs.confusion([1, 0, 1, 1], [1, 0, 0, 1], sample_weight=odd),
        hs.calibrated,
        hs.values,
        lambda odd: hs.confusion("a", "b", data=odd),
    ],
    ids=["prediction", "truth", "score", "weight", "unlabelled", "value", "data"],
)
def test_what_is_no_column_is_refused_in_one_line(make, kind):
    """Errors of other libraries do not reach the user; a few of these are columns after all."""
    found, fault = answered(make, ODD[kind]())
    assert not fault
    assert isinstance(found, HowsureError) or found.rows


@pytest.mark.parametrize("frame", [pa.table, pl.LazyFrame])
def test_groups_are_columns_of_any_frame(frame):
    """A table of Arrow and a lazy frame give the groups that a list does."""
    found = hs.confusion([1, 0, 1, 1], [1, 0, 0, 1], by=frame({"g": ["x", "x", "y", "y"]}), check=False)
    assert sorted(found) == ["x", "y"]


def test_a_sparse_column_is_a_column():
    assert hs.confusion(sparse.csc_matrix([[1], [0], [1], [1]]), [1, 0, 0, 1], check=False).rows == 4


def test_a_masked_column_beside_data_is_no_list_of_names():
    """Masked values cannot be compared or hashed; with `data` such a column is refused like any other."""
    column = np.ma.masked_array([0, 1], mask=[True, False])
    with pytest.raises(hs.HowsureError, match="not a column. Add it to the data"):
        hs.confusion("y", "p", data={"y": [0, 1], "p": [1, 1]}, by=column)
