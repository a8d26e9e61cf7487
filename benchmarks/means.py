"""Make the page on tests and the page on means: how often true hypotheses are rejected, and means are covered.

Run ``python benchmarks/means.py [tests | means]``; both take about eight minutes of processor time. The truths served no
choice of a method. Studies are drawn anew by row, from a seed that follows from its words.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import howsure as hs
from howsure.grids import Grid
from howsure.methods.core.draws import group_seed
from howsure.methods.default import default_method
from howsure.metrics.binding import resolve
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Side
from howsure.numbers import number
from howsure.tables.separate import SeparateTables

DOCS = Path(__file__).parents[1] / "docs"
SEED, LEVEL = 20261201, 0.95
TESTS_HEAD = """# Error rates of the tests

Rejection rates of the tests for true hypotheses (type I error), at the 5 % and at the 1 % level. A valid test rejects
at most at its level. *covered* is the coverage of the 95 % interval of the same comparison. If a margin is stated,
the hypothesis is the true difference, not 0. The truths were not used to choose methods. `python benchmarks/means.py tests`
simulates this and writes this page. The Monte Carlo error is:

| studies | at 5 %, points | at 1 %, points |
| ---: | ---: | ---: |
| 1,000 | ± 0.7 | ± 0.3 |
| 400 | ± 1.1 | ± 0.5 |
| 150 | ± 1.8 | ± 0.8 |
"""
MEANS_HEAD = """# Coverage of means

Coverage of default 95 % intervals for means, standard deviations, and the value of the first model of a leaderboard.
Widths are relative to Student's t (means) or to the model's own interval (leaderboards). *below* and *above*: how
often the true value is below or above the interval. The Monte Carlo error is ± 0.7 points for 1,000 studies, ± 1 for
500, ± 1.5 for 200, and ± 2 for 120. Samples of equal values without bounds have no interval and are left out. The truths were not used to choose methods. `python benchmarks/means.py means` simulates this and writes this page.
"""
Study = Callable[[np.random.Generator], Any]
Draw = Callable[[np.random.Generator], np.ndarray]


def paired(first: Any, second: Any, margin: float = 0.0, **settings: Any) -> tuple[float, bool]:
    """Return the p-value of the true difference of two means on the same cases, and whether it is covered."""
    return compared(hs.values({"a": first, "b": second}, **settings), "mean", margin)


def compared(joint: Any, metric: str, margin: float = 0.0) -> tuple[float, bool]:
    """Return the p-value of the true difference of two models, and whether it is covered."""
    return tested(joint, [Side(name, resolve(metric, joint.model(name)), joint.view(name)) for name in "ab"], margin)


def tested(joint: Any, sides: list[Side], margin: float) -> tuple[float, bool]:
    """Return the p-value and the coverage of the default method; without the estimates of the models themselves."""
    metric = contrast_metric(EFFECTS["difference"], *sides)
    method = default_method(metric, joint)
    found = method.interval(metric, joint, LEVEL)
    return method.p_value(metric, joint, margin), bool(found.low - 1e-12 <= margin <= found.high + 1e-12)


def changed(rng: np.random.Generator, values: Any, part: float, p: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the grades of two models, which differ in a part of the items alone."""
    first, other = rng.choice(values, (2, n), p=p)
    return first, np.where(rng.random(n) < part, other, first)


def runs(rng: np.random.Generator, tasks: int, number_of: int, a: float, b: float, drop: float = 0.0) -> Any:
    """Return repeated runs of two models: equally good on average, the tasks being harder for the one or the other."""
    chance = rng.beta(a, b, (2, tasks)) if not drop else np.outer([1 - drop, 1], np.ones(tasks)) * rng.beta(a, b, tasks)
    success = rng.random((2, tasks, number_of)) < chance[..., None]
    task = np.tile(np.repeat(np.arange(tasks), number_of), 2)
    return hs.trials(success.ravel(), task=task, model=np.repeat(["a", "b"], tasks * number_of))


