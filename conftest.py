"""Runs the Python examples of the Markdown files; pytest's own doctest collector reads the docstrings."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from importlib import import_module
from typing import Any

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

collect_ignore = ["docs/_build", "docs/api"]  # what `make docs` writes


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what is imported and collected out of every search for garbage: it stays until the end."""
    gc.disable()
    result = yield
    gc.collect()
    gc.freeze()
    gc.enable()
    return result


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the docstrings that a module with a stub repeats from the modules which define the names."""
    items[:] = [
        item
        for item in items
        if not (isinstance(item, pytest.DoctestItem) and item.path.with_suffix(".pyi").exists() and _is_repeated(item))
    ]


def _is_imported(kind: type) -> bool:
    """Whether a class is one of a module, and not of an example."""
    return getattr(sys.modules.get(kind.__module__), kind.__name__, None) is kind


def _is_repeated(item: pytest.DoctestItem) -> bool:
    return item.name != item.dtest.globs["__name__"]


def close_figures(_: Any = None) -> None:
    """Close what examples drew; pyplot warns of more than twenty."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Forget the metrics, methods and kinds of evidence that a test or a docstring's example defines, and what it drew.

    Fixtures for every test would take most of the time of the shortest ones.
    """
    import_module("howsure.methods.library")  # whose methods register themselves once
    from howsure.methods.core.registry import METHODS
    from howsure.metrics.kinds import FORMS
    from howsure.metrics.registry import REGISTRY
    from howsure.tables.serialization import TABLES

    methods, metrics, forms = dict(METHODS), {each.name for each in REGISTRY if each.own}, {*FORMS}
    tables = {*TABLES}
    result = yield
    close_figures()
    if isinstance(item, pytest.Function | pytest.DoctestItem):  # a document's examples build on each other
        for name in [name for name, form in FORMS.items() if form.own and name not in forms]:
            del FORMS[name]
        for name in [name for name, kind in TABLES.items() if name not in tables and not _is_imported(kind)]:
            del TABLES[name]
        METHODS.clear()
        METHODS.update(methods)
        for metric in [each for each in REGISTRY if each.own and each.name not in metrics]:
            REGISTRY.remove(metric.name)
    return result


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS | NORMALIZE_WHITESPACE), SkipParser()],
    patterns=["*.md"],
    teardown=close_figures,
).pytest()
