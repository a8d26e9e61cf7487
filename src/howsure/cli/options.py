"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

Format = Annotated[Literal["table", "json", "csv", "markdown", "html", "latex"], Parameter(name=("--format", "-f"))]
TableFormat = Annotated[
    Literal["table", "json", "markdown", "html", "latex"], Parameter(name=("--format", "-f"))
]  # of several tables
Level = Annotated[float, Parameter(name=("--confidence-level", "--level", "-l"))]
Metric = Annotated[str, Parameter(name=("--metric", "--metrics", "-m"))]
Metrics = Annotated[list[str] | None, Parameter(name=("--metrics", "--metric", "-m"), consume_multiple=True)]
Page = Annotated[Path | None, Parameter(name=("--html", "--output", "-o"))]
Seed = Annotated[int | None, Parameter(name=("--random-state", "--seed"))]
Words = Annotated[list[str] | None, Parameter(consume_multiple=True)]


def split(words: Sequence[str] | None) -> list[str]:
    """Return words that are given one by one or separated by commas."""
    return [part for word in words or () for part in word.split(",") if part]
