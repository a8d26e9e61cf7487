"""Coverage of 95 % intervals of a classifier in a target with other class frequencies, by simulation with known truth.

Run ``python benchmarks/shift.py [STUDIES]``. A labelled sample has equal class frequencies and the target has others;
within a class, the cases have the same distribution. Settings are two classes by predictions or by scores, and three
classes by predictions. A second table has the level of `label_shift_test` under label shift, and its power if the
distributions within classes differ. Prints Markdown.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator

import numpy as np

import howsure as hs

SOURCE, TARGET = 1000, 2000
SHARES = (0.01, 0.02, 0.05, 0.2, 0.5)
METRICS = ("prevalence", "accuracy", "f1", "precision", "mcc")
RATES = np.array([[0.9, 0.1], [0.15, 0.85]])
THREE = np.array([[0.8, 0.15, 0.05], [0.1, 0.75, 0.15], [0.05, 0.1, 0.85]])
APART = 1.5  # between the normal scores of the classes, of deviation 1
Study = tuple[object, float]


def predicted(rates: np.ndarray, shares: np.ndarray, rng: np.random.Generator) -> object:
    """Return the transported table of a study with predictions alone."""
    size = len(rates)
    source = np.stack([rng.multinomial(many, row) for many, row in zip(_split(size), rates, strict=True)])
    target = rng.multinomial(TARGET, shares @ rates)
    return hs.transported(hs.from_counts(source), dict(enumerate(target.tolist())))


def _split(size: int) -> np.ndarray:
    return np.full(size, SOURCE // size)


def scored(share: float, rng: np.random.Generator, bent: float = 0.0, spread: float = 1.0) -> tuple[object, np.ndarray]:
    """Return the labelled scores and the target's, whose negative cases may be moved and spread."""
    label = np.arange(SOURCE) % 2
    own = rng.random(TARGET) < share
    scores = rng.normal(APART * own, 1.0)
    return hs.scores(label, rng.normal(APART * label)), np.where(own, scores, bent + spread * scores)


def truths(rates: np.ndarray, shares: np.ndarray, metrics: tuple[str, ...]) -> list[float]:
    """Return the metrics of the target."""
    table = hs.from_counts(np.rint(1e9 * shares[:, None] * rates))
    return [hs.estimate(table, metric, method="delta").value for metric in metrics]


def studies() -> Iterator[tuple[str, float, tuple[str, ...], Callable[[np.random.Generator], object], list[float]]]:
    """Yield the settings: name, class frequency, metrics, a function that makes a table, and the true value."""
    from scipy.stats import norm

    by_score = np.array([[norm.cdf(APART / 2), norm.sf(APART / 2)], [norm.sf(APART / 2), norm.cdf(APART / 2)]])
    for share in SHARES:
        two = np.array([1 - share, share])
        yield (
            "predictions",
            share,
            METRICS,
            lambda rng, two=two: predicted(RATES, two, rng),
            truths(RATES, two, METRICS),
        )
        yield (
            "scores",
            share,
            METRICS,
            lambda rng, share=share: hs.transported(*scored(share, rng)).at(APART / 2),
            truths(by_score, two, METRICS),
        )
        yield (
            "scores, area",
            share,
            ("roc_auc",),
            lambda rng, share=share: hs.transported(*scored(share, rng)),
            [float(norm.cdf(APART / 2**0.5))],
        )
        three = np.array([0.7 * (1 - share), 0.3 * (1 - share), share])
        many = (
            "prevalence@binary+positive_class=2",
            "accuracy",
            "f1@macro",
            "precision@binary+positive_class=2",
            "mcc",
        )
        yield (
            "three classes",
            share,
            many,
            lambda rng, three=three: predicted(THREE, three, rng),
            truths(THREE, three, many),
        )


def covered(number: int) -> None:
    """Print the coverage of the intervals."""
    print(f"| by | share | coverage, %: {', '.join((*METRICS, 'or area'))} |\n|:---|---:|---:|")
    for name, share, metrics, make, truth in studies():
        rng = np.random.default_rng([round(1000 * share), len(name)])
        held = np.zeros(len(metrics))
        for _ in range(number):
            table = make(rng)
            for place, metric in enumerate(metrics):
                found = hs.estimate(table, metric)
                held[place] += found.low <= truth[place] <= found.high
        print(f"| {name} | {share:g} | {', '.join(f'{100 * each / number:.1f}' for each in held)} |", flush=True)


def power(number: int) -> None:
    """Print how often label shift is rejected."""
    print("\n| negative cases of the target | share | rejected at 5 %, % |\n|:---|---:|---:|")
    for words, bent, spread in (
        ("alike", 0, 1),
        ("0.3 higher", 0.3, 1),
        ("0.5 higher", 0.5, 1),
        ("1.3 as spread", 0, 1.3),
    ):
        for share in (0.05, 0.2, 0.5):
            rng = np.random.default_rng([round(100 * share), round(100 * bent)])
            found = [hs.shift.label_shift_test(*scored(share, rng, bent, spread)).p_value < 0.05 for _ in range(number)]
            print(f"| {words} | {share:g} | {100 * np.mean(found):.1f} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    covered(repeats)
    power(repeats // 4)
