"""Compiled kernels against NumPy and against peers, in processor time of one process on one core.

Run ``python benchmarks/kernels.py [SECTION …]``; sections are bootstraps, units, delong and draws. Each line gives nanoseconds a
case (of each resample) or a draw, the peer's, and how many times faster we are, compiled and by NumPy. The calls
alternate, and medians are shown. A peer that would take minutes, or hours, is timed on fewer resamples.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import Row, keep, number, processor, run

import howsure as hs
from howsure.native.gammas import gammas
from howsure.native.library import SWITCH, running

ROUNDS = 5


def by_numpy(call: Callable[[], Any]) -> float:
    """Return the processor time of a call with nothing compiled."""
    os.environ[SWITCH] = "0"
    try:
        return processor(call)
    finally:
        del os.environ[SWITCH]


def compare(job: str, calls: tuple[tuple[Callable[[], Any], float], ...], peer: str, aims: tuple[float, float]) -> None:
    """Measure the time per case compiled, with NumPy and with the peer; each call has its own number of cases."""
    (ours, size), (plain, plain_size), (theirs, their_size) = calls
    times: list[list[float]] = [[], [], []]
    for _ in range(ROUNDS):
        times[0].append(processor(ours) / size)
        times[1].append(by_numpy(plain) / plain_size)
        times[2].append(processor(theirs) / their_size)
    compiled, numpy, other = (1e9 * statistics.median(each) for each in times)
    aim = f"{number(aims[0])}×" + (f", {number(aims[1])}× by NumPy" if aims[1] else "")
    faster = f"{number(other / compiled)}×, {number(other / numpy)}× by NumPy"
    keep(Row(job, f"{number(compiled)} ns", f"{peer}: {number(other)} ns", faster, aim))


def data(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores without ties."""
    rng = np.random.default_rng(3)
    true = rng.integers(0, 2, rows)
    return true, rng.normal(true)


def bootstraps() -> None:
    """Bootstraps of areas and average precisions, time per case and resample."""
    from sklearn import metrics

    for rows, resamples, fewer, few in ((10_000, 9_999, 1_024, 20), (1_000_000, 2_048, 64, 1)):
        true, score = data(rows)
        table = hs.scores(true, score)
        for name, function, aims in (
            ("roc_auc", metrics.roc_auc_score, (500, 60)),
            ("average_precision", metrics.average_precision_score, (300, 0)),
        ):

            def ours(number: int, table: Any = table, name: str = name) -> None:
                hs.estimate(table, name, method=hs.methods.Bootstrap(n_resamples=number), random_state=0)

            def theirs(true: Any = true, score: Any = score, function: Any = function, few: int = few) -> None:
                for picks in np.random.default_rng(0).integers(len(true), size=(few, len(true))):
                    function(true[picks], score[picks])

            compare(
                f"{name}, {resamples:,} resamples, n = {rows:,}",
                (
                    (lambda ours=ours, resamples=resamples: ours(resamples), rows * resamples),
                    (lambda ours=ours, fewer=fewer: ours(fewer), rows * fewer),
                    (theirs, rows * few),
                ),
                "scikit-learn in a loop",
                aims,
            )


def units() -> None:
    """Bootstraps of other metrics and designs, time per case and resample, n = 100,000."""
    from sklearn import metrics as sk

    rng, rows, resamples = np.random.default_rng(3), 100_000, 9_999
    true, score = data(rows)
    risk = 1 / (1 + np.exp(1 - 2 * score))
    cluster = rng.integers(10_000, size=rows)
    members = np.split(np.argsort(cluster, kind="stable"), np.cumsum(np.bincount(cluster))[:-1])
    label = rng.integers(5, size=rows)
    share = np.exp(rng.normal(size=(rows, 5)) + 1.5 * np.eye(5)[label])
    share /= share.sum(1, keepdims=True)
    many = rng.integers(0, 2, (rows, 10))
    said = np.where(rng.random(many.shape) < 0.85, many, 1 - many)

    stratum, losses = rng.integers(4, size=rows), np.square(risk - true)
    places = [np.flatnonzero(stratum == each) for each in range(4)]

    def cases() -> np.ndarray:
        return rng.integers(rows, size=rows)

    def within(part: int) -> np.ndarray:
        return places[part][rng.integers(len(places[part]), size=len(places[part]) - 1)]

    def clusters() -> np.ndarray:
        return np.concatenate([members[each] for each in rng.integers(len(members), size=len(members))])

    jobs: dict[str, tuple[Any, str, Callable[[], Any]]] = {
        "mean": (hs.values(score), "mean", lambda: np.mean(score[cases()])),
        "Brier score": (hs.scores(true, risk), "brier_score", lambda: np.mean(np.square(risk - true)[cases()])),
        "Brier score of 4 finite strata": (
            hs.scores(true, risk, strata=stratum, stratum_sizes={each: rows * (1 + each) for each in range(4)}),
            "brier_score",
            lambda: sum((1 + part) / 10 * np.mean(losses[within(part)]) for part in range(4)),
        ),
        "AUC of 10,000 clusters": (
            hs.scores(true, score, groups=cluster),
            "roc_auc",
            lambda: sk.roc_auc_score(true[picked := clusters()], score[picked]),
        ),
        "macro AUC of 5 classes": (
            hs.multiclass_scores(label, share),
            "roc_auc@macro",
            lambda: sk.roc_auc_score(label[picked := cases()], share[picked], multi_class="ovr"),
        ),
        "macro F1 of 10 labels": (
            hs.confusion(many, said),
            "f1@macro",
            lambda: sk.f1_score(many[picked := cases()], said[picked], average="macro"),
        ),
    }
    for name, (table, metric, theirs) in jobs.items():

        def ours(number: int, table: Any = table, metric: str = metric) -> None:
            hs.estimate(table, metric, method=hs.methods.Bootstrap(n_resamples=number), random_state=0)

        calls = (
            (lambda ours=ours: ours(resamples), rows * resamples),
            (lambda ours=ours: ours(64), rows * 64),
            (theirs, rows),
        )
        compare(f"{name}, {resamples:,} resamples", calls, "NumPy and scikit-learn in a loop", (2, 0))


def delong() -> None:
    """DeLong's interval from columns, time per case."""
    import confidenceinterval

    true, score = data(1_000_000)

    def ours() -> None:
        hs.roc_auc_score(true, score)

    def theirs() -> None:
        confidenceinterval.roc_auc_score(true, score)

    calls = ((ours, len(true)), (ours, len(true)), (theirs, len(true)))
    compare("roc_auc_score with DeLong interval, n = 1,000,000", calls, "confidenceinterval", (60, 0))


def draws() -> None:
    """Gamma draws, time per draw."""
    for shape in (0.5, 1.0, 3.0, 40.0, 8_000.0):
        shapes, size = np.full(100, shape), 1_310

        def ours(shapes: np.ndarray = shapes, size: int = size) -> None:
            gammas(shapes, size, np.uint64(1))

        def theirs(shapes: np.ndarray = shapes, size: int = size) -> None:
            np.random.default_rng(0).standard_gamma(shapes[:, None], (len(shapes), size))

        calls = tuple((call, size * len(shapes)) for call in (ours, ours, theirs))
        compare(f"gamma draws of shape {shape:g}", calls, "NumPy's generator", (4, 0))


SECTIONS = {"bootstraps": bootstraps, "units": units, "delong": delong, "draws": draws}

if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # threads on one core cost each other time
    assert running() == "compiled C", running()
    run(SECTIONS, sys.argv[1:])
