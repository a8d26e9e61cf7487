"""Reconstruction of the table from published figures: sensitivity, specificity and numbers of cases."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError, warn, whole_number
from howsure.sources.matrices import from_counts
from howsure.sources.rounded import MOST_TABLES, Rounded
from howsure.tables.confusion import ConfusionTable

Figure = float | str | Decimal


def from_rates(
    *,
    sensitivity: Figure | None = None,
    specificity: Figure | None = None,
    precision: Figure | None = None,
    recall: Figure | None = None,
    f1: Figure | None = None,
    positives: int | None = None,
    negatives: int | None = None,
    prevalence: Figure | None = None,
    n: int | None = None,
    labels: ArrayLike | None = None,
) -> ConfusionTable:
    """Return the 2×2 table reconstructed from published figures.

    The counts are the whole numbers that reproduce the figures, rounded to their number of decimals. If several counts
    do, as with two decimals and more than a hundred cases, the nearest are used, and a warning lists the others.

    Parameters
    ----------
    sensitivity, specificity : float, str or Decimal
        Proportions of positives and of negatives predicted correctly. A string such as ``"0.900"`` has the decimals as
        written; a number, which loses trailing zeros, is assumed to have at least two.
    precision, recall, f1 : float, str or Decimal, optional
        Two of these three, with ``positives`` and ``negatives``, instead of the specificity. Recall is the sensitivity.
    positives, negatives : int, optional
        Numbers of cases of either class, unless ``prevalence`` and ``n`` are given.
    prevalence : float, str or Decimal, optional
        Proportion of positives.
    n : int, optional
        Number of all cases.
    labels : array-like of shape (2,), optional
        The negative and the positive class; 0 and 1 by default.

    Returns
    -------
    ConfusionTable
        The table of whole counts, for every metric and method.

    Raises
    ------
    HowsureError
        If no whole numbers reproduce the figures, or if an argument is invalid.

    Warns
    -----
    HowsureWarning
        If other counts reproduce the rounded figures too.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_rates(sensitivity=0.894, specificity=0.943, positives=47, negatives=53)
    >>> table.counts.tolist()
    [[50.0, 3.0], [5.0, 42.0]]
    >>> print(hs.estimate(table, "ppv_at+prevalence=0.01"))
    0.138 [0.058, 0.383]
    """
    if sensitivity is not None and recall is not None:
        raise HowsureError("`recall` is the `sensitivity`: give one of them.")
    sensitivity = recall if sensitivity is None else sensitivity
    if specificity is None:
        figures = {"recall": sensitivity, "precision": precision, "f1": f1}
        given = {name: Rounded.of(name, figure) for name, figure in figures.items() if figure is not None}
        return from_counts(_from_precision(given, positives, negatives), labels, check=False)
    if sensitivity is None or precision is not None or f1 is not None:
        raise HowsureError("Give `sensitivity` and `specificity`, or two of `precision`, `recall` and `f1`.")
    right, cleared = (
        Rounded.of(name, figure) for name, figure in (("sensitivity", sensitivity), ("specificity", specificity))
    )
    if n is not None and prevalence is not None and positives is None and negatives is None:
        ill = _positives(Rounded.of("prevalence", prevalence), whole_number("n", n, 2), right, cleared)
        well = whole_number("n", n, 2) - ill
    elif n is None and prevalence is None and positives is not None and negatives is not None:
        ill, well = whole_number("positives", positives), whole_number("negatives", negatives)
    else:
        raise HowsureError(
            "Give `positives` and `negatives`, or `prevalence` and `n`: the numbers that the rates are of."
        )
    hits, passes = right.count(ill, "positives"), cleared.count(well, "negatives")
    return from_counts([[passes, well - passes], [ill - hits, hits]], labels, check=False)


def _from_precision(given: dict[str, Rounded], positives: object, negatives: object) -> Array:
    """Return the matrix whose rounded precision, recall and F1 equal the given figures."""
    if len(given) < 2 or positives is None or negatives is None:
        one = f"`{next(iter(given))}` alone does not determine the counts. " if len(given) == 1 else ""
        message = (
            f"{one}Give `sensitivity` and `specificity`, or two of `precision`, `recall` and `f1`, with `positives` "
            "and `negatives`, the numbers of cases of either class."
        )
        if len(given) > 1:
            two = " and ".join(f"`{name}`" for name in given)
            message = f"{two} need `positives` and `negatives`, the numbers of cases of either class."
        raise HowsureError(message)
    ill, well = whole_number("positives", positives), whole_number("negatives", negatives)
    low, high = given["recall"].ends(ill) if "recall" in given else (0, ill)
    if (high - low + 1) * (well + 1) > MOST_TABLES:
        raise HowsureError(
            "Too many tables of so many cases have these rounded rates. Give the counts, or more decimals."
        )
    tp, fp = np.arange(low, high + 1)[:, None], np.arange(well + 1)
    with np.errstate(all="ignore"):
        found = {"recall": tp / ill + 0 * fp, "precision": tp / (tp + fp), "f1": 2 * tp / (tp + fp + ill)}
    off = {name: np.abs(found[name] - figure.value) for name, figure in given.items()}
    fits = np.logical_and.reduce([off[name] <= figure.reach for name, figure in given.items()])
    if not fits.any():
        shown = ", ".join(f"`{name}` = {figure.text}" for name, figure in given.items())
        raise HowsureError(f"No whole numbers of {ill} positives and {well} negatives give {shown}. Check them.")
    total = np.where(fits, np.sum([np.nan_to_num(each, nan=1.0) for each in off.values()], axis=0), np.inf)
    row, column = np.unravel_index(int(np.argmin(total)), total.shape)
    hits, alarms = int(tp[row, 0]), int(fp[column])
    if (number := int(fits.sum())) > 1:
        warn(f"The figures are rounded: {number} tables give them; {hits} true and {alarms} false positives are taken.")
    return np.array([[well - alarms, alarms], [ill - hits, hits]])


def _positives(prevalence: Rounded, n: int, right: Rounded, cleared: Rounded) -> int:
    """Return the number of positives nearest to the prevalence for which whole counts reproduce all figures."""
    low, high = prevalence.ends(n)
    possible = np.arange(max(low, 1), min(high, n - 1) + 1)
    possible = possible[right.fits(possible) & cleared.fits(n - possible)]
    if not possible.size:
        raise HowsureError(
            f"No whole numbers of {n} cases give `prevalence` = {prevalence.text}, `sensitivity` = {right.text} and "
            f"`specificity` = {cleared.text}. Check them, or write them as they are printed, such as '0.9'."
        )
    taken = int(possible[np.argmin(np.abs(possible / n - prevalence.value))])
    prevalence.warn_if_several(taken, (int(possible[0]), int(possible[-1])), f"positives of {n} cases")
    return taken
