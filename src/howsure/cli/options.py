"""Options that several commands have."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from howsure.errors import HowsureError
from howsure.report.checklists.names import ChecklistName

Format = Annotated[Literal["table", "json", "csv", "markdown", "html", "latex"], Parameter(name=("--format", "-f"))]
TableFormat = Annotated[
    Literal["table", "json", "markdown", "html", "latex"], Parameter(name=("--format", "-f"))
]  # formats of several tables
Level = Annotated[float, Parameter(name=("--confidence-level", "--level", "-l"))]
Metric = Annotated[str, Parameter(name=("--metric", "--metrics", "-m"))]
Metrics = Annotated[list[str] | None, Parameter(name=("--metrics", "--metric", "-m"), consume_multiple=True)]
Page = Annotated[Path | None, Parameter(name=("--html", "--output", "-o"))]
Seed = Annotated[int | None, Parameter(name=("--random-state", "--seed"))]
Checklist = Annotated[ChecklistName | None, Parameter(name="--checklist")]
Words = Annotated[list[str] | None, Parameter(consume_multiple=True)]
THRESHOLD = 0.5  # of probabilities, for metrics of counts


def one_seed(random_state: int | None) -> Any:
    """Return a seed, so that terminal and page use the same draws.

    The default is a random integer, because a seed sequence would import ``numpy.random`` even if nothing is drawn.
    """
    if random_state is None:
        return int.from_bytes(os.urandom(16))
    from howsure.methods.core.draws import seed_sequence

    return seed_sequence(random_state)


def refuse_without_page(checklist: str | None, html: Path | None) -> None:
    """Refuse a checklist without a report that it could be a section of.

    Raises
    ------
    HowsureError
        If no file is named.
    """
    if checklist is not None and html is None:
        message = "`--checklist` is a section of the report. Name its file, such as --html report.html or checklist.md."
        raise HowsureError(message)


def split(words: Sequence[str] | None) -> list[str]:
    """Return words given as separate arguments or separated by commas."""
    return [part for word in words or () for part in word.split(",") if part]


def one_or_two(words: Sequence[str] | None) -> str | list[str] | None:
    """Return the column of clusters, or the list of two crossed factors; None without one."""
    named = split(words)
    return named[0] if len(named) == 1 else named or None
