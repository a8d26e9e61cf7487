"""The examples run, and give the stated output."""

import importlib.util

import numpy as np
import pytest

from support.examples import EXAMPLES


def load(name):
    """Return an example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.thorough
def test_three_ways_to_the_metrics_of_a_calibrated_classifier(capsys):
    """Labels, scores and distribution agree within sampling error; scores alone are nearer to the distribution."""
    example = load("calibrated_scores")
    records = example.experiment(n=2000, seed=1)
    assert len(records) == 4 * 19 * 4
    for name in example.DISTRIBUTIONS:
        mine = [each for each in records if each["of"] == name]
        distance = {
            way: np.array([abs(each[way] - each["distribution"]) for each in mine]) for way in ("labels", "scores")
        }
        assert np.nanmean(distance["scores"]) < np.nanmean(distance["labels"])
        assert np.nanmax(distance["scores"]) < 0.06  # recall and F1 vary with the share of high scores
        assert np.nanmax(distance["labels"]) < 0.2  # precision at a high threshold rests on a handful of cases
        assert (
            np.mean([each["low"] <= each["labels"] <= each["high"] for each in mine]) > 0.75
        )  # thresholds share cases
    example.show(records)
    printed = capsys.readouterr().out
    assert "F(x) = x²" in printed
    assert printed.count("largest distance") == 4


def test_the_logs_are_those_of_their_script(tmp_path, monkeypatch):
    """The script gives the logs in its folder."""
    example = load("make_logs")
    monkeypatch.setattr(example, "FOLDER", tmp_path)
    example.main()
    for path in (EXAMPLES / "logs").rglob("*.jsonl"):
        assert (tmp_path / path.parent.name / path.name).read_text() == path.read_text()
