"""Coverage of 95 % intervals for evaluations with few questions: ours, and value ± 1.96 standard errors as harnesses have them.

Run ``python benchmarks/evaluations.py [STUDIES]``. The four settings are those of Bowyer, Aitchison, Ivanova (2025),
arXiv 2503.01747: questions that are independent, or in clusters, and two models on different questions, or on the same.
Chances of success are drawn anew in each study. Prints a Markdown table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

import howsure as hs

QUESTIONS = (10, 30, 100)
PER_CLUSTER = 5
Z = stats.norm.ppf(0.975)
Study = tuple[float, tuple[float, float], tuple[float, float]]  # the truth, our interval, the harnesses'


def normal(value: float, error: float) -> tuple[float, float]:
    """Return the interval of a value and its standard error."""
    return value - Z * error, value + Z * error


def one_model(rng: np.random.Generator, questions: int) -> Study:
    """Return a study of independent questions."""
    truth = rng.random()
    right = rng.random(questions) < truth
    found = hs.estimate(hs.values(right), "mean")
    return truth, (found.low, found.high), normal(right.mean(), stats.sem(right))


def clusters(rng: np.random.Generator, questions: int) -> Study:
    """Return a study of questions in clusters of five, whose chances of success differ."""
    truth = rng.random()
    spread = rng.gamma(1) + 0.5
    number = questions // PER_CLUSTER
    chance = np.repeat(rng.beta(spread * truth + 1e-3, spread * (1 - truth) + 1e-3, number), PER_CLUSTER)
    truth = (spread * truth + 1e-3) / (spread + 2e-3)
    right = rng.random(questions) < chance
    groups = np.repeat(np.arange(number), PER_CLUSTER)
    found = hs.estimate(hs.values(right, groups=groups), "mean")
    away = (right - right.mean()).reshape(number, PER_CLUSTER).sum(1)
    error = np.sqrt(number / (number - 1) * (away**2).sum()) / questions
    return truth, (found.low, found.high), normal(right.mean(), error)


def two_test_sets(rng: np.random.Generator, questions: int) -> Study:
    """Return a study of two models on different questions."""
    chances = rng.random(2)
    first, second = (rng.random(questions) < chance for chance in chances)
    found = hs.compare(hs.values(first), hs.values(second), "mean")
    error = np.hypot(stats.sem(first), stats.sem(second))
    return chances[0] - chances[1], (found.low, found.high), normal(first.mean() - second.mean(), error)


def same_questions(rng: np.random.Generator, questions: int) -> Study:
    """Return a study of two models on the same questions, which are correlated as the signs of two normal numbers."""
    chances, correlation = rng.random(2), rng.uniform(0, 0.9)
    ease = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], questions)
    first, second = (ease < stats.norm.ppf(chances)).T
    found = hs.compare(hs.values({"A": first, "B": second}), "mean")
    error = np.hypot(stats.sem(first), stats.sem(second))  # harnesses take no account of the pairs
    return chances[0] - chances[1], (found.low, found.high), normal(first.mean() - second.mean(), error)


SETTINGS: dict[str, Callable[[np.random.Generator, int], Study]] = {
    "one model": one_model,
    "clusters of five": clusters,
    "two models, different questions": two_test_sets,
    "two models, same questions": same_questions,
}


def rows(studies: int) -> Iterator[str]:
    """Yield a row of the table for each setting and number of questions."""
    for name, study in SETTINGS.items():
        for questions in QUESTIONS:
            rng = np.random.default_rng(questions)
            found = [study(rng, questions) for _ in range(studies)]
            cells = []
            for way in (1, 2):
                ends = np.array([each[way] for each in found])
                truth = np.array([each[0] for each in found])
                held = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
                cells += [f"{100 * held.mean():.1f}", f"{np.diff(ends).mean():.3f}"]
            yield f"| {name} | {questions} | {' | '.join(cells)} |"


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("| setting | questions | howsure | width | ± 1.96 standard errors | width |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for row in rows(many):
        print(row, flush=True)
