"""Runs of successive chunks for confidence sequences: their tables, and the fraction of the error that each has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.tables.batch import Tables
from howsure.tables.table import Table


def fraction(start: int) -> float:
    """Return the fraction of the error of the runs from a chunk on, whose sum over all chunks is 1.

    The runs from the first chunk on have half of it. Chunks ``2**v`` to ``2**(v + 1) - 1`` share the fraction
    ``1 / (2 (v + 1) (v + 2))`` equally.

    Examples
    --------
    >>> [fraction(start) for start in (0, 1, 2, 3)], round(sum(map(fraction, range(2**16))), 2)
    ([0.5, 0.25, 0.041666666666666664, 0.041666666666666664], 0.97)
    """
    octave = start.bit_length() - 1
    return 0.5 / (2**octave * (octave + 1) * (octave + 2)) if start else 0.5


def last(start: int, number: int) -> int:
    """Return the end, exclusive, of the longest run from a chunk on.

    From chunk 0 there is no limit. A run that starts with a multiple of ``2**v`` is followed for ``2**(v + 1)`` chunks.
    About twice as many runs end with a chunk as its number has binary digits.
    """
    return min(start + 2 * (start & -start), number) if start else number


def runs_of_chunks(
    tables: Mapping[Any, Table], chunks: Sequence[object], evaluated: Callable[[Any, float], Any]
) -> Iterator[tuple[Any, Iterator[Any]]]:
    """Yield each chunk with the evaluated runs that end with it, the longest first.

    Parameters
    ----------
    tables : mapping of chunk to Table
        The chunks.
    chunks : sequence
        Those that are followed, in their order.
    evaluated : callable
        Evaluates a table, or several `Tables`, with a fraction of the error.
    """
    stack = getattr(tables, "stack", None)
    if stack is not None and stack.design.traits.is_independent:
        yield from _by_batches(tables, stack, chunks, evaluated)
        return
    runs: dict[int, Table] = {}
    for end, chunk in enumerate(chunks):
        runs = {start: run + tables[chunk] for start, run in runs.items() if end < last(start, len(chunks))}
        runs[end] = tables[chunk]
        yield chunk, (evaluated(run, fraction(start)) for start, run in runs.items())


def _by_batches(
    tables: Any, stack: Any, chunks: Sequence[Any], evaluated: Callable[[Any, float], Any]
) -> Iterator[tuple[Any, Iterator[Any]]]:
    """Yield what `runs_of_chunks` does; all runs with one fraction of the error are evaluated at once."""
    index = [tables.position(chunk) for chunk in chunks]
    counts, rows = (
        np.concatenate([np.zeros((1, *each.shape[1:]), each.dtype), np.cumsum(each[index], axis=0)])
        for each in (stack.counts, np.broadcast_to(stack.rows, stack.batch))
    )
    starts: dict[float, list[int]] = {}
    for start in range(len(chunks)):
        starts.setdefault(fraction(start), []).append(start)
    ending: list[list[tuple[Any, tuple[int, int]]]] = [[] for _ in chunks]
    for part, some in starts.items():
        spans = [(start, end) for start in some for end in range(start, last(start, len(chunks)))]
        first, final = np.array(spans).T
        batch = replace(stack, counts=counts[final + 1] - counts[first], rows=rows[final + 1] - rows[first])
        found = evaluated(Tables(spans, batch, tables.overall, ("start", "end")), part)
        for span in spans:
            ending[span[1]].append((found, span))
    for chunk, runs in zip(chunks, ending, strict=True):
        yield chunk, (found[span] for found, span in runs)
