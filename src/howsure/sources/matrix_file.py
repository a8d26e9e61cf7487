"""Confusion matrices in text files and spreadsheets, with or without labels."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError, HowsureError, listed, warn
from howsure.escapes import is_number
from howsure.sources.content import is_page, refuse_other_content
from howsure.sources.locations import SHEETS, is_file, is_pipe, missing, sheet_of, suffix_of
from howsure.sources.matrix_axes import Axis, corner_names, laid_out, states_both, title_names, warn_of_percentages
from howsure.sources.matrix_code import without_tags
from howsure.sources.matrix_crosstabs import Line, crosstab_of, lines_of, lines_of_cells
from howsure.sources.matrix_json import cells_of_json
from howsure.sources.matrix_lines import places_of_roles
from howsure.sources.matrix_printouts import parts_of, without_marks
from howsure.sources.matrix_text import OUTCOMES, cells_of, count_of, outcome_of
from howsure.sources.matrix_words import ERRORS, axis_kind, names_statistic, names_total
from howsure.sources.outcomes import refuse_same_cases
from howsure.sources.rate_reports import matrix_of_report, report_of
from howsure.sources.text_encoding import decoded

THOUSANDS = re.compile(r"[1-9]\d{0,2}(\.\d{3})+")  # with points, or a number with three decimals
NOTHING = frozenset({"", ".", "-", "–", "—"})
RATES = re.compile(r"\bprecision['\"]?\b.*\brecall\b.*\bf1-score\b.*\bsupport\b", re.DOTALL)  # of scikit-learn's report
NUMBERING = re.compile(r"(unnamed.*|row.?(id|names?|numbers?)?|index)?", re.IGNORECASE)  # names of a column of numbers
LINES = 3  # columns of a file with one line per combination of classes


def read_matrix(
    path: str | Path, labels: Sequence[object] | None = None, *, check: bool = True
) -> tuple[list[Any] | None, Array]:
    """Return the labels (None where there are none) and counts of a confusion matrix in a file.

    The file may have a header row, a first column of labels, both or neither; classes are matched by their names. The
    corner cell (``true/predicted``), or labels such as ``Actual x`` and ``Predicted x``, determine the orientation: the
    true classes are in rows by default. Totals are ignored. Cells are separated by commas, semicolons, tabs, blanks or
    the bars of Markdown. A header of TP, FP, FN and TN names the outcomes of two classes, and three columns (true,
    predicted, number) hold one line per combination of classes.

    Parameters
    ----------
    path : str or Path
        The file; ``book.xlsx#Sheet 2`` is a sheet of a spreadsheet file.
    labels : sequence, optional
        The classes, in order.
    check : bool
        Whether to refuse a last row and column that are the sums of the others, where they have no name.

    Raises
    ------
    HowsureError
        If the file is missing or is not a matrix of counts.
    """
    path = Path(path)
    if not is_file(sheet_of(path)[0]) and not is_pipe(path):
        raise missing(path)
    if sheet_of(path)[0].suffix.lower() in SHEETS and not is_page(path):
        refuse_other_content(sheet_of(path)[0])
        return _matrix_of_sheet(path, labels, check=check)
    text = without_tags(decoded(path, pages=True))
    try:
        return _matrix_of(path, _cells(path, text), labels, check=check)
    except DoubtfulDataError:
        raise
    except HowsureError:
        text = without_marks(text)
        found = _found_in(path, text, labels, check=check)
        found = found or _of_crosstab(path, lines_of(text), labels, check=check)
        if found is None and RATES.search(text):
            return _of_rates(path, text)
        if found is None:
            refuse_other_content(path)  # a web page without a matrix
            raise
        return found


def _of_rates(path: Path, text: str) -> tuple[list[Any], Array]:
    """Return the labels and counts of the two classes of scikit-learn's report."""
    report = report_of(text)
    if len(report) < 2:
        raise HowsureError(
            f"'{path}' holds a report of rates, and no matrix. Give the numbers of cases; for rates of one class, "
            "`from_rates(precision=…, recall=…, positives=…, negatives=…)`."
        )
    try:
        return list(report), matrix_of_report(report)
    except HowsureError as error:
        raise HowsureError(_in_file(path, str(error))) from None


