"""Make the page of the site on the coverage of the default intervals of every metric, by average.

Run ``python benchmarks/every_metric.py FOLDER``: populations with results in FOLDER are not simulated again.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

from howsure.grids import Grid, number
from howsure.lab.grid import prove, run
from howsure.lab.summary import ENOUGH, Cells, Figures, picked, results

PAGE = Path(__file__).parents[1] / "docs" / "coverage-metrics.md"
STUDIES = 400
AVERAGES = ("whole table", "binary", "micro", "macro", "weighted", "geometric", "harmonic", "min", "max")
RATIOS = ("plr", "nlr", "dor", "log_plr", "log_nlr", "log_dor")
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
