"""What type checkers see of the public names: everything, and every mistake."""

import runpy
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from howsure.methods.core.names import MethodName
from howsure.methods.core.registry import AUTOMATIC
from howsure.methods.library import METHODS

HERE = Path(__file__).parent
FILES = [str(HERE / "user_code.py"), str(HERE / "wrong_code.py")]


def run(*command):
    """Run a module of this Python in the root of the project."""
    command = [sys.executable, "-m", *command]
    return subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, check=False)


def checked(*command):
    """Run a type checker; its findings are the failure's message."""
    done = run(*command)
    assert not done.returncode, done.stdout + done.stderr


@pytest.mark.types
def test_mypy_sees_types_and_mistakes():
    """User code has types, and mistakes are errors, with `mypy --strict`."""
    checked("mypy", "--strict", *FILES)


@pytest.mark.types
def test_pyright_sees_types_and_mistakes():
    """User code has types, and mistakes are errors, with pyright."""
    pytest.importorskip("pyright", reason="pyright is not installed")
    if run("pyright", "--version").returncode:
        pytest.skip("pyright cannot fetch its program: there is no network")
    checked("pyright", "--pythonpath", sys.executable, *FILES)


def test_what_users_write_runs():
    """The file that type checkers read runs too."""
    assert runpy.run_path(FILES[0])["estimate"] > 0


def test_names_of_methods():
    """Type checkers accept the names of the shipped methods, their synonyms, and no others."""
    shipped = {
        name
        for method, entry in METHODS.items()
        for name in (method, *entry.variant.synonyms)
        if getattr(sys.modules[entry.kind.__module__], entry.kind.__qualname__, None) is entry.kind
    }
    assert set(get_args(MethodName)) == {AUTOMATIC, *shipped}
