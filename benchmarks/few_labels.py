"""Coverage of 95 % intervals that rest on 20 to 160 labels, with known truth: makes the page on few labels.

Run ``python benchmarks/few_labels.py [STUDIES]``. Each setting is one way to use few labels (`prediction_powered`,
`judged`, `partly_labelled`, `transported`, `annotated`, `corrected`, `reviewed`, `calibrated`, `sample_to_label`,
`from_rates`), one truth and one number of labels. The truths were chosen after the methods. 60 studies a setting take about
ten minutes of processor time. Writes docs/coverage-labels.md.
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
OF_RATES = (
    "recall",
    "specificity",
    "balanced_accuracy",
    "ppv_at+prevalence=0.1",
    "npv_at+prevalence=0.1",
    "plr",
    "dor",
)
LABELS = (20, 40, 80, 160)
AGAIN = 5  # times as many studies of each row's worst
QUALITY = {"poor": (0.68, 0.62), "fair": (0.83, 0.87), "good": (0.96, 0.93)}  # P(positive | positive), P(neg. | neg.)
Make = Callable[[np.random.Generator, int], Any]
Setting = tuple[str, str, int, tuple[str, ...], np.ndarray, Make]
HEAD = """# Coverage with few labels

Coverage of 95 % intervals by the default method with only 20 to 160 labels. Each row pools truths that differ in
prevalence, in the quality of the cheap labels and in the quality of the predictions. The mean and the worst are over
the truths and metrics of the row; studies without an interval are left out. The Monte Carlo error of one truth and
metric with {studies} studies is {error:.1f} points, so the worst of 14 to 32 is some points below its true coverage.
The truth and metric with the worst coverage were simulated again in {again} new studies. That coverage has no
selection bias, and an error of {less:.1f} points. `python benchmarks/few_labels.py` simulates this and writes this
page.

| labels by | number of labels | mean coverage, % | worst, % | the same again, % | of |
|:---|---:|---:|---:|---:|:---|
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
                    return hs.labels.prediction_powered(*columns)
                if name == "prediction_powered, one weight":
                    return hs.labels.prediction_powered(*columns, metric="accuracy")
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
                return hs.labels.annotated(votes, flipped(rng, truth, (0.88, 0.9)), labels=[0, 1], check=False)

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
                return hs.labels.corrected(table, **dict(zip(("sensitivity", "specificity"), checked, strict=True)))

            words = f"prevalence {prevalence}, sensitivity {se}, specificity {sp}"
            yield "corrected, rates measured", words, n, METRICS, truths(prevalence, QUALITY["fair"]), make


def corrected_by_reviews() -> Iterator[Setting]:
    """Yield the settings of unreliable labels of which some cases, drawn at random, are reviewed."""
    for n in LABELS:
        for prevalence, wrong in ((0.15, 0.05), (0.4, 0.15)):

            def make(rng: np.random.Generator, n: int, given: Any = (prevalence, wrong)) -> Any:
                prevalence, wrong = given
                truth = (rng.random(20 * n) < prevalence).astype(int)
                recorded = flipped(rng, truth, (1 - wrong, 1 - wrong))
                predicted = flipped(rng, truth, QUALITY["fair"])
                return hs.reviewed(y_true=recorded, y_pred=predicted, y_reviewed=some(truth, n), check=False)

            words = f"prevalence {prevalence}, {wrong:.0%} of the recorded labels wrong"
            yield "reviewed", words, n, METRICS, truths(prevalence, QUALITY["fair"]), make


