"""Options that several commands have."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

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


def one_seed(random_state: int | None) -> Any:
    """Return a seed by which what is printed, and what is written to a page, have the same draws.

    Of none that was asked for it is a number: a sequence would load ``numpy.random`` where nothing is drawn.
    """
    if random_state is None:
        return int.from_bytes(os.urandom(16))
    from howsure.methods.draws import seed_sequence

    return seed_sequence(random_state)


def split(words: Sequence[str] | None) -> list[str]:
    """Return words that are given one by one or separated by commas."""
    return [part for word in words or () for part in word.split(",") if part]
