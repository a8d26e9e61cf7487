"""Grids of populations for choosing and for validating methods, with resumable parallel runs."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.lab.simulation import coverages
from howsure.lab.truths import Cells, balanced, concentrated, skewed
from howsure.methods.core.draws import group_seed
from howsure.methods.core.lookup import named
from howsure.metrics.averages import AVERAGES, POOLED
from howsure.metrics.binding import resolve
from howsure.metrics.registry import REGISTRY
from howsure.running.progress import progress
from howsure.writing import written

SHAPES: dict[str, Callable[[int], Array]] = {"balanced": balanced, "skewed": skewed, "concentrated": concentrated}
LEVEL = 0.95
SEED = 20261122
FEWEST = 1.0  # expected cases of the rarest class: with fewer, a study carries no information on it
PROVED = 300  # randomly drawn populations


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A population of a grid, with its properties.

    Parameters
    ----------
    key : str
        Name of the population, which also seeds its studies.
    truth : Cells
        The population.
    facts : dict
        Properties: classes, cases, shapes of prevalence and errors, accuracy.
    """

    key: str
    truth: Cells
    facts: dict[str, Any]

    @property
    def expectations(self) -> dict[str, float]:
        """Expected cases and errors of the rarest class, and expected errors of all classes."""
        counts = np.asarray(self.truth.shares) * self.truth.n
        cases, errors = counts.sum(-1), counts.sum(-1) - np.diagonal(counts)
        rarest = int(cases.argmin())
        return {
            "rarest_cases": float(cases[rarest]),
            "rarest_errors": float(errors[rarest]),
            "errors": float(errors.sum()),
        }


def choose() -> Iterator[Setting]:
    """Yield the populations for choosing default methods."""
    for classes, n, prevalence, errors, accuracy in product(
        (2, 3, 5, 10, 20), (15, 30, 50, 100, 300, 1000, 10_000), SHAPES, SHAPES, (0.6, 0.8, 0.9, 0.95, 0.99, 0.995)
    ):
        true, wrong = SHAPES[prevalence](classes), SHAPES[errors](classes - 1)
        if n * true.min() < FEWEST or (classes == 2 and errors != "balanced"):  # two classes: errors have one form
            continue
        facts = {"classes": classes, "n": n, "prevalence": prevalence, "errors": errors, "accuracy": accuracy}
        key = f"K{classes}-n{n}-{prevalence}-{errors}-{accuracy}"
        yield Setting(key=key, truth=Cells.of(n, accuracy, true, wrong), facts=facts)


def prove() -> Iterator[Setting]:
    """Yield randomly drawn populations for validating the chosen methods."""
    for index in range(PROVED):
        key = f"drawn-{index}"
        rng = np.random.default_rng(group_seed(SEED, ("truth", key)))
        classes = int(rng.choice([2, 2, 3, 4, 4, 6, 8, 12]))
        n = 2 * round(float(np.exp(rng.uniform(np.log(10), np.log(2500))))) + 1
        accuracy = 1 - float(np.exp(rng.uniform(np.log(0.005), np.log(0.4))))
        true = rng.dirichlet(np.full(classes, 2.0))
        right = 1 - np.minimum((1 - accuracy) * rng.gamma(2.0, 0.5, classes), 0.9)
        within = (1 - right)[:, None] * rng.dirichlet(np.full(classes - 1, 0.7), classes)
        shares = np.zeros((classes, classes))
        shares[~np.eye(classes, dtype=bool)] = within.ravel()
        shares[np.diag_indices(classes)] = right
        shares *= true[:, None]
        if n * true.min() < FEWEST:
            continue
        facts = {"classes": classes, "n": n, "prevalence": "drawn", "errors": "drawn", "accuracy": np.trace(shares)}
        yield Setting(key=key, truth=Cells(shares, n), facts=facts)


GRIDS: dict[str, Callable[[], Iterator[Setting]]] = {"choose": choose, "prove": prove}


def shuffled(settings: Iterable[Setting], sample: int | None = None) -> list[Setting]:
    """Return populations in a seeded random order, so that the first ones are a random sample."""
    found = list(settings)
    order = np.random.default_rng(SEED).permutation(len(found))
    return [found[place] for place in order][:sample]


