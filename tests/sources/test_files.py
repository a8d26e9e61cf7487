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


MATRICES = {
    "plain": ("5,1\n2,7\n", None),
    "header": ("no,yes\n5,1\n2,7\n", ["no", "yes"]),
    "index": ("no,5,1\nyes,2,7\n", ["no", "yes"]),
    "both": ("true,no,yes\nno,5,1\nyes,2,7\n", ["no", "yes"]),
    "numbers": (",0,1\n0,5,1\n1,2,7\n", ["0", "1"]),
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
    ],
)
def test_bad_matrices(text, words, tmp_path):
    """What is no matrix of counts is refused with file, row and column."""
    path = tmp_path / "matrix.csv"
    path.write_text(text)
    with pytest.raises(hs.HowsureError, match=words):
        read_matrix(path)
