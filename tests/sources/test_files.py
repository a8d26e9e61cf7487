"""Files of every format give the same table, and unreadable ones a clear error."""

import bz2
import gzip
import json
import lzma
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

import howsure as hs
from howsure.errors import HowsureError
from howsure.sources import duckdb_files
from howsure.sources.duckdb_files import relation
from howsure.sources.matrix_file import read_matrix
from howsure.sources.texts import read_plain

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
    """CSV, TSV, JSON, Parquet, Feather, Arrow and compressed files are read, for any file name."""
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
        ("a.docx", b"x", "suffix"),
        ("a.parquet", b"PAR1 and no more of a file", "cannot be read"),
        ("a.arrow", b"ARROW1 nor of this one", "cannot be read"),
        ("a.csv", b"true,pred\n", "no rows"),
        ("a.csv.gz", gzip.compress(b"", mtime=0), "is empty"),
        ("a.csv.gz", gzip.compress(b"true,pred\na,a\n", mtime=0)[:-9], "cannot be read"),
        ("a.csv", "true,pred\né,é\n".encode("latin-1"), "not in UTF-8"),
        ("a.csv", b"true,pred\n" + b"1,1\n" * 30_000 + b"x,1\n", r"`y_true` holds text \('x'\)"),
    ],
)
def test_unreadable_files(name, content, words, tmp_path):
    """A missing, empty, unknown or broken file is named in one line."""
    pytest.importorskip("duckdb")
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(hs.HowsureError, match=words):
        hs.confusion("true", "pred", data=path)


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
        (",1,2\n3,4,5\n6,7,8\n", "rows are labelled '3', '6' and its columns '1', '2'"),
        (",a,b,total\na,5,1,7\nb,2,7,9\n", "'total', and is not the sum of the others"),
        ("x\n", "no counts"),
    ],
)
def test_bad_matrices(text, words, tmp_path):
    """Invalid matrices of counts are refused with file, row and column."""
    path = tmp_path / "matrix.csv"
    path.write_text(text)
    with pytest.raises(hs.HowsureError, match=words):
        read_matrix(path)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json"])
