"""Cells of a confusion matrix in a text: CSV, Markdown, LaTeX, tables with bars, and what programs print."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from howsure.escapes import is_number
from howsure.sources.matrix_code import cells_of_dput
from howsure.sources.matrix_printouts import axes_in_words

RATE = re.compile(r"(?<=[ \t])(?:= *)?(\d[\d.,]*) */ *(\d[\d.,]*)[ \t]*$", re.MULTILINE)  # in H2O: = 10 / 70
OUTCOMES = ("tp", "fp", "fn", "tn")
WEKA = re.compile(r"\s*(?P<counts>\d[\d\s]*)\|\s*\S+\s*=\s*(?P<label>.+?)\s*")  # a row of a matrix as Weka prints it
RULE = re.compile(r"[\s|:+=─━═┄╌╪╞╡┼├┤┌┐└┘┬┴╔╗╚╝╠╣╦╩╬\-]+")  # a line that separates others
BARS = str.maketrans(dict.fromkeys("│┃┆┊║", "|"))
MARKS = r"[,'’ \u00a0\u2009\u202f]"  # between thousands
TYPES = frozenset({"", "---", "str", "cat", "enum", "i64", "i32", "u32", "u64", "f64"})  # lines below Polars' header
TITLE = re.compile(r"(shape: \(|\d+×\d+ \S+.*:$).*|(>> )?\w+\s*=(\s*\d+×\d+)?\s*")  # of Polars, Julia, MATLAB
COMMENT = re.compile(r"^(##?|#>|>) ?")  # marks of printed lines in reports by R
TEX_WORDS = re.compile(r"\\(hline|toprule|midrule|bottomrule|\\|cline\{.*?\}|cmidrule(\(.*?\))?\{.*?\})")
TEX_BOLD = re.compile(r"\\(textbf|mathbf|textit|emph)\{([^{}]*)\}")
CALL = re.compile(r"^\s*[\w.]+\(\s*(?=\[)")  # array([[…, tensor([[…, DenseMatrix([[…
SETTINGS = re.compile(r"\]\s*(,\s*\w+=[^\[\]]*)?\)\s*$")  # …]], dtype=int32)
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(\D|$))")
NUMBERS = r"[\d.][\d\s,.]*"
OUTCOME = re.compile(  # MedCalc has the letter of the cell: "True Positive  a= 42"
    r"(?<![a-z])(?P<sign>t|f|true|false)[\s_\-]*(?P<kind>p|n|positives?|negatives?)(?![a-z])['\"]?"
    r"(\s+[a-d])?(\s*[:=]\s*|\s+)(?P<number>\d+)\b(?!\s*%|[.,]\d)",
)


def outcome_of(name: str) -> str:
    """Return tp, fp, fn or tn for their names in words, and for those in French, Spanish and German; else nothing.

    Examples
    --------
    >>> outcome_of("True positives (TP)"), outcome_of("VN"), outcome_of("FP"), outcome_of("n")
    ('tp', 'tn', 'fp', '')
    """
    bare = re.sub(r"\([^()%]*\)$|[^\w%]|_", "", name.strip()).casefold()  # with "%" it is no number of cases
    words = re.fullmatch("(true|false)(positive|negative)s?", bare)
    found = words[1][0] + words[2][0] if words else bare
    found = re.sub("^[vr](?=[pn]$)", "t", found)  # vrai, verdadero, richtig
    return found if found in OUTCOMES else ""


def cells_of(text: str, suffix: str = "") -> list[list[str]]:
    r"""Return the cells of each line of a text.

    Parameters
    ----------
    text : str
        The text.
    suffix : str
        That of the file, which tells tabs from other separators.

    Raises
    ------
    csv.Error
        If quotes do not match.

    Examples
    --------
    >>> cells_of("[[50, 3], [5, 42]]")
    [['50', '3'], ['5', '42']]
    >>> cells_of("  big  no cell\n  50        3")
    [['big', 'no cell'], ['50', '3']]
    """
    text = RATE.sub(lambda found: f" {found[1]}/{found[2]}".replace(",", ""), text)
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and all(map(COMMENT.match, lines)):
        lines = [COMMENT.sub("", line) for line in lines]
    lines = [line.translate(BARS) for line in lines if not RULE.fullmatch(line) and not TITLE.fullmatch(line)]
    found = _named(text) or cells_of_dput(text) or _barred(lines) or _typeset(lines)
    return found or _printed(lines, text) or _separated(lines, text, suffix)


def _named(text: str) -> list[list[str]]:
    """Return a header and a row of four outcomes written as ``TP: 42``, ``'tp': 42`` or ``True positives = 42``."""
    found = [(each["sign"][0] + each["kind"][0], each["number"]) for each in OUTCOME.finditer(text.lower())]
    if sorted(name for name, _ in found) != sorted(OUTCOMES):
        return []
    return [list(OUTCOMES), [dict(found)[name] for name in OUTCOMES]]


def _barred(lines: list[str]) -> list[list[str]]:
    """Return the lines above a table with bars, and its cells: of Markdown, databases, Stata or Polars."""
    bare = [line.strip() for line in lines]
    above = list(takewhile(lambda line: "|" not in line, bare))
    bare = bare[len(above) :]
    if len(bare) < 2 or any(map(WEKA.fullmatch, bare)) or not all("|" in line for line in bare):
        return []
    is_closed = all(line.startswith("|") and line.endswith("|") for line in bare)
    rows = [[cell.strip().strip('*"') for cell in (line[1:-1] if is_closed else line).split("|")] for line in bare]
    if any(re.search(r"\d\s{2,}\d", cell) for row in rows for cell in row):  # bars set off the labels and totals alone
        return [line.replace("|", " ").split() for line in bare]
    return [*([line] for line in above), *(row for row in rows if not set(row) <= TYPES)]


def _typeset(lines: list[str]) -> list[list[str]]:
    """Return the cells of a table in LaTeX."""
    if not any("&" in line for line in lines) or not any("\\\\" in line for line in lines):
        return []
    bare = [TEX_BOLD.sub(r"\2", TEX_WORDS.sub("", line)) for line in lines if "&" in line]
    return [[re.sub(r"\\(?=[%_&])|\$", "", cell).strip() for cell in re.split(r"(?<!\\)&", line)] for line in bare]


def _printed(lines: Sequence[str], text: str) -> list[list[str]]:
    """Return the cells of a matrix printed by Weka, or as programs print arrays and nested lists; else nothing."""
    weka = [found for line in lines if (found := WEKA.fullmatch(line))]
    if len(weka) > 1:
        rows = [[each["label"], *each["counts"].split()] for each in weka]
        return [["", *(row[0] for row in rows)], *rows]
    inner = CALL.sub("", text)
    inner = SETTINGS.sub("]", inner) if inner != text else text
    if re.fullmatch(r"[\s\[\],.\d]*\]\s*", inner):
        return [row.replace(",", " ").split() for row in re.findall(rf"{NUMBERS}(?=\])", inner)]
    if re.fullmatch(rf"\s*\[\s*{NUMBERS}(;\s*{NUMBERS})+\]\s*;?\s*", text):  # MATLAB and Julia
        return [row.replace(",", " ").split() for row in text.strip(" \n[];").split(";")]
    return []


def _separated(lines: list[str], text: str, suffix: str) -> list[list[str]]:
    """Return the cells of lines with commas, semicolons, tabs or blanks between them."""
    mark = "\t" if suffix in {".tsv", ".tab"} and "\t" in text else _mark(lines)
    has_commas = _separates(",", [THOUSANDS.sub("", lines[-1])]) if lines else False
    if mark == "," and len(lines) > 1 and not has_commas and " " in lines[-1].strip():
        return _wide(lines) or _blank_separated(lines)
    above = _captions(lines, [_bare(line).count(mark) for line in lines])
    return [*([line] for line in above), *_read(io.StringIO("\n".join(lines[len(above) :]) if above else text), mark)]


def _mark(lines: Sequence[str]) -> str:
    """Return the mark that most lines have equally often: tab, semicolon or, if there is none, comma."""

    def lines_alike(mark: str) -> int:
        if not _separates(mark, lines):
            return 0
        return max(Counter(count for line in lines if (count := _bare(line).count(mark))).values(), default=0)

    return max("\t;,", key=lines_alike) if any(map(lines_alike, "\t;")) else ","


def _separates(mark: str, lines: Sequence[str]) -> bool:
    """Whether counts follow a mark in some line, which is else a part of the names of classes."""
    return any(_is_count(part.strip(' "')) for line in lines for part in line.split(mark)[1:])


def _bare(line: str) -> str:
    return re.sub(r'"[^"]*"', "", line)


def _captions(lines: Sequence[str], counts: Sequence[int]) -> list[str]:
    """Return the first lines that name the axes in words, or have another number of marks than the last line."""
    start = [not axes_in_words(line) and count == counts[-1] for line, count in zip(lines, counts, strict=True)]
    return _words(lines[: [*start, True].index(True)])


def _words(lines: Sequence[str]) -> list[str]:
    """Return lines that are captions; none if one of them has more numbers than words, as those of a matrix have."""
    parts = [[is_number(part) for part in re.split(r"[\s,;|]+", line) if part] for line in lines]
    return [] if any(2 * sum(each) > len(each) for each in parts) else [line.strip() for line in lines]


def _blank_separated(lines: Sequence[str]) -> list[list[str]]:
    """Return the cells between blanks, and the captions above them."""
    rows = _read([re.sub(r"\s+", " ", line.strip()) for line in lines], " ")
    above = _words(lines[: _header(rows)])
    return [*([line] for line in above), *rows[len(above) :]]


def _header(rows: list[list[str]]) -> int:
    """Return the place of the first line of a matrix whose last lines are counts: that of the names of the columns.

    These are in the line above the counts, in two lines as pandas prints a cross-table, or are numbers in the first
    of the lines that look like counts.
    """
    width, start = len(rows[-1]), len(rows)
    while start and len(rows[start - 1]) == width and all(map(_is_count, rows[start - 1][1:])):
        start -= 1
    if start == len(rows):
        return 0
    above = [len(row) for row in rows[:start]]
    if {*rows[start][1:]} <= {row[0] for row in rows[start + 1 :]}:
        return start
    if above[-2:] == [width, 1]:
        return start - 2
    return start - 1 if above and above[-1] in {width - 1, width} else start


def _is_count(cell: str) -> bool:
    """Whether a cell is a count or a percentage."""
    return not math.isnan(count_of(cell.removesuffix("%")))


def count_of(cell: str) -> float:
    """Return the number of a cell, also with marks between thousands, zeros after a decimal comma, or a percentage."""
    text = re.sub(r",0*$", "", cell) if re.fullmatch(r"\d+,0{1,2}", cell) else cell
    text = re.sub(r"\s*\(\s*[\d.,]+\s*%\s*\)$", "", text)  # 42 (89.4 %)
    text = (
        re.sub(MARKS, "", text)
        if re.fullmatch(rf"\d{{1,3}}(?P<mark>{MARKS})\d{{3}}((?P=mark)\d{{3}})*", text)
        else text
    )
    return float(text) if is_number(text) else math.nan


def _wide(lines: list[str]) -> list[list[str]]:
    """Return the cells of a table with two blanks or more between them, where a label has a blank; else nothing."""
    rows = [re.split(r"\s{2,}", line.strip()) for line in lines]
    width = len(rows[-1])
    are_counts = [len(row) == width and all(map(is_number, row[1:])) for row in rows]
    start = are_counts.index(True) if any(are_counts) else len(rows)
    heads, body = rows[:start], rows[start:]
    named = [place for place, row in enumerate(heads) if len(row) > 1]
    has_blank = any(" " in cell for row in rows for cell in row)
    if len(named) != 1 or not has_blank or not body:
        return []
    header = heads[named[0]]
    if width > 1 and len(header) == width and all(is_number(each) for row in body for each in row):  # no row names
        return rows
    has_corner = not lines[named[0]].startswith(" ")
    are_named = width > 2 and len(header) == width - 1 + has_corner
    return rows if are_named and all(is_number(each) for row in body for each in row[1:]) else []


def _read(lines: Any, separator: str) -> list[list[str]]:
    dialect = type("Separated", (csv.excel,), {"delimiter": separator, "skipinitialspace": True})
    return list(csv.reader(lines, dialect))
