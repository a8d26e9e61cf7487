"""`howsure cross-validated`, run as a shell user would."""

import json

import pytest

import howsure as hs
from support import shell
from support.examples import CANCER

MODELS = ["logistic", "forest", "naive_bayes"]


def run(*arguments):
    """Run the command."""
    return shell.run("cross-validated", CANCER, *arguments)


def test_two_algorithms_are_compared_by_their_folds():
    """Each algorithm has its estimates and the question, and the pair has its difference."""
    result = run("--y-true", "label", "--y-pred", *MODELS[:2], "--fold", "fold", "-m", "accuracy")
    assert result.returncode == 0, result.stderr
    expected = hs.cross_validated("label", MODELS[:2], data=CANCER, fold="fold").compare("accuracy")
    assert f"[{expected.low:.3f}, {expected.high:.3f}]" in result.stdout
    assert "model = forest" in " ".join(result.stdout.split())
    assert "each trained on 80 % of these cases?" in " ".join(result.stdout.split())


def test_three_algorithms_have_adjusted_p_values():
    """JSON has a record for each algorithm and pair; p-values are adjusted by Holm's method."""
    result = run("--y-true", "label", "--y-pred", *MODELS, "--fold", "fold", "-m", "f1", "--format", "json")
    records = json.loads(result.stdout)
    folds = hs.cross_validated("label", MODELS, data=CANCER, fold="fold")
    pairs = [
        folds.compare("f1", a=a, b=b).p_value for a, b in ((0, 1), (0, 2), (1, 2)) for a, b in [(MODELS[a], MODELS[b])]
    ]
    assert [each["p_value"] for each in records[3:]] == pytest.approx(hs.comparison.adjusted_p_values(pairs).tolist())


def test_columns_are_training_runs_without_folds():
    """Without folds the columns are runs of one algorithm, with the shares of the variance."""
    result = run("--y-true", "label", "--y-pred", *MODELS, "-m", "accuracy", "--format", "csv")
    assert result.returncode == 0, result.stderr
    assert "share_of_training_runs" in result.stdout
    assert len(result.stdout.splitlines()) == 2


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--y-true", "label", "--fold", "fold"], "--y-pred, --y-score and --value"),
        (["--y-true", "label", "--y-pred", "forest"], "--fold"),
        (["--y-true", "label", "--y-pred", "forest", "--fold", "fol"], "fol"),
    ],
)
def test_what_is_missing_is_said_in_one_line(arguments, words):
    """A missing column ends with code 2 and one line."""
    result = run(*arguments)
    assert result.returncode == 2
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
