"""`howsure study`, run as a shell user would."""

import csv
import json
import shutil
from pathlib import Path

import pytest

import howsure as hs
from support import shell

MATRICES = Path(__file__).parents[1] / "data" / "mnist_digits"


def run(*arguments):
    """Run the command."""
    return shell.run("study", *arguments)


@pytest.fixture
def folder(tmp_path):
    for name in ("mlp_0", "mlp_1", "svm_0", "svm_1"):
        shutil.copy(MATRICES / f"{name}.csv", tmp_path)
    return tmp_path


def test_a_folder_becomes_a_study_and_runs(folder):
    """`init` makes groups of the file names; `run` prints the summaries, aggregates and ranks that Python gives."""
    begun = run("init", folder, "--metrics", "accuracy,f1@macro", "--aggregation", "dl")
    assert begun.returncode == 0, begun.stderr
    assert "4 experiments in 2 groups" in begun.stdout
    study = hs.Study.load(folder / "study.toml")
    assert {group: len(members) for group, members in study.groups.items()} == {"mlp": 2, "svm": 2}
    page = folder / "study.html"
    done = run("run", folder / "study.toml", "--out", folder / "results", "--parquet", "--rope", "0.01", "--html", page)
    assert done.returncode == 0, done.stderr
    assert "Forest plot of mlp" in page.read_text(encoding="utf-8")
    assert "howsure study run" in page.read_text(encoding="utf-8")
    summary, pooled = study.summaries("accuracy")["mlp/0"], study.aggregate("f1@macro")["svm"]
    for low, high in ((summary.low, summary.high), (pooled.low, pooled.high)):
        assert f"[{low:.3f}, {high:.3f}]" in done.stdout
    assert f"{study.ranks('accuracy')['mlp/0'][1]:.3f}" in done.stdout
    written = sorted(path.name for path in (folder / "results").iterdir())
    names = ("aggregates", "comparisons", "random", "ranks", "summaries")
    assert written == sorted(f"{name}.{suffix}" for name in names for suffix in ("csv", "json", "parquet"))
    rows = list(csv.DictReader((folder / "results" / "comparisons.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 2 * 6
    assert float(rows[0]["rope_inside"]) == study.compare("accuracy", "mlp/0", "mlp/1", rope=0.01).rope.inside.value


def test_json_is_for_machines(folder):
    """With `--format json` the output is one JSON object with all columns."""
    run("init", folder, "--metrics", "mcc")
    content = json.loads(run("run", folder / "study.toml", "--format", "json").stdout)
    assert len(content["summaries"]) == 4
    assert content["aggregates"][0]["method"] == "binomial_normal"


def test_what_is_wrong_is_one_line(folder):
    """A folder without matrices, a study that is there already, and a bad file are refused in one line."""
    (folder / "empty").mkdir()
    run("init", folder)
    (folder / "bad.toml").write_text("[experiments.a]\ncounts = [[1, -1], [2, 3]]\n", encoding="utf-8")
    for arguments, words in (
        (("init", folder / "empty"), "holds no matrix"),
        (("init", folder / "absent"), "There is no folder"),
        (("init", folder), "exists already"),
        (("run", folder / "bad.toml"), "is negative"),
        (("run", folder / "absent.toml"), "no study file"),
    ):
        result = run(*arguments)
        assert result.returncode == 2
        assert words in result.stderr
        assert len(result.stderr.splitlines()) == 1