def means_of_pairs() -> Iterator[tuple[str, Study]]:
    """Paired differences of means."""
    marks, p = [0, 0.5, 1], [0.15, 0.15, 0.7]
    yield "35 items: right, half, wrong; 4 differ", lambda r: paired(*changed(r, marks, 0.2, p, 35), bounds=(0, 1))
    yield "120 items: right, half, wrong; 6 differ", lambda r: paired(*changed(r, marks, 0.1, p, 120), bounds=(0, 1))
    stars = [0.03, 0.04, 0.08, 0.3, 0.55]
    yield (
        "40 grades of 1 to 5, 20 % graded twice",
        lambda r: paired(*changed(r, range(1, 6), 0.2, stars, 40), bounds=(1, 5)),
    )
    yield "80 grades of 1 to 5", lambda r: paired(*changed(r, range(1, 6), 1.0, stars, 80), bounds=(1, 5))
    yield "40 tasks of 3 runs", lambda r: compared(runs(r, 40, 3, 0.4, 0.4), "mean")
    yield "80 tasks of 5 runs, most of them easy", lambda r: compared(runs(r, 80, 5, 1.5, 0.1), "mean")
    yield "50 tasks of 4 runs, margin −0.06", lambda r: compared(runs(r, 50, 4, 3, 1, 0.08), "mean", -0.06)

    def votes(r: np.random.Generator, margin: float, n: int = 45) -> tuple[float, bool]:
        vote = r.choice([-1.0, 0, 1], n, p=[0.06 - margin / 2, 0.88, 0.06 + margin / 2])
        return paired(np.maximum(vote, 0), np.maximum(-vote, 0), margin, bounds=(0, 1))

    yield "45 votes of −1, 0 and 1", lambda r: votes(r, 0.0)
    yield "45 votes of −1, 0 and 1, margin 0.08", lambda r: votes(r, 0.08)

    def clusters(r: np.random.Generator, number_of: int, sizes: Any) -> tuple[float, bool]:
        group = np.repeat(np.arange(number_of), sizes)
        own, common = r.choice([-1, 0, 1], (2, len(group)), p=[0.08, 0.84, 0.08])
        vote = np.where(r.random(number_of)[group] < 0.3, common[np.searchsorted(group, group)], own)
        return paired(np.maximum(vote, 0), np.maximum(-vote, 0), bounds=(0, 1), groups=group)

    yield "45 clusters of 3", lambda r: clusters(r, 45, 3)
    yield "18 clusters of 1 to 12", lambda r: clusters(r, 18, r.integers(1, 13, 18))

    def weighted(r: np.random.Generator, spread: float) -> tuple[float, bool]:
        first, second = changed(r, marks, 0.3, p, 70)
        return paired(first, second, bounds=(0, 1), sample_weight=r.gamma(1 / spread**2, size=70) + 0.01)

    yield "70 weighted items, variation of weights 0.5", lambda r: weighted(r, 0.5)
    yield "70 weighted items, variation of weights 1", lambda r: weighted(r, 1.0)
    yield "25 latencies (gamma), no bounds", lambda r: paired(*r.gamma(2, 1, 25) * r.gamma(8, 1 / 8, (2, 25)))
    yield "70 errors with heavy tails (t with 4 df)", lambda r: paired(*r.standard_t(4, (2, 70)))

    def strata(r: np.random.Generator) -> tuple[float, bool]:
        first, second = changed(r, marks, 0.2, p, 60)
        sizes = {"x": 0.5, "y": 0.3, "z": 0.2}
        return paired(first, second, bounds=(0, 1), strata=np.repeat(["x", "y", "z"], 20), stratum_sizes=sizes)

    yield "60 items of 3 strata (Hall)", strata
    yield (
        "40 items, rare large losses and small gains",
        lambda r: paired(
            *np.array([[0, 0.3], [0, 0], [1, 0]]).T[::-1][:, r.choice(3, 40, p=[0.13, 0.831, 0.039])], bounds=(0, 1)
        ),
    )


def predictions(r: np.random.Generator, n: int, right: float, together: float, classes: int = 2) -> tuple[Any, ...]:
    """Return the classes of cases, and what two equally good models say."""
    truth = r.choice(classes, n, p=np.arange(1, classes + 1) / (classes * (classes + 1) / 2))
    hard = r.random(n)
    said = []
    for _ in range(2):
        luck = np.where(r.random(n) < together, hard, r.random(n))
        said.append(np.where(luck < right, truth, (truth + r.integers(1, classes, n)) % classes))
    return truth, *said


