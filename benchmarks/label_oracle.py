"""Number of labels that would be enough for the F1 score if the error rate of each stratum were known beforehand.

Run ``python benchmarks/label_oracle.py [NAME …]`` (tumours by default). Strata are those of `sample_to_label`, with 3
or 5 ranges of scores in each predicted class. An oracle with known error rates allots the labels so that the mean width
of the intervals is smallest: labels are moved between strata while the width decreases, in steps that are halved. The
intervals do not use this information: within strata they are those of `Stratified`. Strata without an observed error
share one limit, that of the stratum which changes the metric most, which is slightly too small. The width is compared
with that of labels drawn at random from all cases. Prints a Markdown table.
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np
from label_next import EVENLY, POPULATIONS, Population, evenly
from scipy.stats import binom

import howsure.imperfect_labels.partial.partly_labelled as pools
from howsure.methods.proportions.stratified import _limits

RANGES = (3, 5)
LABELS = (200, 400)
MORE = (0.75, 1, 1.5, 2, 3)  # times as many labels, drawn evenly
TRIED, CHECKED = 300, 3000  # samples while labels are moved, and of the width at the end
LEAST = 2  # labels of each stratum
Strata = tuple[np.ndarray, np.ndarray, np.ndarray]


def strata(population: Population, ranges: int) -> Strata:
    """Return the share of each stratum, its predicted class, and how often it errs."""
    truth, predicted, score = population
    pools.BINS = ranges
    stratum = pools.Pool.of(None, predicted, score, None, None).stratum
    means = [np.bincount(stratum, each) / np.bincount(stratum) for each in (predicted, truth != predicted)]
    return np.bincount(stratum) / len(truth), *means


@cache
def limits(labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of the share of errors of a stratum, for each number of errors."""
    return _limits(np.arange(labels + 1) / labels, np.full(labels + 1, float(labels)), 0.95)


def f1(share: np.ndarray, positive: np.ndarray, errs: np.ndarray) -> np.ndarray:
    """Return F1 by how often the strata err, the last axis."""
    right, wrong = (share * positive * (1 - errs)).sum(-1), (share * errs).sum(-1)
    return np.asarray(2 * right / (2 * right + wrong))


def width(known: Strata, labels: np.ndarray, place: np.ndarray) -> float:
    """Return the mean width of the intervals, from uniform numbers ``(samples, strata)``."""
    share, positive, errs = known
    errors = binom.ppf(place, labels, errs).astype(int)
    found = errors / labels
    value, moves = f1(share, positive, found), np.empty((2, *found.shape))
    for each, many in enumerate(labels.tolist()):
        for side, ends in enumerate(limits(many)):
            other = found.copy()
            other[:, each] = ends[errors[:, each]]
            moves[side][:, each] = f1(share, positive, other) - value
    silent = errors == 0
    above = np.sqrt((moves[0] ** 2).sum(1))
    below = np.sqrt((moves[1] ** 2 * ~silent).sum(1) + (moves[1] ** 2 * silent).max(1))
    return float((np.minimum(value + above, 1) - np.maximum(value - below, 0)).mean())


def narrowest(known: Strata, number: int) -> tuple[np.ndarray, float]:
    """Return how an oracle allots so many labels, and the mean width."""
    rng = np.random.default_rng(number)
    place, size = rng.random((TRIED, len(known[0]))), len(known[0])
    part = known[0] ** 0.7
    labels = np.maximum(LEAST, np.round(number * part / part.sum())).astype(int)
    labels[labels.argmax()] += number - labels.sum()
    least, step = width(known, labels, place), max(LEAST, number // 10)
    while step >= LEAST:
        moved = False
        for to, away in ((to, away) for to in range(size) for away in range(size) if to != away):
            tried = labels + step * (np.arange(size) == to) - step * (np.arange(size) == away)
            if tried.min() >= LEAST and (found := width(known, tried, place)) < least - 1e-5:
                labels, least, moved = tried, found, True
        step = step if moved else step // 2
    return labels, width(known, labels, rng.random((CHECKED, size)))


def main() -> None:
    """Print a line for each population, number of ranges and number of labels."""
    print("| population | ranges a class | labels | by stratum | width | drawn evenly | as many as |")
    print("|:---|---:|---:|:---|---:|---:|---:|")
    for name in sys.argv[1:] or ["tumours"]:
        population = POPULATIONS[name]()
        for number in LABELS:
            even = [evenly(population, round(number * many), EVENLY) for many in MORE]
            for ranges in RANGES:
                labels, found = narrowest(strata(population, ranges), number)
                times = np.exp(np.interp(-np.log(found), -np.log(even), np.log(MORE)))
                allotted = " ".join(map(str, labels))
                print(
                    f"| {name} | {ranges} | {number} | {allotted} | {found:.3f} | {even[1]:.3f} | {number * times:,.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
