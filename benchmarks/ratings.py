"""Coverage of 95 % intervals for the agreement of raters, and their computing time.

Run ``python benchmarks/ratings.py items|both|pairs|speed [STUDIES]``. ``items``: the same raters rate other items,
which all methods but two assume; the intervals of howsure, and value ± Student's t times the standard error, cut at 1,
as in irrCAC. ``both``: other raters rate other items. ``pairs``: the difference between two sets of raters on the same
items. ``speed``: times of howsure and of irrCAC, if it is installed. Prints Markdown tables; the errors are Monte Carlo
errors.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy import stats

import howsure as hs
from howsure.methods.library import default_method
from howsure.metrics.binding import resolve
from howsure.tables.ratings import RatingsTable
from howsure.tables.union import places_of_rows

RATERS, ITEMS = (3, 5, 10), (20, 50, 200)
CATEGORIES = {  # shares of the categories among the items' true ones
    "two, balanced": (0.5, 0.5),
    "two, 15 % the second": (0.85, 0.15),
    "five, balanced": (0.2, 0.2, 0.2, 0.2, 0.2),
    "four, 70, 20, 7, 3 %": (0.7, 0.2, 0.07, 0.03),
}
METRICS = ("percent_agreement", "fleiss_kappa", "gwet_ac1")  # alpha is Fleiss' kappa but for a factor near 1
FOUR = (*METRICS, "krippendorff_alpha")
EASE = (4.0, 2.0)  # of an item: beta distribution of the probability that a rater recognises the category
# If raters differ: beta distribution of their skill, and concentration of their own category frequencies.
SKILL, LEANING = (8.0, 2.0), 4.0
MOST_PATTERNS = 1024
MANY = 200_000  # items, whose value is the truth


def rated(rng, shape, shares, skill, own):
    """Return ratings by study, item and rater:

    the item's category if the rater recognises it, else by the rater's own frequencies.
    """
    studies, items, raters = shape
    truth = rng.choice(len(shares), (studies, items, 1), p=shares)
    ease = rng.beta(*EASE, (studies, items, 1))
    knows = rng.random(shape) < ease * skill[:, None]
    guess = (rng.random(shape)[..., None] > np.cumsum(own, -1)[:, None, :, :-1]).sum(-1)
    return np.where(knows, truth, guess).reshape(studies, items, raters)


def same_raters(rng, shares, studies, items, raters):
    skill, own = np.ones((studies, raters)), np.broadcast_to(shares, (studies, raters, len(shares)))
    return rated(rng, (studies, items, raters), shares, skill, own)


def other_raters(rng, shares, studies, items, raters):
    skill = rng.beta(*SKILL, (studies, raters))
    own = rng.dirichlet(LEANING * np.asarray(shares) + 0.2, (studies, raters))
    return rated(rng, (studies, items, raters), shares, skill, own)


def value_of(metric, said, size):
    """Return a coefficient without intervals, for many items and raters."""
    tallies = np.stack([(said == each).sum(-1) for each in range(size)], -1).astype(float)
    raters = said.shape[-1]
    agreement = ((tallies * (tallies - 1)).sum(-1) / (raters * (raters - 1))).mean()
    share = tallies.mean(0) / raters
    chance = {
        "percent_agreement": 0.0,
        "gwet_ac1": (share * (1 - share)).sum() / (size - 1),
    }.get(metric, (share**2).sum())
    return (agreement - chance) / (1 - chance)


def default_limits(said, size):
    """Return for each coefficient the default limits of studies, ``(studies, items, raters)``, and value ± t standard errors."""
    studies, number, raters = said.shape
    if size**raters > MOST_PATTERNS:
        each = [hs.evaluate(hs.ratings(one, labels=range(size)), METRICS) for one in said]
        found = {
            name: np.array(
                [(one[name].value, one[name].standard_error, one[name].low, one[name].high) for one in each]
            ).T
            for name in METRICS
        }
    else:  # all patterns are few: the studies are one batch
        flat = said.reshape(-1, raters)
        empty = RatingsTable.of_patterns(flat, np.arange(size), np.arange(raters), is_ordered=True)
        cell = places_of_rows(flat, empty.codes).reshape(studies, number)
        counts = np.zeros((studies, len(empty.codes)))
        np.add.at(counts, (np.arange(studies)[:, None], cell), 1.0)
        table = replace(empty, counts=counts, rows=np.full(studies, number))
        found = {}
        for name in METRICS:
            metric = resolve(name, table)
            interval = default_method(metric, table).interval(metric, table, 0.95)
            found[name] = np.array([metric(table.counted), interval.standard_error, interval.low, interval.high])
    t = stats.t.ppf(0.975, number - 1)
    return {
        name: (np.stack([low, high], 1), np.stack([value - t * error, np.minimum(value + t * error, 1.0)], 1))
        for name, (value, error, low, high) in found.items()
    }


def told(limits, truth):
    """Return coverage, its Monte Carlo error, non-coverage of limits above the true value, and width."""
    low, high = np.array(limits).T
    known = np.isfinite(low)
    held = ((low <= truth) & (truth <= high))[known]
    error = np.sqrt(max(held.mean() * (1 - held.mean()), 1e-4) / len(held))
    above, width = (truth < low[known]).mean(), (high - low)[known].mean()
    missing = "" if known.all() else f", {100 * (1 - known.mean()):.0f} % undefined"
    return f"{100 * held.mean():.1f} ± {100 * error:.1f} ({100 * above:.1f}), {width:.2f}{missing}"


def rows(draw, few_raters=RATERS) -> Iterator[tuple]:
    for name, shares in CATEGORIES.items():
        for raters in few_raters:
            for items in ITEMS:
                seed = [raters, items, len(shares), round(100 * shares[0])]
                yield name, shares, raters, items, np.random.default_rng(seed), draw


def items(studies: int) -> None:
    print(
        "| categories | raters | items | metric | true | howsure | value ± t · s.e. |\n|:---|---:|---:|:---|---:|---:|---:|"
    )
    for name, shares, raters, number, rng, draw in rows(same_raters):
        size = len(shares)
        much = draw(rng, shares, 1, MANY, raters)[0]
        for metric, (ours, theirs) in default_limits(draw(rng, shares, studies, number, raters), size).items():
            truth = value_of(metric, much, size)
            print(
                f"| {name} | {raters} | {number} | {metric} | {truth:.2f} | {told(ours, truth)} | {told(theirs, truth)} |",
                flush=True,
            )


def both(studies: int) -> None:
    print(
        "| categories | raters | items | metric | true | items and raters | items alone |\n|:---|---:|---:|:---|---:|---:|---:|"
    )
    for name, shares, raters, number, rng, draw in rows(other_raters):
        size = len(shares)
        much = [draw(rng, shares, 1, 2000, 400)[0] for _ in range(10)]
        limits = {metric: ([], []) for metric in METRICS[1:]}
        for said in draw(rng, shares, studies, number, raters):
            table = hs.ratings(said, labels=range(size))
            for place, method in enumerate(("items_and_raters", "auto")):
                for metric, found in hs.evaluate(table, METRICS[1:], method=method).items():
                    limits[metric][place].append((found.low, found.high))
        for metric, (wide, narrow) in limits.items():
            truth = np.mean([value_of(metric, each, size) for each in much])
            print(
                f"| {name} | {raters} | {number} | {metric} | {truth:.2f} | {told(wide, truth)} | {told(narrow, truth)} |",
                flush=True,
            )


def pairs(studies: int) -> None:
    print("| categories | raters | items | metric | true difference | howsure |\n|:---|---:|---:|:---|---:|---:|")
    for name, shares, raters, number, rng, draw in rows(same_raters, (3, 10)):
        size = len(shares)

        def twice(many, raters=raters, rng=rng, shares=shares, draw=draw):
            """Return the ratings of one set of raters, and of another who read a third of the items' ratings at random."""
            said = draw(rng, shares, 1, many, 2 * raters)[0]
            worse = np.where(
                rng.random((many, raters)) < 1 / 3, rng.choice(len(shares), (many, raters), p=shares), said[:, raters:]
            )
            return said[:, :raters], worse

        much = twice(MANY)
        limits = {metric: [] for metric in METRICS[1:]}
        for _ in range(studies):
            table = hs.ratings(dict(zip(("first", "second"), twice(number), strict=True)), labels=range(size))
            for metric, each in limits.items():
                found = hs.compare(table, metric)
                each.append((found.low, found.high))
        for metric, each in limits.items():
            truth = value_of(metric, much[0], size) - value_of(metric, much[1], size)
            print(f"| {name} | {raters} | {number} | {metric} | {truth:.2f} | {told(each, truth)} |", flush=True)