def other_comparisons() -> Iterator[tuple[str, Study]]:
    """Comparisons of predictions and scores."""
    for n, right in ((60, 0.9), (300, 0.8)):
        for metric in ("accuracy", "f1", "mcc", "kappa"):
            name = {"accuracy": "accuracy (Tango, McNemar)"}.get(metric, f"{metric} (flow)")

            def pair(r: np.random.Generator, metric: str = metric, n: int = n, right: float = right) -> Any:
                truth, a, b = predictions(r, n, right, 0.5)
                return compared(hs.paired(truth, {"a": a, "b": b}), metric)

            yield f"{name}: {n} cases, {right:g} right", pair

    def many(r: np.random.Generator, **settings: Any) -> Any:
        truth, a, b = predictions(r, 150, 0.8, 0.5, 3)
        return compared(hs.paired(truth, {"a": a, "b": b}, **settings), "f1@macro")

    yield "f1@macro (flow): 150 cases of 3 classes", many
    yield "f1@macro (flow), clusters: 150 cases in 30", lambda r: many(r, groups=np.repeat(np.arange(30), 5))

    def areas(r: np.random.Generator, n: int, shift: float) -> Any:
        truth = np.arange(n) % 3 == 0
        common = r.normal(size=n)
        scores = {name: shift * truth + (common + r.normal(size=n)) / np.sqrt(2) for name in "ab"}
        return compared(hs.paired_scores(truth * 1, scores), "roc_auc")

    yield "roc_auc (DeLong): 20 positive of 60", lambda r: areas(r, 60, 1.2)
    yield "roc_auc (DeLong): 80 positive of 240", lambda r: areas(r, 240, 2.0)

    def separate(r: np.random.Generator, metric: str) -> Any:
        first, second = (predictions(r, 80, 0.85, 0.5)[0:2] for _ in range(2))
        joint = SeparateTables.of((hs.confusion(*first), hs.confusion(*second)))
        views = zip("ab", joint.tables, joint.views, strict=True)
        return tested(joint, [Side(name, resolve(metric, own), view) for name, own, view in views], 0.0)

    yield "accuracy of two test sets of 80 (MOVER)", lambda r: separate(r, "accuracy")
    yield "f1 of two test sets of 80 (MOVER)", lambda r: separate(r, "f1")


def other_tests() -> Iterator[tuple[str, Study]]:
    """Tests that have functions of their own."""

    def several(r: np.random.Generator) -> dict[str, Any]:
        hard = r.random(80)
        return {str(model): np.where(r.random(80) < 0.5, hard, r.random(80)) < 0.8 for model in range(4)}

    def truth(right: dict[str, Any]) -> Any:
        return hs.paired(np.ones(80, dtype=int), {name: each * 1 for name, each in right.items()}, labels=[0, 1])

    for method in ("mid_p", "exact", "asymptotic"):
        yield (
            f"mcnemar, {method}: 80 cases",
            lambda r, method=method: hs.mcnemar(hs.paired(*_two(r, 80)), method=method).p_value,
        )
    yield "cochrans_q: 4 models, 80 cases", lambda r: hs.cochrans_q(truth(several(r))).p_value
    yield (
        "leaderboard, smallest adjusted p: 4 models, 80 items",
        lambda r: float(
            np.nanmin(hs.leaderboard(hs.values(several(r), bounds=(0, 1)), "mean", random_state=0).differences.p_value)
        ),
    )
    yield (
        "compare_all, smallest adjusted p: 4 models, 80 items",
        lambda r: min(
            each["p_value"] for each in hs.compare_all(hs.values(several(r), bounds=(0, 1)), "mean").records()
        ),
    )

    def calibrated(r: np.random.Generator, n: int) -> float:
        score = r.beta(1.5, 2.5, n)
        return hs.shift.calibration_test(hs.scores((r.random(n) < score) * 1, score)).p_value

    yield "calibration_test: 100 scores", lambda r: calibrated(r, 100)
    yield "calibration_test: 500 scores", lambda r: calibrated(r, 500)

    def equal_studies(r: np.random.Generator) -> float:
        error = r.uniform(0.01, 0.05, 10)
        return hs.pool(r.normal(0.8, error), error).q_p_value

    yield "heterogeneity of a pooled metric (Q): 10 studies", equal_studies

    def no_information(r: np.random.Generator) -> float:
        labels = (r.random(100) < 0.6) * 1
        return hs.comparison.no_information_test(
            hs.confusion(labels, np.where(r.random(100) < 0.6, labels, 1 - labels))
        ).p_value

    yield "no_information_test: 100 cases, right as often as the larger class", no_information


