"""Data in many files: lists, folders, patterns and partitions, by each engine that reads them."""

import gzip
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

import howsure as hs
from howsure.sources.locations import located, partition_of

pytestmark = pytest.mark.filterwarnings("ignore:The column '(patient|person)' has several")  # clusters on purpose

RNG = np.random.default_rng(5)
N = 40
FRAME = pd.DataFrame(
    {
        "truth": RNG.choice(["yes", "no"], N),
        "said": RNG.choice(["yes", "no"], N),
        "patient": [f"{number:03}" for number in RNG.integers(0, 12, N)],
        "score": np.round(RNG.random(N), 3),
        "code": RNG.integers(1, 4, N),
    }
)
WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "csv.gz": lambda frame, path: frame.to_csv(path, index=False, compression="gzip"),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "json": lambda frame, path: frame.to_json(path, orient="records"),
    "parquet": lambda frame, path: frame.to_parquet(path, index=False),
    "feather": lambda frame, path: feather.write_feather(pa.Table.from_pandas(frame), str(path)),
}
HIDDEN = {  # packages that are not installed where an engine reads
    "duckdb": (),
    "pyarrow": ("duckdb",),
    "polars": ("duckdb", "pyarrow"),
}


def write(folder, kind="csv", frames=None):
    """Write the frame in parts, and return their folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(frames or np.array_split(FRAME.index, 3)):
        rows = part if isinstance(part, pd.DataFrame) else FRAME.loc[part]
        WRITERS[kind](rows, folder / f"part-{number}.{kind}")
    return folder


def counts(data, **more):
    return hs.confusion("truth", "said", data=data, **more)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("engine", HIDDEN)
def test_parts_are_the_whole_by_each_engine(engine, kind, tmp_path, monkeypatch):
    """Parts of every format count as the frame that they are of, whichever engine is installed; text stays text."""
    if engine == "polars":
        pytest.importorskip("polars")
    folder = write(tmp_path / "parts", kind)
    if kind == "feather" and engine == "polars":
        pytest.skip("Feather files are read by PyArrow")
    for package in HIDDEN[engine]:
        monkeypatch.setitem(sys.modules, package, None)
    whole, found = (counts(data, groups="patient") for data in (FRAME, folder))
    assert found.counts.tolist() == whole.counts.tolist()
    assert found.labels.tolist() == ["no", "yes"]
    assert found.design.number == whole.design.number
    codes = hs.confusion("code", "code", data=folder, check=False)
    assert codes.labels.tolist() == [1, 2, 3]
    ranked = hs.scores("truth", "score", data=folder)
    assert hs.estimate(ranked, "roc_auc").value == hs.estimate(hs.scores("truth", "score", data=FRAME), "roc_auc").value
    by = counts(folder, by="patient")
    assert list(by) == sorted(FRAME.patient.unique())


TYPED = {
    "x,id,flag,mark,day,at\n1,007,yes,a,2026-01-02,2026-01-02 10:00:00\n2,012,no,,2026-01-03,2026-01-02 11:00:00\n": "csv",
    '{"x": 1, "id": "007", "flag": true, "mark": "a", "day": "2026-01-02", "at": "2026-01-02 10:00:00"}\n'
    '{"x": 2, "id": "012", "flag": false, "mark": null, "day": "2026-01-03", "at": "2026-01-02 11:00:00"}\n': "jsonl",
}


@pytest.mark.parametrize("text", TYPED, ids=TYPED.values())
def test_text_has_the_same_types_without_an_engine(text, tmp_path, monkeypatch):
    """Python's own reading gives a column the type that DuckDB gives it: numbers, texts, truth values and dates."""
    path = tmp_path / f"typed.{TYPED[text]}"
    path.write_text(text)
    found = []
    for hidden in ((), ("duckdb",)):
        for package in hidden:
            monkeypatch.setitem(sys.modules, package, None)
        labels = [
            hs.confusion(name, name, data=path, check=False).labels.tolist()
            for name in ("x", "id", "flag", "day", "at")
        ]
        found.append([(value, type(value)) for each in labels for value in each])
        with pytest.raises(hs.HowsureError, match="1 missing value"):
            hs.confusion("mark", "x", data=path, check=False)
    assert found[0] == found[1]
    assert found[0][2] == ("007", str)