def scored(rng: np.random.Generator, cases: int, steep: float, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """Return scores in (0, 1), and labels whose log odds are linear in those of the scores."""
    score = rng.beta(0.8, 1.2, cases).clip(1e-3, 1 - 1e-3)
    odds = np.exp(steep * np.log(score / (1 - score)) + shift)
    return score, (rng.random(cases) < odds / (1 + odds)).astype(int)


def of_scores(steep: float, shift: float) -> np.ndarray:
    """Return the metrics of two million such scores at the threshold 0.5."""
    score, truth = scored(np.random.default_rng(1), 2_000_000, steep, shift)
    table = hs.confusion(truth, (score >= 0.5).astype(int))
    return np.array([hs.estimate(table, metric, method="delta").value for metric in METRICS])


def calibrators() -> Iterator[Setting]:
    """Yield the settings of unlabelled scores with a calibrator that few labels were fitted to.

    Intervals are about the batch, so each study has a truth of its own.
    """
    for steep, shift in ((1.5, -0.5), (0.6, 0.5)):
        for n in LABELS:

            def make(rng: np.random.Generator, n: int, given: Any = (steep, shift)) -> Any:
                known, pool = scored(rng, n, *given), scored(rng, 10 * n, *given)
                fitted = hs.calibrate(*known, method="platt", n_draws=200, random_state=rng)
                batch = hs.evaluate(hs.confusion(pool[1], (pool[0] >= 0.5) * 1, labels=[0, 1]), METRICS, method="delta")
                truth = np.array([each.value for each in batch.values()])
                return hs.calibrated(pool[0], calibrator=fitted).at(0.5), truth

            words = f"log odds {steep} times those of the score, {shift:+}"
            yield "calibrated, calibrator of few labels", words, n, METRICS, np.full(len(METRICS), np.nan), make


def sampled() -> Iterator[Setting]:
    """Yield the settings of a pool of which `sample_to_label` draws the cases to label."""
    for steep, shift in ((1.5, -1.5), (0.6, 0.5)):
        truth = of_scores(steep, shift)
        for n in LABELS:

            def make(rng: np.random.Generator, n: int, given: Any = (steep, shift)) -> Any:
                score, label = scored(rng, 20 * n, *given)
                predicted = (score >= 0.5).astype(int)
                rows = hs.labels.sample_to_label(predicted, score, "f1", n=n, random_state=rng).rows
                known = np.full(len(label), np.nan)
                known[rows] = label[rows]
                return hs.partly_labelled(known, predicted, score)

            words = f"log odds {steep} times those of the score, {shift:+}"
            yield "sample_to_label, then partly_labelled", words, n, METRICS, truth, make


def published_rates() -> Iterator[Setting]:
    """Yield the settings of a published sensitivity and specificity, each of half the cases."""
    for n in LABELS:
        for rates in (QUALITY["fair"], QUALITY["good"], (0.9, 0.6)):

            def make(rng: np.random.Generator, n: int, given: tuple[float, float] = rates) -> Any:
                shares = (rng.binomial(n // 2, rate) / (n // 2) for rate in given)
                known = dict(zip(("sensitivity", "specificity"), shares, strict=True))
                return hs.from_rates(**known, positives=n // 2, negatives=n // 2)

            words = f"sensitivity {rates[0]}, specificity {rates[1]}"
            yield "from_rates", words, n, OF_RATES, truths(0.5, rates, OF_RATES), make


def settings() -> Iterator[Setting]:
    """Yield all settings."""
    for name in ("prediction_powered", "judged", "prediction_powered, one weight", "partly_labelled"):
        yield from cheap_labels(name)
    yield from shifted()
    yield from crowds()
    yield from measured_rates()
    yield from corrected_by_reviews()
    yield from calibrators()
    yield from sampled()
    yield from published_rates()


def simulated(setting: Setting, studies: int, run: int = 0) -> np.ndarray:
    """Return the coverage of each metric; another run has other studies."""
    name, words, n, metrics, truth, make = setting
    rng = np.random.default_rng([n, *f"{name} {words}".encode(), run])
    limits, truth = np.full((studies, len(metrics), 2), np.nan), np.tile(truth, (studies, 1))
    for study, own in zip(limits, truth, strict=True):
        try:
            made = make(rng, n)
            table, own[:] = made if isinstance(made, tuple) else (made, own)
            study[:] = [(each.low, each.high) for each in hs.evaluate(table, metrics).values()]
        except hs.HowsureError:  # a class without a labelled case
            continue
    low, high = limits[..., 0], limits[..., 1]
    with np.errstate(invalid="ignore"):
        held = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
    return np.asarray(held.sum(0) / np.maximum(np.isfinite(low).sum(0), 1))


def main(studies: int) -> None:
    """Write the page."""
    rows: dict[tuple[str, int], list[tuple[float, float, int, Setting]]] = {}
    for setting in settings():
        name, words, n, metrics = setting[:4]
        coverage = 100 * simulated(setting, studies)
        worst = int(coverage.argmin())
        rows.setdefault((name, n), []).append((float(coverage.mean()), float(coverage[worst]), worst, setting))
        sys.stderr.write(f"{name}, {n}: {words}: {coverage.mean():.1f}, {coverage[worst]:.1f} {metrics[worst]}\n")
    lines = []
    for (name, n), each in rows.items():
        mean, (_, least, place, setting) = np.mean([found[0] for found in each]), min(each, key=lambda found: found[1])
        again = 100 * simulated(setting, AGAIN * studies, run=1)[place]
        sys.stderr.write(f"{name}, {n}: {least:.1f}, again {again:.1f}\n")
        lines.append(f"| {name} | {n} | {mean:.1f} | {least:.1f} | {again:.1f} | {setting[3][place]}: {setting[1]} |")
    error = 100 * np.sqrt(0.95 * 0.05 / studies)
    head = HEAD.format(studies=studies, error=error, again=AGAIN * studies, less=error / np.sqrt(AGAIN))
    PAGE.write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
