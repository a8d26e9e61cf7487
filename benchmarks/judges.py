"""Coverage and width of 95 % intervals of a pass rate that a judge and a few human labels give, with known truth.

Run ``python benchmarks/judges.py [STUDIES]``. Each study has human labels of some cases and a judge's verdict of many;
the true pass rate, the judge's true positive and true negative rate are given. A second table has conversations of five
cases that pass or fail together, mostly. Other packages take part where they are installed: ppi-python, truescore,
judgy (whose bootstrap is 2,000 draws here); glide-py needs Python 3.12. Prints Markdown tables.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import howsure as hs
from howsure.methods.numerics import binomial

SETTINGS = [  # human labels, other cases, pass rate, judge's TPR and TNR: first those of the review of 2026
    (30, 1000, 0.80, 0.95, 0.70),
    (50, 1000, 0.90, 0.95, 0.70),
    (100, 1000, 0.90, 0.97, 0.60),
    (100, 1000, 0.97, 0.98, 0.60),
    (200, 2000, 0.80, 0.95, 0.70),
    (20, 1000, 0.50, 0.90, 0.80),
    (20, 1000, 0.90, 0.95, 0.70),
    (20, 1000, 0.99, 0.98, 0.60),
    (50, 1000, 0.50, 0.90, 0.80),
    (50, 1000, 0.99, 0.98, 0.60),
    (100, 2000, 0.50, 0.90, 0.80),
    (200, 2000, 0.99, 0.98, 0.60),
    (500, 5000, 0.50, 0.90, 0.80),
    (500, 5000, 0.90, 0.95, 0.70),
    (500, 5000, 0.99, 0.98, 0.60),
    (100, 1000, 0.80, 0.60, 0.40),
]
REVIEWED = 5  # of them
SLOW = {"judgy"}  # takes part in the first five settings alone, with a fifth of the studies
CLUSTERED = [(10, 100, 0.8), (20, 200, 0.9), (40, 400, 0.5), (100, 1000, 0.9)]  # conversations labelled, judged, rate
SIZE, ALIKE = 5, 0.6  # cases of a conversation, and how many of them share its fate
Limits = tuple[float, float]


def studies(n: int, others: int, rate: float, tpr: float, tnr: float, number: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield human labels, the verdicts of the same cases, and those of the others."""
    rng = np.random.default_rng([n, others, round(1000 * rate), round(100 * tpr)])
    for _ in range(number):
        truth = rng.random(n + others) < rate
        verdict = np.where(truth, rng.random(n + others) < tpr, rng.random(n + others) > tnr)
        yield truth[:n].astype(float), verdict[:n].astype(float), verdict[n:].astype(float)


def ours(human: np.ndarray, judge: np.ndarray, rest: np.ndarray) -> Limits:
    """Return howsure's limits."""
    labels = np.concatenate([human, np.full(len(rest), np.nan)])
    table = hs.judged(labels, np.concatenate([judge, rest]), labels=[0.0, 1.0], check=False)
    found = hs.estimate(table, "pass_rate")
    return found.low, found.high


def people(human: np.ndarray, *_: np.ndarray) -> Limits:
    """Return the limits of the human labels alone, by mid-p."""
    low, high = binomial.mid_p(human.sum(), len(human), 0.95)
    return float(low), float(high)


def ppi_python() -> Callable[..., Limits]:
    """Return the limits of ppi-python."""
    mean = importlib.import_module("ppi_py").ppi_mean_ci
    return lambda human, judge, rest: tuple(float(np.ravel(end)[0]) for end in mean(human, judge, rest, alpha=0.05))


def truescore() -> Callable[..., Limits]:
    """Return the limits of truescore."""
    estimate = importlib.import_module("truescore").ppi_estimate

    def limits(human: np.ndarray, judge: np.ndarray, rest: np.ndarray) -> Limits:
        found = estimate(np.concatenate([judge, rest]), human, np.arange(len(human)))
        return found.low, found.high

    return limits


