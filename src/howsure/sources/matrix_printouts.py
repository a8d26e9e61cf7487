"""Whole printouts of programs: the lines of the confusion matrix among titles, statistics and notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howsure.sources.matrix_words import axis_kind

HEADING = re.compile(r".*\b(confusion\s*(matrix|table)|confusionmatrix|oob estimate)\b.*", re.IGNORECASE)
NOTE = re.compile(r"(?![^:=]*\d\s+\d)[A-Za-z][\w '’.\-]*\s*[:=]\s+\S.*|\(.*\)")  # such as "Accuracy: 0.92"
NAMED = r"(?: labels?)?(?: are)?(?: the)?\W+"
AXES = tuple(  # the axes in words, in a line beside the matrix
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:rows?|vertical){NAMED}(?P<rows>\w+).*\b(?:columns?|cols?|across){NAMED}(?P<columns>\w+)",
        r"\((?P<rows>\w+)\s*/\s*(?P<columns>\w+)\)",
        r"\b(?P<rows>\w+) \(rows?\)\W+(?P<columns>\w+) \(col(?:umn)?s?\)",
    )
)
ARRAY = re.compile(r"(?<!\[)\[\s*\[[\d\s,.\[\]]*\]\s*\](?!\])")  # within other text
TOTAL = re.compile(r"\b(row|col(umn)?)[\s_]?(total|sum)s?\b", re.IGNORECASE)
TIBBLE = re.compile(
    r"^(?:# )?A tibble: \d.*\n(?P<header>.*)\n(?:\s*<\w+>)+ *\n(?P<rows>(?:\s*\d+ .*(?:\n|$))+)", re.MULTILINE
)
MARK = re.compile(r"^\s*(?:##?(?: |$)|#> ?|```.*$)")  # of lines printed by R in a report or a script, and of code
APART = re.compile(r"^(\S+(?:[ \t]+\d+)+)[ \t]*\n(?:[ \t]*\n)+(?=\S+(?:[ \t]+\d+)+[ \t]*$)", re.MULTILINE)
ORIENTATION = re.compile(r"\b(rows?|columns?|vertical|horizontal|across|x.axis|y.axis)\b", re.IGNORECASE)


def parts_of(text: str) -> Iterator[str]:
    r"""Yield the paragraphs of a printout that may be a matrix, without their headings and notes.

    A line that names the axes in words becomes the title of each paragraph.

    Examples
    --------
    >>> print(*parts_of("Rows: actual, columns: predicted\n\n a b\na 5 1\nb 2 4\nAccuracy: 0.75"))
    rows=actual/columns=predicted
     a b
    a 5 1
    b 2 4
    """
    lines = APART.sub(r"\1\n", text).splitlines()
    titles = {place: title for place, line in enumerate(lines) if (title := axes_in_words(line))}
    others = (line for place, line in enumerate(lines) if place not in titles)
    if len(set(titles.values())) > 1 or any(map(_may_turn, others)):
        return
    headings = {place for place, line in enumerate(lines) if place in titles or HEADING.fullmatch(line)}
    kept = "\n".join("" if place in headings else line.rstrip() for place, line in enumerate(lines))
    arrays = ARRAY.findall(kept)
    if arrays and len(arrays) == kept.count("[[") and not titles:
        yield from arrays
        return
    for paragraph in re.split(r"\n\s*\n", kept.strip("\n")):
        body = _body(paragraph.split("\n"))
        if len(body) > 1:
            yield "\n".join([*dict.fromkeys(titles.values()), *body])


def without_marks(text: str) -> str:
    r"""Return the lines of a printout without the marks of comments in R, and with fences of code as blank lines.

    Examples
    --------
    >>> without_marks("## Confusion matrix:\n##   a b\n## a 5 1\n## b 2 4")
    'Confusion matrix:\n  a b\na 5 1\nb 2 4'
    """
    bare = "\n".join(MARK.sub("", line) for line in text.splitlines())
    return TIBBLE.sub(_of_tibble, bare)


def _of_tibble(found: re.Match[str]) -> str:
    """Return a tibble of R without its title, the types of the columns, and the numbers of the rows."""
    rows = re.sub(r"^\s*\d+ +", "", found["rows"], flags=re.MULTILINE)
    return f"\n{found['header'].strip()}\n{rows}"


def axes_in_words(line: str) -> str:
    """Return the names of the axes in a line, as the title of a matrix; empty if it does not name both."""
    for pattern in AXES:
        found = pattern.search(line)
        if found and {axis_kind(found["rows"]), axis_kind(found["columns"])} == {"true", "predicted"}:
            return f"rows={found['rows']}/columns={found['columns']}"
    return ""


def _may_turn(line: str) -> bool:
    """Whether a line says of rows or columns whether they are true or predicted, in words that are not read."""
    return ORIENTATION.search(TOTAL.sub("", line)) is not None and any(map(axis_kind, line.split()))


def _body(lines: list[str]) -> list[str]:
    """Return a paragraph without notes after the matrix."""
    body = list(lines)
    while body and NOTE.fullmatch(body[-1].strip()):
        body.pop()
    return body
