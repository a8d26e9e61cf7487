"""Coverage of 95 % intervals of `corrected` and of `prediction_powered` with known truth, as the guide to label errors has it.

Run ``python benchmarks/label_errors.py [STUDIES]``. Recorded labels are wrong in 5 % of the negative and 12 % of the positive
cases; their rates are known, or measured on 100 cases of each class. Trusted labels are 100 or 300 of 5,000 others that a model
made. Prints two Markdown tables.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import howsure as hs

CELLS = np.array([[0.65, 0.05], [0.06, 0.24]])  # true × predicted
RIGHT = {"sensitivity": 0.88, "specificity": 0.95}  # of the recorded labels
OF_TABLE = ("accuracy", "precision", "recall", "f1", "f1@macro")
OF_TRUSTED = OF_TABLE[:4]
CHECKED = 100


def relabelled(rng: np.random.Generator, truth: np.ndarray, positive: float, negative: float) -> np.ndarray:
    """Return labels that are right at given rates among the positive and the negative cases."""
    return np.where(rng.random(len(truth)) < np.where(truth == 1, positive, negative), truth, 1 - truth)


def limits(table: object, metrics: tuple[str, ...]) -> np.ndarray:
    """Return the limits of each metric."""
    return np.array([(each.low, each.high) for each in hs.evaluate(table, metrics).values()])


def covered(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return how often limits, ``(studies, metrics, 2)``, contain the truth."""
    return np.asarray(((found[..., 0] <= truth) & (truth <= found[..., 1])).mean(0))


def corrections(studies: int) -> None:
    """Print the table of recorded labels, corrected in two ways."""
    rng = np.random.default_rng(0)
    truth = np.array([each.value for each in hs.evaluate(hs.from_counts(np.rint(1e6 * CELLS)), OF_TABLE).values()])
    found = np.empty((3, studies, len(OF_TABLE), 2))
    for study in range(studies):
        true, predicted = np.divmod(rng.choice(4, 500, p=CELLS.ravel()), 2)
        recorded = hs.confusion(relabelled(rng, true, *RIGHT.values()), predicted, labels=[0, 1], check=False)
        checked = {name: (int(rng.binomial(CHECKED, rate)), CHECKED) for name, rate in RIGHT.items()}
        tables = recorded, hs.labels.corrected(recorded, **RIGHT), hs.labels.corrected(recorded, **checked)
        found[:, study] = [limits(table, OF_TABLE) for table in tables]
    print("| 500 cases | true value | recorded labels | corrected, known rates | corrected, 100 + 100 checked |")
    print("|:---|---:|---:|---:|---:|")
    for place, name in enumerate(OF_TABLE):
        shown = " | ".join(f"{covered(each, truth)[place]:.3f}" for each in found)
        print(f"| {name} | {truth[place]:.3f} | {shown} |", flush=True)


def trusted_and_made(studies: int) -> None:
    """Print the table of prediction-powered inference: coverage, its mean width, and that of the trusted cases alone."""
    print("\n| trusted; made labels right; accuracy | `metric=` | " + " | ".join(OF_TRUSTED) + " |")
    print("|:---|:---|" + "---:|" * len(OF_TRUSTED))
    for trusted, made_right, right in ((100, 0.9, 0.85), (100, 0.97, 0.95), (300, 0.9, 0.85), (300, 0.97, 0.95)):
        rng = np.random.default_rng([trusted, round(100 * made_right)])
        cells = np.array([0.7 * right, 0.7 * (1 - right), 0.3 * (1 - right), 0.3 * right]).reshape(2, 2)
        whole = hs.evaluate(hs.from_counts(np.rint(1e6 * cells)), OF_TRUSTED)
        truth = np.array([each.value for each in whole.values()])
        found = np.empty((3, studies, len(OF_TRUSTED), 2))
        for study in range(studies):
            true = (rng.random(5000 + trusted) < 0.3).astype(int)
            made, predicted = relabelled(rng, true, made_right, made_right), relabelled(rng, true, right, right)
            known = np.where(np.arange(len(true)) < trusted, true, np.nan)
            tables = (
                hs.labels.prediction_powered(known, made, predicted),
                hs.labels.prediction_powered(known, made, predicted, metric="f1"),
                hs.confusion(true[:trusted], predicted[:trusted], labels=[0, 1], check=False),
            )
            found[:, study] = [limits(table, OF_TRUSTED) for table in tables]
        width = (found[..., 1] - found[..., 0]).mean(1)
        for place, name in enumerate(("–", '`"f1"`')):
            numbers = zip(covered(found[place], truth), width[place], width[2], strict=True)
            shown = " | ".join(f"{share:.3f} ({own:.3f}, {alone:.3f})" for share, own, alone in numbers)
            print(f"| {trusted}; {made_right:.0%}; {right} | {name} | {shown} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    STUDIES = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    corrections(STUDIES)
    trusted_and_made(STUDIES)
