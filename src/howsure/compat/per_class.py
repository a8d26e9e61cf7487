"""scikit-learn's metrics of one class, or averaged over classes: precision, recall, F1 and their kin."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Unpack, cast, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.compat.keywords import SAMPLES, AverageName, Keywords, Settings, listed, with_keywords
from howsure.errors import HowsureError
from howsure.estimates.estimate import Estimate
from howsure.metrics.averages import canonical_average
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec, parse
from howsure.tables.table import Table

Array = NDArray[Any]
ZeroDivision = Literal["warn"] | float
Result = Estimate | list[Estimate]
STACK_LEVEL = 5  # frames between a warning and the call that it is about

PARAMETERS = """
y_true, y_pred : array-like of shape (n,) or (n, L), or str
    True and predicted label of each case, of any type; or indicator arrays of L labels (multilabel); or, with
    ``data``, the names of their columns.
average : {"binary", "macro", "micro", "weighted", "geometric", "harmonic", "min", "max"} or None
    ``"binary"`` looks at the class ``pos_label``, the others average over the classes; None gives a list with one
    estimate per class. The package ``confidenceinterval`` has ``"micro"`` by default.
labels : array-like, optional
    Classes to average over, or to list; all that occur by default. Cases of other classes still count as errors.
pos_label : object
    The class of ``average="binary"``.
zero_division : {"warn"} or float
    Value of a class on which the metric is undefined: a number, nan (left out of averages), or ``"warn"`` (0, with
    a warning).
"""
RETURNS = """
Estimate or list of Estimate
    The value with its interval; with ``average=None`` a list with one per class.
"""


class UndefinedMetricWarning(UserWarning):
    """A metric is undefined on a class, and counts as 0 for scikit-learn's sake."""


class ClassScore(Protocol):
    """A function of true and predicted labels: the value of one class, or an average over classes."""

    __name__: str

    @overload
    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        average: None,
        labels: ArrayLike | None = ...,
        pos_label: Any = ...,
        zero_division: ZeroDivision = ...,
        **keywords: Unpack[Keywords],
    ) -> list[Estimate]: ...

    @overload
    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        average: AverageName = ...,
        labels: ArrayLike | None = ...,
        pos_label: Any = ...,
        zero_division: ZeroDivision = ...,
        **keywords: Unpack[Keywords],
    ) -> Estimate: ...


@final
@dataclass(frozen=True, slots=True)
class _Classes:
    """Which classes are asked for, and what an undefined one counts."""

    average: str | None
    labels: ArrayLike | None
    positive: Any
    zero_division: ZeroDivision

    def score(self, spec: Spec, y_true: Any, y_pred: Any, settings: Settings) -> Result:
        """Return the estimate, or the list of them."""
        filling = self._filling()
        also = None if self.average == "binary" else self.labels
        table = settings.table(y_true, y_pred, also=also, positive=self.positive)
        metrics = self._metrics(spec, table)
        found = settings.estimates(table, metrics)
        if any(each.reason for each in found) and (undefined := _undefined(metrics, table)).any():
            if self.zero_division == "warn":
                _warn(spec, undefined)
            if not np.isnan(filling):
                found = settings.estimates(table, self._metrics(replace(spec, zero_division=filling), table))
        return found if self.average is None else found[0]

    def _filling(self) -> float:
        try:
            return 0.0 if self.zero_division == "warn" else float(self.zero_division)
        except (TypeError, ValueError):
            message = f"`zero_division` is 'warn', a number or nan, not {self.zero_division!r}."
            raise HowsureError(message) from None

    def _metrics(self, spec: Spec, table: Table) -> list[Metric]:
        if self.average == "binary":
            return [one_class(spec, _positive(table, self.positive), table)]
        chosen = None if self.labels is None else [table.position(label) for label in listed(self.labels)]
        if self.average is None:
            return [one_class(spec, table.labels[i], table) for i in chosen or range(len(table.labels))]
        if self.average == "samples":
            raise HowsureError(SAMPLES)
        return [resolve(replace(spec, average=canonical_average(self.average)), table, classes=chosen)]


def one_class(spec: Spec, label: object, table: Table) -> Metric:
    """Return a metric of one class against the rest."""
    return resolve(replace(spec, average="binary", positive_class=str(label)), table)


def _positive(table: Table, pos_label: Any) -> Any:
    labels = table.labels.tolist()
    if len(labels) > 2 or not table.has_one_label_per_case:
        message = (
            f"average='binary' looks at one of two classes, and there are {len(labels)}. "
            "Choose average='macro', 'micro' or 'weighted'."
        )
        raise HowsureError(message)
    if pos_label not in labels:
        raise HowsureError.unknown("class (`pos_label`)", str(pos_label), labels)
    return labels[labels.index(pos_label)]  # as the table writes it: 1 is True, and 1.0 is 1