def judgy() -> Callable[..., Limits]:
    """Return the limits of judgy, nan where it gives none."""
    estimate = importlib.import_module("judgy").estimate_success_rate

    def limits(human: np.ndarray, judge: np.ndarray, rest: np.ndarray) -> Limits:
        try:
            return estimate(human, judge, rest, bootstrap_iterations=2000)[1:]
        except (ValueError, RuntimeError):
            return np.nan, np.nan

    return limits


def methods() -> dict[str, Callable[..., Limits]]:
    """Return the compared methods by name; packages that are not installed are reported on stderr."""
    found: dict[str, Any] = {"howsure": ours, "human labels alone": people}
    for name, make in {"truescore": truescore, "ppi-python": ppi_python, "judgy": judgy}.items():
        try:
            found[name] = make()
        except ImportError as error:
            sys.stderr.write(f"{name} is left out: {error}\n")
    return found


def told(limits: np.ndarray, rate: float) -> str:
    """Return coverage, mean width, and the share of studies whose interval leaves [0, 1], or that have none."""
    missing = np.isnan(limits).any(1)
    low, high = limits[~missing].T
    beyond = ((low < 0) | (high > 1)).mean()
    cell = f"{100 * ((low <= rate) & (rate <= high)).mean():.1f} / {(high - low).mean():.3f}"
    extra = [f"{100 * beyond:.0f} % beyond"] if beyond >= 0.005 else []
    extra += [f"{100 * missing.mean():.0f} % none"] if missing.mean() >= 0.005 else []
    return " / ".join([cell, *extra])


def main(number: int) -> None:
    """Print both tables."""
    found = methods()
    print(f"| human labels, others, pass rate, TPR, TNR | {' | '.join(found)} |")
    print("|:---|" + "---:|" * len(found))
    for place, setting in enumerate(SETTINGS):
        samples = list(studies(*setting, number))
        cells = []
        for name, each in found.items():
            some = samples if name not in SLOW else samples[: number // 5] if place < REVIEWED else []
            cells.append(told(np.array([each(*sample) for sample in some]), setting[2]) if some else "")
        print(f"| {', '.join(map(str, setting))} | {' | '.join(cells)} |", flush=True)
    print(
        "\n| conversations labelled, judged, pass rate | howsure, groups= | human labels alone, groups= | no groups |"
    )
    print("|:---|---:|---:|---:|")
    for setting in CLUSTERED:
        cells = [told(np.array(each), setting[2]) for each in zip(*clustered(*setting, number // 2), strict=True)]
        print(f"| {', '.join(map(str, setting))} | {' | '.join(cells)} |", flush=True)


def clustered(labelled: int, judged: int, rate: float, number: int) -> Iterator[tuple[Limits, Limits, Limits]]:
    """Yield the limits with conversations as clusters, those of human labels alone, and those without clusters."""
    rng = np.random.default_rng([labelled, judged, round(1000 * rate)])
    shape = (labelled + judged, SIZE)
    group = np.repeat(np.arange(shape[0]), SIZE)
    for _ in range(number):
        own, together = rng.random(shape) < rate, rng.random((shape[0], 1)) < rate
        truth = np.where(rng.random(shape) < ALIKE, together, own).astype(float)
        verdict = np.where(truth > 0, rng.random(shape) < 0.95, rng.random(shape) > 0.7).astype(float)
        known = group < labelled
        human = np.where(known, truth.ravel(), np.nan)
        every = {"labels": [0.0, 1.0], "check": False}
        tables = (
            hs.judged(human, verdict.ravel(), groups=group, **every),
            hs.confusion(truth.ravel()[known], truth.ravel()[known], groups=group[known], **every),
            hs.judged(human, verdict.ravel(), **every),
        )
        yield tuple((each.low, each.high) for each in (hs.estimate(table, "pass_rate") for table in tables))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1000)
