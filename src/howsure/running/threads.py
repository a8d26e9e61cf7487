"""Work in as many threads as this process has cores; work inside such a thread stays in it."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

QUOTA = Path("/sys/fs/cgroup/cpu.max")
_WORKER = threading.local()


def in_threads(function: Callable[..., Any], *arguments: Sequence[Any]) -> Iterator[Any]:
    """Yield what a function returns for each set of arguments, in order, as `map` does.

    Threads of threads would only wait for each other: called within one of its own threads, it goes on there, and
    stops at the next step once the caller has stopped waiting, as after Ctrl-C.
    """
    from concurrent.futures import CancelledError, ThreadPoolExecutor

    stopped: threading.Event | None = getattr(_WORKER, "stopped", None)
    tasks = len(arguments[0])
    threads = min(tasks, cores()) if tasks > 1 else 1
    if threads == 1 or stopped is not None:
        for each in zip(*arguments, strict=True):
            if stopped is not None and stopped.is_set():
                raise CancelledError
            yield function(*each)
        return
    stopped = threading.Event()
    with ThreadPoolExecutor(threads, initializer=_begin, initargs=(stopped,)) as pool:
        try:
            yield from pool.map(function, *arguments)
        finally:
            stopped.set()


def cores(quota: Path = QUOTA) -> int:
    """Return how many cores this process may use: those that it is bound to, and no more than its container's share.

    Parameters
    ----------
    quota : Path
        Where Linux says how many microseconds of processor a container gets in each period, or "max".
    """
    try:
        number = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        number = os.cpu_count() or 1
    try:
        share, period = quota.read_text(encoding="ascii").split()
        return number if share == "max" else max(1, min(number, math.ceil(int(share) / int(period))))
    except (OSError, ValueError):
        return number


def _begin(stopped: threading.Event) -> None:
    _WORKER.stopped = stopped
