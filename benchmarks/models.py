"""Comparisons of models: of two, of all pairs, leaderboards, plans of comparisons, and studies of experiments.

Run ``python benchmarks/models.py [SECTION …]``; sections are two_models, all_models, boards, plans and experiments. Each
line gives the median processor time of howsure, after a first call. Accuracies rise evenly over the models.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import duration, figure, processor, run
from ratios import grown_memory

import howsure as hs

CASES = 10_000


def predicted(models: int, rows: int, classes: int, gain: float = 0.3) -> hs.Table:
    """Return a paired table of the predictions of models."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, classes, rows)
    shares = 0.6 + gain * np.arange(models) / models
    return hs.paired(
        true,
        {
            f"m{index}": np.where(rng.random(rows) < share, true, rng.integers(0, classes, rows))
            for index, share in enumerate(shares)
        },
    )


def scored(models: int, rows: int) -> hs.Table:
    """Return a paired table of the scores of models for two classes."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, rows)
    return hs.paired_scores(true, {f"m{i}": true + rng.normal(0, 1 + 0.02 * i, rows) for i in range(models)})


def valued(models: int, items: int) -> hs.Table:
    """Return a paired table of numbers between 0 and 1."""
    rng = np.random.default_rng(0)
    return hs.values({f"m{index}": rng.random(items) for index in range(models)}, bounds=(0, 1))


def timed(job: str, call: Callable[[], Any], aim: str, repeats: int = 5) -> None:
    """Note the median processor time of a call after the first."""
    call()
    figure(job, duration(float(np.median([processor(call) for _ in range(repeats)]))), aim)


def two_models() -> None:
    """Two models on the same cases, with interval and p-value."""
    for rows, classes, aim in ((1_000, 3, "10 ms"), (1_000, 10, "10 ms"), (1_000_000, 10, "40 ms")):
        table = predicted(2, rows, classes)
        for metric in ("mcc", "kappa", "f1@macro", "balanced_accuracy"):
            job = f"compare in {metric}, n = {rows:,}, K = {classes}"
            timed(job, lambda table=table, metric=metric: hs.compare(table, metric), aim, 15)


def all_models() -> None:
    """All pairs of many models, 10,000 cases."""
    for models, by_areas, by_classes in ((20, "300 ms", "500 ms"), (60, "1 s", "3 s")):
        for metric, table, aim in (
            ("roc_auc", scored(models, CASES), by_areas),
            ("f1@macro", predicted(models, CASES, 10), by_classes),
        ):
            kind = "" if metric == "roc_auc" else ", K = 10"
            job = f"compare_all of {models} models in {metric}{kind}"
            timed(job, lambda table=table, metric=metric: hs.compare_all(table, metric), aim, 3)
    many = predicted(130, CASES, 2)
    timed("compare_all of 130 models in accuracy", lambda: hs.compare_all(many, "accuracy"), "2 s", 3)


def boards() -> None:
    """Leaderboards of many models, with confidence sets of ranks."""
    rng = np.random.default_rng(0)
    right = {str(index): (rng.random(500) < 0.5 + 0.4 * index / 500) * 1 for index in range(500)}
    for job, table, metric in (
        ("leaderboard of 500 models in accuracy, 500 items", hs.paired(np.ones(500, int), right, labels=[0, 1]), None),
        ("leaderboard of 500 models in the mean of values, 500 items", valued(500, 500), "mean"),
        ("leaderboard of 130 models in the mean of values, 100,000 items", valued(130, 100_000), "mean"),
    ):
        ask = lambda table=table, metric=metric: hs.leaderboard(table, metric or "accuracy", random_state=0)  # noqa: E731
        timed(job, ask, "3 s", 3)
    setup = """
import howsure as hs
rng = np.random.default_rng(0)
few, many = (hs.values({str(each): rng.random(items) for each in range(130)}, bounds=(0, 1)) for items in (10, 100_000))
def ask(n):
    hs.leaderboard(many if n > 10 else few, "mean", random_state=0)
"""
    figure("its memory, above values of 104 MB", f"{grown_memory(setup, 11):.0f} MB", "300 MB")


def plans() -> None:
    """Sample sizes of comparisons of two models, checked by simulated studies."""
    table, areas = predicted(2, 1_000, 10, 0.05), scored(2, 1_000)
    for job, call, aim in (
        ("plan of a difference in mcc, K = 10, by power", lambda: hs.plan(table, "mcc", power=0.8), "3 s"),
        ("plan of a difference in mcc, K = 10, by width", lambda: hs.plan(table, "mcc", width=0.02), "3 s"),
        ("plan of a difference in ROC AUC, by power", lambda: hs.plan(areas, "roc_auc", power=0.8), "2 s"),
        ("plan of a difference in ROC AUC, by width", lambda: hs.plan(areas, "roc_auc", width=0.02), "2 s"),
    ):
        timed(job, call, aim, 3)


def experiments() -> None:
    """All pairs of the experiments of a study, 10,000 posterior draws."""
    rng, study = np.random.default_rng(0), hs.Study(seed=0)
    for index in range(60):
        study.add(f"group/{index}", rng.poisson(np.full((3, 3), 5.0) + (60 + index / 2) * np.eye(3)))
    study.add_metric("f1@macro")
    timed("Study.comparisons of 60 experiments", lambda: study.comparisons("f1@macro"), "2 s", 3)


SECTIONS = {
    "two_models": two_models,
    "all_models": all_models,
    "boards": boards,
    "plans": plans,
    "experiments": experiments,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    run(SECTIONS, sys.argv[1:])
