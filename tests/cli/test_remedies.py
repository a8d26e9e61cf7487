"""Remedies of the library's messages in the words of the shell."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import howsure as hs
from howsure.cli.app import app
from howsure.cli.remedies import ARGUMENT, in_shell, options_of
from support.examples import EXAMPLES
from support.shell import run, run_apart

CANCER = str(EXAMPLES / "breast_cancer.csv")
LABELS = [CANCER, "--y-true=label", "--y-pred=logistic"]
SCORES = [CANCER, "--y-true=label", "--y-score=score_logistic"]
COMMANDS = [name for name in app if not name.startswith("-")]
NOT_FROM_SHELL = {"compat", "lab", "native", "plots", "testing", "cli"}  # the last has words of its own
IN_PYTHON = re.compile(r"(`[^`]*`|[\w.]+\((?:[^()]|\([^()]*\))*\)|\w+=(?:'[^']*'|\[[^]]*\]|\([^)]*\))) in Python")
CALL = re.compile(r"`[^`]*\w\([^`]*\)`|`[a-z_]+=[^`]*`")


@cache
def messages():
    """Return the texts of the package that name an argument or a call of Python, with `x` for inserted values."""
    root, found = Path(hs.__file__).parent, {}
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] in NOT_FROM_SHELL or path.name == "duckdb_files.py":
            continue
        tree, skipped = ast.parse(path.read_text()), set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and isinstance(node.body[0], ast.Expr):
                skipped.add(id(node.body[0].value))
            elif isinstance(node, ast.JoinedStr):
                skipped |= {id(each) for each in node.values}
                texts = ("x" if isinstance(each, ast.FormattedValue) else each.value for each in node.values)
                found["".join(texts)] = path.name
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
                found[node.value] = path.name
    return [text for text in found if " " in text and "\n" not in text and (ARGUMENT.search(text) or CALL.search(text))]


def test_messages_are_found():
    """Those with remedies in the three forms: an argument in backticks, one without, and a call."""
    assert len(messages()) > 150
    for said in (
        "give `threshold=0.5` to `estimate`",
        "Use method='bayes'",
        "`hs.results.VarianceComponents(…).plan(…)`",
    ):
        assert any(said in each for each in messages()), said


@pytest.mark.parametrize("command", COMMANDS)
def test_no_message_leaves_a_remedy_of_python(command):
    """Each argument is an option of the command, or is said to be one of Python, as each call is."""
    options = options_of(app, [command])
    for text in messages():
        said = in_shell(text, options)
        rest = IN_PYTHON.sub("", said)
        assert not CALL.search(rest), said
        left = {each["name"] for each in ARGUMENT.finditer(rest)}
        assert not left & set(options), said


@pytest.mark.parametrize(
    "text, said",
    [
        ("Name it with `pos_label=`.", "Name it with `--pos-label`."),
        ("Say which: pos_label='not ill' or pos_label=1.", "Say which: --pos-label 'not ill' or --pos-label 1."),
        ("State it: `labels=['Lo', 'Hi', …]`.", "State it: `--labels Lo Hi …`."),
        ("`confidence_level` lies between 0 and 1.", "`--confidence-level` lies between 0 and 1."),
        (
            "Implausible. If the data are correct, pass `check=False`.",
            "Implausible. If the data are correct, pass `--no-check`.",
        ),
        ("Ask for `f1@binary+positive_class=3`.", "Ask for `f1@binary+positive_class=3`."),
        ("Take `table.model('a')`.", "Take `table.model('a')` in Python."),
        ("Use contrast='difference'.", "Use contrast='difference' in Python."),
        ("Count: from_counts(tp=…, labels=…).", "Count: from_counts(tp=…, labels=…) in Python."),
        ("'a/pos_label=ill,x.csv' has no column 'y'.", "'a/pos_label=ill,x.csv' has no column 'y'."),
        (
            "`recall` is not one, `+clip=1e-6` neither, f1=0.9 too.",
            "`recall` is not one, `+clip=1e-6` neither, f1=0.9 too.",
        ),
    ],
)
def test_arguments_become_options(text, said):
    """In backticks and without, with their values; specs of metrics and bounds stay."""
    assert in_shell(text, options_of(app, ["report"])) == said


def test_a_command_without_the_check_has_no_way_out():
    """Readers have no `--no-check`, so that it is not offered."""
    assert (
        in_shell("Implausible. If the data are correct, pass `check=False`.", options_of(app, ["readers"]))
        == "Implausible."
    )


@pytest.mark.parametrize(
    "words, said",
    [
        (["require", *SCORES, "-r", "recall>0.8"], "give --threshold 0.5"),
        (["gaps", *SCORES, "--by=tumour_size", "-m", "f1"], "give --threshold 0.5"),
        (["compare", *SCORES, "score_forest", "-m", "f1"], "give predicted labels, --y-pred"),
        (["plan", *SCORES, "-m", "f1", "--width=0.1"], "give predicted labels, --y-pred"),
        (["report", *LABELS, "-m", "roc_auc"], "Name the columns of the scores with --y-score"),
        (["require", *LABELS, "-r", "recall>0.8", "--method=anytime"], "Name another --method."),
        (
            ["report", *LABELS, "--level=95"],
            "`--confidence-level` must lie between 0 and 1, not 95.0. Did you mean 0.95?",
        ),
    ],
)
def test_refusals_name_options(words, said):
    """What a shell user can type, in one line."""
    ended = run(*words)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not ARGUMENT.search(ended.stderr)


def test_the_positive_class_is_named_by_an_option(tmp_path):
    """The class that the words suggest, as an error or below a table."""
    path = tmp_path / "cases.csv"
    path.write_text("truth,model\n" + "ill,ill\nwell,well\nill,well\n" * 20)
    ended = run("report", str(path), "--y-true=truth", "--y-pred=model")
    assert "Say which: --pos-label ill or --pos-label well" in " ".join(ended.stdout.split())


def test_a_single_reader_is_told_the_option(tmp_path):
    """The remedy in the data of a reader study."""
    path = tmp_path / "reads.csv"
    rows = [f"a,{case},{case % 2},{case % 3 + case % 2}" for case in range(20)]
    path.write_text("reader,case,truth,rating\n" + "\n".join(rows))
    ended = run("readers", str(path), "--reader=reader", "--case=case", "--truth=truth", "--rating=rating")
    assert "--fixed reader" in ended.stderr


def test_warnings_are_one_line_each(tmp_path):
    """A threshold between 0 and 1 of scores in per cent, without the place in the code where it was noticed."""
    path = tmp_path / "scores.csv"
    path.write_text("truth,score\n" + "".join(f"{case % 2},{case}\n" for case in range(100)))
    ended = run_apart("report", str(path), "--y-true=truth", "--y-score=score", "--threshold=0.5", "-m", "recall")
    assert ended.returncode == 0
    assert ended.stderr == "howsure: `--threshold` is 0.5, and the scores run from 0 to 99. In per cent it is 50.\n"
