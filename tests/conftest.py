"""Hypothesis settings: CI always tries the same examples, so a failure is due to a change; tests have no doctests."""

import copy
import functools
import os
import shutil
from collections.abc import Generator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

# The duration of an example is meaningless on a busy machine; use pytest's durations.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("here", deadline=None, max_examples=50)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[Any], list[Any]]:
    """Leave out doctests of files here: collecting them imports other files, and runs through every test twice."""
    return [found for found in (yield) if type(found).__name__ != "DoctestModule"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run slow tests first, in any order of the others; store the state of the random generators before any test."""
    for item in items:
        _generators(getattr(item, "module", None))
    items.sort(key=lambda item: item.get_closest_marker("longest") is None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out the cases of a test together: xdist looks through all that it handed out each time, and workers wait for it."""
    from xdist.scheduler import LoadGroupScheduling

    class Together(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return super()._split_scope(nodeid).partition("[")[0]

    return Together(config, log) if config.getvalue("dist") == "loadgroup" else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Start each test with the state of the random generators when its file was read, for any order of tests."""
    for generator, state in _generators(getattr(item, "module", None)):
        generator.bit_generator.state = state


@functools.cache
def _generators(module: ModuleType | None) -> list[tuple[np.random.Generator, dict[str, Any]]]:
    """Return a file's generators, and their states now: before the first of its tests."""
    found = [each for each in vars(module).values() if isinstance(each, np.random.Generator)] if module else []
    return [(each, copy.deepcopy(dict(each.bit_generator.state))) for each in found]


@pytest.fixture(scope="session")
def chromium():
    """Return a headless Chromium, or skip the test."""
    sync_api = pytest.importorskip("playwright.sync_api")
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("there is no chromium here")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_api.sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=arguments)
        except sync_api.Error as error:
            pytest.skip(f"chromium does not start: {str(error).splitlines()[0]}")
        yield browser
        browser.close()
