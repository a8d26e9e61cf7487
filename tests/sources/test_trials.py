"""Tables of tasks from repeated runs."""

import math

import numpy as np
import pandas as pd
import pytest

import howsure as hs


def test_tasks_are_counted_by_runs_and_successes():
    """Tasks with equal numbers of runs and successes are one cell, for any order of the rows."""
    table = hs.trials([1, 0, 1, 0, 1, 1, 0], task=["a", "b", "a", "a", "c", "b", "c"])
    cells = {
        (int(n), int(c)): int(count)
        for n, c, count in zip(table.runs, table.successes, table.counts, strict=True)
        if count
    }
    assert cells == {(3, 2): 1, (2, 1): 2}
    assert table.rows == 3
    assert (np.diff(table.values) >= 0).all()


def test_clusters_and_weights_are_of_tasks():
    """Tasks of one cluster vary together; a task's weight counts once."""
    task, weight, passage = [1, 1, 2, 2, 3, 3], [2, 2, 1, 1, 5, 5], ["x", "x", "x", "x", "y", "y"]
    table = hs.trials([1, 0, 1, 1, 0, 0], task=task, sample_weight=weight, groups=passage)
    assert table.counts.sum() == 8
    assert table.design.number == 2
    assert hs.estimate(table, "mean").value == pytest.approx((2 * 0.5 + 1) / 8)


def test_groups_split_runs():
    """Each group has the tasks that it has runs of."""
    tables = hs.trials([1, 0, 1, 1], task=["a", "a", "b", "b"], by=["cold", "hot", "cold", "cold"])
    assert [tables[key].rows for key in ("cold", "hot")] == [2, 1]
    assert tables.overall.runs.max() == 2


@pytest.mark.parametrize(
    "given, words",
    [
        ({"success": [1, 2], "task": ["a", "b"]}, "`success` holds 2"),
        (
            {"success": ["y", "n"], "task": ["a", "b"]},
            "`success` is not numeric: it holds 'y' at row 0.*each == 'pass'",
        ),
        ({"success": [1, 0], "task": ["a"]}, "differ in length"),
        ({"success": [1, 0], "task": ["a", "a"], "run": [1, 1]}, "occur more than once, of the tasks 'a'"),
        ({"success": [1, 0], "task": ["a", "a"], "groups": [1, 2]}, "task 'a' has several values of `groups`"),
        ({"success": [1, 0], "task": ["a", "a"], "sample_weight": [1, 2]}, "several values of `sample_weight`"),
        (
            {"success": [1, 0, 1], "task": ["a", "b", "a"], "model": ["m", "m", "k"]},
            "task 'b' has no run of the model 'k'",
        ),
        ({"success": [1, 0], "task": ["a", "b"], "model": ["m", "m"]}, "`model` names one model only"),
        ({"success": [], "task": []}, "empty"),
    ],
)
def test_what_are_no_runs_is_refused(given, words):
    """One line names the culprit and the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.trials(**given)


def test_the_remedy_for_a_column_of_each_run():
    """The call that the message names gives the table of the runs in rows."""
    frame = pd.DataFrame(
        {"task": ["a", "b", "c", "d"], "run1": [1, 0, 1, 0], "run2": [1, 1, 0, 0], "run3": [1, 0, 0, 0]}
    )
    runs = ["run1", "run2", "run3"]
    with pytest.raises(hs.HowsureError, match=r"np\.ravel\(data"):
        hs.trials(runs, task="task", data=frame)
    wide = hs.trials(np.ravel(frame[runs]), task=np.repeat(frame["task"], len(runs)))
    long = hs.trials("value", task="task", data=frame.melt("task"))
    assert np.array_equal(wide.counts, long.counts)
    with pytest.raises(
        hs.HowsureError, match=r"`trials\(np\.ravel\(success\), task=np\.repeat\(np\.arange\(4\), 3\)\)`"
    ):
        hs.trials(frame[runs], task=frame["task"])
    assert np.array_equal(hs.trials(np.ravel(frame[runs]), task=np.repeat(np.arange(4), 3)).counts, long.counts)


def test_the_remedy_for_numbers_of_right_runs():
    """Two rows a task, counted, have the pass@k of their numbers."""
    c, n, task = np.array([3, 0, 10, 5]), np.full(4, 10), list("abcd")
    with pytest.raises(hs.HowsureError, match=r"counts=\[\*c, \*\(n - c\)\]"):
        hs.trials(c, task=task)
    table = hs.trials([1] * len(c) + [0] * len(c), task=[*task, *task], counts=[*c, *(n - c)])
    expected = np.mean([1 - math.comb(10 - each, 2) / math.comb(10, 2) for each in c])
    assert hs.estimate(table, "pass_at+k=2") == pytest.approx(expected)


@pytest.mark.parametrize("column", ["subject", "category"])
def test_persons_and_kinds_of_answers_are_no_data_sets(column):
    """Named tasks do not restart, and numbers are persons: their runs are those of one task."""
    rows = {"task": ["login", "pay"] * 6, "ok": [1, 0, 1, 1, 0, 1] * 2, column: [f"p{k // 2}" for k in range(12)]}
    assert hs.trials("ok", task="task", data=rows).rows == 2
    numbers = {**rows, "task": [1, 2] * 6, column: [k // 2 for k in range(12)]}
    assert hs.trials("ok", task="task", data=numbers).rows == 2
    with pytest.raises(hs.HowsureError, match=f"a column of both, '{column}' and 'task'"):
        hs.trials("ok", task="task", data={**rows, "task": [1, 2] * 6})


def test_all_runs_of_models_by_group_are_warned_of():
    """All groups together take the runs of several models as those of one; `model=` gives a table of each."""
    rows = {"task": [0, 1, 2] * 4, "ok": [1, 0, 1, 1, 0, 1] * 2, "model": ["A"] * 6 + ["B"] * 6}
    with pytest.warns(hs.HowsureWarning, match="takes their runs as those of one. For one of each, model='model'"):
        found = hs.trials("ok", task="task", by="model", data=rows)
    assert list(found) == ["A", "B"]
    assert hs.trials("ok", task="task", model="model", data=rows).models == ["A", "B"]
