"""scikit-learn's metrics of one class, or averaged over classes: precision, recall, F1 and their kin."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol, Unpack, cast, final, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.compat.cases import mean_of_cases
from howsure.compat.keywords import AverageName, Keywords, Settings, checked_average, listed, with_keywords
from howsure.compat.targets import indicators, is_matrix
from howsure.compat.undefined import ZeroDivision, estimated, filling, warn
from howsure.errors import HowsureError, HowsureWarning, one_label, real_number
from howsure.estimates.estimate import Estimate
from howsure.metrics.averages import canonical_average
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec, of_class, parse
from howsure.tables.table import Table

Result = Estimate | list[Estimate]

PARAMETERS = """
y_true, y_pred : array-like of shape (n,) or (n, L), or str
    True and predicted label of each case, of any type; or indicator arrays of L labels (multilabel); or, with
    ``data``, the names of their columns.
average : {"binary", "macro", "micro", "weighted", "samples", "geometric", "harmonic", "min", "max"} or None
    ``"binary"`` looks at the class ``pos_label``, the others average over the classes, but ``"samples"``, of
    multilabel data, over the cases; None gives a list with one estimate per class. The package
    ``confidenceinterval`` has ``"micro"`` by default.
labels : array-like of shape (K,), optional
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


class _Keywords(Keywords, total=False):
    """Keyword arguments that do not decide the type of the result."""

    labels: ArrayLike | None
    pos_label: object
    zero_division: ZeroDivision


class ClassScore(Protocol):
    """A function of true and predicted labels: the value of one class, or an average over classes."""

    __name__: str

    @overload
    def __call__(
        self, y_true: object, y_pred: object, *, average: None, **keywords: Unpack[_Keywords]
    ) -> list[Estimate]: ...

    @overload
    def __call__(
        self, y_true: object, y_pred: object, *, average: AverageName = ..., **keywords: Unpack[_Keywords]
    ) -> Estimate: ...


@final
@dataclass(frozen=True, slots=True)
class Classes:
    """The requested classes, and the value of an undefined metric."""

    average: str | None
    labels: ArrayLike | None
    positive: Any
    zero_division: ZeroDivision

    def score(self, spec: Spec, y_true: object, y_pred: object, settings: Settings) -> Result:
        """Return the estimate, or the list of them."""
        checked_average(self.average)
        if self.average not in {None, "binary"} and one_label("pos_label", self.positive) not in {None, 1}:
            words = f"`pos_label` is for average='binary', and average={self.average!r} does not use it."
            warn(f"{words} For one class give `labels=[{self.positive!r}]`.", HowsureWarning)
        if self.average == "samples":
            return self.over_samples(spec, *settings.labels(y_true, y_pred), settings)
        also = None if self.average == "binary" else self.labels
        table = settings.table(y_true, y_pred, also=also, positive=self.positive)

        def metrics(value: float) -> list[Metric]:
            return self._metrics(spec if math.isnan(value) else replace(spec, zero_division=value), table)

        found = estimated(settings, table, self.zero_division, metrics)
        return found if self.average is None else found[0]

    def over_samples(self, spec: Spec, y_true: object, y_pred: object, settings: Settings) -> Estimate:
        """Return the mean over the cases of the metric of each case's labels."""
        if not (is_matrix(y_true) and is_matrix(y_pred)):
            raise HowsureError("average='samples' is for multilabel data: give indicator arrays, or average='macro'.")
        true, predicted = (each[:, self._columns(each.shape[1])] for each in indicators(y_true, y_pred))
        tp, with_label, said = (each.sum(1).astype(float) for each in (true & predicted, true, predicted))
        outcomes = tp, with_label - tp, said - tp, true.shape[1] - with_label - said + tp
        values, filled = spec.definition.evaluate(*outcomes, **spec.arguments), filling(self.zero_division)
        if (absent := np.isnan(values)).any():
            if self.zero_division == "warn":
                words = f"on {int(absent.sum())} of {len(values)} cases, and counts as 0 there"
                warn(f"`{spec.definition.name}` is undefined {words}. Set `zero_division` to 0, 1 or nan to choose.")
            values = np.where(absent, filled, values)
        return mean_of_cases(settings, f"{spec.head}@samples", values, better=spec.definition.better)

    def _columns(self, size: int) -> Any:
        """Return the positions of the requested labels."""
        chosen = listed(range(size) if self.labels is None else self.labels)
        for label in chosen:
            if label not in range(size):
                raise HowsureError.unknown("label", str(label), map(str, range(size)))
        return chosen

    def _metrics(self, spec: Spec, table: Table) -> list[Metric]:
        if self.average == "binary":
            return [one_class(spec, _positive(table, self.positive), table)]
        chosen = None if self.labels is None else [table.position(label) for label in listed(self.labels)]
        if self.average is None:
            return [one_class(spec, table.labels[i], table) for i in chosen or range(len(table.labels))]
        return [resolve(replace(spec, average=canonical_average(self.average)), table, classes=chosen)]


def fbeta(beta: float) -> Spec:
    """Return the spec of F-beta; of an infinite beta it is recall."""
    number = real_number("beta", beta)
    return parse("recall" if number == math.inf else f"fbeta+beta={beta}")