def _matrix_of_sheet(path: Path, labels: Sequence[object] | None, *, check: bool) -> tuple[list[Any] | None, Array]:
    """Return the labels and counts of a matrix in a spreadsheet file."""
    rows = _cells_of_sheet(path)
    try:
        return _matrix_of(path, rows, labels, check=check)
    except DoubtfulDataError:
        raise
    except HowsureError:
        found = _of_crosstab(path, lines_of_cells(rows), labels, check=check)
        if found is None:
            raise
        return found


def _of_crosstab(
    path: Path, lines: list[Line], labels: Sequence[object] | None, *, check: bool
) -> tuple[list[Any] | None, Array] | None:
    """Return the labels and counts of the only cross-table in a printout; None if there is none."""
    try:
        cells = crosstab_of(lines)
    except HowsureError as error:
        raise HowsureError(_in_file(path, str(error))) from None
    if cells is None:
        return None
    found = _matrix_of(path, cells, labels, check=check)
    warn(f"'{path}' holds other lines than those of the matrix, which were left out.")
    return found


def _found_in(
    path: Path, text: str, labels: Sequence[object] | None, *, check: bool
) -> tuple[list[Any] | None, Array] | None:
    """Return the only matrix among the paragraphs of a text; None if there is none."""
    found, refusals = [], 0
    for part in parts_of(text):
        try:
            found.append(_matrix_of(path, _cells(path, part), labels, check=check, part=True))
        except DoubtfulDataError:
            if found or not any(map(outcome_of, part.split())):
                return None
            raise
        except HowsureError:
            refusals += 1
    if not found:
        return None
    if len(found) > 1:
        raise HowsureError(f"'{path}' holds {len(found)} matrices. Keep one.")
    if refusals:
        warn(f"'{path}' holds other lines than those of the matrix, which were left out.")
    return found[0]


def _matrix_of(
    path: Path, rows: list[list[str]], labels: Sequence[object] | None, *, check: bool, part: bool = False
) -> tuple[list[Any] | None, Array]:
    """Return the labels and counts of a matrix in cells; those of a part of a text have a row for each column."""
    if not rows:
        raise HowsureError(f"'{path}' is empty.")
    of_two = _outcomes(path, rows, check=check)
    if of_two is not None:
        return list(labels or ("negative", "positive")), of_two
    try:
        if check:
            _refuse_bare_lines(rows)
        row_axis, column_axis, body = _without_rates(*(_lines(rows) or _split(path, rows)))
        _refuse_other_shapes(row_axis, column_axis, body, part=part)
        matrix, found = laid_out(_numbers(path, body), row_axis, column_axis, labels, check=check)
    except DoubtfulDataError as error:
        raise DoubtfulDataError(_in_file(path, str(error))) from None
    except HowsureError as error:
        raise HowsureError(_in_file(path, str(error))) from None
    if matrix.shape[0] != matrix.shape[1]:
        height, width = matrix.shape
        raise HowsureError(f"'{path}' is not a square matrix: {height} rows of counts, but row 1 has {width} columns.")
    if check and matrix.shape == (2, 2):  # which a paper may print in per cent
        warn_of_percentages(matrix)
    return found, matrix


def _without_rates(rows: Axis, columns: Axis, body: list[list[str]]) -> tuple[Axis, Axis, list[list[str]]]:
    """Leave out rows and columns that are named as errors, or as metrics and hold other numbers than counts."""
    if not body or not body[0]:  # refused
        return rows, columns, body
    cells = np.array(body, dtype=object)
    kept, left, dropped = [], [], []
    for axis, lines in ((rows, cells), (columns, cells.T)):
        labels = axis.labels or [""] * len(lines)
        rates = [
            name == ERRORS or (names_statistic(name) and not all(count_of(cell).is_integer() for cell in line))
            for name, line in zip(labels, lines, strict=False)
        ]
        dropped += [name for name, is_rate in zip(labels, rates, strict=True) if is_rate]
        kept.append([place for place, is_rate in enumerate(rates) if not is_rate])
        left.append(replace(axis, labels=axis.labels and [labels[place] for place in kept[-1]]))
    classes = [{str(name) for name in axis.labels or [] if not names_total(name)} for axis in left]
    are_bare = rows.labels is None and len(body) - len(kept[1]) in {0, 1}
    if not dropped or not (are_bare or classes[0]) or not (are_bare or classes[0] == classes[1]):
        return rows, columns, body
    warn(
        f"{listed(list(dict.fromkeys(dropped)))} in the labels of the matrix: numbers that are no cases of a class "
        "were left out."
    )
    return left[0], left[1], cells[np.ix_(*kept)].tolist()


