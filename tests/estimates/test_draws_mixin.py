"""Draws for those who go on with other packages."""

import sys

import numpy as np
import pytest

import howsure as hs

TABLE = hs.from_counts([[50, 3], [5, 42]])
PAIR = hs.paired([0, 1, 1, 0] * 9, {"a": [0, 1, 0, 0] * 9, "b": [0, 0, 1, 1] * 9})


def test_draws_of_an_evaluation_as_xarray():
    """Each metric is a variable with its draws; draw d of all is of one table, so that they correlate."""
    found = hs.evaluate(TABLE, ["accuracy", "f1"], method="bayes", random_state=0)
    held = found.to_xarray()
    assert {name: held[name].dims for name in held} == {"accuracy": ("chain", "draw"), "f1": ("chain", "draw")}
    assert np.array_equal(held["f1"].values[0], found["f1"].draws)
    joint = np.corrcoef(held["accuracy"].values[0], held["f1"].values[0])[0, 1]
    assert joint == pytest.approx(found.correlations()["accuracy"]["f1"])


@pytest.mark.parametrize(
    "result",
    [
        hs.estimate(TABLE, "f1", method="bootstrap_percentile", random_state=0),
        hs.compare(PAIR, "f1", method="bayes", random_state=0),
        hs.evaluate(TABLE, ["f1"], method="bayes", random_state=0),
    ],
    ids=lambda result: type(result).__name__,
)
def test_draws_for_arviz(result):
    """Every result with draws is a tree with the group `posterior`, one chain, and a variable by the metric's name."""
    tree = result.to_arviz()
    assert list(tree.children) == ["posterior"]
    variable = tree["posterior"]["f1"]
    assert variable.dims == ("chain", "draw")
    draws = result.draws if result.draws.dtype.names is None else result.draws["f1"]
    assert np.array_equal(variable.values, draws[None])


def test_what_has_no_draws_says_so():
    """An interval without draws names the methods that make some."""
    with pytest.raises(hs.HowsureError, match="`mid_p` makes no draws. Use method='bayes'"):
        hs.estimate(TABLE, "f1").to_xarray()
    with pytest.raises(hs.HowsureError, match="no draws"):
        hs.evaluate(TABLE, ["f1"]).to_arviz()


def test_without_xarray(monkeypatch):
    """A package that is missing is named, with the way to install it."""
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(hs.HowsureError, match="`to_xarray` needs the package 'xarray'"):
        hs.estimate(TABLE, "f1", method="bayes", random_state=0).to_xarray()
