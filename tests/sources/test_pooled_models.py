"""Tests of long tables of several models whose column of models no argument names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import howsure as hs
from howsure.errors import DoubtfulDataError
from howsure.sources import duckdb_files, pooled_models

TRUE = ["a", "b", "b", "a", "b", "a", "b", "b"]
RIGHT = {"one": [1, 1, 1, 1, 1, 0, 1, 1], "two": [1, 0, 1, 1, 0, 0, 1, 1]}


def long(name: str = "model", *, case: str | None = None) -> pd.DataFrame:
    """Return the predictions of two models on the same eight cases, one row each."""
    rows = [
        {name: model, "truth": true, "said": true if right else {"a": "b", "b": "a"}[true], "score": 0.1 * place}
        | ({} if case is None else {case: f"case {place}"})
        for model, each in RIGHT.items()
        for place, (true, right) in enumerate(zip(TRUE, each, strict=True))
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("name", ["model", "Model Name", "classifier", "system_id", "run", "seed", "test", "Modality"])
def test_pooled_models_are_refused(name: str) -> None:
    """The rows of several models on the same cases do not count as those of one model."""
    with pytest.raises(DoubtfulDataError, match=f"'{name}' has 2 values.*by='{name}'"):
        hs.confusion("truth", "said", data=long(name))
    with pytest.raises(DoubtfulDataError, match=name):
        hs.scores("truth", "score", data=long(name), pos_label="b")


def test_models_short_of_a_case_are_found_by_the_identifier() -> None:
    """A model without a case, and rows in another order, do not hide the column of models."""
    frame = long(case="item_id").iloc[:-1].sample(frac=1, random_state=1)
    with pytest.raises(DoubtfulDataError, match="'model'"):
        hs.confusion("truth", "said", data=frame)
    with pytest.raises(DoubtfulDataError, match="'model'"):
        hs.values("score", data=frame)


def test_every_source_of_rows_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files, also large ones, lazy frames and mappings are refused like frames."""
    file = tmp_path / "long.csv"
    long().to_csv(file, index=False)
    for data in (file, pl.from_pandas(long()).lazy(), long().to_dict("list")):
        with pytest.raises(DoubtfulDataError, match="'model'"):
            hs.confusion("truth", "said", data=data)
    monkeypatch.setattr(duckdb_files, "LARGE", 1)
    with pytest.raises(DoubtfulDataError, match="'model'"):
        hs.confusion("truth", "said", data=file)
    monkeypatch.setattr(pooled_models, "MANY", 1)
    with pytest.raises(DoubtfulDataError, match="'model'"):
        hs.confusion("truth", "said", data=file)


def test_stated_or_unlike_models_are_counted() -> None:
    """A column that is read, one of other cases, predictions of another model, and `check=False` are no doubt."""
    with pytest.warns(hs.HowsureWarning, match="'model' has 2 values .*that of all of them counts every case 2 times"):
        each = hs.confusion("truth", "said", data=long(), by="model")
    assert each["two"].counts.tolist() == [[2, 1], [2, 3]]
    crossed = hs.confusion("truth", "said", data=long(case="case"), groups=["model", "case"])
    assert crossed.rows == 16
    runs = hs.confusion("truth", "said", data=long("run", case="case"), groups="case")
    assert runs.rows == 16
    assert hs.confusion("truth", "said", data=long(), check=False).counts.tolist() == [[4, 2], [2, 8]]
    scanners = long().assign(truth=[*TRUE, *reversed(TRUE)])
    assert hs.confusion("truth", "said", data=scanners).rows == 16
    beside = long().assign(model=long()["said"])
    assert hs.confusion("truth", "said", data=beside).rows == 16


def test_cases_numbered_anew_for_each_device_are_counted() -> None:
    """Numbers of cases that restart for each model of a device, with other labels, are other cases."""
    frame = long(case="case")
    frame["truth"] = np.where(frame["model"] == "two", frame["truth"].map({"a": "b", "b": "a"}), frame["truth"])
    assert hs.confusion("truth", "said", data=frame).rows == 16


