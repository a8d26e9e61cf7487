"""Draws of many metrics from one stream of tables.

Tables are drawn in blocks that fit the processor's cache, every metric is evaluated on each block, and only the
metrics' values are kept: memory does not grow with the number of cells times the number of draws. Each block has
a random stream of its own, so the result does not depend on the number of threads. What is drawn is no more than the
metrics look at: the sums of cells that all of them together tell apart.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError, UndefinedDesignError
from howsure.metrics.metric import Metric
from howsure.running.progress import progress
from howsure.running.threads import in_threads
from howsure.tables.table import Table

Array = NDArray[Any]
Draw = Callable[[int, Any], Array]  # (size, rng) -> (size, cells); naming the generator would load `numpy.random`
MOST_DRAWS = 10**8  # of one metric 0.8 GB; the error of their quantiles is far below what anyone reports
STREAMS_OF_TABLES = 2**22  # of a batch, from here on among the children of a seed


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """Return the seed sequence of an int, a sequence of ints, a generator, a seed sequence, or None (fresh entropy).

    A generator is advanced: each call gives another stream, as with SciPy's functions.
    """
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if isinstance(random_state, np.random.Generator | np.random.RandomState):
        integers = random_state.integers if isinstance(random_state, np.random.Generator) else random_state.randint
        return np.random.SeedSequence([int(part) for part in integers(0, 2**31, size=4)])
    try:
        return np.random.SeedSequence(random_state)
    except (TypeError, ValueError):
        message = f"`random_state` is a whole number of at least 0, or a NumPy Generator, not {random_state!r}."
        raise HowsureError(message) from None


def group_seed(random_state: Any, key: Hashable) -> np.random.SeedSequence:
    """Return the seed of a group's draws, from the seed of all and the group's key.

    The draws of a group do not depend on which other groups there are. Those of all groups together come from the seed
    itself, and those of two groups never from the same stream.

    Parameters
    ----------
    random_state : int, sequence of int, Generator, SeedSequence or None
        Seed of all groups. A generator is advanced by each call: make one `seed_sequence` of it for all groups.
    key : hashable
        Value of the group, or a tuple of several.

    Returns
    -------
    SeedSequence

    Examples
    --------
    >>> group_seed(0, "a").spawn_key == group_seed(0, "a").spawn_key != group_seed(0, "b").spawn_key
    True
    """
    from hashlib import blake2b

    seed = seed_sequence(random_state)
    digest = blake2b(repr(_plain(key)).encode(), digest_size=16).digest()
    return child_seed(seed, *np.frombuffer(digest, "<u4").tolist())


def _plain(key: Hashable) -> Hashable:
    """Return a key without NumPy's scalars, whose text depends on its version."""
    if isinstance(key, tuple):
        return tuple(map(_plain, key))
    return key.item() if isinstance(key, np.generic) else key


def child_seed(seed: np.random.SeedSequence, *keys: int) -> np.random.SeedSequence:
    """Return the seed under another that some numbers name; asking twice gives the same one."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *keys))


def stream_at(random_state: Any, index: int) -> Any:
    """Return the seed of one table of a batch: each has a stream of its own, which blocks of draws do not touch."""
    if random_state is None:
        return None
    return child_seed(seed_sequence(random_state), STREAMS_OF_TABLES + index)


def stream_of(method: Any, table: Table, seed: np.random.SeedSequence) -> Hashable:
    """Return a token that is equal exactly for draws from the same joint stream of tables.

    Draw d of two metrics is of the same table where their tokens are equal, and independent or merely similar
    elsewhere: draws of different tables from one seed are no joint draws, also where the tables have equal counts.

    Parameters
    ----------
    method : DrawingMethod
        What draws, with its settings.
    table : Table
        What is drawn from.
    seed : SeedSequence
        Seed of the draws.
    """
    from hashlib import blake2b

    counts, design = np.ascontiguousarray(table.cells, dtype=float), table.design
    # The variance of one linear form tells designs apart, whatever they are made of but counts.
    variance = 0.0 if design.is_independent else design.variance(counts, np.linspace(1.0, 2.0, counts.shape[-1]))
    named = fields(method) if is_dataclass(method) else ()
    settings = [(each.name, np.asarray(getattr(method, each.name)).tolist()) for each in named]
    words = (type(table).__name__, counts.shape, type(design).__name__, np.asarray(variance).tolist())
    parts = (method.name, repr(settings), repr(words), table.identity)
    digest = blake2b(counts.data, digest_size=8)
    digest.update(repr(parts).encode())
    return (digest.hexdigest(), str(seed.entropy), tuple(seed.spawn_key))


def in_order(codes: Array) -> Array:
    """Return codes renumbered in the order in which they first occur.

    Examples
    --------
    >>> in_order(np.array([7, 2, 7, 0])).tolist()
    [0, 1, 0, 2]
    """
    first = np.full(int(codes.max()) + 1, -1)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last one written is the first one in order
    present = np.flatnonzero(first >= 0)
    first[present[np.argsort(first[present])]] = np.arange(len(present))
    return np.asarray(first[codes])


def lumped(table: Table, metrics: Sequence[Metric], kept_apart: Array | None) -> Table:
    """Return the smallest table from which draws of the metrics are those from a table.

    Cells are put together where neither a metric nor the draws tell them apart; where that saves less than half of
    the cells, the table is taken as it is.

    Parameters
    ----------
    table : Table
        What is drawn from.
    metrics : sequence of Metric
        Bound to the table.
    kept_apart : ndarray of shape (cells,), optional
        Codes of cells that the draws tell apart; None where all are.
    """
    codes = None if table.is_binary else kept_apart
    for metric in metrics:
        if codes is None or metric.lumps is None:
            return table
        own = metric.lumps().ravel()
        codes = in_order(codes * (int(own.max()) + 1) + own)
    if codes is None or not metrics or 2 * (int(codes.max()) + 1) >= len(codes):
        return table
    try:
        return table.lumped(codes)
    except UndefinedDesignError:
        return table


def values_of_draws(
    metrics: Sequence[Metric], table: Table, draw: Draw, size: int, seed: np.random.SeedSequence
) -> Array:
    """Return each metric's value on each drawn table, ``(metrics, size)``."""
    values = np.empty((len(metrics), size))

    def fill(rows: slice, stream: np.random.Generator) -> None:
        number = rows.stop - rows.start
        counts = table.wrap(draw(number, stream))
        with np.errstate(all="ignore"):
            for row, metric in enumerate(metrics):
                values[row, rows] = metric(counts)

    drawn_blocks(fill, size, table.draws_at_once, seed)
    return values


def drawn_blocks(
    fill: Callable[[slice, np.random.Generator], None], size: int, step: int, seed: np.random.SeedSequence
) -> None:
    """Call ``fill(rows, stream)`` for blocks of so many draws, each with a stream of its own, in threads."""
    blocks = [slice(start, min(start + step, size)) for start in range(0, size, step)]
    children = [child_seed(seed, index) for index in range(len(blocks))]

    def work(rows: slice, child: np.random.SeedSequence) -> None:
        fill(rows, np.random.Generator(np.random.PCG64(child)))

    with progress("drawing tables", len(blocks)) as advance:
        for _ in in_threads(work, blocks, children):
            advance()
