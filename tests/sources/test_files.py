"""Files of every format give the same table, and unreadable ones a clear error."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

import howsure as hs
from howsure.sources.files import read_matrix

FRAME = pd.DataFrame(
    {"true label": ["ill", "well", "ill", "well", "well"] * 8, "it's": ["ill", "well", "well", "well", "ill"] * 8}
)
EXPECTED = [[8, 8], [8, 16]]


def write_gzip(path):
    """Write a compressed CSV file."""
    with gzip.open(path, "wt") as file:
        FRAME.to_csv(file, index=False)


WRITERS = {
    "a.csv": lambda path: FRAME.to_csv(path, index=False),
    "a.tsv": lambda path: FRAME.to_csv(path, index=False, sep="\t"),
    "a.jsonl": lambda path: FRAME.to_json(path, orient="records", lines=True),
    "a.json": lambda path: FRAME.to_json(path, orient="records"),
    "a.parquet": FRAME.to_parquet,
    "a.feather": lambda path: feather.write_feather(pa.Table.from_pandas(FRAME), str(path)),
    "a.arrow": lambda path: feather.write_feather(pa.Table.from_pandas(FRAME), str(path), compression="uncompressed"),
    "o'neil's \"data\".csv": lambda path: FRAME.to_csv(path, index=False),
    "a.csv.gz": write_gzip,
}


@pytest.mark.parametrize("name", WRITERS)
def test_formats(name, tmp_path):
    """CSV, TSV, JSON, Parquet, Feather, Arrow and compressed files are read, whatever their names hold."""
    path = tmp_path / name
    WRITERS[name](path)
    table = hs.confusion("true label", "it's", data=path)
    assert table.counts.astype(int).tolist() == EXPECTED
    assert table.labels.tolist() == ["ill", "well"]


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("missing.csv", None, "no file"),
        ("a.csv", b"", "is empty"),
        ("a.xlsx", b"x", "suffix"),
        ("a.parquet", b"this is no parquet file", "cannot be read"),
        ("a.arrow", b"nor is this", "cannot be read"),
        ("a.csv", b"true,pred\n", "no rows"),
        ("a.csv.gz", gzip.compress(b"", mtime=0), "is empty"),
        ("a.csv.gz", b"true,pred\na,a\n", "Not a gzipped file"),
        ("a.csv", "true,pred\né,é\n".encode("latin-1"), "not utf-8"),
        ("a.csv", b"true,pred\n" + b"1,1\n" * 30_000 + b"x,1\n", r"`y_true` holds text \('x'\)"),
    ],
)
def test_unreadable_files(name, content, words, tmp_path):
    """A missing, empty, unknown or broken file is named in one line."""
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(hs.HowsureError, match=words) as caught:
        hs.confusion("true", "pred", data=path)
    assert "\n" not in str(caught.value)


def test_missing_file_has_the_nearest_name(tmp_path):
    """A slip in a file's name is answered with the file that is there."""
    (tmp_path / "predictions.csv").write_text("a,b\n1,1\n")
    with pytest.raises(hs.HowsureError, match=r"Did you mean 'predictions\.csv'"):
        hs.confusion("a", "b", data=tmp_path / "prediction.csv")


@pytest.mark.parametrize("suffix, compression", [(".gz", "gzip"), (".zst", "zstd")])
def test_files_cut_short(suffix, compression, tmp_path):
    """A compressed file that lacks its end is refused: the rows before it are not the data."""
    content = "true,pred\n" + "".join(f"{i % 3},{i * i % 7 % 3}\n" for i in range(20_000))
    whole = pa.compress(content.encode(), compression, asbytes=True)
    path = tmp_path / f"a.csv{suffix}"
    path.write_bytes(whole)
    assert hs.confusion("true", "pred", data=path).rows == 20_000
    for kept in (len(whole) // 2, len(whole) - 9):
        path.write_bytes(whole[:kept])
        with pytest.raises(hs.HowsureError, match="cannot be read"):
            hs.confusion("true", "pred", data=path)


@pytest.mark.parametrize("name, other", [("fold[1].csv", "fold1.csv"), ("q?.csv", "qa.csv"), ("all*.csv", "all2.csv")])
def test_names_are_no_patterns(name, other, tmp_path):
    """A file whose name could be a pattern is read itself, not the files that would match."""
    FRAME.to_csv(tmp_path / name, index=False)
    FRAME.iloc[:3].to_csv(tmp_path / other, index=False)
    assert hs.confusion("true label", "it's", data=tmp_path / name).rows == len(FRAME)


def test_arrow_streams(tmp_path):
    """An Arrow file may have the layout of a stream, as Hugging Face's `datasets` writes it."""
    table = pa.Table.from_pandas(FRAME)
    with pa.ipc.new_stream(tmp_path / "a.arrow", table.schema) as stream:
        stream.write_table(table)
    found = hs.confusion("true label", "it's", data=tmp_path / "a.arrow")
    assert found.counts.astype(int).tolist() == EXPECTED


MATRICES = {
    "plain": ("5,1\n2,7\n", None),
    "header": ("no,yes\n5,1\n2,7\n", ["no", "yes"]),
    "index": ("no,5,1\nyes,2,7\n", ["no", "yes"]),
    "both": ("true,no,yes\nno,5,1\nyes,2,7\n", ["no", "yes"]),
    "numbers": (",0,1\n0,5,1\n1,2,7\n", ["0", "1"]),
    "numbers with the name of their axis": ("true,0,1\n0,5,1\n1,2,7\n", ["0", "1"]),
    "no corner": ("no,yes\nno,5,1\nyes,2,7\n", ["no", "yes"]),
    "semicolons": ("no;yes\n5;1\n2;7\n", ["no", "yes"]),
}


@pytest.mark.parametrize("kind", MATRICES)
def test_matrices(kind, tmp_path):
    """A matrix is read with a header, with a first column of labels, with both or with neither."""
    text, labels = MATRICES[kind]
    path = tmp_path / "matrix.csv"
    path.write_text(text)
    found, counts = read_matrix(path)
    assert found == labels
    assert np.array_equal(counts, [[5, 1], [2, 7]])


@pytest.mark.parametrize(
    "text, words",
    [
        ("1,2,3\n4,5,6\n", "not a square matrix"),
        ("1,-2\n3,4\n", "column 2: '-2' is not a count"),
        ("1,2.5\n3,4\n", "'2.5' is not a count"),
        ("1,2\n3,x\n", "is not"),
        ("1,2\n3,\n", "nothing is not a count"),
        ("", "is empty"),
        (",a,b\nb,5,1\na,2,7\n", "names its rows b, a and its columns a, b"),
        (",1,2\n3,4,5\n6,7,8\n", "names its rows 3, 6 and its columns 1, 2"),
        (",a,b,total\na,5,1,6\nb,2,7,9\n", "not a square matrix"),
        ("# made today\n5,1\n2,7\n", "not a square matrix"),
        ("x\n", "no counts"),
    ],
)
def test_bad_matrices(text, words, tmp_path):
    """What is no matrix of counts is refused with file, row and column."""
    path = tmp_path / "matrix.csv"
    path.write_text(text)
    with pytest.raises(hs.HowsureError, match=words):
        read_matrix(path)