def _refuse_other_shapes(rows: Axis, columns: Axis, body: list[list[str]], *, part: bool) -> None:
    """Refuse labels without counts, and other tables; in a part of a text, also a class without a row or a column."""
    if not body or not body[0]:
        raise HowsureError("it holds labels and no counts.")
    shared = set(rows.labels or ()) & set(columns.labels or ())
    if part:
        sizes = [
            sum(not names_total(label) for label in axis.labels or range(size))
            for axis, size in ((rows, len(body)), (columns, len(body[0])))
        ]
        if sizes[0] != sizes[1] or (rows.labels and not columns.labels and not rows.kind):
            raise HowsureError("it lacks the row or the column of a class.")
    if not shared and abs(len(body) - len(body[0])) > 1:
        raise HowsureError(
            f"it is not a square matrix: {len(body)} rows of counts, and {len(body[0])} columns.{_shape(rows, columns)}"
        )


def _shape(rows: Axis, columns: Axis) -> str:
    """Return what a table seems to be that is no matrix, and what to do."""
    labels = [*(rows.labels or ())]
    if len({*labels}) < len(labels) and not any(map(names_statistic, labels)):
        return " Its rows repeat: several matrices, one below another, it seems. Keep one."
    if any(map(names_statistic, [*labels, *(columns.labels or ())])):
        return " It is a table of metrics, it seems. Give the numbers of cases by true and predicted class."
    return (
        " Give a row for each true class and a column for each predicted one, or columns named true, predicted and n."
    )


def _in_file(path: Path, message: str) -> str:
    return message if f"'{path}'" in message else f"'{path}': {message}"


def _cells_of_sheet(path: Path) -> list[list[str]]:
    from howsure.sources.sheets import rows_of_sheet

    return _trimmed([["" if cell is None else _text(cell) for cell in row] for row in rows_of_sheet(path)])


def _cells(path: Path, text: str) -> list[list[str]]:
    try:
        return _trimmed(cells_of_json(text) or cells_of(text, suffix_of(path)))
    except csv.Error as error:
        raise HowsureError.unreadable(f"'{path}'", error) from None
    except HowsureError as error:
        raise HowsureError(_in_file(path, str(error))) from None


def _trimmed(rows: list[list[str]]) -> list[list[str]]:
    """Return rows without empty ones, and without empty columns at the end."""
    rows = [[cell.strip() for cell in row] for row in rows if any(map(str.strip, row))]
    width = max((place + 1 for row in rows for place, cell in enumerate(row) if cell), default=0)
    return [row[:width] for row in rows]


def _text(cell: object) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _outcomes(path: Path, rows: list[list[str]], *, check: bool) -> Array | None:
    """Return the matrix, or matrices, of a table whose header, or first column, is TP, FP, FN and TN."""
    if len(rows[0]) == 2 and {outcome_of(row[0]) for row in rows} >= {*OUTCOMES}:
        rows = [list(each) for each in zip(*rows, strict=True)]
    header = [outcome_of(cell) for cell in rows[0]]
    if [header.count(name) for name in OUTCOMES] != [1, 1, 1, 1]:
        return None
    found = [[row[header.index(name)] for name in OUTCOMES] for row in rows[1:]]
    cells = _numbers(path, [each for each in found if not {*each} <= NOTHING])  # the others are averages of metrics
    if len(cells) > 2 and np.array_equal(cells[-1], cells[:-1].sum(0)):
        if any(map(names_total, rows[-1])):
            warn(f"The last row of '{path}': the sums of the others. Totals are no table and were left out.")
            cells = cells[:-1]
        elif check:
            raise DoubtfulDataError(f"'{path}': the last row is the sum of the others: totals, it seems. Leave it out.")
    tp, fp, fn, tn = cells.T
    if check and len(tp) > 1:
        refuse_same_cases(path, rows, fn + tp, tn + fp)
    matrices = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
    return matrices[0] if len(matrices) == 1 else matrices


