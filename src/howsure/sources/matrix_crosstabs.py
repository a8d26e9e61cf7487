"""Cross-tables with several lines per class, as SAS, SPSS, Stata and R packages print them, checked by their totals."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.escapes import is_number
from howsure.sources.matrix_axes import SEPARATORS, corner_names, states_both
from howsure.sources.matrix_printouts import axes_in_words
from howsure.sources.matrix_words import axis_kind, names_statistic, names_total

# Bars, and the characters of rules in the font of SAS listings, as another font shows them.
BARS = str.maketrans({**dict.fromkeys("│┃║\u201a", "|"), **dict.fromkeys("ƒˆ‰ŠŒ…„", "-")})
RULE = re.compile(r"[\s|:+=─━═┼\-]+")
COUNT = re.compile(r"\s*\b(count|frequency|n|anzahl|effectif|recuento|aantal|conteggio|contagem)$", re.IGNORECASE)
NAMED = tuple(  # both variables, the one in rows first
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"table (?:\d+ )?of (?P<rows>\S+) by (?P<columns>\S+)",
        r"(?P<rows>[^,;*\t]+?)\s*\*\s*(?P<columns>[^,;*\t]+?)\s+(?:crosstab|kreuztab|tabla|tableau)",
    )
)
OVERALL = re.compile(r"overall percent(age)?( correct)?", re.IGNORECASE)
ABOVE = 2  # lines above the names of the classes in which the name of the column variable may be
MOST_WORDS = 4  # of the name of a variable
ROUNDED = 0.051  # of percentages with one digit
DISEASED = {"D": "+", "~D": "-"}  # of Stata's classification table, in the rows + and -


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a printout: its fields, and the numbers at its end.

    Parameters
    ----------
    fields : list of str
        Parts of the line between bars, separators or several blanks.
    label : str
        The part before the first bar, or the last field before the numbers.
    extras : list of str
        Fields before the label.
    numbers : list of float
        The numbers after the label.
    is_barred : bool
        Whether a bar follows the first field.
    """

    fields: list[str]
    label: str
    extras: list[str]
    numbers: list[float]
    is_barred: bool = False

    @classmethod
    def of(cls, fields: Sequence[str], *, is_barred: bool = False) -> Line:
        """Return the line with these fields, of which the first is a label if a bar follows."""
        place = len(fields)
        while place > is_barred and _number(fields[place - 1]) is not None:
            place -= 1
        numbers = [number for each in fields[place:] if (number := _number(each)) is not None]
        before = [bare for each in fields[:place] if (bare := COUNT.sub("", each))]
        return cls(list(fields), before[-1] if before else "", before[:-1], numbers, is_barred)

    def with_width(self, width: int) -> Line:
        """Return the line with this many numbers, of which one more may be the label."""
        if self.label or len(self.numbers) != width + 1:
            return self
        return Line(self.fields, self.fields[0], [], self.numbers[1:])


def lines_of(text: str) -> list[Line]:
    """Return the lines of a printout, or of a file with commas, without rules and empty lines."""
    if text.count(",") > len(text.splitlines()):
        return lines_of_cells(list(csv.reader(text.splitlines())))
    return [_line(line) for line in text.translate(BARS).splitlines() if line.strip() and not RULE.fullmatch(line)]


def lines_of_cells(rows: Sequence[Sequence[str]]) -> list[Line]:
    """Return the lines of a table whose cells are separated already."""
    return [Line.of([cell.strip() for cell in row if cell.strip()]) for row in rows if any(map(str.strip, row))]


def crosstab_of(lines: list[Line]) -> list[list[str]] | None:
    r"""Return the cells of the only cross-table in a printout; None if there is none whose totals agree.

    The counts are in the lines that start with a class. They are certain: the printed totals are their
    sums, or the printed percentages of right cases are theirs.

    Raises
    ------
    HowsureError
        If there are several cross-tables.

    Examples
    --------
    >>> printed = "truth | no  yes | Total\n no | 50 3 | 53\n | 94.3 5.7 | 100\n yes | 5 42 | 47\n Total | 55 45 | 100"
    >>> crosstab_of(lines_of(printed))
    [['rows=truth'], ['', 'no', 'yes'], ['no', '50', '3'], ['yes', '5', '42']]
    """
    found = list(_crosstabs(lines))
    if len(found) > 1:
        raise HowsureError(f"it holds {len(found)} cross-tables. Keep one.")
    return found[0] if found else None


def _line(text: str) -> Line:
    if "|" not in text:
        return Line.of(_apart(text))
    first, *others = text.split("|")
    return Line.of([first.strip(), *(part for each in others for part in _apart(each))], is_barred=True)


def _apart(text: str) -> list[str]:
    """Return the fields between tabs or several blanks; numbers also between single blanks."""
    fields = [field for field in re.split(r"\t|\s{2,}", text.strip()) if field]
    if len(fields) == 1 and all(is_number(part) for part in text.split()[1:]):
        return text.split()
    return fields


