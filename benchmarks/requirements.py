"""Coverage of joint regions: `python benchmarks/requirements.py [STUDIES]`.

Each row draws confusion tables of n cases. The region of `joint_region` contains the true values if their signed
half-widths are inside the ellipse. The half-widths of a proportion follow from its mid-p test in closed form, so that
all studies of a row are computed at once; `tests/requirements/test_regions.py` checks that the two agree.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.stats import binom, norm

from howsure.metrics.forms import Ratio
from howsure.requirements.profile_likelihood import deviance

SIZES = (50, 100, 300, 1000, 5000)
RADIUS = -2 * np.log(0.05)
SENSITIVITY, SPECIFICITY, PRECISION = (
    Ratio(np.array(above, dtype=float), np.array(below, dtype=float))
    for above, below in (([0, 0, 0, 1], [0, 0, 1, 1]), ([1, 0, 0, 0], [1, 1, 0, 0]), ([0, 0, 0, 1], [0, 1, 0, 1]))
)


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
    forms = (SENSITIVITY, PRECISION if is_precision else SPECIFICITY)
    unique, back = np.unique(counts, axis=0, return_inverse=True)
    truth = [np.array([each]) for each in truths]
    likely = np.array([deviance(each, *forms, *truth)[0] for each in unique])[back.ravel()]
    return distance <= RADIUS, likely <= RADIUS


def main(studies: int = 2000) -> None:
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


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
