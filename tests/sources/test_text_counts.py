"""Large text files are counted as they are written, with the types and errors of files that are read row by row."""

import gzip
from collections import Counter

import numpy as np
import pytest

import howsure as hs
from howsure.sources import duckdb_files, file_checks, frames, text_counts
from howsure.sources.encoding import is_missing
from support.optional import optional

duckdb = optional("duckdb")
LATER = ["1.0", "007", " 3", "1e3", "true", "abc", "", "NULL", "nan", "9" * 20, "0x10", '"4"', "'4'", "+5", "-0", '""']
JSON = ["1", "1.0", '"1"', "true", "null", '"true"', "12345678901234567", '"2020-01-31"', '"it\'s"', '{"a": 1}']


def totals(values, numbers):
    """Return the number of cases of each value and type; missing values are None."""
    found = Counter()
    for value, number in zip(list_of(values), list_of(numbers), strict=True):
        found[None if is_missing(value) else (type(value), repr(value))] += number
    return found


def list_of(values):
    """Return a list or an array as a list."""
    return values.tolist() if isinstance(values, np.ndarray) else values


@pytest.mark.parametrize(
    "usual, suffix",
    [
        ("1", "csv"),
        ("", "csv"),
        ("0.5", "tsv"),
        *(
            pytest.param(usual, suffix, marks=pytest.mark.thorough)
            for suffix, others in {"csv": ("0.5", "word", "2020-01-31"), "tsv": ("1", "word", "", "2020-01-31")}.items()
            for usual in others
        ),
    ],
)
@pytest.mark.usefixtures("large")
def test_types_follow_from_all_texts(usual, suffix, tmp_path):
    """The distinct values are those of DuckDB's reader with the types of all rows, or the general reader decides."""
    between = "," if suffix == "csv" else "\t"
    counted = 0
    for place, later in enumerate(LATER):
        file = tmp_path / f"{place}.{suffix}"
        rows = [[usual, "a", "3"]] * 500 + [[later, "b", "3"]]
        file.write_text("\n".join(map(between.join, [["y", "p", "n"], *rows])) + "\n")
        found = text_counts.distinct_texts(file, ["y", "p"])
        if found is None:
            continue
        counted += 1
        reader = duckdb_files.READERS[file.suffix].format(files=duckdb_files._quoted(file), rows=-1, more="")
        expected = duckdb.sql(f"from {reader} select y, p, count(*) as n group by all").fetchall()
        assert totals(found["y"], found["howsure_n"]) == totals(
            [row[0] for row in expected], [row[2] for row in expected]
        )
    assert counted >= (0 if usual == "" else 10)


@pytest.mark.parametrize(
    "usual", [pytest.param(each, marks=pytest.mark.thorough if place % 5 else ()) for place, each in enumerate(JSON)]
)
@pytest.mark.usefixtures("large")
def test_types_of_lines_follow_from_all_texts(usual, tmp_path, monkeypatch):
    """JSON Lines give the table, or the error, of the reader that infers types from each row."""
    for place, later in enumerate(JSON):
        file = tmp_path / f"{place}.jsonl"
        file.write_text(f'{{"y": {usual}, "p": "a", "n": 3}}\n' * 50 + f'{{"p": "b", "y": {later}}}\n')
        given = []
        for size in (0, 10**9):
            monkeypatch.setattr(duckdb_files, "LARGE", size)
            try:
                grouped = frames.grouped(file, {"y": "y", "p": "p"})
                given.append(totals([grouped.levels[0].tolist()[code] for code in grouped.codes[0]], grouped.n))
            except hs.HowsureError as error:
                given.append(str(error))
        assert given[0] == given[1]


ODD = {
    "no column": ("a,b\n" + "1,1\n" * 9, "There is no column 'y'"),
    "no value": ("y,p\n" + ",1\n" * 9, "`y_true` has 9 missing"),
    "a gap": ("y,p\n" + "0,1\n" * 9 + ",1\n", "`y_true` has 1 missing"),
    "two headers": ("y,p\n" + "0,1\n" * 9 + "y,p\n", "repeats the header"),
    "a short row": ("y,p,x\n" + "0,1,2\n" * 9 + "1,1\n", "not all rows have 3 cells"),
    "the same name": ("y,p,p\n" + "0,1,2\n" * 9, "several columns named 'p'"),
    "no rows": ("y,p\n", "no case"),
}


@pytest.mark.parametrize("case", ODD)
@pytest.mark.usefixtures("large")
def test_odd_files_are_refused_as_others_are(case, tmp_path):
    """The errors of a large file are those of a small one."""
    text, words = ODD[case]
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(hs.HowsureError, match=words):
        hs.confusion("y", "p", data=tmp_path / "a.csv")


@pytest.mark.usefixtures("large")
def test_the_rows_are_read_once(tmp_path, queries):
    """One query reads a large file, after its first rows; groups and several models are counted along."""
    rng = np.random.default_rng(0)
    y, p, q, site = rng.integers(0, 2, (4, 40_000))
    lines = [f"{a},{b},{c},s{d}" for a, b, c, d in zip(y, p, q, site, strict=True)]
    file = tmp_path / "a.csv"
    file.write_text("\n".join(["y,p,q,site", *lines, ""]))
    assert np.array_equal(hs.confusion("y", "p", data=file).counts, hs.confusion(y, p).counts)
    whole = [each for each in queries if f"'{file}'" in each and "sniff_csv" not in each]
    assert len(whole) == 1
    by_site = hs.confusion("y", "p", data=file, by="site")
    assert np.array_equal(by_site["s1"].counts, hs.confusion(y[site == 1], p[site == 1]).counts)
    paired = hs.paired("y", {"A": "p", "B": "q"}, data=file)
    assert np.array_equal(paired.counts, hs.paired(y, {"A": p, "B": q}).counts)


@pytest.mark.parametrize(
    "text, depth",
    [
        ('{"a": [1, {"b": 2}]}\n' * 3, 3),
        ('{"a": "' + "[" * 2_000 + '"}\n', 1),
        ("[" * 1_500 + "]" * 1_500 + "\n", 1_001),
        ('{"a": "x' + "y" * 3_000 + '"}\n' + "[" * 40 + "]" * 40 + "\n", 40),
    ],
)
@pytest.mark.parametrize("block", [7, 2**20])
def test_depth_of_lines(text, depth, block, tmp_path, monkeypatch):
    """The bounds of bytes and of brackets in a line are never below the depth, which decides what is refused."""
    monkeypatch.setattr(file_checks, "CHUNK", block)
    blocks = [text.encode()[start : start + block] for start in range(0, len(text), block)]
    lines = text.splitlines(keepends=True)
    assert max(map(len, lines)) - 1 <= file_checks.longest_line(blocks) <= max(map(len, lines))
    assert file_checks.longest_line(blocks, brackets=True) == max(line.count("[") + line.count("{") for line in lines)
    assert min(file_checks.greatest_depth(blocks), 1_001) == depth
    for name, write in (("a.jsonl", bytes), ("a.jsonl.gz", gzip.compress)):
        (tmp_path / name).write_bytes(write(text.encode()))
        if depth > file_checks.DEEPEST:
            with pytest.raises(hs.HowsureError, match="more than 1000 deep"):
                file_checks.refuse_unsound(tmp_path / name)
        else:
            file_checks.refuse_unsound(tmp_path / name)
