"""The command line as tests run it."""

import contextlib
import io
import subprocess
import sys
from dataclasses import dataclass
from unittest import mock


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments, stdin=b""):
    """Run the command line in this process, which saves the start of another one."""
    from howsure.cli import main

    out, err, code = io.StringIO(), io.StringIO(), 0
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
    return Ended(code, out.getvalue(), err.getvalue())


def run_apart(*arguments, stdout=subprocess.PIPE):
    """Run the command line in a process of its own, as a shell does."""
    command = [sys.executable, "-c", "from howsure.cli import main; main()", *map(str, arguments)]
    streams = {"stdin": subprocess.DEVNULL, "stdout": stdout, "stderr": subprocess.PIPE}
    return subprocess.run(command, **streams, text=True, check=False)
