"""When to stop: why, and about how many more cases it takes."""

import math

import numpy as np
import pytest

import howsure as hs

SEEN = hs.from_counts([[50, 3], [5, 42]])


def test_rules_are_met_by_the_interval():
    """The rule is met if the interval is narrow enough, excludes the value, or is within the limits."""
    found = hs.estimate(SEEN, "accuracy", method="anytime")
    for rule, met in (
        ({"width": found.high - found.low + 1e-6}, True),
        ({"width": found.high - found.low - 1e-6}, False),
        ({"excludes": found.low - 1e-6}, True),
        ({"excludes": found.low}, False),
        ({"excludes": found.high + 1e-6}, True),
        ({"excludes": found.value}, False),
        ({"within": (found.low - 1e-6, 1)}, True),
        ({"within": (0, found.high - 1e-6)}, False),
        ({"width": 0.001, "within": (0, 1)}, True),
    ):
        answer = hs.stop(SEEN, "accuracy", **rule)
        assert bool(answer) == met, rule
        assert (answer.more == 0) == met
        assert bool(answer.why) == met
        assert answer.to_dict()["stop"] == met
        assert (answer.found.low, answer.found.high) == (found.low, found.high)


def test_the_number_of_cases_to_come_is_about_right():
    """With 1.5 times the predicted number of further cases the rule is met; with half of it, it is not."""

    def times(number):
        return hs.from_counts(np.rint(number * np.array([[50, 3], [5, 42]])))

    for metric, rule in (
        ("accuracy", {"width": 0.08}),
        ("mcc", {"excludes": 0.75}),
        ("f1@macro", {"width": 0.1}),
    ):
        more = hs.stop(times(2), metric, **rule).more / 100
        assert hs.stop(times(2 + 1.5 * more), metric, **rule), metric
        assert not hs.stop(times(2 + 0.5 * more), metric, **rule), metric


def test_two_models_are_compared():
    """For two models on the same cases the difference decides: negligible, or not."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 3000)
    first, second = (np.where(rng.random(3000) < share, truth, 1 - truth) for share in (0.9, 0.8))
    table = hs.paired(truth, {"A": first, "B": second})
    decided = hs.stop(table, "f1", excludes=0, within=(-0.02, 0.02))
    assert decided.why == "the interval excludes 0"
    same = hs.paired(truth, {"A": first, "B": first})
    assert hs.stop(same, "f1", excludes=0, within=(-0.02, 0.02)).why.startswith("the interval lies within")


def test_what_no_number_of_cases_settles_is_said():
    """A value equal to the excluded one, or outside the limits, is never decided; undefined ones are nan."""
    even = hs.from_counts([[40, 10], [10, 40]])
    assert hs.stop(even, "accuracy", excludes=0.8).more == math.inf
    assert "no number of cases" in str(hs.stop(even, "accuracy", within=(0.1, 0.2)))
    nothing = hs.stop(hs.from_counts([[40, 0], [10, 0]]), "precision", width=0.1)
    assert not nothing
    assert math.isnan(nothing.more)


def test_batches_that_are_counted_are_looked_at():
    """The rule is evaluated after each batch of an accumulator, until it is met."""
    seen, rng = hs.Accumulator(hs.confusion, labels=[0, 1]), np.random.default_rng(3)
    while seen.batches < 40:
        truth = rng.integers(0, 2, 100)
        seen.update(truth, np.where(rng.random(100) < 0.9, truth, 1 - truth))
        if answer := hs.stop(seen.table, "accuracy", width=0.06):
            break
    assert 3 < seen.batches < 40
    assert answer.cases == 100 * seen.batches
    assert "stop, the interval is at most 0.06 wide" in str(answer)


@pytest.mark.parametrize(
    "rules, words",
    [
        ({}, "needs a rule"),
        ({"width": 0}, "above 0"),
        ({"width": (0, 1)}, "needs a rule"),
        ({"within": 0.1}, "needs a rule"),
        ({"within": (0.2, 0.1)}, "lowest first"),
        ({"excludes": math.nan}, "needs a rule"),
        ({"width": 0.1, "method": "wilson"}, "hold at every look"),
        ({"width": 0.1, "method": "auto"}, "hold at every look"),
    ],
)
def test_rules_that_mean_nothing_are_named(rules, words):
    """Each mistake gives one line with the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.stop(SEEN, "accuracy", **rules)


def test_a_table_is_needed():
    """Arguments that are not tables give a one-line error."""
    with pytest.raises(hs.HowsureError, match="takes a table"):
        hs.stop([1, 0], "accuracy", width=0.1)


def test_an_undefined_value_says_why():
    """Without positives, recall is undefined for that reason, and more cases may be enough."""
    answer = hs.stop(hs.from_counts([[5, 1], [0, 0]]), "recall", width=0.1)
    assert not answer
    assert "no number of cases" not in str(answer)
    assert answer.found.reason
    assert answer.found.reason in str(answer)
