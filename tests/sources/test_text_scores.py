"""Scores of large text files are counted in one pass, with the types and errors of files that are read row by row."""

import json

import numpy as np
import pytest

import howsure as hs
from howsure.sources import bins, duckdb_files, engines, text_scores
from support.optional import optional

duckdb = optional("duckdb")


@pytest.fixture
def binned(monkeypatch):
    """Make more than 1,000 cases many, and a sample small."""
    for module in (engines, text_scores):
        monkeypatch.setattr(module, "MANY", 1000)
    monkeypatch.setattr(bins, "DIGITS", 9)
    monkeypatch.setattr(text_scores, "BLOCK", 200)
    monkeypatch.setattr(text_scores, "BLOCKS", 8)


def columns_of(rows, seed=0):
    """Return labels, scores of the two classes, and sites."""
    rng = np.random.default_rng(seed)
    sick = rng.random(rows) < 0.3
    score = np.where(sick, rng.beta(4, 2, rows), rng.beta(2, 3, rows))
    return {"y": np.where(sick, "ill", "well"), "s": score, "site": rng.integers(0, 3, rows)}


def written(file, columns):
    """Write columns as CSV, TSV or JSON Lines, by the suffix."""
    rows = list(zip(*(np.asarray(each).tolist() for each in columns.values()), strict=True))
    if file.suffix == ".jsonl":
        lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
    else:
        between = "," if file.suffix == ".csv" else "\t"
        lines = [between.join(map(str, row)) for row in [tuple(columns), *rows]]
    file.write_text("\n".join(lines) + "\n")
    return file


def same(found, expected):
    """Whether two tables of scores are equal."""
    assert found.labels.tolist() == expected.labels.tolist()
    assert found.scores.tolist() == pytest.approx(expected.scores.tolist(), rel=1e-13)
    assert found.counts.tolist() == expected.counts.tolist()
    assert found.rows == expected.rows


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
@pytest.mark.usefixtures("large")
def test_scores_of_a_large_file_are_those_of_its_columns(suffix, tmp_path):
    """Without bins the counts equal those of the columns in memory, in groups and for several models too."""
    columns = columns_of(3000)
    columns["t"] = columns["s"].round(2)
    file = written(tmp_path / f"a.{suffix}", columns)
    ill = {"pos_label": "ill"}
    assert text_scores.distinct_scores(file, {"y_true": "y", "y_score": "s"}, ["y_score"], exact=False) is not None
    same(hs.scores("y", "s", data=file, **ill), hs.scores(columns["y"], columns["s"], **ill))
    of_sites = hs.scores("y", "s", data=file, by="site", **ill)
    in_memory = hs.scores("y", "s", data=columns, by="site", **ill)
    assert list(of_sites) == list(in_memory) == [0, 1, 2]
    for site in of_sites:
        same(of_sites[site], in_memory[site])
    pairs = [hs.paired_scores("y", {"A": "s", "B": "t"}, data=each, **ill) for each in (file, columns)]
    assert pairs[0].counts.tolist() == pairs[1].counts.tolist()
    assert [each.tolist() for each in pairs[0].scores] == [each.tolist() for each in pairs[1].scores]


@pytest.mark.parametrize("order", ["random", "sorted", "one far away"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.usefixtures("large", "binned")
def test_bins_of_a_file_are_those_of_two_passes(suffix, order, tmp_path):
    """A sample suggests the bins; merged for the range of all scores they are the bins of an engine that reads it first."""
    columns = columns_of(5000)
    if order == "sorted":
        places = np.argsort(columns["s"])
        columns = {name: each[places] for name, each in columns.items()}
    if order == "one far away":  # and in no sample
        columns["s"][2500] = 37.0
    file = written(tmp_path / f"a.{suffix}", columns)
    found = hs.scores("y", "s", data=file, pos_label="ill")
    relation = duckdb.connect().sql(f"from '{file}'")
    expected = hs.scores("y", "s", data=relation, pos_label="ill")
    same(found, expected)
    assert found.spread.tolist() == pytest.approx(expected.spread.tolist())
    assert len(found.scores) < 2**9
    exact = hs.scores("y", "s", data=file, pos_label="ill", exact=True)
    same(exact, hs.scores("y", "s", data=columns, pos_label="ill"))


@pytest.mark.usefixtures("large", "binned")
def test_the_rows_are_read_once(tmp_path, queries):
    """One query reads a large file, with or without bins."""
    file = written(tmp_path / "a.csv", columns_of(5000))
    for exact in (False, True):
        queries.clear()
        hs.scores("y", "s", data=file, exact=exact)
        whole = [each for each in queries if f"'{file}'" in each and "sniff_csv" not in each and "count" in each]
        assert len(whole) == 1


LATER = ["1", "007", " 3", "1e-3", "true", "abc", "", "NULL", "nan", "inf", "9" * 20, "0x10", '"4"', "'4'", "+5", "-0"]
OF_LINES = ["1", "1.0", '"1"', "true", "null", "12345678901234567", "1e-3", '{"a": 1}', "[1]"]


@pytest.mark.parametrize("usual", ["0.5", pytest.param("1", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.usefixtures("large")
def test_types_follow_from_all_texts(suffix, usual, tmp_path, monkeypatch):
    """A score or a label among later rows gives the table, or the error, of a small file."""
    for place, later in enumerate(LATER if suffix == "csv" else OF_LINES):
        for label, score in (("1", later), *([(later, usual)] if later in {"007", "abc", '"1"'} else [])):
            file = tmp_path / f"{place}.{suffix}"
            if suffix == "csv":
                file.write_text("y,s\n" + f"1,{usual}\n0,0.25\n" * 300 + f"{label},{score}\n")
            else:
                first = f'{{"y": 1, "s": {usual}}}\n{{"y": 0, "s": 0.25}}\n'
                file.write_text(first * 300 + f'{{"y": {label}, "s": {score}}}\n')
            given = []
            for size in (0, 10**9):
                monkeypatch.setattr(duckdb_files, "LARGE", size)
                try:
                    table = hs.scores("y", "s", data=file)
                    given.append((repr(table.labels), table.scores.tolist(), table.counts.tolist()))
                except hs.HowsureError as error:
                    given.append(str(error))
            assert given[0] == given[1], (label, score)


@pytest.mark.usefixtures("large")
def test_names_differ_by_the_case_of_letters(tmp_path):
    """DuckDB finds the column Y for the name y; howsure refuses it as for small files."""
    file = written(tmp_path / "a.csv", {"Y": [0, 1] * 50, "s": np.linspace(0, 1, 100), "p": [0, 1] * 50})
    with pytest.raises(hs.HowsureError, match="no column 'y'"):
        hs.scores("y", "s", data=file)
    with pytest.raises(hs.HowsureError, match="no column 'y'"):
        hs.confusion("y", "p", data=file)


@pytest.mark.usefixtures("large", "binned")
@pytest.mark.parametrize("bad", ["", "nan", "inf", "high"])
def test_many_scores_of_which_some_are_no_numbers(bad, tmp_path):
    """Scores that are missing, infinite or text are refused as those of small files."""
    columns = columns_of(3000)
    columns["s"] = columns["s"].astype(object)
    columns["s"][[7, 1777]] = bad
    words = "not numeric|not a number|numbers?" if bad == "high" else "`y_score` has 2 missing or infinite values"
    with pytest.raises(hs.HowsureError, match=words):
        hs.scores("y", "s", data=written(tmp_path / "a.csv", columns))
