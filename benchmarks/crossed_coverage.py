"""Coverage of 95 % intervals for two crossed factors, in studies whose levels are all drawn anew.

A reader (or model) answers each case correctly if a normal variable is below a threshold, which varies with the reader,
with the case, and with the true class. The numbers of the population follow in closed form. ``python
benchmarks/crossed_coverage.py --studies 300`` prints a table in Markdown; ``--method bootstrap`` uses another method, and
``--designs 0:5`` some of the rows. ``--drawn`` prints tables of the bootstrap and of the posterior with 500 draws, of
designs of their own. ``--mean-squares`` prints type I errors of t tests with other variances and degrees of
freedom instead, from the distributions of the mean squares of complete tables with normal effects.
"""

from __future__ import annotations

import argparse
import zlib

import numpy as np
from scipy.special import ndtr, stdtr

import howsure as hs
from howsure.designs.crossed import LEAST, POWER, degrees_of_freedom

# readers or models, cases or items, standard deviations of readers and of cases, fraction of missing combinations
DESIGNS = [
    (3, 40, 0.2, 0.6, 0.0),
    (3, 150, 0.6, 0.2, 0.1),
    (4, 300, 0.15, 0.9, 0.3),
    (6, 80, 0.4, 0.4, 0.0),
    (12, 60, 0.1, 1.2, 0.2),
    (20, 30, 0.5, 0.8, 0.3),
    (5, 500, 0.3, 1.0, 0.0),
    (10, 200, 0.8, 0.5, 0.15),
    (30, 30, 0.3, 0.7, 0.0),
    (30, 120, 0.05, 1.5, 0.3),
]
DRAWN = [
    (*levels, *spread, missing)
    for *levels, missing in ((5, 30, 0.0), (10, 100, 0.0), (20, 60, 0.2))
    for spread in ((0.3, 0.7), (0.05, 0.05))
]
DRAWS = hs.methods.Bootstrap("percentile", 500), hs.methods.Dirichlet(n_draws=500)
METRICS = ("accuracy", "f1", "mcc", "roc_auc")
NAMES = dict(zip(METRICS, ("accuracy", "F1", "MCC", "AUC"), strict=True))
TITLES = ("accuracy, cases alone", *NAMES.values(), *(f"Δ {name}" for name in NAMES.values()))
TITLES += tuple(f"p < 0.05, Δ {name}" for name in NAMES.values())


def study(readers, cases, of_reader, of_case, missing, rng):
    """Return the columns of one study: truth, verdicts and scores of two models of equal skill, reader and case."""
    reader, case = np.repeat(np.arange(readers), cases), np.tile(np.arange(cases), readers)
    kept = rng.random(reader.size) >= missing
    positive = (rng.random(cases) < PREVALENCE).astype(int)
    reader, case = reader[kept], case[kept]
    truth = positive[case]
    skill, ease = rng.normal(0, of_reader, (3, readers)), rng.normal(0, of_case, (3, cases))
    found = []
    for place in (1, 2):  # half of each variance is common to both models
        more = (skill[0][reader] + skill[place][reader] + ease[0][case] + ease[place][case]) / np.sqrt(2)
        right = rng.normal(0, 1, reader.size) < EASE[truth] + more
        score = truth * (SHIFT + (skill[0] + skill[place])[reader] / np.sqrt(2))
        score = score + (ease[0] + ease[place])[case] / np.sqrt(2) + rng.normal(0, 1, reader.size)
        found.append((np.where(right, truth, 1 - truth), score))
    return truth, *found, [reader, case]


PREVALENCE, EASE, SHIFT = 0.4, np.array([1.0, 0.6]), 1.2