def test_the_type_of_a_column_follows_from_all_its_rows(suffix, tmp_path):
    """Decimals after 21,000 integers stay decimals: the distinct scores are 0, 0.25, 0.5, 0.75, 1."""
    write = {
        "csv": lambda rows: "true,score\n" + "".join(f"{true},{score}\n" for true, score in rows),
        "tsv": lambda rows: "true\tscore\n" + "".join(f"{true}\t{score}\n" for true, score in rows),
        "jsonl": lambda rows: "".join(f'{{"true": {true}, "score": {score}}}\n' for true, score in rows),
        "json": lambda rows: "[" + ",".join(f'{{"true": {true}, "score": {score}}}' for true, score in rows) + "]",
    }[suffix]
    score = [case % 2 if case < 21_000 else 0.25 + case % 3 / 4 for case in range(30_000)]
    (tmp_path / f"cases.{suffix}").write_text(write(list(zip(np.arange(30_000) // 3 % 2, score, strict=True))))
    table = hs.scores("true", "score", data=tmp_path / f"cases.{suffix}")
    assert table.scores.tolist() == [0, 0.25, 0.5, 0.75, 1]
    weighted = hs.confusion("true", "true", data=tmp_path / f"cases.{suffix}", sample_weight="score", check=False)
    assert weighted.counts.sum() == pytest.approx(sum(score))


def test_labels_of_a_file_stay_as_written(tmp_path):
    """The labels yes and no, and true and false, are text."""
    (tmp_path / "cases.csv").write_text("a,b,c,d\nyes,no,true,false\nno,no,false,false\n")
    for columns, labels in ((("a", "b"), ["no", "yes"]), (("c", "d"), ["false", "true"])):
        assert hs.confusion(*columns, data=tmp_path / "cases.csv").labels.tolist() == labels


def test_scores_with_gaps(tmp_path):
    """Missing scores, labels and weights of a file are refused by their number."""
    (tmp_path / "cases.csv").write_text("t,s,w,g\n1,0.5,1,2\n0,,2,\n,0.25,,1\n")
    for arguments, words in (
        (("t", "s"), "`y_true` has 1 missing"),
        (("w", "s"), "missing"),
        (("g", "w"), "missing"),
    ):
        with pytest.raises(hs.HowsureError, match=words):
            hs.scores(*arguments, data=tmp_path / "cases.csv")


def test_repeated_headers(tmp_path):
    """A file joined from two, with the header of the second among its rows, is refused."""
    pytest.importorskip("duckdb")
    (tmp_path / "cases.csv").write_text("true,it's\n1,1\n0,1\ntrue,it's\n0,0\n")
    with pytest.raises(hs.HowsureError, match="repeats the header"):
        hs.confusion("true", "it's", data=tmp_path / "cases.csv")


def test_long_ids_are_not_merged(tmp_path):
    """Ids of 30 digits, which come as floats, are refused: 20 clusters would be one."""
    (tmp_path / "cases.csv").write_text("t,p,id\n" + "".join(f"{n % 2},{n // 2 % 2},{10**29 + n}\n" for n in range(20)))
    with pytest.raises(hs.HowsureError, match="Give them as text"):
        hs.confusion("t", "p", data=tmp_path / "cases.csv", groups="id")


@pytest.mark.parametrize("seed", range(8))
def test_corrupted_feather_files(seed, tmp_path):
    """Twenty random bytes in a Feather file are detected before any pointer is followed."""
    rng, path = np.random.default_rng(seed), tmp_path / "cases.feather"
    feather.write_feather(pa.table({"t": ["a", "b"] * 500, "p": ["a", "a"] * 500}), path, compression="uncompressed")
    content = bytearray(path.read_bytes())
    for place in rng.integers(0, len(content), 20):
        content[place] = rng.integers(0, 256)
    path.write_bytes(content)
    with pytest.raises(hs.HowsureError, match="cannot be read|There is no column"):
        hs.confusion("t", "p", data=path)


@pytest.mark.parametrize("name", ["cases.json", "cases.jsonl", "cases.jsonl.gz"])
def test_json_nested_without_end(name, tmp_path):
    """JSON that is nested 100,000 deep is refused; brackets within texts, escaped quotes too, nest nothing."""
    pytest.importorskip("duckdb")
    deep = b'{"t": 1, "p": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}\n"
    flat = b'{"t": "' + b"[" * 3000 + b'", "p": "\\\\\\"[{"}\n' * 1 + b'{"t": "b", "p": "b"}\n'
    write = gzip.compress if name.endswith(".gz") else bytes
    (tmp_path / name).write_bytes(write(deep))
    with pytest.raises(hs.HowsureError, match="more than 1000 deep"):
        hs.confusion("t", "p", data=tmp_path / name)
    (tmp_path / name).write_bytes(write(flat))
    assert hs.confusion("t", "p", data=tmp_path / name, check=False).rows == 2


def test_a_missing_package_is_named_by_the_extra(monkeypatch, tmp_path):
    """Text is read by Python itself; without a Parquet reader, the error names the extra to install."""
    FRAME.to_csv(tmp_path / "cases.csv", index=False)
    FRAME.to_parquet(tmp_path / "cases.parquet")
    for package in ("duckdb", "pyarrow", "polars", "pandas"):
        monkeypatch.setitem(sys.modules, package, None)
    assert hs.confusion("true label", "it's", data=tmp_path / "cases.csv").counts.astype(int).tolist() == EXPECTED
    with pytest.raises(hs.HowsureError, match=r"pip install 'howsure\[cli\]'"):
        hs.confusion("true label", "it's", data=tmp_path / "cases.parquet")


FIELDS = """
1 2 -3 0 10 -0 007 1_000 1e5 1E3 1e+5 -.5 5. .5 0.25 1e400 2.5e-320 1234567890123456789
0.1000000000000000055 nan inf -inf Infinity epoch NULL None NA yes no t T true False ill well A1 x _
_1 . .. - a-1 1-1 2020-01-01 12-31-2020 20200101 12.30 0x10 1d e5 today
"""


@pytest.mark.parametrize("seed", range(20))
def test_small_plain_files_are_read_as_an_engine_reads_them(seed, tmp_path):
    """What Python reads of a small file, in the engine's place, has the names, the types and the values that this gives."""
    pytest.importorskip("duckdb")
    rng, path = np.random.default_rng(seed), tmp_path / "cases.csv"
    found = None
    while found is None:
        columns = [rng.choice(rng.choice(FIELDS.split(), 2), 5) for _ in range(2)]
        rows = [rng.choice(["a", "b", "A", "1", "nan", "x.y"], 2, replace=False), *zip(*columns, strict=True)]
        path.write_text("\n".join(map(",".join, rows)))
        found = read_plain(path)
    expected = relation([str(path)])
    assert list(found) == expected.columns
    for values, others in zip(found.values(), zip(*expected.fetchall(), strict=True), strict=True):
        assert [(type(value), value) for value in values] == [(type(value), value) for value in others]


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n3\n",
        "a,b\n1,\n",
        "a,a\n1,2\n",
        "a;b\n1;2\n",
        'a,b\n"1",2\n',
        "a,b\n1,2\n\n3,4\n",
        "a,b\n007,1\n",
        "a\n1\n",
        "a,b\n",
        "a,b\na,b\n",
        "a,b\n" + "1,2\n" * 2**16,
    ],
)
def test_other_files_are_left_to_the_engine(text, tmp_path):
    """Files with gaps, quotes, other separators, odd numbers, no rows or very many are none that Python reads itself."""
    (tmp_path / "cases.csv").write_text(text)
    assert read_plain(tmp_path / "cases.csv") is None


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16-le"])
def test_files_of_cases_in_another_encoding_name_the_remedy(encoding, tmp_path):
    """A file of cases that is not in UTF-8 is one line with the encoding's remedy."""
    pytest.importorskip("duckdb")
    path = tmp_path / "cases.csv"
    path.write_bytes("label,pred\nCafé,Café\nTee,Café\nTee,Tee\n".encode(encoding))
    with pytest.raises(hs.HowsureError, match=r"cases\.csv' is not in UTF-8 .*Save it as UTF-8"):
        hs.confusion("label", "pred", data=path)


def test_a_binary_file_of_cases_is_one_line(tmp_path):
    """Bytes that are not CSV give a one-line error without the reader's list of attempts."""
    path = tmp_path / "cases.csv"
    path.write_bytes(np.random.default_rng(0).bytes(3000))
    with pytest.raises(hs.HowsureError, match="cases.csv'") as caught:
        hs.confusion("label", "pred", data=path)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("text", ["truth,pred,pred\na,a,b\nb,b,a\n", "pred;truth;pred\n1;1;0\n0;1;0\n"])
@pytest.mark.parametrize("has_duckdb", [True, False])
def test_columns_of_one_name_are_refused(text, has_duckdb, tmp_path, monkeypatch):
    """A header that names a column twice does not say which one is meant."""
    (tmp_path / "a.csv").write_text(text)
    if not has_duckdb:
        monkeypatch.setattr("howsure.sources.files._is_there", lambda package: package != "duckdb")
    with pytest.raises(hs.HowsureError, match="several columns named 'pred'"):
        hs.confusion("truth", "pred", data=tmp_path / "a.csv")


def test_numbered_columns_are_no_repetition(tmp_path):
    """The names pred and pred_1 are two names."""
    (tmp_path / "a.csv").write_text("truth,pred,pred_1\na,a,b\nb,b,b\na,b,a\n")
    table = hs.confusion("truth", "pred_1", data=tmp_path / "a.csv")
    assert hs.estimate(table, "accuracy").value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "text",
    [
        "[[50  3]\n [ 5 42]]\n",
        "[[50, 3], [5, 42]]",
        "array([[50.,  3.],\n       [ 5., 42.]])",
        "pred     healthy  ill\ntrue                 \nhealthy       50    3\nill            5   42\n",
        "true     healthy  ill\npred                 \nhealthy       50    5\nill            3   42\n",
        "         pred\ntruth     healthy ill\n  healthy      50   3\n  ill           5  42\n",
    ],
    ids=["NumPy", "list", "array", "pandas", "pandas, turned", "R"],
)
def test_matrices_as_programs_print_them(text, tmp_path):
    """A matrix copied from the output of NumPy, pandas or R is read with its names."""
    (tmp_path / "m.txt").write_text(text)
    _, matrix = read_matrix(tmp_path / "m.txt")
    assert matrix.tolist() == [[50, 3], [5, 42]]


def test_output_around_a_matrix_is_refused_with_the_remedy(tmp_path):
    """Two matrices in a program's output are not guessed at."""
    text = "Confusion Matrix and Statistics\n\n          Reference\nPrediction  x  y\n         x 50  5\n         y  3 42\n\n"
    (tmp_path / "m.txt").write_text(f"{text}Accuracy : 0.92\n\n{text}")
    with pytest.raises(hs.HowsureError, match="holds 2 matrices. Keep one"):
        read_matrix(tmp_path / "m.txt")


@pytest.mark.parametrize("parts", [1, 2])
def test_ordered_categories_keep_their_order_in_parquet(parts, tmp_path):
    """A Parquet file of ordered categories states their order, as the frame does that it was written from."""
    frame = pd.DataFrame(
        {"truth": ["Lo", "Hi", "Med", "Lo", "Hi", "Med"] * 5, "pred": ["Lo", "Med", "Med", "Lo", "Hi", "Lo"] * 5}
    )
    frame = frame.astype(pd.CategoricalDtype(["Lo", "Med", "Hi"], ordered=True))
    for part in range(parts):
        frame.to_parquet(tmp_path / f"{part}.parquet")
    found = hs.confusion("truth", "pred", data=f"{tmp_path}/*.parquet")
    expected = hs.confusion("truth", "pred", data=pd.concat([frame] * parts))
    assert found.labels.tolist() == expected.labels.tolist() == ["Lo", "Med", "Hi"]
    spec = "quadratic_weighted_kappa"
    assert hs.estimate(found, spec).value == pytest.approx(hs.estimate(expected, spec).value)


def test_an_empty_parquet_of_ordered_categories_has_no_case(tmp_path):
    """A file without rows is refused as one without cases."""
    kind = pd.CategoricalDtype(["Lo", "Hi"], ordered=True)
    pd.DataFrame({"truth": pd.Series([], dtype=kind), "pred": pd.Series([], dtype=kind)}).to_parquet(
        tmp_path / "0.parquet"
    )
    with pytest.raises(hs.HowsureError, match="no case"):
        hs.confusion("truth", "pred", data=tmp_path / "0.parquet")


LATER = [
    "1.5",
    "1.0",
    "007",
    " 3",
    "1e3",
    "true",
    "abc",
    "",
    "NULL",
    "nan",
    "9" * 20,
    "0x10",
    '"4"',
    "'4'",
    "+5",
    "-0",
    "0.5 ",
]


@pytest.mark.parametrize(
    "usual", ["1", "word", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("0.5", ""))]
)
def test_types_of_large_files_are_those_of_all_rows(tmp_path, monkeypatch, usual):
    """A value after the first rows changes the type as it does where all rows are inspected at once."""
    for place, later in enumerate(LATER[usual == "word" :: 2]):
        file = tmp_path / f"{place}.csv"
        file.write_text("y,p\n" + f"{usual},3\n" * 5_000 + f"{later},3\n")
        monkeypatch.setattr(duckdb_files, "LARGE", 10**9)
        all_rows = relation([file])
        monkeypatch.setattr(duckdb_files, "LARGE", 0)
        monkeypatch.setattr(duckdb_files, "FIRST", 2_048)
        found = relation([file], {"y"})
        assert found.types == all_rows.types
        assert repr(found.fetchall()[-1]) == repr(all_rows.fetchall()[-1])


