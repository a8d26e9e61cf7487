"""scikit-learn's names, each returning an `Estimate`.

A call that works with scikit-learn works here, and so does one written for the package ``confidenceinterval``:
changing the import is enough. (``compute_ci`` is accepted and makes no difference: the result is always an
`Estimate`, whose ``value`` is the number alone.)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.errors import HowsureError, OneClassError
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate, evaluate
from howsure.methods.bootstrap import Bootstrap
from howsure.methods.interval import Method
from howsure.methods.library import named
from howsure.metrics.binding import labels_to_expand
from howsure.metrics.spec import Spec, parse
from howsure.sources.columns import as_labels, sort_order
from howsure.sources.confusion import confusion
from howsure.sources.score_matrix import multiclass_scores
from howsure.sources.scores import scores
from howsure.tables.multilabel import MultilabelTable
from howsure.tables.score_matrix import MulticlassScoresTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

Array = NDArray[Any]
Score = Callable[..., Any]
SAMPLES = "average='samples' averages over cases, and is no function of the table. Use micro, macro or weighted."

PARAMETERS = """
    Parameters
    ----------
    y_true, y_pred
        True and predicted label of each case (or n×L indicator arrays), or with ``data`` their columns' names.
    average
        ``"binary"`` (the class ``pos_label``), ``"macro"``, ``"micro"``, ``"weighted"``, or None for a list with
        one estimate per class.
    labels
        Classes to average over; all that occur by default.
    pos_label
        The class of ``average="binary"``.
    sample_weight
        Weight of each case.
    zero_division
        Value of a class on which the metric is undefined: a number, nan (left out of averages), or ``"warn"``
        (0, with a warning).
    groups
        Cluster of each case.
    confidence_level
        Coverage of the interval; ``confidence_interval`` is a synonym.
    method
        A method or its name; by default the one that suits the metric.
    n_resamples
        Number of resamples of a bootstrap.
    random_state
        Seed of the methods that draw.
    data
        Frame or file that holds the columns.

    Returns
    -------
    Estimate

    Raises
    ------
    HowsureError
        If the input or an argument is not valid; the message says what to do.
"""


class UndefinedMetricWarning(UserWarning):
    """A metric is undefined on a class, and counts as 0 for scikit-learn's sake."""


def _averaged(name: str, spec: str, formula: str) -> Score:
    """Return the function of a metric that is averaged over classes."""

    def score(
        y_true: Any,
        y_pred: Any,
        *,
        average: str | None = "binary",
        labels: ArrayLike | None = None,
        pos_label: Any = 1,
        sample_weight: Any = None,
        zero_division: Any = "warn",
        groups: Any = None,
        confidence_level: float = 0.95,
        confidence_interval: float | None = None,
        method: str | Method | None = None,
        n_resamples: int = 9999,
        random_state: Any = None,
        data: Any = None,
        compute_ci: bool = True,  # noqa: ARG001 - accepted for code that has it
    ) -> Any:
        table = _table(y_true, y_pred, sample_weight, groups, data, pos_label)
        specs, classes = _specs(parse(spec), table, average, labels, pos_label)
        specs = _with_zero_division(specs, table, zero_division)
        settings: dict[str, Any] = {
            "method": _method(method, n_resamples),
            "confidence_level": confidence_level if confidence_interval is None else confidence_interval,
            "random_state": random_state,
            "classes": classes,
        }
        results = [estimate(table, each, **settings) for each in specs]
        return results if average is None else results[0]

    return _named(score, name, f"{formula}\n{PARAMETERS}")


def _named(score: Score, name: str, text: str) -> Score:
    score.__name__ = score.__qualname__ = name
    score.__doc__ = text
    return score


def _specs(
    asked: Spec, table: Table, average: str | None, labels: ArrayLike | None, pos_label: Any
) -> tuple[list[Spec], list[int] | None]:
    """Return the spec of each estimate, and the classes to average over."""
    chosen = None if labels is None else [table.position(label) for label in np.asarray(labels).tolist()]
    if average is None:
        positions = range(len(table.labels)) if chosen is None else chosen
        return [replace(asked, average="binary", positive_class=str(table.labels[i])) for i in positions], None
    if average == "binary":
        return [replace(asked, average="binary", positive_class=str(_positive(table, pos_label)))], None
    if average == "samples":
        raise HowsureError(SAMPLES)
    return [replace(parse(f"{asked.definition.name}@{average}"), arguments=asked.arguments)], chosen


