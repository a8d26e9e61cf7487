"""Joint regions, joint tests and certified thresholds: `python benchmarks/requirements.py PART [STUDIES]`.

`regions` is the coverage of joint regions. Each row draws confusion tables of n cases. The region of `joint_region` contains the true values if their signed
half-widths are inside the ellipse. The half-widths of a proportion follow from its mid-p test in closed form, and so do
the deviances of two rates, so that all studies of a row are computed at once; `tests/requirements` checks that they agree.

`level` is the probability of showing a false statement about sensitivity and specificity, computed over all samples: at
the corner, where both rates equal their bounds, and on the edge, where one does and the other is 1.

`guarantees` is the share of studies whose certified threshold breaks a requirement in the population; `clusters` that of
studies of G clusters of five cases, of any class with the correlation 1/2 of their logits, or of one class with 4/5.
`edges` is the share of such studies in which the test at the threshold where the rate is 0.1 shows that it is less.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import expit, logit, xlogy
from scipy.stats import binom, norm

import howsure as hs
from howsure.methods.numerics.binomial import clopper_pearson, mid_p

SIZES = (50, 100, 300, 1000, 5000)
RADIUS = -2 * np.log(0.05)


def half_width(hits: np.ndarray, trials: np.ndarray, truth: float) -> np.ndarray:
    """Return the signed half-width at which the limit of a mid-p interval equals the true value."""
    below = binom.cdf(hits, trials, truth) - 0.5 * binom.pmf(hits, trials, truth)
    return -norm.ppf(below)


def covered(counts: np.ndarray, truths: tuple[float, float], is_precision: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return which regions contain the true values: joint intervals, and the profile likelihood."""
    tn, fp, fn, tp = counts.T
    first = half_width(tp, tp + fn, truths[0])
    other = tp / (tp + fp) if is_precision else tn
    second = half_width(tp, tp + fp, truths[1]) if is_precision else half_width(tn, tn + fp, truths[1])
    correlation = np.zeros(len(counts))
    if is_precision:
        recall = tp / (tp + fn)
        with np.errstate(all="ignore"):
            correlation = np.sqrt((1 - recall) * (1 - other) * tp * tp / ((tp + fn) * (tp + fp)) / (recall * other))
        correlation = np.nan_to_num(correlation)
    distance = (first**2 - 2 * correlation * first * second + second**2) / (1 - correlation**2)
    x, y = truths
    if is_precision:
        parts = [(counts[:, [3, 2, 1]], np.array([1, 1 / x - 1, 1 / y - 1]) / (1 / x + 1 / y - 1))]
    else:
        parts = [(counts[:, [3, 2]], np.array([x, 1 - x])), (counts[:, [0, 1]], np.array([y, 1 - y]))]
    likely, factor = np.zeros(len(counts)), np.ones(len(counts))
    for cases, probabilities in parts:
        total = cases.sum(1, keepdims=True)
        likely += 2 * xlogy(cases, cases / (total * probabilities)).sum(1)
        factor += (1 / (cases + 0.5)).sum(1) / 12
    return distance <= RADIUS, likely <= RADIUS * factor


