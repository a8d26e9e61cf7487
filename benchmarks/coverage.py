"""Coverage of 95 % intervals by simulation: how often they hold the truth, over small and skewed tables.

Run ``python benchmarks/coverage.py [STUDIES]``. Tables have K of 2, 3 or 5 classes, 30 to 1,000 cases, balanced classes or
each three times as frequent as the next, and accuracies of 0.7, 0.85 and 0.97; only settings in which the rarest
class expects at least five cases count. Prints a Markdown table.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

import howsure as hs

METRICS = ["accuracy", "f1@macro", "precision@macro", "recall@macro", "mcc", "kappa"]
METHODS = {
    "`auto`": None,
    "`delta`": hs.Delta(),
    "`wald`": hs.Wald(),
    "`bootstrap_percentile`": hs.Bootstrap("percentile", 999),
    "`bayes`, 2 pseudo-cases in all (default)": hs.Dirichlet(n_draws=999, credible="equal_tailed"),
    "`bayes`, 1/2 in each cell": hs.Dirichlet(prior=0.5, n_draws=999, credible="equal_tailed"),
    "`bayes`, 1 in each cell": hs.Dirichlet(prior=1.0, n_draws=999, credible="equal_tailed"),
    "`bayes`, 0": hs.Dirichlet(prior=0.0, n_draws=999, credible="equal_tailed"),
}
SETTINGS = [
    (classes, rows, ratio, accuracy)
    for classes, rows, ratio, accuracy in product((2, 3, 5), (30, 100, 300, 1000), (1, 3), (0.7, 0.85, 0.97))
    if rows * ratio ** -(classes - 1) / sum(float(ratio) ** -k for k in range(classes)) >= 5
]


def shares(classes: int, ratio: float, accuracy: float) -> np.ndarray:
    """Return the probabilities of the cells; errors spread evenly over the other classes."""
    rows = float(ratio) ** -np.arange(classes)
    within = np.full((classes, classes), (1 - accuracy) / (classes - 1))
    np.fill_diagonal(within, accuracy)
    return (rows / rows.sum())[:, None] * within


def main(studies: int) -> None:
    """Print mean absolute error, worst coverage and the share of intervals that reach above 1."""
    covered = {name: [] for name in METHODS}
    beyond = dict.fromkeys(METHODS, 0)
    for index, (classes, rows, ratio, accuracy) in enumerate(SETTINGS):
        rng = np.random.default_rng(index)
        cells = shares(classes, ratio, accuracy)
        whole = hs.ConfusionTable(counts=cells * 1e6, labels=np.arange(classes))
        truth = list(hs.evaluate(whole, METRICS).values())
        tables = [
            hs.from_counts(rng.multinomial(rows, cells.ravel()).reshape(classes, classes)) for _ in range(studies)
        ]
        for name, method in METHODS.items():
            inside = np.zeros(len(METRICS))
            for table in tables:
                found = hs.evaluate(table, METRICS, method=method, random_state=rng)
                for position, each in enumerate(found.values()):
                    inside[position] += each.low <= truth[position] <= each.high
                    beyond[name] += each.high > 1
            covered[name] += (inside / studies).tolist()
    print("| method | mean error, points | worst | above 1, % |\n|:---|---:|---:|---:|")
    for name, shares_inside in covered.items():
        error = 100 * np.mean(np.abs(np.array(shares_inside) - 0.95))
        outside = 100 * beyond[name] / (len(SETTINGS) * studies * len(METRICS))
        print(f"| {name} | {error:.1f} | {min(shares_inside):.2f} | {outside:.1f} |")
    print(f"\n{len(SETTINGS)} settings × {len(METRICS)} metrics, {studies} studies each.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200)
