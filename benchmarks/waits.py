"""Jobs on large data that have no peer: processor time, and memory above that of the data.

Run ``python benchmarks/waits.py``.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from measure import duration, figure, quickest, run

import howsure as hs

ROWS = 1_000_000


def job(title: str, call: Callable[[], Any], aim: str, megabytes: str = "") -> None:
    """Measure the time of a call, and its memory where an aim is stated."""
    call()  # the first call imports packages
    figure(title, duration(quickest(call)), aim)
    if megabytes:
        tracemalloc.start()
        call()
        figure(f"{title}, memory", f"{tracemalloc.get_traced_memory()[1] / 2**20:,.0f} MB", megabytes)
        tracemalloc.stop()


def waits() -> None:
    """Large data without a peer."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, ROWS)
    score = np.clip(rng.normal(0.3 + 0.4 * true, 0.25, ROWS), 0, 1).round(6)
    said = (score > 0.5) * 1
    classes = rng.integers(0, 1_000, ROWS)
    guess = np.where(rng.random(ROWS) < 0.8, classes, rng.integers(0, 1_000, ROWS))
    wide = hs.confusion(classes, guess)

    def anew() -> Any:
        """Return the table without the results that its counts keep."""
        return wide.with_design(wide.design)

    job("mcc, K = 1,000", lambda: hs.estimate(anew(), "mcc"), "0.4 s", "200 MB")
    job("default metrics, K = 1,000", lambda: hs.evaluate(anew()), "0.4 s", "200 MB")
    for chunks, aim in ((300, "1 s"), (1_000, "4 s")):
        chunk = np.repeat(np.arange(chunks), 100)
        tables = hs.confusion(true[: len(chunk)], said[: len(chunk)], by=chunk)
        follow = partial(hs.monitor, tables, ["accuracy", "f1"], method="anytime")
        job(f"two metrics followed over {chunks:,} chunks by a confidence sequence", follow, aim)
    group = rng.integers(0, 10_000, ROWS)
    job("scores of 10,000 groups, 10⁶ rows", lambda: hs.scores(true, score, by=group), "0.6 s")
    grouped = hs.scores(true, score, by=group)
    job("their areas with intervals", lambda: hs.estimate(grouped, "roc_auc"), "0.6 s")
    predicted = hs.confusion(true, said, by=group)
    found = hs.evaluate(predicted, ["accuracy", "f1", "recall", "precision"])
    job("four metrics of 10,000 groups as text", lambda: str(found), "0.1 s")
    job("the same as HTML", found._repr_html_, "0.1 s")
    unlabelled = hs.calibrated(score, by=group % 1_000)
    job(
        "accuracy and F1 of 1,000 unlabelled groups",
        lambda: hs.evaluate(unlabelled, ["accuracy", "f1"], threshold=0.5),
        "0.5 s",
    )
    few = hs.calibrated(score[:1_000])
    job("default metrics of 1,000 unlabelled cases", lambda: hs.evaluate(few), "0.15 s")
    job("report on 10⁶ scores", lambda: hs.report_of(hs.scores(true, score)).to_html(), "1.5 s", "250 MB")
    _detections(rng)


def _detections(rng: np.random.Generator) -> None:
    """Measure the matching of boxes, and resampled mean average precision."""
    preds, truths = [], []
    for _ in range(1_000):
        corner = rng.random((12, 2)) * 500
        boxes = np.hstack([corner, corner + 20 + rng.random((12, 2)) * 80])
        moved = np.vstack([boxes[:9] + rng.normal(0, 4, (9, 4)), boxes[:4] + 300])
        labels = rng.integers(0, 3, 13)
        preds.append({"boxes": moved, "scores": rng.random(13), "labels": labels})
        truths.append({"boxes": boxes, "labels": labels[:12]})
    job("boxes of 1,000 images matched", lambda: hs.detections(preds, truths, iou=0.5), "50 ms")
    table = hs.detections(preds, truths, iou=0.5)
    job("their mAP, 9,999 resamples", lambda: hs.estimate(table, "map", method="bootstrap", random_state=0), "1.5 s")


SECTIONS = {"waits": waits}

if __name__ == "__main__":
    run(SECTIONS, sys.argv[1:])
