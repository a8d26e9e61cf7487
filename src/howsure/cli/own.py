"""User-defined metrics and methods from a Python file."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from howsure.errors import HowsureError


def run(file: Path) -> None:
    """Run a Python file to register its metrics and methods.

    Parameters
    ----------
    file : Path
        File with calls of `define_metric` and subclasses of `Method`.

    Raises
    ------
    HowsureError
        If the file cannot be read, or stops with an error; the message names it.
    """
    spec = spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise HowsureError(f"`--use` takes a Python file, which ends in .py, not '{file}'.")
    try:
        spec.loader.exec_module(module_from_spec(spec))
    except Exception as error:
        kind = "" if isinstance(error, HowsureError) else f"{type(error).__name__}: "
        raise HowsureError(f"'{file}' cannot be used: {kind}{error}") from error
