"""The cells of the first sheet of a spreadsheet file, read by python-calamine or openpyxl."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError, reading


def rows_of_sheet(path: Path) -> list[list[Any]]:
    """Return the rows of the first sheet that holds something.

    Parameters
    ----------
    path : Path
        The file: xlsx, or with python-calamine also xls, xlsb and ods.

    Raises
    ------
    HowsureError
        If no reader is installed, or the file cannot be read.
    """
    for package, read in (("python_calamine", _by_calamine), ("openpyxl", _by_openpyxl)):
        if importlib.util.find_spec(package) is not None:
            with reading(f"'{path}'"):
                return next((rows for rows in read(path) if _holds_something(rows)), [])
    message = f"Reading '{path}' needs a reader of spreadsheets: pip install 'howsure[sheets]'. Or save it as CSV."
    raise HowsureError(message)


def _holds_something(rows: list[list[Any]]) -> bool:
    return any(cell not in {None, ""} for row in rows for cell in row)


def _by_calamine(path: Path) -> Any:
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_path(str(path))
    return (book.get_sheet_by_name(name).to_python() for name in book.sheet_names)


def _by_openpyxl(path: Path) -> Any:
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True, data_only=True)
    return ([list(row) for row in sheet.iter_rows(values_only=True)] for sheet in book.worksheets)
