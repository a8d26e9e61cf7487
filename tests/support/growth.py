"""Growth of the work of the main paths: cases of increasing size, and the exponent of each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import howsure as hs

Work = Callable[[], Any]
FACTOR = 8  # from the smaller size to the larger one
REPEATS = 3
ROWS = 60_000


def _labels(rows: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, rows)
    return truth, np.where(rng.random(rows) < 0.8, truth, 1 - truth), truth + rng.normal(size=rows)


def rows_of_labels(rows: int) -> Work:
    """Count labels."""
    truth, said, _ = _labels(rows)
    return lambda: hs.confusion(truth, said)


def rows_of_scores(rows: int) -> Work:
    """Count scores, with DeLong's interval."""
    truth, _, score = _labels(rows)
    return lambda: hs.roc_auc_score(truth, score)


def groups_of_labels(groups: int) -> Work:
    """Count labels by group."""
    truth, said, _ = _labels(ROWS)
    return lambda: hs.confusion(truth, said, by=np.arange(ROWS) % groups)


def groups_of_clusters(groups: int) -> Work:
    """Count clustered labels by group."""
    truth, said, _ = _labels(ROWS)
    return lambda: hs.confusion(truth, said, by=np.arange(ROWS) % groups, groups=np.arange(ROWS) // 5)


def groups_of_scores(groups: int) -> Work:
    """Count scores by group."""
    truth, _, score = _labels(ROWS)
    return lambda: hs.scores(truth, score, by=np.arange(ROWS) % groups)


def groups_of_values(groups: int) -> Work:
    """Count values by group."""
    _, _, score = _labels(ROWS)
    return lambda: hs.values(score, by=np.arange(ROWS) % groups)


def clusters_drawn(clusters: int) -> Work:
    """Resample clusters."""
    truth, said, _ = _labels(3 * clusters)
    table = hs.confusion(truth, said, groups=np.arange(3 * clusters) % clusters)
    return lambda: hs.estimate(table, "f1", method=hs.methods.Bootstrap("percentile", 100), random_state=0)


def chunks_followed(chunks: int) -> Work:
    """Follow chunks by a confidence sequence."""
    truth, said, _ = _labels(ROWS)
    tables = hs.confusion(truth, said, by=np.arange(ROWS) * chunks // ROWS)
    return lambda: hs.monitor(tables, "accuracy", method="anytime")


def models_compared(models: int) -> Work:
    """Compare all pairs of models."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 300)
    said = {str(i): np.where(rng.random(300) < 0.7, truth, rng.integers(0, 3, 300)) for i in range(models)}
    table = hs.paired(truth, said)
    return lambda: hs.compare_all(table, "accuracy")


def items_of_models(items: int) -> Work:
    """Estimate with models and items both drawn anew."""
    truth, said, _ = _labels(5 * items)
    both = {"model": np.arange(5 * items) // items, "item": np.arange(5 * items) % items}
    return lambda: hs.estimate(hs.confusion(truth, said, groups=both), "f1")


def cases_of_readers(cases: int) -> Work:
    """Analyse a reader study."""
    _, _, rating = _labels(5 * cases)
    reader, case = np.arange(5 * cases) // cases, np.arange(5 * cases) % cases
    return lambda: hs.reader_study(rating, truth=case % 2, reader=reader, case=case)


def areas_compared(models: int) -> Work:
    """Compare all pairs of models by their areas."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    table = hs.paired_scores(truth, {str(i): truth + rng.normal(size=300) for i in range(models)})
    return lambda: hs.compare_all(table, "roc_auc")


def models_ranked(models: int) -> Work:
    """Rank models."""
    rng = np.random.default_rng(0)
    table = hs.values({str(i): rng.random(100) for i in range(models)})
    return lambda: hs.leaderboard(table, "mean", random_state=0)


def experiments_compared(experiments: int) -> Work:
    """Compare all pairs of experiments of a study."""
    rng, study = np.random.default_rng(0), hs.Study(seed=0, n_draws=1000)
    for index in range(experiments):
        study.add(f"group/{index}", rng.poisson(20.0, (2, 2)))
    study.add_metric("f1")
    return lambda: study.comparisons("f1")


# Work, its smaller size, and the largest allowed exponent; one is added for inherently quadratic work.
CASES: dict[str, tuple[Callable[[int], Work], int, float]] = {
    "rows of labels": (rows_of_labels, 50_000, 1.5),
    "rows of scores": (rows_of_scores, 20_000, 1.5),
    "groups of labels": (groups_of_labels, 200, 1.5),
    "groups of clustered labels": (groups_of_clusters, 200, 1.5),
    "groups of scores": (groups_of_scores, 200, 1.5),
    "groups of values": (groups_of_values, 200, 1.5),
    "clusters drawn": (clusters_drawn, 3_000, 1.5),
    "chunks followed": (chunks_followed, 60, 1.5),
    "items of models": (items_of_models, 5_000, 1.5),
    "cases of readers": (cases_of_readers, 5_000, 1.5),
    "models compared in pairs": (models_compared, 5, 2.5),
    "areas compared in pairs": (areas_compared, 3, 2.5),
    "models ranked": (models_ranked, 8, 2.5),
    "experiments compared in pairs": (experiments_compared, 3, 2.5),
}


def exponent(make: Callable[[int], Work], size: int) -> tuple[float, float]:
    """Return how the processor's time grows with the size, as a power of it, and the time at the larger size."""
    shortest = []
    for each in (size, FACTOR * size):
        work, times = make(each), []
        for _ in range(REPEATS):
            start = time.process_time()
            work()
            times.append(time.process_time() - start)
        shortest.append(min(times))
    return math.log(shortest[1] / shortest[0]) / math.log(FACTOR), shortest[1]
