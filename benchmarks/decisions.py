"""Coverage of decision curves: of the net benefit and of its difference to treating all, along thresholds and together.

Calibrated risks by a logistic model with one normal predictor; the thresholds are 0.05, 0.10, …, 0.50. Prints a row for
each prevalence and number of cases: the lowest coverage of the pointwise intervals along the thresholds, their mean, and
the coverage of the simultaneous band, for the net benefit and for the difference.

Run: python benchmarks/decisions.py [studies] [seed]

`python benchmarks/decisions.py models [studies] [seed]` prints the coverage of the difference between two models, of
which one lacks a predictor.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

import howsure as hs
from howsure.decisions import sample
from howsure.designs.independent import Independent
from howsure.estimates.batched_intervals import batched_intervals
from howsure.methods.numerics.confidence_levels import Levels, share_beyond
from howsure.metrics.binding import resolve

POINTS = np.arange(1, 11) / 20
WEIGHTS = POINTS / (1 - POINTS)
SLOPE = 1.5
sample.NORMAL_DRAWS = 20_000


def population(prevalence: float) -> np.ndarray:
    """Return the probabilities of class and number of thresholds reached, ``(codes, 2)``."""
    normal = np.random.default_rng(0).standard_normal(1_000_000)
    start = brentq(lambda each: (1 / (1 + np.exp(-each - SLOPE * normal))).mean() - prevalence, -9, 9)
    risk = 1 / (1 + np.exp(-start - SLOPE * normal))
    code = np.searchsorted(POINTS, risk, side="right")
    size = len(POINTS) + 1
    return np.stack([np.bincount(code, each, size) for each in (1 - risk, risk)], 1) / len(risk)


def covered(probabilities: np.ndarray, n: int, studies: int, rng: np.random.Generator) -> list[float]:
    """Return the coverage of the intervals and bands of studies of n cases."""
    size = len(POINTS)
    counts = rng.multinomial(n, probabilities.ravel(), studies).reshape(studies, size + 1, 2).astype(float)
    above = np.cumsum(counts[:, ::-1], 1)[:, ::-1][:, 1:]  # (studies, T, 2)
    cells = np.stack([counts.sum(1)[:, None] - above, above], -1)
    codes = np.arange(size + 1)[:, None]
    one = sample.Sample(probabilities, codes, Independent(), WEIGHTS, np.nan)
    truth = one.net_benefit(probabilities)
    found = []
    for name, other in (("net_benefit", 0), ("interventions_avoided", 1)):
        critical = [
            sample.critical_value(replace(one, counts=each).covariance(2, other), 0.95, np.random.default_rng(row))
            for row, each in enumerate(counts)
        ]
        levels = Levels(np.where(np.isnan(critical), 0.05, share_beyond(np.nan_to_num(critical, nan=1.96))))
        inside = np.empty((2, size, studies), dtype=bool)
        for at, t in enumerate(POINTS.tolist()):
            batch = replace(hs.from_counts([[1, 1], [1, 1]]), counts=cells[:, at], rows=np.full(studies, n))
            metric = resolve(f"{name}+threshold={t}", batch)
            true = (truth[2] - truth[other])[at] / (1 if other == 0 else WEIGHTS[at])
            for band, level in enumerate((0.95, levels)):
                ((_, limits),) = batched_intervals(batch, [metric], None, level).values()
                inside[band, at] = (limits.low <= true) & (true <= limits.high)
        each = inside[0].mean(1)
        found += [float(each.min()), float(each.mean()), float(inside[1].all(0).mean())]
    return found


def main(studies: int = 1_000, seed: int = 0) -> None:
    """Print a Markdown table."""
    print("| prevalence | cases | lowest | mean | band | lowest, to all | mean, to all | band, to all |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    rng = np.random.default_rng(seed)
    for prevalence in (0.1, 0.3, 0.5):
        for n in (100, 500, 2_000):
            row = covered(population(prevalence), n, studies, rng)
            print(f"| {prevalence} | {n:,} | " + " | ".join(f"{each:.3f}" for each in row) + " |", flush=True)


def two_models(start: float, n: int, rng: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return classes and the risks of two models for n cases."""
    normal = rng.standard_normal((2, n))
    risks = {
        name: 1 / (1 + np.exp(-start - slopes @ normal))
        for name, slopes in (("both", np.array([SLOPE, 0.7])), ("one", np.array([SLOPE, 0.0])))
    }
    return rng.random(n) < risks["both"], risks


def net_benefit(risk: np.ndarray, truth: np.ndarray, threshold: float) -> float:
    """Return the net benefit at a threshold."""
    treated = risk >= threshold
    return float((treated & truth).mean() - threshold / (1 - threshold) * (treated & ~truth).mean())


def models(studies: int = 400, seed: int = 0) -> None:
    """Print a Markdown table of the coverage of the difference between two models."""
    print("| prevalence | cases | lowest | mean | band |\n| ---: | ---: | ---: | ---: | ---: |")
    rng = np.random.default_rng(seed)
    for start in (-3.2, -1.2, 0.0):
        truth, risks = two_models(start, 4_000_000, np.random.default_rng(1))
        apart = np.array([net_benefit(risks["both"], truth, t) - net_benefit(risks["one"], truth, t) for t in POINTS])
        for n in (100, 500):
            point, band, defined = np.zeros(len(POINTS)), 0, 0
            for _ in range(studies):
                y, each = two_models(start, n, rng)
                if y.any() and not y.all():
                    curve = hs.decision_curve(y, each, thresholds=POINTS, random_state=0)
                    found = curve.difference("both", "one")
                    point += (found.low <= apart) & (apart <= found.high)
                    band += ((found.simultaneous_low <= apart) & (apart <= found.simultaneous_high)).all()
                    defined += 1
            numbers = (point.min() / defined, point.mean() / defined, band / defined)
            row = " | ".join(f"{each:.3f}" for each in numbers)
            print(f"| {truth.mean():.2f} | {n} | {row} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["models"]:
        models(*map(int, sys.argv[2:]))
    else:
        main(*map(int, sys.argv[1:]))
