"""Pages that commands write in addition to their output."""

import hashlib
import html
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import howsure as hs
from support.examples import CANCER
from support.shell import run


def written(tmp_path, *arguments):
    """Run a command that writes a page; return the page's answer, its numbers and its text."""
    path = tmp_path / "page.html"
    result = run(*arguments, "--html", path)
    assert result.returncode == 0, result.stderr
    page = path.read_text(encoding="utf-8")
    shown = re.sub(r"<[^>]+>", "", re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)[1])
    held = json.loads(re.search(r'id="howsure-results">(.*?)</script>', page, re.DOTALL)[1])
    assert f"howsure {arguments[0]}" in html.unescape(page), "the command is on the page"
    assert hashlib.sha256(Path(arguments[1]).read_bytes()).hexdigest() in page, "and the fingerprint of its file"
    return html.unescape(shown).replace("\xa0", " "), held, page


def test_compare_writes_who_is_ahead(tmp_path):
    """The page of a comparison opens with who is ahead, and has the very differences that are printed."""
    answer, held, _ = written(
        tmp_path, "compare", CANCER, "--y-true", "label", "--y-pred", "logistic", "naive_bayes", "--metrics", "f1"
    )
    assert answer == "logistic is ahead of naive_bayes in F1."
    expected = hs.compare(hs.paired("label", ["logistic", "naive_bayes"], data=CANCER), "f1")
    assert held["comparisons"]["logistic − naive_bayes"]["low"] == expected.low


def test_compare_of_scores_writes_a_page(tmp_path):
    """Scores are compared by the area under the curve, and each model's area is on the page."""
    columns = ["score_logistic", "score_naive_bayes"]
    answer, held, _ = written(tmp_path, "compare", CANCER, "--y-true", "label", "--y-score", *columns)
    assert answer.startswith("score_logistic is ahead of score_naive_bayes in ROC AUC")
    assert [each["model"] for each in held["tables"]] == columns


def test_a_matrix_writes_its_page(tmp_path):
    """The page of a matrix has the matrix's metrics."""
    path = tmp_path / "matrix.csv"
    path.write_text("50,3\n5,42\n")
    answer, held, _ = written(tmp_path, "matrix", path)
    assert "F1 is 0.91; with these 100 cases" in answer
    assert held["tables"][0]["counts"] == [[50, 3], [5, 42]]


def test_reviewed_labels_write_their_page(tmp_path, cases):
    """The page of reviewed labels has the very estimates that are printed."""
    columns = ["--y-true", "label", "--y-pred", "model", "--reviewed", "checked"]
    _, held, _ = written(tmp_path, "reviewed", cases, *columns, "--metrics", "f1", "--seed", "1")
    table = hs.reviewed(y_true="label", y_pred="model", y_reviewed="checked", data=cases)
    assert held["estimates"][0]["intervals"]["0.95"][0] == hs.evaluate(table, "f1", random_state=1)["f1"].low


def test_scores_without_labels_write_that_none_was_seen(tmp_path):
    """The page of scores without labels opens with that; chunk by chunk it opens with how many left the baseline."""
    few = tmp_path / "few.csv"
    few.write_text("\n".join(Path(CANCER).read_text(encoding="utf-8").splitlines()[:90]), encoding="utf-8")
    scores = ["unlabelled", few, "--y-score", "score_logistic", "--metrics", "accuracy"]
    answer, _, _ = written(tmp_path, *scores)
    assert answer.startswith("No label of these cases was seen: ")
    answer, held, page = written(tmp_path, *scores, "--by", "tumour_size", "--reference", "large")
    followed = hs.monitor(
        hs.calibrated("score_logistic", data=few, by="tumour_size"), "accuracy", threshold=0.5, reference="large"
    )
    assert len(held["chunks"]) == 3
    assert [each["alert"] for each in held["chunks"]] == [each["alert"] for each in followed.records()]
    left = len({each["chunk"] for each in followed.alerts})
    assert answer.startswith(f"{left} of 3 chunks" if left else "None of 3 chunks")
    assert "No label of these cases was seen" in page


@pytest.mark.thorough
def test_the_demonstration_takes_little_time(tmp_path):
    """The report on one model by groups, curves included, takes under 3 seconds of processor time, start included."""
    command = ["report", CANCER, "--y-true", "label", "--y-pred", "logistic", "--y-score", "score_logistic"]
    code = f"from howsure.cli import main; import sys; sys.argv = ['howsure', *{command!r}, '--by', 'tumour_size', "
    code += f"'--html', {str(tmp_path / 'page.html')!r}]\ntry: main()\nexcept SystemExit: pass\n"
    code += "import time; print(time.process_time(), file=sys.stderr)"
    took = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        took.append(float(done.stderr.split()[-1]))
    assert min(took) < 3


def test_a_report_has_the_checklist_that_is_named(tmp_path):
    """The page and its results have the items; rows outside the classes are counted among them."""
    path = tmp_path / "study.csv"
    rows = ["ill,ill"] * 8 + ["ill,well"] * 2 + ["well,well"] * 9 + ["well,ill"] + ["ill,unclear"] * 3
    path.write_text("truth,test\n" + "\n".join(rows) + "\n")
    columns = ["--y-true", "truth", "--y-pred", "test", "--labels", "well", "ill"]
    _, held, page = written(tmp_path, "report", path, *columns, "--checklist", "stard-ai")
    items = {each["item"]: each for each in held["checklist"]}
    assert items["19"]["evidence"] == "3 rows were left out: their labels are not among the classes named."
    assert "of 10 “ill”, 8 were predicted “ill” and 2 “well”" in items["30"]["evidence"]
    assert "Checklist: STARD-AI 2025" in page


@pytest.mark.parametrize("command", [["report", "--y-true", "label"], ["gaps", "--y-true", "label"], ["matrix"]])
def test_a_checklist_without_a_page_is_refused(command):
    """A checklist is a section of a page: without one the command ends with one line that says so."""
    result = run(command[0], CANCER, *command[1:], "--checklist", "claim")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "Name its file" in result.stderr
