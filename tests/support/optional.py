"""Packages without which a test is skipped: not every build of Python has wheels of them."""

from importlib import import_module

import pytest


class Absent:
    """A package that is not installed: a test that uses it is skipped, and a file whose cases need it."""

    def __init__(self, package):
        self.package = package

    def __getattr__(self, name):
        """Skip whatever asks for a name of the package; pytest asks each name of a file for marks of its own."""
        if name.startswith(("_", "pytest")):
            raise AttributeError(name)
        pytest.skip(f"{self.package} is not installed", allow_module_level=True)


def optional(package):
    """Return a package, or one that skips the tests that use it."""
    try:
        return import_module(package)
    except ModuleNotFoundError:
        return Absent(package)
