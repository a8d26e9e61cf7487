"""Coverage of averages over many classes, over classes that never occur, and of geometric and harmonic means.

``python benchmarks/many_classes.py [FACTOR]`` simulates them and writes docs/coverage-classes.md. The factor multiplies
the number of studies; with factor 1 the run takes about fifteen minutes on two cores. The populations were drawn for
this page and were not used for choosing defaults.
"""

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
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
STUDIES = {8: 60, 20: 60, 50: 60, 200: 100, 1000: 30}  # of each truth
PAIRED = [*(f"{each}@macro" for each in RATES), "precision@weighted", "f1@weighted"]
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


def of_many_classes(factor):
    """Return the rows of the table by number of classes."""
    rows = []
    for classes in CLASSES:
        for cases in CASES:
            for fixed in (True, False):
                rng = np.random.default_rng([SEED, classes, cases, fixed])
                each = [
                    covered(
                        Truth(classes, fixed=fixed, seed=seed), METRICS, cases, round(factor * STUDIES[classes]), rng
                    )
                    for seed in range(TRUTHS)
                ]
                mean, warned = (100 * np.mean([part[which] for part in each], 0) for which in (0, 1))
                cells = [f"{one:.1f}" + ("*" if told > 50 else "") for one, told in zip(mean, warned, strict=True)]
                rows.append([str(classes), str(cases), "fixed" if fixed else "random", *cells])
                print(*rows[-1], flush=True)
    return rows


def of_absent_classes(factor):
    """Return the coverage where one class is only predicted and one label is unused.

    The true value is that of the classes that the study's average is over, which its result names.
    """
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
        for method, studies in (("flow", 400), ("anytime", 80), ("bayes", 160)):
            inside, total = np.zeros(len(ABSENT)), 0
            for seed in range(2):
                rng = np.random.default_rng([SEED, classes, seed])
                cells = np.zeros((classes + 2, classes + 2))
                for each in range(classes):
                    wrong = rng.dirichlet(np.ones(classes + 1)) * (np.arange(classes + 1) != each)
                    wrong[-1] = wrong.sum() / 4  # of the class that never occurs
                    cells[each, :-1] = wrong / wrong.sum() * (share := rng.uniform(0.1, 0.4))
                    cells[each, each] = 1 - share
                every = ConfusionTable(counts=1e9 * cells / classes, labels=np.arange(classes + 2))
                for _ in range(round(factor * (studies if classes < 50 else studies / 3))):
                    counts = rng.multinomial(number, cells.ravel() / classes).reshape(cells.shape)
                    inside += absent_inside(replace(every, counts=counts * 1.0, rows=number), every, method, rng)
                    total += 1
            rows.append([str(classes), f"{number:,}", method, *(f"{100 * each / total:.1f}" for each in inside)])
            print(*rows[-1], flush=True)
    return rows


def absent_inside(table, every, method, rng):
    """Return which intervals contain the value that the population has for the classes of the study's average."""
    how = hs.methods.Dirichlet(n_draws=2000) if method == "bayes" else method
    found = hs.evaluate(table, ABSENT, method=how, random_state=rng)
    true = [float(resolve(each, table)(every.counted)) for each in ABSENT]
    return np.array([each.low <= value <= each.high for each, value in zip(found.values(), true, strict=True)])


class Pair:
    """Two models on the same cases: the second repeats the first one's answer in six cases of ten."""

    def __init__(self, classes, *, fixed, seed):
        self.first, self.own = (Truth(classes, fixed=fixed, seed=seed + shift) for shift in (0, 50))
        self.classes, self.fixed, self.prevalence = classes, fixed, self.first.prevalence

    def joint(self, truth):
        """Return the probabilities of each predicted class, by true class."""
        cells = truth.table(truth.chances).counts
        return cells / cells.sum(1, keepdims=True)

    def values(self, metrics):
        """Return the true differences."""
        first = self.joint(self.first)
        both = (first, 0.6 * first + 0.4 * self.joint(self.own))
        tables = [
            ConfusionTable(counts=1e9 * each * self.prevalence[:, None], labels=np.arange(self.classes))
            for each in both
        ]
        return [float(np.subtract(*(resolve(each, table)(table.counted) for table in tables))) for each in metrics]

    def drawn(self, cases, rng):
        """Return the paired table of a study with so many cases a class."""
        every = np.arange(self.classes)
        sizes = np.full(self.classes, cases) if self.fixed else rng.multinomial(cases * self.classes, self.prevalence)
        truth = np.repeat(every, sizes)
        first, own = (
            np.concatenate(
                [rng.choice(self.classes, size, p=row) for row, size in zip(self.joint(each), sizes, strict=True)]
            )
            for each in (self.first, self.own)
        )
        second = np.where(rng.random(len(truth)) < 0.6, first, own)
        return hs.paired(truth, {"a": first, "b": second}, labels=every, check=False)


