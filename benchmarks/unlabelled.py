"""Metrics without labels against NannyML's CBPE: error and time, measured in one run.

Run ``python benchmarks/unlabelled.py PYTHON``, where PYTHON is an interpreter that has nannyml, in a separate
environment, because it needs other versions of common packages. The data are 10⁶ unlabelled cases in 10 chunks, with
miscalibrated scores, a calibration on a labelled sample, and accuracy, precision, recall and F1 of each chunk.

CBPE estimates at the one threshold of the predictions; several thresholds need as many runs, of which three are timed.
Howsure evaluates every distinct score.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import howsure as hs

CASES, CHUNKS = 1_000_000, 10
THRESHOLDS = (0.3, 0.5, 0.7)
METRICS = ("accuracy", "precision", "recall", "f1")
GRID = 99  # thresholds 0.01 … 0.99, over which CBPE would have to be run for a curve
PEER = """
import sys, time, warnings, logging
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
import numpy as np, pandas as pd, nannyml
data = np.load(sys.argv[1])
found, seconds = [], []
for threshold in data["thresholds"]:
    reference = pd.DataFrame({"s": data["score"], "y": data["label"].astype(int)})
    analysis = pd.DataFrame({"s": data["unlabelled"]})
    for frame in (reference, analysis):
        frame["p"] = (frame["s"] >= threshold).astype(int)
    start = time.perf_counter()
    peer = nannyml.CBPE(metrics=list(data["metrics"]), y_pred_proba="s", y_pred="p", y_true="y",
        problem_type="classification_binary", chunk_size=int(data["size"]))
    result = peer.fit(reference).estimate(analysis)
    seconds.append(time.perf_counter() - start)
    frame = result.filter(period="analysis").to_df()
    found.append([frame[(metric, "value")].to_numpy(float) for metric in data["metrics"]])
np.savez(sys.argv[2], found=found, seconds=seconds)
"""


def cases(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return scores that are too extreme, and labels."""
    probability = rng.beta(0.8, 1.4, rows)
    odds = (probability / (1 - probability)) ** 1.6
    return odds / (1 + odds), rng.random(rows) < probability


def peer(python: str, score, label, unlabelled) -> tuple[np.ndarray, np.ndarray]:
    """Return CBPE's values, thresholds × metrics × chunks, and the seconds of each threshold."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = (str(Path(folder) / name) for name in ("given.npz", "made.npz"))
        np.savez(
            given,
            score=score,
            label=label,
            unlabelled=unlabelled,
            thresholds=THRESHOLDS,
            metrics=METRICS,
            size=len(unlabelled) // CHUNKS,
        )
        subprocess.run([python, "-c", PEER, given, made], check=True, env={})
        found = np.load(made)
        return found["found"], found["seconds"]


def ours(method: str, score, label, unlabelled) -> tuple[np.ndarray, float]:
    """Return our values at the thresholds, in the same shape, and the seconds for all thresholds."""
    start = time.perf_counter()
    calibrator = hs.calibrate(score, label, method=method, random_state=0)
    curves = [
        hs.threshold_curves(hs.calibrated(chunk, calibrator=calibrator), list(METRICS), band="none")
        for chunk in np.split(unlabelled, CHUNKS)
    ]
    took = time.perf_counter() - start
    place = [
        len(curve["f1"]["threshold"]) - np.searchsorted(curve["f1"]["threshold"][::-1], THRESHOLDS) - 1
        for curve in curves
    ]
    values = np.array(
        [[curve[metric]["value"][at] for curve, at in zip(curves, place, strict=True)] for metric in METRICS]
    )
    return values.transpose(2, 0, 1), took


def truth(labels, unlabelled) -> np.ndarray:
    """Return the metrics of the hidden labels, in the same shape."""
    tables = [hs.scores(y, s) for y, s in zip(np.split(labels, CHUNKS), np.split(unlabelled, CHUNKS), strict=True)]
    return np.array(
        [[[hs.evaluate(table.at(t), METRICS)[m].value for table in tables] for m in METRICS] for t in THRESHOLDS]
    )


def main(python: str) -> None:
    """Print mean absolute errors over chunks, thresholds and metrics, and the ratios of times."""
    for labelled in (500, 20_000):
        rng = np.random.default_rng(labelled)
        score, label = cases(rng, labelled)
        unlabelled, hidden = cases(rng, CASES)
        true = truth(hidden, unlabelled)
        theirs, seconds = peer(python, score, label, unlabelled)
        print(
            f"{labelled:,} labelled, {CASES:,} unlabelled: CBPE error {np.abs(theirs - true).mean():.5f}, {seconds.mean():.2f} s a threshold"
        )
        for method in ("beta", "isotonic"):
            values, took = ours(method, score, label, unlabelled)
            print(
                f"    howsure {method:<9} error {np.abs(values - true).mean():.5f}, {took:.2f} s for all {CASES:,} thresholds; "
                f"CBPE takes {seconds.mean() / took:.1f}× that for one, {GRID * seconds.mean() / took:.0f}× for {GRID} (aim 50×)"
            )
    errors = {"CBPE's formula": [], "beta": [], "isotonic": []}
    for seed in range(30):
        rng = np.random.default_rng(seed)
        (score, label), (unlabelled, hidden) = cases(rng, 500), cases(rng, 20_000)
        true = truth(hidden, unlabelled)
        errors["CBPE's formula"].append(np.abs(literal(score, label, unlabelled) - true).mean())
        for method in ("beta", "isotonic"):
            errors[method].append(np.abs(ours(method, score, label, unlabelled)[0] - true).mean())
    for name, each in errors.items():
        print(f"500 labelled, 30 repetitions: {name:<15} error {np.mean(each):.5f} ± {np.std(each) / np.sqrt(30):.5f}")


def literal(score, label, unlabelled) -> np.ndarray:
    """Return CBPE's values by its formula: expected counts of isotonic probabilities, fitted to the reference."""
    from sklearn.isotonic import IsotonicRegression

    model = IsotonicRegression(out_of_bounds="clip").fit(score, label)
    found = []
    for threshold in THRESHOLDS:
        chunks = []
        for chunk in np.split(unlabelled, CHUNKS):
            share, positive = model.predict(chunk), chunk >= threshold
            tp, fp = share[positive].sum(), (1 - share[positive]).sum()
            fn, tn = share[~positive].sum(), (1 - share[~positive]).sum()
            chunks.append(((tp + tn) / len(chunk), tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn)))
        found.append(np.transpose(chunks))
    return np.array(found)


if __name__ == "__main__":
    main(sys.argv[1])
