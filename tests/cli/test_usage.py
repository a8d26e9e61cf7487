"""Errors of a command line that cannot be parsed."""

import re

import pytest

import howsure as hs
from howsure.cli.app import app
from howsure.cli.usage import COMMANDS
from support.examples import EXAMPLES
from support.shell import run

CANCER = str(EXAMPLES / "breast_cancer.csv")
LABELS = [CANCER, "--y-true=label", "--y-pred=logistic"]


def refused(*words):
    """Return the one line with which a command line ends."""
    ended = run(*words)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1
    return ended.stderr.removeprefix("howsure: ").rstrip("\n")


def test_words_for_commands_lead_to_commands_that_exist():
    """Each remedy is a command with options of its own, or a function; no word is a command or stands twice."""
    words = " ".join(COMMANDS.values()).split()
    assert len(words) == len(set(words))
    assert set(words).isdisjoint(app)
    for remedy in COMMANDS:
        if function := re.fullmatch(r"`hs\.(\w+)\(…\)` in Python", remedy):
            assert callable(getattr(hs, function[1]))
            continue
        _, name, *rest = remedy.strip("`").split()
        options = [option for each in app[name].assemble_argument_collection() for option in each.names] if rest else []
        assert name in app
        assert {each for each in rest if each.startswith("--")} <= set(options)


@pytest.mark.parametrize(
    "words, said",
    [
        (["evaluate", CANCER], "There is no command 'evaluate'. Write `howsure report FILE --y-true … --y-pred …`."),
        (["Sample_Size"], "There is no command 'Sample_Size'. Write `howsure plan`."),
        (["drift", CANCER], "There is no command 'drift'. Write `hs.monitor(…)` in Python."),
        (["reprt"], "There is no command 'reprt'. Did you mean 'report'?"),
        (["study", "start"], "There is no command 'study start'. Known: run, init."),
        (
            ["sensitivity", CANCER],
            "There is no command 'sensitivity'. Write `howsure report FILE --y-true … --y-pred … --metrics sensitivity`.",
        ),
        (
            ["brier_skill"],
            "There is no command 'brier_skill'. Write `howsure report FILE --y-true … --y-score … --metrics brier_skill`.",
        ),
        (
            ["matrix", "42", "3", "5", "50"],
            "Nothing takes '3', '5', '50'. Write the counts into a file: the line tp,fp,fn,tn and a line of numbers.",
        ),
        (["proportion", "42", "47"], "There is no command 'proportion'. Write `hs.proportion(…)` in Python."),
        (["begg-greenes"], "There is no command 'begg-greenes'. Write `hs.judged(…)` in Python."),
        (["xyz"], "There is no command 'xyz'. See `howsure --help`."),
        (["Report", CANCER], "There is no command 'Report'. Write `howsure report`."),
        (["decision_curve", CANCER], "There is no command 'decision_curve'. Write `howsure decision-curve`."),
        (["study", "run"], "`howsure study run` needs FILE: the study, as TOML."),
        (["--y-true", "label", CANCER], "Name a command before --y-true. See `howsure --help`."),
    ],
)
def test_unknown_commands(words, said):
    """Words of other tools lead to the command, slips to the nearest one."""
    assert refused(*words) == said


def test_a_missing_option_is_described_with_the_columns_of_the_file(tmp_path):
    """The columns are those that the option can name; a file that cannot be read adds nothing."""
    few = tmp_path / "few.csv"
    few.write_text("truth,guess\n1,1\n0,1\n")
    said = "`howsure report` needs --y-true: column with the true labels."
    assert refused("report", few) == f"{said} The columns of '{few}' are 'truth', 'guess'."
    assert refused("report", tmp_path / "none.csv") == said
    assert refused("report", "--y-true", "truth") == "`howsure report` needs FILE: predictions, one row per case."


@pytest.mark.parametrize(
    "words, said",
    [
        (["report", CANCER, "--y-true"], "--y-true needs a value: column with the true labels."),
        (
            ["report", CANCER, "--y-true", "--y-pred", "logistic"],
            "--y-true needs a value: column with the true labels.",
        ),
        (["report", *LABELS, "--threshold"], "--threshold needs a value: smallest score that is predicted positive"),
    ],
)
def test_an_option_without_its_value(words, said):
    """At the end of the line, and before another option."""
    assert said in refused(*words)


def test_flags_and_negative_numbers_are_no_options_without_a_value():
    """A flag may come before an option, and a number may be negative."""
    assert run("report", *LABELS, "--no-check", "--per-class").returncode == 0
    assert run("report", *LABELS[:2], "--y-score=score_logistic", "--threshold", "-1").returncode == 2
    assert "needs a value" not in run("report", *LABELS[:2], "--y-score=score_logistic", "--threshold", "-1").stderr


@pytest.mark.parametrize(
    "words, said",
    [
        (["--target=label", "--pred=logistic"], "There is no option --target. Write --y-true."),
        ([*LABELS[1:], "--alpha", "0.1"], "There is no option --alpha. Write --confidence-level 0.9."),
        ([*LABELS[1:], "--ci=99"], "There is no option --ci. Write --confidence-level 0.99."),
        ([*LABELS[1:], "--Seed", "7"], "There is no option --Seed. Write --random-state."),
        ([*LABELS[1:], "--out", "a.html"], "There is no option --out. Write --html FILE."),
        ([*LABELS[1:], "--json"], "There is no option --json. Write --format json."),
        ([*LABELS[1:], "--y-prob=score_logistic"], "There is no option --y-prob. Write --y-score."),
        ([*LABELS[1:], "--average", "macro"], "--metrics f1@macro."),
        (["--values", "a", "b"], "Write `howsure leaderboard FILE --values …`"),
        ([*LABELS[1:], "--no-chek"], "Did you mean '--no-check'"),
        (["-t", "label"], "There is no option -t. See `howsure report --help`."),
    ],
)
def test_unknown_options_are_answered_with_ours(words, said):
    """Words of other tools lead to the option; the first that is none is named, however many others follow."""
    assert said in refused("report", CANCER, *words)


def test_an_option_that_is_given_twice_is_named():
    """It is the only culprit, however many words the parser has not yet used."""
    said = "Parameter --confidence-level specified multiple times."
    assert refused("report", *LABELS, "--confidence-level", "0.9", "--confidence-level=0.8") == said


def test_a_shared_option_without_its_value():
    """There is no command that it belongs to."""
    assert refused("--use") == "Parameter --use requires an argument."


def test_options_beside_a_file_of_ones_own(tmp_path):
    """``--use`` before the command is no unknown option of it."""
    own = tmp_path / "own.py"
    own.write_text("")
    ended = run("--use", own, "report", *LABELS, "--ci", "0.9")
    assert "There is no option --ci. Write --confidence-level 0.9." in ended.stderr
