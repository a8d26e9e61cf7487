"""How much code one estimate and one comparison run, so that the way of a request stays short."""

import sys

import pytest

import howsure as hs
from howsure.estimates.estimation import estimate
from howsure.metrics import spec

MOST_FUNCTIONS = 94  # of howsure, entered by one estimate
MOST_CALLS = 2500  # of Python functions of any package, made by one comparison
TRUTH = [0, 1, 1, 0, 1, 0, 1, 1, 0, 1] * 5
ANSWERS = {"A": [0, 1, 1, 0, 1, 0, 1, 0, 0, 1] * 5, "B": [0, 1, 0, 0, 1, 1, 1, 1, 0, 1] * 5}


def calls_of(function):
    """Return the functions of howsure that a call enters, and the number of Python functions that it calls."""
    entered, number, before = set(), 0, sys.getprofile()

    def count(frame, event, _):
        nonlocal number
        if event == "call":
            number += 1
            if frame.f_globals.get("__name__", "").startswith("howsure."):
                entered.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return entered, number


@pytest.fixture
def tables():
    """Return a confusion table and a paired table that no request has seen, after all modules are imported."""
    hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "f1")
    hs.compare(hs.paired(TRUTH, ANSWERS), "f1")
    return hs.from_counts([[51, 3], [5, 42]]), hs.paired(TRUTH, ANSWERS)


def test_an_estimate_enters_few_functions(tables):
    """From the table and the text of the metric to the number with its interval."""
    entered, _ = calls_of(lambda: hs.estimate(tables[0], "f1"))
    assert len(entered) <= MOST_FUNCTIONS, len(entered)


def test_a_comparison_makes_few_calls(tables):
    """The interval and the p-value of the difference come from one path, and each model's table is made once."""
    _, number = calls_of(lambda: hs.compare(tables[1], "f1"))
    assert number <= MOST_CALLS, number


def test_a_text_is_parsed_once(monkeypatch, tables):
    """`estimate` parses the text of a metric; what it calls takes the parsed spec."""
    parsed, parse = [], spec.parse

    def counted(text):
        parsed.append(text)
        return parse(text)

    for module in [each for name, each in sys.modules.items() if name.startswith("howsure") and each is not None]:
        if vars(module).get("parse") is parse:
            monkeypatch.setattr(module, "parse", counted)
    estimate(tables[0], "f1")
    hs.evaluate(tables[0], ["mcc"])
    assert parsed == ["f1", "mcc"]
