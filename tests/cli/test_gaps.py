"""The command `howsure gaps`, run as a shell user would."""

import json

import pytest

import howsure as hs
from support.examples import EXAMPLES
from support.shell import run

FILE = str(EXAMPLES / "breast_cancer.csv")
COLUMNS = ["--y-true=label", "--y-pred=logistic", "--by=tumour_size", "--pos-label=malignant"]


def test_it_prints_what_python_gives(tmp_path):
    """The groups as JSON, and a page with the largest gaps."""
    page = tmp_path / "gaps.html"
    found = run("gaps", FILE, *COLUMNS, "--seed=0", "--format", "json", "--html", str(page))
    assert found.returncode == 0, found.stderr
    tables = hs.confusion("label", "logistic", by="tumour_size", data=FILE, pos_label="malignant")
    assert json.loads(found.stdout) == json.loads(
        json.dumps(hs.gaps(tables, "equalized_odds", random_state=0).records())
    )
    text = " ".join(page.read_text().split())
    for words in ("Largest gaps", "Pairs of groups", "Cases needed", "worst?", "does not show equality"):
        assert words in text, words


def test_pairs_reference_and_cases_needed():
    """--pairs prints pairs, --reference leaves two, --margin prints cases."""
    pairs = json.loads(run("gaps", FILE, *COLUMNS, "-m", "recall", "--pairs", "-f", "json").stdout)
    assert [(each["a"], each["b"]) for each in pairs] == [("large", "medium"), ("large", "small"), ("medium", "small")]
    to_one = run("gaps", FILE, *COLUMNS, "-m", "recall", "--pairs", "--reference=small", "-f", "json")
    assert [each["b"] for each in json.loads(to_one.stdout)] == ["small", "small"]
    needed = json.loads(run("gaps", FILE, *COLUMNS, "-m", "recall", "--margin=0.1", "-f", "json").stdout)
    assert {each["group"] for each in needed} == {"large", "medium", "small"}
    areas = run("gaps", FILE, "--y-true=label", "--y-score=score_logistic", "--by=tumour_size", "-m", "roc_auc")
    assert "ROC AUC: the largest gap of 3 groups" in " ".join(areas.stdout.split())


@pytest.mark.parametrize(
    "words, said",
    [
        (["--y-true=label", "--y-pred=logistic"], "--by"),
        (["--y-true=label", "--by=tumour_size"], "--y-pred"),
        ([*COLUMNS, "--power=0.8"], "--margin"),
        ([*COLUMNS, "--margin=0"], "positive"),
        ([*COLUMNS, "--reference=none"], "none"),
        ([*COLUMNS, "-m", "roc_auc"], "roc_auc"),
    ],
)
def test_its_faults_end_in_one_line(words, said):
    """No group, no predictions, power without margin, an unknown group, a metric of scores."""
    found = run("gaps", FILE, *words)
    assert found.returncode == 2
    assert len(found.stderr.strip().splitlines()) == 1
    assert said in found.stderr
