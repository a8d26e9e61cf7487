"""Times 20 models × 10 metrics × 10,000 joint resamples of 100,000 cases, and checks the target of 5 s on two cores.

Run: python benchmarks/comparing.py [classes …]. Wall-clock seconds need an otherwise idle machine; processor seconds
divided by the number of cores do not. Every case is drawn once per resample for all models. The cost is therefore
proportional to cases × resamples, and grows with models and classes by the matrix product that adds up the weights.
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np

import howsure as hs

CASES, MODELS, DRAWS, TARGET = 100_000, 20, 10_000, 5.0
METRICS = (
    "accuracy",
    "balanced_accuracy",
    "precision@macro",
    "recall@macro",
    "f1@macro",
    "specificity@macro",
    "mcc",
    "kappa",
    "jaccard@macro",
    "f1@weighted",
)


def table(classes: int) -> hs.Table:
    """Return the paired table of models that tend to fail on the same cases."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, CASES)
    hard = rng.random(CASES)
    said = {}
    for model in range(MODELS):
        right = (hard + rng.random(CASES)) / 2 < 0.6 + 0.01 * model
        said[f"model_{model}"] = np.where(right, truth, (truth + rng.integers(1, classes, CASES)) % classes)
    return hs.paired(truth, said)


def main() -> int:
    """Print the times; return 1 where the target is missed."""
    missed = 0
    cores = min(os.cpu_count() or 1, 2)
    for classes in [int(word) for word in sys.argv[1:]] or [2, 3, 5]:
        joint = table(classes)
        started, used = time.perf_counter(), time.process_time()
        hs.evaluate_models(joint, METRICS, method=hs.methods.Bootstrap(n_resamples=DRAWS), random_state=0)
        clock, busy = time.perf_counter() - started, time.process_time() - used
        ratio = busy / cores / TARGET
        print(
            f"K = {classes}: {joint.counts.size:6,} cells {clock:6.1f} s  {busy:6.1f} s of processor   "
            f"{ratio:.2f} of the target"
        )
        missed |= ratio > 1
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
