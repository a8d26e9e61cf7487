"""The command line: ``howsure report FILE --y-true … --y-pred …`` and its companions."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

GARBAGE = 100_000  # new objects before a collection; about 700 by default


def main() -> None:
    """Run the command line; errors of input and of files end with one line on stderr and exit code 2."""
    if sys.argv[1:] == ["--version"]:  # handled early, because programs often request it
        from importlib.metadata import version

        sys.stdout.write(f"{version('howsure')}\n")
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads would wait in a loop; draws have their own
    _keep_garbage()
    try:
        from cyclopts import CycloptsError

        from howsure.cli.app import app, run
        from howsure.cli.remedies import Running, shell_words
    except ImportError as error:
        _end(f"the command line needs '{error.name}'. Install it: pip install 'howsure[cli]'")
    from howsure.errors import HowsureError

    Running.app = app
    try:
        try:
            with _warnings_in_one_line():
                run(sys.argv[1:])
        finally:
            sys.stdout.flush()  # a full disk raises an error here rather than at exit
    except CycloptsError as error:
        from howsure.cli.usage import usage_error

        _end(str(HowsureError(usage_error(error, sys.argv[1:], app))))
    except HowsureError as error:
        _end(shell_words(str(error)))
    except BrokenPipeError:
        # The reader closed the pipe (`| head`), which is not an error.
        _drop_output()
        raise SystemExit(0) from None
    except OSError as error:
        _drop_output()
        where = f"'{error.filename}'" if error.filename else "the output"
        _end(str(HowsureError(f"{where} cannot be read or written: {error.strerror or error}.")))
    except KeyboardInterrupt:
        raise SystemExit(130) from None


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """Write warnings of the package in one line each, in the words of the shell; others as Python does."""
    from howsure.cli.remedies import shell_words
    from howsure.errors import HowsureWarning

    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **stream: Any) -> None:
            if issubclass(category, HowsureWarning):
                sys.stderr.write(f"howsure: {shell_words(str(message))}\n")
            else:
                usual(message, category, *place, **stream)

        warnings.simplefilter("default", HowsureWarning)
        warnings.showwarning = show
        yield


def _keep_garbage() -> None:
    """Run the garbage collector rarely, and not at exit, because scanning the imported objects is slow."""
    gc.set_threshold(GARBAGE)
    atexit.register(gc.freeze)


def _end(message: str) -> NoReturn:
    sys.stderr.write(f"howsure: {message}\n")
    raise SystemExit(2) from None


def _drop_output() -> None:
    """Redirect the remaining output to the null device, so that Python does not write it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
