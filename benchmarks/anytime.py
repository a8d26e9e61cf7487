"""Miss rates over 1,000 looks of confidence sequences and of ordinary intervals, and the widths.

Run ``python benchmarks/anytime.py`` (``--runs 10000``, ``--only mcc roc_auc``). Each run draws cases one by one and
looks at all of them after 50, 51, … 1,049; it misses if the interval of any look does not contain the value of the
population. A look is skipped if the population value is within half of the interval's half-width by the delta method.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import howsure as hs
from howsure.comparison.runs_of_chunks import fraction
from howsure.methods.core.standard_errors import standard_error
from howsure.methods.default import default_method
from howsure.methods.library import Method
from howsure.methods.numerics.confidence_sequences import log_beta_binomial, reach
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Metric, Side
from howsure.tables.separate import SeparateTables
from howsure.tables.table import Table

Array = NDArray[Any]
FIRST, LOOKS, LEVEL = 50, 1000, 0.95
ASSUMED = 0.5  # of the reach, within which no interval misses
RUNS_AT_ONCE = 100
MARKS = (50, 100, 200, 500, 1000)  # cases at which widths are compared
PEEKING = 400  # runs of the interval that is for one look
FIXED_REACH = 1.96
UNITS = ("groups", "sample_weight")


@dataclass(frozen=True)
class Population:
    """A table in proportion to the chances of its cells, and the metric that is followed."""

    name: str
    table: Table
    metric: Metric

    def of(self, counts: Array) -> Table:
        """Return the tables of such counts, ``(tables, cells)``."""
        return replace(self.table, counts=counts.reshape(-1, *self.table.shape).astype(float), rows=-1)

    @property
    def shares(self) -> Array:
        """The chance of each cell."""
        return self.table.cells / self.table.cells.sum()

    @property
    def truth(self) -> float:
        """The population's value."""
        return float(self.metric(self.table.counted))


def populations() -> Iterator[Population]:
    """Yield the populations to simulate."""
    three = [[0.56, 0.03, 0.01], [0.05, 0.22, 0.03], [0.02, 0.02, 0.06]]
    rare = [[0.78, 0.01, 0.01], [0.02, 0.14, 0.01], [0.01, 0.005, 0.015]]
    two, few = [[0.72, 0.08], [0.05, 0.15]], [[0.93, 0.02], [0.02, 0.03]]
    for name, shares, spec in (
        ("accuracy", two, "accuracy"),
        ("recall", two, "recall"),
        ("recall, rare class", few, "recall"),
        ("f1", two, "f1"),
        ("f1, rare class", few, "f1"),
        ("f1@macro", three, "f1@macro"),
        ("f1@macro, rare class", rare, "f1@macro"),
        ("mcc", two, "mcc"),
        ("mcc, rare class", few, "mcc"),
    ):
        table = hs.from_counts(1e6 * np.array(shares))
        yield Population(name, table, resolve(spec, table))
    for name, share, apart in (("roc_auc", 0.3, 1.0), ("roc_auc, rare class, area 0.96", 0.06, 2.5)):
        steps = np.linspace(-2, 4, 12)
        bell = np.exp(-0.5 * (steps[:, None] - np.array([0.0, apart])) ** 2)
        counts = bell / bell.sum(0) * np.array([1 - share, share])
        table = replace(hs.scores(np.tile([0, 1], 12), np.repeat(steps, 2)), counts=1e6 * counts)
        yield Population(name, table, resolve("roc_auc", table))
    # Truth × first model × second model.
    paired = np.array([[[0.60, 0.06], [0.03, 0.03]], [[0.03, 0.02], [0.05, 0.18]]])
    seldom = np.array([[[0.90, 0.01], [0.01, 0.01]], [[0.01, 0.005], [0.015, 0.04]]])
    several = np.random.default_rng(0).dirichlet(np.full(27, 0.3)).reshape(3, 3, 3)
    several += [
        [[6, 0, 0], [0, 0, 0], [0, 0, 0]],
        [[0, 0, 0], [0, 2, 0], [0, 0, 0]],
        [[0, 0, 0], [0, 0, 0], [0, 0, 0.5]],
    ]
    for name, shares, spec in (
        ("difference of mcc", paired, "mcc"),
        ("difference of f1@macro", several, "f1@macro"),
        ("difference of accuracy", paired, "accuracy"),
        ("difference of accuracy, models alike", seldom, "accuracy"),
        ("difference of f1", paired, "f1"),
        ("difference of f1, rare class", seldom, "f1"),
    ):
        joint = of_two_models(shares)
        sides = (Side(model, resolve(spec, joint.model(model)), joint.view(model)) for model in joint.models)
        yield Population(name, joint, contrast_metric(EFFECTS["difference"], *sides))
    tables = [hs.from_counts(5e5 * np.array(shares)) for shares in (two, [[0.74, 0.06], [0.03, 0.17]])]
    joint = SeparateTables.of(tables)
    sides = (Side(name, resolve("f1", own), view) for name, own, view in zip("AB", tables, joint.views, strict=True))
    yield Population("difference of f1, two test sets", joint, contrast_metric(EFFECTS["difference"], *sides))


