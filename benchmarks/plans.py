"""Accuracy of planned numbers of cases: the width or the power of fresh studies at each planned number.

``python benchmarks/plans.py`` prints the table. Fresh studies have other seeds than those used by the plan. Widths
should be within 3 % and probabilities within 2 points of the request. If a study comes in clusters, its size changes in
steps of one cluster.
"""

import argparse
import time

import numpy as np

import howsure as hs
from howsure.methods.core.draws import child_seed
from howsure.metrics.contrast import EFFECTS
from howsure.planning.goals import Shown, Width
from howsure.planning.pilots import Pilot
from howsure.planning.search import simulated
from howsure.planning.sizes import in_clusters

RNG = np.random.default_rng(12)


def drawn(n, classes=2, skill=0.85, rare=0.5, size=1, together=0.0):
    """Return labels, two models' predictions and scores, and clusters whose cases succeed together."""
    group = np.arange(n) // size
    truth = (RNG.random(n) < rare).astype(int) if classes == 2 else RNG.integers(0, classes, n)
    luck = RNG.normal(size=group[-1] + 1)[group] * np.sqrt(together)
    said = []
    for one in (skill, skill - 0.08):
        own = luck + RNG.normal(size=n) * np.sqrt(1 - together)
        right = own < np.quantile(own, one)
        said.append(np.where(right, truth, (truth + RNG.integers(1, classes, n)) % classes))
    score = [np.round(1.4 * truth + RNG.normal(size=n), 2) for _ in range(2)]
    score[1] = np.round(0.6 * score[0] + 0.8 * (0.7 * truth + RNG.normal(size=n)), 2)
    return truth, said, score, group


def paired(n, **more):
    truth, said, _, group = drawn(n, **more)
    groups = {"groups": group} if more.get("size", 1) > 1 else {}
    return hs.paired(truth, {"new": said[0], "old": said[1]}, **groups)


def confusion(n, **more):
    truth, said, _, group = drawn(n, **more)
    return hs.confusion(truth, said[0], **({"groups": group} if more.get("size", 1) > 1 else {}))


def scores(n, **more):
    truth, _, score, _ = drawn(n, **more)
    return hs.scores(truth, score[0])


def paired_scores(n):
    truth, _, score, _ = drawn(n)
    return hs.paired_scores(truth, {"new": score[0], "old": score[1]})


def trials(tasks, runs):
    chance = np.repeat(RNG.beta(1.5, 1.0, tasks), runs)
    return hs.trials((RNG.random(tasks * runs) < chance).astype(int), task=np.repeat(np.arange(tasks), runs))


def weighted(n):
    truth, said, _, _ = drawn(n)
    return hs.confusion(truth, said[0], sample_weight=RNG.gamma(2, 0.5, n) + 0.2)


