"""Strata from the command line."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError
from howsure.escapes import is_number

REMEDY = "Give stratum=size,… or a CSV file with a stratum and its size in each row."


def strata_of(strata: str | None, sizes: str | None) -> dict[str, Any]:
    """Return the strata arguments of a source of tables; empty without strata.

    Parameters
    ----------
    strata : str, optional
        Column with the stratum of each case.
    sizes : str, optional
        Sizes as ``stratum=size,…``, or a CSV file of two columns with an optional header.

    Raises
    ------
    HowsureError
        If a size is not a number, or the file cannot be read.
    """
    if strata is None and sizes is None:
        return {}
    return {"strata": strata, "stratum_sizes": None if sizes is None else _sizes(sizes)}


def _sizes(given: str) -> dict[str, float]:
    path = Path(given)
    if "=" in given and not path.exists():
        pairs = [part.rpartition("=")[::2] for part in given.split(",") if part]
        return {name.strip(): _number(name, size) for name, size in pairs}
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise HowsureError(
            f"`--stratum-sizes` is '{given}', which cannot be read as a file ({type(error).__name__}). {REMEDY}"
        ) from None
    if not rows or any(len(row) != 2 for row in rows):
        raise HowsureError(f"`--stratum-sizes`: '{given}' does not have two columns. {REMEDY}")
    first = 0 if is_number(rows[0][1]) else 1
    return {name.strip(): _number(name, size) for name, size in rows[first:]}


def _number(name: str, size: str) -> float:
    if not is_number(size):
        raise HowsureError(f"`--stratum-sizes` has {size!r} for the stratum {name!r}. {REMEDY}")
    return float(size)
