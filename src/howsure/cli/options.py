"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from cyclopts import Parameter

Format = Annotated[Literal["table", "json", "csv", "markdown", "html", "latex"], Parameter(name="--format")]
TableFormat = Annotated[
    Literal["table", "json", "markdown", "html", "latex"], Parameter(name="--format")
]  # of several tables
Metric = Annotated[str, Parameter(name=("--metric", "--metrics"))]
Metrics = Annotated[list[str] | None, Parameter(name=("--metrics", "--metric"), consume_multiple=True)]
Words = Annotated[list[str] | None, Parameter(consume_multiple=True)]


def split(words: Sequence[str] | None) -> list[str]:
    """Return words that are given one by one or separated by commas."""
    return [part for word in words or () for part in word.split(",") if part]
