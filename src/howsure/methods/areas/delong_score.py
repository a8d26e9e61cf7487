"""Score interval of the area under the ROC curve, with DeLong's variance evaluated at each limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.two_level import TwoLevel
from howsure.methods.areas.delong import (
    EQUAL,
    NO_CASE,
    all_equal,
    class_sizes,
    newcombe_variance,
    observed_area,
    placement_error,
    suits_areas_of_scores,
)
from howsure.methods.core.interval import Interval, IntervalAtLevel
from howsure.methods.core.method import Method
from howsure.methods.core.standard_errors import quantile
from howsure.methods.numerics.bisection import root
from howsure.metrics.metric import Metric
from howsure.native.placements import placement_sums
from howsure.tables.table import Table

SMALLEST = 2.0**-60  # absolute precision of the limits


@final
@dataclass(frozen=True, slots=True)
class DeLongScore(Method):
    """Score interval of ROC AUC: DeLong's variance evaluated at each limit, after adding a pseudo-case to each class.

    Notes
    -----
    The interval contains the areas ``A`` with ``(A - observed)² <= t² V(A)``; ``V(A) = v newcombe(A) / newcombe(a)``.
    The function newcombe is the variance of Newcombe's method 5, which follows from the area alone. It gives V its
    shape; DeLong's variance gives V its size. Here ``v`` is the variance and ``a`` the area of the table after one
    pseudo-case is added to each class, half of it below all other cases and half above. The pseudo-case represents
    cases absent from a small sample: positive cases that score like negative ones, or worse.

    Let m and n be the numbers of negative and positive cases, A the observed area and d the variance of the mean
    placements in the sample. Then

    - ``b = (m A + 1/2) / (m + 1)`` and ``a = (n b + 1/2) / (n + 1)``;
    - ``e = (m + 1/2) / (m + 1) / 2`` and ``q = (n (b - a)² + e² + (a - 1/2)²) / (n + 1)²``;
    - ``r`` is defined like ``q``, for the negative cases;
    - ``v = (m n / (m + 1) / (n + 1))² d + q + r``.

    The quantile t is Student's with ``min(m, n)²`` degrees of freedom, which differs from the normal one only for
    classes with a few cases. For weighted data, m and n are Kish's effective numbers.

    The interval is never a point and stays inside [0, 1]. It also exists for separated classes and for a single case.
    If all scores are equal, nothing was ranked and there is no interval.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44; Newcombe (2006), Statistics in Medicine 25:559–573. Their
    combination with a pseudo-case, in the manner of Agresti and Coull (1998, American Statistician 52) for a
    proportion, and the degrees of freedom are howsure's own choice, by simulation.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.3, 0.6])
    >>> print(hs.estimate(table, "roc_auc", method=DeLongScore()))
    0.889 [0.408, 0.988]
    """

    name: ClassVar[str] = "delong_score"
    takes_batches: ClassVar[bool] = True
    ignores_empty_cells: ClassVar[bool] = True

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for the area of labelled scores of two classes with independently drawn cases, else why not."""
        if refusal := suits_areas_of_scores(self, metric, table):
            return refusal
        design = table.design
        if (
            np.isinf(design.degrees_of_freedom).all()
            and not design.traits.has_estimated_prevalence
            and np.all(TwoLevel.of(design).unsampled_fraction == 1)
        ):
            return ""
        return "`DeLongScore` is for cases drawn one by one from many, not for clusters. Use `DeLong()`."

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        found = _of_sums(table) or _of_design(metric, table)
        value, sizes = found.area, found.sizes
        degrees_of_freedom = sizes.min(0) ** 2
        ends = np.array([0.0, 1.0]).reshape(2, *(1,) * value.ndim)
        with np.errstate(all="ignore"):
            area, variance = with_a_case_more(value, found.variance, *sizes)
            scale = variance / newcombe_variance(area, *sizes)

        def interval(confidence_level: float) -> Interval:
            wide = quantile(confidence_level, degrees_of_freedom) ** 2 * scale

            def reserve(area: Array) -> Array:
                return np.asarray(np.sqrt(wide * newcombe_variance(area, *sizes)) - np.abs(area - value))

            limits = root(reserve, value, np.broadcast_to(ends, (2, *value.shape)), tiniest=SMALLEST)
            low, high = np.where(found.reason == "", limits, np.nan)
            return Interval(low, high, found.error, reason=found.reason)

        return interval


def with_a_case_more(area: Any, variance: Any, others: Any, number: Any) -> tuple[Any, Any]:
    """Return area and variance after adding a case to each class, half of it below all others and half above.

    Parameters
    ----------
    area, variance : float or ndarray of shape (...)
        The area, and the variance of the mean placements: sums of squares divided by the squared numbers of cases.
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
    """The inputs of the interval, for one table or each of a batch; a reason if there is no interval."""

    area: Array
    error: Array
    variance: Array
    sizes: Array
    reason: Array


def _of_sums(table: Table) -> _Sample | None:
    """Return the sample from sums in two passes over one table of independent cases, or None for other tables."""
    if table.batch or not table.design.traits.is_independent:
        return None
    sums = placement_sums(table.counts)
    if not (sums.squares.any() and (sums.cases >= 2).all()):  # separated, all equal, or a class with one case
        return None
    each = sums.squares / sums.cases**2
    error = np.sqrt((each * sums.cases / (sums.cases - 1)).sum())
    return _Sample(np.asarray(sums.area), np.asarray(error), np.asarray(each.sum()), sums.cases, np.asarray(""))


def _of_design(metric: Metric, table: Table) -> _Sample:
    """Return the sample from the variance of the design."""
    area = observed_area(metric, table)
    with np.errstate(all="ignore"):
        slopes = metric.gradient_at(table.counted).reshape(table.cells.shape)
        variance = np.asarray(table.design.variance(table.cells, slopes))
    reason = np.where(np.isnan(area), NO_CASE, np.where(all_equal(table), EQUAL, ""))
    error = np.where(reason == NO_CASE, np.nan, placement_error(metric, table))
    return _Sample(area, error, variance, class_sizes(table), reason)
