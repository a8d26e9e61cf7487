"""Work in as many threads as there are cores; work inside such a thread stays in it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

_WORKER = threading.local()


def in_threads(function: Callable[..., Any], *arguments: Sequence[Any]) -> Iterator[Any]:
    """Yield what a function returns for each set of arguments, in order, as `map` does.

    Threads of threads would only wait for each other: called within one of its own threads, it goes on there.
    """
    threads = min(len(arguments[0]), os.cpu_count() or 1)
    if threads == 1 or getattr(_WORKER, "busy", False):
        yield from map(function, *arguments)
        return
    with ThreadPoolExecutor(threads, initializer=_begin) as pool:
        yield from pool.map(function, *arguments)


def _begin() -> None:
    _WORKER.busy = True