def of_pairs(factor):
    """Return the coverage of differences of two models on the same cases."""
    rows = []
    for classes, studies in ((8, 60), (20, 60)):  # 50 classes take an hour
        for cases in CASES:
            for fixed in (True, False):
                rng, inside, total = np.random.default_rng([SEED, 7, classes, cases, fixed]), np.zeros(len(PAIRED)), 0
                for seed in range(3):
                    pair = Pair(classes, fixed=fixed, seed=seed)
                    true = pair.values(PAIRED)
                    for _ in range(round(factor * studies)):
                        table = pair.drawn(cases, rng)
                        found = [hs.compare(table, each) for each in PAIRED]
                        inside += [each.low <= value <= each.high for each, value in zip(found, true, strict=True)]
                        total += 1
                shares = (f"{100 * each / total:.1f}" for each in inside)
                rows.append([str(classes), str(cases), "fixed" if fixed else "random", *shares])
                print(*rows[-1], flush=True)
    return rows


def of_products(factor):
    """Return the coverage of geometric and harmonic means, often of a class without a hit."""
    metrics, rows = ["recall@geometric", "recall@harmonic", "f1@geometric", "f1@harmonic"], []
    for classes in (3, 5, 10, 20):
        for cases in (8, 15, 30):
            rng = np.random.default_rng([SEED, classes, cases])
            each = [
                covered(Truth(classes, fixed=False, seed=seed, hardest=2.5), metrics, cases, round(80 * factor), rng)[0]
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
    """Return mean and worst cell for each number of cases a class, and the worst without an asterisk."""
    found = []
    for cases in CASES:
        values = [float(each.rstrip("*")) for row in rows if row[1] == str(cases) for each in row[3:]]
        told = [float(each) for row in rows if row[1] == str(cases) for each in row[3:] if not each.endswith("*")]
        found.append([str(cases), f"{np.mean(values):.1f}", f"{min(values):.1f}", f"{min(told, default=np.nan):.1f}"])
    return found


PAGE_TEXT = """# Coverage of averages over classes

Coverage of the default 95 % intervals, in percent. `python benchmarks/many_classes.py {factor:g}` simulates it and
writes this page. The truths were drawn for this page, and were not used to choose methods.

## Many classes

Each class has its own recall and is confused with 2 to 11 others. Class sizes are fixed and equal, or random; half of
the random truths have classes of unequal frequency. Each cell shows {truths} truths with {fewest} (1,000 classes),
{many_studies} (200 classes) or {most} studies each. The standard error is {error_few:.1f} points for 1,000 classes
and at most {error_most:.1f} for others. The worst of many cells lies two to three such errors below its true
coverage. An asterisk marks cells in which most results have a
[caution](guide/class-averages.md#many-classes-with-few-cases).

| cases a class | mean | worst cell | worst cell without a caution |
| :--- | ---: | ---: | ---: |
{summary}

{many}

## Two models on the same cases

Differences between the averages of two models. The second model repeats the answer of the first in six of ten cases.
There are three truths with {pairs_each} studies each.

| cases a class | mean | worst cell |
| :--- | ---: | ---: |
{pairs_summary}

{pairs}

## Classes that never occur

One class is predicted but never occurs, and one more label is unused. There are two truths of equally frequent
classes, with {flow} studies each for `flow`, {anytime} for `anytime` and {bayes} for `bayes` (a third of that for 51
classes). The true value is computed over the classes of the study's average: a study without a prediction of the
absent class averages over one class less.

{absent}

## Geometric and harmonic means

Recalls are drawn from a Beta(2.5, 2.5) distribution, so some classes have no hit. The table gives the mean and, in
brackets, the worst of eight truths with {products_each} studies each.

{products}
"""


def main(factor):
    """Simulate everything, two sections at a time, and write the page; the factor multiplies the number of studies."""
    start = time.perf_counter()
    with ProcessPoolExecutor(2) as pool:
        waiting = [pool.submit(each, factor) for each in (of_many_classes, of_pairs, of_absent_classes, of_products)]
        many, pairs, absent, products = [each.result() for each in waiting]
    few, most = (round(factor * STUDIES[each]) for each in (1000, 8))
    text = PAGE_TEXT.format(
        factor=factor,
        truths=TRUTHS,
        fewest=few,
        many_studies=round(factor * STUDIES[200]),
        most=most,
        error_few=100 * np.sqrt(0.95 * 0.05 / (TRUTHS * few)),
        error_most=100 * np.sqrt(0.95 * 0.05 / (TRUTHS * most)),
        pairs_each=round(60 * factor),
        flow=round(400 * factor),
        anytime=round(80 * factor),
        bayes=round(160 * factor),
        products_each=round(80 * factor),
        summary="\n".join("| " + " | ".join(row) + " |" for row in summary(many)),
        many=table(["classes", "cases a class", "sizes", *METRICS], many),
        pairs_summary="\n".join("| " + " | ".join(row[:3]) + " |" for row in summary(pairs)),
        pairs=table(["classes", "cases a class", "sizes", *PAIRED], pairs),
        absent=table(["classes", "cases", "method", *ABSENT], absent),
        products=table(
            ["classes", "cases a class", "recall, geometric", "recall, harmonic", "F1, geometric", "F1, harmonic"],
            products,
        ),
    )
    PAGE.write_text(text, encoding="utf-8")
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main(float(sys.argv[1]) if sys.argv[1:] else 1.0)
