"""Cells of a confusion matrix in a text: CSV, Markdown, LaTeX, tables with bars, and what programs print."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

from howsure.escapes import is_number
from howsure.sources.matrix_code import cells_of_dput

OUTCOMES = ("tp", "fp", "fn", "tn")
WEKA = re.compile(r"\s*(?P<counts>\d[\d\s]*)\|\s*\S+\s*=\s*(?P<label>.+?)\s*")  # a row of a matrix as Weka prints it
RULE = re.compile(r"[\s|:+=─━═┄╌╪╞╡┼├┤┌┐└┘┬┴╔╗╚╝╠╣╦╩╬\-]+")  # a line that separates others
BARS = str.maketrans(dict.fromkeys("│┃┆┊║", "|"))
TYPES = frozenset({"", "---", "str", "cat", "enum", "i64", "i32", "u32", "u64", "f64"})  # lines below Polars' header
TITLE = re.compile(r"(shape: \(|\d+×\d+ \S+.*:$).*|(>> )?\w+\s*=(\s*\d+×\d+)?\s*")  # of Polars, Julia, MATLAB
COMMENT = re.compile(r"^(##?|#>|>) ?")  # marks of printed lines in reports by R
TEX_WORDS = re.compile(r"\\(hline|toprule|midrule|bottomrule|\\|cline\{.*?\}|cmidrule(\(.*?\))?\{.*?\})")
TEX_BOLD = re.compile(r"\\(textbf|mathbf|textit|emph)\{([^{}]*)\}")
CALL = re.compile(r"^\s*[\w.]+\(\s*(?=\[)")  # array([[…, tensor([[…, DenseMatrix([[…
SETTINGS = re.compile(r"\]\s*(,\s*\w+=[^\[\]]*)?\)\s*$")  # …]], dtype=int32)
NUMBERS = r"[\d.][\d\s,.]*"
OUTCOME = re.compile(  # MedCalc has the letter of the cell: "True Positive  a= 42"
    r"(?<![a-z])(?P<sign>t|f|true|false)[\s_\-]*(?P<kind>p|n|positives?|negatives?)(?![a-z])['\"]?"
    r"(\s+[a-d])?(\s*[:=]\s*|\s+)(?P<number>\d+)\b(?!\s*%|[.,]\d)",
)


def outcome_of(name: str) -> str:
    """Return tp, fp, fn or tn for their names in words, and for those in French, Spanish and German; else nothing.

    Examples
    --------
    >>> outcome_of("True positives"), outcome_of("VN"), outcome_of("FP"), outcome_of("n")
    ('tp', 'tn', 'fp', '')
    """
    bare = re.sub(r"[\W_]", "", name).casefold()
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
    """Return the cells of a table with bars: Markdown, or as a database, Stata or Polars prints it."""
    bare = [line.strip() for line in lines]
    if len(bare) < 2 or any(map(WEKA.fullmatch, bare)) or not all("|" in line for line in bare):
        return []
    is_closed = all(line.startswith("|") and line.endswith("|") for line in bare)
    rows = [[cell.strip().strip("*") for cell in (line[1:-1] if is_closed else line).split("|")] for line in bare]
    if any(re.search(r"\d\s{2,}\d", cell) for row in rows for cell in row):  # bars set off the labels and totals alone
        return [line.replace("|", " ").split() for line in bare]
    return [row for row in rows if not set(row) <= TYPES]


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
    first = "\n".join(lines[:2])
    header = first.partition("\n")[0]
    has_columns = len({line.count("\t") for line in lines}) == 1 and "\t" in first  # whatever else labels hold
    if suffix in {".tsv", ".tab"} or has_columns or ("\t" in first and "," not in header and ";" not in header):
        return _read(io.StringIO(text), "\t")
    if ";" in header and "," not in re.sub(r'"[^"]*"', "", header):
        return _read(io.StringIO(text), ";")
    if "," not in text and len(lines) > 1 and " " in lines[-1].strip():
        return _wide(lines) or _read([re.sub(r"\s+", " ", line.strip()) for line in lines], " ")
    return _read(io.StringIO(text), ",")


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