def _lines(rows: list[list[str]]) -> tuple[Axis, Axis, list[list[str]]] | None:
    """Return the matrix of a file with one line per combination of classes: true, predicted, number."""
    header, *lines = _three_columns(_without_row_names(rows))
    kinds = [axis_kind(name) for name in header]
    is_long = (
        len(header) == LINES and {*kinds[:2]} == {"true", "predicted"} and all(len(line) == LINES for line in lines)
    )
    if not is_long or not all(is_number(line[2]) for line in lines):
        return None
    if kinds[1] == kinds[2] and not {line[0] for line in lines} & {line[1] for line in lines}:
        return None  # a matrix of the columns "Predicted no" and "Predicted yes"
    first, second = ([*dict.fromkeys(line[place] for line in lines)] for place in (0, 1))
    found = {(line[0], line[1]): line[2] for line in lines}
    if len(found) < len(lines):
        raise HowsureError("it has a combination of classes more than once. Add their numbers up, or count the cases.")
    body = [[found.get((one, other), "0") for other in second] for one in first]
    return Axis(first, kinds[0]), Axis(second, kinds[1]), body


def _three_columns(rows: list[list[str]]) -> list[list[str]]:
    """Return the columns of the true class, the predicted class and their number, if names state each once."""
    places = places_of_roles(rows[0]) if len(rows[0]) > LINES else None
    if places is None:
        return rows
    return [[row[place] for place in places] if len(row) == len(rows[0]) else row for row in rows]


def _without_row_names(rows: list[list[str]]) -> list[list[str]]:
    """Return rows without a first column that numbers them, as R and pandas write it."""
    is_numbered = _is_numbering([row[0] for row in rows[1:]])
    return [row[1:] for row in rows] if is_numbered and len(rows[0]) > LINES and not axis_kind(rows[0][0]) else rows


def _is_numbering(cells: list[str]) -> bool:
    return any(cells == list(map(str, range(first, first + len(cells)))) for first in (0, 1))


def _without_numbering(rows: list[list[str]]) -> list[list[str]]:
    """Return a matrix without columns that number its rows, before the one with the names of the classes."""
    while (
        len(rows[0]) > LINES
        and NUMBERING.fullmatch(rows[0][0])
        and (axis_kind(rows[0][1]) or NUMBERING.fullmatch(rows[0][1]))
        and all(len(row) == len(rows[0]) for row in rows)
        and _is_numbering([row[0] for row in rows[1:]])
    ):
        rows = [row[1:] for row in rows]
    return rows


def _refuse_bare_lines(rows: list[list[str]]) -> None:
    """Refuse lines of two classes and a number that have no header, which may be a matrix of three classes."""
    pairs = [tuple(row[:2]) for row in rows]
    cells = {cell for pair in pairs for cell in pair}
    if all(len(row) == LINES for row in rows) and len(set(pairs)) == len(pairs) and cells == {"0", "1"}:
        raise DoubtfulDataError(
            "each line seems to hold two classes and a number. Name the columns: 'true,predicted,n'."
        )


