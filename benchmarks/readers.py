"""Simulate reader studies from the model of Roe and Metz, and measure coverage, type I errors and run time.

Run ``python benchmarks/readers.py [STUDIES] [SEED]``: each of 48 random truths is simulated so often (200). The ratings
are sums of effects of the reader, the case, the modality and their interactions; all variances, the area, the
prevalence, and the effect of the modality are drawn at random. Prints how often intervals contain the true mean over all
readers and the true difference, how often a true difference of 0 is rejected, and the time for 10 readers of 100,000
cases.

Run ``python benchmarks/readers.py null [STUDIES] [SEED]`` for type I errors alone, by the number of readers: each of 60
random truths is simulated so often (100).

Run ``python benchmarks/readers.py few [STUDIES] [SEED]`` for type I errors of sensitivity with three and five readers by
the number of cases: 60 random truths are simulated so often (400), all studies at once, by the formulas of the library.
"""

from __future__ import annotations

import sys
import time
import zlib
from collections import defaultdict
from itertools import product

import numpy as np
from scipy import special

import howsure as hs

READERS, CASES, TRUTHS = (3, 5, 10, 20), (30, 100, 300), 4
METRICS = {
    "roc_auc": {},
    "roc_auc, identity": {"scale": "identity"},
    "roc_auc, one-shot": {"method": "one_shot"},
    "sensitivity": {"metric": "sensitivity"},
    "specificity": {"metric": "specificity"},
    "accuracy": {"metric": "accuracy"},
    "f1": {"metric": "f1"},
    "mcc": {"metric": "mcc"},
}


class Truth:
    """A population of readers and cases under two modalities."""

    def __init__(self, rng, cases, *, is_null):
        self.case, self.case_modality, self.reader_case, self.rest = rng.dirichlet(np.ones(4) * 2)
        self.reader, self.reader_modality = rng.uniform(0, 0.05, 2)
        self.positives = max(3, round(cases * rng.uniform(0.25, 0.6)))
        self.negatives = cases - self.positives
        middle, apart = rng.uniform(0.7, 2.4), 0.0 if is_null else rng.uniform(0, 0.5)
        self.means = middle + apart / 2, middle - apart / 2
        self.threshold = middle / 2

    def values(self, name):
        """Return the expected metric of a random reader under each modality."""
        spread = 1 + self.reader + self.reader_modality
        if name.startswith("roc_auc"):
            return [special.ndtr(mean / np.sqrt(2 * spread)) for mean in self.means]
        metric = {"sensitivity": "recall"}.get(name, name)
        return [self._counted(metric, mean, spread) for mean in self.means]

    def _counted(self, metric, mean, spread):
        """Return the expectation over readers of a metric of counts of this many cases, by draws of readers."""
        rng = np.random.default_rng(1)
        own = np.sqrt(self.reader + self.reader_modality) * rng.normal(size=(20_000, 2))
        tpr = special.ndtr(mean + own[:, 1] - self.threshold)
        tnr = special.ndtr(self.threshold - own[:, 0])
        tp, tn = tpr * self.positives, tnr * self.negatives
        tables = np.stack([tn, self.negatives - tn, self.positives - tp, tp], -1).reshape(-1, 2, 2)
        from howsure.metrics.binding import resolve

        bound = resolve(metric, hs.from_counts([[1, 1], [1, 1]]))
        assert spread >= 1
        return float(bound(tables).mean())

    def study(self, rng, readers):
        """Return long data of a study."""
        positive = np.repeat([0, 1], [self.negatives, self.positives])
        cases = len(positive)
        of_reader = np.sqrt(self.reader) * rng.normal(size=(readers, 1, 2))
        of_reader = of_reader + np.sqrt(self.reader_modality) * rng.normal(size=(readers, 2, 2))
        rating = (
            np.array(self.means)[:, None] * positive
            + of_reader[..., positive]
            + np.sqrt(self.case) * rng.normal(size=cases)
            + np.sqrt(self.case_modality) * rng.normal(size=(2, cases))
            + np.sqrt(self.reader_case) * rng.normal(size=(readers, 1, cases))
            + np.sqrt(self.rest) * rng.normal(size=(readers, 2, cases))
        )
        reader, modality, case = np.indices(rating.shape)
        return {
            "rating": rating.ravel(),
            "truth": np.broadcast_to(positive, rating.shape).ravel(),
            "reader": reader.ravel(),
            "modality": modality.ravel(),
            "case": case.ravel(),
        }


def covers(found, truth):
    return found.low <= truth <= found.high


def simulated(truth, seeds, readers, studies, names):
    """Yield metric, coverage of the first modality's mean, and coverage of the difference; each metric has its seed."""
    for name, own in METRICS.items():
        rng = np.random.default_rng([*seeds, zlib.crc32(name.encode())])
        if name not in names:
            continue
        if "one-shot" in name and truth.positives + truth.negatives > 100:
            continue
        settings = own | ({"threshold": truth.threshold} if "metric" in own else {})
        first, second = truth.values(name)
        hits = []
        for _ in range(studies):
            try:
                study = hs.reader_study(**truth.study(rng, readers), **settings)
            except hs.HowsureError:  # a reader without calls of either kind
                continue
            (difference,) = study.differences.values()
            hits.append((covers(study.means["0"], first), covers(difference, first - second)))
        yield name, *np.mean(hits, 0)


def rows_of(readers, cases, place, studies, seed, names=tuple(METRICS)):
    """Return the name of each metric, and the coverage under one truth, which this place and the seed determine."""
    seeds, is_null = [seed, readers, cases, place], place % 2 == 0
    truth = Truth(np.random.default_rng(seeds), cases, is_null=is_null)
    found = simulated(truth, seeds, readers, studies, names)
    return [(name, (readers, cases, is_null, *each)) for name, *each in found]


