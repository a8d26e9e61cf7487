"""Plots: each function draws on a given Axes, or on a new one, and returns it.

The colours can be distinguished by colour-blind readers, and markers and line styles distinguish series in print. Text
and frames use Matplotlib's settings, so plots work on light and dark backgrounds. ``pip install "howsure[plots]"``
installs Matplotlib.
"""

from __future__ import annotations

from types import FunctionType
from typing import NoReturn

from howsure.calls import public
from howsure.errors import HowsureError, did_you_mean
from howsure.names import by_word

try:
    import matplotlib as mpl  # noqa: F401 - imported here for a short error message if it is missing
except ImportError:
    raise HowsureError('Plots need Matplotlib: pip install "howsure[plots]".') from None

from howsure.plots.curves import curve
from howsure.plots.decision_curves import decision_curve
from howsure.plots.displays import (
    CalibrationDisplay,
    ConfusionMatrixDisplay,
    PrecisionRecallDisplay,
    RocCurveDisplay,
    ThresholdDisplay,
)
from howsure.plots.dots import differences, intervals
from howsure.plots.estimates import DifferenceDisplay, ForestDisplay, IntervalDisplay, PosteriorDisplay
from howsure.plots.forests import experiments, forest
from howsure.plots.growing import looks
from howsure.plots.heat import confusion_matrix, ranks
from howsure.plots.leaderboards import leaderboard
from howsure.plots.plans import plan
from howsure.plots.posteriors import posterior
from howsure.plots.regions import joint_region
from howsure.plots.reviews import mislabelling_rates, review_plan

__all__ = [
    "CalibrationDisplay",
    "ConfusionMatrixDisplay",
    "DifferenceDisplay",
    "ForestDisplay",
    "IntervalDisplay",
    "PosteriorDisplay",
    "PrecisionRecallDisplay",
    "RocCurveDisplay",
    "ThresholdDisplay",
    "confusion_matrix",
    "curve",
    "decision_curve",
    "differences",
    "experiments",
    "forest",
    "intervals",
    "joint_region",
    "leaderboard",
    "looks",
    "mislabelling_rates",
    "plan",
    "posterior",
    "ranks",
    "review_plan",
]


MEANT = by_word(
    {  # our functions and displays → other names for what they draw
        "RocCurveDisplay": "roc roc_curve plot_roc auc",
        "PrecisionRecallDisplay": "pr pr_curve precision_recall precision_recall_curve",
        "CalibrationDisplay": "calibration calibration_curve calibration_plot reliability reliability_diagram",
        "ThresholdDisplay": "threshold thresholds threshold_curves",
        "intervals": "evaluation estimate estimates metrics errorbar errorbars groups",
        "differences": "comparison comparisons compare compare_all",
        "curve": "det det_curve",
    }
)


def __getattr__(name: str) -> NoReturn:
    if name.startswith("_"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    remedy = f" Use `hs.plots.{MEANT[name]}`." if name in MEANT else did_you_mean(name, __all__)
    raise AttributeError(f"There is no `{__name__}.{name}`.{remedy}")


for _name in __all__:
    if isinstance(globals()[_name], FunctionType):
        globals()[_name] = public(globals()[_name], __name__)


def __dir__() -> list[str]:
    return sorted(__all__)
