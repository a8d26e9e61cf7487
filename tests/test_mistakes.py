"""Plausible mistakes of newcomers: each ends with one line that names the culprit and the remedy."""

import pytest

from mistakes import IN_THE_SHELL, MISTAKES
from support.shell import run

LONGEST = 300  # signs of a message that is read


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_python_is_one_line(mistake):
    """The message names the culprit and the remedy; it is our error, or Python's own for a name that is none."""
    attempt, culprit, remedy = MISTAKES[mistake]
    with pytest.raises((ValueError, KeyError, AttributeError)) as caught:
        attempt()
    message = str(caught.value)
    assert culprit in message
    assert remedy in message
    assert "\n" not in message
    assert len(message) < LONGEST


@pytest.mark.parametrize("mistake", IN_THE_SHELL)
def test_a_mistake_in_the_shell_is_one_line(mistake, monkeypatch):
    """The line starts with the program's name, names fault and remedy, and the exit code is 2."""
    monkeypatch.setenv("COLUMNS", "1000")
    words, culprit, remedy = IN_THE_SHELL[mistake]
    found = run(*words)
    assert found.returncode == 2
    assert found.stdout == ""
    assert found.stderr.startswith("howsure: ")
    assert found.stderr.count("\n") == 1
    assert culprit in found.stderr
    assert remedy in found.stderr
