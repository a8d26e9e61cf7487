"""Coverage of the default intervals of O:E, calibration slope and intercept, in simulated validation studies.

``python benchmarks/recalibration.py [REPEATS]`` prints the coverage in per cent of 95 % intervals, and in how many
samples the slope is undefined because the scores separate the classes. The linear predictor of the scores is normal;
the true logit is ``intercept + slope * predictor``.

``python benchmarks/recalibration.py distances [REPEATS]`` prints that of the distances of a smooth calibration curve
from the scores, and their mean beside the true value. The true maximum is that over the sample's scores.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy import special

import howsure as hs

METRICS = ("observed_expected", "calibration_slope", "calibration_intercept", "calibration_intercept+slope=free")
SIZES = (50, 100, 200, 500, 2000)
SLOPES = (1.0, 0.7, 1.3)
PREDICTORS = ((0.0, 1.5), (-2.0, 1.0))  # mean and standard deviation: prevalences near 1/2 and 1/6
CALIBRATED_ONLY = {"calibration_intercept"}  # its true value needs an integral for other slopes
NODES = np.polynomial.hermite_e.hermegauss(80)


def truths(mean: float, deviation: float, slope: float, intercept: float) -> tuple[float, ...]:
    """Return the true values of the metrics, by quadrature and Newton's method."""
    predictor, weights = mean + deviation * NODES[0], NODES[1] / NODES[1].sum()
    true, said = special.expit(intercept + slope * predictor), special.expit(predictor)
    level = 0.0
    for _ in range(100):
        share = special.expit(level + predictor)
        level += weights @ (true - share) / (weights @ (share * (1 - share)))
    return float(weights @ true / (weights @ said)), slope, level, intercept


def main(repeats: int = 1000) -> None:
    """Print a table of coverages."""
    print("mean sd slope n | " + " ".join(f"{each:>34}" for each in METRICS) + " | undefined slopes")
    for mean, deviation in PREDICTORS:
        for slope in SLOPES:
            for size in SIZES:
                rng = np.random.default_rng([size, int(10 * slope), int(10 * deviation)])
                true = truths(mean, deviation, slope, 0.2)
                covered, defined = np.zeros(len(METRICS)), np.zeros(len(METRICS))
                for _ in range(repeats):
                    predictor = rng.normal(mean, deviation, size)
                    label = rng.random(size) < special.expit(0.2 + slope * predictor)
                    if not 0 < label.sum() < size:
                        continue
                    found = hs.evaluate(hs.scores(label, special.expit(predictor)), list(METRICS))
                    for place, (each, value) in enumerate(zip(found.values(), true, strict=True)):
                        defined[place] += np.isfinite(each.value)
                        covered[place] += each.low <= value <= each.high
                shares = " ".join(f"{100 * one / all_:34.1f}" for one, all_ in zip(covered, defined, strict=True))
                print(
                    f"{mean:4g} {deviation:g} {slope:g} {size:5d} | {shares} | {repeats - int(defined[1])}", flush=True
                )


def distances(repeats: int = 100) -> None:
    """Print a table of coverages of ICI, E50, E90 and the maximum."""
    names = ("ici", "e50", "e90", "e_max", "ici+curve=logistic")
    print("| mean, sd | slope, intercept | n | " + " | ".join(names) + " | mean, true ICI |\n" + "| --- " * 9 + "|")
    for mean, deviation in PREDICTORS:
        for slope, intercept in ((1.0, 0.0), (0.7, 0.2), (0.5, 0.0)):
            for size in (100, 300, 1000):
                rng = np.random.default_rng([size, int(10 * slope), int(10 * deviation)])
                many = np.random.default_rng(0).normal(mean, deviation, 10**6)
                gaps = np.abs(special.expit(intercept + slope * many) - special.expit(many))
                true = [gaps.mean(), *np.quantile(gaps, (0.5, 0.9)), np.nan, gaps.mean()]
                covered, defined, total = np.zeros(len(names)), 0, 0.0
                for _ in range(repeats):
                    predictor = rng.normal(mean, deviation, size)
                    likely = special.expit(intercept + slope * predictor)
                    true[3] = np.abs(likely - special.expit(predictor)).max()
                    table = hs.scores(rng.random(size) < likely, special.expit(predictor), pos_label=True)
                    found = [*hs.evaluate(table, list(names)).values()]
                    if np.isfinite([float(each) for each in found]).all():
                        defined, total = defined + 1, total + float(found[0])
                        covered += [each.low <= value <= each.high for each, value in zip(found, true, strict=True)]
                shares = " | ".join(f"{each / defined:.3f}" for each in covered)
                means = f"{total / defined:.3f}, {true[0]:.3f}"
                print(f"| {mean:g}, {deviation} | {slope}, {intercept} | {size} | {shares} | {means} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["distances"]:
        distances(*map(int, sys.argv[2:]))
    else:
        main(*map(int, sys.argv[1:]))
