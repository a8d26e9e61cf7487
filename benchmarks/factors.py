"""Two crossed factors and reader studies: processor time, and memory by number of rows.

Run ``python benchmarks/factors.py [SECTION …]``; sections are two_factors and reader_studies.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from measure import duration, figure, quickest, run
from scores import memory

import howsure as hs

FOUR = ["accuracy", "f1", "mcc", "balanced_accuracy"]
TIMES = 8  # more items or cases for the growth of memory


def levels(first: int, second: int, rng: np.random.Generator) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the levels of two crossed factors by row, and an effect of both."""
    one, other = np.repeat(np.arange(first), second), np.tile(np.arange(second), first)
    return {"model": one, "item": other}, rng.normal(0, 0.3, first)[one] + rng.normal(0, 0.8, second)[other]


def answers(models: int, items: int) -> Callable[[], Any]:
    """Return a job: four metrics of answers of models to items."""
    rng = np.random.default_rng(0)
    groups, ease = levels(models, items, rng)
    truth = (rng.random(items) < 0.4).astype(int)[groups["item"]]
    said = np.where(rng.normal(size=truth.size) < 0.8 + ease, truth, 1 - truth)
    return lambda: hs.evaluate(hs.confusion(truth, said, groups=groups), FOUR)


def prompts(models: int, wordings: int, questions: int) -> Callable[[], Any]:
    """Return a job: a leaderboard of models that answer questions in several wordings."""
    rng = np.random.default_rng(0)
    groups, ease = levels(wordings, questions, rng)
    right = {f"model {place}": (rng.normal(size=ease.size) < 0.05 * place + ease) * 1.0 for place in range(models)}
    return lambda: hs.leaderboard(hs.values(right, bounds=(0, 1), groups=groups), "mean", random_state=0)


def study(modalities: int, cases: int, **settings: Any) -> Callable[[], Any]:
    """Return a job: a reader study of ten readers who rate all cases under each modality."""
    rng = np.random.default_rng(0)
    groups, ease = levels(10 * modalities, cases, rng)
    truth = (rng.random(cases) < 0.3).astype(int)[groups["item"]]
    rating = 1.2 * truth + ease + rng.normal(size=truth.size)
    columns = {"truth": truth, "reader": groups["model"] % 10, "case": groups["item"]}
    return lambda: hs.reader_study(rating, modality=groups["model"] // 10, **columns, **settings)


def keep(job: str, make: Callable[[int], Callable[[], Any]], size: int, aim: str) -> None:
    """Note the time of a job, and its memory at the size and at a larger one."""
    figure(job, duration(quickest(make(size))), aim)
    small, large = memory(make(size)), memory(make(TIMES * size))
    figure(f"its memory, and with {TIMES} times as many", f"{small:.0f} MB, {large:.0f} MB", f"{TIMES} times")


def two_factors() -> None:
    """Two crossed factors, both drawn anew."""
    keep("4 metrics of 20 models × 10,000 items", partial(answers, 20), 10_000, "2 s")
    keep("leaderboard of 20 models, 10 prompts × 1,000 questions", partial(prompts, 20, 10), 1_000, "2 s")


def reader_studies() -> None:
    """Reader studies of 10 readers × 100,000 cases with scores."""
    keep("areas, 2 modalities, by Obuchowski and Rockette", partial(study, 2), 100_000, "5 s")
    for number in (1, 2):
        took = quickest(study(number, 100_000, method="one_shot"), 1)
        figure(f"areas, {number} modalit{'y' if number == 1 else 'ies'}, by Gallas", duration(took), "5 s")


SECTIONS = {"two_factors": two_factors, "reader_studies": reader_studies}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    run(SECTIONS, sys.argv[1:])
