"""The command `howsure unlabelled`, run as a shell user would."""

import csv
import io
import json
from pathlib import Path

import pytest

import howsure as hs
from support.examples import CANCER
from support.shell import run

SCORES = ["unlabelled", CANCER, "--y-score", "score_logistic"]


@pytest.mark.thorough
def test_it_prints_the_estimates_of_python():
    """Counts at the threshold and areas of the scores come with the intervals that Python gives, and the note."""
    result = run(*SCORES, "--threshold", "0.3", "--metrics", "f1,roc_auc", "--format", "json")
    assert result.returncode == 0, result.stderr
    found = {each["metric"]: each for each in json.loads(result.stdout)["estimates"]}
    scores = hs.calibrated("score_logistic", data=CANCER)
    assert found["f1"]["low"] == hs.estimate(scores, "f1", threshold=0.3).low
    assert found["roc_auc"]["high"] == hs.estimate(scores, "roc_auc").high
    assert "assumes calibrated scores" in found["f1"]["reason"]
    table = run(*SCORES, "--target", "population").stdout
    assert "569 cases, positive class 1" in table
    assert "population of these cases" in " ".join(table.split())


def test_chunks_are_held_against_a_baseline():
    """With --by or --every there is a row per chunk and metric, in any format, with its alert."""
    rows = list(
        csv.DictReader(
            io.StringIO(
                run(*SCORES, "--by", "tumour_size", "--metrics", "f1", "--reference", "large", "--format", "csv").stdout
            )
        )
    )
    assert [row["chunk"] for row in rows] == ["large", "medium", "small"]
    assert [row["alert"] for row in rows] == ["", "below", ""]
    chunked = [*SCORES, "--every", "300", "--metrics", "accuracy,f1"]
    records = json.loads(run(*chunked, "--baseline", "0.99", "1", "--format", "json").stdout)
    assert {each["chunk"] for each in records} == {"0–299", "300–568"}
    assert {each["baseline_low"] for each in records} == {0.99}
    assert "| chunk |" in run(*chunked, "--format", "markdown").stdout


def test_many_classes_have_a_column_each(tmp_path):
    """Several score columns are the probabilities of several classes, named like the columns."""
    path = tmp_path / "three.csv"
    path.write_text("a,b,c\n0.7,0.2,0.1\n0.1,0.8,0.1\n0.2,0.2,0.6\n0.5,0.3,0.2\n")
    result = run("unlabelled", str(path), "--y-score", "a", "b", "c", "--metrics", "accuracy", "--format", "json")
    content = json.loads(result.stdout)
    assert content["tables"][0]["labels"] == ["a", "b", "c"]
    assert content["estimates"][0]["value"] == (0.7 + 0.8 + 0.6 + 0.5) / 4


def test_cases_may_have_weights(tmp_path):
    """With --sample-weight cases are weighted: two cases of 0.9 and 0.5 are right with weights 3 to 1."""
    path = tmp_path / "weighted.csv"
    path.write_text("score,weight\n0.9,3\n0.5,1\n")
    asked = ["--y-score", "score", "--sample-weight", "weight", "--metrics", "precision", "--format", "json"]
    content = json.loads(run("unlabelled", str(path), *asked).stdout)
    assert round(content["estimates"][0]["value"], 12) == (3 * 0.9 + 0.5) / 4


def test_mistakes_end_with_one_line():
    """A column of numbers that are not probabilities, and an unknown period, give a one-line error."""
    for arguments in (["--y-score", "fold"], ["--y-score", "score_forest", "--by", "fold", "--every", "moon"]):
        result = run("unlabelled", CANCER, *arguments)
        assert result.returncode == 2
        assert result.stderr.startswith("howsure: ")
        assert result.stderr.count("\n") == 1


@pytest.mark.thorough
def test_a_few_labelled_cases_calibrate_the_scores(tmp_path):
    """With `--labelled` the intervals are those of Python's calibrator; one of the two options alone is refused."""
    rows = list(csv.DictReader(io.StringIO(Path(CANCER).read_text())))
    path = tmp_path / "labelled.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows[::5])
    options = ["--labelled", str(path), "--y-true", "label", "--pos-label", "malignant", "--seed", "0"]
    result = run(*SCORES, *options, "--metrics", "f1,roc_auc", "--format", "json")
    assert result.returncode == 0, result.stderr
    found = {each["metric"]: each for each in json.loads(result.stdout)["estimates"]}
    made = hs.calibrate("score_logistic", "label", data=str(path), pos_label="malignant", random_state=0)
    table = hs.calibrated("score_logistic", data=CANCER, calibrator=made)
    for spec, ours in hs.evaluate(table, ["f1", "roc_auc"], threshold=0.5, random_state=0).items():
        assert (found[spec]["low"], found[spec]["high"]) == (ours.low, ours.high)
    assert "labelled cases are like them" in found["f1"]["reason"]
    assert "--y-true" in run(*SCORES, "--labelled", str(path)).stderr
