"""Work in as many threads as there are cores; work inside such a thread stays in it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any

_WORKER = threading.local()


def in_threads(function: Callable[..., Any], *arguments: Sequence[Any]) -> Iterator[Any]:
    """Yield what a function returns for each set of arguments, in order, as `map` does.

    Threads of threads would only wait for each other: called within one of its own threads, it goes on there, and
    stops at the next step once the caller has stopped waiting, as after Ctrl-C.
    """
    stopped: threading.Event | None = getattr(_WORKER, "stopped", None)
    threads = min(len(arguments[0]), os.cpu_count() or 1)
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


def _begin(stopped: threading.Event) -> None:
    _WORKER.stopped = stopped
