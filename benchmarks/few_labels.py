"""Coverage of 95 % intervals that rest on 20 to 160 labels, with known truth: makes the page on few labels.

Run ``python benchmarks/few_labels.py [STUDIES]``. Each setting is one way to use few labels (`prediction_powered`,
`judged`, `partly_labelled`, `transported`, `annotated`, `corrected`), one truth and one number of labels. The truths were
chosen after the methods. 60 studies a setting take about five minutes of processor time. Writes docs/coverage-labels.md.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import howsure as hs

PAGE = Path(__file__).parent.parent / "docs" / "coverage-labels.md"
METRICS = ("accuracy", "precision", "recall", "specificity", "f1", "mcc", "kappa")
OF_SHIFT = ("prevalence", *METRICS)
LABELS = (20, 40, 80, 160)
QUALITY = {"poor": (0.68, 0.62), "fair": (0.83, 0.87), "good": (0.96, 0.93)}  # P(positive | positive), P(neg. | neg.)
Make = Callable[[np.random.Generator, int], Any]
Setting = tuple[str, str, int, tuple[str, ...], np.ndarray, Make]
HEAD = """# Coverage with few labels

How often 95 % intervals by the default method contain the true value where 20 to 160 labels are all there is. Each
row pools truths that differ in prevalence, in the quality of the cheap labels and of the predictions. The mean and the
worst are over the truths and metrics of the row; studies without an interval are left out. The Monte Carlo error of one
truth and metric with {studies} studies is {error:.1f} points, so the worst of 28 to 32 is some points below its true
coverage: read it together with the mean. `python benchmarks/few_labels.py` simulates this and writes this page.

