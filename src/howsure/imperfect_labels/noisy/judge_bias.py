"""Bias of a judge along a column such as length or position: the slope of verdict minus human label."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.designs.base import safe_divide
from howsure.errors import HowsureError, checked_level
from howsure.estimates.estimate import Estimate
from howsure.methods.core.standard_errors import quantile
from howsure.sources.columns import refuse_other_lengths
from howsure.sources.confusion import class_labels
from howsure.sources.crossed import refuse_crossed
from howsure.sources.encoding import coded_with_gaps, encoded, positions
from howsure.sources.frames import columns
from howsure.tables.labels import as_labels

FEWEST = 3  # cases: with fewer a slope has no standard error


def judge_bias(
    human: object,
    judge: object,
    covariate: object,
    *,
    data: object = None,
    counts: object = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    groups: object = None,
    confidence_level: float = 0.95,
    check: bool = True,
) -> Estimate:
    """Return the least-squares slope of verdict minus human label on a column, for the labelled cases.

    For two classes, verdicts and labels are coded 1 for the last class and 0 for the other; with more classes they must
    be numbers. The slope is 0 if the judge is as lenient for long answers as for short ones, or in every position.

    Parameters
    ----------
    human : array-like of shape (n,) or str
        Human label of each case; None or nan if it is missing.
    judge : array-like of shape (n,) or str
        The judge's verdict on every case.
    covariate : array-like of shape (n,) or str
        A number for each case, such as the length of the answer; or one of two values, such as its position: the slope
        is then the second value's mean minus the first's.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file. The
        arguments above then name its columns.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    labels : array-like of shape (K,), optional
        The classes, in order; by default all classes that occur, sorted.
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    groups : array-like of shape (n,) or str, optional
        Cluster of each case: cases of one cluster may be correlated.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    Estimate
        The slope per unit of the column. The standard error is robust to heteroscedasticity (HC3), or to clusters if
        ``groups`` is given. The interval uses a quantile of Student's t.

    Raises
    ------
    HowsureError
        If columns differ in length, fewer than three labelled cases are left, or the column is constant. If it has
        more than two values that are not numbers.

    References
    ----------
    MacKinnon, White (1985), Journal of Econometrics 29.

    Examples
    --------
    >>> import howsure as hs
    >>> human = [1, 1, 0, 1, 0, 0, 1, 0, None, None]
    >>> judge = [1, 0, 0, 1, 1, 0, 1, 1, 1, 0]
    >>> place = ["first", "first", "first", "first", "second", "second", "second", "second", "first", "second"]
    >>> hs.labels.judge_bias(human, judge, place).value  # 2 / 4 − (−1 / 4)
    0.75
    """
    level = checked_level(confidence_level)
    roles = {"human": human, "judge": judge, "covariate": covariate} | ({} if groups is None else {"groups": groups})
    given = columns(data, roles, check=check, counts=counts)
    coded = {role: coded_with_gaps(role, given[role]) for role in ("human", "judge", "covariate")}
    cluster, names = encoded("groups", given["groups"]).used() if "groups" in given else (None, None)
    refuse_crossed(names, "Leanings")
    refuse_other_lengths({role: codes for role, (_, codes) in coded.items()} | {"groups": cluster})
    kept = np.all([codes >= 0 for _, codes in coded.values()], axis=0)
    if int(kept.sum()) < FEWEST:
        raise HowsureError(
            f"`human` has {int(kept.sum())} labels where `judge` and `covariate` have values. Three or more are needed."
        )
    people, model = _numbers({role: coded[role] for role in ("human", "judge")}, labels, pos_label, check=check)
    levels, codes = coded["covariate"]
    where = _along(levels)[codes[kept]]
    slope, error, degrees_of_freedom = _slope(where, (model - people)[kept], None if cluster is None else cluster[kept])
    reach = float(quantile(level, degrees_of_freedom)) * error
    return Estimate(
        slope,
        low=slope - reach,
        high=slope + reach,
        metric="judge_bias",
        confidence_level=level,
        method="hc3" if cluster is None else "cluster_robust",
        standard_error=error,
        reason="" if error > 0 else "judge and people differ by the same amount in all cases",
    )


def _numbers(
    coded: dict[str, tuple[Array, Array]], labels: ArrayLike | None, pos_label: object, *, check: bool
) -> tuple[Array, Array]:
    """Return human labels and verdicts as numbers; two classes become 0 and 1."""
    (human, _), (judge, _) = coded.values()
    axis = class_labels(
        as_labels(human.tolist()), judge, labels, pos_label=pos_label, check=check and labels is not None
    )
    people, model = (positions(levels, codes, axis).astype(float) for levels, codes in coded.values())
    if len(axis) == 2:
        return people, model
    try:
        numbers = np.asarray(axis, dtype=float)
    except (TypeError, ValueError):
        raise HowsureError(
            f"There are {len(axis)} classes, in words. Give two of them, `labels=`, or grades as numbers."
        ) from None
    return numbers[people.astype(int)], numbers[model.astype(int)]


def _along(levels: Array) -> Array:
    """Return the values of a column as numbers; two words become 0 and 1."""
    try:
        return np.asarray(levels, dtype=float)
    except (TypeError, ValueError):
        if len(levels) == 2:
            return np.argsort(np.argsort(np.asarray(list(map(str, levels.tolist()))))).astype(float)
        raise HowsureError(
            f"`covariate` has {len(levels)} values that are no numbers. Give numbers, or two values; of several "
            "`judged(…, by=…)` has a table each."
        ) from None


def _slope(x: Array, y: Array, cluster: Array | None) -> tuple[float, float, float]:
    """Return the least-squares slope, its standard error and its degrees of freedom."""
    centred = x - x.mean()
    square = float(centred @ centred)
    if not square > 0:
        raise HowsureError(f"`covariate` is {x[0]:g} in all labelled cases: nothing can be seen along it.")
    slope = float(centred @ y) / square
    residual = y - y.mean() - slope * centred
    if cluster is None:
        leverage = 1 / len(x) + centred**2 / square
        residual = np.where(leverage < 1, safe_divide(residual, 1 - leverage), 0.0)
        return slope, float(np.sqrt((centred**2 * residual**2).sum())) / square, len(x) - 2.0
    scores = np.bincount(np.unique(cluster, return_inverse=True)[1], centred * residual)
    number = len(scores)
    small = number / (number - 1) * (len(x) - 1) / (len(x) - 2) if number > 1 else np.nan
    return slope, float(np.sqrt(small * (scores**2).sum())) / square, number - 1.0
