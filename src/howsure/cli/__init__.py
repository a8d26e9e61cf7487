"""The command line: ``howsure report FILE --y-true … --y-pred …`` and its companions."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import NoReturn

GARBAGE = 100_000  # new objects from which on it is looked for; some 700 by default


def main() -> None:
    """Run the command line; errors of input and of files end with one line on stderr and exit code 2."""
    if sys.argv[1:] == ["--version"]:  # which needs no command, and programs ask for it often
        from importlib.metadata import version

        sys.stdout.write(f"{version('howsure')}\n")
        return
    _keep_garbage()
    try:
        from cyclopts import CycloptsError

        from howsure.cli.app import app
    except ImportError as error:
        _end(f"the command line needs '{error.name}'. Install it: pip install 'howsure[cli]'")
    from howsure.errors import DoubtfulDataError, HowsureError

    try:
        try:
            app.meta(sys.argv[1:], exit_on_error=False, print_error=False)
        finally:
            sys.stdout.flush()  # a full disk is found here, not when Python ends
    except CycloptsError as error:
        _end(str(HowsureError(str(error))))
    except DoubtfulDataError as error:
        _end(error.with_way_out("--no-check"))
    except HowsureError as error:
        _end(str(error))
    except BrokenPipeError:
        # The reader went away (`| head`): nothing is wrong.
        _drop_output()
        raise SystemExit(0) from None
    except OSError as error:
        _drop_output()
        where = f"'{error.filename}'" if error.filename else "the output"
        _end(str(HowsureError(f"{where} cannot be read or written: {error.strerror or error}.")))
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _keep_garbage() -> None:
    """Look for garbage seldom, and not at the end: what a command imports is none, and takes long to look through."""
    gc.set_threshold(GARBAGE)
    atexit.register(gc.freeze)


def _end(message: str) -> NoReturn:
    sys.stderr.write(f"howsure: {message}\n")
    raise SystemExit(2) from None


def _drop_output() -> None:
    """Send what is still to be written nowhere, so that Python does not try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
