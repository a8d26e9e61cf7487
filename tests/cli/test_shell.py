"""Command-line details: classes, names of options, and unusable output paths."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import howsure as hs
from howsure.cli.app import app as shell
from howsure.cli.examples import EXAMPLES
from howsure.cli.output import interval_bars
from howsure.grids import Grid
from howsure.methods.library import METHODS
from howsure.metrics.registry import REGISTRY
from support.examples import CANCER
from support.shell import run, run_apart

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
    """`study run --out` on an existing file gives a one-line error."""
    (tmp_path / "a.csv").write_text("50,3\n5,42\n")
    (tmp_path / "taken").write_text("")
    assert run("study", "init", str(tmp_path), "--metric", "f1").returncode == 0
    found = run_apart("study", "run", str(tmp_path / "study.toml"), "--out", str(tmp_path / "taken"))
    assert found.returncode == 2
    assert found.stderr == f"howsure: '{tmp_path / 'taken'}' cannot be read or written: File exists.\n"


def test_where_files_were_written_is_said(tmp_path):
    """`--html` prints the path of its file to stderr, so that stdout stays machine-readable."""
    target = tmp_path / "page.md"
    found = run(*REPORT, "--metric", "f1", "--format", "json", "--html", str(target))
    assert found.stderr == f"Written: {target}\n"
    assert [each["metric"] for each in json.loads(found.stdout)["estimates"]] == ["f1"]


def test_all_cases_come_first_and_where_the_page_is_last(tmp_path, monkeypatch):
    """A report starts with the table of all cases, continues with the groups, and ends with the path of the page."""
    target = tmp_path / "page.html"
    monkeypatch.chdir(Path(CANCER).parent)
    options = ["--y-true", "label", "--y-pred", "logistic", "--metric", "f1", "--by", "tumour_size", "--html", target]
    found = run("report", Path(CANCER).name, *options)
    lines = [line.rstrip() for line in found.screen.splitlines()]
    headings = ["all cases", *(f"tumour_size = {size}" for size in ("large", "medium", "small"))]
    assert [line for line in lines if " · " in line] == [f"breast_cancer.csv · {heading}" for heading in headings]
    assert lines[-1] == f"Written: {target}"


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
    """`matrix --pos-label` swaps rows and columns; unknown classes, or more than two classes, are refused."""
    path = tmp_path / "m.csv"
    path.write_text("ill,well\n42,5\n3,50\n")
    found = json.loads(run("matrix", str(path), "--pos-label", "ill", "--metrics", "recall", "--format", "json").stdout)
    assert found["estimates"][0]["value"] == pytest.approx(42 / 47)
    assert found["tables"][0]["labels"] == ["well", "ill"]
    assert "Did you mean 'well'" in run("matrix", str(path), "--pos-label", "wel").stderr
    path.write_text("a,b,c\n9,1,1\n1,9,1\n1,1,9\n")
    assert "for two classes, and there are 3" in run("matrix", str(path), "--pos-label", "a").stderr


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make a folder with the files in the help's examples, and change the shell's folder to it."""
    monkeypatch.chdir(tmp_path)
    data = Path(CANCER).parent
    shutil.copytree(data, tmp_path / "examples")
    rows = [f"{case % 2},{case % 2 if case % 7 else 1},{case % 2 if case % 3 else ''}" for case in range(60)]
    (tmp_path / "predictions.csv").write_text("\n".join(["label,model,checked", *rows]))
    rows = [f"{word},{word if case < 20 else ''}" for word in ["pass"] * 3 + ["fail"] for case in range(40)]
    (tmp_path / "answers.csv").write_text("\n".join(["verdict,human", *rows]))
    rows = [
        f"{case % 2},{int(case % 100 > 60)},{case % 100 / 100},{case % 2 if case < 40 else ''}" for case in range(400)
    ]
    (tmp_path / "pool.csv").write_text("\n".join(["odd,model,score,label", *rows]))
    tags = [
        f"w{place} {true} {true if place % 9 else 'O'} {true}"
        for place, true in enumerate(["B-A", "I-A", "O", "B-B"] * 20)
    ]
    sentences = ["\n".join(tags[start : start + 8]) for start in range(0, len(tags), 8)]
    (tmp_path / "tagged.conll").write_text("\n\n".join(sentences) + "\n")
    reads = [
        f"{reader},{modality},{case},{case % 2},{rating},{int(rating > 3)}"
        for case in range(40)
        for reader in "ABC"
        for modality in ("new", "old")
        for rating in [2 + 2 * (case % 2) + (case * ord(reader) * len(modality) + case // 3) % 3 - 1]
    ]
    (tmp_path / "reads.csv").write_text("\n".join(["reader,modality,case,truth,rating,call", *reads]))
    (tmp_path / "results").mkdir()
    for name in ("mlp_0", "mlp_1", "tree_0", "tree_1"):
        (tmp_path / "results" / f"{name}.csv").write_text("50,3\n5,42\n")


@pytest.mark.thorough
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", EXAMPLES)
def test_the_examples_of_the_help_run(command):
    """Each command's help ends with example commands, which run."""
    assert run(*command.split(), "--help").stdout.count("• howsure") == len(EXAMPLES[command])
    if any("howsure examples" in line for line in EXAMPLES[command]):  # writes the folder
        shutil.rmtree("examples")
    if command == "study run":
        run("study", "init", "results", "--metric", "f1")
    for line in EXAMPLES[command]:
        words = shlex.split(line)
        assert words[0] == "howsure"
        found = run(*words[1:])
        assert found.returncode in ({0, 1} if "--fail" in line else {0}), f"{line}: {found.stderr}"
        assert "-o" not in words or Path(words[words.index("-o") + 1]).exists()


def test_every_command_has_examples():
    """All commands have examples."""
    known = {
        f"{prefix}{name}"
        for app, prefix in ((shell, ""), (shell["study"], "study "))
        for name in app.resolved_commands()
        if not name.startswith("-")
    }
    assert (known - {"study"}) | {"howsure"} == set(EXAMPLES)


@pytest.mark.parametrize(
    "option, others",
    [
        (["--confidence-level", "0.8"], [["--level", "0.8"], ["-l", "0.8"]]),
        (["--metrics", "mcc"], [["--metric", "mcc"], ["-m", "mcc"]]),
        (["--random-state", "3", "--method", "bayes"], [["--seed", "3", "--method", "bayes"]]),
    ],
)
def test_options_have_pythons_names_and_shorter_ones(option, others):
    """Whatever an option is called, it means the same."""
    first = run(*REPORT, *option, "--format", "json")
    assert first.returncode == 0
    for other in others:
        assert run(*REPORT, *other, "-f", "json").stdout == first.stdout


def test_a_metric_has_a_page():
    """`howsure metrics dice` describes F1, under its own name, and its estimation."""
    found = run("metrics", "dice", "--format", "json")
    said = {row["metric"]: row["f1"] for row in json.loads(found.stdout)}
    assert said["meaning"].startswith("Harmonic mean of precision and recall")
    assert "dice" in said["also called"].split(", ")
    assert said["scikit-learn"] == "f1_score"
    table = hs.from_counts([[50, 3], [5, 42]])
    assert [said["interval by default"], *said["other intervals"].split(", ")] == hs.suitable_methods(table, "f1")
    assert "Did you mean 'f1_score'" in run("metrics", "f1_scroe").stderr


@pytest.mark.thorough
def test_every_metric_and_method_has_a_page():
    """Every page is printed, and starts with the meaning."""
    for command, names in (("metrics", REGISTRY.names), ("methods", METHODS)):
        for name in names:
            found = run(command, name, "--format", "csv")
            assert (found.returncode, found.stdout.splitlines()[1].partition(",")[0]) == (0, "meaning"), name


def test_a_method_has_a_page():
    """`howsure methods exact` is Clopper and Pearson's; `howsure methods roc_auc` lists methods for an area."""
    said = {row["method"]: row["clopper_pearson"] for row in json.loads(run("methods", "exact", "-f", "json").stdout)}
    assert said["in Python"] == "hs.methods.ClopperPearson()"
    listed = [row["method"] for row in json.loads(run("methods", "roc_auc", "-f", "json").stdout)]
    assert listed == hs.suitable_methods(hs.scores([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]), "roc_auc")
    assert "There is no method or metric 'wilsn'. Did you mean 'wilson'" in run("methods", "wilsn").stderr


def test_python_runs_the_command_line():
    """`python -m howsure` is `howsure`."""
    found = subprocess.run([sys.executable, "-m", "howsure", "--version"], capture_output=True, text=True, check=True)
    assert found.stdout == f"{hs.__version__}\n"


def test_completion_is_installed(tmp_path, monkeypatch):
    """`--install-completion` writes a file that the shell reads, with the commands and their options."""
    monkeypatch.setenv("HOME", str(tmp_path))
    found = run("--install-completion", "--shell", "bash", "--output", str(tmp_path / "completion"))
    assert found.returncode == 0
    written = (tmp_path / "completion").read_text()
    assert all(word in written for word in ("leaderboard", "--fail-under", "--confidence-level"))


def test_the_example_data_are_written_once(tmp_path):
    """`howsure examples` writes the files that the documents read, and does not change an existing folder."""
    found = run("examples", str(tmp_path / "examples"))
    assert found.returncode == 0
    for file in ("breast_cancer.csv", "digits_matrix.csv", "logs", "README.md"):
        assert (tmp_path / "examples" / file).exists()
    again = run("examples", str(tmp_path / "examples"))
    assert again.returncode == 2
    assert "exists already. Name another folder" in again.stderr


def test_metrics_are_listed_by_family_and_searched():
    """`howsure metrics` shows the usual ones in a page, `--all` every one; a word is searched in names and meanings."""
    usual, every = run("metrics").stdout, run("metrics", "--all", "--format", "csv").stdout
    assert usual.index("Predicted labels") < usual.index("recall") < usual.index("Scores and probabilities")
    assert len(usual.splitlines()) < 100
    assert all(f"\n{each.name}" in every for each in REGISTRY)
    assert "ece" in run("metrics", "calibration").stdout
    assert "sensitivity_at" in run("metrics", "sens").stdout


def test_help_groups_the_commands():
    """`howsure --help` lists the commands by purpose, one line each, with examples."""
    said = run("--help").stdout
    assert said.index("Measure") < said.index("│ report") < said.index("Compare") < said.index("Look up")
    assert "howsure report examples/breast_cancer.csv" in said


def test_a_wide_terminal_shows_the_intervals(monkeypatch):
    """Bars stand beside the table in a terminal that is wide enough, and nowhere else."""
    words = [*REPORT, "--metrics", "f1", "mcc"]
    assert "●" not in run(*words).stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    wide = run(*words).stdout
    assert wide.count("●") == 2
    assert "0.924              0.984" in wide
    monkeypatch.setenv("COLUMNS", "60")
    assert "●" not in run(*words).stdout


def test_bars_of_undefined_rows_are_empty():
    """A row without an interval, or without a value, has no bar; equal limits leave no scale."""
    headers = ("metric", "mean", "95 % interval")
    rows = (("a", "0.5", "[0.0, 1.0]"), ("b", "nan", "[0.2, 0.4]"), ("c", "0.3", "–"))
    assert [bool(each) for each in interval_bars(Grid(headers, rows))] == [True, True, False, False]
    assert interval_bars(Grid(headers, rows[2:])) == []
    assert interval_bars(Grid(headers, (("a", "1", "[1, 1]"),)))[1:] == [""]
