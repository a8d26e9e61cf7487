"""A pytest plugin that replaces scikit-learn's functions by howsure's, before its tests import them.

`test_sklearn_suite.py` runs it over scikit-learn's own tests of its metrics. Tests that call none of the replaced
functions are left out. The texts of errors and warnings are our own: their occurrence and class are tested, and the
patterns of `pytest.raises` and `pytest.warns` are not.
"""

import importlib
import json
import os
from functools import partial, wraps
from inspect import signature
from pathlib import Path
from types import CodeType, FunctionType, SimpleNamespace

import pytest

OURS = {}
DEFAULTS = {"check": False}
NAMES = {}  # node → module::test
OUTCOMES = {}


def pytest_configure():
    """Replace the functions where tests import them from, and first of all the warning that either package raises."""
    import howsure as hs
    from howsure.compat.undefined import UndefinedMetricWarning

    importlib.import_module("sklearn.exceptions").UndefinedMetricWarning = UndefinedMetricWarning
    public = importlib.import_module("sklearn.metrics")
    # Curves are objects here, with bands, and no tuples of arrays.
    names = [name for name in dir(hs) if hasattr(public, name) and not name.endswith("_curve")]
    OURS.update({name: unchecked(getattr(hs, name)) for name in names})
    for module in (public, public._classification, public._ranking):
        for name in OURS.keys() & vars(module).keys():
            setattr(module, name, OURS[name])


def pytest_runtest_setup(item):
    """Use simple intervals if thousands of values are compared and no interval is used."""
    DEFAULTS["method"] = "delta" if item.module.__name__.endswith("test_common") else "auto"


def unchecked(function):
    """Return one of our functions without checks of the data, because these tests pass unusual columns."""
    if "check" not in signature(function).parameters:
        return function

    @wraps(function)
    def called(*args, **keywords):
        return function(*args, **DEFAULTS | keywords)

    return called


def pytest_collection_modifyitems(config, items):
    """Keep the tests that call a replaced function, and take their words for errors from them."""
    kept = [item for item in items if concerns_us(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
    for item in items:
        NAMES[item.nodeid] = f"{item.module.__name__.rpartition('.')[2]}::{item.name}"
        item.module.pytest = WITHOUT_WORDS


def without_match(function):
    def called(*args, match=None, **keywords):  # noqa: ARG001 - the words are theirs
        return function(*args, **keywords)

    return called


WITHOUT_WORDS = SimpleNamespace(
    **vars(pytest) | {"raises": without_match(pytest.raises), "warns": without_match(pytest.warns)}
)


def concerns_us(item):
    """Whether a test calls one of our functions: by its parameters, where these are functions, else by its code."""
    known = getattr(item.module, "ALL_METRICS", {})
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    functions = [
        each for each in (known.get(each, each) if isinstance(each, str) else each for each in given) if callable(each)
    ]
    if functions:
        return any(is_ours(each) for each in functions)
    return bool(names(item.function.__code__) & OURS.keys())


def is_ours(function):
    while isinstance(function, partial):
        function = function.func
    if any(function is each for each in OURS.values()):
        return True
    return isinstance(function, FunctionType) and bool(names(function.__code__) & OURS.keys())


def names(code):
    """Return the names that a function uses, also within the functions that it defines."""
    return set(code.co_names).union(*(names(each) for each in code.co_consts if isinstance(each, CodeType)))


def pytest_runtest_logreport(report):
    """Note the outcome of each test: of the first phase that did not pass, or of the call."""
    if report.outcome != "passed" or report.when == "call":
        OUTCOMES.setdefault(NAMES[report.nodeid], report.outcome)


def pytest_sessionfinish():
    """Write the outcomes where the caller reads them."""
    if path := os.environ.get("SKLEARN_SUITE_OUTCOMES"):
        Path(path).write_text(json.dumps(OUTCOMES), encoding="utf-8")
