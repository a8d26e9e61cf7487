"""The command line as tests run it."""

import contextlib
import io
import subprocess
import sys
from dataclasses import dataclass
from unittest import mock


@dataclass(frozen=True)
class Ended:
    """Exit status and output of a command: each stream, and both in the order of a terminal."""

    returncode: int
    stdout: str
    stderr: str
    screen: str


class Stream(io.StringIO):
    """A stream that a terminal shows among others."""

    def __init__(self, screen):
        super().__init__()
        self.screen = screen

    def write(self, text):
        """Write a text, here and on the terminal."""
        self.screen.append(text)
        return super().write(text)


def run(*arguments, stdin=b""):
    """Run the command line in this process, which saves the start of another one."""
    from howsure.cli import main

    screen, code = [], 0
    out, err = Stream(screen), Stream(screen)
    with (
        mock.patch.object(sys, "argv", ["howsure", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    return Ended(code, out.getvalue(), err.getvalue(), "".join(screen))


def run_apart(*arguments, stdout=subprocess.PIPE):
    """Run the command line in a process of its own, as a shell does."""
    command = [sys.executable, "-c", "from howsure.cli import main; main()", *map(str, arguments)]
    streams = {"stdin": subprocess.DEVNULL, "stdout": stdout, "stderr": subprocess.PIPE}
    return subprocess.run(command, **streams, text=True, check=False)
