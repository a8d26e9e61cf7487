"""How often the intervals of samples from strata cover, and at stated frequencies of the classes.

Run ``python benchmarks/strata.py [studies]``. Strata: of the predictions (as of a map), by difficulty, 2 to 20 of them,
5 to 200 cases each, rare ones among them. Frequencies: 1 % positive, known from 50 to 200 cases of each class. The
last line is the time of a thousand groups.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import howsure as hs
from howsure.designs.stratified import StratifiedSample
from howsure.methods.core.lookup import named
from howsure.methods.default import default_method
from howsure.metrics.binding import resolve
from howsure.tables.confusion import ConfusionTable

Array = NDArray[Any]
METRICS = ("accuracy", "f1", "kappa", "precision", "recall", "prevalence")
LEVEL = 0.95
MAPS = ((200, 100), (100, 50), (50, 50), (20, 20))
DIFFICULTIES = ((2, 100), (4, 25), (4, 10), (10, 10), (20, 5), (20, 20))
FREQUENCIES = ((50, 0.9, 0.02), (50, 0.9, 0.1), (100, 0.7, 0.005), (200, 0.9, 0.02), (200, 0.95, 0.3))


def sample(cells: Array, shares: Array, sizes: Array, studies: int, rng: np.random.Generator) -> ConfusionTable:
    """Return new studies, each of so many cases of each stratum, whose cells have these probabilities."""
    strata, size = cells.shape
    stratum, place = np.divmod(np.arange(strata * size), size)
    drawn = np.concatenate([rng.multinomial(n, each, studies) for n, each in zip(sizes, cells, strict=True)], 1)
    possible = cells.ravel() > 0
    design = StratifiedSample(
        observed=drawn[:, possible].astype(float),
        stratum=stratum[possible],
        place=place[possible],
        cells=size,
        share=shares,
        design=hs.designs.Independent(),
        names=tuple(range(strata)),
        units=sizes.astype(float),
    )
    counts = design.whole.reshape(studies, 2, 2)
    return ConfusionTable(counts=counts, labels=np.arange(2), design=design, rows=np.full(studies, sizes.sum()))


def maps(rng: np.random.Generator) -> Array:
    """Return strata that are the predictions: most of a rare class's predictions are right."""
    right = np.array([rng.uniform(0.93, 0.99), rng.uniform(0.7, 0.9)])
    return np.array([[right[0], 0, 1 - right[0], 0], [0, 1 - right[1], 0, right[1]]])


def difficulties(strata: int, rng: np.random.Generator) -> Array:
    """Return strata that differ in the share of positive cases, and in how many cases are right."""
    positive, right = rng.beta(2, 2, strata), rng.uniform(0.7, 0.98, strata)
    cells = ((1 - positive) * right, (1 - positive) * (1 - right), positive * (1 - right), positive * right)
    return np.stack(cells, axis=1)


def report(setting: str, tables: ConfusionTable, truth: Array) -> None:
    """Print coverage in per cent, and the mean width, of each metric by the default and the delta method."""
    for name in (None, "delta"):
        words = []
        for spec in METRICS:
            metric = resolve(spec, tables)
            method = default_method(metric, tables) if name is None else named(name)
            interval = method.interval(metric, tables, LEVEL, 0)
            true = float(metric(tables.make_counts(truth[None]))[0])
            low, high = np.asarray(interval.low), np.asarray(interval.high)
            known = np.isfinite(low)
            covered = 100 * ((low <= true) & (true <= high))[known].mean() if known.any() else np.nan
            words.append(f"{covered:.1f} ({(high - low)[known].mean():.3f})" if known.any() else "-")
        print(f"{setting} | {name or 'default'} | " + " | ".join(words), flush=True)


def main(studies: int) -> None:
    """Print a line for each setting and method."""
    rng = np.random.default_rng(20261122)
    print("setting | method | " + " | ".join(METRICS))
    rare = np.array([0.95, 0.05])
    settings = [(f"map, {n} and {m}", maps(rng), rare, np.array([n, m])) for n, m in MAPS]
    for strata, cases in DIFFICULTIES:
        cells, shares = difficulties(strata, rng), rng.dirichlet(np.ones(strata))
        settings.append((f"{strata} strata of {cases}", cells, shares, np.full(strata, cases)))
    for setting, cells, shares, sizes in settings:
        report(setting, sample(cells, shares, sizes, studies, rng), shares @ cells)
    for cases, recall, false in FREQUENCIES:
        hits, errors = rng.binomial(cases, recall, studies), rng.binomial(cases, false, studies)
        counts = np.stack([np.stack([cases - errors, errors], -1), np.stack([cases - hits, hits], -1)], -2)
        tables = ConfusionTable(counts=counts.astype(float), labels=np.arange(2)).at_prevalence([0.99, 0.01])
        truth = np.array([0.99 * (1 - false), 0.99 * false, 0.01 * (1 - recall), 0.01 * recall])
        report(f"1 %, {cases} a class, rates {recall}, {false}", tables, truth)
    groups, rows = rng.integers(0, 1000, 10**6), rng.integers(0, 2, (2, 10**6))
    strata, begin = rng.integers(0, 5, 10**6), time.perf_counter()
    split = hs.confusion(*rows, strata=strata, stratum_sizes=dict.fromkeys(range(5), 0.2), by=groups)
    middle = time.perf_counter()
    hs.estimate(split, "f1")
    own = time.perf_counter() - middle
    print(f"a million rows, 5 strata, 1,000 groups: tables {middle - begin:.2f} s, F1 of each {own:.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