def test_columns_that_nobody_reads_are_not_checked(tmp_path, monkeypatch):
    """Of a large file the named columns alone decide how it is read; a row of another length is still refused."""
    monkeypatch.setattr(duckdb_files, "LARGE", 0)
    monkeypatch.setattr(duckdb_files, "FIRST", 2_048)
    rows = ["1,0,5"] * 5_000 + ["0,0,free text"]
    file = tmp_path / "a.csv"
    file.write_text("\n".join(["y,p,note", *rows, ""]))
    table = hs.confusion("y", "p", data=file)
    assert table.counts.tolist() == [[1, 0], [5_000, 0]]
    file.write_text("\n".join(["y,p,note", *rows, "1,0", ""]))
    with pytest.raises(hs.HowsureError, match="no delimiter and quotes fit"):
        hs.confusion("y", "p", data=file)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-16-be"])
def test_files_with_a_byte_order_mark(suffix, encoding, tmp_path):
    """UTF-16 and UTF-8 files of spreadsheet programs, whose mark states the encoding, have the same cases."""
    rows = [{"true": "größe", "said": "größe"}, {"true": "klein", "said": "größe"}]
    text = {
        "csv": "true,said\ngröße,größe\nklein,größe\n",
        "json": json.dumps(rows, ensure_ascii=False),
        "jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows),
    }[suffix]
    path = tmp_path / f"cases.{suffix}"
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    path.write_bytes((mark + text).encode(encoding))
    table = hs.confusion("true", "said", data=path)
    assert (table.labels.tolist(), table.counts.tolist()) == (["größe", "klein"], [[1, 0], [1, 0]])


