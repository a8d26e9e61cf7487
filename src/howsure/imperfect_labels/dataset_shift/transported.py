"""Estimates for the same classifier in a target population with other class frequencies and no labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from howsure.designs.linearised import Linearised
from howsure.errors import HowsureError
from howsure.grids import OneRecord
from howsure.imperfect_labels.dataset_shift.shares import Shift
from howsure.numbers import number, p_text
from howsure.tables.confusion import ConfusionTable
from howsure.tables.scores import ScoresTable

Source = TypeVar("Source", ConfusionTable, ScoresTable)
BELOW = "the share of {} comes out below zero and was set to nearly zero"


def transported(table: Source, target: object, *, data: object = None, counts: object = None) -> Source:
    """Return the expected table of a classifier in a target population with known predictions and unknown labels.

    Assumes label shift: the target has other class frequencies, but within a class its cases have the same
    distribution as the labelled cases. The class frequencies are estimated so that the mixture of the labelled classes
    reproduces the distribution of predictions (or scores) in the target. Metrics of the returned table are those of
    the target, and their intervals account for both samples. ``"prevalence"`` is the estimated class frequency.

    Parameters
    ----------
    table : ConfusionTable or ScoresTable
        Labelled cases: from `confusion` or `from_counts`, or from `scores`, which carry more information.
    target : array-like of shape (m,), mapping or str
        Predicted classes of cases of the target, or a mapping from class to number of cases with this prediction; for
        a table of scores, the scores. With ``data``, the name of the column.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    counts : array-like of shape (m,) or str, optional
        Number of identical cases of the target that each row stands for.

    Returns
    -------
    ConfusionTable or ScoresTable
        Table with fractional counts that add up to the number of cases of the target.

    Raises
    ------
    HowsureError
        If the target is empty or contains a class that is not in the table. If a class has no labelled case, or the
        class frequencies are not identified by the predictions.

    Notes
    -----
    For predicted classes, the class frequencies w solve ``Cᵀ w = μ``, where C contains the distribution of predictions
    in each true class and μ is their distribution in the target (black-box shift estimation; adjusted classify and
    count). Scores are counted in at most ten ranges, and w is fitted by generalised least squares. `label_shift_test`
    tests whether label shift is plausible.

    References
    ----------
    Saerens, Latinne, Decaestecker (2002), Neural Computation 14; Lipton, Wang, Smola (2018), Detecting and correcting
    for label shift with black box predictors; Garg, Wu, Balakrishnan, Lipton (2020), A unified view of label shift
    estimation.

    Examples
    --------
    >>> import howsure as hs
    >>> source = hs.from_counts([[900, 100], [50, 450]], labels=["ok", "fault"])
    >>> there = hs.transported(source, {"ok": 8600, "fault": 1400})
    >>> print(hs.estimate(there, "prevalence"))  # (0.14 - 0.1) / (0.9 - 0.1)
    0.050 [0.024, 0.072] (positive: fault)
    >>> print(hs.estimate(source, "precision"), hs.estimate(there, "precision"))
    0.818 [0.784, 0.849] (positive: fault) 0.321 [0.160, 0.456] (positive: fault)
    """
    shift = Shift.of(table, target, data, counts)
    centre = shift.expected(shift.shares)
    below = [str(label) for label, share in zip(table.labels.tolist(), shift.shares, strict=True) if share < 0]
    note = BELOW.format(", ".join(below)) if below else ""
    design = Linearised(shift.samples(), centre, note=note, estimates_shares=True, refit=shift.refit())
    counts = shift.expected(shift.possible).reshape(table.counts.shape)
    return replace(table, counts=counts, design=design, rows=round(float(shift.target.sum())))


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class LabelShiftTest(OneRecord):
    """Result of `label_shift_test`.

    Parameters
    ----------
    statistic : float
        Squared Mahalanobis distance between the target's distribution of scores and the fitted mixture of the classes.
    degrees_of_freedom : int
        Number of score ranges minus number of classes.
    p_value : float
        Probability of a distance at least as large under label shift.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.results.LabelShiftTest(statistic=9.5, degrees_of_freedom=8, p_value=0.3))
    label shift: chi-square 9.5 with 8 degrees of freedom, p = 0.300
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float

    def __str__(self) -> str:
        return (
            f"label shift: chi-square {number(self.statistic, 1)} with {self.degrees_of_freedom} degrees of freedom, "
            f"{p_text(self.p_value)}"
        )


def label_shift_test(
    table: ScoresTable, target: object, *, data: object = None, counts: object = None
) -> LabelShiftTest:
    """Test whether label shift is plausible: whether other class frequencies explain the scores in the target.

    Parameters
    ----------
    table : ScoresTable
        Labelled cases, from `scores`.
    target : array-like of shape (m,) or str
        Scores of cases of the target; with ``data``, the name of the column.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    counts : array-like of shape (m,) or str, optional
        Number of identical cases of the target that each row stands for.

    Returns
    -------
    LabelShiftTest
        Statistic, degrees of freedom and p-value.

    Raises
    ------
    HowsureError
        If the table contains only predicted classes: some class frequencies then always fit the target exactly. If
        there are no more score ranges than classes.

    Notes
    -----
    The test has no power against shifts that resemble label shift, such as fewer hard cases in both classes. A large
    p-value does not prove label shift.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> label = rng.random(2000) < 0.5
    >>> source = hs.scores(label, rng.normal(1.5 * label))
    >>> rare = rng.random(2000) < 0.1
    >>> print(hs.shift.label_shift_test(source, rng.normal(1.5 * rare)))
    label shift: chi-square 8.8 with 7 degrees of freedom, p = 0.270
    >>> print(hs.shift.label_shift_test(source, rng.normal(1.5 * rare, 1.3)))
    label shift: chi-square 21.4 with 7 degrees of freedom, p = 0.003
    """
    if "scores" not in getattr(table, "data_kinds", ()):
        raise HowsureError(
            "With as many predicted classes as true ones some shares always explain the target, so there is nothing to "
            "test. Give a table of scores, from `scores`, and the target's scores."
        )
    shift = Shift.of(table, target, data, counts)
    degrees_of_freedom = len(shift.target) - len(shift.shares)
    if degrees_of_freedom < 1:
        raise HowsureError(
            f"The scores have {len(shift.target)} ranges: with no more than classes there is nothing to test."
        )
    from scipy import special

    statistic = float(shift.leftover @ shift.precision @ shift.leftover)
    p_value = float(special.chdtrc(degrees_of_freedom, statistic))
    return LabelShiftTest(statistic=statistic, degrees_of_freedom=degrees_of_freedom, p_value=p_value)
