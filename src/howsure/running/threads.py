"""Parallel work in one thread per core; nested work stays in its thread."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

QUOTA = Path("/sys/fs/cgroup/cpu.max")
PATIENCE = 0.01  # seconds: for shorter work, waiting for Python's lock costs more than threads save
_WORKER = threading.local()


def in_threads(function: Callable[..., Any], *arguments: Sequence[object]) -> Iterator[Any]:
    """Yield the results of a function for each set of arguments, in order, like `map`.

    The caller's thread starts, and the other threads join if there is still work after a moment. A nested call runs in
    its own thread, because nested threads would only wait for each other. It stops at the next step once the caller has
    stopped waiting, for example after Ctrl-C.
    """
    stopped: threading.Event | None = getattr(_WORKER, "stopped", None)
    tasks = len(arguments[0])
    threads = min(tasks, cores()) if tasks > 1 else 1
    if threads == 1 or stopped is not None:
        yield from _in_turn(function, arguments, stopped)
    else:
        yield from _side_by_side(function, arguments, threads)


def _in_turn(function: Callable[..., Any], arguments: Any, stopped: threading.Event | None) -> Iterator[Any]:
    from concurrent.futures import CancelledError

    for each in zip(*arguments, strict=True):
        if stopped is not None and stopped.is_set():
            raise CancelledError
        yield function(*each)


def _side_by_side(function: Callable[..., Any], arguments: Any, threads: int) -> Iterator[Any]:
    from concurrent.futures import Future, ThreadPoolExecutor

    tasks, begun, lock, stopped = list(zip(*arguments, strict=True)), 0, threading.Lock(), threading.Event()
    theirs: list[Future[Any]] = []

    def join_in() -> None:
        if not stopped.wait(PATIENCE):
            with lock:
                theirs.extend(pool.submit(function, *each) for each in tasks[begun:])

    with ThreadPoolExecutor(threads, initializer=_begin, initargs=(stopped,)) as pool:
        try:
            pool.submit(join_in)  # a single thread, the overhead of short work
            while True:
                with lock:
                    if theirs or begun == len(tasks):
                        break
                    each, begun = tasks[begun], begun + 1
                yield _as_worker(function, each, stopped)
            for future in theirs:
                yield future.result()
        finally:
            stopped.set()
            pool.shutdown(cancel_futures=True)


def _begin(stopped: threading.Event) -> None:
    _WORKER.stopped = stopped


def _as_worker(function: Callable[..., Any], arguments: Any, stopped: threading.Event) -> Any:
    _WORKER.stopped = stopped
    try:
        return function(*arguments)
    finally:
        _WORKER.stopped = None


def cores(quota: Path = QUOTA) -> int:
    """Return the number of cores for this process: those of its CPU affinity, limited by the quota of its container.

    Parameters
    ----------
    quota : Path
        File in which Linux stores the microseconds of processor time of a container per period, or "max".
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
