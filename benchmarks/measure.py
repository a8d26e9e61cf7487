"""Measurement of processor time for the benchmarks: two sides in turn, in one process, and the printed lines.

Machines differ, and times are noisy. A ratio is from calls in turn, with its median and range. `ROWS` stores the
measurements for the page of the site that `speed.py` makes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Row:
    """One job: how long we take and a peer, how many times faster we are, and what we aim at."""

    job: str
    ours: str
    peer: str
    faster: str
    aim: str


ROWS: list[Row] = []
LEAST = 0.05  # seconds: a single call of a millisecond is measured with the caches that the other side has left
MOST_CALLS = 100


def processor(call: Callable[[], Any]) -> float:
    """Return the processor time of one call, in seconds."""
    start = time.process_time()
    call()
    return time.process_time() - start


def repeated(call: Callable[[], Any]) -> Callable[[], float]:
    """Return what measures a call: its mean over as many in a row as take `LEAST` seconds, after the first.

    Results are released at once, as those of a peer in another process are: kept ones would leave each call no memory to
    use again, and its pages are then counted in the time.
    """
    call()  # the first call may import packages
    first = processor(call)
    number = max(1, min(MOST_CALLS, round(LEAST / max(first, 1e-9))))

    def in_a_row() -> None:
        for _ in range(number):
            call()

    return lambda: processor(in_a_row) / number


def quickest(call: Callable[[], Any], repeats: int = 3) -> float:
    """Return the shortest processor time of some calls."""
    return min(processor(call) for _ in range(repeats))


def in_turn(
    job: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    peer: str,
    aim: float,
    *,
    scale: float = 1.0,
    repeats: int = 5,
) -> None:
    """Measure a job of howsure and of a peer in turn, each repeated until the clock resolves the time.

    The first call of each is not counted.

    Parameters
    ----------
    job, peer
        The job, and the peer.
    ours, theirs
        The calls.
    aim
        Target: how many times faster howsure should be.
    scale
        Factor of the peer's time for the whole job, for example if the peer made fewer resamples.
    repeats
        Number of repetitions.
    """
    peers_time = repeated(theirs)
    note = f"{peer}{' (scaled)' if scale != 1 else ''}"
    timed_in_turn(job, repeated(ours), lambda: scale * peers_time(), note, aim, repeats)


def timed_in_turn(
    job: str, own_time: Callable[[], float], peers_time: Callable[[], float], peer: str, aim: float, repeats: int
) -> None:
    """Measure a job whose sides return the time of a call themselves, in seconds."""
    pairs = [(own_time(), peers_time()) for _ in range(repeats)]
    ratios = sorted(other / own for own, other in pairs)
    own, other = np.median(pairs, axis=0)
    spread = f" ({number(ratios[0])} to {number(ratios[-1])})" if repeats > 1 else ""
    keep(
        Row(
            job,
            duration(own),
            f"{peer}: {duration(other)}",
            f"{number(float(np.median(ratios)))}×{spread}",
            f"{number(aim)}×",
        )
    )


def run(sections: dict[str, Callable[[], None]], names: list[str]) -> None:
    """Run the sections of these names, or all of them."""
    for name in names or sections:
        print(f"— {name}: {sections[name].__doc__}")
        sections[name]()


def figure(job: str, value: str, aim: str = "") -> None:
    """Note what has no peer: a time, a memory, an exponent, in words."""
    keep(Row(job, value, "", "", aim))


def keep(row: Row) -> None:
    """Print a row, and keep it."""
    ROWS.append(row)
    aim = f"; aim {row.aim}" if row.aim else ""
    print(f"{row.job:<64} {row.ours:>9}  {row.peer:<40} {row.faster}{aim}", flush=True)


def duration(seconds: float) -> str:
    """Write a time with two or three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds / 1e-6)} µs"


def number(value: float) -> str:
    """Write a number with three digits at most after the first that is not zero."""
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 100 else f"{value:.3g}"
