"""Confusion matrices in code and markup: R's `dput` of a table, and tables of HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser

COUNTS = re.compile(r"structure\(\s*c\((?P<counts>[\d.e+\sL,]+)\)")
NAMES = re.compile(r'(?:(?P<axis>\w[\w.]*|`[^`]+`)\s*=\s*)?c\(\s*(?P<names>(?:"[^"]*"\s*,?\s*)+)\)')
TEXT = re.compile(r'"([^"]*)"')
TABLE = re.compile(r"<table\b", re.IGNORECASE)
MOST_COLUMNS = 1_000  # of a cell, in HTML


def cells_of_dput(text: str) -> list[list[str]]:
    r"""Return the cells of a table as R's `dput` writes it; none for other texts.

    Examples
    --------
    >>> cells_of_dput('''structure(c(50L, 3L, 5L, 42L), dim = c(2L, 2L), dimnames = structure(list(
    ... pred = c("no", "yes"), obs = c("no", "yes")), names = c("pred", "obs")), class = "table")''')
    [['pred/obs', 'no', 'yes'], ['no', '50', '5'], ['yes', '3', '42']]
    """
    found = list(COUNTS.finditer(text))
    _, _, names = text.partition("imnames")
    if len(found) != 1 or len(axes := list(NAMES.finditer(names))) < 2:
        return []
    rows, columns = (TEXT.findall(each["names"]) for each in axes[:2])
    counts = [each.strip().removesuffix("L") for each in found[0]["counts"].split(",")]
    if len(counts) != len(rows) * len(columns):
        return []
    stated = [each["axis"] or "" for each in axes[:2]]
    named = TEXT.findall(axes[2]["names"]) if not any(stated) and len(axes) > 2 else stated
    corner = "/".join(each.strip("`") for each in named) if all(named) else ""
    return [[corner, *columns], *([name, *counts[place :: len(rows)]] for place, name in enumerate(rows))]


def without_tags(text: str) -> str:
    r"""Return the tables of HTML as lines with tabs, and a blank line after each; other texts unchanged.

    Examples
    --------
    >>> without_tags("<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d</table>")
    'a\tb\t\n\tc\td\n\n'
    """
    if not TABLE.search(text):
        return text
    tables = _Tables()
    tables.feed(text)
    if not any(tables.found):  # a class may have such a name
        return text
    return "".join("\n".join("\t".join(row) for row in each) + "\n\n" for each in tables.found)


class _Tables(HTMLParser):
    """The cells of the tables of a page; the rest of a cell over several rows or columns is empty."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[list[list[str]]] = []
        self.place = -1  # column of the open cell; -1 outside of cells
        self.below: dict[int, int] = {}  # rows that a cell of a column still takes

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.found.append([])
            self.below = {}
        elif tag == "tr" and self.found:
            self.found[-1].append([])
        elif tag in {"td", "th"} and self.found and self.found[-1]:
            row, stated = self.found[-1][-1], dict(attrs)
            while self.below.get(len(row), 0):
                self.below[len(row)] -= 1
                row.append("")
            self.place = len(row)
            for _ in range(min(_whole(stated.get("colspan")), MOST_COLUMNS)):
                self.below[len(row)] = _whole(stated.get("rowspan")) - 1
                row.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th", "tr", "table"}:
            self.place = -1

    def handle_data(self, data: str) -> None:
        if self.place >= 0:
            row = self.found[-1][-1]
            row[self.place] = " ".join(f"{row[self.place]}{data}".split())


def _whole(stated: str | None) -> int:
    """Return a number of rows or columns; 1 if none is stated."""
    return max(int(stated), 1) if stated and stated.isdecimal() else 1
