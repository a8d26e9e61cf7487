"""Draws the figures of `guide/plots.md`, on a light ground and on a dark one.

Run ``python docs/make_figures.py [FOLDER]``; the folder is ``docs/figures`` by default.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import matplotlib as mpl
from matplotlib import pyplot as plt

import howsure as hs

HERE = Path(__file__).parent
DATA = HERE.parent / "examples" / "breast_cancer.csv"
DIGITS = HERE.parent / "examples" / "digits_matrix.csv"
MODELS = ("logistic", "forest", "naive_bayes")
GROUNDS = {"light": "default", "dark": "dark_background"}


def _table(model: str = "logistic") -> hs.Table:
    return hs.confusion("label", model, data=DATA, labels=["benign", "malignant"])


def _scores(model: str) -> hs.Table:
    return hs.scores("label", f"score_{model}", data=DATA, pos_label="malignant")


def intervals() -> None:
    """Metrics of three models."""
    metrics = ["accuracy", "precision", "recall", "f1", "mcc"]
    hs.plots.intervals({model: hs.evaluate(_table(model), metrics) for model in MODELS})


def posterior() -> None:
    """Draws of one metric, with a range that makes no difference."""
    estimate = hs.estimate(_table(), "recall", method="bayes", random_state=0)
    hs.plots.posterior(estimate, rope=(0.96, 1.0))


def confusion_matrix() -> None:
    """Each cell with its interval."""
    hs.plots.confusion_matrix(hs.confusion("label", "logistic", data=HERE.parent / "examples" / "wine.csv"))


def roc() -> None:
    """Two models on one pair of axes."""
    ax = hs.plots.RocCurveDisplay.from_scores(_scores("forest"), name="forest").ax_
    hs.plots.RocCurveDisplay.from_scores(_scores("naive_bayes"), name="naive Bayes", ax=ax)


def precision_recall() -> None:
    """Draw a band that holds along the whole curve."""
    hs.plots.PrecisionRecallDisplay.from_scores(_scores("forest"), name="forest", band="simultaneous")


def calibration() -> None:
    """Reliability in ten bins."""
    hs.plots.CalibrationDisplay.from_scores(_scores("forest"), name="forest")


def threshold() -> None:
    """Two metrics along the thresholds."""
    ax = hs.plots.ThresholdDisplay.from_scores(_scores("forest"), metric="recall").ax_
    hs.plots.ThresholdDisplay.from_scores(_scores("forest"), metric="precision", ax=ax)


def differences() -> None:
    """Differences from the best model; the limits are invented."""
    found = {
        "logistic − forest": SimpleNamespace(value=0.021, low=0.004, high=0.039, confidence_level=0.95),
        "logistic − naive Bayes": SimpleNamespace(value=0.041, low=0.022, high=0.061, confidence_level=0.95),
        "forest − naive Bayes": SimpleNamespace(value=0.019, low=-0.001, high=0.038, confidence_level=0.95),
    }
    hs.plots.differences(found, rope=(-0.01, 0.01), metric="accuracy")


def forest() -> None:
    """Five folds and what they say together; the pooled values are invented."""
    folds = hs.confusion("label", "naive_bayes", data=DATA, by="fold")
    estimates = {f"fold {fold}": hs.estimate(table, "f1@macro") for fold, table in sorted(folds.items())}
    pooled = SimpleNamespace(
        value=0.936, low=0.912, high=0.954, i2=0.12, tau2=0.0021, prediction_interval=(0.902, 0.961)
    )
    hs.plots.forest(estimates, pooled, metric="f1@macro")


def ranks() -> None:
    """Probability of each rank, from independent draws."""
    drawn = {m: hs.estimate(_table(m), "f1@macro", method="bayes", random_state=i) for i, m in enumerate(MODELS)}
    hs.plots.ranks(hs.ranks(drawn))


def review_plan() -> None:
    """How a budget of reviews is split; the numbers are invented."""
    plan = SimpleNamespace(labels=["benign", "malignant"], reviews=[[20, 35], [60, 85]])
    hs.plots.review_plan(plan)


FIGURES: tuple[Callable[[], None], ...] = (
    intervals,
    posterior,
    confusion_matrix,
    roc,
    precision_recall,
    calibration,
    threshold,
    differences,
    forest,
    ranks,
    review_plan,
)


def main(folder: Path) -> None:
    """Write each figure on both grounds."""
    mpl.use("Agg")
    folder.mkdir(exist_ok=True)
    for ground, style in GROUNDS.items():
        with plt.style.context([style, {"figure.figsize": (6.0, 4.0)}]):
            for figure in FIGURES:
                figure()
                plt.savefig(
                    folder / f"{figure.__name__}_{ground}.png", dpi=80, bbox_inches="tight", metadata={"Software": None}
                )
                plt.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "figures")
