"""A pytest plugin that puts howsure's functions in the place of scikit-learn's, before its tests import them.

Run as ``pytest -p sklearn_suite --pyargs sklearn.metrics.tests.test_classification``. Tests that call none of the
replaced functions are left out. Messages are our own, so what `pytest.raises` and `pytest.warns` match them
against is not held against us: that an error or a warning comes, and of which class, is.
"""

import json
import os
import sys
from functools import partial
from types import CodeType, FunctionType, SimpleNamespace

import pytest
import sklearn.exceptions
import sklearn.metrics
import sklearn.metrics._classification
import sklearn.metrics._ranking

import howsure as hs
from howsure.compat.undefined import UndefinedMetricWarning

NAMES = sorted(name for name in dir(hs) if hasattr(sklearn.metrics, name) and not name.endswith("_curve"))
OURS = {name: getattr(hs, name) for name in NAMES}
THEIRS = {getattr(sklearn.metrics, name) for name in NAMES}
OWN_TABLES = ("ALL_METRICS",)  # of test_common: the functions by the names that its tests take


def pytest_configure() -> None:
    """Replace the functions where tests import them from, and the warning that they raise."""
    for module in (sklearn.metrics, sklearn.metrics._classification, sklearn.metrics._ranking):
        for name, function in OURS.items():
            if hasattr(module, name):
                setattr(module, name, function)
    sklearn.exceptions.UndefinedMetricWarning = UndefinedMetricWarning


def _without_match(function):
    def called(*args, match=None, **keywords):  # noqa: ARG001 - the words are theirs
        return function(*args, **keywords)

    return called


PYTEST = SimpleNamespace(**vars(pytest) | {"raises": _without_match(pytest.raises), "warns": _without_match(pytest.warns)})


def pytest_collection_modifyitems(config, items) -> None:
    """Keep the tests that call a replaced function."""
    kept = [item for item in items if _concerns(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept
    for item in items:
        item.module.pytest = PYTEST


def _concerns(item) -> bool:
    metrics = getattr(item.module, "ALL_METRICS", {})
    given = list(getattr(item, "callspec", SimpleNamespace(params={})).params.values())
    given = [metrics.get(each, each) if isinstance(each, str) else each for each in given]
    callables = [each for each in given if callable(each)]
    if callables:
        return any(_is_ours(each) for each in callables)
    return bool(_names(item.function.__code__) & set(OURS))


def _is_ours(function) -> bool:
    while isinstance(function, partial):
        function = function.func
    if any(function is each for each in OURS.values()):
        return True
    return isinstance(function, FunctionType) and bool(_names(function.__code__) & set(OURS))


def _names(code: CodeType) -> set[str]:
    inner = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*inner)


OUTCOMES: dict[str, str] = {}


def pytest_runtest_logreport(report) -> None:
    """Note the outcome of each test."""
    name = report.nodeid.rpartition("/")[2]
    if report.failed:
        OUTCOMES[name] = "failed"
    elif report.when == "call" or report.skipped:
        OUTCOMES.setdefault(name, report.outcome)


def pytest_sessionfinish() -> None:
    """Write the outcomes where the caller reads them."""
    if path := os.environ.get("SKLEARN_SUITE_OUTCOMES"):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(OUTCOMES, file)