def _split(path: Path, rows: list[list[str]]) -> tuple[Axis, Axis, list[list[str]]]:
    """Separate labels from counts."""
    titles, side, rows = _titled(_without_numbering(rows))
    if len(rows) > 2 and len(rows[1]) == 1 < len(rows[0]) == len(rows[2]):  # as pandas prints a cross-table
        rows = [[f"{rows[1][0]}/{rows[0][0]}", *rows[0][1:]], *rows[2:]]
    first = [row[0] for row in rows[1:]]
    has_names = not _are_numbers(rows[0]) or {*rows[0]} <= {*first} or not any(map(is_number, first))
    if 1 < len(rows[0]) == len(rows[-1]) - 1 and has_names:
        rows = [["", *rows[0]], *rows[1:]]  # R's write.table and printed frames leave out the corner
    width = len(rows[0])
    for place, row in enumerate(rows):
        if len(row) != width:
            raise HowsureError(
                f"'{path}' is not a square matrix: row {place + 1} has {len(row)} columns, and the first one {width}. "
                "Keep the lines of the matrix only, no columns of rates: one with the names of the classes, and one "
                "for each class."
            )
    corner, header = rows[0][0], rows[0][1:]
    first = [row[0] for row in rows[1:]]
    if _are_numbers(rows[0]) or (is_number(corner) and all(map(is_number, header))):
        return Axis.of(None, side), Axis.of(None, titles[1]), rows
    if is_number(corner) is False and first and not _is_corner(corner, header, rows):
        if _are_numbers(first):
            return Axis(None), Axis.of(rows[0], titles[1]), rows[1:]
        if all(map(is_number, header)):
            return Axis.of([corner, *first]), Axis.of(None, titles[1]), [row[1:] for row in rows]
    is_stated = not states_both(corner) and (any(titles) or side)
    row_name, column_name = (corner or side or titles[0], titles[1]) if is_stated else corner_names(corner)
    return Axis.of(first, row_name), Axis.of(header, column_name), [row[1:] for row in rows[1:]]


def _titled(rows: list[list[str]]) -> tuple[tuple[str | None, str | None], str | None, list[list[str]]]:
    """Return the names of the axes from lines above the matrix, that of the rows from its own column, and the rest."""
    titles: tuple[str | None, str | None] = (None, None)
    side = None
    while len(rows) > 2 and len(title := [cell for cell in rows[0] if cell]) == 1 and not is_number(title[0]):
        named = title_names(title[0], is_above=not rows[0][0])
        titles, rows = (named[0] or titles[0], named[1] or titles[1]), rows[1:]
    if len(rows) > 2 and not any(rows[0][:2]) and len(sides := [row[0] for row in rows if row[0]]) == 1:
        side, rows = sides[0], [row[1:] for row in rows]
    return titles, side, rows


def _is_corner(corner: str, header: list[str], rows: list[list[str]]) -> bool:
    """Whether the first cell belongs to no class: it is empty, names an axis, or the shape says so."""
    if not corner or axis_kind(corner) or re.search(r"[/\\]", corner):
        return True
    first = [row[0] for row in rows[1:]]
    if header and names_statistic(header[-1]) and _are_numbers(first):  # H2O in a notebook: rows without names
        return False
    return len(rows) == len(rows[0]) and (set(header) == set(first) or not all(map(is_number, header)))


def _are_numbers(cells: list[str]) -> bool:
    return all(map(is_number, cells))


def _numbers(path: Path, body: list[list[str]]) -> Array:
    matrix = np.zeros((len(body), len(body[0])))
    has_decimals = all(re.search(r"\.\d{3}$", cell) for row in body for cell in row)
    for i, row in enumerate(body):
        for j, cell in enumerate(row):
            value = matrix[i, j] = count_of(cell)
            if THOUSANDS.fullmatch(cell) and not has_decimals:
                plain = cell.replace(".", "")
                raise HowsureError(
                    f"'{path}', row {i + 1}, column {j + 1}: '{cell}' may be {plain} or {value:g}. Write it so."
                )
            if not np.isfinite(value) or value < 0 or value != np.floor(value):
                shown = f"'{cell}'" if cell else "nothing"
                remedy = _remedy(cell, value)
                raise HowsureError(
                    f"'{path}', row {i + 1}, column {j + 1}: {shown} is not a count (0, 1, 2, …).{remedy}"
                )
    return matrix


def _remedy(cell: str, value: float) -> str:
    if cell in NOTHING:
        return " Write 0 where there is no case."
    return " Give the numbers of cases, not shares." if value > 0 or "%" in cell else ""