ODD = [
    "nan 1.5",
    "1e5 2",
    "+5 3",
    "-0 1",
    ".5 6",
    "5. 6",
    "00.5 1.5",
    "1_000 2",
    "true false",
    "t f",
    "10:00:00 11:00:00",
    "123456789012345678 1",
]


@pytest.mark.parametrize("pair", ODD)
def test_odd_values_have_the_same_type_without_an_engine(pair, tmp_path, monkeypatch):
    """What looks like a number and is none, and the reverse, is read as DuckDB reads it."""
    path = tmp_path / "odd.csv"
    path.write_text("x,y\n" + "".join(f"{value},1\n" for value in pair.split()))
    answers = []
    for hidden in ((), ("duckdb",)):
        for package in hidden:
            monkeypatch.setitem(sys.modules, package, None)
        try:
            labels = hs.confusion("x", "x", data=path, check=False).labels.tolist()
            answers.append([(value, type(value)) for value in labels])
        except hs.HowsureError as error:
            answers.append(str(error).split(" (")[0].split(". ")[0])
    assert answers[0] == answers[1]


def test_lists_patterns_and_folders(tmp_path):
    """A list of paths, a pattern, and a folder with subfolders give the same files; engines' own are ignored."""
    folder = write(tmp_path / "parts")
    (folder / "deeper").mkdir()
    (folder / "part-2.csv").rename(folder / "deeper" / "part-2.csv")
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.csv.crc").touch()
    expected = counts(FRAME).counts.tolist()
    several = [folder / "part-0.csv", str(folder / "part-1.csv"), folder / "deeper"]
    for data in (folder, str(folder), f"{folder}/**/*.csv", several, [f"{folder}/part-?.csv", folder / "deeper"]):
        assert counts(data).counts.tolist() == expected
    assert counts([folder, folder / "part-0.csv"]).rows == N  # a file that is named twice is one


def test_folders_name_columns(tmp_path, monkeypatch):
    """Files in `site=A` have the column `site`, as text, also by patterns and without DuckDB."""
    for value, rows in {"007": slice(0, 10), "a b": slice(10, 25), "__HIVE_DEFAULT_PARTITION__": slice(25, N)}.items():
        for kind in ("parquet", "csv"):
            folder = tmp_path / kind / f"site={value.replace(' ', '%20')}"
            write(folder, kind, [FRAME.iloc[rows]])
    for hidden in ((), ("duckdb",)):
        for package in hidden:
            monkeypatch.setitem(sys.modules, package, None)
        for kind in ("parquet", "csv"):
            named = [f"{tmp_path}/{kind}/site=007/*", f"{tmp_path}/{kind}/site=a*"]
            assert {key: table.rows for key, table in counts(named, by="site").items()} == {"007": 10, "a b": 15}
            assert counts(tmp_path / kind / "site=007" / f"part-0.{kind}", by="site")["007"].rows == 10
            with pytest.raises(hs.HowsureError, match=r"15 missing values"):
                counts(tmp_path / kind, by="site")
    assert partition_of("x=1/y=%2F/part.csv") == {"x": "1", "y": "/"}


DIFFERENT = {
    r"'.*part-1.csv' lacks the column 'said', which '.*part-0.csv' has": FRAME.drop(columns="said"),
    r"'.*part-0.csv' lacks the column 'more', which '.*part-1.csv' has": FRAME.assign(more=1),
    r"column 'truth' holds numbers in '.*part-1.csv' and text in '.*part-0.csv'": FRAME.assign(truth=1),
    r"column 'score' holds text in '.*part-1.csv' and numbers in '.*part-0.csv'": FRAME.assign(score="high"),
}


