"""Files whose content is of another format than their suffix states."""

import bz2
import gzip
import io
import lzma
import zipfile
from unittest.mock import Mock

import pytest

import howsure as hs
from howsure.sources.content import compression_of
from howsure.sources.matrix_file import read_matrix

TEXT = "true,pred\n" + "a,a\nb,b\na,b\nb,b\n" * 5
MATRIX = ",a,b\na,50,3\nb,5,42\n"
PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def zipped(text):
    """Return a ZIP archive with one file."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("a.csv", text)
    return whole.getvalue()


def refused(path):
    """Return the error for a file of cases, and check that a matrix has the same."""
    with pytest.raises(hs.HowsureError) as first:
        hs.confusion("true", "pred", data=path)
    with pytest.raises(hs.HowsureError) as second:
        read_matrix(path)
    if path.suffix != ".parquet":  # which holds no matrix
        assert str(first.value) == str(second.value)
    return str(first.value).removeprefix(f"'{path}' is ")


@pytest.mark.parametrize("suffix", PACK)
def test_the_first_bytes_state_the_compression(suffix):
    """Each compression is told by what its library writes."""
    assert compression_of(PACK[suffix](TEXT.encode())) == suffix
    assert not compression_of(TEXT.encode())
    assert compression_of(b"\x50\x2a\x4d\x18\4\0\0\0") == ".zst"  # a skippable frame, RFC 8878


@pytest.mark.parametrize("suffix", PACK)
def test_a_compressed_file_must_say_so(tmp_path, suffix):
    """The remedy is the name under which it is read."""
    path = tmp_path / "a.csv"
    path.write_bytes(PACK[suffix](TEXT.encode()))
    assert refused(path) == f"compressed, and its suffix does not say so. Name it 'a.csv{suffix}'."
    right = path.rename(tmp_path / f"a.csv{suffix}")
    assert hs.confusion("true", "pred", data=right).counts.tolist() == [[5, 5], [0, 10]]


@pytest.mark.parametrize("content", [TEXT.encode(), PACK[".bz2"](TEXT.encode())], ids=["plain", "bzip2"])
def test_a_file_must_be_compressed_as_it_says(tmp_path, content):
    """Plain text, or another compression."""
    path = tmp_path / "a.csv.gz"
    path.write_bytes(content)
    assert refused(path) in {
        "not compressed, as its suffix says. Name it 'a.csv'.",
        "compressed, and its suffix does not say so. Name it 'a.csv.bz2'.",
    }


@pytest.mark.parametrize(
    "name, content, said",
    [
        (
            "a.csv",
            zipped(TEXT),
            "a workbook or a ZIP archive, and its suffix does not say so. Unpack it, or name the workbook 'a.xlsx'.",
        ),
        (
            "a.xls",
            zipped(TEXT),
            "a workbook or a ZIP archive, and its suffix does not say so. Unpack it, or name the workbook 'a.xlsx'.",
        ),
        ("a.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a workbook, and its suffix does not say so. Name it 'a.xls'."),
        ("a.tsv", b"PAR1\x15\x04\x15\x00PAR1", "a Parquet file, and its suffix does not say so. Name it 'a.parquet'."),
        ("a.csv", b"ARROW1\0\0\xff\xff", "an Arrow file, and its suffix does not say so. Name it 'a.arrow'."),
        ("a.xls", TEXT.encode(), "a text, and its suffix is of another format. Name it 'a.csv' if it is CSV."),
        ("a.xlsx", TEXT.encode("utf-16"), "a text, and its suffix is of another format. Name it 'a.csv' if it is CSV."),
        ("a.parquet", TEXT.encode(), "a text, and its suffix is of another format. Name it 'a.csv' if it is CSV."),
        (
            "a.xls",
            b"<html><table><tr><td>true</td></tr></table></html>",
            "a web page. Open it in a spreadsheet program, and save its table as CSV.",
        ),
        (
            "a.csv",
            b"\xef\xbb\xbf\n<!DOCTYPE html>\n<title>Sign in</title>",
            "a web page. Open it in a spreadsheet program, and save its table as CSV.",
        ),
    ],
    ids=["zip", "zip named xls", "xls named csv", "parquet", "arrow", "xls", "utf-16", "text", "html", "page"],
)
def test_a_file_must_have_the_format_of_its_suffix(tmp_path, name, content, said):
    """Exports with another suffix, and the web page of a download that asked for a password."""
    path = tmp_path / name
    path.write_bytes(content)
    assert refused(path) == said


@pytest.mark.parametrize("content", [gzip.compress(TEXT.encode()), zipped(TEXT)], ids=["gzip", "zip"])
def test_a_log_that_is_a_misnamed_table_is_refused_without_its_bytes(tmp_path, content):
    """The error has no binary data in place of the names of columns."""
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(hs.HowsureError, match="its suffix does not say so") as refusal:
        hs.read_log(path)
    assert str(refusal.value).isprintable()


def test_a_file_without_permission_is_refused(tmp_path, monkeypatch):
    """As a frame, and as a matrix."""
    path = tmp_path / "a.csv"
    path.write_text(MATRIX)
    monkeypatch.setattr(type(path), "open", Mock(side_effect=PermissionError(13, "Permission denied")))
    assert "cannot be read: [Errno 13] Permission denied" in refused(path)


def test_unusual_but_right_files_are_read(tmp_path):
    """A text that starts like an archive, an old suffix of workbooks, and short files are no errors."""
    path = tmp_path / "a.csv"
    for first in ("PK", "PAR1", "FEA1", "ARROW1", "BZhang", "<head>", "<body>"):
        path.write_text(f"{first},true,pred\n" + "1,a,a\n2,b,b\n3,a,b\n")
        assert hs.confusion("true", "pred", data=path).counts.tolist() == [[1, 1], [0, 1]]
    short = tmp_path / "short.csv"
    short.write_text(MATRIX)
    assert read_matrix(short)[1].tolist() == [[50, 3], [5, 42]]
