"""Work in as many threads as this process has cores; work inside such a thread stays in it."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

QUOTA = Path("/sys/fs/cgroup/cpu.max")
PATIENCE = 0.01  # seconds: work that is done by then would wait for Python's lock for longer than threads save
_WORKER = threading.local()


def in_threads(function: Callable[..., Any], *arguments: Sequence[Any]) -> Iterator[Any]:
    """Yield what a function returns for each set of arguments, in order, as `map` does.

    The caller's thread begins, and the others join in if there is still work after a moment. Threads of threads would
    only wait for each other: called within one of its own threads, it goes on there, and stops at the next step once
    the caller has stopped waiting, as after Ctrl-C.
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
            pool.submit(join_in)  # the one thread that short work has to pay for
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
