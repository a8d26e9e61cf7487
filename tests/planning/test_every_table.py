"""Every kind of table with every goal of a plan: a number, or a one-line error."""

import math

import numpy as np
import pytest

import howsure as hs
from test_seams import EVERY, metrics_of, model_of, result, table_of

pytestmark = pytest.mark.usefixtures("few")
QUESTIONS = {
    "width": {"width": 0.3},
    "number": {"n": 100},
    "above a value": {"power": 0.8, "null": 0.1, "alternative": "greater"},
    "equivalence": {"power": 0.8, "margin": 0.4, "true_value": 0.0},
    "smallest value": {"power": 0.8, "n": 400, "null": 0.3},
    "classes": {"support": 10},
    "clusters": {"width": 0.4, "cluster_size": 4, "icc": 0.1},
}


def held(plan):
    """Check properties of a plan."""
    assert plan.n >= 2
    assert plan.units <= plan.n
    assert math.isnan(plan.width) or plan.width > 0
    for chance in (plan.power, plan.support):
        assert math.isnan(chance) or 0 <= chance <= 1
    assert math.isnan(plan.low) or plan.low <= plan.high
    assert (np.diff(plan.curve.n) >= 0).all()
    assert "\n" not in plan.sentence()
    assert plan.records()[0]["cases"] == plan.n
    assert str(plan)


def answered(source, design, question):
    """Request one plan from a table, alone and with another test set."""
    table = table_of(source, design)
    metric = metrics_of(model_of(table))[0]
    found = result(hs.plan, table, metric, **QUESTIONS[question])
    if found is not None:
        held(found)
    if question == "number" and table is model_of(table):
        apart = result(hs.plan, table, table_of(source, design), metric, power=0.8, true_value=0.2)
        if apart is not None:
            held(apart)


@pytest.mark.parametrize("place", range(0, len(EVERY), 8))
def test_some_tables_are_planned_or_refused(place):
    """One goal for every kind of table, a different one for each, gives a consistent plan or a one-line error."""
    answered(*EVERY[place], list(QUESTIONS)[place % len(QUESTIONS)])


@pytest.mark.thorough
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("source, design", EVERY)
def test_every_question_is_answered(source, design, question):
    """Each goal of each kind of table and design gives a consistent plan, or a one-line error."""
    answered(source, design, question)


def beside_a_judge():
    """Return judged cases, of which a few have a human label."""
    human = ["pass"] * 57 + ["fail"] * 3 + [None] * 740 + ["fail"] * 10 + ["pass"] * 5 + [None] * 185
    return hs.judged(human, ["pass"] * 800 + ["fail"] * 200), "pass_rate"


def carried():
    """Return a table of another population, of which predictions are known."""
    return hs.transported(hs.from_counts([[50, 3], [5, 42]]), {0: 60, 1: 90}), "f1"


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("made", [beside_a_judge, carried])
def test_labels_and_other_populations_are_planned_or_refused(made, question):
    """Each goal of judged cases, and of another population, gives a consistent plan or a one-line error."""
    found = result(hs.plan, *made(), **QUESTIONS[question])
    if found is not None:
        held(found)