def _undefined(metrics: Sequence[Metric], table: Table) -> Array:
    """Return for each class that is looked at whether the metric is undefined there."""
    values = [(metric.per_class or metric)(table.counted) for metric in metrics]
    return np.concatenate([np.atleast_1d(np.isnan(each)) for each in values])


def _warn(spec: Spec, undefined: Array) -> None:
    warnings.warn(
        f"`{spec.definition.name}` is undefined on {int(undefined.sum())} of {len(undefined)} classes, and counts "
        "as 0 there as in scikit-learn. Set `zero_division` to 0, 1 or nan to choose.",
        UndefinedMetricWarning,
        stacklevel=STACK_LEVEL,
    )


def _function(name: str, metric: str, words: str, example: str) -> ClassScore:
    """Return scikit-learn's function of a metric; ``example`` is what it prints in its docstring."""
    spec = parse(metric)

    def score(
        y_true: Any,
        y_pred: Any,
        *,
        average: AverageName | None = "binary",
        labels: ArrayLike | None = None,
        pos_label: Any = 1,
        zero_division: ZeroDivision = "warn",
        **keywords: Unpack[Keywords],
    ) -> Result:
        settings = Settings(**keywords)
        return _Classes(average, labels, pos_label, zero_division).score(spec, y_true, y_pred, settings)

    score.__name__ = score.__qualname__ = name
    score.__doc__ = (
        f"{words}\n\nExamples\n--------\n>>> import howsure as hs\n"
        f">>> print(hs.{name}([1, 1, 1, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0, 0, 1, 1]))\n{example}"
    )
    return cast("ClassScore", with_keywords(PARAMETERS, RETURNS)(score))


precision_score = _function(
    "precision_score",
    "precision",
    "Precision, tp / (tp + fp), the share of positive predictions that are right; in [0, 1], higher is better.",
    "0.750 [0.301, 0.954]",
)
recall_score = _function(
    "recall_score",
    "recall",
    "Recall, tp / (tp + fn), the share of positive cases that are found; in [0, 1], higher is better.",
    "0.750 [0.301, 0.954]",
)
f1_score = _function(
    "f1_score",
    "f1",
    "F1, the harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn); in [0, 1], higher is better.",
    "0.750 [0.375, 0.938]",
)
jaccard_score = _function(
    "jaccard_score",
    "jaccard",
    "Jaccard index, tp / (tp + fp + fn), overlap of true and predicted positives; in [0, 1], higher is better.",
    "0.600 [0.231, 0.882]",
)
ppv_score = _function(
    "ppv_score",
    "precision",
    "Positive predictive value, tp / (tp + fp), precision by another name; in [0, 1], higher is better.",
    "0.750 [0.301, 0.954]",
)
npv_score = _function(
    "npv_score",
    "npv",
    "Negative predictive value, tn / (tn + fn), the precision of the other class; in [0, 1], higher is better.",
    "0.750 [0.301, 0.954]",
)
tpr_score = _function(
    "tpr_score",
    "recall",
    "True positive rate, tp / (tp + fn), recall by another name; in [0, 1], higher is better.",
    "0.750 [0.301, 0.954]",
)
tnr_score = _function(
    "tnr_score",
    "specificity",
    "True negative rate, tn / (tn + fp), specificity by another name; in [0, 1], higher is better.",
    "0.750 [0.301, 0.954]",
)
fpr_score = _function(
    "fpr_score",
    "fpr",
    "False positive rate, fp / (fp + tn), 1 minus specificity; in [0, 1], lower is better.",
    "0.250 [0.046, 0.699]",
)
fnr_score = _function(
    "fnr_score",
    "fnr",
    "False negative rate, fn / (fn + tp), 1 minus recall; in [0, 1], lower is better.",
    "0.250 [0.046, 0.699]",
)


@overload
def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    average: None,
    labels: ArrayLike | None = ...,
    pos_label: Any = ...,
    zero_division: ZeroDivision = ...,
    **keywords: Unpack[Keywords],
) -> list[Estimate]: ...


@overload
def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    average: AverageName = ...,
    labels: ArrayLike | None = ...,
    pos_label: Any = ...,
    zero_division: ZeroDivision = ...,
    **keywords: Unpack[Keywords],
) -> Estimate: ...


@with_keywords(PARAMETERS, RETURNS)
def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    average: AverageName | None = "binary",
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    zero_division: ZeroDivision = "warn",
    **keywords: Unpack[Keywords],
) -> Result:
    """F-beta, the harmonic mean of precision and recall with recall ``beta`` times as important.

    (1 + β²) tp / ((1 + β²) tp + fp + β² fn); in [0, 1], higher is better.

    Parameters
    ----------
    beta : float
        How many times as important recall is as precision.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.fbeta_score([1, 1, 1, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0, 0, 1, 0], beta=2))
    0.526 [0.147, 0.878]
    """
    spec = parse(f"fbeta+beta={beta}")
    return _Classes(average, labels, pos_label, zero_division).score(spec, y_true, y_pred, Settings(**keywords))
