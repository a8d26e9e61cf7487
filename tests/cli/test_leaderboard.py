"""The command `howsure leaderboard`, run as a shell user would."""

import json
from pathlib import Path

import numpy as np
import pytest

import howsure as hs
from support.shell import run

LOGS = Path(__file__).parents[1] / "data" / "logs"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return files of predictions and of battles."""
    folder, rng = tmp_path_factory.mktemp("boards"), np.random.default_rng(0)
    truth = rng.integers(0, 2, 80)
    answers = [np.where(rng.random(80) < skill, truth, 1 - truth) for skill in (0.9, 0.85, 0.6)]
    rows = np.column_stack([truth, *answers, *(own == truth for own in answers)]).astype(int)
    np.savetxt(folder / "answers.csv", rows, "%d", ",", header="y,A,B,C,right_A,right_B,right_C", comments="")
    first = rng.integers(0, 3, 300)
    second = (first + rng.integers(1, 3, 300)) % 3
    won = np.where(
        rng.random(300) < 0.2, "tie", np.where(rng.random(300) < 0.5 + 0.1 * (second - first), "model_a", "model_b")
    )
    battles = [
        "model_a,model_b,winner,prompt",
        *(f"m{i},m{j},{w},{k // 3}" for k, (i, j, w) in enumerate(zip(first, second, won, strict=True))),
    ]
    (folder / "battles.csv").write_text("\n".join(battles))
    return folder


def records(*arguments):
    """Return the records that a command prints."""
    result = run("leaderboard", *arguments, "--seed", "0", "--format", "json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_predictions_and_numbers(files):
    """Columns of predictions, and of right and wrong, give the same places, those of Python."""
    path = str(files / "answers.csv")
    by_label = records(path, "--y-true", "y", "--y-pred", "A", "B", "C")
    by_number = records(path, "--values", "right_A,right_B,right_C")
    found = hs.leaderboard(hs.paired("y", ["A", "B", "C"], data=path), "accuracy", random_state=0)
    assert by_label == json.loads(json.dumps(found.records()))
    assert [each["rank_high"] for each in by_number] == [each["rank_high"] for each in by_label]


def test_battles(files):
    """Columns of battles are ranked by Bradley and Terry's strengths, in clusters."""
    path = str(files / "battles.csv")
    asked = [path, "--a", "model_a", "--b", "model_b", "--winner", "winner", "--groups", "prompt"]
    found = hs.preferences("model_a", "model_b", "winner", data=path, groups="prompt")
    board = hs.leaderboard(found, "bradley_terry", random_state=0)
    assert [each["value"] for each in records(*asked)] == [each.value for each in board.places]
    assert records(*asked, "--metric", "win_rate")[0]["metric"] == "win_rate"


def test_logs(tmp_path):
    """Logs are ranked by item, and the page states which models cannot be distinguished."""
    page = tmp_path / "board.html"
    new, old = (str(LOGS / "inspect" / f"{name}.eval") for name in ("new", "old"))
    result = run("leaderboard", f"new={new}", f"old={old}", "--html", str(page), "--seed", "0")
    assert result.returncode == 0, result.stderr
    assert "not distinguished from" in result.stdout
    assert "possible ranks" in page.read_text()
    assert "several tasks" in run("leaderboard", str(LOGS / "lm_eval")).stderr
    assert run("leaderboard", str(LOGS / "lm_eval"), "--task", "words").returncode == 0


def test_the_page_in_markdown(files, tmp_path):
    """The report has each model's ranks, as Markdown too."""
    path = tmp_path / "board.md"
    assert (
        run(
            "leaderboard", files / "answers.csv", "--values", "right_A,right_B,right_C", "--html", path, "--seed", "0"
        ).returncode
        == 0
    )
    assert "| right\\_A | 1 | 1–2 |" in path.read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--y-true", "y", "--values", "a,b"],
        ["--a", "A", "--b", "B"],
        ["--winner", "a"],
        ["--y-true", "y"],
        ["--groups", "y"],
        ["--values", "right_A,right_B", "--task", "sums"],
        ["--values", "right_A,right_B", "--model", "A", "--case", "y"],
        ["--values", "right_A,right_B", "--y-pred", "A"],
        ["--a", "A", "--b", "B", "--winner", "C", "--labels", "0,1"],
        [],
    ],
)
def test_one_kind_of_data_at_a_time(files, arguments):
    """Incompatible options are refused, and both are named."""
    result = run("leaderboard", files / "answers.csv", *arguments)
    assert result.returncode == 2
    assert "--y-pred" in result.stderr


def test_options_that_do_not_go_together_are_named(files):
    """Unused options are named, and a single column of numbers is refused."""
    path = files / "answers.csv"
    assert "`--case` does not go" in run("leaderboard", path, "--values", "right_A,right_B", "--case", "y").stderr
    assert "at least two models" in run("leaderboard", path, "--values", "right_A").stderr


def test_a_board_of_k_of_n_is_ranked(tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("name,right,every\nnew,188,200\nold,171,200\ntiny,45,100\n")
    found = records(path, "--k", "right", "--n", "every", "--model", "name")
    assert [(each["model"], each["value"], each["rank_low"], each["rank_high"]) for each in found] == [
        ("new", 0.94, 1, 1),
        ("old", 0.855, 2, 2),
        ("tiny", 0.45, 3, 3),
    ]
    for stray in (["--k", "right"], ["--n", "every", "--values", "right"]):
        assert "--k with --n and --model" in run("leaderboard", path, *stray).stderr
    groups = run("leaderboard", path, "--k", "right", "--n", "every", "--model", "name", "--groups", "name")
    assert "`--groups` does not go with the rest" in groups.stderr
