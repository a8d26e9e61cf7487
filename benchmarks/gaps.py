"""Family-wise coverage of the gaps between groups: `python benchmarks/gaps.py [STUDIES]`.

Each study draws the confusion table of each group. The intervals are those of `howsure.gaps`, by the same functions,
with limits for all groups in one call. Reported are the shares of studies in which all intervals of differences cover,
in which the interval of the largest difference excludes 0 (with equal groups an error), and in which a stepdown p-value
of an equal pair is at most 0.05.

`python benchmarks/gaps.py repeat STUDIES` repeats the rows with the lowest coverage, without p-values.
"""

from __future__ import annotations

import sys

import numpy as np

from howsure.groups import simultaneous
from howsure.groups.simultaneous import Estimated, contrasts, level_at
from howsure.methods.numerics.binomial import mid_p

simultaneous.DRAWS = 4_000
SIZES = {
    "10": lambda k: np.full(k, 10),
    "100": lambda k: np.full(k, 100),
    "10–1000": lambda k: np.geomspace(10, 1000, k).astype(int),
    "1000": lambda k: np.full(k, 1000),
}
RATES = {"0.8, 0.1": (0.8, 0.1), "0.95, 0.03": (0.95, 0.03)}
ALL = "recall, fpr, precision"
TAKEN = {"recall": [0], ALL: [0, 1, 2]}
LOWEST = [
    (ALL, 5, "1000", "0.8, 0.1"),
    (ALL, 5, "1000", "0.95, 0.03"),
    ("recall", 20, "10–1000", "0.95, 0.03"),
    ("recall", 2, "1000", "0.8, 0.1"),
    ("recall", 5, "1000", "0.8, 0.1"),
    ("recall", 5, "1000", "0.95, 0.03"),
    ("recall", 2, "1000", "0.95, 0.03"),
    (ALL, 20, "10–1000", "0.95, 0.03"),
    (ALL, 20, "1000", "0.95, 0.03"),
    (ALL, 20, "1000", "0.8, 0.1"),
]


def estimated(counts: np.ndarray, taken: list[int]) -> Estimated:
    """Return the metrics of groups from their tp, fn, fp, tn, ``(4, K)``."""
    tp, fn, fp, tn = counts
    hits, trials = np.stack([tp, fp, tp]), np.stack([tp + fn, fp + tn, tp + fp])
    with np.errstate(all="ignore"):
        r, f, p = hits / trials
        variance = np.stack([r, f, p]) * (1 - np.stack([r, f, p])) / trials
        covariance = {
            (0, 2): tp * (1 - r) * (1 - p) / (tp + fn) / (tp + fp),
            (1, 2): -fp * (1 - f) * p / (fp + tn) / (tp + fp),
        }
        size = counts.shape[1]
        correlation = np.eye(len(taken) * size)
        for (a, b), each in covariance.items():
            if a in taken and b in taken:
                found = np.nan_to_num(each / np.sqrt(variance[a] * variance[b]), posinf=0, neginf=0)
                at = np.arange(size)
                correlation[a * size + at, b * size + at] = correlation[b * size + at, a * size + at] = found
    hits, trials = hits[taken].ravel(), trials[taken].ravel()

    def limits(half_width: float) -> tuple[np.ndarray, np.ndarray]:
        low, high = mid_p(hits, trials, level_at(half_width))
        return np.where(trials > 0, low, np.nan), np.where(trials > 0, high, np.nan)

    with np.errstate(all="ignore"):
        return Estimated(hits / trials, limits, correlation)


def cell(rng, size, sizes, rates, taken, studies):
    """Return the three shares, for groups of equal rates, and the coverage for groups whose rates differ."""
    first, second = np.triu_indices(size, 1)
    pairs = [np.concatenate([size * row + each for row in range(len(taken))]) for each in (first, second)]
    shares = []
    for spread in (0.0, 0.15):
        recall = np.clip(rates[0] - spread * np.linspace(0, 1, size), 0, 1)
        fpr = np.clip(rates[1] + spread * np.linspace(0, 1, size)[::-1], 0, 1)
        cells = np.stack([0.4 * recall, 0.4 * (1 - recall), 0.6 * fpr, 0.6 * (1 - fpr)])
        truth = np.stack([recall, fpr, cells[0] / (cells[0] + cells[2])])[taken].ravel()
        apart = truth[pairs[0]] - truth[pairs[1]]
        counts = np.stack([rng.multinomial(n, p, studies) for n, p in zip(sizes, cells.T, strict=True)], -1)
        missed = excluded = found = 0
        for each in counts:
            given = estimated(each.astype(float), taken)
            made = contrasts(given, *pairs, 0.95, given.deviations(rng))
            known = np.isfinite(made.value)
            missed += ((made.low > apart + 1e-12) | (made.high < apart - 1e-12))[known].any()
            excluded += ((made.low > 1e-12) | (made.high < -1e-12))[known].any()
            found += bool((made.p_value[known & (np.abs(apart) < 1e-12)] <= 0.05).any())
        shares += [1 - missed / studies] + ([excluded / studies, found / studies] if spread == 0 else [])
    return shares


def main(studies: int = 1000) -> None:
    """Print a table."""
    rng = np.random.default_rng(0)
    print(
        "| metrics | groups | cases | recall, fpr | coverage, equal | max − min > 0 | p ≤ 0.05 | coverage, different |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, taken in TAKEN.items():
        for size in (2, 5, 20):
            for cases, sizes in SIZES.items():
                for rates, values in RATES.items():
                    found = cell(rng, size, sizes(size), values, taken, studies)
                    print(
                        f"| {name} | {size} | {cases} | {rates} |",
                        " | ".join(f"{x:.3f}" for x in found),
                        "|",
                        flush=True,
                    )


def repeat(studies: int = 4000, *places: int) -> None:
    """Print the rows of `LOWEST`, or some of them; each has a seed of its own."""
    simultaneous.HALF_WIDTHS = np.geomspace(0.1, simultaneous.FARTHEST, 2)  # p-values are not used
    print("| metrics | groups | cases | recall, fpr | coverage, equal | max − min > 0 | coverage, different |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for place in places or range(len(LOWEST)):
        name, size, cases, rates = LOWEST[place]
        rng = np.random.default_rng([11, place])
        equal, excluded, _, different = cell(rng, size, SIZES[cases](size), RATES[rates], TAKEN[name], studies)
        print(f"| {name} | {size} | {cases} | {rates} | {equal:.4f} | {excluded:.4f} | {different:.4f} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["repeat"]:
        repeat(*map(int, sys.argv[2:]))
    else:
        main(*map(int, sys.argv[1:]))
