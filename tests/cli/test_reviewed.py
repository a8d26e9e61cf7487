"""Unreliable labels in the shell."""

import json

import howsure as hs
from support.shell import run

COLUMNS = ["--y-true", "label", "--y-pred", "model", "--reviewed", "checked"]


def test_reviewed_prints_the_corrected_estimates(cases):
    """The command gives the estimates of `reviewed`, in a table and for machines."""
    table = hs.reviewed(y_true="label", y_pred="model", y_reviewed="checked", data=cases)
    printed = run("reviewed", cases, *COLUMNS)
    assert printed.returncode == 0, printed.stderr
    for each in hs.evaluate(table).values():
        assert f"[{each.low:.3f}, {each.high:.3f}]" in printed.stdout
    content = json.loads(
        run(
            "reviewed", cases, *COLUMNS, "--metrics", "f1,mcc", "--method", "bayes", "--seed", "3", "--format", "json"
        ).stdout
    )
    expected = hs.evaluate(table, ["f1", "mcc"], method="bayes", random_state=3)
    assert [each["low"] for each in content["estimates"]] == [each.low for each in expected.values()]


def test_review_plan_prints_the_cells(cases):
    """The command gives the plan of `review_plan`, with and without an earlier review."""
    plan = hs.labels.review_plan(
        hs.reviewed(y_true="label", y_pred="model", y_reviewed="checked", data=cases), "f1", budget=40
    )
    printed = run("review-plan", cases, *COLUMNS, "--metric", "f1", "--budget", "40", "--format", "json")
    assert printed.returncode == 0, printed.stderr
    assert [int(each["review"]) for each in json.loads(printed.stdout)] == [each["reviews"] for each in plan.records()]
    first = run("review-plan", cases, "--y-true", "label", "--y-pred", "model", "--metric", "f1", "--budget", "40")
    assert first.returncode == 0, first.stderr
    assert "width of the 95 % interval" in first.stdout


def test_mistakes_end_in_one_line(cases):
    """A wrong column is named with its neighbour, and the exit code is 2."""
    printed = run("reviewed", cases, *COLUMNS[:-1], "chekced")
    assert printed.returncode == 2
    assert printed.stderr == "howsure: There is no column 'chekced'. Did you mean 'checked'?\n"
