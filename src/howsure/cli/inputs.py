"""The data of a command: files, folders and patterns, or standard input."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from howsure.errors import HowsureError

HYPHEN, STANDARD = "-", "<stdin>"  # names of standard input: as users write it, and one that is not parsed as an option
Files = Annotated[list[str], Parameter(name="FILE", negative=())]
InputFormat = Annotated[
    Literal["csv", "tsv", "json", "jsonl", "parquet", "feather", "xlsx", "xls", "ods", "imrmc"] | None,
    Parameter(help="Format of standard input; it may be compressed."),
]


@dataclass(frozen=True, slots=True)
class Input:
    """The input of a command and its title.

    Parameters
    ----------
    data : list of str
        Files, folders and patterns.
    title : str
        As it was given.
    """

    data: list[str]
    title: str

    @classmethod
    def of(cls, files: Sequence[str], input_format: InputFormat, sheet: str | None = None) -> Input:
        """Return the input; standard input, `-`, is stored in a file until the command ends.

        Parameters
        ----------
        files : sequence of str
            The arguments of the command.
        input_format : str or None
            Format of standard input.
        sheet : str, optional
            Sheet of spreadsheet files.

        Raises
        ------
        HowsureError
            If standard input has no format or is combined with files; if a format is given for files; or if a sheet is
            named for a file that is not a spreadsheet.
        """
        if STANDARD not in files:
            if input_format is not None:
                raise HowsureError(
                    "`--input-format` is for standard input, `-`: the format of a file follows from its suffix."
                )
            more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
            return cls(in_sheet(files, sheet), f"{files[0]}{more}")
        if len(files) > 1:
            raise HowsureError("Standard input, `-`, stands alone: give it, or files.")
        if input_format is None:
            raise HowsureError(
                "Standard input has no suffix that says its format. Give one, such as --input-format csv."
            )
        return cls(in_sheet([str(_kept(input_format))], sheet), "standard input")


def in_sheet(files: Sequence[str], sheet: str | None) -> list[str]:
    """Return file names with the requested sheet appended, as in ``book.xlsx#Sheet 2``.

    Parameters
    ----------
    files : sequence of str
        The files.
    sheet : str, optional
        The sheet; None leaves the names unchanged.

    Raises
    ------
    HowsureError
        If a file is not a spreadsheet.
    """
    from howsure.sources.locations import SHEETS, suffix_of

    other = next((file for file in files if suffix_of(file) not in SHEETS), None)
    if sheet is not None and other is not None:
        raise HowsureError(f"`--sheet` is for spreadsheets ({', '.join(SHEETS)}), and '{other}' is none.")
    return list(files) if sheet is None else [f"{file}#{sheet}" for file in files]


def _kept(input_format: str) -> Path:
    """Return a file with the content of standard input."""
    from howsure.sources.content import START, compression_of

    folder = tempfile.mkdtemp(prefix="howsure-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "input"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with path.open("rb") as file:
        packed = compression_of(file.read(START))
    return path.rename(path.with_name(f"standard-input.{input_format}{packed}"))


def files_by_name(logs: Sequence[str]) -> list[str] | dict[str, list[str]]:
    """Return files, or a mapping from name to files for NAME=FILE (unless the whole text names a file or matches some).

    Raises
    ------
    HowsureError
        If only some have a name.
    """
    from howsure.sources.locations import matching

    whole = [each for each in logs if "=" not in each or Path(each).exists() or matching(each)]
    pairs = [("", each) if each in whole else tuple(each.split("=", 1)) for each in logs]
    if not any(name for name, _ in pairs):
        return list(logs)
    if not all(name for name, _ in pairs):
        raise HowsureError("Some logs have names, NAME=FILE, and some have none. Give all of them one, or none.")
    named: dict[str, list[str]] = {}
    for name, file in pairs:
        named.setdefault(name, []).append(file)
    return named
