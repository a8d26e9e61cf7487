"""Page of simulation results: tables and two pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from howsure.lab.summary import EXTREME, HEADERS, KINDS, POOR, Cells, by_column, by_kind, picked, results
from howsure.writing import checked_path, written

FEW = 20  # largest number of metrics that are listed
INTRODUCTION = """# Coverage: how often the intervals contain the true value

A 95 % interval should contain the true value in 95 of 100 studies. This page reports how often it does in simulated
studies with known true values.

`python -m howsure.lab run --out FOLDER` simulates the studies, and `python -m howsure.lab page FOLDER
docs/coverage.md` writes this page. Related pages are [every metric](coverage-metrics.md), [averages over many
classes](coverage-classes.md), [means](coverage-means.md), [tests](coverage-tests.md), [pooled
values](coverage-pooling.md), [few labels](coverage-labels.md), and [other designs, scores, reviews and
posteriors](coverage-designs.md). `howsure.lab.coverage` simulates a setting of your own:

```python
>>> import howsure as hs
>>> pilot = hs.from_counts([[50, 3], [5, 42]])
>>> print(hs.lab.coverage("f1", truth=pilot, n=40, draws=2000, random_state=0))
{example}

```

A *truth* is a population: the probability of each cell of a confusion matrix, and the number of cases of a study.
There are {truths:,} truths of {classes} classes and {cases} cases, with {draws:,} random studies of each. The metrics
are {metrics}. The tables are split by the expected number of cases of the rarest class, and the expected number of
errors of all classes. Their columns are:

| Column | Meaning |
| :--- | :--- |
| method | `auto` is the default method of the metric; [methods](theory/methods.md) describes the others |
| cells | number of cells: one truth × one metric each |
| mean error | mean distance of a cell's coverage from 95 %, minus the distance expected from simulation noise |
| below 92 % | percentage of the cells whose coverage is below 92 % |
| missed below, above | percentage of the studies whose true value is below the interval, or above it |
| beyond range | percentage of the studies with a limit outside the metric's range |
| width, relative | geometric mean of the width relative to the narrowest method that covers in the cell, if finite |
| worst, worst cell | lowest coverage of a cell; its metric and the name of its truth |
"""
TIES = "Classes tie in many of these truths, and methods based on derivatives do not apply then.\n"

PEERS = """## Other packages, on the same studies

`python benchmarks/peers_coverage.py FOLDER` evaluates other packages on the same studies, with their default
settings. There are {draws:,} studies of each of {truths:,} of the truths, of up to five classes and 500 cases. The
metrics, where a package has them, are {metrics}. Single cells have a Monte Carlo error of some points, because there
are so few studies; the means are more precise.
"""


def page(folder: str | Path, path: str | Path, peers: str | Path | None = None) -> Path:
    """Write the page of a folder of results, and its pictures in the same folder as the page.

    Parameters
    ----------
    folder : str or Path
        Folder written by `grid.run`.
    path : str or Path
        Path of the page, in Markdown. The pictures have the same name with other endings and the suffix ``.svg``.
    peers : str or Path, optional
        Folder with results of other packages, and of howsure on the same studies.

    Returns
    -------
    Path
        Path of the page.
    """
    from howsure.lab.pictures import by_errors, distribution

    place, at = checked_path(path), results(folder)
    parts = [_introduction(at)]
    for name, grid in by_kind(at).items():
        parts += [f"## {name[:1].upper()}{name[1:]}\n", *([TIES] if name == EXTREME else []), grid.markdown() + "\n"]
    enough = picked(at, next(iter(KINDS.values()))(at))
    for name, draw, words in (
        ("distribution", distribution, f"Coverage of the cells in order; the line is at {POOR:.0%}."),
        ("errors", by_errors, "Mean coverage by the expected number of errors in the study."),
    ):
        beside = place.with_name(f"{place.stem}-{name}.svg")
        draw(at, beside)
        parts.append(f"![{words}]({beside.name})\n")
    for method in np.unique(enough["asked"]):
        own = picked(enough, enough["asked"] == method)
        grid = by_column(own, "average", ("average", *HEADERS[1:]))
        parts += [f"## `{method}` by average, {next(iter(KINDS))}\n", grid.markdown() + "\n"]
    if peers is not None:
        parts.append(_beside(results(peers)))
    return written(place, "\n".join(parts))


def _beside(at: Cells) -> str:
    """Return the section on other packages on the same studies."""
    named = {**at, "asked": np.char.replace(at["asked"], "peer_", "")}
    text = PEERS.format(
        truths=len(np.unique(at["truth"])),
        draws=int(at["draws"].max()),
        metrics=", ".join(f"`{name}`" for name in np.unique(at["metric"]).tolist()),
    )
    return f"{text}\n{by_column(named, 'asked', HEADERS).markdown()}\n"


def _introduction(at: Cells) -> str:
    from howsure.lab.simulation import coverage
    from howsure.sources.matrices import from_counts

    shown = coverage("f1", truth=from_counts([[50, 3], [5, 42]]), n=40, draws=2000, random_state=0)
    classes, cases = (np.unique(at[name]).astype(int) for name in ("classes", "n"))
    names = np.unique(at["metric"]).tolist()
    listed = "those of counts, with every average over classes, and of the last class alone"
    return INTRODUCTION.format(
        metrics=", ".join(f"`{name}`" for name in names) if len(names) <= FEW else listed,
        example=shown,
        truths=len(np.unique(at["truth"])),
        classes=f"{classes[0]} to {classes[-1]}",
        cases=f"{cases[0]:,} to {cases[-1]:,}",
        draws=int(at["draws"].max()),
    )
