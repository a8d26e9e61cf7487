"""`--fail-under`: exit code 1 unless a metric is shown to be as high, in every command that estimates metrics."""

import json

import pytest

import howsure as hs
from support.examples import CANCER, EXAMPLES
from support.shell import run

REPORT = ["report", CANCER, "--y-true", "label", "--pos-label", "malignant"]
UNLABELLED = ["unlabelled", CANCER, "--y-score", "score_logistic"]


@pytest.fixture
def judged(tmp_path):
    """Return a command on 80 verdicts, half of which people labelled too; they always agree."""
    rows = [f"{verdict},{verdict if case < 20 else ''}" for verdict in ("pass", "fail") for case in range(40)]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(["verdict,human", *rows]))
    return ["judge", str(path), "--judge", "verdict", "--human", "human", "--pos-label", "pass"]


@pytest.fixture
def reviewed(tmp_path):
    """Return a command on 60 recorded labels and predictions, some of which were reviewed."""
    rows = [f"{case % 2},{case % 2 if case % 7 else 1},{case % 2 if case % 3 else ''}" for case in range(60)]
    path = tmp_path / "predictions.csv"
    path.write_text("\n".join(["label,model,checked", *rows]))
    return ["reviewed", str(path), "--y-true", "label", "--y-pred", "model", "--reviewed", "checked"]


def test_the_lower_limit_is_what_counts():
    """A bound between the lower limit and the value fails, one below the lower limit passes."""
    found = hs.estimate(hs.confusion("label", "logistic", data=CANCER, pos_label="malignant"), "f1")
    between = (found.low + found.value) / 2
    failed = run(*REPORT, "--y-pred", "logistic", "--fail-under", f"f1={between}")
    assert failed.returncode == 1
    assert failed.stderr == f"howsure: f1 is not shown to be {between:g} or more: {found}\n"
    assert "accuracy" in failed.stdout
    assert run(*REPORT, "--y-pred", "logistic", "--fail-under", f"f1={found.low - 1e-9}").returncode == 0


def test_each_model_is_held_to_the_bound():
    """Among several models, those below the bound are named."""
    failed = run(*REPORT, "--y-pred", "logistic", "naive_bayes", "--fail-under", "f1=0.94")
    assert failed.returncode == 1
    assert failed.stderr.startswith("howsure: naive_bayes: f1 is not shown to be 0.94 or more: 0.9")
    assert "logistic" not in failed.stderr


@pytest.mark.parametrize("bound, code", [pytest.param("0", 0, marks=pytest.mark.thorough), ("0.9999", 1)])
def test_every_command_that_estimates_has_bounds(bound, code, judged, reviewed):
    """Reports, matrices, scores without labels, judged and reviewed cases."""
    commands = {
        "f1": [*REPORT, "--y-pred", "logistic"],
        "roc_auc": [*REPORT, "--y-score", "score_forest"],
        "f1@macro": ["matrix", str(EXAMPLES / "digits_matrix.csv")],
        "accuracy": UNLABELLED,
        "pass_rate": judged,
        "recall": reviewed,
    }
    for metric, command in commands.items():
        assert run(*command, "--fail-under", f"{metric}={bound}").returncode == code, metric


def test_every_chunk_is_held_to_the_bound():
    """Chunks that fall short are named, each in a line."""
    failed = run(*UNLABELLED, "--by", "fold", "--fail-under", "accuracy=0.9999")
    assert failed.returncode == 1
    assert [line.split(":")[1] for line in failed.stderr.splitlines()] == [" 0", " 1", " 2", " 3", " 4"]