def count_metrics(classes: int) -> list[str]:
    """Return all built-in metrics of counts, with every average, and for the last class.

    In the populations of `choose` the last class is the rarest.

    Krippendorff's alpha is left out: it contains the number of cases, so it needs one table at a time, and otherwise
    equals Scott's pi. So are metrics that need an argument.
    """
    found = []
    for definition in REGISTRY.shipped:
        if not definition.of_predictions or definition.disagreement is not None or definition.required:
            continue
        if not definition.has_averages:
            found.append(definition.name)
            continue
        found.append(f"{definition.name}@binary+positive_class={classes - 1}")
        found += [f"{definition.name}@{average}" for average in (*(each.name for each in AVERAGES), POOLED[0])]
    return found


def run(
    folder: str | Path,
    settings: Sequence[Setting],
    methods: Sequence[str],
    *,
    draws: int,
    processes: int = 1,
    metrics: Sequence[str] = (),
) -> int:
    """Simulate each method on each population, and write the results; existing results are kept.

    Each combination has a file ``FOLDER/METHOD/TRUTH.jsonl.gz`` with one line per metric. A file is written at once,
    and is replaced if its number of draws differs. All methods are applied to the same studies.

    Parameters
    ----------
    folder : str or Path
        Folder of the results.
    settings : sequence of Setting
        The populations.
    methods : sequence of str
        Names of methods.
    draws : int
        Number of studies per population.
    processes : int
        Number of parallel processes; the results do not depend on it.
    metrics : sequence of str
        The metrics; by default all metrics of counts.

    Returns
    -------
    int
        Number of combinations of population and method that were simulated in this call.
    """
    for method in methods:
        named(method)  # raise an error for unknown names before the simulation
    work = [
        (Path(folder) / method / f"{each.key}.jsonl.gz", each, method, draws, tuple(metrics))
        for each in settings
        for method in methods
    ]
    left = [each for each in work if not _is_done(each[0], draws)]
    for path in {each[0].parent for each in left}:
        path.mkdir(parents=True, exist_ok=True)
    with progress("truths", len(left)) as advance:
        if processes == 1 or not left:
            for each in left:
                _write(*each)
                advance()
            return len(left)
        with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
            for _ in pool.map(_write, *zip(*left, strict=True)):
                advance()
    return len(left)


def _is_done(path: Path, draws: int) -> bool:
    if not path.exists():
        return False
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        first = lines.readline()
    return not first or json.loads(first)["draws"] == draws


def _write(path: Path, setting: Setting, method: str, draws: int, metrics: Sequence[str]) -> None:
    found = simulated(setting, method, draws=draws, metrics=metrics)
    text = "".join(json.dumps({name: _short(value) for name, value in each.items()}) + "\n" for each in found)
    written(path, lambda place: place.write_bytes(gzip.compress(text.encode(), mtime=0)))


def _short(value: object) -> Any:
    """Return a float rounded to the precision of a simulation."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def simulated(setting: Setting, method: str, *, draws: int, metrics: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the results of a method for one population: one record per supported, non-constant metric."""
    truth, chosen = setting.truth, named(method)
    applicable = [metric for metric in metrics or count_metrics(truth.classes) if _applies(setting, metric, chosen)]
    found = coverages(applicable, chosen, truth, draws, LEVEL, group_seed(SEED, setting.key))
    said = {"truth": setting.key} | setting.facts | setting.expectations
    return [said | each.to_dict() | {"asked": method} for each in found]


def _applies(setting: Setting, metric: str, method: Any) -> bool:
    """Return whether a metric is defined and not constant in the population, and supported by the method."""
    table = setting.truth.expected
    bound = resolve(metric, table)
    with np.errstate(all="ignore"):
        value, gradient = float(bound(table.counted)), np.nan_to_num(bound.gradient(table.counted))
    varies = float((table.counts * gradient**2).sum()) > 0
    return np.isfinite(value) and varies and (method is None or not method.unsupported_reason(bound, table))
