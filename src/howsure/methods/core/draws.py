"""Draws of many metrics from one stream of tables.

Tables are drawn in blocks that fit the processor's cache. Every metric is evaluated on each block, and only the values
of the metrics are kept, so memory does not grow with the number of cells times the number of draws. Each block has its
own random stream, so the result does not depend on the number of threads. Only the sums of cells that enter some
metric are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array, Seed
from howsure.errors import HowsureError, UndefinedDesignError, whole_number
from howsure.metrics.metric import Metric
from howsure.running.progress import progress
from howsure.running.threads import in_threads
from howsure.tables.protocols import block_size, collapse_cells
from howsure.tables.table import Table

Draw = Callable[[int, Any], Array]  # (size, rng) -> (size, cells); naming the generator would load `numpy.random`
FEWEST_RESAMPLES = 39  # their extremes are the limits of a 95 % interval: (39 + 1) * 0.025 = 1
MOST_DRAWS = 10**8  # 0.8 GB per metric; the Monte Carlo error of their quantiles is then negligible
STREAMS_OF_TABLES = 2**22  # index of the first child seed that is used for the tables of a batch


def checked_resamples(name: str, number: object) -> int:
    """Return a number of resamples that gives limits at 95 %; the error calls it ``name``."""
    return whole_number(name, number, least=FEWEST_RESAMPLES, most=MOST_DRAWS)


def seed_sequence(random_state: Seed) -> np.random.SeedSequence:
    """Return the seed sequence of an int, a sequence of ints, a generator, a seed sequence, or None (fresh entropy).

    A generator is advanced, so that each call returns another stream, as in SciPy.
    """
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if isinstance(random_state, np.random.Generator | np.random.RandomState):
        integers = random_state.integers if isinstance(random_state, np.random.Generator) else random_state.randint
        return np.random.SeedSequence([int(part) for part in integers(0, 2**31, size=4)])
    try:
        return np.random.SeedSequence(random_state)
    except (TypeError, ValueError):
        raise HowsureError(
            f"`random_state` is a whole number of at least 0, or a NumPy Generator, not {random_state!r}."
        ) from None


def group_seed(random_state: Seed, key: Hashable) -> np.random.SeedSequence:
    """Return the seed of a group's draws, from the common seed and the group's key.

    The draws of a group do not depend on the other groups. The overall table uses the common seed itself, and no two
    groups share a stream.

    Parameters
    ----------
    random_state : int, sequence of int, Generator, SeedSequence or None
        Seed of all groups. Each call advances a generator: create one `seed_sequence` from it for all groups.
    key : hashable
        Value of the group, or a tuple of values.

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
    """Return a key without NumPy scalars, whose representation depends on the version of NumPy."""
    if isinstance(key, tuple):
        return tuple(map(_plain, key))
    return key.item() if isinstance(key, np.generic) else key


def child_seed(seed: np.random.SeedSequence, *keys: int) -> np.random.SeedSequence:
    """Return the child seed with the given keys; the same keys always return the same seed."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *keys))


def stream_at(random_state: Seed, index: int) -> Any:
    """Return the seed of one table of a batch; its stream is not used by any block of draws."""
    if random_state is None:
        return None
    return child_seed(seed_sequence(random_state), STREAMS_OF_TABLES + index)


def stream_of(method: Any, table: Table, seed: np.random.SeedSequence) -> Hashable:
    """Return a token that is equal exactly for draws from the same joint stream of tables.

    If the tokens of two metrics are equal, their draws with the same index come from the same table. Otherwise the
    draws are not joint, even if two tables with equal counts are drawn from the same seed.

    Parameters
    ----------
    method : DrawingMethod
        The method that draws, with its settings.
    table : Table
        The observed table.
    seed : SeedSequence
        Seed of the draws.
    """
    from hashlib import blake2b

    counts, design = np.ascontiguousarray(table.cells, dtype=float), table.design
    # The variance of one linear form distinguishes designs with equal counts.
    variance = 0.0 if design.traits.is_independent else design.variance(counts, np.linspace(1.0, 2.0, counts.shape[-1]))
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
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last value written belongs to the first occurrence
    present = np.flatnonzero(first >= 0)
    first[present[np.argsort(first[present])]] = np.arange(len(present))
    return np.asarray(first[codes])


def collapsed_for(table: Table, metrics: Sequence[Metric], distinct_cells: Array | None) -> Table:
    """Return the smallest table that has the same distribution of the metrics' draws.

    Cells that are equivalent for every metric and for the draws are collapsed. If that saves less than half of the
    cells, the table is returned unchanged.

    Parameters
    ----------
    table : Table
        The observed table.
    metrics : sequence of Metric
        Bound to the table.
    distinct_cells : ndarray of shape (cells,), optional
        Codes of the cells; cells with different codes are not collapsed. None to keep all cells.
    """
    codes = None if table.is_binary else distinct_cells
    for metric in metrics:
        if codes is None or (own := metric.collapsible_cells) is None:
            return table
        each = own().ravel()
        codes = in_order(codes * (int(each.max()) + 1) + each)
    if codes is None or not metrics or 2 * (int(codes.max()) + 1) >= len(codes):
        return table
    try:
        collapsed: Table = collapse_cells(table, codes)
    except UndefinedDesignError:
        return table
    return collapsed


def values_of_draws(
    metrics: Sequence[Metric], table: Table, draw: Draw, size: int, seed: np.random.SeedSequence
) -> Array:
    """Return each metric's value on each drawn table, ``(metrics, size)``."""
    values = np.empty((len(metrics), size))

    def fill(rows: slice, stream: np.random.Generator) -> None:
        number = rows.stop - rows.start
        counts = table.make_counts(draw(number, stream))
        with np.errstate(all="ignore"):
            for row, metric in enumerate(metrics):
                values[row, rows] = metric(counts)

    drawn_blocks(fill, size, block_size(table), seed)
    return values


def drawn_blocks(
    fill: Callable[[slice, np.random.Generator], None], size: int, step: int, seed: np.random.SeedSequence
) -> None:
    """Call ``fill(rows, stream)`` for blocks of ``step`` draws, each with its own stream, in threads."""
    blocks = [slice(start, min(start + step, size)) for start in range(0, size, step)]
    children = [child_seed(seed, index) for index in range(len(blocks))]

    def work(rows: slice, child: np.random.SeedSequence) -> None:
        fill(rows, np.random.Generator(np.random.PCG64(child)))

    with progress("drawing tables", len(blocks)) as advance:
        for _ in in_threads(work, blocks, children):
            advance()