def test_github_shows_what_failed(monkeypatch):
    """If GitHub runs the command, failures become annotations."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    failed = run("matrix", str(EXAMPLES / "digits_matrix.csv"), "--fail-under", "mcc=0.9")
    assert failed.stderr.startswith("::error title=howsure::mcc is not shown to be 0.9 or more: 0.8")


def test_an_undefined_metric_holds_no_bound(tmp_path):
    """Recall without a positive case fails, with the reason."""
    path = tmp_path / "m.csv"
    path.write_text("9,1\n0,0\n")
    failed = run("matrix", str(path), "--metric", "recall", "--fail-under", "recall=0")
    assert failed.returncode == 1
    assert "undefined" in failed.stderr


@pytest.mark.parametrize(
    "bounds, said",
    [
        (["f1"], "`--fail-under` has 'f1'. Give a metric and a number"),
        (["=0.9"], "`--fail-under` has '=0.9'"),
        (["f1=nan"], "`--fail-under` has 'f1=nan'"),
        (["f1=high"], "`--fail-under` has 'f1=high'"),
        (["f1=90"], "`--fail-under f1` is 90, and the values are from 0 to 1. Did you mean 0.9?"),
        (["roc_auc=0.9"], "'roc_auc' of `--fail-under` is not among the metrics: accuracy, "),
    ],
)
def test_bounds_that_cannot_be_judged(bounds, said):
    """Bounds that are not a metric with a number, or whose metric was not evaluated, are refused."""
    failed = run(*REPORT, "--y-pred", "logistic", "--fail-under", *bounds)
    assert failed.returncode == 2
    assert said in failed.stderr


def test_bounds_of_metrics_with_arguments():
    """The last sign of equality is the bound's, and any spelling of a metric finds it."""
    given = [*REPORT, "--y-pred", "logistic", "--metrics", "fbeta+beta=2", "--format", "json"]
    passed = run(*given, "--fail-under", "f_beta+beta=2=0.9")
    assert passed.returncode == 0
    assert [each["metric"] for each in json.loads(passed.stdout)["estimates"]] == ["fbeta+beta=2"]
    assert run(*given, "--fail-under", "fbeta+beta=2=0.99").returncode == 1


def test_models_are_held_to_the_bound_over_one_set_of_classes(tmp_path):
    """A word of one model that never occurs has no part in its macro average."""
    better = [*["a", "b"] * 48, "other", "b", "b", "a"]
    worse = [*["a", "b"] * 45, *["b", "a"] * 5]
    path = tmp_path / "predictions.csv"
    rows = zip(["a", "b"] * 50, worse, better, strict=True)
    path.write_text("\n".join(["label,worse,better", *map(",".join, rows)]))
    failed = run(
        *("report", str(path), "--y-true", "label", "--y-pred", "worse", "better"),
        *("--metrics", "f1@macro", "--fail-under", "f1@macro=0.9"),
    )
    assert failed.returncode == 1
    assert "howsure: worse: f1@macro is not shown to be 0.9 or more: 0.900" in failed.stderr
    assert "better" not in failed.stderr


def test_lower_is_better_has_a_bound_of_its_own():
    """The upper limit counts; either option refuses metrics of the other direction."""
    scored = [*REPORT, "--y-pred", "logistic", "--y-score", "score_logistic", "--metrics", "f1", "brier_score"]
    found = hs.estimate(hs.scores("label", "score_logistic", data=EXAMPLES / "breast_cancer.csv"), "brier_score")
    assert run(*scored, "--fail-over", f"brier_score={found.high + 1e-9}").returncode == 0
    failed = run(*scored, "--fail-over", f"brier_score={(found.value + found.high) / 2}")
    assert failed.returncode == 1
    assert "brier_score is not shown to be" in failed.stderr
    assert "or less" in failed.stderr
    for option, metric, other in (
        ("--fail-under", "brier_score", "--fail-over"),
        ("--fail-over", "f1", "--fail-under"),
    ):
        refused = run(*scored, option, f"{metric}=0.5")
        assert refused.returncode == 2
        assert f"Give its bound to `{other}`" in refused.stderr


@pytest.mark.parametrize("option, number", [("--fail-if-worse", "2"), ("--fail-below", "60"), ("--fail-above", "60")])
def test_margins_beyond_the_range_of_the_scores_are_refused(option, number):
    """A margin of 2 on scores from 0 to 1 could never fail."""
    refused = run("evals", EXAMPLES / "logs", "--baseline", "old", option, number)
    assert refused.returncode == 2
    assert f"`{option}` is {number}, and the values are from 0 to 1. Did you mean" in refused.stderr


def test_scores_without_labels_need_no_threshold_for_their_area():
    """The default threshold is for metrics of counts."""
    asked = ["unlabelled", EXAMPLES / "breast_cancer.csv", "--y-score", "score_logistic"]
    assert run(*asked, "--metrics", "roc_auc").returncode == 0
    assert run(*asked, "--metrics", "roc_auc", "f1").returncode == 0
    assert run(*asked, "--metrics", "roc_auc", "--threshold", "0.5").returncode == 2
