"""A progress bar for long work: in a terminal or notebook, silent otherwise."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

PATIENCE = 1.0  # seconds before a bar appears
PAUSE = 0.1  # seconds between two checks of background work
_ONE_AT_A_TIME = threading.Lock()


@contextmanager
def progress(title: str, steps: int, show: bool | None = None) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each step.

    Parameters
    ----------
    title
        What is being done.
    steps
        How many steps there are.
    show
        Whether to show a bar; None shows it only for long work in a terminal or notebook.
    """
    visible = _is_watched() if show is None else show
    if not visible or not _ONE_AT_A_TIME.acquire(blocking=False):  # nested work shows only the outer bar
        yield lambda: None
        return
    started = time.monotonic()
    bars: list[Any] = []
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        if not bars and (show or time.monotonic() - started > PATIENCE):
            bars.append(_bar(title, steps))
        for bar in bars:
            bar.update(bar.task_ids[0], completed=done)

    try:
        yield advance
    finally:
        _ONE_AT_A_TIME.release()
        for bar in bars:
            bar.stop()


@contextmanager
def followed(title: str, percent: Callable[[], float]) -> Iterator[None]:
    """Show the progress of work in another thread, in a terminal or notebook.

    Parameters
    ----------
    title
        What is being done.
    percent
        Called from another thread: how much of it is done.
    """
    if not _is_watched():
        yield
        return
    over = threading.Event()

    def follow() -> None:
        done = 0
        with progress(title, 100) as advance:
            while not over.wait(PAUSE):
                for _ in range(done, int(percent())):
                    advance()
                    done += 1

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _is_watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _bar(title: str, steps: int) -> Any:
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        return _NoBar()
    # rich shows its bar in a notebook with ipywidgets, and warns if they are not installed.
    plainly = False if find_spec("ipywidgets") is None else None
    bar = Progress(console=Console(stderr=True, force_jupyter=plainly), transient=True)
    bar.add_task(title, total=steps)
    bar.start()
    return bar


class _NoBar:
    task_ids = (0,)

    def update(self, *_: object, **__: object) -> None:
        """Show nothing."""

    def stop(self) -> None:
        """End nothing."""