def _two(r: np.random.Generator, n: int) -> tuple[Any, dict[str, Any]]:
    labels, a, b = predictions(r, n, 0.85, 0.5)
    return labels, {"a": a, "b": b}


def rejections(rows: Iterator[tuple[str, Study]], studies: int) -> Grid:
    """Return how often true hypotheses are rejected."""
    found = []
    for said, study in rows:
        rng = np.random.default_rng(group_seed(SEED, said))
        drawn = [study(rng) for _ in range(studies)]
        p, held = (
            np.array(each, dtype=float)
            for each in zip(*(each if isinstance(each, tuple) else (each, np.nan) for each in drawn), strict=True)
        )
        known = ~np.isnan(p)
        shares = [number(100 * float((p[known] < level).mean()), 1) for level in (0.05, 0.01)]
        covered = "–" if np.isnan(held).all() else number(100 * float(held[known].mean()), 1)
        found.append((said, *shares, covered, f"{known.sum():,}"))
        print(*found[-1], flush=True)
    return Grid(("truth", "p < 0.05, %", "p < 0.01, %", "covered, %", "studies"), tuple(found))


DISTRIBUTIONS: dict[str, tuple[Callable[[np.random.Generator, int], Any], float, float, tuple[float, float] | None]] = {
    "normal": (lambda r, n: r.normal(size=n), 0.0, 1.0, None),
    "gamma(2)": (lambda r, n: r.gamma(2, 1, n), 2.0, np.sqrt(2), (0, np.inf)),
    "log-normal(0, 0.8)": (
        lambda r, n: r.lognormal(0, 0.8, n),
        np.exp(0.32),
        np.sqrt(np.expm1(0.64) * np.exp(0.64)),
        None,
    ),
    "60 % zeros, else exponential": (
        lambda r, n: r.exponential(1, n) * (r.random(n) < 0.4),
        0.4,
        np.sqrt(0.8 - 0.16),
        (0, np.inf),
    ),
    "beta(0.4, 0.2)": (lambda r, n: r.beta(0.4, 0.2, n), 2 / 3, np.sqrt(0.08 / (0.36 * 1.6)), (0, 1)),
    "85 % zeros, else beta(2, 3)": (
        lambda r, n: r.beta(2, 3, n) * (r.random(n) < 0.15),
        0.06,
        np.sqrt(0.15 * 0.2 - 0.0036),
        (0, 1),
    ),
    "half marks, 85 % right": (
        lambda r, n: r.choice([0, 0.5, 1], n, p=[0.07, 0.08, 0.85]),
        0.89,
        np.sqrt(0.87 - 0.89**2),
        (0, 1),
    ),
    "votes, 10 % deciding": (
        lambda r, n: r.choice([-1.0, 0, 1], n, p=[0.03, 0.9, 0.07]),
        0.04,
        np.sqrt(0.0984),
        (-1, 1),
    ),
    "shares of 4 runs": (lambda r, n: r.binomial(4, r.beta(1, 0.4, n)) / 4, 1 / 1.4, np.nan, (0, 1)),
}


def intervals(metric: str, sizes: tuple[int, ...], studies: int) -> Grid:
    """Return how often a metric of values is covered, and the width over that of Student's t."""
    found = []
    for said, (draw, mean, spread, bounds) in DISTRIBUTIONS.items():
        truth = mean if metric == "mean" else spread
        for n in sizes if not np.isnan(truth) else ():
            rng = np.random.default_rng(group_seed(SEED, f"{metric} {said} {n}"))
            rows = []
            for _ in range(studies):
                own = hs.estimate(hs.values(draw(rng, n), bounds=bounds), metric)
                half = 2 * own.standard_error * _student(n)
                rows.append((own.low, own.high, (own.high - own.low) / half if half > 0 else np.nan))
            low, high, width = np.array(rows).T
            known = ~np.isnan(low)
            below, above = (100 * float((known & where).sum() / known.sum()) for where in (truth < low, truth > high))
            held = number(100 - below - above, 1)
            found.append(
                (
                    f"{said}, n = {n}",
                    held,
                    number(below, 1),
                    number(above, 1),
                    number(float(np.nanmedian(width)), 2),
                    f"{studies:,}",
                )
            )
            print(metric, *found[-1], flush=True)
    return Grid(("values", "covered, %", "below, %", "above, %", "width / Student's", "studies"), tuple(found))


