"""Coverage of 95 % intervals where counts are extreme: ends of a range, huge counts, many classes, crowds of raters.

Run ``python benchmarks/edges.py ends|huge|classes|crowds [STUDIES]``. ``ends``: metrics with a range that ends on both
sides, of truths near one of them. ``huge``: limits along the flow less those of the delta method, in widths of the
latter. ``classes``: the correlation and kappa of many classes with few cases each. ``crowds``: agreement of raters of
whom few rate each item. Prints Markdown tables; each cell is a coverage, the share of intervals below and of those above
the truth.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np

import howsure as hs
from howsure.metrics.binding import resolve

ENDS = ("kappa", "mcc", "scotts_pi", "gwet_ac1", "krippendorff_alpha", "informedness", "markedness", "weighted_kappa")
HUGE = ("mcc", "kappa", "informedness", "markedness", "f1@macro", "g_mean@macro", "p4", "fowlkes_mallows", "dor", "plr")
CHANCE = ("mcc", "kappa")
AGREEMENT = ("krippendorff_alpha", "fleiss_kappa", "gwet_ac1", "conger_kappa")
COUNTS = np.array([[50, 3], [5, 42]])
MANY = 400_000  # items, whose value is the truth


def counted(low, high, value) -> str:
    """Return the coverage, and the shares of intervals below and above a value, in words of a table."""
    low, high = (np.asarray(each)[np.isfinite(low)] for each in (low, high))
    below, above = (high < value - 1e-9).mean(), (low > value + 1e-9).mean()
    return f"{100 * (1 - below - above):.1f} ({100 * below:.1f}, {100 * above:.1f})"


def ends(studies: int) -> Iterator[tuple[str, ...]]:
    """Yield coverage near both ends of the ranges, of two classes."""
    yield "wrong cases", "first class", "cases", *ENDS
    rng = np.random.default_rng(0)
    for share in (1.0, 0.99, 0.97, 0.95, 0.9, 0.05, 0.01):
        for first in (0.5, 0.3):
            for cases in (20, 40, 100):
                truth = np.array(
                    [[first * (1 - share), first * share], [(1 - first) * share, (1 - first) * (1 - share)]]
                )
                tables = hs.from_counts(rng.multinomial(cases, truth.ravel(), studies).reshape(-1, 2, 2))
                whole = hs.from_counts(np.rint(truth * 1e6))
                found = []
                for metric in ENDS:
                    each = hs.estimate(tables, metric)
                    found.append(counted(each.low, each.high, resolve(metric, whole).value_at(whole.counted)))
                yield f"{100 * share:g} %", f"{100 * first:g} %", str(cases), *found


def huge(_: int) -> Iterator[tuple[str, ...]]:
    """Yield how far limits are from those of the delta method, the larger of both, in its widths."""
    yield "cases", *HUGE
    for digits in range(3, 16):
        table = hs.from_counts(COUNTS * 10.0 ** (digits - 2))
        off = []
        for metric in HUGE:
            own, normal = (hs.estimate(table, metric, method=method) for method in ("flow", "delta"))
            width = normal.high - normal.low
            off.append(f"{max(abs(own.low - normal.low), abs(own.high - normal.high)) / width:.1e}")
        yield f"1e{digits}", *off


def drawn(rng, shares, skill, cases):
    """Return true and predicted classes, of which wrong ones are any other equally often."""
    size = len(shares)
    truth = rng.choice(size, cases, p=shares)
    wrong = (truth + rng.integers(1, size, cases)) % size
    return truth, np.where(rng.random(cases) < skill[truth], truth, wrong)


def classes(studies: int) -> Iterator[tuple[str, ...]]:
    """Yield coverage of metrics of the whole table, of equally frequent classes and of unequal ones, and the time."""
    yield "classes", "cases a class", "frequencies", *CHANCE, "seconds each"
    rng = np.random.default_rng(1)
    for size, number in ((200, studies), (1000, max(studies // 4, 20))):
        for each in (5, 20, 50):
            for name, shares in (("equal", np.full(size, 1 / size)), ("unequal", rng.dirichlet(np.ones(size)))):
                skill = rng.beta(8, 2, size)
                limits, start = {metric: [] for metric in CHANCE}, time.process_time()
                for _ in range(number):
                    table = hs.confusion(*drawn(rng, shares, skill, size * each), labels=range(size))
                    found = hs.evaluate(table, CHANCE)
                    for metric in CHANCE:
                        limits[metric].append((found[metric].low, found[metric].high))
                seconds = (time.process_time() - start) / number
                values = truths(shares, skill)
                cells = [counted(*np.array(limits[metric]).T, values[metric]) for metric in CHANCE]
                yield str(size), str(each), name, *cells, f"{seconds:.2f}"


def truths(shares, skill) -> dict[str, float]:
    """Return the correlation and kappa of a truth."""
    size = len(shares)
    off = shares * (1 - skill) / (size - 1)
    said = shares * skill + off.sum() - off
    right, chance = (shares * skill).sum(), (shares * said).sum()
    spread = np.sqrt((1 - (shares**2).sum()) * (1 - (said**2).sum()))
    return {"mcc": (right - chance) / spread, "kappa": (right - chance) / (1 - chance)}


def rated(rng, raters, ratings, items, size, skill):
    """Return ratings of items by raters, -1 where one has not rated: right where the item is easy, else any."""
    who = np.argsort(rng.random((items, raters)), 1)[:, :ratings]
    truth, ease = rng.integers(0, size, items), np.minimum(rng.beta(4, 2, items) * 1.5 * skill, 1)
    right = rng.random((items, ratings)) < ease[:, None]
    said = np.where(right, truth[:, None], rng.integers(0, size, (items, ratings)))
    rows = np.full((items, raters), -1)
    np.put_along_axis(rows, who, said, 1)
    return rows


def crowds(studies: int) -> Iterator[tuple[str, ...]]:
    """Yield coverage of the agreement of raters of whom few rate each item, and the time of a study."""
    yield "raters", "ratings an item", "items", *AGREEMENT, "seconds each"
    rng, size, skill = np.random.default_rng(2), 3, 0.6
    pairs = rated(rng, 2, 2, MANY, size, skill)
    agreed = (pairs[:, 0] == pairs[:, 1]).mean()
    value = (agreed - 1 / size) / (1 - 1 / size)  # with equally frequent categories that of each coefficient
    for raters, number in ((10, studies), (50, studies // 2), (300, max(studies // 8, 20))):
        for ratings, items in ((2, 30), (3, 30), (3, 100), (5, 100)):
            limits, start = {metric: [] for metric in AGREEMENT}, time.process_time()
            for _ in range(number):
                rows = rated(rng, raters, ratings, items, size, skill)
                found = hs.evaluate(
                    hs.ratings(np.where(rows < 0, np.nan, rows), labels=range(size), check=False), AGREEMENT
                )
                for metric in AGREEMENT:
                    limits[metric].append((found[metric].low, found[metric].high))
            cells = [counted(*np.array(limits[metric]).T, value) for metric in AGREEMENT]
            yield str(raters), str(ratings), str(items), *cells, f"{(time.process_time() - start) / number:.2f}"


def main() -> None:
    """Print one of the tables."""
    what = {each.__name__: each for each in (ends, huge, classes, crowds)}[sys.argv[1]]
    for row, cells in enumerate(what(int(sys.argv[2]) if len(sys.argv) > 2 else 400)):
        print("| " + " | ".join(cells) + " |", flush=True)
        if row == 0:
            print("|" + " --- |" * len(cells), flush=True)


if __name__ == "__main__":
    main()
