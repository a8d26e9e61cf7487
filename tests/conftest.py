"""Hypothesis tries the same examples in CI each time, so that a change is what makes it fail; tests hold no doctests."""

import os
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[Any], list[Any]]:
    """Leave out the doctests of files here: looking for them imports what is no test, and goes through every test twice."""
    return [found for found in (yield) if type(found).__name__ != "DoctestModule"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, whatever the order of the others."""
    items.sort(key=lambda item: item.get_closest_marker("longest") is None)
