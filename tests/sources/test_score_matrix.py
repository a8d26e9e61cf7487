"""Scores of many classes from arrays and frames, checked on the way in."""

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from support.optional import optional

pl = optional("polars")

TRUE = ["cat", "dog", "eel", "dog"]
SCORE = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6], [0.4, 0.5, 0.1]])


def test_layout():
    """One row of cells a case, one column a class; the case counts in the column of its class, with its weight."""
    table = hs.multiclass_scores(TRUE, SCORE, sample_weight=[1, 2, 3, 4])
    assert isinstance(table, hs.tables.MulticlassScoresTable)
    assert table.labels.tolist() == ["cat", "dog", "eel"]
    assert table.counts.tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 3], [0, 4, 0]]
    assert table.rows == 4
    multilabel = hs.multiclass_scores([[1, 0], [1, 1]], [[0.9, 0.2], [0.8, 0.7]])
    assert multilabel.counts.tolist() == [[[0, 1], [1, 0]], [[0, 1], [0, 1]]]


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame, pl.DataFrame, lambda each: pl.DataFrame(each).lazy(), dict],
    ids=["pandas", "polars", "lazy", "mapping"],
)
def test_frames(frame):
    """Columns of a frame are named, and a frame of scores is accepted as a matrix."""
    columns = {"animal": TRUE, "p_cat": SCORE[:, 0], "p_dog": SCORE[:, 1], "p_eel": SCORE[:, 2]}
    table = hs.multiclass_scores("animal", ["p_cat", "p_dog", "p_eel"], data=frame(columns))
    assert table.scores == pytest.approx(SCORE)
    assert table.labels.tolist() == ["cat", "dog", "eel"]
    assert hs.multiclass_scores(TRUE, pd.DataFrame(SCORE)).scores == pytest.approx(SCORE)


def test_order_of_the_columns_may_be_named():
    """`labels` are the columns' classes, in the order of the columns."""
    table = hs.multiclass_scores(TRUE, SCORE[:, ::-1], labels=["eel", "dog", "cat"])
    direct = hs.multiclass_scores(TRUE, SCORE)
    for spec in ("roc_auc@macro", "log_loss"):
        assert hs.estimate(table, spec).value == pytest.approx(hs.estimate(direct, spec).value)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"y_score": SCORE[:, 0]}, "shape"),
        ({"y_score": SCORE[:, :2]}, "2 columns and `y_true` 3 classes"),
        ({"y_score": SCORE[:3]}, "differ in length"),
        ({"y_score": np.where(SCORE == 0.7, np.nan, SCORE)}, "missing or infinite.*row 0"),
        ({"y_score": np.where(SCORE == 0.3, np.inf, SCORE)}, "missing or infinite.*row 1"),
        ({"y_score": [["a", "b", "c"]] * 4}, "numeric"),
        ({"y_true": [], "y_score": np.empty((0, 3))}, "empty"),
        ({"labels": ["cat", "dog"]}, "names 2 classes"),
        ({"labels": ["cat", "dog", "elk"]}, "no class among `labels` 'eel'"),
        ({"y_true": ["cat", None, "eel", "dog"]}, "missing"),
        ({"sample_weight": [1, 2]}, "differ in length"),
        ({"groups": [1, 2]}, "differ in length"),
        ({"y_true": [[0, 1, 0]] * 3}, "cases × labels"),
        ({"y_true": [[0, 2, 0]] * 4}, "0 and 1 only"),
        ({"y_true": None}, "`y_true` is None, not a column of values"),
    ],
)
def test_bad_input_is_refused(arguments, words):
    """Every culprit is named."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.multiclass_scores(**({"y_true": TRUE, "y_score": SCORE} | arguments))


def test_files(tmp_path):
    """Columns of a file are named as those of a frame."""
    path = tmp_path / "scores.csv"
    pd.DataFrame({"animal": TRUE, "p_cat": SCORE[:, 0], "p_dog": SCORE[:, 1], "p_eel": SCORE[:, 2]}).to_csv(
        path, index=False
    )
    table = hs.multiclass_scores("animal", ["p_cat", "p_dog", "p_eel"], data=path)
    assert table.scores == pytest.approx(SCORE)
    with pytest.raises(hs.HowsureError, match="no column 'p_fox'"):
        hs.multiclass_scores("animal", ["p_cat", "p_dog", "p_fox"], data=path)
