"""scikit-learn's metrics of the whole table: accuracy, kappa, Matthews' correlation and their kin."""

from __future__ import annotations

from typing import Any, Literal, Unpack

from numpy.typing import ArrayLike

from howsure.compat.keywords import Keywords, Settings, with_keywords
from howsure.errors import HowsureError
from howsure.estimates.estimate import Estimate

LABELS = """
labels : array-like, optional
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
KAPPA = {None: "kappa", "linear": "weighted_kappa", "quadratic": "quadratic_weighted_kappa"}


@with_keywords(PARAMETERS)
def accuracy_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: ArrayLike | None = None,
    normalize: bool = True,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """Accuracy, the share of cases whose prediction is right; in [0, 1], higher is better.

    Parameters
    ----------
    normalize : bool
        True; scikit-learn's False asks for the number of cases instead of their share.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.accuracy_score(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"]))
    0.750 [0.301, 0.954]
    """
    refuse_sums(normalize=normalize)
    return _estimate("accuracy", y_true, y_pred, labels, Settings(**keywords))


@with_keywords(PARAMETERS)
def zero_one_loss(
    y_true: Any,
    y_pred: Any,
    *,
    labels: ArrayLike | None = None,
    normalize: bool = True,
    **keywords: Unpack[Keywords],
) -> Estimate:
    """Error rate, the share of cases whose prediction is wrong; in [0, 1], lower is better.

    Parameters
    ----------
    normalize : bool
        True; scikit-learn's False asks for the number of cases instead of their share.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.zero_one_loss(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"]))
    0.250 [0.046, 0.699]
    """
    refuse_sums(normalize=normalize)
    return _estimate("error_rate", y_true, y_pred, labels, Settings(**keywords))


@with_keywords(PARAMETERS)
def hamming_loss(
    y_true: Any, y_pred: Any, *, labels: ArrayLike | None = None, **keywords: Unpack[Keywords]
) -> Estimate:
    """Hamming loss, with one label per case the share of cases whose prediction is wrong; in [0, 1], lower is better.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.hamming_loss(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"]))
    0.250 [0.046, 0.699]
    """
    return _estimate("error_rate", y_true, y_pred, labels, Settings(**keywords))


@with_keywords(PARAMETERS)
def balanced_accuracy_score(
    y_true: Any,
    y_pred: Any,
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
    0.750 [0.364, 0.953]
    """
    spec = "balanced_accuracy" + ("+adjusted=true" if adjusted else "")
    return _estimate(spec, y_true, y_pred, labels, Settings(**keywords))


@with_keywords(PARAMETERS)
def matthews_corrcoef(
    y_true: Any, y_pred: Any, *, labels: ArrayLike | None = None, **keywords: Unpack[Keywords]
) -> Estimate:
    """Matthews correlation coefficient of true and predicted class.

    Of two classes (tp tn − fp fn) / √((tp + fp) (tp + fn) (tn + fp) (tn + fn)); in [−1, 1], higher is better, 0 for
    guessing.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.matthews_corrcoef(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"]))
    0.577 [-0.188, 0.906]
    """
    return _estimate("mcc", y_true, y_pred, labels, Settings(**keywords))


@with_keywords(RATERS)
def cohen_kappa_score(
    y1: Any,
    y2: Any,
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
    0.571 [-0.329, 0.862]
    """
    if weights not in KAPPA:
        raise HowsureError.unknown("weighting of kappa", str(weights), [str(each) for each in KAPPA])
    return _estimate(KAPPA[weights], y1, y2, labels, Settings(**keywords))


def refuse_sums(*, normalize: bool) -> None:
    """Refuse a sum over the cases."""
    if not normalize:
        message = (
            "normalize=False asks for a sum over the cases; the interval is that of their mean. Multiply it yourself."
        )
        raise HowsureError(message)


def _estimate(spec: str, y_true: Any, y_pred: Any, labels: ArrayLike | None, settings: Settings) -> Estimate:
    table = settings.table(y_true, y_pred) if labels is None else settings.counted(y_true, y_pred, labels)
    return settings.estimates(table, [spec])[0]
