"""The score interval of the area under the ROC curve: DeLong's variance, taken at each limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from howsure.methods.delong import (
    EQUAL,
    NO_CASE,
    all_equal,
    class_sizes,
    newcombe_variance,
    observed_area,
    placement_error,
    suits_areas_of_scores,
)
from howsure.methods.halving import root
from howsure.methods.interval import AtLevels, Interval
from howsure.methods.method import Method
from howsure.methods.standard_errors import quantile
from howsure.metrics.metric import Metric
from howsure.native.placements import placement_sums
from howsure.tables.table import Table

Array = NDArray[Any]
SMALLEST = 2.0**-60  # areas below it are not told apart


@final
@dataclass(frozen=True, slots=True)
class DeLongScore(Method):
    """Interval of ROC AUC that takes DeLong's variance at each limit, with a case more in each class.

    Notes
    -----
    The areas ``A`` with ``(A - observed)² <= t² V(A)``. ``V(A) = v newcombe(A) / newcombe(a)`` has the shape of
    Newcombe's variance (method 5), which follows from the area alone, and the size of DeLong's: ``v`` is the variance,
    and ``a`` the area, of a table in which each class has a case more, half of it below all others and half above. That
    case stands for what a small sample does not show: positive cases that score like negative ones, or worse.

    With m negative and n positive cases, an area A and the variance d of the mean placements as they are in the sample,
    ``a = (n b + 1/2) / (n + 1)`` with ``b = (m A + 1/2) / (m + 1)``, and ``v = (m n / (m + 1) / (n + 1))² d + q + r``
    with ``q = (n (b - a)² + e² + (a - 1/2)²) / (n + 1)²`` and ``e = (m + 1/2) / (m + 1) / 2``; r likewise, of the
    negative cases. The quantile is that of Student's t with ``min(m, n)²`` degrees of freedom: the normal one but for
    classes of a few cases. With weights m and n are Kish's effective numbers.

    Never a point, and inside [0, 1]: it serves separated classes and a single case as well. Where all scores are equal
    nothing was ranked, and there is no interval.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44; Newcombe (2006), Statistics in Medicine 25:559–573. To put
    them together with a case more, as Agresti and Coull (1998, American Statistician 52) do for a share, and the
    degrees of freedom are howsure's own choice, by simulation.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.3, 0.6])
    >>> print(hs.estimate(table, "roc_auc", method=DeLongScore()))
    0.889 [0.408, 0.988]
    """

    name: ClassVar[str] = "delong_score"
    takes_batches: ClassVar[bool] = True

    def suits(self, metric: Metric, table: Table) -> str:
        """Return an empty text for the area of labelled scores of two classes, of cases drawn one by one."""
        if refusal := suits_areas_of_scores(self, metric, table):
            return refusal
        design = table.design
        if np.isinf(design.degrees_of_freedom).all() and not design.estimates_shares and np.all(design.remaining == 1):
            return ""
        return "`DeLongScore` is for cases drawn one by one from many, not for clusters. Use `DeLong()`."

    def at_levels(self, metric: Metric, table: Table, rng: Any = None) -> AtLevels:
        """Return the interval as a function of its level; see the class."""
        found = _of_sums(table) or _of_design(metric, table)
        value, sizes = found.area, found.sizes
        freedom = sizes.min(0) ** 2
        ends = np.array([0.0, 1.0]).reshape(2, *(1,) * value.ndim)
        with np.errstate(all="ignore"):
            area, variance = with_a_case_more(value, found.variance, *sizes)
            scale = variance / newcombe_variance(area, *sizes)

        def interval(confidence_level: float) -> Interval:
            wide = quantile(confidence_level, freedom) ** 2 * scale

            def reserve(area: Array) -> Array:
                return np.asarray(np.sqrt(wide * newcombe_variance(area, *sizes)) - np.abs(area - value))

            limits = root(reserve, value, np.broadcast_to(ends, (2, *value.shape)), tiniest=SMALLEST)
            low, high = np.where(found.reason == "", limits, np.nan)
            return Interval(low, high, found.error, reason=found.reason)

        return interval


def with_a_case_more(area: Any, variance: Any, others: Any, number: Any) -> tuple[Any, Any]:
    """Return area and variance with a case more in each class, half of it below all others and half above.

    Parameters
    ----------
    area, variance : float or ndarray of shape (...)
        The area, and the variance of the mean placements, squares divided by the numbers of cases.
    others, number : float or ndarray of shape (...)
        Negative and positive cases.
    """
    added = (area * others * number + (others + number + 1) / 2) / ((others + 1) * (number + 1))
    found = variance * (others / (others + 1) * number / (number + 1)) ** 2
    for own, other in ((number, others), (others, number)):
        mean, half = (area * other + 0.5) / (other + 1), (other + 0.5) / (other + 1) / 2
        found = found + (own * (mean - added) ** 2 + half**2 + (added - 0.5) ** 2) / (own + 1) ** 2
    return added, found


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """What the interval follows from, of one table or for each of a batch; the reason where there is none."""

    area: Array
    error: Array
    variance: Array
    sizes: Array
    reason: Array


def _of_sums(table: Table) -> _Sample | None:
    """Return the sample from sums in two passes over one table of independent cases; None of other tables."""
    if table.batch or not table.design.is_independent:
        return None
    sums = placement_sums(table.counts)
    if not (sums.squares.any() and (sums.cases >= 2).all()):  # separated, equal, or with hardly a case of a class
        return None
    each = sums.squares / sums.cases**2
    error = np.sqrt((each * sums.cases / (sums.cases - 1)).sum())
    return _Sample(np.asarray(sums.area), np.asarray(error), np.asarray(each.sum()), sums.cases, np.asarray(""))


def _of_design(metric: Metric, table: Table) -> _Sample:
    """Return the sample by the variance that the design has for any metric."""
    area = observed_area(metric, table)
    with np.errstate(all="ignore"):
        slopes = metric.gradient_at(table.counted).reshape(table.cells.shape)
        variance = np.asarray(table.design.variance(table.cells, slopes))
    reason = np.where(np.isnan(area), NO_CASE, np.where(all_equal(table), EQUAL, ""))
    error = np.where(reason == NO_CASE, np.nan, placement_error(metric, table))
    return _Sample(area, error, variance, class_sizes(table), reason)
