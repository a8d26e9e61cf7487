"""Displays with the interface of scikit-learn: made from predictions or from an estimator, drawn again by ``plot``."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from matplotlib.axes import Axes

from howsure.curves.calibration import calibration_curve
from howsure.curves.curves import Curve, precision_recall_curve, roc_curve
from howsure.curves.thresholds import threshold_curves
from howsure.errors import HowsureError
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate
from howsure.plots.curves import curve as draw_curve
from howsure.plots.heat import confusion_matrix
from howsure.plots.series import by_series, joined
from howsure.sources.confusion import confusion
from howsure.sources.scores import scores
from howsure.tables.batch import Tables
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table


def _along_thresholds(table: ScoresTable, *, metric: str = "f1", **settings: Any) -> Curve:
    return next(iter(threshold_curves(table, metric, **settings).values()))


@dataclass(slots=True, eq=False, repr=False)
class CurveDisplay(ABC):
    """A curve with its band, a summary metric if there is one, and the axes of the last plot.

    Parameters
    ----------
    curve : Curve
        The curve; for groups, that of all cases.
    name : str
        Name in the legend.
    summary : Estimate, optional
        The area under the curve.
    groups : tuple of displays
        Displays of the groups, drawn on the same axes.

    Attributes
    ----------
    ax_, figure_, line_
        Axes, figure and line of the last plot.
    """

    curve: Curve
    name: str = ""
    summary: Estimate | None = None
    groups: tuple[CurveDisplay, ...] = ()
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)
    line_: Any = field(default=None, init=False, repr=False)
    curve_of: ClassVar[Callable[..., Any]]  # function from a table of scores to the curve
    area: ClassVar[tuple[str, str] | None] = None  # summary metric, and its short name

    def __repr__(self) -> str:
        summed = "" if self.summary is None or self.area is None else f" {self.area[1]} {self.summary},"
        return f"<{type(self).__name__}:{summed} {len(self.curve.x):,} points>"

    @classmethod
    def from_scores(
        cls, table: ScoresTable | Tables[ScoresTable], *, name: str = "", ax: Axes | None = None, **settings: object
    ) -> Self:
        """Draw the curve of a table of scores, or those of all cases and of each group.

        Parameters
        ----------
        table : ScoresTable or Tables
            Table made by `scores`.
        name : str
            Name in the legend.
        ax : matplotlib Axes, optional
            Axes to draw on; by default new axes.
        **settings
            Arguments of the curve's function, such as ``band`` and ``confidence_level``.
        """
        first, *groups = (cls._of(each, joined(name, group), settings) for group, each in by_series(table).items())
        return replace(first, groups=tuple(groups)).plot(ax)

    @classmethod
    def _of(cls, table: ScoresTable, name: str, settings: dict[str, Any]) -> Self:
        found = cls.curve_of(table, **settings)
        if cls.area is None:
            return cls(found, name)
        return cls(found, name, estimate(table, cls.area[0], confidence_level=found.confidence_level))

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        data: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        by: Any = None,
        name: str = "",
        ax: Axes | None = None,
        **settings: Any,
    ) -> Self:
        """Draw the curve of labels and scores; see `scores` and `from_scores` for the arguments."""
        cases = {"data": data, "pos_label": pos_label, "sample_weight": sample_weight, "groups": groups, "by": by}
        table = scores(y_true, y_score, **cases)
        return cls.from_scores(table, name=name, ax=ax, **settings)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: object,  # noqa: N803 - scikit-learn's name
        y: Any,
        *,
        pos_label: Any = None,
        name: str = "",
        **settings: Any,
    ) -> Self:
        """Draw the curve of a fitted binary classifier on held-out cases."""
        positive = estimator.classes_[-1] if pos_label is None else pos_label
        score = scores_of(estimator, X, positive)
        shown = name or type(estimator).__name__
        return cls.from_predictions(y, score, pos_label=positive, name=shown, **settings)

    def plot(self, ax: Axes | None = None, *, name: str = "") -> Self:
        """Draw on the given axes, or on new ones."""
        label = name or self.name
        if self.area is not None and self.summary is not None:
            label = f"{label}: {self.area[1]} {self.summary}" if label else f"{self.area[1]} {self.summary}"
        self.ax_ = draw_curve(self.curve, name=label, ax=ax)
        self.figure_ = self.ax_.figure
        self.line_ = self.ax_.lines[-1]
        for each in self.groups:
            each.plot(self.ax_)
        return self


class RocCurveDisplay(CurveDisplay):
    """ROC curve with its band, and the area under the curve.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.9])
    >>> display = hs.plots.RocCurveDisplay.from_scores(table, name="forest")
    >>> round(float(display.summary), 3), display.ax_.get_xlabel().splitlines()[0]
    (0.889, 'false positive rate')
    """

    __slots__ = ()
    curve_of = staticmethod(roc_curve)
    area = ("roc_auc", "AUC")


class PrecisionRecallDisplay(CurveDisplay):
    """Precision–recall curve with its band, and the average precision.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.9])
    >>> display = hs.plots.PrecisionRecallDisplay.from_scores(table, band="none")
    >>> round(float(display.summary), 3), display.ax_.get_ylabel()
    (0.917, 'precision')
    """

    __slots__ = ()
    curve_of = staticmethod(precision_recall_curve)
    area = ("average_precision", "AP")


class CalibrationDisplay(CurveDisplay):
    """Reliability diagram with an interval in each bin.

    Examples
    --------
    >>> import howsure as hs
    >>> display = hs.plots.CalibrationDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8], bins=2)
    >>> display.ax_.get_ylabel()
    'share of positive cases'
    """

    __slots__ = ()
    curve_of = staticmethod(calibration_curve)


class ThresholdDisplay(CurveDisplay):
    """A metric as a function of the threshold, with its band.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.9])
    >>> display = hs.plots.ThresholdDisplay.from_scores(table, metric="recall")
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['recall']
    """

    __slots__ = ()
    curve_of = staticmethod(_along_thresholds)


@dataclass(slots=True, eq=False, repr=False)
class ConfusionMatrixDisplay:
    """A confusion matrix with an interval in each cell; for groups, one panel each after that of all cases.

    Parameters
    ----------
    table : Table or Tables
        The confusion table, or those of groups.
    confidence_level : float
        Confidence level of the interval in each cell.

    Examples
    --------
    >>> import howsure as hs
    >>> display = hs.plots.ConfusionMatrixDisplay.from_predictions([0, 1, 1, 0], [0, 1, 0, 0])
    >>> display.ax_.get_xlabel().splitlines()[0], display.ax_.get_ylabel()
    ('predicted class', 'true class')
    """

    table: Table | Tables[Any]
    confidence_level: float = 0.95
    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.table!r}>"

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, confidence_level: float = 0.95, ax: Axes | None = None, **columns: Any
    ) -> Self:
        """Draw the matrix of true and predicted labels; see `confusion` for further arguments."""
        return cls(confusion(y_true, y_pred, **columns), confidence_level).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **settings: Any) -> Self:  # noqa: N803 - scikit-learn's name
        """Draw the matrix of a fitted classifier on held-out cases."""
        return cls.from_predictions(y, estimator.predict(X), **settings)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, or on new ones; for groups, ``ax_`` is a dict of axes by name."""
        self.ax_ = confusion_matrix(self.table, confidence_level=self.confidence_level, ax=ax)
        first = next(iter(self.ax_.values())) if isinstance(self.ax_, dict) else self.ax_
        self.figure_ = first.figure
        return self


def scores_of(estimator: Any, X: Any, positive: object) -> Any:  # noqa: N803 - scikit-learn's name
    """Return a fitted classifier's score of the positive class: its probability, or its decision function."""
    classes = np.asarray(estimator.classes_).tolist()
    if len(classes) != 2:
        raise HowsureError(
            f"The estimator has {len(classes)} classes; a curve needs two. Give the scores of one class."
        )
    if positive not in classes:
        raise HowsureError.unknown("class", str(positive), [str(each) for each in classes])
    index = classes.index(positive)
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X))[:, index]
    score = np.asarray(estimator.decision_function(X))
    return score if index == 1 else -score