def truths(of_reader, of_case):
    """Return the population's accuracy, F1, MCC and area."""
    right = ndtr(EASE / np.sqrt(1 + of_reader**2 + of_case**2))
    fp, tp = (1 - PREVALENCE) * (1 - right[0]), PREVALENCE * right[1]
    tn, fn = (1 - PREVALENCE) - fp, PREVALENCE - tp
    mcc = (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    area = ndtr(SHIFT / np.sqrt(2 * (1 + of_case**2) + of_reader**2))
    return tp + tn, 2 * tp / (2 * tp + fp + fn), mcc, area


def hits(design, rng, method):
    """Return for one study whether each interval contains its truth, and whether each p-value is below 5 %."""
    truth, (first, of_first), (second, of_second), both = study(*design, rng)
    beside, settings = {"groups": both, "check": False}, {"method": method, "random_state": rng}
    counts = hs.paired(truth, {"A": first, "B": second}, **beside)
    scores = hs.paired_scores(truth, {"A": of_first, "B": of_second}, **beside)
    compared = [hs.compare(scores if name == "roc_auc" else counts, name, **settings) for name in METRICS]
    found = [hs.estimate(hs.confusion(truth, first, groups=both[1], check=False), "accuracy")]
    found += [each.a for each in compared]
    wanted = truths(*design[2:4])
    within = [each.low <= value <= each.high for each, value in zip(found, (wanted[0], *wanted), strict=True)]
    return [*within, *(each.low <= 0 <= each.high for each in compared), *(each.p_value < 0.05 for each in compared)]


def main(studies, method="auto", designs=DESIGNS, seed=20261127):
    """Print the fraction of studies by design, in per cent."""
    print("| readers × cases | sd | missing | " + " | ".join(TITLES) + " |")
    print("| --- | --- | --- | " + " | ".join("---:" for _ in TITLES) + " |")
    every = []
    for design in designs:
        rng = np.random.default_rng([seed, zlib.crc32(repr(design).encode())])
        fractions = np.mean([hits(design, rng, method) for _ in range(studies)], axis=0)
        every.append(fractions)
        readers, cases, of_reader, of_case, missing = design
        cells = " | ".join(f"{100 * each:.1f}" for each in fractions)
        print(f"| {readers} × {cases} | {of_reader}, {of_case} | {100 * missing:.0f} % | {cells} |", flush=True)
    print("| mean | | | " + " | ".join(f"{100 * each:.1f}" for each in np.mean(every, 0)) + " |")


LEVELS = [(3, 30), (3, 300), (5, 5), (5, 30), (5, 300), (10, 10), (10, 30), (10, 300), (20, 20), (20, 200), (30, 30)]
SPREADS = [(0, 0), (0, 0.5), (0.2, 0.5), (0.2, 0), (0.5, 0.2), (0.5, 0.5), (0, 1), (1, 1), (0.05, 1), (0.3, 1)]


def errors_of_mean_squares(first, second, of_first, of_second, rng, draws=100_000):
    """Return type I errors by name of the variance, for two factors' levels and standard deviations; 1 for the noise."""
    f, g, pairs = first - 1, second - 1, first * second
    noise = 1 / pairs
    a = (of_first**2 / first + noise) * rng.chisquare(f, draws) / f
    b = (of_second**2 / second + noise) * rng.chisquare(g, draws) / g
    rest = noise * rng.chisquare(f * g, draws) / (f * g)
    whole = (f * g * rest + f * a + g * b) / (pairs - 1)
    error = np.sqrt(of_first**2 / first + of_second**2 / second + noise) * rng.standard_normal(draws)
    largest = np.maximum.reduce([a + b - whole, a, b, whole])
    halves = np.maximum(a - f / (f + g) * rest, 0), np.maximum(b - g / (f + g) * rest, 0)
    ways = {
        "V_a + V_b − V_ab, at least each, p = 1.5": (largest, (a, b), 1.5),
        "V_a + V_b − I, at least I / 2, p = 1.25": (np.maximum(a + b - rest, LEAST * rest), (a, b), 1.25),
        **{f"as chosen, p = {p}": (np.maximum(sum(halves), LEAST * rest), halves, p) for p in (1.0, 1.25, 1.5, 2.0)},
    }
    found = {}
    for name, (variance, parts, power) in ways.items():
        each = [(part / variance) ** (power / POWER) for part in parts]
        freedom = degrees_of_freedom(each, (f, g), np.ones(draws), 1e6)
        found[name] = np.mean(2 * stdtr(freedom, -np.abs(error) / np.sqrt(variance)) < 0.05)
    return found


def mean_squares(seed=20261127):
    """Print the mean, the range, and how many type I errors are outside of 4 to 6 %."""
    rng = np.random.default_rng(seed)
    found = [errors_of_mean_squares(*levels, *spreads, rng) for levels in LEVELS for spreads in SPREADS]
    for name in found[0]:
        each = 100 * np.array([row[name] for row in found])
        outside = f"{100 * np.mean(each < 4):.0f} % below 4, {100 * np.mean(each > 6):.0f} % above 6"
        print(f"{name}: mean {each.mean():.2f}, {each.min():.1f} to {each.max():.1f}, {outside}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=300)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--designs", default=f"0:{len(DESIGNS)}")
    parser.add_argument("--seed", type=int, default=20261127)
    parser.add_argument("--drawn", action="store_true")
    parser.add_argument("--mean-squares", action="store_true")
    chosen = parser.parse_args()
    if chosen.mean_squares:
        mean_squares()
        raise SystemExit
    if chosen.drawn:
        for drawn in DRAWS:
            main(chosen.studies, drawn, DRAWN)
        raise SystemExit
    main(chosen.studies, chosen.method, DESIGNS[slice(*map(int, chosen.designs.split(":")))], chosen.seed)
