"""Parts of pages that are made from the library when the site is built: ``<!-- made: methods -->`` and its kin."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from howsure.grids import Grid

DOCS = Path(__file__).parents[1]
EMPTY_END = re.compile(r"(```python\n.*?\n)\n+```", re.DOTALL)  # a line that the examples' test needs
MARK = re.compile(r"<!-- made: ([a-z-]+) -->")
PICTURE = re.compile(r'^## (.+)$|<picture>.*srcset="([^"]+)".*src="([^"]+)" alt="([^"]*)"', re.MULTILINE)
LISTED = re.compile(r"^(?:.*<)?([\w-]+)>?$", re.MULTILINE)
ELSEWHERE = {"flow", "other-packages"}  # guides that other pages list
NAME = re.compile(r"``?([^`]+)``?")


def other_guides(page: str) -> str:
    """List the guides that a page does not name, for its last table of contents."""
    guides = {path.stem for path in (DOCS / "guide").glob("*.md") if not path.stem.startswith("from-")}
    missing = sorted(guides - {"index", *LISTED.findall(page)} - ELSEWHERE)
    return "\n".join(["```{toctree}", ":caption: More", "", *missing, "```"]) if missing else ""


def order(page: str) -> str:
    """List the methods in the order in which the default is looked for, each with its reason."""
    from howsure.methods.default import WHY

    return "\n".join(f"1. `{name}`: {why}." for name, why in WHY.items())


def methods(page: str) -> str:
    """Tabulate the interval methods."""
    from howsure.cli.listing import method_grid

    return _table(method_grid())


def metrics(page: str) -> str:
    """Tabulate the metrics, by what they read."""
    from howsure.cli.listing import metric_grid

    grid = metric_grid()
    parts = []
    for kind in dict.fromkeys(row[1] for row in grid.rows):
        rows = [(row[0], row[3], row[2], row[4]) for row in grid.rows if row[1] == kind]
        parts += [f"## Metrics of {kind}", "", _rows(("metric", "also called", "range", "meaning"), rows), ""]
    return "\n".join(parts)


def averages(page: str) -> str:
    """Tabulate the averages over classes."""
    from howsure.cli.listing import average_grid

    return _table(average_grid())


def commands(page: str) -> str:
    """Print what each command takes, as ``--help`` does."""
    from howsure.cli.app import app

    written = app.generate_docs(output_format="markdown")
    return written[written.index("**Commands**") :]


def coverage(page: str) -> str:
    """Quote the first table of results of the page on coverage."""
    _, _, tables = (DOCS / "coverage.md").read_text().partition("\n## ")
    return "\n".join(line for line in tables.partition("\n## ")[0].splitlines() if line.startswith("|"))


def decisions(page: str) -> str:
    """List the decision records, for the table of contents."""
    return "```{toctree}\n:hidden:\n:glob:\n\n0*\n```"


def benchmarks(page: str) -> str:
    """Say what each script of `benchmarks/` measures, in its own words."""
    found = []
    for path in sorted((DOCS.parent / "benchmarks").glob("*.py")):
        words = ast.get_docstring(ast.parse(path.read_text())) or ""
        found.append(f"`benchmarks/{path.name}`\n: " + words.replace("\n\n", "\n").replace("\n", "\n  "))
    return "\n\n".join(found)


def gallery(page: str) -> str:
    """Show every picture of the guides, with a link to where it is made."""
    return "\n".join(["::::{container} gallery", *_cards(), "::::"])


def _cards() -> Iterator[str]:
    for path in sorted((DOCS / "guide").glob("*.md")):
        heading = ""
        for title, dark, light, words in PICTURE.findall(path.read_text()):
            if title:
                heading = title
                continue
            place = f"guide/{path.name}#{heading.lower().replace(' ', '-')}"
            yield ":::{container} card-of-gallery"
            yield f"[{_image(light, words, 'only-light')} {_image(dark, words, 'only-dark')} {heading}]({place})"
            yield ":::"


def _image(path: str, words: str, kind: str) -> str:
    return f"![{words}]({path.removeprefix('../')}){{.{kind}}}"


def _table(grid: Grid) -> str:
    return _rows(grid.headers, grid.rows)


def _rows(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    return "\n".join(head + ["| " + " | ".join(_cell(*each) for each in enumerate(row)) + " |" for row in rows])


def _cell(column: int, text: str) -> str:
    text = NAME.sub(r"`\1`", str(text)).replace("|", r"\|")
    return f"`{text}`" if column == 0 else text


PARTS: dict[str, Callable[[str], str]] = {
    "other-guides": other_guides,
    "order": order,
    "methods": methods,
    "metrics": metrics,
    "averages": averages,
    "commands": commands,
    "coverage": coverage,
    "decisions": decisions,
    "benchmarks": benchmarks,
    "gallery": gallery,
}


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the parts in the place of their marks."""
    page = source[0]
    source[0] = EMPTY_END.sub(r"\1```", MARK.sub(lambda match: PARTS[match[1]](page), page))


def setup(app: Sphinx) -> dict[str, bool]:
    """Fill pages when they are read."""
    app.connect("source-read", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
