"""Coverage of averages over many classes, over classes that never occur, and of geometric and harmonic means.

``python benchmarks/many_classes.py`` simulates them and writes docs/coverage-classes.md. It takes about five minutes of processor time.
The truths were drawn for this page; no choice was made on them.
"""

import sys
import time
from pathlib import Path

import numpy as np

import howsure as hs
from howsure.methods.default import default_method
from howsure.metrics.binding import resolve
from howsure.tables.confusion import ConfusionTable

PAGE = Path(__file__).parents[1] / "docs" / "coverage-classes.md"
RATES = ("precision", "recall", "f1", "jaccard")
METRICS = [*(f"{each}@macro" for each in RATES), *(f"{each}@weighted" for each in RATES)]
CLASSES, CASES = (8, 20, 50, 200, 1000), (2, 3, 5, 10, 20, 50)
TRUTHS, SEED = 6, 2026
STUDIES = {8: 60, 20: 50, 50: 40, 200: 25, 1000: 12}  # of each truth
ABSENT = ["balanced_accuracy", "precision@macro", "f1@macro", "jaccard@macro", "g_mean@macro", "class_mcc@macro"]


class Truth:
    """Classes with recalls of their own, each taken for a few others; equally frequent, or not."""

    def __init__(self, classes, *, fixed, seed, hardest=8.0):
        rng = np.random.default_rng([SEED, classes, fixed, seed])
        self.classes, self.fixed = classes, fixed
        recall = rng.beta(hardest, 2.5, classes)
        others = int(min(classes - 1, rng.integers(2, 12)))
        steps = np.stack([rng.permutation(classes - 1)[:others] + 1 for _ in range(classes)])
        self.taken = (np.arange(classes)[:, None] + steps) % classes
        wrong = rng.dirichlet(np.ones(others), classes) * (1 - recall)[:, None]
        self.chances = np.concatenate([recall[:, None], wrong], 1)
        self.chances /= self.chances.sum(1, keepdims=True)
        even = np.full(classes, 1 / classes)
        self.prevalence = even if fixed or seed % 2 else rng.dirichlet(np.full(classes, 20.0))

    def table(self, outcomes):
        """Return the table of right predictions and each kind of wrong ones, by true class."""
        cells, every = np.zeros((self.classes, self.classes)), np.arange(self.classes)
        cells[every, every] = outcomes[:, 0]
        np.add.at(cells, (np.repeat(every, self.taken.shape[1]), self.taken.ravel()), outcomes[:, 1:].ravel())
        return ConfusionTable(counts=cells, labels=every)

    def drawn(self, cases, rng):
        """Return the table of a study with so many cases a class."""
        number = self.classes * cases
        sizes = np.full(self.classes, cases) if self.fixed else rng.multinomial(number, self.prevalence)
        return self.table(rng.multinomial(sizes, self.chances))

    def values(self, metrics):
        """Return the true values."""
        expected = self.table(1e6 * self.chances * self.prevalence[:, None])
        return np.array([float(resolve(each, expected)(expected.counted)) for each in metrics])


def covered(truth, metrics, cases, studies, rng):
    """Return how often the default intervals of metrics contain the truth, and how often they carry a caution."""
    true, inside, warned = truth.values(metrics), np.zeros(len(metrics)), np.zeros(len(metrics))
    for _ in range(studies):
        table = truth.drawn(cases, rng)
        bound = [resolve(each, table) for each in metrics]
        method = default_method(bound[0], table)
        for place, interval in enumerate(method.intervals(bound, table, 0.95, None)):
            inside[place] += interval.low <= true[place] <= interval.high
            warned[place] += bool(np.asarray(interval.reason).item())
    return inside / studies, warned / studies


def of_many_classes():
    """Return the rows of the table by number of classes."""
    rows = []
    for classes in CLASSES:
        for cases in CASES:
            for fixed in (True, False):
                rng = np.random.default_rng([SEED, classes, cases, fixed])
                each = [
                    covered(Truth(classes, fixed=fixed, seed=seed), METRICS, cases, STUDIES[classes], rng)
                    for seed in range(TRUTHS)
                ]
                mean, warned = (100 * np.mean([part[which] for part in each], 0) for which in (0, 1))
                cells = [f"{one:.1f}" + ("*" if told > 50 else "") for one, told in zip(mean, warned, strict=True)]
                rows.append([str(classes), str(cases), "fixed" if fixed else "random", *cells])
                print(*rows[-1], flush=True)
    return rows


