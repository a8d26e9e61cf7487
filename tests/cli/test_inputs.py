"""What commands read: several files, patterns, folders, standard input, and long files of several models."""

import gzip
import io
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

import howsure as hs
from support.shell import run

pytestmark = pytest.mark.filterwarnings("ignore:The column '(patient|person)' has several")  # clusters on purpose

RNG = np.random.default_rng(8)
N = 120
TRUTH = RNG.integers(0, 2, N)
FRAME = pd.DataFrame(
    {
        "truth": TRUTH,
        "new": np.where(RNG.random(N) < 0.8, TRUTH, 1 - TRUTH),
        "old": np.where(RNG.random(N) < 0.7, TRUTH, 1 - TRUTH),
        "score": np.round(0.5 * RNG.random(N) + 0.3 * TRUTH, 2),
        "site": RNG.choice(["a", "b"], N),
        "patient": RNG.integers(0, 30, N),
        "case": np.arange(N),
    }
)
LONG = pd.concat(
    [FRAME[["case", "truth"]].assign(model=name, said=FRAME[name]) for name in ("new", "old")], ignore_index=True
)


def numbers(ended):
    """Return the records that a command printed, without the name of the data."""
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    return found["estimates"] if isinstance(found, dict) else found


def written(write):
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


STREAMS = {
    "csv": FRAME.to_csv(index=False).encode(),
    "tsv": FRAME.to_csv(index=False, sep="\t").encode(),
    "jsonl": FRAME.to_json(orient="records", lines=True).encode(),
    "json": FRAME.to_json(orient="records").encode(),
    "parquet": written(FRAME.to_parquet),
    "feather": written(lambda stream: feather.write_feather(pa.Table.from_pandas(FRAME), stream)),
}
COLUMNS = ("--y-true", "truth", "--y-pred", "new", "--metrics", "f1", "--format", "json")


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Write the cases in three Parquet files."""
    folder = tmp_path_factory.mktemp("parts")
    for number, rows in enumerate(np.array_split(np.arange(N), 3)):
        FRAME.iloc[rows].to_parquet(folder / f"{number}.parquet")
    return folder


def test_files_are_parts_of_the_data(parts):
    """A quoted pattern, several files and a folder are the same data, also by groups and with clusters."""
    more = ("--by", "site", "--groups", "patient")
    expected = hs.evaluate(hs.confusion("truth", "new", data=FRAME, by="site", groups="patient"), ["f1"]).records()
    for files in ([f"{parts}/*.parquet"], sorted(parts.iterdir()), [parts]):
        found = numbers(run("report", *files, *COLUMNS, *more))
        assert [each["value"] for each in found] == pytest.approx([each["value"] for each in expected])
        assert [each["low"] for each in found] == pytest.approx([each["low"] for each in expected])
    shown = run("report", *sorted(parts.iterdir()), *COLUMNS[:-2])
    assert "0.parquetand2more" in "".join(shown.stdout.split())  # the path may be broken where the table is narrow


@pytest.mark.parametrize("kind", STREAMS)
def test_standard_input(kind):
    """A hyphen is standard input in each format; compressed text is recognised by its first bytes."""
    expected = hs.estimate(hs.confusion("truth", "new", data=FRAME), "f1")
    streams = [STREAMS[kind]]
    if kind not in {"parquet", "feather"}:
        streams += [gzip.compress(STREAMS[kind]), pa.compress(STREAMS[kind], "zstd", asbytes=True)]
    for stream in streams:
        (found,) = numbers(run("report", "-", "--input-format", kind, *COLUMNS, stdin=stream))
        assert (found["value"], found["low"]) == pytest.approx((float(expected), expected.low))


def test_all_commands_read_standard_input():
    """Each command that reads data takes them from standard input."""
    csv = {"stdin": STREAMS["csv"]}
    read = ("-", "--input-format", "csv")
    assert len(numbers(run("compare", *read, "--y-true", "truth", "--y-pred", "new", "old", "--format", "json", **csv)))
    assert run("unlabelled", *read, "--y-score", "score", **csv).returncode == 0
    reviewed = FRAME.assign(checked=FRAME.truth.where(FRAME.case < 40).astype("Int64")).to_csv(index=False).encode()
    columns = ("--y-true", "truth", "--y-pred", "new", "--reviewed", "checked")
    assert run("reviewed", *read, *columns, stdin=reviewed).returncode == 0
    assert run("review-plan", *read, *columns, "--metric", "f1", "--budget", "20", stdin=reviewed).returncode == 0


MATRIX = b",a,b\na,50,3\nb,5,42\n"


def test_a_matrix_from_standard_input():
    """A hyphen, also for compressed text."""
    for stream in (MATRIX, gzip.compress(MATRIX)):
        found = run("matrix", "-", "--metrics", "accuracy", stdin=stream)
        assert found.stdout.startswith("standard input")
        assert "0.920" in found.stdout


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="pipes have no names here")
def test_a_matrix_from_a_pipe():
    """A shell names the pipe of `<(command)` so."""
    end, start = os.pipe()
    os.write(start, MATRIX)
    os.close(start)
    assert "0.920" in run("matrix", f"/dev/fd/{end}", "--metrics", "accuracy").stdout
    os.close(end)


REFUSED = {
    "such as --input-format csv": ("-",),
    "stands alone": ("-", "other.csv", "--input-format", "csv"),
    "the format of a file follows from its suffix": ("a.csv", "--input-format", "csv"),
    "is empty": ("-", "--input-format", "csv"),
    "No file matches": ("none*.csv",),
}


@pytest.mark.parametrize("message", REFUSED)
def test_inputs_that_are_refused(message):
    """What cannot be read ends with one line and code 2."""
    ended = run("report", *REFUSED[message], *COLUMNS)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert ended.stdout == ""


@pytest.mark.thorough
def test_long_files_are_compared(tmp_path):
    """Rows of models and cases are compared like columns of models; incomplete cases are reported or left out."""
    LONG.sample(frac=1, random_state=0).to_csv(tmp_path / "long.csv", index=False)
    FRAME.to_csv(tmp_path / "wide.csv", index=False)
    long = ("--y-true", "truth", "--y-pred", "said", "--model", "model", "--case", "case", "--format", "json")
    wide = ("--y-true", "truth", "--y-pred", "new", "old", "--format", "json")
    assert numbers(run("compare", tmp_path / "long.csv", *long)) == numbers(
        run("compare", tmp_path / "wide.csv", *wide)
    )
    LONG.iloc[:-5].to_csv(tmp_path / "short.csv", index=False)
    ended = run("compare", tmp_path / "short.csv", *long)
    assert (ended.returncode, "5 of 120 cases lack a model" in ended.stderr) == (2, True)
    assert len(numbers(run("compare", tmp_path / "short.csv", *long, "--incomplete", "drop"))) == 1
    ended = run("compare", tmp_path / "long.csv", *long, "--y-pred", "said", "case")
    assert "all models' predictions are in one column" in ended.stderr


def test_one_side_of_a_comparison(tmp_path):
    """`--alternative` requests one limit, with the one-sided p-value, as in Python."""
    FRAME.to_csv(tmp_path / "wide.csv", index=False)
    table = hs.paired("truth", ["new", "old"], data=FRAME)
    for side in ("two-sided", "less", "greater"):
        (found,) = numbers(
            run("compare", tmp_path / "wide.csv", "--y-true", "truth", "--y-pred", "new", "old", "--alternative", side,
                "--format", "json")
        )  # fmt: skip
        expected = hs.compare(table, "accuracy", alternative=side)
        assert (found["low"], found["high"], found["p_value"]) == pytest.approx(
            (expected.low, expected.high, expected.p_value)
        )
    with pytest.raises(hs.HowsureError, match="two-sided intervals alone"):
        hs.compare_all(table, "accuracy", correction="max_t", alternative="less")