| labels by | number of labels | mean coverage, % | worst, % | of |
|:---|---:|---:|---:|:---|
"""


def flipped(rng: np.random.Generator, truth: np.ndarray, rates: tuple[float, float]) -> np.ndarray:
    """Return labels that are right at given rates among the positive and the negative cases."""
    return np.where(rng.random(truth.shape) < np.where(truth == 1, *rates), truth, 1 - truth)


def truths(prevalence: float, rates: tuple[float, float], metrics: tuple[str, ...] = METRICS) -> np.ndarray:
    """Return the metrics of predictions with given rates."""
    (tpr, tnr), p = rates, prevalence
    table = hs.from_counts(np.rint(1e9 * np.array([[(1 - p) * tnr, (1 - p) * (1 - tnr)], [p * (1 - tpr), p * tpr]])))
    return np.array([hs.estimate(table, metric, method="delta").value for metric in metrics])


def some(truth: np.ndarray, number: int) -> np.ndarray:
    """Return the first labels, and nan for the others."""
    return np.where(np.arange(len(truth)) < number, truth, np.nan)


def cheap_labels(name: str) -> Iterator[Setting]:
    """Yield the settings with a few trusted labels and many made ones."""
    for n in LABELS:
        for prevalence, made, predicted, times in (
            (0.08, "fair", "good", 20),
            (0.15, "poor", "poor", 20),
            (0.3, "good", "fair", 10),
            (0.45, "poor", "good", 20),
        ):

            def make(rng: np.random.Generator, n: int, given: Any = (prevalence, made, predicted, times)) -> Any:
                share, cheap, said, more = given
                truth = (rng.random(n * (1 + more)) < share).astype(int)
                columns = some(truth, n), flipped(rng, truth, QUALITY[cheap]), flipped(rng, truth, QUALITY[said])
                if name == "prediction_powered":
                    return hs.prediction_powered(*columns)
                if name == "prediction_powered, one weight":
                    return hs.prediction_powered(*columns, metric="accuracy")
                if name == "partly_labelled":
                    return hs.partly_labelled(columns[0], columns[2], (columns[1] + rng.random(len(truth))) / 2)
                return hs.judged(columns[0], columns[1])

            rates = QUALITY[made if name == "judged" else predicted]
            words = f"prevalence {prevalence}, {made} labels, {predicted} predictions"
            yield name, words, n, METRICS, truths(prevalence, rates), make


def shifted() -> Iterator[Setting]:
    """Yield the settings of another population."""
    for n in LABELS[1:3]:
        for own, share, quality in ((0.5, 0.03, "fair"), (0.3, 0.15, "good"), (0.4, 0.6, "fair"), (0.6, 0.85, "good")):

            def make(rng: np.random.Generator, n: int, given: Any = (own, share, quality)) -> Any:
                own, share, quality = given
                known, there = (np.arange(n) < own * n).astype(int), (rng.random(1500) < share).astype(int)
                source = hs.confusion(known, flipped(rng, known, QUALITY[quality]), labels=[0, 1], check=False)
                return hs.transported(source, flipped(rng, there, QUALITY[quality]))

            words = f"share {own} there and {share} here, {quality} predictions"
            yield "transported", words, n, OF_SHIFT, truths(share, QUALITY[quality], OF_SHIFT), make


def crowds() -> Iterator[Setting]:
    """Yield the settings of several annotators."""
    for n in (50, 150, 400):
        for people, prevalence, quality, missing in (
            (2, 0.4, (0.9, 0.88), 0.0),
            (3, 0.12, (0.85, 0.95), 0.0),
            (3, 0.5, (0.83, 0.87), 0.3),
            (5, 0.25, (0.8, 0.85), 0.4),
        ):

            def make(rng: np.random.Generator, n: int, given: Any = (people, prevalence, quality, missing)) -> Any:
                people, prevalence, quality, missing = given
                truth = (rng.random(n) < prevalence).astype(int)
                votes = np.stack([flipped(rng, truth, quality) for _ in range(people)], 1).astype(float)
                gaps = rng.random(votes.shape) < missing
                gaps[gaps.all(1), 0] = False
                votes[gaps] = np.nan
                return hs.annotated(votes, flipped(rng, truth, (0.88, 0.9)), labels=[0, 1], check=False)

            words = f"{people} annotators with rates {quality}, prevalence {prevalence}, {missing:.0%} missing"
            yield "annotated", words, n, METRICS, truths(prevalence, (0.88, 0.9)), make


def measured_rates() -> Iterator[Setting]:
    """Yield the settings of labels whose error rates were measured on few cases."""
    for n in LABELS[1:]:
        for prevalence, se, sp in ((0.15, 0.88, 0.96), (0.4, 0.82, 0.85)):

            def make(rng: np.random.Generator, n: int, given: Any = (prevalence, se, sp)) -> Any:
                prevalence, se, sp = given
                truth = (rng.random(600) < prevalence).astype(int)
                table = hs.confusion(flipped(rng, truth, (se, sp)), flipped(rng, truth, QUALITY["fair"]), labels=[0, 1])
                half = n // 2
                checked = ((int(rng.binomial(half, rate)), half) for rate in (se, sp))
                return hs.corrected(table, **dict(zip(("sensitivity", "specificity"), checked, strict=True)))

            words = f"prevalence {prevalence}, sensitivity {se}, specificity {sp}"
            yield "corrected, rates measured", words, n, METRICS, truths(prevalence, QUALITY["fair"]), make


def settings() -> Iterator[Setting]:
    """Yield all settings."""
    for name in ("prediction_powered", "judged", "prediction_powered, one weight", "partly_labelled"):
        yield from cheap_labels(name)
    yield from shifted()
    yield from crowds()
    yield from measured_rates()


def simulated(setting: Setting, studies: int) -> np.ndarray:
    """Return the coverage of each metric."""
    name, words, n, metrics, truth, make = setting
    rng = np.random.default_rng([n, *f"{name} {words}".encode()])
    limits = np.full((studies, len(metrics), 2), np.nan)
    for study in limits:
        try:
            study[:] = [(each.low, each.high) for each in hs.evaluate(make(rng, n), metrics).values()]
        except hs.HowsureError:  # a class without a labelled case
            continue
    low, high = limits[..., 0], limits[..., 1]
    with np.errstate(invalid="ignore"):
        held = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
    return np.asarray(held.sum(0) / np.maximum(np.isfinite(low).sum(0), 1))


def main(studies: int) -> None:
    """Write the page."""
    rows: dict[tuple[str, int], list[tuple[float, float, str]]] = {}
    for setting in settings():
        name, words, n, metrics = setting[:4]
        coverage = simulated(setting, studies)
        worst = int(coverage.argmin())
        found = 100 * float(coverage.mean()), 100 * float(coverage[worst]), f"{metrics[worst]}: {words}"
        rows.setdefault((name, n), []).append(found)
        sys.stderr.write(f"{name}, {n}: {words}: {found[0]:.1f}, {found[1]:.1f} {metrics[worst]}\n")
    lines = []
    for (name, n), each in rows.items():
        mean, (_, worst_of_all, of) = np.mean([found[0] for found in each]), min(each, key=lambda found: found[1])
        lines.append(f"| {name} | {n} | {mean:.1f} | {worst_of_all:.1f} | {of} |")
    PAGE.write_text(HEAD.format(studies=studies, error=100 * np.sqrt(0.95 * 0.05 / studies)) + "\n".join(lines) + "\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