def test_rows_that_are_models_are_refused() -> None:
    """The table of a leaderboard has a row for each model: its columns of benchmarks are no models."""
    board = pd.DataFrame({"Model": ["one", "two", "three"], "mmlu": [0.7, 0.6, 0.5], "arc": [0.8, 0.7, 0.6]})
    with pytest.raises(DoubtfulDataError, match="'Model' has another model in each row"):
        hs.values(["mmlu", "arc"], data=board)
    items = board.rename(columns={"Model": "task"})
    assert hs.values(["mmlu", "arc"], data=items).rows == 3


@pytest.mark.parametrize("column", ["dataset", "Subject"])
def test_tasks_of_one_name_in_several_data_sets(column: str) -> None:
    """Runs of question 0 of two data sets are no runs of one task, also where groups have a table of all."""
    frame = pd.DataFrame({column: ["x"] * 40 + ["y"] * 20, "id": [*range(40), *range(20)]})
    frame = frame.assign(passed=(frame[column] == "x").astype(int), both=frame[column] + frame["id"].astype(str))
    for more in ({}, {"by": column}):
        with pytest.raises(DoubtfulDataError, match=f"'{column}' has several values .*a column of both, '{column}'"):
            hs.trials("passed", task="id", data=frame, **more)
    assert hs.estimate(hs.trials("passed", task="both", data=frame), "mean") == pytest.approx(40 / 60)
    assert hs.trials("passed", task="id", data=frame, check=False).rows == 40


def test_runs_of_several_models_are_no_runs_of_one() -> None:
    """A column of models is named; seeds, and other names of the tasks, are no models."""
    rows = [(model, seed, n, f"question {n}", n % 2) for model in "ab" for seed in range(3) for n in range(10)]
    frame = pd.DataFrame(rows, columns=["model", "seed", "id", "question", "passed"])
    with pytest.raises(DoubtfulDataError, match="'model' has several values .*Give model='model', or keep"):
        hs.trials("passed", task="id", data=frame)
    assert hs.trials("passed", task="id", model="model", data=frame).rows == 10
    assert hs.trials("passed", task="id", data=frame[frame["model"] == "a"]).runs.tolist()[0] == 3


@pytest.mark.parametrize("name", ["treatment", "device", "Modality"])
def test_balanced_groups_of_other_cases_are_no_pooled_models(name: str) -> None:
    """Sorted labels are the same in groups of one design; an order of labels, or an identifier, shows the same cases."""
    rows = {"truth": ["a"] * 6 + ["b"] * 6, "said": ["a", "b"] * 6, name: ["x", "y"] * 6}
    assert hs.confusion("truth", "said", data=rows).rows == 12
    with pytest.raises(DoubtfulDataError, match=f"'{name}' has 2 values"):
        hs.confusion("truth", "said", data={**rows, "case": [place // 2 for place in range(12)]})
    with pytest.raises(DoubtfulDataError, match=f"'{name}' has 2 values"):
        hs.confusion("truth", "said", data={**rows, "truth": [each for each in "abbaab" for _ in range(2)]})


def test_two_factors_beside_tasks_do_not_state_the_models():
    """Rows of two models for each task are refused with one or two columns of clusters, unless one is that of models."""
    tasks = np.repeat(np.arange(8), 4)
    frame = pd.DataFrame(
        {"ok": np.arange(32) % 3 > 0, "task": tasks, "model": ["A", "B"] * 16, "topic": tasks // 4, "author": tasks % 4}
    )
    for groups in ("topic", ["topic", "author"]):
        with pytest.raises(hs.HowsureError, match="model='model'"):
            hs.trials("ok", task="task", data=frame, groups=groups)
    assert list(hs.trials("ok", task="task", data=frame, model="model").models) == ["A", "B"]
