"""scikit-learn's metrics of the whole table: accuracy, kappa, Matthews' correlation and their kin."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Unpack

from numpy.typing import ArrayLike

from howsure.compat.cases import mean_of_cases, share_of_cases
from howsure.compat.keywords import Keywords, Settings, with_keywords
from howsure.compat.targets import indicators, is_matrix
from howsure.compat.undefined import warn
from howsure.errors import HowsureWarning, boolean, listed, one_of
from howsure.estimates.estimate import Estimate
from howsure.sources.confusion import refuse_row
from howsure.tables.labels import TWO

LABELS = """
labels : array-like of shape (K,), optional
    The classes; cases with another true or predicted label are left out. All that occur by default.
"""
PARAMETERS = f"""
y_true, y_pred : array-like of shape (n,), or str
    True and predicted label of each case, of any type; or, with ``data``, the names of their columns.
{LABELS.strip()}
"""
RATERS = f"""
y1, y2 : array-like of shape (n,), or str
    Labels by the two raters, or true and predicted ones; or, with ``data``, the names of their columns.
{LABELS.strip()}
"""
KAPPA = {"linear": "weighted_kappa", "quadratic": "quadratic_weighted_kappa"}


@with_keywords(PARAMETERS)
def accuracy_score(
    y_true: object,
    y_pred: object,
    *,
    labels: ArrayLike | None = None,
    normalize: bool = True,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """Accuracy, the proportion of cases predicted correctly; in [0, 1], higher is better.

    For multilabel data, the proportion of cases with all labels right.

    Parameters
    ----------
    normalize : bool
        Whether to return the proportion of the cases; else their number, or the sum of their weights.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.accuracy_score(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"]))
    0.750 [0.242, 0.987]
    """
    return _right("accuracy", y_true, y_pred, labels, Settings(**keywords), normalize=normalize)


@with_keywords(PARAMETERS)
def zero_one_loss(
    y_true: object,
    y_pred: object,
    *,
    labels: ArrayLike | None = None,
    normalize: bool = True,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """Error rate, the proportion of cases predicted wrongly; in [0, 1], lower is better.

    For multilabel data, the proportion of cases with a wrong label.

    Parameters
    ----------
    normalize : bool
        Whether to return the proportion of the cases; else their number, or the sum of their weights.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.zero_one_loss(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"]))
    0.250 [0.013, 0.758]
    """
    return _right("error_rate", y_true, y_pred, labels, Settings(**keywords), normalize=normalize)


@with_keywords(PARAMETERS)
def hamming_loss(
    y_true: object, y_pred: object, *, labels: ArrayLike | None = None, **keywords: Unpack[Keywords]
) -> Estimate:
    """Hamming loss, the proportion of wrong labels; in [0, 1], lower is better.

    It equals the error rate if each case has one label.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.hamming_loss(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"]))
    0.250 [0.013, 0.758]
    """
    settings = Settings(**keywords)
    true, predicted = settings.labels(y_true, y_pred)
    if not (is_matrix(true) and is_matrix(predicted)):
        return _estimate("error_rate", true, predicted, labels, settings)
    if settings.check and labels is None:
        refuse_row(true, predicted)
    true, predicted = indicators(true, predicted)
    return mean_of_cases(settings, "hamming_loss", (true != predicted).mean(1), better="lower")


@with_keywords(PARAMETERS)
def balanced_accuracy_score(
    y_true: object,
    y_pred: object,
    *,
    labels: ArrayLike | None = None,
    adjusted: bool = False,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """Balanced accuracy, the mean recall of the classes that occur; in [0, 1], higher is better.

    Parameters
    ----------
    adjusted : bool
        Whether to scale it so that guessing has 0 and perfect predictions have 1.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.balanced_accuracy_score(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"]))
    0.750 [0.233, 0.980]
    """
    spec = "balanced_accuracy" + "+adjusted=true" * boolean("adjusted", adjusted)
    return _estimate(spec, y_true, y_pred, labels, Settings(**keywords))


@with_keywords(PARAMETERS)
def matthews_corrcoef(
    y_true: object, y_pred: object, *, labels: ArrayLike | None = None, **keywords: Unpack[Keywords]
) -> Estimate:
    """Matthews correlation coefficient of true and predicted class.

    For two classes (tp tn − fp fn) / √((tp + fp) (tp + fn) (tn + fp) (tn + fn)); in [−1, 1], higher is better, 0 for
    guessing.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.matthews_corrcoef(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"]))
    0.577 [-0.434, 0.955]
    """
    return _estimate("mcc", y_true, y_pred, labels, Settings(**keywords))


@with_keywords(RATERS)
def cohen_kappa_score(
    y1: object,
    y2: object,
    *,
    labels: ArrayLike | None = None,
    weights: Literal["linear", "quadratic"] | None = None,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """Cohen's kappa, agreement beyond chance.

    (observed − expected) / (1 − expected) agreement; in [−1, 1], higher is better, 0 for guessing.

    Parameters
    ----------
    weights : {"linear", "quadratic"}, optional
        How disagreements between ordered classes count: by their distance, or its square; by default all are equal.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.cohen_kappa_score([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 1], weights="linear"))
    0.571 [-0.023, 0.922]
    """
    settings = Settings(**keywords)
    if weights is None:
        return _estimate("kappa", y1, y2, labels, settings)
    metric = KAPPA[one_of("weighting of kappa", weights, KAPPA)]
    table = settings.table(y1, y2) if labels is None else settings.counted(y1, y2, labels)
    if not table.is_ordered and len(table.labels) > TWO:
        warn(
            f"The weights take the classes in the order of the alphabet, {listed(table.labels.tolist())}, as "
            "scikit-learn does. State their order, from the lowest to the highest, with `labels=`.",
            HowsureWarning,
        )
        table = replace(table, is_ordered=True)
    return settings.estimated(table, metric)


def _right(
    spec: str, y_true: object, y_pred: object, labels: ArrayLike | None, settings: Settings, *, normalize: bool
) -> Estimate:
    """Return the share of cases that are right or wrong; of multilabel data, of cases with all their labels right."""
    true, predicted = y_true, y_pred
    if settings.data is None and is_matrix(y_true) and is_matrix(y_pred):  # or a column
        true, predicted = settings.labels(y_true, y_pred)
    if not (is_matrix(true) and is_matrix(predicted)):
        return _estimate(spec, true, predicted, labels, settings, normalize=normalize)
    if settings.check and labels is None:
        refuse_row(true, predicted)
    true, predicted = indicators(true, predicted)
    return share_of_cases(settings, (true == predicted).all(1), spec, normalize=normalize)


def _estimate(
    spec: str, y_true: object, y_pred: object, labels: ArrayLike | None, settings: Settings, *, normalize: bool = True
) -> Estimate:
    table = settings.table(y_true, y_pred) if labels is None else settings.counted(y_true, y_pred, labels)
    return settings.estimated(table, spec, normalize=normalize)
