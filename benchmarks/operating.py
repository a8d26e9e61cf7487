"""Coverage of 95 % intervals of rates at a stated rate, by the default method and the delta method, with known truth.

Run ``python benchmarks/operating.py [STUDIES]``. Scores of both classes are normal, 1 or 2 standard deviations apart; 10, 50
or 90 % of 100 or 500 cases are positive. Prints a Markdown table: mean and worst coverage, and mean width, over the truths.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
from scipy import stats

import howsure as hs

SIZES, PREVALENCES, DISTANCES = (100, 500), (0.1, 0.5, 0.9), (1.0, 2.0)
RATES = {"recall_at+fpr": (0.05, 0.1, 0.3), "precision_at+recall": (0.3, 0.6, 0.9)}
METHODS = (None, "delta")


def true_value(metric: str, rate: float, prevalence: float, distance: float) -> float:
    """Return the metric of the population."""
    if metric.startswith("recall"):
        return float(stats.norm.sf(stats.norm.isf(rate) - distance))
    false = stats.norm.sf(stats.norm.isf(rate) + distance)
    return float(prevalence * rate / (prevalence * rate + (1 - prevalence) * false))


def simulated(size: int, prevalence: float, distance: float, studies: int) -> dict[tuple[str, str], list[float]]:
    """Return coverage and mean width of each metric and method; an interval without limits does not cover."""
    rng = np.random.default_rng([size, round(10 * prevalence), round(distance)])
    asked = [(f"{metric}={rate}", metric, rate) for metric, rates in RATES.items() for rate in rates]
    found = {(text, str(method)): np.zeros((studies, 2)) for text, _, _ in asked for method in METHODS}
    for study in range(studies):
        truth = (rng.random(size) < prevalence).astype(int)
        truth[:2] = 0, 1
        table = hs.scores(truth, rng.normal(truth * distance))
        for (text, metric, rate), method in product(asked, METHODS):
            each, value = hs.estimate(table, text, method=method), true_value(metric, rate, prevalence, distance)
            found[text, str(method)][study] = each.low <= value <= each.high, each.high - each.low
    return {key: np.nanmean(each, 0).tolist() for key, each in found.items()}


def main(studies: int) -> None:
    """Print the table."""
    print("| metric | cases | method | mean coverage, % | worst, % | mean width |\n|:---|---:|:---|---:|---:|---:|")
    for size in SIZES:
        cells = [simulated(size, *truth, studies) for truth in product(PREVALENCES, DISTANCES)]
        for (metric, rates), method in product(RATES.items(), METHODS):
            each = np.array([cell[f"{metric}={rate}", str(method)] for cell in cells for rate in rates])
            name = "default" if method is None else f"`{method}`"
            shown = f"{100 * each[:, 0].mean():.1f} | {100 * each[:, 0].min():.1f} | {each[:, 1].mean():.3f}"
            print(f"| `{metric}=` | {size} | {name} | {shown} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