@pytest.mark.parametrize("suffix, opener", [(".bz2", bz2.open), (".xz", lzma.open)])
def test_other_compressions(suffix, opener, tmp_path):
    """Files compressed by bzip2 and xz are read like those by gzip; archives are refused."""
    path = tmp_path / f"cases.csv{suffix}"
    with opener(path, "wt") as file:
        file.write("true,said\na,a\nb,a\n")
    assert hs.confusion("true", "said", data=path).counts.tolist() == [[1, 0], [1, 0]]
    damaged = path.with_name(f"damaged.csv{suffix}")
    damaged.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(HowsureError, match="cannot be read"):
        hs.confusion("true", "said", data=damaged)
    archive = tmp_path / "cases.csv.zip"
    archive.write_bytes(b"PK\x03\x04")
    with pytest.raises(HowsureError, match="is an archive. Unpack it"):
        hs.confusion("true", "said", data=archive)


def test_records_in_another_encoding_name_the_remedy(tmp_path):
    """JSON that is not in UTF-8 is refused in the same words."""
    (tmp_path / "cases.jsonl").write_bytes('{"true": "é", "said": "é"}\n'.encode("cp1252"))
    with pytest.raises(HowsureError, match="is not in UTF-8.*Save it as UTF-8"):
        hs.confusion("true", "said", data=tmp_path / "cases.jsonl")