def speed(_: int) -> None:
    try:
        import pandas as pd
        from irrCAC import raw
    except ImportError:
        raw = None
    print(
        "| items | raters | howsure: table, ms | four coefficients with intervals, ms | irrCAC: four, ms |\n|---:|---:|---:|---:|---:|"
    )
    rng = np.random.default_rng(0)
    for number, raters in ((50, 3), (200, 5), (1000, 10), (10_000, 5)):
        said = same_raters(rng, CATEGORIES["five, balanced"], 1, number, raters)[0]
        table = hs.ratings(said)
        took = [timed(lambda said=said: hs.ratings(said)), timed(lambda table=table: hs.evaluate(table, FOUR))]
        if raw is not None:
            frame = pd.DataFrame(said)

            def theirs(frame=frame):
                made = raw.CAC(frame)
                return made.fleiss(), made.gwet(), made.krippendorff(), made.bp()

            took.append(timed(theirs))
        print(f"| {number:,} | {raters} | " + " | ".join(f"{1000 * each:.1f}" for each in took) + " |", flush=True)


def timed(function) -> float:
    """Return the fewest seconds of some calls."""
    function()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    chosen = {each.__name__: each for each in (items, both, pairs, speed)}
    if len(sys.argv) < 2 or sys.argv[1] not in chosen:
        sys.exit(f"Say which: {', '.join(chosen)}.")
    chosen[sys.argv[1]](int(sys.argv[2]) if sys.argv[2:] else 1000)