def of_two_models(shares: Array) -> Any:
    """Return a paired table in proportion to shares by truth and either prediction."""
    truth, first, second = (each.ravel() for each in np.indices(shares.shape))
    table = hs.paired(truth, {"A": first, "B": second})
    return replace(table, counts=1e6 * shares[tuple(table.codes.T)])


def looks(population: Population, runs: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Yield numbers of runs, ``(runs,)``, and their tables at each look, ``(runs, looks, cells)``."""
    rng = np.random.default_rng(seed)
    edges = np.cumsum(population.shares)[:-1]
    for start in range(0, runs, RUNS_AT_ONCE):
        run = np.arange(start, min(start + RUNS_AT_ONCE, runs))
        cell = np.searchsorted(edges, rng.random((len(run), FIRST + LOOKS - 1)), side="right")
        seen = (cell[..., None] == np.arange(len(population.shares))).cumsum(1)
        yield run, seen[:, FIRST - 1 :]


def missed(population: Population, interval: Callable[[Table], Any], reached: Array, runs: int, seed: int = 1) -> float:
    """Return the share of runs whose interval misses the truth at any look.

    Parameters
    ----------
    population : Population
        What the cases are drawn from.
    interval : callable
        Tables with the same number of cases → intervals.
    reached : ndarray of shape (looks,)
        How many standard errors the interval reaches at each look.
    runs, seed : int
        How many runs, and where they start.
    """
    near: list[list[tuple[Array, Array]]] = [[] for _ in range(LOOKS)]
    for run, seen in looks(population, runs, seed):
        tables = population.of(seen.reshape(-1, seen.shape[-1]))
        with np.errstate(all="ignore"):
            value = np.asarray(population.metric(tables.counted)).reshape(seen.shape[:2])
            error = standard_error(population.metric, tables).reshape(seen.shape[:2])
            far = np.isfinite(value) & ~(np.abs(value - population.truth) < ASSUMED * reached * error)
        for look in np.flatnonzero(far.any(0)):
            near[look].append((run[far[:, look]], seen[far[:, look], look]))
    gone = np.zeros(runs, dtype=bool)
    for parts in near:
        if not parts:
            continue
        run, seen = (np.concatenate(each) for each in zip(*parts, strict=True))
        run, seen = run[~gone[run]], seen[~gone[run]]
        if run.size:
            found = interval(population.of(seen))
            gone[run] = (found.low > population.truth) | (found.high < population.truth)
    return float(gone.mean())


def widths(population: Population, method: Method, fixed: Method, runs: int = 200, seed: int = 2) -> list[float]:
    """Return by how much the sequence's interval is wider than one of a single look, in the median, at each mark."""
    rng = np.random.default_rng(seed)
    ratios = []
    for cases in MARKS:
        tables = population.of(rng.multinomial(cases, population.shares, runs))
        wide, narrow = (each.interval(population.metric, tables, LEVEL) for each in (method, fixed))
        ratios.append(float(np.nanmedian((wide.high - wide.low) / (narrow.high - narrow.low))))
    return ratios


def first_alarms(right: Array, size: int, share: float, restarts: bool) -> Array:
    """Return the chunk of the first alarm of each run, or the number of chunks, as `monitor` has it of a stated baseline.

    Parameters
    ----------
    right : ndarray of shape (runs, chunks)
        Right cases of each chunk.
    size : int
        Cases of each chunk.
    share : float
        The baseline.
    restarts : bool
        Whether shorter runs of chunks are followed too.
    """
    sums = np.pad(right.cumsum(1), ((0, 0), (1, 0)))
    first = np.full(len(right), right.shape[1])
    for place in range(right.shape[1]):
        later = [start for start in range(1, place + 1) if place - start < 2 * (start & -start)] if restarts else []
        for start in (0, *later):
            part = fraction(start) if restarts else 1.0
            good, cases = sums[:, place + 1] - sums[:, start], (place + 1 - start) * size
            evidence = log_beta_binomial(good, cases - good, np.full(len(right), share), hs.methods.Anytime().n_optimal)
            first = np.where((evidence > -np.log((1 - LEVEL) * part)) & (first > place), place, first)
    return first


def monitored(runs: int = 2000, chunks: int = 100, size: int = 100) -> None:
    """Print how often chunks without a change raise an alarm, and after how many a drop of accuracy is found."""
    rng = np.random.default_rng(1)
    for restarts, words in ((True, "all cases and shorter runs"), (False, "all cases alone")):
        same = first_alarms(rng.binomial(size, 0.9, (runs, chunks)), size, 0.9, restarts)
        print(f"monitor, {words}: {(same < chunks).mean():.2%} false alarms in {chunks} chunks of {size}")
        for before in (0, 10, 50):
            found = []
            for drop in (0.05, 0.1, 0.2):
                shares = np.repeat([0.9, 0.9 - drop], [before, chunks])
                first = first_alarms(rng.binomial(size, shares, (runs // 4, len(shares))), size, 0.9, restarts)
                found.append(f"{np.median(first[first >= before] - before + 1):.0f}")
            print(f"  chunks until a drop by 0.05, 0.1, 0.2 after {before:2} chunks is found: {', '.join(found)}")


def clustered_and_weighted(runs: int = 150, largest: int = 200, size: int = 5) -> None:
    """Print the misses at any of 20 looks of clusters of five cases, some easier than others, and of weighted cases."""
    rng = np.random.default_rng(4)
    population = hs.from_counts([[540, 60], [40, 360]])
    truth = {metric: float(hs.estimate(population, metric)) for metric in ("accuracy", "mcc")}
    missed = {(kind, metric, method): 0 for kind in UNITS for metric in truth for method in ("anytime", "auto")}
    for _ in range(runs):
        columns = {"groups": np.repeat(np.arange(largest), size), "sample_weight": rng.gamma(2, 0.5, largest * size)}
        y_true = (rng.random(largest * size) < 0.4) * 1
        for kind in UNITS:
            share = np.repeat(rng.beta(4.5, 0.5, largest), size) if kind == "groups" else 0.9
            y_pred = np.where(rng.random(largest * size) < share, y_true, 1 - y_true)
            gone = set()
            for cases in range(10 * size, largest * size + 1, 10 * size):
                own = {kind: columns[kind][:cases]}
                table = hs.confusion(y_true[:cases], y_pred[:cases], labels=[0, 1], check=False, **own)
                for metric, method in {key[1:] for key in missed} - gone:
                    found = hs.estimate(table, metric, method=method)
                    if not found.low <= truth[metric] <= found.high:
                        gone.add((metric, method))
            for each in gone:
                missed[(kind, *each)] += 1
    for (kind, metric, method), number in missed.items():
        print(f"{metric} with {kind}, {method}: {number / runs:.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--n-optimal", type=float, default=hs.methods.Anytime().n_optimal)
    parser.add_argument("--only", nargs="*", help="populations by name")
    asked = parser.parse_args()
    method = hs.methods.Anytime(asked.n_optimal)
    cases = FIRST + np.arange(LOOKS)
    print(f"{asked.runs:,} runs, n_optimal={asked.n_optimal:g}; misses at any look; widths at n = {MARKS}")
    if not asked.only:
        monitored()
        clustered_and_weighted()
    for population in populations():
        if asked.only and population.name not in asked.only:
            continue
        start, metric = time.perf_counter(), population.metric
        fixed = default_method(metric, population.of(np.rint(1000 * population.shares[None])))
        at_once = partial(method.interval, metric, confidence_level=LEVEL)
        sequence = missed(population, at_once, reach(cases, 1 - LEVEL, method.n_optimal), asked.runs)
        at_once = partial(fixed.interval, metric, confidence_level=LEVEL)
        peeked = missed(population, at_once, np.full(LOOKS, FIXED_REACH), min(asked.runs, PEEKING))
        ratios = " ".join(f"{each:.2f}" for each in widths(population, method, fixed))
        seconds = time.perf_counter() - start
        print(
            f"{population.name:38} {sequence:6.2%} instead of {peeked:5.1%} ({fixed.name}); {ratios}; {seconds:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
