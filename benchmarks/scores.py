"""Scores against scikit-learn's point estimates and NannyML: processor time, memory, and growth.

Run ``python benchmarks/scores.py [SECTION …]``; sections are two, many, threshold, unlabelled, nannyml and scores_growth.
Ours give an interval, scikit-learn none; we mean to be as fast. NannyML is timed where ``NANNYML_PYTHON`` names an
interpreter that has it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from measure import duration, figure, in_turn, processor, quickest, repeated, run, timed_in_turn
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve

import howsure as hs

METRICS = ["accuracy", "precision", "recall", "f1", "specificity"]
WITH_AREA = ["roc_auc", *METRICS[:4]]
LABELLED = 50_000  # cases that scores are calibrated on
PEERS_PYTHON = "NANNYML_PYTHON"


def ratio(job: str, ours: Callable[[], Any], theirs: Callable[[], Any], repeats: int) -> None:
    """Measure a job against scikit-learn."""
    in_turn(job, ours, theirs, "scikit-learn", 1, repeats=repeats)


def memory(call: Callable[[], Any]) -> float:
    """Return the peak memory allocated by a call, in MB."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def two_classes(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and probabilities."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, size)
    return true, 1 / (1 + np.exp(-rng.normal(2 * true - 1.0, 2)))


