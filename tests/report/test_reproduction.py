"""Reproduction of a report: time, command and files."""

import hashlib

import numpy as np
import pytest

import howsure as hs

TABLE = hs.from_counts([[50, 3], [5, 42]])


def test_files_are_known_again_by_their_fingerprints(tmp_path):
    """Each file has its size and SHA-256; folders and patterns are ignored."""
    path = tmp_path / "cases.csv"
    path.write_bytes(b"label,prediction\n1,1\n")
    report = hs.report_of(TABLE, files=[path, tmp_path, tmp_path / "parts-*.csv", "too-long" * 500])
    digest = hashlib.sha256(b"label,prediction\n1,1\n").hexdigest()
    said = [each[0] for each in report["How to reproduce this"].items]
    assert said[-1] == f"cases.csv: 21 bytes, SHA-256 {digest}."
    assert sum("SHA-256" in each for each in said) == 1


def test_the_day_is_told_and_can_be_stated(monkeypatch):
    """A report states when it was made; SOURCE_DATE_EPOCH sets it, so that the same report is the same file."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    report = hs.report_of(TABLE, random_state=0)
    assert report["How to reproduce this"].items[0] == ("Made on 1970-01-02, 00:00 UTC.",)
    assert report.to_dict()["made"] == "1970-01-02T00:00:00+00:00"
    assert hs.report_of(TABLE, random_state=0).to_html() == report.to_html()


@pytest.mark.parametrize("files", [[0.2, 1], 3, [None]])
def test_what_names_no_file_is_refused(files):
    """`files` is a name or a list of names; other objects give a one-line error."""
    table = hs.from_counts([[50, 3], [5, 42]])
    with pytest.raises(hs.HowsureError, match="`files` are the names of the files"):
        hs.report_of(table, files=files)


@pytest.mark.parametrize("comparisons", [np.array([]), np.ones(3)])
def test_arrays_are_no_comparisons(comparisons):
    """For models with default comparisons too, objects that are not comparisons give a one-line error."""
    table = hs.paired([0, 1, 0, 1], {"A": [0, 1, 1, 1], "B": [0, 0, 0, 1]})
    with pytest.raises(hs.HowsureError, match="Give what `compare`"):
        hs.report_of(table, comparisons=comparisons)