@pytest.mark.parametrize(
    "start, rows",
    [
        ('"true label" "said"\n', '"{n}" "{true}" "{said}"\n'),  # write.table of R, with names of rows
        ("true said\n", "{true} {said}\n"),
        ("  true   said\n", "  {true}   {said} \n\n"),  # a printed frame
        ("   true  said\n", "{n}  {true}  {said}\n"),
        ("\n\ntrue said\n", "{true} {said}\n"),
    ],
)
def test_words_between_blanks(start, rows, tmp_path):
    """A text file whose lines all have as many words as its header, or also a name, is a table."""
    path = tmp_path / "cases.txt"
    cells = zip(FRAME["true label"], FRAME["it's"], strict=True)
    path.write_text(start + "".join(rows.format(n=n, true=true, said=said) for n, (true, said) in enumerate(cells)))
    name = "true label" if '"' in start else "true"
    assert hs.confusion(name, "said", data=path).counts.tolist() == EXPECTED


def test_words_between_blanks_that_are_no_table(tmp_path):
    """Lines with other numbers of words are refused with the reason."""
    path = tmp_path / "cases.txt"
    path.write_text("actual predicted actual\na a b\nb a b\n")
    with pytest.raises(HowsureError, match="has several columns named 'actual'"):
        hs.confusion("actual", "predicted", data=path)
    path.write_text('"actual" "predicted" "row"\n"1" "a" "" "5"\n"2" "b" "a" "6"\n')
    with pytest.raises(HowsureError, match="`y_pred` has 1 missing value"):
        hs.confusion("actual", "predicted", data=path)
    path.write_text('some text of\na "' + 70_000 * "b c ")
    with pytest.raises(HowsureError, match="There is no column 'actual'"):
        hs.confusion("actual", "predicted", data=path)
    path.write_text("inst actual predicted error\n1 a a\n2 a b +\n")
    with pytest.raises(HowsureError, match="There is no column 'actual': not all rows have 4 cells"):
        hs.confusion("actual", "predicted", data=path)


@pytest.mark.parametrize("number", [1, 2])
def test_apostrophes_in_texts_are_no_quotes(number, tmp_path):
    """Texts with apostrophes join no lines, in one file and in several."""
    random = np.random.default_rng(12)
    texts = ["".join(random.choice(["'", ";", "a", "|"], random.integers(1, 6))) for _ in range(12)]
    truth, said = ["no", "yes"] * 6, ["no"] * 6 + ["yes"] * 6
    for part in range(number):
        pd.DataFrame({"text": texts, "truth": truth, "said": said}).to_csv(tmp_path / f"{part}.csv", index=False)
    table = hs.confusion("truth", "said", data=f"{tmp_path}/*.csv")
    assert table.counts.tolist() == [[3.0 * number] * 2] * 2


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("header", ["'id','y','p'", "id,y,p"])
def test_fields_in_single_quotes(number, header, tmp_path):
    """Single quotes that join no lines are those of the file, also below a header without them."""
    lines = [header, *(f"'{place}','{true}','c'" for place, true in enumerate(["a, b", "c", "c", "a, b"]))]
    for part in range(number):
        (tmp_path / f"{part}.csv").write_text("\n".join(lines) + "\n")
    table = hs.confusion("y", "p", data=f"{tmp_path}/*.csv")
    assert table.labels.tolist() == ["a, b", "c"]
    assert table.counts.tolist() == [[0.0, 2.0 * number], [0.0, 2.0 * number]]