def _student(n: int) -> float:
    from scipy import stats

    return float(stats.t.ppf((1 + LEVEL) / 2, n - 1))


def winners(studies: int) -> Grid:
    """Return how often the value of a leaderboard's first model is covered."""
    cases: dict[str, tuple[Draw, np.ndarray, dict[str, Any]]] = {}
    for models, n, right, gap in (
        (2, 120, 0.55, 0.0),
        (2, 400, 0.15, 0.0),
        (6, 60, 0.8, 0.0),
        (12, 150, 0.9, 0.0),
        (5, 150, 0.85, 0.02),
    ):
        truth = right - gap * np.arange(models)

        def right_or_wrong(r: np.random.Generator, n: int = n, truth: Any = truth) -> np.ndarray:
            hard = r.random(n)
            return (np.where(r.random((len(truth), n)) < 0.5, hard, r.random((len(truth), n))) < truth[:, None]) * 1.0

        cases[f"{models} models, {n} items, {right:g} right, steps of {gap:g}"] = (
            right_or_wrong,
            truth,
            {"bounds": (0, 1)},
        )
    for clusters in (5, 8, 12):

        def in_clusters(r: np.random.Generator, clusters: int = clusters) -> np.ndarray:
            common = r.normal(0, 0.5, clusters) + r.normal(0, 0.4, (4, clusters))
            return np.repeat(common, 6, 1) + r.normal(size=(4, 6 * clusters))

        cases[f"4 models, {clusters} clusters of 6"] = (
            in_clusters,
            np.zeros(4),
            {"groups": np.repeat(np.arange(clusters), 6)},
        )
    cases["3 models, 8 items"] = lambda r: r.normal(size=8) + r.normal(size=(3, 8)), np.zeros(3), {}
    found = []
    for said, (draw, truth, settings) in cases.items():
        rng = np.random.default_rng(group_seed(SEED, said))
        rows = []
        for study in range(studies):
            board = hs.leaderboard(hs.values(dict(enumerate(draw(rng))), **settings), "mean", random_state=study)
            first, won = board.places[0], board.winner
            value, own = truth[int(first.model)], first.estimate
            is_tie = board.places[1].value == first.value
            rows.append(
                (
                    own.low <= value <= own.high,
                    value < won.low,
                    value > won.high,
                    is_tie,
                    (won.high - won.low) / (own.high - own.low),
                )
            )
        plain, below, above, tie, width = np.array(rows, dtype=float).T
        held = 1 - below - above
        tied = number(100 * float(held[tie > 0].mean()), 1) if tie.sum() >= 10 else "–"
        shares = [number(100 * float(each.mean()), 1) for each in (plain, held)]
        found.append(
            (said, *shares, number(100 * float(below.mean()), 1), tied, number(float(width.mean()), 2), f"{studies:,}")
        )
        print(*found[-1], flush=True)
    headers = (
        "models",
        "own interval, %",
        "corrected, %",
        "below, %",
        "corrected where the first two tie, %",
        "width / own",
        "studies",
    )
    return Grid(headers, tuple(found))


def page(name: str, head: str, parts: dict[str, Callable[[], Grid]]) -> None:
    """Simulate the parts of a page and write it."""
    text = head
    for title, made in parts.items():
        text += f"\n## {title}\n\n{made().markdown()}\n"
    (DOCS / name).write_text(text)


def main() -> None:
    """Write the pages that are named, by default both."""
    warnings.simplefilter("ignore")
    wanted = sys.argv[1:] or ["tests", "means"]
    if "tests" in wanted:
        parts = {
            "Means on the same cases": lambda: rejections(means_of_pairs(), 1000),
            "Predictions and scores": lambda: rejections(other_comparisons(), 400),
            "Other tests": lambda: rejections(other_tests(), 600),
        }
        page("coverage-tests.md", TESTS_HEAD, parts)
    if "means" in wanted:
        parts = {
            "Means of values": lambda: intervals("mean", (10, 30, 100), 1000),
            "Standard deviations": lambda: intervals("std", (30, 100), 500),
            "The first model of a leaderboard": lambda: winners(300),
        }
        page("coverage-means.md", MEANS_HEAD, parts)


if __name__ == "__main__":
    main()
