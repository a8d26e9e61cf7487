"""Forks while other threads work: the child can use the library too."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import howsure as hs

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
LIMIT = 20  # seconds for one child


def work(seed):
    """Ask new tables several questions, so that properties are computed and stored."""
    rng = np.random.default_rng(seed)
    table = hs.from_counts(rng.integers(1, 30, (3, 3)))
    scores = hs.scores(rng.integers(0, 2, 30), rng.random(30).round(1))
    found = [hs.estimate(table, each) for each in ("f1@macro", "mcc", "recall@weighted")]
    return [*found, hs.estimate(scores, "roc_auc"), hs.evaluate(scores, ["f1"], threshold=0.5)["f1"]]


def hung_children(forks):
    """Return how many children of forks, made while four threads work, do not end in time or end wrongly."""
    stop = threading.Event()
    work(0)  # imports packages on first use

    def busily(seed):
        while not stop.is_set():
            seed += 4
            work(seed)

    threads = [threading.Thread(target=busily, args=(index,), daemon=True) for index in range(4)]
    for each in threads:
        each.start()
    wrong = 0
    try:
        for index in range(forks):
            child = os.fork()
            if child == 0:
                os._exit(0 if np.isfinite(work(index)[0].value) else 1)
            wrong += not ended_well(child)
    finally:
        stop.set()
        for each in threads:
            each.join()
    return wrong


def ended_well(child):
    """Wait for a child process; end it after a time limit."""
    limit = time.monotonic() + LIMIT
    while time.monotonic() < limit:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


@pytest.mark.skipif(
    not getattr(sys, "_is_gil_enabled", lambda: True)(),
    reason="free-threaded Python 3.14 itself loses locks in forks: threads that change one dictionary suffice",
)
@pytest.mark.filterwarnings("ignore:This process .*is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize(
    "forks", [5, pytest.param(150, marks=pytest.mark.thorough), pytest.param(1000, marks=pytest.mark.slow)]
)
def test_children_of_forks_do_not_hang(forks):
    """No child waits for a lock of a thread of its parent."""
    assert hung_children(forks) == 0