def regions(studies: int = 20_000) -> None:
    """Print a table."""
    rng = np.random.default_rng(0)
    print("| pair | n | prevalence | rates | joint intervals | profile likelihood |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for n in SIZES:
        for prevalence in (0.5, 0.2, 0.05):
            for sensitivity, specificity in ((0.7, 0.8), (0.9, 0.95), (0.98, 0.99)):
                cells = [
                    (1 - prevalence) * specificity,
                    (1 - prevalence) * (1 - specificity),
                    prevalence * (1 - sensitivity),
                    prevalence * sensitivity,
                ]
                counts = rng.multinomial(n, cells, studies).astype(float)
                for is_precision in (False, True):
                    second = cells[3] / (cells[3] + cells[1]) if is_precision else specificity
                    tn, fp, fn, tp = counts.T
                    known = (tp + fn > 0) & ((tp + fp if is_precision else tn + fp) > 0)
                    shares = covered(counts[known], (sensitivity, second), is_precision)
                    name = "recall, precision" if is_precision else "sensitivity, specificity"
                    print(
                        f"| {name} | {n} | {prevalence} | {sensitivity}, {second:.2f} |",
                        " | ".join(f"{each.mean():.3f}" for each in shares),
                        "|",
                        flush=True,
                    )


def level() -> None:
    """Print the probability of a false statement."""
    print("| sensitivity >, specificity > | positives, negatives | method | corner | edges |")
    print("| ---: | ---: | --- | ---: | ---: |")
    for bounds in ((0.9, 0.8), (0.95, 0.95), (0.7, 0.9)):
        for sizes in ((20, 200), (50, 50), (100, 1000), (500, 500)):
            for name, limits in (("mid_p", mid_p), ("clopper_pearson", clopper_pearson)):
                shown = []
                for size, bound in zip(sizes, bounds, strict=True):
                    hits = np.arange(size + 1.0)
                    low, _ = limits(hits, np.full(size + 1, float(size)), 0.9)  # lower limits of 95 %
                    shown.append(binom.pmf(hits, size, bound)[low >= bound].sum())
                print(
                    f"| {bounds[0]}, {bounds[1]} | {sizes[0]}, {sizes[1]} | {name} | {shown[0] * shown[1]:.4f} |",
                    f"{shown[0]:.4f}, {shown[1]:.4f} |",
                )


RISKS = ("fnr<0.1", "fpr<0.1", "precision>0.8", "error_rate<0.18", "f1>0.7")


def met(name: str, threshold: float, prevalence: float) -> bool:
    """Return whether a requirement is met in the population: normal logits one unit below and above 0."""
    at = logit(threshold) if 0 < threshold < 1 else np.copysign(np.inf, threshold - 0.5)
    tp, fp = prevalence * norm.sf(at - 1), (1 - prevalence) * norm.sf(at + 1)
    fn = prevalence - tp
    return {
        "fnr<0.1": fn / prevalence < 0.1,
        "fpr<0.1": fp / (1 - prevalence) < 0.1,
        "precision>0.8": tp > 0.8 * (tp + fp),
        "error_rate<0.18": fn + fp < 0.18,
        "f1>0.7": 2 * tp > 0.7 * (2 * tp + fn + fp),
    }[name]


def guarantees(studies: int = 2000) -> None:
    """Print how often a certified threshold breaks its requirement."""
    rng = np.random.default_rng(1)
    print("| requirement | n | certified | broken |")
    print("| --- | ---: | ---: | ---: |")
    for n in (100, 500):
        for name in RISKS:
            certified = broken = 0
            for _ in range(studies):
                y_true = rng.random(n) < 0.4
                scores = expit(rng.normal(2.0 * y_true - 1))
                found = hs.certified_threshold(hs.scores(y_true, scores, check=False), name, confidence_level=0.9)
                if found.is_certified:
                    certified += 1
                    broken += not met(name, found.threshold, 0.4)
            print(f"| {name} | {n} | {certified / studies:.3f} | {broken / studies:.4f} |", flush=True)


def clustered(rng: np.random.Generator, number: int, correlation: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the truth, the logits of the scores and the clusters of a study."""
    cluster = np.repeat(np.arange(number), 5)
    y_true = rng.random(5 * number) < 0.4
    if correlation == 0.8:
        y_true = y_true[5 * cluster]
    shared, own = rng.normal(size=number)[cluster], rng.normal(size=5 * number)
    return y_true, 2.0 * y_true - 1 + np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own, cluster


def edges(studies: int = 3000) -> None:
    """Print how often a false statement about clustered cases is shown by the test of level 0.1."""
    print("| classes, correlation | metric | clusters | mid-p | exact |")
    print("| --- | --- | ---: | ---: | ---: |")
    for words, correlation in (("any, 0.5", 0.5), ("one, 0.8", 0.8)):
        for number in (20, 30, 50, 100):
            for name, sign in (("fnr", 1), ("fpr", -1)):
                rng, shown = np.random.default_rng([3, number]), np.zeros(2)
                for _ in range(studies):
                    y_true, logits, cluster = clustered(rng, number, correlation)
                    called = logits > sign * (1 + norm.ppf(0.1))
                    labels = {"labels": [False, True], "pos_label": True}
                    table = hs.confusion(y_true, called, groups=cluster, check=False, **labels)
                    for place, method in enumerate(("mid_p", "clopper_pearson")):
                        shown[place] += hs.estimate(table, name, method=method, confidence_level=0.8).high <= 0.1
                shares = " | ".join(f"{each / studies:.3f}" for each in shown)
                print(f"| {words} | {name} | {number} | {shares} |", flush=True)


def clusters(studies: int = 400) -> None:
    """Print how often a threshold certified from clustered cases breaks its requirement."""
    print("| classes, correlation | requirement | clusters | certified | broken |")
    print("| --- | --- | ---: | ---: | ---: |")
    for words, correlation in (("any, 0.5", 0.5), ("one, 0.8", 0.8)):
        for number in (10, 20, 30, 50, 100):
            for name in RISKS[:2]:
                rng = np.random.default_rng(number)
                certified = broken = 0
                for _ in range(studies):
                    y_true, logits, cluster = clustered(rng, number, correlation)
                    table = hs.scores(y_true, expit(logits), groups=cluster, pos_label=True, check=False)
                    found = hs.certified_threshold(table, name, confidence_level=0.9)
                    if found.is_certified:
                        certified += 1
                        broken += not met(name, found.threshold, 0.4)
                shares = f"{certified / studies:.3f} | {broken / studies:.4f}"
                print(f"| {words} | {name} | {number} | {shares} |", flush=True)


if __name__ == "__main__":
    {"regions": regions, "level": level, "guarantees": guarantees, "clusters": clusters, "edges": edges}[sys.argv[1]](
        *map(int, sys.argv[2:])
    )
