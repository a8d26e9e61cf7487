"""`howsure compare`, run as a shell user would."""

import json

import pytest

import howsure as hs
from support import shell
from support.examples import CANCER

MODELS = ["logistic", "forest", "naive_bayes"]


def run(*arguments):
    """Run the command."""
    return shell.run("compare", CANCER, "--y-true", "label", *arguments)


def test_two_models_end_in_a_sentence():
    """Two models' accuracy difference is printed as in Python, with the sentence that explains it."""
    result = run("--y-pred", *MODELS[:2])
    assert result.returncode == 0, result.stderr
    expected = hs.compare(hs.paired("label", MODELS[:2], data=CANCER), "accuracy")
    assert f"[{expected.low:.3f}, {expected.high:.3f}]" in result.stdout
    assert "interval" in result.stdout


def test_records_for_machines():
    """JSON has one record a metric and pair, with adjusted p-values."""
    result = run("--y-pred", *MODELS[:2], "--metrics", "f1,mcc", "--format", "json")
    records = json.loads(result.stdout)
    table = hs.paired("label", MODELS[:2], data=CANCER)
    expected = hs.compare_all(table, ["f1", "mcc"])
    assert [each["metric"] for each in records] == ["f1", "mcc"]
    assert [each["p_value"] for each in records] == pytest.approx([each.p_value for each in expected.values()])


def test_one_of_labels_and_scores():
    """Naming neither labels nor scores is refused in one line."""
    result = run()
    assert result.returncode == 2
    assert "--y-pred" in result.stderr


def test_three_models_and_scores():
    """Three models make three rows; scores are compared by their areas."""
    result = run("--y-score", "score_logistic", "score_forest", "score_naive_bayes", "--format", "markdown")
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("roc\\_auc") == 3
    assert "delong" in result.stdout
