"""Coverage of 95 % intervals for two crossed factors, in studies whose levels are all drawn anew.

A reader (or model) answers each case correctly if a normal variable is below a threshold, which varies with the reader,
with the case, and with the true class. The numbers of the population follow in closed form. Run it with a number of
studies for each row: ``python benchmarks/crossed_coverage.py 300``; it prints a table in Markdown.
"""

from __future__ import annotations

import sys
import zlib

import numpy as np
from scipy.special import ndtr

import howsure as hs

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
TITLES = ("accuracy, clusters of cases", "accuracy", "F1", "MCC", "AUC")
TITLES += ("Δ accuracy", "Δ F1", "Δ AUC", "p < 0.05, Δ accuracy", "p < 0.05, Δ AUC")


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


def hits(design, rng, method="auto"):
    """Return for one study whether each interval contains its truth, and whether each p-value is below 5 %."""
    truth, (first, of_first), (second, of_second), both = study(*design, rng)
    beside = {"groups": both, "check": False}
    wanted = truths(*design[2:4])
    table = hs.confusion(truth, first, **beside)
    scores = hs.scores(truth, of_first, **beside)
    found = [hs.estimate(table, name, method=method, random_state=0) for name in ("accuracy", "f1", "mcc")]
    found.append(hs.estimate(scores, "roc_auc", method=method, random_state=0))
    pair = hs.paired(truth, {"A": first, "B": second}, **beside)
    areas = hs.paired_scores(truth, {"A": of_first, "B": of_second}, **beside)
    compared = [hs.compare(pair, "accuracy"), hs.compare(pair, "f1"), hs.compare(areas, "roc_auc")]
    found.insert(0, hs.estimate(hs.confusion(truth, first, groups=both[1], check=False), "accuracy"))
    wanted = wanted[0], *wanted
    within = [each.low <= value <= each.high for each, value in zip(found, wanted, strict=True)]
    return [
        *within,
        *(each.low <= 0 <= each.high for each in compared),
        compared[0].p_value < 0.05,
        compared[2].p_value < 0.05,
    ]


def main(number, designs=DESIGNS, seed=20261127, **settings):
    """Print the share of studies by design."""
    print("| readers × cases | sd | missing | " + " | ".join(TITLES) + " |")
    print("| --- | --- | --- | " + " | ".join("---:" for _ in TITLES) + " |")
    every = []
    for design in designs:
        rng = np.random.default_rng([seed, zlib.crc32(repr(design).encode())])
        shares = np.mean([hits(design, rng, **settings) for _ in range(number)], axis=0)
        every.append(shares)
        readers, cases, of_reader, of_case, missing = design
        cells = " | ".join(f"{100 * each:.1f}" for each in shares)
        print(f"| {readers} × {cases} | {of_reader}, {of_case} | {missing:.0%} | {cells} |", flush=True)
    print("| mean | | | " + " | ".join(f"{100 * each:.1f}" for each in np.mean(every, 0)) + " |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