def _number(field: str) -> float | None:
    """Return the number in a field, also with a percent sign, commas between thousands or a decimal comma."""
    text = field.removesuffix("%")
    text = (
        text.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+", text) else re.sub(r"^(\d+),(\d+)$", r"\1.\2", text)
    )
    return float(text) if is_number(text) else None


def _crosstabs(lines: list[Line]) -> Iterator[list[list[str]]]:
    """Yield the cross-tables that end in each line of totals."""
    start = 0
    for end, last in enumerate(lines):
        if last.numbers and (names_total(last.label) or OVERALL.fullmatch(last.label)):
            found = _crosstab(lines[start:end], last)
            if found is not None:
                yield found
                start = end + 1


def _crosstab(lines: list[Line], last: Line) -> list[list[str]] | None:
    """Return the cells of the cross-table whose last line this is; None if its numbers do not agree."""
    widths = {len(line.numbers) for line in lines if len(line.numbers) > 1}
    for width in {len(last.numbers)} & widths if names_total(last.label) else widths:
        wide = [line.with_width(width) for line in lines]
        body = [place for place, line in enumerate(wide) if _is_body(line, width)][-(width - 1) :]
        if len(body) < width - 1 or width < 3:
            continue
        matrix = np.array([wide[place].numbers for place in body])
        names = _names(wide[body[0] - 1], width - 1) if body[0] else []
        shared = {*names} & {wide[place].label for place in body}
        if names and len(shared) in {0, len(names)} and _agree(matrix, np.array(last.numbers)):  # else two are one
            return _laid_out(wide[: body[0]], names, [wide[place] for place in body], matrix[:, :-1])
    return None


def _is_body(line: Line, width: int) -> bool:
    """Whether a line has a class and its numbers of cases."""
    is_share = line.label.startswith("%") or names_statistic(line.label) or names_total(line.label)
    counts = line.numbers[:-1]
    return bool(line.label) and not is_share and len(line.numbers) == width and all(map(float.is_integer, counts))


def _names(line: Line, size: int) -> list[str]:
    """Return the names of the classes in a line, between a corner cell and a word for totals if there are such."""
    fields = line.fields
    if len(fields) > size and (names_total(fields[-1]) or re.search(r"correct|percent", fields[-1], re.IGNORECASE)):
        fields = fields[:-1]
    return fields[-size:] if len(fields) in {size, size + 1} else []


def _agree(matrix: Array, last: Array) -> bool:
    """Whether the last column and the last line are the totals of the others, or the percentages of right cases."""
    counts, ends = matrix[:, :-1], matrix[:, -1]
    if len(last) == len(ends) + 1:
        return bool(np.array_equal(counts.sum(1), ends) and np.array_equal([*counts.sum(0), counts.sum()], last))
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = 100 * np.append(np.diag(counts), np.trace(counts)) / np.append(counts.sum(1), counts.sum())
    return len(last) == 1 and bool(np.all(np.abs(shares - [*ends, *last]) <= ROUNDED))


def _laid_out(above: list[Line], names: list[str], body: list[Line], counts: Array) -> list[list[str]]:
    """Return a title with the names of the variables, the names of the classes, and the rows of counts."""
    *heads, header = above
    labels = [line.label for line in body]
    numbers = [[f"{count:.0f}" for count in row] for row in counts.tolist()]
    if set(labels) == set(DISEASED.values()) and set(names) == set(DISEASED):
        names = [DISEASED[name] for name in names][::-1]
        labels, numbers = labels[::-1], [row[::-1] for row in numbers[::-1]]  # the disease is the positive class
    title = _title(heads, header, body[0], names)
    return [
        *([[title]] if title else []),
        ["", *names],
        *([label, *row] for label, row in zip(labels, numbers, strict=True)),
    ]


def _title(heads: list[Line], header: Line, first: Line, names: list[str]) -> str:
    """Return the names of the variables in rows and in columns, as the title of a matrix."""
    if states_both(header.fields[0]):
        rows, columns = corner_names(header.fields[0])
        return f"rows={rows}/columns={columns}"
    for text in (" ".join(line.fields) for line in reversed(heads)):
        found = next(filter(None, (pattern.search(text) for pattern in NAMED)), None)
        if found:
            return f"rows={_plain(found['rows'])}/columns={_plain(found['columns'])}"
        if title := axes_in_words(text):
            return title
    beside = [header.fields[0], *first.extras]
    near = [field.strip(" -") for line in reversed(heads[-ABOVE:]) for field in line.fields[line.is_barred :]]
    row, column = _variable(beside, names), _variable(near, [*names, *beside])
    return "/".join(f"{what}={name}" for what, name in (("rows", row), ("columns", column)) if name)


def _variable(fields: Sequence[str], others: Sequence[str]) -> str:
    """Return the name of a variable among fields that are not classes: the first that means true or predicted."""
    named = [
        _plain(each) for each in fields if each not in others and len(each.split()) <= MOST_WORDS and ":" not in each
    ]
    named = [each for each in named if not (names_total(each) or names_statistic(each))]
    return next(filter(axis_kind, named), next(filter(None, named), ""))


def _plain(name: str) -> str:
    """Return the name of a variable without the marks that separate two names."""
    return SEPARATORS.sub(" ", name).strip()