def settings():
    """Return each setting: its name, the tables and the metric, and the request."""
    two, fixed = hs.from_counts([[50, 3], [5, 42]]), hs.designs.FixedMargins()
    rates = hs.from_rates(sensitivity="0.900", specificity="0.800", positives=30, negatives=270)
    values = {"new": RNG.normal(0.4, 1, 60), "old": RNG.normal(0.0, 1, 60)}
    return [
        ("accuracy", (two, "accuracy"), {"width": 0.05}),
        ("F1", (two, "f1"), {"width": 0.06}),
        ("F1, few cases", (two, "f1"), {"width": 0.25}),
        ("macro F1, three classes", (confusion(150, classes=3), "f1@macro"), {"width": 0.08}),
        ("MCC, few cases", (two, "mcc"), {"width": 0.4}),
        ("recall of a rare class", (rates, "recall"), {"width": 0.2}),
        ("precision of a rare class", (rates, "precision"), {"width": 0.2}),
        ("kappa, fixed classes", (two.with_design(fixed), "kappa"), {"width": 0.12}),
        ("ROC AUC", (scores(150), "roc_auc"), {"width": 0.08}),
        ("average precision", (scores(150, rare=0.3), "average_precision"), {"width": 0.12}),
        ("accuracy, weighted", (weighted(150), "accuracy"), {"width": 0.08}),
        ("F1 in clusters", (confusion(200, size=5, together=0.4), "f1"), {"width": 0.12}),
        ("accuracy in few clusters", (confusion(200, size=10, together=0.3), "accuracy"), {"width": 0.2}),
        ("accuracy, clusters of another size", (two, "accuracy"), {"width": 0.08, "cluster_size": 10, "icc": 0.1}),
        ("mean of trials, other runs", (trials(60, 4), "mean"), {"width": 0.12, "cluster_size": 10}),
        ("mean of values", (hs.values(RNG.normal(0, 1, 80)), "mean"), {"width": 0.5}),
        ("accuracy above a goal", (two, "accuracy"), {"power": 0.8, "null": 0.85, "alternative": "greater"}),
        ("F1 above a goal, few cases", (two, "f1"), {"power": 0.8, "null": 0.7, "alternative": "greater"}),
        ("AUC above a half, few cases", (scores(150), "roc_auc"), {"power": 0.9, "null": 0.5}),
        ("accuracy, two test sets", (two, hs.from_counts([[40, 13], [9, 38]]), "accuracy"), {"power": 0.8}),
        ("accuracy, same cases", (paired(200), "accuracy"), {"power": 0.8}),
        ("accuracy, same cases, few", (paired(200), "accuracy"), {"power": 0.8, "true_value": 0.25}),
        ("F1, same cases", (paired(200), "f1"), {"power": 0.9}),
        ("F1, same cases, in clusters", (paired(240, size=4, together=0.4), "f1"), {"power": 0.8}),
        ("AUC, same cases", (paired_scores(120), "roc_auc"), {"power": 0.8}),
        ("mean of values, same cases, few", (hs.values(values), "mean"), {"power": 0.9}),
        (
            "not worse, same cases",
            (paired(200), "accuracy"),
            {"power": 0.9, "margin": 0.05, "true_value": 0.0, "alternative": "greater"},
        ),
        (
            "equivalent, same cases",
            (paired(200), "accuracy"),
            {"power": 0.8, "margin": 0.06, "true_value": 0.0, "confidence_level": 0.9},
        ),
        ("recall, same cases, rare", (paired(400, rare=0.15), "recall"), {"power": 0.8}),
        ("smallest difference of 300", (paired(200), "accuracy"), {"power": 0.8, "n": 300}),
    ]


def truth_of(given, asked, plan):
    """Return the truth that a plan was made for."""
    *tables, metric = given
    pilot = Pilot.of(tuple(tables), metric, effect=EFFECTS["difference"])
    pilot = in_clusters(pilot, asked.get("cluster_size"), asked.get("icc")).reduced().varies()
    return pilot.moved(plan.true_value) if "true_value" in asked or "n" in asked else pilot


def fresh(truth, plan, seed):
    """Return the mean width, or the share of successes, of fresh studies at the planned number, with its error."""
    level = plan.confidence_level if plan.alternative == "two-sided" else 2 * plan.confidence_level - 1
    goal = Width(1.0, level) if plan.goal == "width" else Shown(0.5, level, plan.regions)
    few = 2 if plan.goal == "width" else 8
    parts = [simulated(truth, [goal], level, plan.n, child_seed(seed, each))[0] for each in range(few)]
    studies = np.array([each.studies for each in parts])
    mean = np.average([each.mean for each in parts], weights=studies)
    return mean, np.sqrt(((np.array([each.error for each in parts]) * studies) ** 2).sum()) / studies.sum()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--first", type=int, default=0)
    first = arguments.parse_args().first
    print("| setting | n | normal alone | asked | reached | error | off | seconds |")
    print("|:---|---:|---:|---:|---:|---:|---:|---:|")
    worst = {"width": 0.0, "power": 0.0}
    for index, (name, given, asked) in list(enumerate(settings()))[first:]:
        start = time.perf_counter()
        plan = hs.plan(*given, **asked)
        seconds = time.perf_counter() - start
        mean, error = fresh(truth_of(given, asked, plan), plan, np.random.SeedSequence([77, index]))
        off = mean / plan.target - 1 if plan.goal == "width" else mean - plan.target
        worst[plan.goal] = max(worst[plan.goal], abs(off))
        print(
            f"| {name} | {plan.n} | {plan.asymptotic:.0f} | {plan.target:g} | {mean:.4f} | {error:.4f} "
            f"| {100 * off:+.1f} {'%' if plan.goal == 'width' else 'points'} | {seconds:.1f} |",
            flush=True,
        )
    print(f"\nAt most {100 * worst['width']:.1f} % of the width and {100 * worst['power']:.1f} points of the chance.")


if __name__ == "__main__":
    main()
