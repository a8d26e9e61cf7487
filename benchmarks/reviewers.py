"""Decision curves, requirements, calibration and gaps between groups: what reviewers ask for.

Run ``python benchmarks/reviewers.py [SECTION …]``; sections are decisions, requirements, recalibration and groups.
``benchmarks/speed.py`` runs them too. dcurves and Fairlearn are measured if they are installed.
"""

from __future__ import annotations

import sys
import warnings
from functools import partial
from typing import Any

import numpy as np
from measure import duration, figure, in_turn, quickest, run
from scipy import special

import howsure as hs
from howsure.decisions.limits import NONE, limits_of
from howsure.decisions.sample import Sample

POINTS = np.arange(1, 100) / 100


def risks(size: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return classes, and the calibrated risks of two models."""
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=(2, size))
    risk = special.expit(-1 + 1.5 * normal[0] + 0.7 * normal[1])
    return rng.random(size) < risk, risk, special.expit(-1 + 1.5 * normal[0])


def decisions() -> None:
    """Decision curves of risks."""
    for size in (1_000, 100_000):
        truth, first, second = risks(size)

        def both_bands(truth: Any = truth, first: Any = first) -> Any:
            return hs.decision_curve(truth, first, thresholds=POINTS, random_state=0)["model"].simultaneous_low

        def apart(truth: Any = truth, first: Any = first, second: Any = second) -> Any:
            curve = hs.decision_curve(truth, {"A": first, "B": second}, thresholds=POINTS, random_state=0)
            return curve.difference("A", "B").simultaneous_low

        def values(truth: Any = truth, first: Any = first) -> Any:
            return hs.decision_curve(truth, first, thresholds=POINTS, random_state=0).best

        words = f"99 thresholds, {size:,} cases"
        with_dcurves(f"net benefit without bands, {words}", values, truth, first)
        figure(f"net benefit with both bands, {words}", duration(quickest(both_bands, 3)), "2 s")
        figure(f"difference of two models with both bands, {words}", duration(quickest(apart, 3)), "4 s")
    one_by_one()


def one_by_one() -> None:
    """Time the pointwise limits at 500 thresholds against an estimate at each of them."""
    truth, risk, _ = risks(5_000)
    points = np.linspace(0.01, 0.99, 500)
    table, specs = hs.scores(truth, risk), [f"net_benefit+threshold={each!r}" for each in points.tolist()]
    sample = Sample.of(table, points, np.nan)

    def together() -> Any:
        return limits_of(table, sample, ("model", NONE), np.random.SeedSequence(0))(0.95)

    words = "pointwise limits of net benefit at 500 thresholds, 5,000 cases"
    in_turn(words, together, lambda: [hs.estimate(table, each) for each in specs], "one by one", 5)


def with_dcurves(job: str, ours: Any, truth: np.ndarray, risk: np.ndarray) -> None:
    """Time a decision curve without bands against dcurves, or alone if that is not installed."""
    try:
        import dcurves
        import pandas as pd
    except ImportError:
        figure(job, duration(quickest(ours, 3)), "100 ms")
        return
    data = pd.DataFrame({"y": truth, "risk": risk})
    in_turn(
        job, ours, lambda: dcurves.dca(data=data, outcome="y", modelnames=["risk"], thresholds=POINTS), "dcurves", 1
    )


def requirements() -> None:
    """Requirements and certified thresholds."""
    truth, risk, _ = risks(10_000)
    table, scores = hs.confusion(truth, risk > 0.3), hs.scores(truth, risk)
    clusters = hs.scores(truth[:2_000], risk[:2_000], groups=np.arange(2_000) // 5)
    jobs = {
        "joint test of two requirements, 10,000 cases": (
            lambda: hs.joint_test(table, ["sensitivity>0.7", "specificity>0.7"]),
            "10 ms",
        ),
        "joint region of two metrics, 10,000 cases": (
            lambda: hs.joint_region(table, "sensitivity", "specificity"),
            "100 ms",
        ),
        "certified threshold, recall, 10,000 cases": (lambda: hs.certified_threshold(scores, "recall>0.9"), "100 ms"),
        "certified threshold, F1, 10,000 cases": (lambda: hs.certified_threshold(scores, "f1>0.5"), "200 ms"),
        "certified threshold, recall, 2,000 cases in clusters of 5": (
            lambda: hs.certified_threshold(clusters, "recall>0.9"),
            "2 s",
        ),
    }
    for name, (job, aim) in jobs.items():
        figure(name, duration(quickest(job, 3)), aim)


def recalibration() -> None:
    """Calibration slope, O:E and distances of the calibration curve, with intervals."""
    from statsmodels.api import GLM, add_constant, families

    for size in (1_000, 100_000):
        truth, risk, _ = risks(size)

        def with_glm(truth: Any = truth, risk: Any = risk) -> Any:
            features = add_constant(special.logit(risk))
            return GLM(truth * 1.0, features, families.Binomial()).fit(cov_type="HC0").conf_int()

        ours = partial(lambda truth, risk: hs.estimate(hs.scores(truth, risk), "calibration_slope"), truth, risk)
        in_turn(f"calibration slope with interval, {size:,} cases", ours, with_glm, "statsmodels", 1)
        for metric, aim in (("observed_expected", "100 ms"), ("ici", "2 s")):
            job = partial(lambda truth, risk, name: hs.estimate(hs.scores(truth, risk), name), truth, risk, metric)
            figure(f"{metric} with interval, {size:,} cases", duration(quickest(job, 3)), aim)


def groups() -> None:
    """Gaps between groups, from the labels."""
    rng = np.random.default_rng(0)
    for number, size in ((5, 10_000), (20, 1_000_000)):
        truth = rng.integers(0, 2, size)
        predicted = np.where(rng.random(size) < 0.85, truth, 1 - truth)
        group = rng.integers(0, number, size)

        def job(truth: Any = truth, predicted: Any = predicted, group: Any = group) -> Any:
            return hs.gaps(hs.confusion(truth, predicted, by=group), "equalized_odds", random_state=0)

        words = f"equalised odds, {number} groups, {size:,} cases"
        figure(words, duration(quickest(job, 3)), "1 s")
        with_fairlearn(f"{words}, against the values of 100 resamples (scaled)", job, truth, predicted, group)


def with_fairlearn(job: str, ours: Any, truth: np.ndarray, predicted: np.ndarray, group: np.ndarray) -> None:
    """Time gaps against the bootstrap of Fairlearn's `MetricFrame`, if it is installed."""
    try:
        from fairlearn.metrics import MetricFrame, false_positive_rate, true_positive_rate
    except ImportError:
        return
    rates = {"recall": true_positive_rate, "fpr": false_positive_rate}
    settings: dict[str, Any] = {"n_boot": 100, "ci_quantiles": [0.025, 0.975]}
    peer = partial(
        MetricFrame, metrics=rates, y_true=truth, y_pred=predicted, sensitive_features=group, random_state=0, **settings
    )
    in_turn(job, ours, peer, "Fairlearn", 1)


SECTIONS = {"decisions": decisions, "requirements": requirements, "recalibration": recalibration, "groups": groups}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    run(SECTIONS, sys.argv[1:])