def main(studies=200, seed=20261127):
    found = defaultdict(list)
    for readers, cases, place in product(READERS, CASES, range(TRUTHS)):
        for name, row in rows_of(readers, cases, place, studies, seed):
            found[name].append(row)
    show(found)
    timed()


def show(found):
    """Print a table of the coverage by metric, and by the number of readers and of cases."""
    print(f"{'metric':<18} {'mean':>6} {'worst':>6} {'difference':>12} {'worst':>6} {'type I':>7}")
    for name, rows in found.items():
        table = np.array(rows, dtype=float)
        mean, apart, null = table[:, 3], table[:, 4], table[table[:, 2] == 1, 4]
        print(
            f"{name:<18} {mean.mean():6.3f} {mean.min():6.3f} {apart.mean():12.3f} {apart.min():6.3f} "
            f"{1 - null.mean():7.3f}"
        )
        for place, title, levels in ((0, "readers", READERS), (1, "cases", CASES)):
            parts = {level: table[table[:, place] == level] for level in levels}
            said = [
                f"{level}: {part[:, 3].mean():.3f}, {part[:, 4].mean():.3f}"
                for level, part in parts.items()
                if len(part)
            ]
            print("   ", title, "; ".join(said))


def null(studies=100, seed=7, truths=60):
    """Print how often a true difference of 0 is rejected at the 5 % level."""
    chosen = {name: own for name, own in METRICS.items() if "," not in name}
    print("| readers | " + " | ".join(chosen) + " |\n" + "| ---: " * (len(chosen) + 1) + "|")
    for readers in READERS:
        rng, rejected = np.random.default_rng([seed, readers]), defaultdict(list)
        for place in range(truths):
            truth = Truth(rng, CASES[place % len(CASES)], is_null=True)
            for _ in range(studies):
                data = truth.study(rng, readers)
                for name, own in chosen.items():
                    settings = own | ({"threshold": truth.threshold} if "metric" in own else {})
                    try:
                        (difference,) = hs.reader_study(**data, **settings).differences.values()
                    except hs.HowsureError:  # a reader without calls of either kind
                        continue
                    rejected[name].append(difference.p_value < 0.05)
        print(f"| {readers} | " + " | ".join(f"{np.mean(each):.4f}" for each in rejected.values()) + " |", flush=True)


def few(studies=400, seed=46, truths=60):
    """Print type I errors of differences in sensitivity by readers and cases, for two powers in the degrees of freedom."""
    rng = np.random.default_rng(seed)
    print("| readers | cases | Hillis' degrees of freedom | power 1.25 |\n| ---: | ---: | ---: | ---: |")
    for readers, cases in product((3, 5), CASES):
        found = [rejected(Truth(rng, cases, is_null=True), rng, readers, studies) for _ in range(truths)]
        print(f"| {readers} | {cases} | " + " | ".join(f"{100 * each:.2f} %" for each in np.mean(found, 0)) + " |")


def rejected(truth, rng, readers, studies):
    """Return how often a true difference of 0 in sensitivity is rejected, by the two powers."""
    n, both = truth.positives, 2 * readers
    effects = np.sqrt([truth.reader, truth.reader_modality, truth.case, truth.case_modality])
    shapes = (readers, 1, 1), (readers, 2, 1), (1, 1, n), (1, 2, n), (readers, 1, n), (readers, 2, n)
    spreads = [*effects, np.sqrt(truth.reader_case), np.sqrt(truth.rest)]
    rating = truth.means[0] + sum(
        s * rng.normal(size=(studies, *shape)) for s, shape in zip(spreads, shapes, strict=True)
    )
    calls = (rating >= truth.threshold).astype(float)
    value = calls.mean(-1)
    rest = (calls - value[..., None]).transpose(0, 2, 1, 3).reshape(studies, both, n)
    covariance = rest @ rest.transpose(0, 2, 1) / (n - 1) / n  # the jackknife over positive cases
    others = ~np.eye(readers, dtype=bool)
    blocks = covariance.reshape(studies, 2, readers, 2, readers)
    cov2 = (blocks[:, 0, :, 0][:, others] + blocks[:, 1, :, 1][:, others]).mean(1) / 2
    cov3 = blocks[:, 0, :, 1][:, others].mean(1)
    difference = value[:, :, 0] - value[:, :, 1]
    square = difference.var(1, ddof=1) / 2
    whole = square + readers * np.maximum(cov2 - cov3, 0)
    kept = whole > 0
    ratio = np.divide(whole, square, out=np.full(studies, np.inf), where=square > 0)[kept]
    t = np.abs(difference.mean(1))[kept] / np.sqrt(2 / readers * whole[kept])
    return [np.sum(2 * special.stdtr((readers - 1) * ratio**p, -t) < 0.05) / studies for p in (2, 1.25)]


def timed(readers=10, cases=100_000):
    """Print the time of a large study of one modality."""
    rng = np.random.default_rng(0)
    case, reader = np.tile(np.arange(cases), readers), np.repeat(np.arange(readers), cases)
    truth = case % 4 == 0
    rating = 1.5 * truth + rng.normal(size=cases)[case] + rng.normal(size=len(case))
    for covariance in ("delong", "jackknife", "unbiased"):
        start = time.perf_counter()
        hs.reader_study(rating, truth=truth * 1, reader=reader, case=case, covariance=covariance)
        print(f"{readers} readers × {cases:,} cases, {covariance}: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["null"]:
        null(*map(int, sys.argv[2:]))
    elif sys.argv[1:2] == ["few"]:
        few(*map(int, sys.argv[2:]))
    else:
        main(*map(int, sys.argv[1:]))
