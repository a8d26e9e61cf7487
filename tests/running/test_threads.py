"""Work in threads."""

import signal
import threading
import time

import numpy as np
import pytest

import howsure as hs
from howsure.running import threads
from howsure.running.threads import cores, in_threads


def test_results_come_in_order(monkeypatch):
    """Whatever thread is first, results come in the order of the arguments."""
    monkeypatch.setattr(threads, "cores", lambda: 4)
    assert list(in_threads(lambda a, b: a * b, list(range(50)), list(range(50)))) == [n * n for n in range(50)]


def test_work_within_a_thread_stays_there(monkeypatch):
    """A function that requests threads within a thread runs in that one."""
    monkeypatch.setattr(threads, "cores", lambda: 4)

    def inner(_):
        return threading.get_ident()

    def outer(_):
        return {threading.get_ident(), *in_threads(inner, [1, 2, 3])}

    assert all(len(used) == 1 for used in in_threads(outer, [1, 2, 3, 4, 5]))


def test_short_work_stays_with_the_caller(monkeypatch):
    """Short work runs in the calling thread, and later work there can request threads again."""
    monkeypatch.setattr(threads, "cores", lambda: 4)
    monkeypatch.setattr(threads, "PATIENCE", 60.0)
    for _ in range(2):
        assert set(in_threads(lambda _: threading.get_ident(), range(50))) == {threading.get_ident()}


def test_other_threads_join_in_where_there_is_more_to_do(monkeypatch):
    """A slow first step does not block others: all of them wait for each other here."""
    monkeypatch.setattr(threads, "cores", lambda: 3)
    together = threading.Barrier(3, timeout=60)
    assert len(list(in_threads(lambda _: together.wait(), range(3)))) == 3


def test_work_within_a_thread_stops_when_nobody_waits(monkeypatch):
    """Once the caller stops, as after Ctrl-C, long work in a thread ends at its next step."""
    monkeypatch.setattr(threads, "cores", lambda: 2)
    begun, steps = threading.Event(), []

    def inner(step):
        begun.set()
        steps.append(step)
        time.sleep(0.005)

    def outer(_):
        list(in_threads(inner, list(range(10_000))))

    def interrupted():
        running = in_threads(outer, [1, 2])
        main = threading.main_thread().ident  # which Ctrl-C reaches; a signal to the process may wake another thread
        threading.Thread(target=lambda: (begun.wait(), signal.pthread_kill(main, signal.SIGINT))).start()
        list(running)

    # Other tests' event loops leave the signal such that it does not wake who waits for a lock.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted()
    finally:
        signal.signal(signal.SIGINT, before)
    assert 0 < len(steps) < 1_000


def test_an_error_reaches_the_caller():
    """What fails in a thread fails for the caller."""
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda value: 1 / value, [1, 0, 2]))


def test_draws_are_the_same_for_any_number_of_threads(monkeypatch):
    """One thread and many give the same draws."""
    table = hs.from_counts(np.arange(1, 101).reshape(10, 10))
    found = []
    for number in (1, 3):
        monkeypatch.setattr(threads, "cores", lambda number=number: number)
        found.append(hs.estimate(table, "f1@macro", method="bayes", random_state=4).draws)
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("text, number", [("max 100000", 8), ("150000 100000", 2), ("10000 100000", 1), ("", 8)])
def test_threads_keep_to_what_the_process_may_use(text, number, tmp_path, monkeypatch):
    """Of the eight processors that a process is bound to, a container with a quota of 1.5 uses two."""
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    (tmp_path / "cpu.max").write_text(text)
    assert cores(tmp_path / "cpu.max") == number
    assert cores(tmp_path / "none") == 8
