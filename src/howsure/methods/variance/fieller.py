"""Fieller's interval for a ratio of two linear forms in the counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.cell_sums import dot
from howsure.designs.variance_details import VarianceDetails
from howsure.methods.core.interval import (
    CONSTANT,
    NO_TRIALS,
    ONE_CLUSTER,
    Interval,
    IntervalAtLevel,
    interval_with_reasons,
)
from howsure.methods.core.method import Method
from howsure.methods.core.standard_errors import critical_value, is_positive_error, small_sample, standard_error
from howsure.metrics.forms import Ratio
from howsure.metrics.metric import Metric
from howsure.tables.table import Table, with_pseudo_counts


@final
@dataclass(frozen=True, slots=True)
class Fieller(Method):
    """Fieller's interval: the values θ with ``(A - θB)**2 <= z**2 Var(A - θB)``.

    For ``metric = A / B`` with both linear in the counts (F1, F-beta, Jaccard, any proportion, mean absolute
    error). The variance is evaluated at θ, not at the estimate, so the limits are the roots of a quadratic. They are
    clipped at the metric's range. For a proportion of estimated counts, the sampling variance of its cases is also
    evaluated at θ, as in Wilson's interval. Few unequal clusters and uneven weights increase z.

    References
    ----------
    Fieller (1954), Journal of the Royal Statistical Society B 16.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "f1", method=Fieller()))
    0.913 [0.847, 0.972]
    """

    name: ClassVar[str] = "fieller"
    takes_batches: ClassVar[bool] = True

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for ratios of linear forms, otherwise the reason why not."""
        if metric.ratio is not None:
            return ""
        return (
            f"`Fieller` needs a ratio of linear forms in the counts, and `{metric.name}` is not one. "
            "Use `Delta()` or `Bootstrap()`."
        )

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        assert metric.ratio is not None  # noqa: S101 - see `unsupported_reason`
        share = None if table.design.traits.is_counted else metric.proportion
        ratio = metric.ratio if share is None else Ratio(share.successes * 1.0, share.trials * 1.0)
        with np.errstate(all="ignore"):
            value, error = np.asarray(metric(table.counted)), standard_error(metric, table)
        forms = _Forms.of(ratio, table)
        varies = shows = is_positive_error(error, value)
        if not shows.all():
            smoothed = with_pseudo_counts(table)
            variances = zip(forms.variances, _Forms.of(ratio, smoothed).variances, strict=True)
            forms = _Forms(forms.part, forms.whole, tuple(np.where(shows, own, other) for own, other in variances))
            # Where the forms are proportional the roots are one, and the distance of those found is rounding.
            varies = shows | is_positive_error(standard_error(metric, smoothed), metric(smoothed.counted))
        if share is not None:
            forms = forms.scored(table.cells.sum(-1), VarianceDetails.of(table.design).minimum_unit_size)
        known = small_sample(metric, table)
        defined = np.isfinite(value) & (dot(table.cells, (ratio.denominator != 0).ravel() * 1.0) > 0)

        def interval(confidence_level: float) -> Interval:
            z = critical_value(confidence_level, *known)
            with np.errstate(invalid="ignore"):
                low, high = forms.roots(z)
                if share is not None:
                    low, high = (share.metric(np.clip(each, 0.0, 1.0)) for each in (low, high))
                low = np.maximum(np.minimum(low, value), metric.range[0])
                high = np.minimum(np.maximum(high, value), metric.range[1])
                constant = ~(varies & (low < high))
            refusals = (constant, CONSTANT), (~np.isfinite(z), ONE_CLUSTER), (~defined, NO_TRIALS)
            return interval_with_reasons(low, high, np.where(defined, error, np.nan), *refusals)

        return interval


@dataclass(frozen=True, slots=True)
class _Forms:
    """Numerator and denominator with their variances and covariance."""

    part: Array
    whole: Array
    variances: tuple[Array, ...]

    @classmethod
    def of(cls, ratio: Ratio, table: Table) -> _Forms:
        a, b = (np.broadcast_to(form, table.counts.shape) for form in (ratio.numerator, ratio.denominator))
        part, whole = (dot(table.cells, form.ravel()) for form in (ratio.numerator, ratio.denominator))
        together = (table.variance(a + b) - table.variance(a - b)) / 4
        return cls(part, whole, (table.variance(a), table.variance(b), together))

    def scored(self, total: Array, unit: float) -> _Forms:
        """Return the forms of a proportion A / B of N cases, with the sampling variance at θ, not at the estimate.

        If θ is the true proportion, the variance of ``A - θB`` is ``B θ (1 - θ)``. That of a multinomial sample at the
        estimate is smaller by ``(θB - A) (1 - 2θ) + (A - θB)² / N``. Both are multiplied by the unit of a case. The
        variance due to errors of the labels is unchanged; without such errors the roots are Wilson's limits.
        """
        a, b = self.part, self.whole
        of_part, of_whole, together = self.variances
        of_part, of_whole = of_part - unit * (a - a**2 / total), of_whole - unit * (2 * b - b**2 / total)
        return _Forms(a, b, (of_part, of_whole, together - unit * (b / 2 + a - a * b / total)))

    def roots(self, z: Any) -> tuple[Array, Array]:
        of_part, of_whole, together = self.variances
        square = self.whole**2 - z**2 * of_whole
        middle = self.part * self.whole - z**2 * together
        root = np.sqrt(np.maximum(middle**2 - square * (self.part**2 - z**2 * of_part), 0.0))
        bounded = square > 0
        scale = np.where(bounded, square, 1.0)
        low = np.where(bounded, (middle - root) / scale, -np.inf)
        return low, np.where(bounded, (middle + root) / scale, np.inf)
