"""The cells and columns of a sheet of a spreadsheet file, read by python-calamine or openpyxl."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError, listed, one_of, reading
from howsure.sources.locations import Location, sheet_of
from howsure.sources.parts import refuse_header

Row = list[Any]
BY_OPENPYXL = (".xlsx", ".xlsm")
RJAFROC = {"TRUTH", "FP", "TP"}, {"TRUTH", "NL", "LL"}  # sheets of its workbooks
FAULTS = frozenset({"#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"})  # errors of formulas


def rows_of_sheet(file: Location) -> list[Row]:
    """Return the rows of the named sheet, or of the only non-empty sheet.

    Parameters
    ----------
    file : str or Path
        The file: xlsx, or with python-calamine also xls, xlsb and ods. ``book.xlsx#Sheet 2`` names a sheet.

    Raises
    ------
    HowsureError
        If no reader is installed, the file cannot be read, it has no such sheet, or several sheets are not empty.
    """
    path, wanted = sheet_of(file)
    readers = (("python_calamine", _by_calamine), ("openpyxl", _by_openpyxl))
    for package, read in readers if path.suffix.lower() in BY_OPENPYXL else readers[:1]:
        if importlib.util.find_spec(package) is not None:
            with reading(f"'{path}'"):
                sheets = dict(read(path))
            return _chosen(path, sheets, wanted)
    raise HowsureError(
        f"Reading '{path}' needs a reader of spreadsheets: pip install 'howsure[sheets]'. Or save it as CSV."
    )


def _chosen(path: Path, sheets: dict[str, list[Row]], wanted: str) -> list[Row]:
    if wanted:
        one_of("sheet", wanted, sheets)
        return sheets[wanted]
    filled = {name: rows for name, rows in sheets.items() if any(not _is_blank(cell) for row in rows for cell in row)}
    if any(each <= set(filled) for each in RJAFROC):
        raise HowsureError(
            f"'{path}' is a workbook of RJafroc: {listed(filled)}. Save its ROC ratings with one row per read, in R by "
            "DfSaveDataFile(…, format = 'iMRMC')."
        )
    if len(filled) > 1:
        first = next(iter(filled))
        raise HowsureError(
            f"'{path}' has several sheets: {listed(filled)}. Name one: '{path.name}#{first}', or --sheet in a command."
        )
    return next(iter(filled.values()), [])


def columns_of_sheet(file: Location) -> dict[str, list[Any]]:
    """Return the columns of a sheet with names in its first row; blank cells are missing values (None).

    Raises
    ------
    HowsureError
        If a column has no name, a name occurs twice, or a cell holds a formula error.
    """
    path, _ = sheet_of(file)
    rows = [row for row in rows_of_sheet(file) if not all(map(_is_blank, row))]
    if len(rows) < 2:
        raise HowsureError(
            f"'{path}' holds no cases: give the names of the columns in the first row, and the cases below."
        )
    width = max(len(row) for row in rows)
    columns = [[row[place] if place < len(row) else None for row in rows] for place in range(width)]
    filled = [column for column in columns if not all(map(_is_blank, column))]
    names = ["" if _is_blank(column[0]) else str(_number(column[0])).strip() for column in filled]
    if not all(names):
        raise HowsureError(
            f"'{path}': {len(filled) - len(list(filter(None, names)))} of {len(names)} columns have no name in the "
            f"first row ({listed(filter(None, names))}). Leave out titles above it, and name every column."
        )
    refuse_header(path, names)
    return {name: _values(path, name, column[1:]) for name, column in zip(names, filled, strict=True)}


def _values(path: Path, name: str, cells: Row) -> list[Any]:
    """Return the cells of a column: integers if all numbers are whole, None for blank cells."""
    found = [None if _is_blank(cell) else cell for cell in cells]
    fault = next((cell for cell in found if isinstance(cell, str) and cell in FAULTS), None)
    if fault is not None:
        raise HowsureError(
            f"'{path}': column {name!r} holds {fault}, the error of a formula. Correct the cell, or leave it out."
        )
    is_whole = all(each is None or (isinstance(each, int | float) and float(each).is_integer()) for each in found)
    return list(map(_number, found)) if is_whole else found


def _number(cell: object) -> Any:
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _is_blank(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _by_calamine(path: Path) -> Iterator[tuple[str, list[Row]]]:
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_path(str(path))
    return ((name, book.get_sheet_by_name(name).to_python()) for name in book.sheet_names)


def _by_openpyxl(path: Path) -> Iterator[tuple[str, list[Row]]]:
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True, data_only=True)
    return ((sheet.title, [list(row) for row in sheet.iter_rows(values_only=True)]) for sheet in book.worksheets)
