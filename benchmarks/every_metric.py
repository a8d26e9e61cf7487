"""Make the page of the site that tells what the default intervals of every metric cover, average by average.

Run ``python benchmarks/every_metric.py FOLDER``: truths that FOLDER has results of are not simulated again.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from howsure.grids import Grid, number
from howsure.lab.grid import Setting, count_metrics, prove
from howsure.lab.simulation import coverages
from howsure.lab.summary import beyond_noise
from howsure.methods.draws import group_seed

PAGE = Path(__file__).parents[1] / "docs" / "coverage-metrics.md"
LEVEL, SEED, STUDIES = 0.95, 20261126, 400
FEWEST, LOW = 5, 0.92  # cases of the rarest class, and errors, expected; coverage that is too low
AVERAGES = ("whole table", "one class", "micro", "macro", "weighted", "geometric", "harmonic", "min", "max")
HEAD = """# Coverage of every metric

On how many of {truths} truths, in percent, fewer than 92 % of the default 95 % intervals hold the true value. The truths
are those of the [page on coverage](coverage.md) that no choice was made on (but that of `precision_gain`), with at least
five cases of the rarest class and five errors expected, {studies} studies each. Where intervals cover 95 %, the noise of so
few studies shows 0.3 %. One class is the rarest one against the rest, of more than two. The coverage of all {cells} cells
is off by {error} points on average, less noise, and {low} % of them are below 92 %; without likelihood and odds ratios
(`plr`, `nlr`, `dor` and their logarithms) it is {others} %.

`python benchmarks/every_metric.py FOLDER` simulates this and writes this page.
"""
TAIL = """
What is not covered, and why:

- **Averages of likelihood and odds ratios.** Where a class shows no error its ratio is without end, and is left out: the
  interval is that of the other classes, and no interval of these holds the average of all.
- **Gains of precision** have no lower end, and fall without bound where a class is hardly found.
- **`prevalence_threshold`** goes with the root of the false positive rate, which is steep without bound where that is
  small.
- **Averages of `prevalence`, `pass_rate` and `model_bias`**, whose values add up to the same in each sample: where the
  classes are equally frequent the average is at its least, or its largest, and has no slope.
"""
RATIOS = ("plr", "nlr", "dor", "log_plr", "log_nlr", "log_dor")
Row = dict[str, Any]


def settings() -> Iterator[Setting]:
    """Yield truths of some cases and some errors."""
    for each in prove():
        shares, n = np.asarray(each.truth.shares), each.truth.n  # type: ignore[union-attr]  # of plain tables
        if n * shares.sum(1).min() >= FEWEST and n * (1 - np.trace(shares)) >= FEWEST:
            yield each


def simulated(setting: Setting) -> list[Row]:
    """Simulate a truth, and return what each metric's intervals cover."""
    metrics = count_metrics(len(setting.truth.shares))  # type: ignore[union-attr]  # of plain tables
    found = coverages(metrics, None, setting.truth, STUDIES, LEVEL, group_seed(SEED, setting.key))
    return [
        {"metric": each.metric, "method": each.method, "coverage": each.coverage, "draws": each.draws} for each in found
    ]


def results(folder: Path) -> list[Row]:
    """Return the results of all truths; those that are not there are simulated, and kept."""
    every = list(settings())
    missing = [each for each in every if not (folder / f"{each.key}.json").exists()]
    with ProcessPoolExecutor() as pool:
        for setting, found in zip(missing, pool.map(simulated, missing), strict=True):
            (folder / f"{setting.key}.json").write_text(json.dumps(found))
            print(setting.key, flush=True)
    return [row for each in every for row in json.loads((folder / f"{each.key}.json").read_text())]


def place(metric: str) -> tuple[str, str]:
    """Return a metric's name and its column."""
    name, _, average = metric.partition("@")
    return name, "one class" if average.startswith("binary") else average or "whole table"


def share_below(covered: Iterable[float]) -> float:
    """Return the percentage of cells that cover too little."""
    return 100 * float(np.mean(np.array(list(covered)) < LOW))


def page(rows: list[Row], truths: int) -> str:
    """Return the page in Markdown."""
    known = [row for row in rows if np.isfinite(row["coverage"])]
    cells: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in known:
        name, column = place(row["metric"])
        cells[name][column].append(row["coverage"])
    shown = [
        (name, *(number(share_below(each[average]), 1) if each[average] else "" for average in AVERAGES))
        for name, each in sorted(cells.items())
    ]
    head = HEAD.format(
        truths=truths,
        studies=STUDIES,
        cells=f"{len(known):,}",
        error=number(100 * np.mean([beyond_noise(row["coverage"], LEVEL, row["draws"]) for row in known]), 2),
        low=number(share_below(row["coverage"] for row in known), 1),
        others=number(share_below(row["coverage"] for row in known if place(row["metric"])[0] not in RATIOS), 1),
    )
    return f"{head}\n{Grid(('metric', *AVERAGES), tuple(shown)).markdown()}\n{TAIL}"


if __name__ == "__main__":
    where = Path(sys.argv[1])
    where.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(results(where), len(list(settings()))))