def _table(y_true: Any, y_pred: Any, sample_weight: Any, groups: Any, data: Any, positive: Any) -> Table:
    settings = {"data": data, "sample_weight": sample_weight, "groups": groups}
    try:
        table: Table = confusion(y_true, y_pred, **settings)
    except OneClassError as error:
        # One class alone is fine where the other is known: the positive class, or its absence.
        both = as_labels([error.label, positive if positive not in (None, error.label) else _counterpart(error.label)])
        table = confusion(y_true, y_pred, labels=both[sort_order(both)], **settings)
    return table


def _counterpart(label: Any) -> Any:
    if isinstance(label, str):
        return f"not {label}"
    return 0 if label else 1


def _positive(table: Table, pos_label: Any) -> Any:
    labels = table.labels.tolist()
    if len(labels) > 2 or isinstance(table, MultilabelTable):  # noqa: PLR2004
        message = (
            f"average='binary' looks at one of two classes, and there are {len(labels)}. "
            "Choose average='macro', 'micro' or 'weighted'."
        )
        raise HowsureError(message)
    if pos_label not in labels:
        raise HowsureError.unknown("class (`pos_label`)", str(pos_label), labels)
    return pos_label


def _with_zero_division(specs: list[Spec], table: Table, zero_division: Any) -> list[Spec]:
    """Return the specs with the value of undefined classes, where there are some; warn of them if asked to."""
    try:
        value = 0.0 if zero_division == "warn" else float(zero_division)
    except (TypeError, ValueError):
        message = f"`zero_division` is 'warn', a number or nan, not {zero_division!r}."
        raise HowsureError(message) from None
    asked = specs[0]
    index = table.position(asked.positive_class) if asked.average == "binary" and len(specs) == 1 else None
    counts = table.counted
    undefined = np.atleast_1d(np.isnan(asked.definition.evaluate(*counts.outcomes(index), **asked.arguments)))
    if not undefined.any():
        return specs
    if zero_division == "warn":
        warnings.warn(
            f"`{asked.definition.name}` is undefined on {int(undefined.sum())} of {len(undefined)} classes, and counts "
            "as 0 there as in scikit-learn. Set `zero_division` to 0, 1 or nan to choose.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
    return [replace(each, zero_division=value) for each in specs]


def _method(method: str | Method | None, n_resamples: int) -> Method | None:
    chosen = named(method)
    return (
        replace(chosen, n_resamples=n_resamples)
        if isinstance(chosen, Bootstrap) and isinstance(method, str)
        else chosen
    )


def _whole(name: str, spec: str, formula: str, arguments: Callable[..., str] = lambda: "") -> Score:
    """Return the function of a metric of the whole table; ``arguments`` puts its own arguments into a spec string."""

    def score(
        y_true: Any,
        y_pred: Any,
        *,
        labels: ArrayLike | None = None,
        sample_weight: Any = None,
        groups: Any = None,
        confidence_level: float = 0.95,
        confidence_interval: float | None = None,
        method: str | Method | None = None,
        n_resamples: int = 9999,
        random_state: Any = None,
        data: Any = None,
        compute_ci: bool = True,  # noqa: ARG001 - accepted for code that has it
        **own: Any,
    ) -> Estimate:
        if labels is None:
            table = _table(y_true, y_pred, sample_weight, groups, data, None)
        else:
            table = confusion(y_true, y_pred, data=data, sample_weight=sample_weight, groups=groups, labels=labels)
        return estimate(
            table,
            spec + arguments(**own),
            method=_method(method, n_resamples),
            confidence_level=confidence_level if confidence_interval is None else confidence_interval,
            random_state=random_state,
        )

    return _named(score, name, f"{formula}\n{PARAMETERS}")


def _normalized(*, normalize: bool = True) -> str:
    if not normalize:
        message = (
            "normalize=False asks for a sum over the cases; the interval is that of their mean. Multiply it yourself."
        )
        raise HowsureError(message)
    return ""


def _adjusted(*, adjusted: bool = False) -> str:
    return "+adjusted=true" if adjusted else ""


accuracy_score = _whole("accuracy_score", "accuracy", "Share of cases whose prediction is right.", _normalized)
zero_one_loss = _whole("zero_one_loss", "error_rate", "Share of cases whose prediction is wrong.", _normalized)
hamming_loss = _whole("hamming_loss", "error_rate", "Share of cases whose prediction is wrong.")
balanced_accuracy_score = _whole(
    "balanced_accuracy_score", "balanced_accuracy", "Mean recall over the classes that occur.", _adjusted
)
matthews_corrcoef = _whole("matthews_corrcoef", "mcc", "Matthews correlation coefficient.")
precision_score = _averaged("precision_score", "precision", "Precision, tp / (tp + fp).")
recall_score = _averaged("recall_score", "recall", "Recall, tp / (tp + fn).")
f1_score = _averaged("f1_score", "f1", "F1, the harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn).")
jaccard_score = _averaged("jaccard_score", "jaccard", "Jaccard index, tp / (tp + fp + fn).")
ppv_score = _averaged("ppv_score", "precision", "Positive predictive value, tp / (tp + fp).")
npv_score = _averaged("npv_score", "npv", "Negative predictive value, tn / (tn + fn).")
tpr_score = _averaged("tpr_score", "recall", "True positive rate, tp / (tp + fn).")
tnr_score = _averaged("tnr_score", "specificity", "True negative rate, tn / (tn + fp).")
fpr_score = _averaged("fpr_score", "fpr", "False positive rate, fp / (fp + tn).")
fnr_score = _averaged("fnr_score", "fnr", "False negative rate, fn / (fn + tp).")


def fbeta_score(y_true: Any, y_pred: Any, *, beta: float, **settings: Any) -> Any:
    """F-beta, the harmonic mean of precision and recall with recall ``beta`` times as important.

    Parameters
    ----------
    y_true, y_pred
        True and predicted label of each case.
    beta
        How many times as important recall is as precision.
    **settings
        As for `f1_score`.
    """
    return _averaged("fbeta_score", f"fbeta+beta={beta}", "")(y_true, y_pred, **settings)


KAPPA = {None: "kappa", "linear": "weighted_kappa", "quadratic": "quadratic_weighted_kappa"}


def cohen_kappa_score(y1: Any, y2: Any, *, weights: str | None = None, **settings: Any) -> Estimate:
    """Cohen's kappa, agreement beyond chance.

    Parameters
    ----------
    y1, y2
        Labels by the two raters (true and predicted).
    weights
        None, ``"linear"`` or ``"quadratic"``: how disagreements between ordered classes count.
    **settings
        As for `accuracy_score`.
    """
    if weights not in KAPPA:
        raise HowsureError.unknown("weighting of kappa", str(weights), [str(each) for each in KAPPA])
    result: Estimate = _whole("cohen_kappa_score", KAPPA[weights], "")(y1, y2, **settings)
    return result


SCORE_PARAMETERS = """
    Parameters
    ----------
    y_true
        True class of each case, two or more; or an n×K indicator array (multilabel).
    y_score
        Score of each case, higher for the positive class; n×K for more classes. `y_pred` and `y_proba` are synonyms.
    labels
        Classes of the columns of ``y_score``, where not all occur.
    pos_label
        The positive one of two classes.
    sample_weight, groups
        Weight and cluster of each case.
    confidence_level, confidence_interval, method, n_resamples, random_state
        As for `f1_score`.
    data
        Frame or file that holds the columns; ``y_score`` then is a name, or a list of K names.
    **own
        {own}

    Returns
    -------
    Estimate
        With ``average=None`` a list with one a class.

    Raises
    ------
    HowsureError
        If the input or an argument is not valid; the message says what to do.
"""


def _ranking(name: str, formula: str, own_words: str, spec: Callable[..., str]) -> Score:
    """Return the function of a metric of scores; ``spec`` puts the kind of table and own arguments into a spec."""

    def score(
        y_true: Any,
        y_score: Any = None,
        *,
        y_pred: Any = None,
        y_proba: Any = None,
        labels: ArrayLike | None = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        confidence_level: float = 0.95,
        confidence_interval: float | None = None,
        method: str | Method | None = None,
        n_resamples: int = 9999,
        random_state: Any = None,
        data: Any = None,
        **own: Any,
    ) -> Any:
        given = next((each for each in (y_score, y_pred, y_proba) if each is not None), None)
        settings = {"data": data, "sample_weight": sample_weight, "groups": groups}
        if _is_matrix(given, data):
            if pos_label not in (None, 1):
                message = (
                    "`pos_label` is for two classes with one score per case; with a score for each class leave it out."
                )
                raise HowsureError(message)
            table = multiclass_scores(y_true, given, labels=labels, **settings)
        else:
            positive = np.asarray(labels)[-1].item() if pos_label is None and labels is not None else pos_label
            table = scores(y_true, given, pos_label=positive, **settings)
        asked = spec(table, **own)
        specs = labels_to_expand(asked, table)
        results = evaluate(
            table,
            specs or [asked],
            method=_method(method, n_resamples),
            confidence_level=confidence_level if confidence_interval is None else confidence_interval,
            random_state=random_state,
        )
        return list(results.values()) if specs else next(iter(results.values()))

    return _named(score, name, f"{formula}\n{SCORE_PARAMETERS.format(own=own_words)}")


def _is_matrix(y_score: Any, data: Any) -> bool:
    """Whether there is a score for each class."""
    if data is not None:
        return isinstance(y_score, list | tuple)
    return np.ndim(y_score) == 2  # noqa: PLR2004 - cases and classes


def _average_of(metric: str, table: Table, average: str | None, scheme: str = "ovr") -> str:
    if isinstance(table, ScoresTable):
        return metric
    if average == "samples":
        raise HowsureError(SAMPLES)
    return f"{metric}@{'none' if average is None else average}" + ("" if scheme == "ovr" else f"+multi_class={scheme}")


def _area(
    table: Table, *, average: str | None = "macro", multi_class: str = "raise", max_fpr: float | None = None
) -> str:
    if multi_class not in {"raise", "ovr", "ovo"}:
        raise HowsureError.unknown("scheme (`multi_class`)", multi_class, ("ovr", "ovo"))
    if isinstance(table, MulticlassScoresTable) and multi_class == "raise":
        message = (
            "There is a score for each class: choose multi_class='ovr' (against the rest) or 'ovo' (pairs). "
            "Of two classes give the positive one's column, `y_score[:, 1]`."
        )
        raise HowsureError(message)
    scheme = multi_class if isinstance(table, MulticlassScoresTable) else "ovr"
    return _average_of("roc_auc" if max_fpr is None else f"roc_auc+max_fpr={max_fpr}", table, average, scheme)


def _precision(table: Table, *, average: str | None = "macro") -> str:
    return _average_of("average_precision", table, average)


def _log_loss(table: Table, *, normalize: bool = True) -> str:  # noqa: ARG001 - the same call for all
    return "log_loss" + _normalized(normalize=normalize)


def _brier(table: Table, *, scale_by_half: bool | str = "auto") -> str:
    if scale_by_half not in ("auto", isinstance(table, ScoresTable)):
        message = "`scale_by_half` is as scikit-learn's 'auto': half for two classes, not for more. Scale it yourself."
        raise HowsureError(message)
    return "brier_score"


roc_auc_score = _ranking(
    "roc_auc_score",
    "Area under the ROC curve, of two classes or averaged over more.",
    """``average`` is ``"macro"``, ``"weighted"``, ``"micro"`` or None; ``multi_class`` is ``"ovr"`` (each class against
        the rest) or ``"ovo"`` (pairs); ``max_fpr`` gives the standardised partial area up to it.""",
    _area,
)
average_precision_score = _ranking(
    "average_precision_score",
    "Average precision by the step rule, of two classes or averaged over more.",
    """``average`` is ``"macro"``, ``"weighted"``, ``"micro"`` or None.""",
    _precision,
)
brier_score_loss = _ranking(
    "brier_score_loss",
    "Mean squared difference of probability and truth (summed over the classes, where there are more than two).",
    """``scale_by_half`` is ``"auto"``.""",
    _brier,
)
log_loss = _ranking(
    "log_loss",
    "Mean negative logarithm of the probability given to the true class.",
    "``normalize`` is True.",
    _log_loss,
)
