"""A JSON file holds the same cases in whichever of the usual layouts another program wrote them."""

import json

import numpy as np
import pytest

import howsure as hs
from howsure.sources import file_checks, files, json_tables

RNG = np.random.default_rng(3)
TRUTH, SAID = (["ab"[k] for k in RNG.integers(2, size=40)] for _ in range(2))
ROWS = [{"id": k, "label": true, "pred": said} for k, (true, said) in enumerate(zip(TRUTH, SAID, strict=True))]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
SPLIT = [list(row.values()) for row in ROWS]
LAYOUTS = {
    "a list of records": ROWS,
    "records in one key": {"results": ROWS},
    "records beside other things": {"version": 2, "model": "m", "tags": ["a", "b"], "results": ROWS},
    "names and rows (W&B, pandas split)": {"columns": list(COLUMNS), "data": SPLIT},
    "names, index and rows": {"columns": list(COLUMNS), "index": list(range(40)), "data": SPLIT},
    "schema and records (pandas table)": {"schema": {"fields": [{"name": "id"}, {"name": "label"}]}, "data": ROWS},
    "lists of values": COLUMNS,
    "values by row (pandas columns)": {name: dict(enumerate(values)) for name, values in COLUMNS.items()},
}
LINES, ONE = "\n".join(map(json.dumps, ROWS)), json.dumps({"results": ROWS}, indent=1)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("engine", ["duckdb", "none"])
def test_every_layout_holds_the_same_cases(layout, indent, engine, tmp_path, monkeypatch):
    """The confusion table equals that of the arrays, with DuckDB and without."""
    if engine == "none":
        monkeypatch.setattr(files, "_is_there", lambda package: False)
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(LAYOUTS[layout], indent=indent))
    found = hs.confusion("label", "pred", data=path)
    assert np.array_equal(found.counts, hs.confusion(TRUTH, SAID).counts)


def test_lines_of_objects_stay_cases(tmp_path):
    """A file that ends in .json and has an object in each line is read line by line."""
    pytest.importorskip("duckdb")
    path = tmp_path / "cases.json"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    assert hs.confusion("label", "pred", data=path).rows == 40


@pytest.mark.parametrize("value", [[1, 2, 3], [[1, 0], [0, 1]], "a", 3])
def test_values_that_are_no_records_are_refused(value, tmp_path, monkeypatch):
    """Numbers or lists without names of columns are no table of cases."""
    monkeypatch.setattr(files, "_is_there", lambda package: False)
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(value))
    with pytest.raises(hs.HowsureError, match="no table: give a list of objects"):
        hs.confusion("label", "pred", data=path)


@pytest.mark.parametrize("size", [1, 7, 40, 41, 42, 1000])
@pytest.mark.parametrize(
    "content, expected", [(LINES, False), (ONE, True), ("\n " + ONE, True), ("[" + ONE + "]", False)]
)
def test_one_object_is_told_from_lines_wherever_a_file_is_cut(content, expected, size, tmp_path, monkeypatch):
    """A file is read in pieces, of which the first may end at the end of a line."""
    monkeypatch.setattr(file_checks, "CHUNK", size)
    path = tmp_path / "cases.json"
    path.write_text(content)
    assert json_tables.is_object(path) == expected


@pytest.mark.parametrize("name", ["accuracy", "F1-score", "n_total"])
def test_metrics_by_model_are_no_columns_of_cases(name, tmp_path):
    """The mean of a model's accuracy, F1 and number of cases is the score of nothing."""
    found = {model: {name: 0.8, "other": 0.7, "third": 100} for model in ("gpt", "llama")}
    assert json_tables.records_of(found) == [found]
    path = tmp_path / "summary.json"
    path.write_text(json.dumps(found))
    with pytest.raises(hs.HowsureError, match="numbers of whole data sets"):
        hs.read_log(path)
    by_item = {model: {"q1": 1, "q2": 0, "q3": 1} for model in ("gpt", "llama")}
    assert json_tables.records_of(by_item) == [{"gpt": each, "llama": each} for each in (1, 0, 1)]
    by_query = {f"q{place}": {name: place / 4, "other": 1} for place in range(4)}
    assert json_tables.records_of(by_query) == list(by_query.values())
