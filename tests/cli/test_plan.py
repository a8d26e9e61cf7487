"""Plans in the shell."""

import json

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from support.shell import run


@pytest.fixture
def pilot(tmp_path):
    """Write 200 cases with the predictions of two models and a score."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    new, old = (np.where(rng.random(200) < wrong, 1 - truth, truth) for wrong in (0.1, 0.2))
    path = tmp_path / "pilot.csv"
    pd.DataFrame({"label": truth, "new": new, "old": old, "score": rng.normal(truth, 1).round(2)}).to_csv(
        path, index=False
    )
    return str(path)


def cases(*words):
    """Return the planned number of cases that a command prints for machines."""
    printed = run("plan", *words, "--format", "json")
    assert printed.returncode == 0, printed.stderr
    return json.loads(printed.stdout)[0]["cases"]


@pytest.mark.thorough
def test_a_pilot_in_a_file_is_planned(pilot):
    """One model's width, two models' power and a score's area are those of `plan`."""
    one = hs.confusion("label", "new", data=pilot)
    both = hs.paired("label", ["new", "old"], data=pilot)
    scores = hs.scores("label", "score", data=pilot)
    of = [pilot, "--y-true", "label"]
    assert cases(*of, "--y-pred", "new", "--metric", "f1", "--width", "0.1") == hs.plan(one, "f1", width=0.1).n
    assert cases(*of, "--y-pred", "new", "old", "--power", "0.8") == hs.plan(both, "accuracy", power=0.8).n
    assert cases(*of, "--y-score", "score", "--width", "0.1") == hs.plan(scores, "roc_auc", width=0.1).n
    support = hs.plan(one, "accuracy", support={"1": 40}, power=0.9).n
    assert cases(*of, "--y-pred", "new", "--support", "1=40", "--power", "0.9") == support


def test_stated_rates_are_planned_and_said():
    """Stated rates need no file, and the sentence states the goal of the number."""
    words = ["--sensitivity", "0.90", "--specificity", "0.80", "--positives", "100", "--negatives", "400"]
    printed = run("plan", *words, "--metric", "recall", "--width", "0.1")
    plan = hs.plan(hs.from_counts([[320, 80], [10, 90]]), "recall", width=0.1)
    assert printed.returncode == 0, printed.stderr
    assert plan.sentence() in printed.stdout
    assert printed.stderr == ""


def test_mistakes_end_in_one_line(pilot):
    """Without a pilot, without a goal, or with half a support the exit code is 2, with one line."""
    for words in (
        ["--width", "0.1"],
        [pilot, "--y-true", "label", "--y-pred", "new"],
        [pilot, "--y-true", "label", "--y-pred", "new", "--support", "1" + "=x"],
        ["--sensitivity", "0.9", "--width", "0.1"],
    ):
        printed = run("plan", *words)
        assert printed.returncode == 2
        assert len(printed.stderr.strip().splitlines()) == 1
    assert "howsure plan examples/breast_cancer.csv" in run("plan", "--help").stdout
