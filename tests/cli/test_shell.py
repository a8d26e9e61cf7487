"""Manners of the shell: classes, names of options, and what happens when output has no place to go."""

import json
from pathlib import Path

import pytest

import howsure as hs
from support.shell import run, run_apart

CANCER = str(Path(__file__).parents[2] / "examples" / "breast_cancer.csv")
REPORT = ["report", CANCER, "--y-true", "label", "--y-pred", "logistic"]


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk here")
@pytest.mark.parametrize("how", ["table", "json"])
def test_a_full_disk_is_one_line(how):
    """Output that cannot be written ends with one line and exit code 2."""
    with Path("/dev/full").open("w") as full:
        found = run_apart(*REPORT, "--format", how, stdout=full)
    assert (found.returncode, found.stderr) == (
        2,
        "howsure: the output cannot be read or written: No space left on device.\n",
    )


@pytest.mark.thorough
def test_a_file_where_a_folder_is_wanted_is_one_line(tmp_path):
    """`study run --out` on a file that exists says so."""
    (tmp_path / "a.csv").write_text("50,3\n5,42\n")
    (tmp_path / "taken").write_text("")
    assert run("study", "init", str(tmp_path), "--metric", "f1").returncode == 0
    found = run_apart("study", "run", str(tmp_path / "study.toml"), "--out", str(tmp_path / "taken"))
    assert found.returncode == 2
    assert found.stderr == f"howsure: '{tmp_path / 'taken'}' cannot be read or written: File exists.\n"


def test_where_files_were_written_is_said(tmp_path):
    """`--html` names its file on stderr, so that what is printed stays for machines."""
    target = tmp_path / "page.md"
    found = run(*REPORT, "--metric", "f1", "--format", "json", "--html", str(target))
    assert found.stderr == f"Written: {target}\n"
    assert [each["metric"] for each in json.loads(found.stdout)["estimates"]] == ["f1"]


def test_the_positive_class_is_named_alike():
    """`--pos-label` names the positive of two classes of a report and of a comparison."""
    order = ["malignant", "benign"]
    options = ["--y-true", "label", "--pos-label", "benign", "--metric", "recall", "--format", "json"]
    report = json.loads(run("report", CANCER, "--y-pred", "logistic", *options).stdout)["estimates"]
    alone = hs.estimate(hs.confusion("label", "logistic", data=CANCER, labels=order), "recall")
    assert [each["low"] for each in report] == [alone.low]
    compared = json.loads(run("compare", CANCER, "--y-pred", "logistic", "forest", *options).stdout)
    paired = hs.compare(hs.paired("label", ["logistic", "forest"], data=CANCER, labels=order), "recall")
    assert [each["low"] for each in compared] == [paired.low]


def test_the_positive_class_of_a_matrix(tmp_path):
    """`matrix --pos-label` turns rows and columns; what is no class, or one of many, is refused."""
    path = tmp_path / "m.csv"
    path.write_text("ill,well\n42,5\n3,50\n")
    found = json.loads(run("matrix", str(path), "--pos-label", "ill", "--metrics", "recall", "--format", "json").stdout)
    assert found["estimates"][0]["value"] == pytest.approx(42 / 47)
    assert found["tables"][0]["labels"] == ["well", "ill"]
    assert "Did you mean 'well'" in run("matrix", str(path), "--pos-label", "wel").stderr
    path.write_text("a,b,c\n9,1,1\n1,9,1\n1,1,9\n")
    assert "for two classes, and there are 3" in run("matrix", str(path), "--pos-label", "a").stderr