def many_classes(size: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and rows of probabilities."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, classes, size)
    odds = np.exp(rng.normal(size=(size, classes)) + 1.5 * np.eye(classes)[true])
    return true, odds / odds.sum(1, keepdims=True)


def two() -> None:
    """Scores of two classes."""
    names = ["roc_auc_score", "average_precision_score", "brier_score_loss", "d2_brier_score", "log_loss"]
    names += ["d2_log_loss_score", "roc_curve", "precision_recall_curve", "det_curve"]
    for size, repeats in ((1_000, 25), (1_000_000, 7)):
        true, score = two_classes(size)
        for name in names:
            own, peers = getattr(hs, name), getattr(sk, name)
            ratio(f"{name}, n = {size:,}", partial(own, true, score), partial(peers, true, score), repeats)
        ratio(
            f"calibration_curve, n = {size:,}",
            partial(hs.calibration_curve, true, score, bins=10),
            partial(calibration_curve, true, score, n_bins=10),
            repeats,
        )


def many() -> None:
    """Scores of many classes."""
    for size, classes, repeats in ((1_000, 10, 15), (100_000, 10, 5), (10_000, 100, 3), (100_000, 100, 1)):
        true, score = many_classes(size, classes)
        label, shape = np.eye(classes, dtype=int)[true], f"n = {size:,}, K = {classes}"
        own, peers = hs.roc_auc_score, sk.roc_auc_score
        for average in ("macro", "micro"):
            asked = {"multi_class": "ovr", "average": average}
            title = f"ROC AUC {average} against the rest, {shape}"
            ratio(title, partial(own, true, score, **asked), partial(peers, true, score, **asked), repeats)
        ratio(
            f"average precision, {shape}",
            partial(hs.average_precision_score, true, score),
            partial(sk.average_precision_score, label, score),
            repeats,
        )
        for name in ("log_loss", "brier_score_loss"):
            own_loss, loss = getattr(hs, name), getattr(sk, name)
            ratio(f"{name}, {shape}", partial(own_loss, true, score), partial(loss, true, score), repeats)
        nearest, hits = (partial(each.top_k_accuracy_score, true, score, k=3) for each in (hs, sk))
        ratio(f"top-3 accuracy, {shape}", nearest, hits, repeats)
        if size * classes < 10_000_000:  # of more the peer takes minutes
            asked = {"multi_class": "ovo"}
            pairs = 1 if classes > 10 else repeats
            title = f"ROC AUC of pairs, {shape}"
            ratio(title, partial(own, true, score, **asked), partial(peers, true, score, **asked), pairs)
    table = hs.multiclass_scores(true, score)
    figure(f"default metrics, {shape}", duration(processor(lambda: hs.evaluate(table))))
    used = memory(lambda: hs.evaluate(hs.multiclass_scores(true, score)))
    figure(f"their memory, above scores of {score.nbytes / 2**20:.0f} MB", f"{used:.0f} MB")


def threshold() -> None:
    """The choice of a threshold."""
    table = hs.scores(*two_classes(1_000_000))
    for criterion in ("youden", "cost", "f1", "mcc"):
        took = processor(partial(hs.optimal_threshold, table, criterion, random_state=0))
        figure(f"optimal_threshold, '{criterion}', n = 10⁶, 999 resamples", duration(took), "2 s")
    figure("its memory", f"{memory(lambda: hs.optimal_threshold(table, random_state=0)):.0f} MB")


def _at_half(score: np.ndarray, metrics: list[str] = METRICS) -> Any:
    return hs.evaluate(hs.calibrated(score), metrics, threshold=0.5)


def _of_predictions(score: np.ndarray, predicted: np.ndarray) -> Any:
    return hs.evaluate(hs.calibrated(score, y_pred=predicted), METRICS)


def unlabelled() -> None:
    """Scores without labels, at one threshold."""
    for size in (1_000_000, 10_000_000):
        score = np.random.default_rng(0).beta(0.8, 1.4, size)
        call = partial(_at_half, score)
        figure(f"{len(METRICS)} metrics at 0.5, n = {size:,}", duration(quickest(call)), "1.5 s")
    figure(f"their memory, above scores of {score.nbytes / 2**20:.0f} MB", f"{memory(call):.0f} MB", "500 MB")


def nannyml() -> None:
    """Scores without labels, against NannyML in a process of its own."""
    python = os.environ.get(PEERS_PYTHON)
    if python is None:
        print(f"left out, for {PEERS_PYTHON} names no interpreter")
        return
    for size in (1_000_000, 10_000_000):
        true, score = two_classes(size)
        with _cbpe(python, true, score, METRICS, is_calibrated=False) as ask:
            ours, theirs = (
                repeated(partial(_calibrated_at_half, true, score)),
                partial(_seconds, ask, "fit", "estimate"),
            )
            title = f"calibration on {LABELLED:,} cases, and {len(METRICS)} metrics at 0.5, n = {size:,}"
            timed_in_turn(title, ours, theirs, _name(ask(), "fit and estimate"), 10, 3)
        rng = np.random.default_rng(0)
        score = rng.beta(0.8, 1.4, size)
        true, predicted = rng.random(size) < score, (score >= 0.5).astype(int)
        given = f"of calibrated scores and predictions, n = {size:,}"
        for metrics, title, call, aim in (
            (METRICS, f"{len(METRICS)} metrics {given}", partial(_of_predictions, score, predicted), 10),
            (WITH_AREA, f"ROC AUC and 4 metrics {given}", partial(_at_half, score, WITH_AREA), 5),
        ):
            with _cbpe(python, true, score, metrics, is_calibrated=True) as ask:
                timed_in_turn(
                    title, repeated(call), partial(_seconds, ask, "estimate"), _name(ask(), "estimate"), aim, 3
                )


def _calibrated_at_half(true: np.ndarray, score: np.ndarray) -> Any:
    calibrator = hs.calibrate(score[:LABELLED], true[:LABELLED], method="isotonic", random_state=0)
    return _at_half(calibrator.predict(score))


@contextmanager
def _cbpe(
    python: str, true: np.ndarray, score: np.ndarray, metrics: list[str], *, is_calibrated: bool
) -> Iterator[Callable[[], dict[str, Any]]]:
    """Give what has NannyML do its job once more and say how long it took."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "given.npz"
        facts = {"labelled": LABELLED, "threshold": 0.5, "metrics": metrics, "is_calibrated": is_calibrated}
        np.savez(path, label=true, score=score, **facts)
        command = [python, str(Path(__file__).with_name("cbpe.py")), str(path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as peer:

            def ask() -> dict[str, Any]:
                peer.stdin.write("\n")
                return json.loads(peer.stdout.readline())

            yield ask


def _seconds(ask: Callable[[], dict[str, Any]], *parts: str) -> float:
    found = ask()
    return sum(found[part] for part in parts)


def _name(found: dict[str, Any], steps: str) -> str:
    return f"NannyML {found['version']}, {steps}"


def scores_growth() -> None:
    """Growth of functions of scores, with cases and classes."""
    two_jobs = {
        "roc_auc_score": hs.roc_auc_score,
        "average_precision_score": hs.average_precision_score,
        "brier_score_loss": hs.brier_score_loss,
        "precision_recall_curve": hs.precision_recall_curve,
        "optimal_threshold": lambda true, score: hs.optimal_threshold(hs.scores(true, score), random_state=0),
        "calibration_slope": lambda true, score: hs.estimate(hs.scores(true, score), "calibration_slope+clip=1e-6"),
        "smooth calibration_curve": lambda true, score: hs.calibration_curve(
            hs.scores(true, np.clip(score, 1e-6, 1 - 1e-6)), method="spline"
        ),
        "unlabelled at a threshold": lambda _, score: _at_half(score),
    }
    sizes = [100_000, 300_000, 1_000_000]
    for name, job in two_jobs.items():
        figure(name, f"n^{_exponent(sizes, [partial(job, *two_classes(size)) for size in sizes]):.2f}", "n^1.1")
    many_jobs = {
        "macro ROC AUC": lambda true, score: hs.roc_auc_score(true, score, multi_class="ovr"),
        "ROC AUC of pairs": lambda true, score: hs.roc_auc_score(true, score, multi_class="ovo"),
        "macro average precision": hs.average_precision_score,
    }
    classes, rows = [10, 30, 90], [10_000, 30_000, 90_000]
    for name, job in many_jobs.items():
        by_classes = [partial(job, *many_classes(20_000, k)) for k in classes]
        by_rows = [partial(job, *many_classes(n, 20)) for n in rows]
        figure(name, f"K^{_exponent(classes, by_classes):.2f}, n^{_exponent(rows, by_rows):.2f}")


def _exponent(sizes: list[int], calls: list[Callable[[], Any]]) -> float:
    took = [quickest(call) for call in calls]
    return float(np.polyfit(np.log(sizes), np.log(took), 1)[0])


SECTIONS = {
    "two": two,
    "many": many,
    "threshold": threshold,
    "unlabelled": unlabelled,
    "nannyml": nannyml,
    "scores_growth": scores_growth,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    run(SECTIONS, sys.argv[1:])
