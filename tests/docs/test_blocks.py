"""Blocks of commands: what they print is what the documents show, and every command line is valid."""

import re
import shlex
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest

from support.shell import run

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "docs" / "guide").glob("*.md"),
    *(ROOT / "docs" / "theory").glob("*.md"),
    ROOT / "examples" / "README.md",
]
FENCE = re.compile(r"^```(\S*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
CHECKED = {"python", "sh", "text"}  # the first by the documents' own tests, the others here
DATA = {"toml", "yaml"}  # which tests of their subject read
BLOCKS = [(path, *found.groups()) for path in PAGES for found in FENCE.finditer(path.read_text())]


def named(path, text):
    """Return the name of a block as a test."""
    return f"{path.relative_to(ROOT)}: {text.strip().splitlines()[0]}"


@pytest.mark.parametrize("path", PAGES, ids=[str(each.relative_to(ROOT)) for each in PAGES])
def test_every_block_is_of_a_kind_that_is_checked(path):
    """A block in another language would become stale in silence."""
    kinds = {kind for page, kind, _ in BLOCKS if page == path and not kind.startswith("{")}
    assert kinds <= CHECKED | DATA


SHOWN = [(path, text) for path, kind, text in BLOCKS if kind == "text"]


@pytest.mark.parametrize("text", [text for _, text in SHOWN], ids=[named(*each) for each in SHOWN])
def test_output_is_what_the_command_prints(text, monkeypatch):
    """A block of text is a command after `$` and its output; `...` stands for any part of it."""
    monkeypatch.chdir(ROOT)
    first, _, wanted = text.partition("\n")
    assert first.startswith("$ howsure "), first
    ended = run(*shlex.split(first)[2:])
    assert OutputChecker().check_output(wanted, ended.screen, ELLIPSIS | NORMALIZE_WHITESPACE), ended.screen


LINES = [
    (path, line)
    for path, kind, text in BLOCKS
    if kind == "sh"
    for line in text.replace("\\\n", " ").splitlines()
    if line.startswith("howsure ")
]


@pytest.mark.parametrize("line", [line for _, line in LINES], ids=[named(*each) for each in LINES])
def test_command_lines_are_valid(line):
    """Commands and options exist, and their values are of the right kind; the files need not exist."""
    from howsure.cli.app import app

    words = shlex.split(line, comments=True)[1:]
    if "--use" in words:  # an option of all commands, read before them
        del words[(place := words.index("--use")) : place + 2]
    if {"--help", "--version"} & set(words):
        return
    app.parse_args(words, exit_on_error=False, print_error=False)
