"""Coverage of 95 % intervals after a review of unreliable labels, by simulation with known truth.

Run ``python benchmarks/reviewed.py [STUDIES [METHOD ...]]``. Test sets have 1,000 cases of 2 or 4 unbalanced classes, a
classifier of 85 % accuracy, and recorded labels of which 0 to 30 % are wrong. Between 50 and 500 cases are reviewed:
equal numbers in each cell of the table, as its cases allow, or at random from all cases. Prints Markdown tables.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

import howsure as hs

METRICS = ["precision", "recall", "f1", "f1@macro"]  # the first three of the last, rarest class
CLASSES = (2, 4)
CASES, ACCURACY = 1000, 0.85
DESIGNS = ("even", "random")
WRONG = (0.0, 0.05, 0.1, 0.2, 0.3)
REVIEWED = (50, 100, 200, 500)
METHODS = {
    "uncorrected": None,
    "`auto`": None,
    "`delta`": hs.methods.Delta(),
    "`bayes`": hs.methods.Dirichlet(n_draws=1000),
    "`bootstrap_percentile`": hs.methods.Bootstrap("percentile", 500),
}


def metrics(classes: int) -> list[str]:
    """Return the metrics' spec strings."""
    return [name if "@" in name else f"{name}@binary+positive_class={classes - 1}" for name in METRICS]


def shares(classes: int, wrong: float) -> np.ndarray:
    """Return the probabilities of recorded × predicted × true label;

    wrong labels are divided equally among the other classes.
    """
    prevalence = np.arange(classes, 0, -1) + 1.0
    predictions = _confused(classes, ACCURACY) * (prevalence / prevalence.sum())[:, None]
    return np.einsum("ki,kj->ijk", _confused(classes, 1 - wrong), predictions)


def _confused(classes: int, right: float) -> np.ndarray:
    within = np.full((classes, classes), (1 - right) / (classes - 1))
    np.fill_diagonal(within, right)
    return within


def even(counts: np.ndarray, budget: int) -> np.ndarray:
    """Return as many reviews in each cell, and more in the large ones where the small are exhausted."""
    level = 0
    while np.minimum(counts, level + 1).sum() <= budget and level < counts.max():
        level += 1
    return np.minimum(counts, level).astype(int)


def reviewed_at_random(cases: np.ndarray, number: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the corrected labels of so many cases of each cell, drawn without replacement."""
    found = [
        rng.multivariate_hypergeometric(cell, n)
        for cell, n in zip(cases.reshape(number.size, -1), number.flat, strict=True)
    ]
    return np.array(found).reshape(cases.shape)


def study(classes: int, wrong: float, budget: int, design: str, rng: np.random.Generator) -> tuple:
    """Draw one study: the recorded counts and the reviews."""
    cells = shares(classes, wrong)
    cases = rng.multinomial(CASES, cells.ravel()).reshape(cells.shape)
    counts = cases.sum(-1)
    number = even(counts, budget) if design == "even" else rng.multivariate_hypergeometric(counts.ravel(), budget)
    return counts, reviewed_at_random(cases, number.reshape(counts.shape), rng)


def truth(classes: int) -> np.ndarray:
    """Return the true values of the metrics."""
    cells = shares(classes, 0.0).sum(-1)
    table = hs.tables.ConfusionTable(counts=cells, labels=np.arange(classes))
    return np.array(list(hs.evaluate(table, metrics(classes)).values()))


def coverage(
    classes: int, wrong: float, budget: int, design: str, studies: int, methods: dict
) -> dict[str, np.ndarray]:
    """Return the coverage of each method's intervals for each metric, and their mean widths."""
    rng = np.random.default_rng([classes, round(100 * wrong), budget, design == "even"])
    expected = truth(classes)
    inside = {name: np.zeros((2, len(METRICS))) for name in methods}
    for _ in range(studies):
        counts, reviews = study(classes, wrong, budget, design, rng)
        table = hs.reviewed(counts, reviews)
        for name, method in methods.items():
            used = hs.from_counts(counts) if name == "uncorrected" else table
            for position, each in enumerate(hs.evaluate(used, metrics(classes), method=method, random_state=rng)):
                inside[name][0, position] += each.low <= expected[position] <= each.high
                inside[name][1, position] += each.high - each.low
    return {name: sums / studies for name, sums in inside.items()}


def main(studies: int, names: list[str]) -> None:
    """Print coverage by setting, the four metrics averaged, and by method and metric."""
    methods = {name: METHODS[name] for name in names}
    found = {
        setting: coverage(setting[0], setting[3], setting[2], setting[1], studies, methods)
        for setting in product(CLASSES, DESIGNS, REVIEWED, WRONG)
    }
    for name in names:
        print(
            f"\n{name}\n\n| classes | review | reviewed | "
            + " | ".join(f"{100 * wrong:.0f} % wrong" for wrong in WRONG)
            + " |"
        )
        print("|---:|:---|---:|" + "---:|" * len(WRONG))
        for classes, design, budget in product(CLASSES, DESIGNS, REVIEWED):
            cells = [f"{100 * found[classes, design, budget, wrong][name][0].mean():.0f}" for wrong in WRONG]
            print(f"| {classes} | {design} | {budget} | " + " | ".join(cells) + " |")
    print("\n| method | " + " | ".join(METRICS) + " | lowest | mean width |\n|:---|" + "---:|" * (len(METRICS) + 2))
    for name in names:
        every = np.array([each[name] for each in found.values()])
        means = " | ".join(f"{100 * share:.1f}" for share in every[:, 0].mean(0))
        print(f"| {name} | {means} | {100 * every[:, 0].min():.0f} | {every[:, 1].mean():.3f} |")
    print(f"\n{len(found)} settings, {studies} studies each.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 100, sys.argv[2:] or list(METHODS))
