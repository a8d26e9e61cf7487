"""Draws the figures of `guide/plots.md`, on a light ground and on a dark one.

Run ``python docs/make_figures.py [FOLDER]``; the folder is ``docs/figures`` by default.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

import howsure as hs

HERE = Path(__file__).parent
DATA = HERE.parent / "examples" / "breast_cancer.csv"
DIGITS = HERE.parent / "examples" / "digits_matrix.csv"
CALIBRATED = runpy.run_path(str(HERE.parent / "examples" / "calibrated_scores.py"))  # an example with two pictures
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


def _paired() -> hs.Table:
    return hs.paired("label", list(MODELS), data=DATA)


def differences() -> None:
    """All pairs of models, with intervals that hold together."""
    found = hs.compare_all(_paired(), "f1", correction="max_t", random_state=0)
    hs.plots.differences(found, rope=(-0.01, 0.01))


def forest() -> None:
    """Five folds and what they say together."""
    study = hs.Study(seed=0)
    for fold, table in sorted(hs.confusion("label", "naive_bayes", data=DATA, by="fold").items()):
        study.add(f"naive Bayes/fold {fold}", table)
    study.add_metric("f1@macro", aggregation="reml_knha")
    hs.plots.forest(study.aggregate("f1@macro")["naive Bayes"], metric="f1@macro")


def ranks() -> None:
    """Probability of each rank, from joint draws."""
    drawn = hs.evaluate_models(_paired(), "f1@macro", method="bayes", random_state=0)
    hs.plots.ranks(hs.ranks({model: each["f1@macro"] for model, each in drawn.items()}))


def review_plan() -> None:
    """How a budget of reviews is split."""
    hs.plots.review_plan(hs.labels.review_plan(_table("naive_bayes"), "f1", budget=200))


def calibrated_by_way() -> None:
    """Metrics of a calibrated classifier, a column for each way to compute them."""
    CALIBRATED["draw_by_way"](_calibrated())


def calibrated_by_metric() -> None:
    """Draw a row for each metric of the same."""
    CALIBRATED["draw_by_metric"](_calibrated())


@cache
def _calibrated() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = CALIBRATED["experiment"]()
    return found


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
    calibrated_by_way,
    calibrated_by_metric,
)


def main(folder: Path) -> None:
    """Write each figure on both grounds."""
    mpl.use("Agg")
    folder.mkdir(exist_ok=True)
    for ground, style in GROUNDS.items():
        with plt.style.context(style):
            for figure in FIGURES:
                figure()
                plt.savefig(
                    folder / f"{figure.__name__}_{ground}.png",
                    dpi=80,
                    metadata={"Software": f"Matplotlib {mpl.__version__}"},
                )
                plt.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "figures")
