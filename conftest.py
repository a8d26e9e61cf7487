"""Runs the Python examples of the Markdown files; pytest's own doctest collector reads the docstrings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from typing import Any

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser


def close_figures(_: Any = None) -> None:
    """Close what examples drew; pyplot warns of more than twenty."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    yield
    close_figures()


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS | NORMALIZE_WHITESPACE), SkipParser()],
    patterns=["*.md"],
    teardown=close_figures,
).pytest()