def of_absent_classes():
    """Return the coverage where one class is only predicted and one label is unused."""
    rows = []
    for classes, number in (
        (3, 100),
        (3, 1000),
        (3, 10_000),
        (11, 300),
        (11, 1000),
        (11, 10_000),
        (51, 2000),
        (51, 10_000),
    ):
        for method, studies in (("flow", 200), ("anytime", 80), ("bayes", 25)):
            shares = []
            for seed in range(2):
                rng = np.random.default_rng([SEED, classes, seed])
                cells = np.zeros((classes + 2, classes + 2))
                for each in range(classes):
                    wrong = rng.dirichlet(np.ones(classes + 1)) * (np.arange(classes + 1) != each)
                    wrong[-1] = wrong.sum() / 4  # of the class that never occurs
                    cells[each, :-1] = wrong / wrong.sum() * (share := rng.uniform(0.1, 0.4))
                    cells[each, each] = 1 - share
                truth = hs.lab.Cells(cells / classes, number)
                how = hs.Dirichlet(n_draws=2000) if method == "bayes" else method
                draws = studies if classes < 50 else studies // 3
                shares.append(
                    [hs.lab.coverage(m, how, truth=truth, draws=draws, random_state=seed).coverage for m in ABSENT]
                )
            rows.append([str(classes), f"{number:,}", method, *(f"{100 * each:.1f}" for each in np.mean(shares, 0))])
            print(*rows[-1], flush=True)
    return rows


def of_products():
    """Return the coverage of geometric and harmonic means, often of a class without a hit."""
    metrics, rows = ["recall@geometric", "recall@harmonic", "f1@geometric", "f1@harmonic"], []
    for classes in (3, 5, 10, 20):
        for cases in (8, 15, 30):
            rng = np.random.default_rng([SEED, classes, cases])
            each = [
                covered(Truth(classes, fixed=False, seed=seed, hardest=2.5), metrics, cases, 80, rng)[0]
                for seed in range(8)
            ]
            mean, worst = (100 * part(each, 0) for part in (np.mean, np.min))
            rows.append([str(classes), str(cases), *(f"{a:.1f} ({b:.1f})" for a, b in zip(mean, worst, strict=True))])
            print(*rows[-1], flush=True)
    return rows


def table(headers, rows):
    """Return a table in Markdown."""
    rule = [":---" if place < 1 else "---:" for place in range(len(headers))]
    return "\n".join("| " + " | ".join(row) + " |" for row in (headers, rule, *rows))


def summary(rows):
    """Return mean and worst cell for each number of cases a class."""
    found = []
    for cases in CASES:
        values = [float(each.rstrip("*")) for row in rows if row[1] == str(cases) for each in row[3:]]
        told = [float(each) for row in rows if row[1] == str(cases) for each in row[3:] if not each.endswith("*")]
        found.append([str(cases), f"{np.mean(values):.1f}", f"{min(values):.1f}", f"{min(told, default=np.nan):.1f}"])
    return found


PAGE_TEXT = """# Coverage of averages over classes

Coverage of the default 95 % intervals, in percent. `python benchmarks/many_classes.py` simulates it and writes this page;
the truths were drawn for it, and no choice was made on them.

## Many classes

Each class has its own recall and is taken for 2 to 11 others. Class sizes are fixed and equal, or random; half of the
random truths have classes of unequal frequency. Each cell shows {truths} truths with {fewest} (1,000 classes) to {most}
(8 classes) studies each, so that a cell of 1,000 classes has a standard error of 2.6 points and one of 8 classes of 1.1. An asterisk marks cells in which most results carry a
[caution](guide/class-averages.md#many-classes-with-few-cases).

| cases a class | mean | worst cell | worst cell without a caution |
| :--- | ---: | ---: | ---: |
{summary}

{many}

## Classes that never occur

One class is predicted but never occurs, and one more label is unused. Two truths of equally frequent classes, with
200 studies each for `flow`, 80 for `anytime` and 25 for `bayes` (a third of that for 51 classes).

{absent}

## Geometric and harmonic means

Recalls from a Beta(2.5, 2.5) distribution, so that some classes have no hit: mean and, in brackets, worst of eight truths
with 80 studies each.

{products}
"""


def main():
    """Simulate everything and write the page."""
    start = time.process_time()
    many, absent, products = of_many_classes(), of_absent_classes(), of_products()
    text = PAGE_TEXT.format(
        truths=TRUTHS,
        fewest=STUDIES[1000],
        most=STUDIES[8],
        summary="\n".join("| " + " | ".join(row) + " |" for row in summary(many)),
        many=table(["classes", "cases a class", "sizes", *METRICS], many),
        absent=table(["classes", "cases", "method", *ABSENT], absent),
        products=table(
            ["classes", "cases a class", "recall, geometric", "recall, harmonic", "F1, geometric", "F1, harmonic"],
            products,
        ),
    )
    PAGE.write_text(text, encoding="utf-8")
    print(f"{time.process_time() - start:.0f} s of processor time", file=sys.stderr)


if __name__ == "__main__":
    main()
