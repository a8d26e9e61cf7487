"""Make the page of the site on the coverage of the default intervals of every metric, by average.

Run ``python benchmarks/every_metric.py FOLDER``: populations with results in FOLDER are not simulated again.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

from howsure.grids import Grid
from howsure.lab.grid import prove, run
from howsure.lab.summary import ENOUGH, Cells, Figures, picked, results
from howsure.numbers import number

PAGE = Path(__file__).parents[1] / "docs" / "coverage-metrics.md"
STUDIES = 400
AVERAGES = ("whole table", "binary", "micro", "macro", "weighted", "geometric", "harmonic", "min", "max")
RATIOS = ("plr", "nlr", "dor", "log_plr", "log_nlr", "log_dor")
HEAD = """# Coverage of every metric

For each metric and each average over classes, the table gives the percentage of truths in which the default 95 %
interval covers in fewer than 92 % of {studies} studies. The {truths} truths are those of the [page on
coverage](coverage.md) with at least five expected cases of the rarest class and five expected errors. They were not
used to choose methods, except for `precision_gain`. If every interval covered 95 %, simulation noise would give 0.3 %.
"One class" is the last class, against the rest if there are more than two classes.

There are {cells} cells (truth × metric) in all. Their coverage is {error} points away from 95 % on average, minus the
distance expected from noise. It is below 92 % in {low} % of them, and in {others} % of those that are not likelihood or
odds ratios (`plr`, `nlr`, `dor` and their logarithms).

`python benchmarks/every_metric.py FOLDER` simulates this and writes this page.
"""
TAIL = """
Intervals for some metrics undercover:

- **Averages of likelihood and odds ratios.** The ratio of a class without errors is infinite and is omitted. The interval then refers to
  the other classes and cannot contain the average of all.
- **Gains of precision** have no lower bound, and decrease without limit if a class is hardly detected.
- **`prevalence_threshold`** depends on the square root of the false positive rate, whose slope is unbounded near 0.
- **Averages of `prevalence`, `pass_rate` and `model_bias`.** The values of all classes have the same sum in each sample. If classes are
  equally frequent, the average has its minimum or maximum there, with zero slope.
"""


def page(at: Cells) -> str:
    """Return the page in Markdown."""
    names = np.array([metric.partition("@")[0] for metric in at["metric"].tolist()])
    rows = []
    for name in np.unique(names):
        chosen = [(names == name) & (at["average"] == average) for average in AVERAGES]
        rows.append((name, *(_poor(picked(at, each)) if each.any() else "" for each in chosen)))
    every = Figures.of(at)
    head = HEAD.format(
        truths=len(np.unique(at["truth"])),
        studies=STUDIES,
        cells=f"{every.cells:,}",
        error=number(100 * every.error, 2),
        low=number(100 * every.poor, 1),
        others=_poor(picked(at, ~np.isin(names, RATIOS))),
    )
    headers = ("metric", *("one class" if each == "binary" else each for each in AVERAGES))
    return f"{head}\n{Grid(headers, tuple(rows)).markdown()}\n{TAIL}"


def _poor(at: Cells) -> str:
    return number(100 * Figures.of(at).poor, 1)


def main(folder: str) -> None:
    """Simulate missing results, and write the page."""
    settings = [
        each for each in prove() if min(each.expectations[name] for name in ("rarest_cases", "errors")) >= ENOUGH
    ]
    run(folder, settings, ["auto"], draws=STUDIES, processes=os.cpu_count() or 1)
    PAGE.write_text(page(results(folder)))


if __name__ == "__main__":
    main(sys.argv[1])
