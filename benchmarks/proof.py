"""Make the page of the site on the coverage of default intervals for other data than plain tables of counts.

Run ``python benchmarks/proof.py [KIND …]``: pairs, separate, clusters, weights, strata, areas, precision, losses,
reviews, annotators, trusted, unlabelled, calibration, posteriors, posteriors_of_many. If kinds are named, only these
are simulated anew, and the page keeps the others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from truths import Ranks, Trusted, Voted, forecasts

import howsure as hs
from howsure.grids import Grid
from howsure.lab.simulation import coverages
from howsure.lab.summary import beyond_noise
from howsure.lab.truths import balanced, concentrated, skewed
from howsure.methods.core.draws import group_seed
from howsure.numbers import number

PAGE = Path(__file__).parents[1] / "docs" / "coverage-designs.md"
HEAD = """# Coverage of designs, scores, reviews and posteriors

Coverage of 95 % intervals by the default method (and by `method="bayes"` for posteriors), in the format of the [page
on coverage](coverage.md) for plain tables of counts. Each row is one metric of one truth, with the number of studies
in the last column. The Monte Carlo error is that of the coverage. The truths were not used to choose methods, except those of average precision: a first version of its interval was
evaluated on them. The true value is below the interval in the
column "missed below". Mean errors are distances from 95 %, minus the contribution of simulation noise. `python
benchmarks/proof.py` simulates this and writes this page.
"""
LEVEL, SEED = 0.95, 20261125
MANY_STUDIES = 20_000
HEADERS = ("truth", "metric", "covered, %", "± error", "missed below, %", "missed above, %", "mean width", "studies")
COUNTS = ("accuracy", "f1@macro", "mcc", "kappa")
PART = re.compile(r"^## (.+?)\n(.+?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)  # title and text of a section


@dataclass(frozen=True)
class Cell:
    """A population in words, and the request to simulate."""

    said: str
    truth: hs.lab.Truth
    metrics: tuple[str, ...]
    studies: int = MANY_STUDIES
    method: hs.methods.Method | None = None

    def found(self) -> list[hs.lab.Coverage]:
        """Simulate its studies."""
        return coverages(self.metrics, self.method, self.truth, self.studies, LEVEL, group_seed(SEED, self.said))


def of_two(n: int, right: tuple[float, float], prevalence: Any, errors: tuple[Any, Any]) -> list[hs.lab.Cells]:
    """Return two models of the same classes."""
    return [hs.lab.Cells.of(n, each, prevalence, wrong) for each, wrong in zip(right, errors, strict=True)]


PAIRS = (  # cases, how often each is right, how far they fail together, prevalence, errors of each
    (50, (0.90, 0.80), 0.5, [0.6, 0.4], ([1], [1])),
    (50, (0.97, 0.94), 0.9, [0.5, 0.5], ([1], [1])),
    (50, (0.75, 0.75), 0.0, [0.7, 0.3], ([1], [1])),
    (60, (0.92, 0.86), 0.7, [0.85, 0.15], ([1], [1])),
    (1000, (0.98, 0.97), 0.5, [0.97, 0.03], ([1], [1])),
    (50, (0.85, 0.70), 0.3, skewed(3), (balanced(2), concentrated(2))),
    (50, (0.90, 0.90), 0.8, balanced(3), (balanced(2), balanced(2))),
    (70, (0.93, 0.85), 0.6, [0.7, 0.2, 0.1], (skewed(2), balanced(2))),
    (250, (0.80, 0.77), 0.4, [0.8, 0.12, 0.08], (balanced(2), skewed(2))),
    (50, (0.80, 0.65), 0.3, balanced(5), (balanced(4), skewed(4))),
    (80, (0.90, 0.78), 0.7, skewed(5), (skewed(4), skewed(4))),
    (400, (0.92, 0.90), 0.8, concentrated(5), (balanced(4), concentrated(4))),
)


def pairs() -> Iterator[Cell]:
    """Two models on the same cases: differences and ratios."""
    for n, right, together, prevalence, errors in PAIRS:
        first, second = (each.shares for each in of_two(n, right, prevalence, errors))
        said = f"{len(prevalence)} classes, {n} cases, {right[0]} and {right[1]} right, together {together}"
        yield Cell(f"difference: {said}", hs.lab.PairedModels(first, second, together, n), COUNTS)
        yield Cell(f"ratio: {said}", hs.lab.PairedModels(first, second, together, n, "ratio"), COUNTS[:2])


def separate() -> Iterator[Cell]:
    """Two models on cases of their own: differences and ratios."""
    for (n, right, _, prevalence, errors), more in zip(PAIRS[::2], (1, 3, 0.5, 2, 1, 1.5), strict=True):
        first, second = of_two(n, right, prevalence, errors)
        second = hs.lab.Cells(second.shares, max(50, round(more * n)))
        said = f"{len(prevalence)} classes, {n} and {second.n} cases, {right[0]} and {right[1]} right"
        yield Cell(f"difference: {said}", hs.lab.SeparateModels(first, second), COUNTS)
        yield Cell(f"ratio: {said}", hs.lab.SeparateModels(first, second, "ratio"), COUNTS[:2])


CLUSTERS = (  # clusters, cases of an average one, correlation, variation of sizes, how often right, prevalence
    (10, 4, 0.5, 0.0, 0.90, [0.6, 0.4]),
    (10, 35, 0.5, 0.0, 0.85, [0.6, 0.4]),
    (10, 25, 0.3, 2.0, 0.80, [0.5, 0.5]),
    (10, 300, 0.5, 1.0, 0.75, balanced(3)),
    (11, 15, 0.1, 0.5, 0.95, [0.8, 0.2]),
    (12, 50, 0.5, 2.0, 0.90, skewed(3)),
    (12, 1500, 0.02, 0.3, 0.88, [0.7, 0.3]),
    (15, 8, 0.5, 1.0, 0.80, balanced(5)),
    (18, 30, 0.5, 0.0, 0.95, [0.7, 0.3]),
    (22, 60, 0.5, 1.5, 0.90, skewed(5)),
    (30, 12, 0.4, 0.7, 0.93, [0.5, 0.5]),
    (40, 20, 0.5, 2.0, 0.90, [0.6, 0.4]),
    (45, 100, 0.2, 1.0, 0.97, [0.6, 0.4]),
    (90, 6, 0.3, 2.0, 0.85, skewed(3)),
    (16, 130, 0.5, 0.3, 0.94, [0.5, 0.5]),
    (23, 250, 0.45, 0.5, 0.95, balanced(3)),
    (28, 45, 0.5, 0.0, 0.965, [0.6, 0.4]),
    (70, 35, 0.5, 0.0, 0.985, [0.7, 0.3]),
)


def clusters() -> Iterator[Cell]:
    """Cases in clusters."""
    for groups, size, icc, spread, right, prevalence in CLUSTERS:
        shares = hs.lab.Cells.of(1, right, prevalence, balanced(len(prevalence) - 1)).shares
        said = f"{groups} clusters of {size} cases, sizes varying by {spread}, correlation {icc}, {len(prevalence)} classes, {right} right"
        yield Cell(said, hs.lab.Clustered(shares, groups, size, icc, spread), COUNTS[:3], MANY_STUDIES)


def weights() -> Iterator[Cell]:
    """Cases with weights."""
    for n, variation, right, prevalence in (
        (50, 2.0, 0.80, [0.6, 0.4]),
        (50, 2.0, 0.90, balanced(3)),
        (50, 1.0, 0.94, [0.7, 0.3]),
        (60, 1.5, 0.70, skewed(5)),
        (75, 2.0, 0.95, [0.8, 0.2]),
        (120, 2.0, 0.85, skewed(3)),
        (200, 1.0, 0.90, [0.9, 0.1]),
        (300, 2.0, 0.97, [0.5, 0.5]),
        (600, 2.0, 0.80, balanced(5)),
        (150, 0.5, 0.90, skewed(3)),
    ):
        cells = hs.lab.Cells.of(n, right, prevalence, balanced(len(prevalence) - 1))
        said = f"{n} cases, weights varying by {variation}, {len(prevalence)} classes, {right} right"
        yield Cell(said, hs.lab.WeightedCases(cells, variation), COUNTS)


def strata() -> Iterator[Cell]:
    """Cases sampled class by class."""
    for n, right, prevalence in (
        (40, 0.80, [0.5, 0.5]),
        (60, 0.90, [0.75, 0.25]),
        (90, 0.85, balanced(3)),
        (100, 0.70, balanced(5)),
        (500, 0.96, [0.9, 0.1]),
        (1000, 0.95, skewed(5)),
    ):
        cells = hs.lab.Cells.of(n, right, prevalence, balanced(len(prevalence) - 1))
        yield Cell(f"{len(prevalence)} classes, {n} cases, {right} right", hs.lab.FixedTotals(cells), COUNTS)


RANKED = (  # shape, expected positive and negative cases
    ("normal", 10, 30),
    ("normal", 12, 288),
    ("normal, close", 12, 288),
    ("normal, close", 60, 60),
    ("normal, far apart", 10, 90),
    ("normal, far apart", 300, 300),
    ("wider positives", 14, 140),
    ("wider positives", 120, 40),
    ("wider negatives", 11, 200),
    ("wider negatives", 40, 40),
    ("skewed", 12, 110),
    ("skewed", 500, 1000),
    ("heavy tails", 10, 15),
    ("heavy tails", 100, 25),
    ("bounded", 16, 320),
    ("bounded", 50, 150),
    ("reversed exponential", 12, 240),
    ("reversed exponential", 200, 60),
)


def of_ranks(metric: str) -> Iterator[Cell]:
    """Yield the cells of a metric of ranks."""
    for shape, positives, negatives in RANKED:
        yield Cell(f"{shape}, {positives} + {negatives}", Ranks(shape, positives, negatives), (metric,))


def areas() -> Iterator[Cell]:
    """Areas under the ROC curve: positive and negative cases."""
    yield from of_ranks("roc_auc")


def precision() -> Iterator[Cell]:
    """Average precision: positive and negative cases."""
    yield from of_ranks("average_precision")


def losses() -> Iterator[Cell]:
    """Brier score and log loss of probabilities."""
    for n, a, b, intercept, slope in (
        (20, 1.0, 1.0, 0.0, 1.0),
        (30, 0.3, 0.6, 0.0, 1.0),
        (60, 2.0, 8.0, 0.0, 1.0),
        (80, 0.5, 3.0, 0.0, 1.0),
        (100, 0.4, 0.4, 0.0, 2.0),
        (150, 0.3, 3.5, 0.0, 1.5),
        (200, 0.2, 0.2, 0.5, 2.0),
        (250, 1.0, 24.0, 0.0, 1.0),
        (300, 1.5, 25.0, -1.0, 1.0),
        (400, 0.5, 9.0, 0.5, 1.3),
        (1000, 0.3, 3.0, 0.0, 1.5),
        (1000, 2.0, 2.0, 0.0, 0.5),
    ):
        table = forecasts(a, b, intercept, slope)
        positives = round(n * table.counts[:, 1].sum() / table.counts.sum())
        said = f"beta({a}, {b}), intercept {intercept}, slope {slope}, {positives} + {n - positives}"
        yield Cell(said, hs.lab.Repeated(table, n), ("brier_score", "log_loss"))


def reviews() -> Iterator[Cell]:
    """Labels that are partly wrong, and partly reviewed."""
    for n, right, prevalence, wrong, number_of in (
        (300, 0.90, [0.6, 0.4], 0.0, 60),
        (300, 0.90, [0.6, 0.4], 0.2, 100),
        (400, 0.85, [0.85, 0.15], 0.1, 80),
        (500, 0.80, balanced(2), 0.3, 60),
        (500, 0.95, skewed(3), 0.05, 100),
        (800, 0.80, balanced(5), 0.3, 200),
    ):
        cells = hs.lab.Cells.of(n, right, prevalence, balanced(len(prevalence) - 1))
        said = f"{len(prevalence)} classes, {n} cases, {right} right, {wrong:.0%} wrong, {number_of} reviewed"
        yield Cell(said, hs.lab.ReviewedLabels(cells, wrong, number_of), ("accuracy", "f1@macro", "mcc"))


def annotators() -> Iterator[Cell]:
    """Labels by the votes of annotators."""
    for n, right, prevalence, wrong in (
        (300, 0.90, [0.6, 0.4], (0.1, 0.1, 0.1)),
        (600, 0.85, [0.8, 0.2], (0.05, 0.15, 0.2)),
        (400, 0.95, [0.5, 0.5], (0.2, 0.2, 0.2, 0.2, 0.2)),
        (1000, 0.80, [0.7, 0.3], (0.1, 0.2, 0.3)),
    ):
        said = f"{n} cases, {right} right, annotators wrong {', '.join(map(str, wrong))}"
        yield Cell(said, Voted(hs.lab.Cells.of(n, right, prevalence, [1]), wrong), ("accuracy", "f1"))


def trusted() -> Iterator[Cell]:
    """A few trusted labels and many made ones."""
    for n, right, prevalence, wrong, number_of in (
        (1000, 0.90, [0.6, 0.4], 0.1, 100),
        (2000, 0.85, [0.8, 0.2], 0.2, 200),
        (5000, 0.95, [0.7, 0.3], 0.05, 150),
        (1500, 0.75, [0.5, 0.5], 0.3, 300),
    ):
        truth = Trusted(hs.lab.Cells.of(n, right, prevalence, [1]), wrong, number_of)
        yield Cell(
            f"{n} cases, {right} right, {number_of} trusted, made labels {wrong:.0%} wrong", truth, ("accuracy", "f1")
        )


def unlabelled() -> Iterator[Cell]:
    """Calibrated scores without labels."""
    for a, b, threshold, n in ((1, 1, 0.5, 50), (0.5, 2, 0.5, 200), (2, 8, 0.3, 300), (0.3, 0.3, 0.6, 1000)):
        said = f"beta({a}, {b}) from {threshold}, {n} cases"
        yield Cell(said, hs.lab.UnlabelledScores(a, b, threshold, n), ("accuracy", "precision", "recall", "f1"))


COVERED = ("accuracy", "f1@macro", "mcc", "kappa", "recall@macro", "precision@macro")


def drawn(studies: int, *truths: tuple[int, float, Any, Any]) -> Iterator[Cell]:
    """Yield the cells of posteriors of tables of cases, how often right, prevalence and errors."""
    for n, right, prevalence, errors in truths:
        said = f"{len(prevalence)} classes, {n} cases, {right} right, rarest {n * min(prevalence):.0f}"
        cells = hs.lab.Cells.of(n, right, prevalence, errors)
        yield Cell(said, cells, COVERED, studies, hs.methods.Dirichlet(n_draws=4_000))


def posteriors() -> Iterator[Cell]:
    """Posteriors of two to five classes."""
    yield from drawn(
        MANY_STUDIES,
        (30, 0.80, [0.6, 0.4], [1]),
        (60, 0.90, [0.85, 0.15], [1]),
        (200, 0.97, [0.5, 0.5], [1]),
        (25, 0.50, [0.7, 0.3], [1]),
        (40, 0.70, balanced(3), balanced(2)),
        (120, 0.90, skewed(3), skewed(2)),
        (30, 0.30, balanced(3), balanced(2)),
        (50, 0.75, balanced(5), balanced(4)),
        (100, 0.85, balanced(5), skewed(4)),
        (300, 0.95, balanced(5), concentrated(4)),
        (60, 0.40, balanced(5), balanced(4)),
    )


def posteriors_of_many() -> Iterator[Cell]:
    """Posteriors of ten and twenty classes."""
    yield from drawn(
        MANY_STUDIES,
        (50, 0.80, balanced(10), balanced(9)),
        (100, 0.70, balanced(10), balanced(9)),
        (200, 0.90, balanced(10), skewed(9)),
        (1000, 0.95, skewed(10), balanced(9)),
        (100, 0.80, balanced(20), balanced(19)),
        (200, 0.75, balanced(20), skewed(19)),
        (1000, 0.90, balanced(20), balanced(19)),
    )


def calibration() -> Iterator[Cell]:
    """Calibration errors, at the truth 0 and away from it."""
    for intercept, slope, positives, negatives in (
        (0.0, 1.0, 50, 50),
        (0.0, 1.0, 40, 260),
        (0.7, 1.0, 50, 50),
        (0.0, 2.0, 40, 260),
    ):
        truth = hs.lab.BinormalScores(0.8, positives, negatives, levels=50, intercept=intercept, slope=slope)
        said = f"normal, intercept {intercept}, slope {slope}, {positives} + {negatives}"
        yield Cell(said, truth, ("ece",), 2_000)
        yield Cell(said, truth, ("smooth_ece",), 1_000)


EACH = (pairs, separate, clusters, weights, strata, areas, precision, losses, reviews, annotators, trusted, unlabelled)
EACH += (calibration, posteriors, posteriors_of_many)
KINDS: dict[str, Callable[[], Iterator[Cell]]] = {each.__name__: each for each in EACH}
TITLES = {each.__name__: each.__doc__.rstrip(".") for each in EACH}


def section(name: str) -> str:
    """Simulate the cells of a kind; return them in Markdown, with a summary."""
    found = []
    for cell in KINDS[name]():
        for one in cell.found():
            found.append((cell.said, one))
            print("\t".join(row(*found[-1])), flush=True)
    error = np.mean([beyond_noise(one.coverage, LEVEL, one.draws) for _, one in found])
    worst = min(found, key=lambda each: each[1].coverage)
    said, metric, covered, *_ = row(*worst)
    amounts = f"Mean error {number(100 * error, 2)} points; the worst {covered} % ({metric}: {said})."
    return f"{amounts}\n\n{Grid(HEADERS, tuple(row(*each) for each in found)).markdown()}"


def row(said: str, one: hs.lab.Coverage) -> tuple[str, ...]:
    """Return the printed cells of a simulation."""
    shares = (one.coverage, one.coverage_error, one.missed_below, one.missed_above)
    metric = one.metric.partition(":")[0]
    return (said, metric, *(number(100 * each, 2) for each in shares), number(one.width, 3), f"{one.draws:,}")


def main(names: list[str]) -> None:
    """Simulate kinds of cells, and write the page."""
    parts = dict(PART.findall(PAGE.read_text())) if PAGE.exists() else {}
    for name in names or KINDS:
        parts[TITLES[name]] = section(name)
        texts = [f"## {title}\n\n{parts[title].strip()}" for title in TITLES.values() if title in parts]
        PAGE.write_text("\n\n".join([HEAD.strip(), summary(parts), *texts]) + "\n")


def summary(parts: dict[str, str]) -> str:
    """Return the mean error and the worst coverage of each kind, in Markdown."""
    cells = []
    for title in filter(parts.__contains__, TITLES.values()):
        error, worst = re.search(r"Mean error (\S+) points; the worst (\S+) %", parts[title]).groups()
        cells.append((title, error, worst))
    return Grid(("kind", "mean error, points", "worst coverage, %"), tuple(cells)).markdown()


if __name__ == "__main__":
    main(sys.argv[1:])