def one_class(spec: Spec, label: object, table: Table) -> Metric:
    """Return a metric of one class against the rest."""
    return resolve(of_class(spec, label), table)


def _positive(table: Table, pos_label: object) -> Any:
    labels = table.labels.tolist()
    if len(labels) > 2 or not table.kind.has_one_label_per_case:
        raise HowsureError(
            f"average='binary' is for one of two classes, and there are {len(labels)}. "
            "Choose average='macro', 'micro' or 'weighted'."
        )
    if pos_label == 1 and not set(labels) & {1, "1"}:
        first, second = (repr(label) for label in labels)
        raise HowsureError(
            f"The classes are {first} and {second}, and the positive class of scikit-learn is 1. Name yours, "
            f"pos_label={second}, or take both, average='macro'."
        )
    if pos_label not in labels:
        pos_label = next((label for label in labels if str(label) == str(pos_label)), pos_label)
    if pos_label not in labels:
        raise HowsureError.unknown("class (`pos_label`)", str(pos_label), labels)
    return labels[labels.index(pos_label)]  # as the table writes it: 1 is True, and 1.0 is 1


def _function(name: str, metric: str, words: str, example: str) -> ClassScore:
    """Return scikit-learn's function of a metric; ``example`` is the printed result in its docstring."""
    spec = parse(metric)

    def score(
        y_true: object,
        y_pred: object,
        *,
        average: AverageName | None = "binary",
        labels: ArrayLike | None = None,
        pos_label: object = 1,
        zero_division: ZeroDivision = "warn",
        **keywords: Unpack[Keywords],
    ) -> Result:
        settings = Settings(**keywords)
        return Classes(average, labels, pos_label, zero_division).score(spec, y_true, y_pred, settings)

    score.__name__ = score.__qualname__ = name
    place = "compat." if name.startswith(("ppv", "npv", "t", "fpr", "fnr")) else ""  # scikit-learn's are at the top
    score.__doc__ = (
        f"{words}\n\nExamples\n--------\n>>> import howsure as hs\n"
        f">>> print(hs.{place}{name}([1, 1, 1, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0, 0, 1, 1]))\n{example}"
    )
    return cast("ClassScore", with_keywords(PARAMETERS, RETURNS)(score))


precision_score = _function(
    "precision_score",
    "precision",
    "Precision, tp / (tp + fp), the share of positive predictions that are right; in [0, 1], higher is better.",
    "0.750 [0.242, 0.987]",
)
recall_score = _function(
    "recall_score",
    "recall",
    "Recall, tp / (tp + fn), the share of positive cases that are found; in [0, 1], higher is better.",
    "0.750 [0.242, 0.987]",
)
f1_score = _function(
    "f1_score",
    "f1",
    "F1, the harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn); in [0, 1], higher is better.",
    "0.750 [0.308, 0.962]",
)
jaccard_score = _function(
    "jaccard_score",
    "jaccard",
    "Jaccard index, tp / (tp + fp + fn), overlap of true and predicted positives; in [0, 1], higher is better.",
    "0.600 [0.182, 0.927]",
)
ppv_score = _function(
    "ppv_score",
    "precision",
    "Positive predictive value, tp / (tp + fp), precision by another name; in [0, 1], higher is better.",
    "0.750 [0.242, 0.987]",
)
npv_score = _function(
    "npv_score",
    "npv",
    "Negative predictive value, tn / (tn + fn), the precision of the other class; in [0, 1], higher is better.",
    "0.750 [0.242, 0.987]",
)
tpr_score = _function(
    "tpr_score",
    "recall",
    "True positive rate, tp / (tp + fn), recall by another name; in [0, 1], higher is better.",
    "0.750 [0.242, 0.987]",
)
tnr_score = _function(
    "tnr_score",
    "specificity",
    "True negative rate, tn / (tn + fp), specificity by another name; in [0, 1], higher is better.",
    "0.750 [0.242, 0.987]",
)
fpr_score = _function(
    "fpr_score",
    "fpr",
    "False positive rate, fp / (fp + tn), 1 minus specificity; in [0, 1], lower is better.",
    "0.250 [0.013, 0.758]",
)
fnr_score = _function(
    "fnr_score",
    "fnr",
    "False negative rate, fn / (fn + tp), 1 minus recall; in [0, 1], lower is better.",
    "0.250 [0.013, 0.758]",
)


@overload
def fbeta_score(
    y_true: object, y_pred: object, *, beta: float, average: None, **keywords: Unpack[_Keywords]
) -> list[Estimate]: ...


@overload
def fbeta_score(
    y_true: object, y_pred: object, *, beta: float, average: AverageName = ..., **keywords: Unpack[_Keywords]
) -> Estimate: ...


@with_keywords(PARAMETERS, RETURNS)
def fbeta_score(
    y_true: object,
    y_pred: object,
    *,
    beta: float,
    average: AverageName | None = "binary",
    labels: ArrayLike | None = None,
    pos_label: object = 1,
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
    0.526 [0.127, 0.874]
    """
    spec = fbeta(beta)
    return Classes(average, labels, pos_label, zero_division).score(spec, y_true, y_pred, Settings(**keywords))