@pytest.mark.parametrize("message", DIFFERENT)
@pytest.mark.parametrize("hidden", [(), ("duckdb",), ("duckdb", "pyarrow")])
@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_parts_that_differ(kind, hidden, message, tmp_path, monkeypatch):
    """A column that a part lacks, or whose type changes, is an error that names the file and the column."""
    if "pyarrow" in hidden:
        pytest.importorskip("polars")
    folder = write(tmp_path, kind, [FRAME, DIFFERENT[message]])
    for package in hidden:
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(hs.HowsureError, match=message.replace("csv", kind)):
        counts(folder)


@pytest.mark.parametrize("hidden", [(), ("duckdb",)])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_parts_that_differ_in_numbers_alone(kind, hidden, tmp_path, monkeypatch):
    """Whole numbers in one part and others in the next are numbers; a column that is empty in a part has any type."""
    first = FRAME.assign(score=1, note=pd.NA if kind == "csv" else pd.Series([None] * N, dtype="string"))
    second = FRAME.assign(note=3 if kind == "csv" else "x")
    folder = write(tmp_path, kind, [first, second])
    for package in hidden:
        monkeypatch.setitem(sys.modules, package, None)
    assert counts(folder).rows == 2 * N
    assert hs.scores("truth", "score", data=folder).rows == 2 * N


@pytest.mark.parametrize("hidden", [(), ("duckdb",), ("duckdb", "pyarrow")])
def test_files_that_cannot_be_read(hidden, tmp_path, monkeypatch):
    """A truncated part, one that is empty, none at all, several formats: one line, and no partial result."""
    if "pyarrow" in hidden:
        pytest.importorskip("polars")
    folder = write(tmp_path / "parts", "parquet")
    whole = (folder / "part-1.parquet").read_bytes()
    for package in hidden:
        monkeypatch.setitem(sys.modules, package, None)
    for content, message in ((whole[:-9], r"part-1.parquet' cannot be read"), (b"", r"part-1.parquet' is empty")):
        (folder / "part-1.parquet").write_bytes(content)
        with pytest.raises(hs.HowsureError, match=message):
            counts(folder)
    with pytest.raises(hs.HowsureError, match="No file matches"):
        counts(f"{tmp_path}/none/*.csv")
    (tmp_path / "nothing").mkdir()
    with pytest.raises(hs.HowsureError, match="holds no file of data"):
        counts(tmp_path / "nothing")
    write(tmp_path / "mixed", "csv")
    write(tmp_path / "mixed", "jsonl")
    with pytest.raises(hs.HowsureError, match="several formats: '.*part-0.csv', '.*part-0.jsonl'"):
        counts(tmp_path / "mixed")


def test_a_part_that_is_cut_short(tmp_path):
    """A compressed part that lacks its end is refused by name."""
    folder = write(tmp_path / "parts", "csv.gz")
    whole = (folder / "part-2.csv.gz").read_bytes()
    assert gzip.decompress(whole)
    (folder / "part-2.csv.gz").write_bytes(whole[:-12])
    with pytest.raises(hs.HowsureError, match=r"part-2.csv.gz' cannot be read"):
        counts(folder)


def test_a_file_that_disappears(tmp_path):
    """A file that is gone when its rows are counted is an error in one line, and not a smaller table."""
    pytest.importorskip("duckdb")
    from howsure.sources.files import read

    folder = write(tmp_path / "parts", "parquet")
    found = read(folder)
    (folder / "part-1.parquet").unlink()
    with pytest.raises(hs.HowsureError, match="cannot be read"):
        counts(found)


def test_addresses_are_left_to_duckdb(monkeypatch):
    """An address is not a path; without DuckDB the error names the package to install."""
    assert located("https://example.org/cases.parquet?version=2") == ["https://example.org/cases.parquet?version=2"]
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(hs.HowsureError, match=r"https://example.org/cases.csv' needs the package 'duckdb'"):
        counts("https://example.org/cases.csv")


def test_a_name_that_no_system_has_is_refused_in_words():
    """A text that is too long for a file name gives our own error."""
    with pytest.raises(hs.HowsureError, match="cannot be read: .*too long"):
        hs.confusion("t", "p", data="a" * 5000)
