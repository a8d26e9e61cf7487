"""The command `howsure require`, run as a shell user would."""

import json

import pytest

import howsure as hs
from support.examples import EXAMPLES
from support.shell import run

FILE = str(EXAMPLES / "breast_cancer.csv")
LABELS = [FILE, "--y-true=label", "--y-pred=logistic", "--pos-label=malignant"]
SCORES = [FILE, "--y-true=label", "--y-score=score_forest", "--pos-label=malignant"]


def test_it_prints_what_python_gives_and_fails_if_a_requirement_is_not_shown(tmp_path):
    """The requirements as JSON, a page with the statement, and code 1 with a line for each failure."""
    page = tmp_path / "page.html"
    found = run("require", *LABELS, "-r", "sensitivity>0.8", "specificity>0.999", "-f", "json", "--html", str(page))
    table = hs.confusion("label", "logistic", data=FILE, pos_label="malignant")
    expected = hs.joint_test(table, ["sensitivity>0.8", "specificity>0.999"])
    assert json.loads(found.stdout) == json.loads(json.dumps(expected.records()))
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1].startswith("howsure: specificity > 0.999 is not shown: ")
    text = " ".join(page.read_text().split())
    for words in (
        "Not shown: sensitivity &gt; 0.8 and specificity &gt; 0.999",
        "intersection–union",
        "may still be met",
    ):
        assert words in text, words
    assert run("require", *LABELS, "-r", "sensitivity>0.8", "specificity>0.9").returncode == 0


def test_scores_are_tested_at_a_threshold():
    """Metrics of scores beside metrics of counts."""
    found = run("require", *SCORES, "--threshold=0.4", "-r", "roc_auc>0.9", "recall>0.8", "-f", "json")
    assert found.returncode == 0, found.stderr
    assert [each["method"] for each in json.loads(found.stdout)] == ["delong_score", "clopper_pearson"]


def test_thresholds_are_certified(tmp_path):
    """The certified range and the page; code 1 if there is none."""
    page = tmp_path / "page.html"
    found = run("require", *SCORES, "--certify", "-r", "recall>0.9", "fpr<0.2", "-f", "json", "--html", str(page))
    table = hs.scores("label", "score_forest", data=FILE, pos_label="malignant")
    expected = hs.certified_threshold(table, ["recall>0.9", "fpr<0.2"])
    (record,) = json.loads(found.stdout)
    assert (record["value"], record["low"], record["high"]) == (expected.threshold, expected.low, expected.high)
    assert "certified range" in " ".join(page.read_text().split())
    none = run("require", *SCORES, "--certify", "-r", "recall>0.999", "fpr<0.001")
    assert none.returncode == 1
    assert "No threshold is certified" in none.stderr
    one = run("require", *SCORES, "--certify", "--starts", "0.4", "--choose", "smallest", "-r", "f1>0.8", "-f", "json")
    assert json.loads(one.stdout)[0]["choose"] == "smallest"


def test_each_group_is_tested():
    """Failures name their group."""
    found = run("require", *LABELS, "--by=tumour_size", "-r", "specificity>0.9")
    assert found.returncode == 1
    assert any(line.startswith("howsure: large: specificity > 0.9") for line in found.stderr.splitlines())


def test_two_requirements_have_a_joint_region(tmp_path):
    """Its ranges are below the table and on the page, which draws it with the bounds; three requirements have none."""
    page, two = tmp_path / "page.html", ["sensitivity>0.8", "specificity>0.9"]
    region = hs.joint_region(
        hs.confusion("label", "logistic", data=FILE, pos_label="malignant"), "sensitivity", "specificity"
    )
    found = run("require", *LABELS, "-r", *two, "--html", str(page))
    assert region.sentence() in " ".join(found.stdout.split())
    text = " ".join(page.read_text().split())
    assert f"{region.x_limits[0]:.3f}, {region.x_limits[1]:.3f}" in text
    assert "with the required bounds as dotted lines" in text
    assert "joint region" not in run("require", *LABELS, "-r", *two, "accuracy>0.8").stdout
    said = " ".join(run("require", *LABELS, "-r", "recall>0.8", "fnr<0.2").stdout.split())
    assert "The joint region of recall and fnr is undefined: in these data `fnr` follows from `recall`" in said
    by = run("require", *LABELS, "--by=tumour_size", "-r", *two).stdout
    assert "medium: Together with 95 % confidence" in " ".join(by.split())


def test_a_group_without_a_joint_region_leaves_those_of_the_others(tmp_path):
    """Among the small tumours no case is a false positive, so F1 follows from recall; the page says so too."""
    page = tmp_path / "page.md"
    found = run("require", *LABELS, "--by=tumour_size", "-r", "recall>0.8", "f1>0.7", "--html", str(page))
    said = " ".join(found.stdout.split())
    assert "large: Together with 95 % confidence: recall from" in said
    assert "small: The joint region of recall and f1 is undefined: in these data `f1` follows from `recall`" in said
    assert "so the region is a line" in page.read_text()


@pytest.mark.parametrize(
    "command",
    [
        ["require", *LABELS, "-r", "sensitivity>0.8", "specificity>0.9"],
        ["compare", FILE, "--y-true=label", "--y-pred", "logistic", "forest"],
        ["decision-curve", FILE, "--y-true=label", "--y-score", "score_logistic", "--thresholds", "0.1", "0.5"],
        ["unlabelled", FILE, "--y-score", "score_logistic"],
    ],
    ids=lambda command: command[0],
)
def test_pages_take_a_checklist(command, tmp_path, monkeypatch):
    """A reporting guideline is a section of the page, and needs one."""
    monkeypatch.setattr("howsure.report.measured.LEVELS", ())  # curves are drawn at each
    page = tmp_path / "page.md"
    found = run(*command, "--html", str(page), "--checklist", "stard-ai")
    assert found.returncode == 0, found.stderr
    assert "STARD-AI" in page.read_text()
    refused = run(*command, "--checklist", "stard-ai")
    assert refused.returncode == 2
    assert "--checklist" in refused.stderr


@pytest.mark.parametrize(
    "words, said",
    [
        ([*LABELS], "Name the requirements with --require"),
        ([*LABELS, "-r", "recall"], "is no requirement"),
        ([*LABELS, "--certify", "-r", "recall>0.9"], "--y-score"),
        ([*SCORES, "--certify", "--threshold=0.5", "-r", "recall>0.9"], "no --threshold"),
        ([*LABELS, "--starts", "0.5", "-r", "recall>0.9"], "go with `--certify`"),
        ([FILE, "--y-true=label", "-r", "recall>0.9"], "--y-pred"),
    ],
)
def test_refusals_are_one_line(words, said):
    """On stderr, with code 2."""
    found = run("require", *words)
    assert found.returncode == 2
    assert said in found.stderr
    assert found.stderr.count("\n") == 1
