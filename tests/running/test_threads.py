"""Work in threads."""

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import howsure as hs
from howsure.methods.core.lookup import named
from howsure.running import threads
from howsure.running.threads import cores, in_threads


def questions(seed):
    """Return functions without arguments that ask new tables, whose properties nobody has computed yet."""
    rng = np.random.default_rng(seed)
    true, score, values = rng.integers(0, 2, 80), rng.random(80).round(2), rng.gamma(2.0, size=60)
    table, scores, means = hs.from_counts(rng.integers(1, 30, (4, 4))), hs.scores(true, score), hs.values(values)
    models = hs.paired(true, {"A": score > 0.4, "B": score > 0.6})
    areas = hs.paired_scores(true, {"A": score, "B": rng.random(80).round(2)})
    classes = hs.multiclass_scores(rng.integers(0, 3, 80), rng.dirichlet(np.ones(3), 80))
    ratings = hs.ratings(rng.integers(0, 3, (30, 4)))
    unlabelled = hs.calibrated(score, calibrator=hs.calibrate(score, true, random_state=1))
    few = hs.methods.Bootstrap(n_resamples=200)
    asked = [
        *((hs.estimate, table, each) for each in ("f1@macro", "mcc", "kappa", "recall@weighted")),
        *((hs.estimate, scores, each) for each in ("roc_auc", "average_precision", "brier_score", "recall_at+fpr=0.2")),
        (hs.estimate, classes, "roc_auc@macro"),
        (hs.estimate, means, "mean"),
        (hs.estimate, ratings, "krippendorff_alpha"),
        *((hs.compare, models, each) for each in ("accuracy", "f1")),
        (hs.compare, areas, "roc_auc"),
    ]
    drawn = [
        *((hs.estimate, each, "f1@macro", method) for each in (table, models.model("A")) for method in ("bayes", few)),
        *((hs.estimate, scores, each, few) for each in ("roc_auc", "average_precision")),
        (hs.compare, areas, "roc_auc", few),
    ]
    return [
        *(lambda each=each: [each[0](*each[1:])] for each in asked),
        *(lambda each=each: [each[0](*each[1:3], method=each[3], random_state=1)] for each in drawn),
        lambda: list(hs.evaluate(table).values()),
        *(lambda at=at: list(hs.evaluate(scores, ["f1", "mcc"], threshold=at).values()) for at in (0.3, 0.5)),
        lambda: [hs.estimate(unlabelled, "f1", threshold=0.5, random_state=1)],
        lambda: [hs.bootstrap(np.median, values, n_resamples=200, workers=2, random_state=1)],
        lambda: [hs.estimate(scores.at(0.5), "precision")],
    ]


def numbers(results):
    """Return the values and limits of results."""
    return [(each.value, each.low, each.high) for each in results]


def at_once(works):
    """Return the results of functions, each in its own thread; all start together."""
    start = threading.Barrier(len(works), timeout=60)
    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(lambda work: (start.wait(), work())[1], works))


@pytest.fixture
def often():
    """Let Python change threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("rounds", [1, pytest.param(30, marks=pytest.mark.thorough)])
def test_threads_that_share_tables_get_the_answers_of_one(rounds):
    """Eight threads that ask the same tables at once get the numbers that one thread gets."""
    for seed in range(rounds):
        expected = [numbers(each()) for each in questions(seed)]
        shared = questions(seed)

        def ask(first, shared=shared):
            order = [(first + index) % len(shared) for index in range(len(shared))]
            answers = {index: numbers(shared[index]()) for index in order}
            return [answers[index] for index in range(len(shared))]

        eight = [lambda first=first: ask(first * 3) for first in range(8)]
        for found in at_once(eight):
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(one, other)


FIRST = """
import sys, threading
import numpy as np
import howsure as hs

sys.setswitchinterval(1e-6)
true, score = np.arange(60) % 2, np.arange(60) % 7 / 6
works = [
    lambda: hs.estimate(hs.confusion(true, score > 0.5), "accuracy", method="exact"),
    lambda: hs.estimate(hs.confusion(true, score > 0.5), "f1"),
    lambda: hs.estimate(hs.confusion(true, score > 0.5), "f1", method="bayes", random_state=0),
    lambda: hs.estimate(hs.scores(true, score), "roc_auc"),
    lambda: hs.evaluate(hs.scores(true, score), method=hs.methods.Bootstrap(n_resamples=99), random_state=0),
    lambda: hs.compare(hs.paired(true, {"A": score > 0.5, "B": score > 0.2}), "accuracy"),
    lambda: hs.bootstrap(np.mean, score, n_resamples=99, random_state=0),
    lambda: hs.suitable_methods(hs.confusion(true, score > 0.5), "f1"),
]
done, start = [], threading.Barrier(len(works))
workers = [threading.Thread(target=lambda each=each: (start.wait(), each(), done.append(1))) for each in works]
for each in workers:
    each.start()
for each in workers:
    each.join()
print(len(done), "of", len(works))
"""


def test_the_first_questions_of_a_process_can_come_from_many_threads():
    """Eight threads of a fresh interpreter, each of which needs other modules, import them and get their answers."""
    run = subprocess.run([sys.executable, "-c", FIRST], check=False, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("8 of 8\n", "")


@pytest.mark.usefixtures("often")
def test_methods_are_found_while_another_thread_registers_more():
    """A method is found by its synonym although another thread defines methods of its own meanwhile."""
    over = threading.Event()

    def define(number):
        type("Mine", (hs.methods.Wilson,), {"name": f"mine_{number}", "synonyms": (f"my_{number}",)})

    def define_more():
        for number in range(300, 10_000):
            if over.is_set():
                break
            define(number)

    def look():
        try:
            return {named("my_299").name for _ in range(3_000)}
        finally:
            over.set()

    for number in range(300):
        define(number)
    assert at_once([define_more, look])[1] == {"mine_299"}


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
