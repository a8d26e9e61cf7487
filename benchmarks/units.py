"""Coverage of intervals over units: events in units of unequal size, pooled and as means of units.

Run: ``python benchmarks/units.py``; with ``--speed`` the time and memory of 100,000 images with 50 classes instead.

Units (images, documents) have log-normal sizes, individual probabilities of detecting each event (beta), and individual
rates of false positives (gamma). "Mild" units have a coefficient of size variation of 0.5 and nearly equal
probabilities. "Uneven" ones have 1.2 (the largest of 100 has a seventh of all events) and very different probabilities.
"Sparse" ones have one event on average. Pooled metrics of the population are in closed form; means over units are from
half a million of them.
"""

import argparse
import resource
import time

import numpy as np

import howsure as hs
from howsure.designs.clusters import clusters_of
from howsure.methods.library import default_method
from howsure.metrics.binding import resolve
from howsure.tables.events import EventsTable

KINDS = {  # mean events of a unit, spread of its size, recall, concentration of its recall, false positives per event
    "mild": (20.0, 0.5, 0.8, 20.0, 0.25),
    "uneven": (20.0, 1.2, 0.8, 4.0, 0.25),
    "sparse": (1.0, 1.0, 0.8, 4.0, 0.25),
    "good": (20.0, 0.8, 0.97, 10.0, 0.03),
}
NUMBERS = (10, 20, 30, 100, 1000)
PAIRED = (10, 30, 100)
POOLED = ("precision", "recall", "f1", "fbeta+beta=2", "fp_per_unit")
POPULATION = 500_000


def units(rng, shape, kind, gain=0.0, difficulty=None):
    """Return true positives, false negatives and false positives of units, ``(*shape, 3)``, and their difficulty."""
    mean, spread, recall, alike, wrong = KINDS[kind]
    if difficulty is None:
        size = mean * np.exp(spread * rng.standard_normal(shape) - spread**2 / 2)
        number = rng.poisson(size)
        chance = rng.beta(alike * recall, alike * (1 - recall), shape)
        difficulty = number, chance, rng.gamma(alike, wrong / alike, shape)
    number, chance, rate = difficulty
    tp = rng.binomial(number, chance + gain * (1 - chance))
    fp = rng.poisson(number * rate * (1 - gain))
    return np.stack([tp, number - tp, fp], -1).astype(float), difficulty


def truth_of(metric, kind, gain=0.0):
    """Return a pooled metric of the population."""
    mean, _, recall, _, wrong = KINDS[kind]
    recall, wrong = recall + gain * (1 - recall), wrong * (1 - gain)
    table = EventsTable(counts=1e6 * np.array([1 / mean, recall, 1 - recall, wrong]), labels=np.array(["event"]))
    return float(resolve(metric, table)(table.counted))


def pooled(rng, kind, number, draws):
    """Return the coverage and median width of the default interval of pooled metrics."""
    drawn, _ = units(rng, (draws, number), kind)
    cells = np.concatenate([np.ones((draws, number, 1)), drawn], -1)
    facts = {"labels": np.array(["event"]), "rows": np.full(draws, number)}
    table = EventsTable(counts=cells.sum(1), design=clusters_of(cells), **facts)
    found = {}
    for name in POOLED:
        metric = resolve(name, table)
        method = default_method(metric, table)
        interval = method.interval(metric, table, 0.95)
        true = truth_of(name, kind)
        held = (interval.low <= true) & (true <= interval.high)
        known = np.isfinite(interval.low)
        found[name] = held[known].mean(), np.median((interval.high - interval.low)[known]), (~known).sum()
    return found


def of_tables(rng, kind, number, draws, gain=0.3):
    """Return the coverage of a difference of pooled F1, of a mean of Dice over units, and of its paired difference."""
    many, difficulty = units(rng, (POPULATION,), kind)
    better, _ = units(rng, (POPULATION,), kind, gain, difficulty)
    dice, other = (2 * each[:, 0] / np.maximum(2 * each[:, 0] + each[:, 1:].sum(-1), 1) for each in (many, better))
    some = (many.sum(-1) > 0) & (better.sum(-1) > 0)
    true = {
        "pooled difference": truth_of("f1", kind, gain) - truth_of("f1", kind),
        "mean": dice[many.sum(-1) > 0].mean(),
        "mean difference": (other - dice)[some].mean(),
    }
    held = {name: [] for name in true}
    for _ in range(draws):
        first, difficulty = units(rng, (number,), kind)
        second, _ = units(rng, (number,), kind, gain, difficulty)
        tp, fn, fp = np.concatenate([second, first]).T
        both = hs.events(tp, fp, fn, unit=np.tile(np.arange(number), 2), model=np.repeat(["new", "old"], number))
        dice = hs.per_unit(both, "dice", nan_policy="omit")
        one = hs.per_unit(both.model("old"), "dice", nan_policy="omit")
        found = (hs.compare(both, "f1"), hs.estimate(one, "mean"), hs.compare(dice, "mean"))
        for (name, each), interval in zip(true.items(), found, strict=True):
            held[name].append(interval.low <= each <= interval.high if np.isfinite(interval.low) else np.nan)
    return {name: (np.nanmean(each), int(np.isnan(each).sum())) for name, each in held.items()}


def coverage(draws, paired_draws):
    """Print how often the default intervals hold the population's value, in %."""
    for kind in KINDS:
        for number in NUMBERS:
            rng = np.random.default_rng([number, len(kind)])
            found = pooled(rng, kind, number, min(draws, 2_000_000 // number))
            shown = [
                f"{name} {100 * held:.1f} ({width:.3f}{f', {lost} none' if lost else ''})"
                for name, (held, width, lost) in found.items()
            ]
            print(f"{kind:8} {number:5} | " + "; ".join(shown), flush=True)
            if paired_draws and number in PAIRED:
                found = of_tables(rng, kind, number, paired_draws)
                print(
                    " " * 15,
                    "; ".join(
                        f"{name} {100 * held:.1f}{f' ({lost} none)' if lost else ''}"
                        for name, (held, lost) in found.items()
                    ),
                    flush=True,
                )


def speed():
    """Print the processor time that 100,000 images with 50 classes take, and the most memory."""
    rng = np.random.default_rng(0)
    images, classes = 100_000, 50
    image, label = np.divmod(np.arange(images * classes), classes)
    tp, fp, fn = (rng.poisson(rate, images * classes).astype(np.int32) for rate in (2.0, 0.3, 0.5))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    table = hs.events(tp, fp, fn, unit=image, label=label)
    counted = time.process_time()
    print(hs.evaluate(table, ["f1@micro", "f1@macro", "fp_per_unit@micro"]))
    told = time.process_time()
    print(hs.estimate(hs.per_unit(table, "f1@macro"), "mean"))
    done = time.process_time()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"table {counted - start:.1f} s, metrics {told - counted:.1f} s, mean over images {done - told:.1f} s")
    print(f"memory {most / 2**20:.2f} GiB, of which the columns {before / 2**20:.2f} GiB")


if __name__ == "__main__":
    asked = argparse.ArgumentParser()
    asked.add_argument("--speed", action="store_true")
    asked.add_argument("--draws", type=int, default=4000)
    asked.add_argument("--paired", type=int, default=1000)
    given = asked.parse_args()
    if given.speed:
        speed()
    else:
        coverage(given.draws, given.paired)
