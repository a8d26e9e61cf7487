"""scikit-learn's functions that return several metrics: precision, recall, F and support; both likelihood ratios."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.compat.keywords import Keywords, Settings, with_keywords
from howsure.compat.matrices import multilabel_confusion_matrix
from howsure.compat.per_class import PARAMETERS, Classes, fbeta
from howsure.compat.undefined import ZeroDivision, filling, warn
from howsure.errors import HowsureError, several
from howsure.estimates.estimate import Estimate
from howsure.metrics.spec import parse

Result = Estimate | list[Estimate]

LABELS = """
y_true, y_pred : array-like of shape (n,), or str
    True and predicted label of each case, two classes of any type; or, with ``data``, the names of their columns.
"""
FOUR = """
tuple
    Precision, recall and F-beta, each an `Estimate`, or with ``average=None`` a list with one per class; and the
    support, with ``average=None`` the cases of each class, else None.
"""
RATIOS = """
tuple of Estimate
    The positive and the negative likelihood ratio.
"""


@with_keywords(PARAMETERS, FOUR)
def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: ArrayLike | None = None,
    pos_label: Any = 1,
    average: str | None = None,
    warn_for: Iterable[str] = ("precision", "recall", "f-score"),
    zero_division: ZeroDivision = "warn",
    **keywords: Unpack[Keywords],
) -> tuple[Result, Result, Result, Array | None]:
    """Precision, recall, F-beta and the number of true cases, of each class or averaged.

    Parameters
    ----------
    beta : float
        How many times as important recall is as precision.
    warn_for : iterable of str
        Which of ``"precision"``, ``"recall"`` and ``"f-score"`` to warn of where they are undefined.

    Examples
    --------
    >>> import howsure as hs
    >>> precision, recall, f1, support = hs.precision_recall_fscore_support([1, 1, 0, 0, 1], [1, 0, 0, 1, 1])
    >>> print(recall[1], support)
    0.667 [0.132, 0.983] [2 3]
    """
    settings = Settings(**keywords)
    warned = set(map(str, several("warn_for", warn_for, "names of scores")))

    def score(name: str, spec: Any) -> Result:
        silent = zero_division if name in warned else filling(zero_division)
        return Classes(average, labels, pos_label, silent).score(spec, y_true, y_pred, settings)

    found = score("precision", parse("precision")), score("recall", parse("recall")), score("f-score", fbeta(beta))
    if average is not None:
        return (*found, None)
    matrices = multilabel_confusion_matrix(y_true, y_pred, labels=labels, sample_weight=settings.sample_weight)
    return (*found, matrices[:, 1].sum(-1))


@with_keywords(LABELS, RATIOS)
def class_likelihood_ratios(
    y_true: object,
    y_pred: object,
    *,
    labels: ArrayLike | None = None,
    replace_undefined_by: float | dict[str, float] = np.nan,
    **keywords: Unpack[Keywords],
) -> tuple[Estimate, Estimate]:
    """Positive and negative likelihood ratio, recall / fpr and fnr / specificity, of the second of two classes.

    A test that says nothing has 1; the positive ratio is better higher, the negative one lower.

    Parameters
    ----------
    labels : array-like of shape (2,), optional
        The negative and the positive class.
    replace_undefined_by : float or dict
        Value of a ratio whose denominator is zero, nan or as of a perfect test; of each, by ``"LR+"`` and ``"LR-"``.

    Examples
    --------
    >>> import howsure as hs
    >>> positive, negative = hs.class_likelihood_ratios([0, 1, 0, 1, 0, 1, 1, 0], [1, 1, 0, 0, 0, 1, 1, 0])
    >>> print(f"{positive:.1f} {negative:.2f}")
    3.0 0.33
    """
    settings, replacements = Settings(**keywords), _replacements(replace_undefined_by)
    table = settings.table(y_true, y_pred) if labels is None else settings.counted(y_true, y_pred, labels)
    if len(table.labels) != 2 or not table.kind.has_one_label_per_case:
        raise HowsureError(f"Likelihood ratios are of two classes, and there are {len(table.labels)}.")
    positive, negative = settings.estimates(table, ["plr", "nlr"])
    return _replaced(positive, "LR+", replacements), _replaced(negative, "LR-", replacements)


def _replacements(given: float | dict[str, float]) -> dict[str, float]:
    """Return what an undefined ratio counts: nan, or a value on the side of 1 where that ratio is better."""
    values = given if isinstance(given, dict) else {"LR+": given, "LR-": given}
    fits = set(values) == {"LR+", "LR-"} and all(isinstance(each, int | float) for each in values.values())
    if fits and not (values["LR+"] < 1 or values["LR-"] > 1 or values["LR-"] < 0):
        return values
    ranges = "'LR+' (at least 1, or nan) and 'LR-' (in [0, 1], or nan)"
    raise HowsureError(f"`replace_undefined_by` is nan, 1, or a dict of {ranges}, not {given!r}.")


def _replaced(ratio: Estimate, key: str, values: dict[str, float]) -> Estimate:
    """Return a ratio with the value that stands for an undefined one; warn of it."""
    if not np.isnan(ratio):
        return ratio
    value = values[key]
    warn(f"The likelihood ratio {key} is undefined, and counts as {value:g}: {ratio.reason or 'its denominator is 0'}.")
    return ratio if np.isnan(value) else ratio.replace(value=value)
