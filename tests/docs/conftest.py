"""Where the documents are, and the parts of the site that are made from the library."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="session")
def docs():
    """Return the folder of the documents."""
    return DOCS


def part(name):
    """Return a module of the site's own extensions."""
    spec = importlib.util.spec_from_file_location(f"site_{name}", DOCS / "extensions" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def reference():
    """Return the module that generates the reference."""
    return part("reference")


@pytest.fixture(scope="session")
def made():
    """Return the module that generates parts of pages."""
    return part("made")
