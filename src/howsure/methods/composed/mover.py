"""MOVER: the interval of a sum of proportions from the score intervals of its terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.base import safe_divide
from howsure.designs.two_level import TwoLevel
from howsure.designs.variance_details import VarianceDetails
from howsure.methods.core.interval import (
    CONSTANT,
    ONE_CLUSTER,
    UNDEFINED,
    Interval,
    IntervalAtLevel,
    interval_with_reasons,
)
from howsure.methods.core.method import Method, needs_counted_cases, needs_labels
from howsure.methods.core.standard_errors import (
    LEAST_WORTH,
    critical_value,
    is_positive_error,
    normal_quantile,
    standard_error,
)
from howsure.methods.default import default_method
from howsure.methods.numerics import binomial
from howsure.methods.numerics.confidence_levels import Level
from howsure.methods.proportions.proportion import Wilson
from howsure.methods.variance.gap_test import GapTest
from howsure.metrics.forms import Distance, Parts, Proportion, Ratio
from howsure.metrics.metric import Contrast, Metric, Side
from howsure.tables.counts import ClassCounts
from howsure.tables.protocols import cases_per_count, effective_sample_size
from howsure.tables.table import Table
from howsure.tables.variances import small_sample_correction

NEVER = 1 - 1e-9  # tail probability of a level at which a test rejects nearly everything


@final
@dataclass(frozen=True, slots=True)
class Mover(Method):
    """Method of variance estimates recovery, for averages and differences of proportions.

    The variance of each term near its lower limit is recovered from its own Wilson interval, and likewise near the
    upper one: ``low = value - sqrt(r * sum(w**2 (p - l)**2))``. The factor ``r`` is the delta-method variance of the
    sum over that of independent terms. It is 1 for macro recall and macro precision of independent cases. It accounts
    for correlated terms (macro F1) and for any other design.

    References
    ----------
    Zou, Donner (2008), Statistics in Medicine 27; Newcombe (1998), Statistics in Medicine 17.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "informedness", method=Mover()))
    0.837 [0.683, 0.908]
    """

    name: ClassVar[str] = "mover"
    takes_batches: ClassVar[bool] = True

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for averages and sums of proportions of counted cases, and for differences; else why not."""
        if metric.contrast is not None:
            effect = metric.contrast.effect.name
            return (
                ""
                if effect == "difference"
                else f"`Mover` is for a difference, not for a {effect.replace('_', ' ')}. Use `Delta()`."
            )
        if refusal := needs_labels(self, table):
            return refusal
        if metric.proportion_sum is None:
            return (
                f"`Mover` needs an average or a sum of proportions, and `{metric.name}` is not one. "
                "Use `Delta()` or `Bootstrap()`."
            )
        return needs_counted_cases(self, table)

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        if metric.contrast is not None:
            return _difference(metric, metric.contrast, table)
        proportions = metric.proportion_sum
        assert proportions is not None  # noqa: S101 - see `unsupported_reason`
        with np.errstate(all="ignore"):
            value = np.asarray(metric(table.counted))
        error, parts = standard_error(metric, table), _Part.of_all(proportions, table)
        alone = np.asarray(sum(part.weighted(part.variances) for part in parts))
        factor = np.where(is_positive_error(np.sqrt(alone), value), safe_divide(error**2, alone), 1.0)

        def interval(confidence_level: float) -> Interval:
            ends = [part.limits(confidence_level) for part in parts]
            reach = (
                sum(part.weighted((part.values - limits[end]) ** 2) for part, limits in zip(parts, ends, strict=True))
                for end in (0, 1)
            )
            below, above = (np.sqrt(factor * each) for each in reach)
            low, high = np.maximum(value - below, metric.range[0]), np.minimum(value + above, metric.range[1])
            varies, known = is_positive_error(high - low, value), np.isfinite(value)
            return interval_with_reasons(
                low, high, error, (~varies, CONSTANT), (~np.isfinite(error), ONE_CLUSTER), (~known, UNDEFINED)
            )

        return interval


def _difference(metric: Metric, contrast: Contrast, table: Table) -> IntervalAtLevel:
    """Return the interval of a difference from those of the two models and their correlation.

    For proportions of two independent samples it is Newcombe's hybrid score interval (1998, Statistics in Medicine
    17:873–890, method 10); for proportions of the same cases his method 8 for paired data.
    """
    value, error = np.asarray(metric(table.counted)), standard_error(metric, table)
    sides, is_separate = (contrast.first, contrast.second), len(table.design.test_sets) > 1
    tables = [side.view.table(table) for side in sides]
    single = [_single(side.metric, own) for side, own in zip(sides, tables, strict=True)]
    if all(isinstance(side.metric.structure, Distance) for side in sides):
        tested = {side.name: GapTest().tested(side.metric, own) for side, own in zip(sides, tables, strict=True)}
        return _of_distances(metric, value, error, tested, 0.0 if is_separate else _correlation(sides, table, error))
    values = [np.asarray(side.value(table.counted)) for side in sides]
    shared = 0.0 if is_separate else _correlation(sides, table, error)
    names = (contrast.first.name, contrast.second.name)
    return difference_at_levels(values, single, error, shared, metric.range, names)


def difference_at_levels(
    values: Sequence[Array],
    single: Sequence[IntervalAtLevel],
    error: Array,
    correlation: Any,
    bounds: tuple[Any, Any],
    names: tuple[str, str],
) -> IntervalAtLevel:
    """Return the interval of a difference from the intervals of two estimates, or of many pairs of estimates.

    Parameters
    ----------
    values : pair of ndarray
        The first and the second estimates.
    single : pair of callable
        Level → intervals of the first and of the second estimates.
    error : ndarray
        Standard errors of the differences.
    correlation : float or ndarray
        Correlation of the two.
    bounds : pair of float or ndarray
        Range of the differences.
    names : pair of str
        Names of the first and the second, for reasons.
    """
    value = values[0] - values[1]

    def interval(confidence_level: float) -> Interval:
        own = [each(confidence_level) for each in single]
        below = [each - found.low for each, found in zip(values, own, strict=True)]
        above = [found.high - each for each, found in zip(values, own, strict=True)]
        low = value - _reach(below[0], above[1], correlation)
        high = value + _reach(above[0], below[1], correlation)
        reason = np.where(is_positive_error(high - low, value), "", CONSTANT)
        reason = np.where(np.isfinite(value), reason, UNDEFINED)
        for name, found in zip(reversed(names), reversed(own), strict=True):
            missing = np.char.add(f"{name}: ", np.asarray(found.reason, dtype=str))
            reason = np.where(np.isnan(found.low), missing, reason)
        usable = reason == ""
        low, high = np.maximum(low, bounds[0]), np.minimum(high, bounds[1])
        return Interval(np.where(usable, low, np.nan), np.where(usable, high, np.nan), error, reason=reason)

    return interval


def _of_distances(
    metric: Metric, value: Array, error: Array, tested: Mapping[str, IntervalAtLevel], correlation: Any
) -> IntervalAtLevel:
    """Return the interval of a difference of distances from calibration.

    Noise increases a distance, so the observed one lies above the middle of its interval. The reaches of the limits are
    therefore counted from the distances that the tests reject least, and the interval is extended to contain the
    observed difference.
    """
    single = list(tested.values())
    centres = [(np.asarray(each.low) + each.high) / 2 for each in (limits(Level(NEVER)) for limits in single)]
    centre = centres[0] - centres[1]

    def interval(confidence_level: float) -> Interval:
        own = [each(confidence_level) for each in single]
        below = [middle - np.minimum(found.low, middle) for middle, found in zip(centres, own, strict=True)]
        above = [np.maximum(found.high, middle) - middle for middle, found in zip(centres, own, strict=True)]
        low = np.minimum(centre - _reach(below[0], above[1], correlation), value)
        high = np.maximum(centre + _reach(above[0], below[1], correlation), value)
        why = [f"{name}: {found.reason}" for name, found in zip(tested, own, strict=True) if found.reason]
        low, high = np.maximum(low, metric.range[0]), np.minimum(high, metric.range[1])
        return Interval(low, high, error, reason=why[0] if why else "")

    return interval


def _single(metric: Metric, table: Table) -> IntervalAtLevel:
    """Return the interval of one model: Wilson's for a proportion, as in Newcombe's methods, otherwise the default."""
    wilson = Wilson()
    method = default_method(metric, table) if wilson.unsupported_reason(metric, table) else wilson
    return method.at_levels(metric, table)


def _reach(first: Any, second: Any, correlation: Any) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(np.sqrt(np.maximum(first**2 + second**2 - 2 * correlation * first * second, 0.0)))


def _correlation(sides: tuple[Side, Side], table: Table, error: Array) -> Array:
    first, second = (standard_error(side.as_metric(), table) for side in sides)
    return correlation_of(first, second, error)


def correlation_of(first: Array, second: Array, error: Array) -> Array:
    """Return the correlation of two estimates from their standard errors and that of their difference."""
    with np.errstate(invalid="ignore"):
        return np.clip(safe_divide(first**2 + second**2 - error**2, 2 * first * second), -1.0, 1.0)


@dataclass(frozen=True, slots=True)
class _Part:
    """One proportion of each class, ``(..., classes)``, and its weight in the sum."""

    share: Proportion
    weight: float
    values: Array
    shares: Array
    variances: Array
    defined: Array
    effective_trials: Callable[[float], Array]  # level → effective number of trials

    @classmethod
    def of_all(cls, parts: Parts, table: Table) -> list[_Part]:
        counts = table.counted
        assert isinstance(counts, ClassCounts)  # noqa: S101 - only these have parts
        classes = np.arange(counts.classes) if parts.classes is None else np.asarray(parts.classes)
        outcomes = np.stack([part[..., classes] for part in counts.outcomes()])
        return [cls.of(weight, ratio, outcomes, table, classes) for weight, ratio in parts.terms]

    @classmethod
    def of(cls, weight: float, ratio: Ratio, outcomes: Array, table: Table, classes: Array) -> _Part:
        share = ratio.proportion
        assert share is not None  # noqa: S101 - parts are made of proportions only
        successes, trials = outcomes[share.successes].sum(0), outcomes[share.trials].sum(0)
        defined = trials > 0
        shares = np.where(defined, safe_divide(successes, trials), 0.5)
        ahead = (slice(None), *[None] * shares.ndim)
        gradient = (share.successes[ahead] - shares * share.trials[ahead]) / np.where(defined, trials, 1)
        variances = _class_variances(gradient, table, classes)
        n_effective = _effective_trials(share, shares, trials, gradient, variances, table, classes)
        slope = _link_slope(share, shares)
        return cls(share, weight, share.metric(shares), shares, variances * slope**2, defined, n_effective)

    def weighted(self, values: Array) -> Array:
        """Return the sum over the defined classes, with the square of the part's weight."""
        number = np.maximum(self.defined.sum(-1), 1)
        return np.asarray((self.weight / number) ** 2 * np.where(self.defined, values, 0.0).sum(-1))

    def limits(self, confidence_level: float) -> tuple[Array, Array]:
        """Return Wilson's limits of each class, on the metric's scale."""
        n_effective = self.effective_trials(confidence_level)
        with np.errstate(all="ignore"):
            low, high = binomial.wilson(self.shares * n_effective, n_effective, confidence_level)
            return self.share.metric(low), self.share.metric(high)


def _link_slope(share: Proportion, shares: Array) -> Array:
    step = 1e-20
    return np.asarray(share.metric(shares + step * 1j).imag / step)


def _by_class(values: Array, classes: Array, index: int, table: Table) -> Array:
    """Return values for the four outcomes of one class, ``(4, ...)``, as values of the cells, ``(..., cells)``."""
    counts = table.counted
    assert isinstance(counts, ClassCounts)  # noqa: S101 - only these have parts
    spread = np.zeros((*values.shape, counts.classes))
    spread[..., classes[index]] = values
    return counts.by_cell(spread)


def _class_squares(table: Table, classes: Array) -> Array | None:
    """Return the sums of squared weights by outcome and class, ``(4, ..., m)``, for independent cases."""
    squares = VarianceDetails.of(table.design).squared_weights(cells := table.cells)
    if squares is None:
        return None
    counts = table.counted if squares is cells else table.make_counts(squares)
    assert isinstance(counts, ClassCounts)  # noqa: S101 - only these have parts
    return np.stack([part[..., classes] for part in counts.outcomes()])


def _class_variances(gradient: Array, table: Table, classes: Array) -> Array:
    """Return the design's variance of each class's linear form, from its slopes by the outcomes, ``(4, ..., m)``."""
    squares = _class_squares(table, classes)
    if squares is not None:
        return np.asarray((squares * gradient**2).sum(0))
    each = [table.variance(_by_class(gradient[..., index], classes, index, table)) for index in range(len(classes))]
    return np.stack(each, -1)


def _effective_trials(
    share: Proportion, shares: Array, trials: Array, gradient: Array, variances: Array, table: Table, classes: Array
) -> Callable[[float], Array]:
    """Return the effective number of trials of each class, as a function of the level."""
    design = table.design
    if design.traits.is_independent:
        return lambda _: trials
    n_effective = safe_divide(shares * (1 - shares), variances)
    silent = ~is_positive_error(np.sqrt(variances), shares) & (trials > 0)
    for index in np.flatnonzero(silent.any(tuple(range(silent.ndim - 1)))):
        selected = _by_class(share.trials.astype(float), classes, int(index), table) > 0
        n_effective[..., index] = np.where(
            silent[..., index], effective_sample_size(table, selected), n_effective[..., index]
        )
    inflation: Any = 1.0
    degrees_of_freedom = np.asarray(design.degrees_of_freedom)[..., None]
    squares = _class_squares(table, classes)
    if squares is not None:
        n_effective = np.minimum(n_effective, safe_divide(trials**2, squares[share.trials].sum(0)))
    elif design.supports(VarianceDetails.small_sample_correction):
        selected = np.broadcast_to(share.trials[(slice(None), *[None] * silent.ndim)], gradient.shape)
        inflation, degrees_of_freedom = _small_samples(np.where(silent, selected, gradient), table, classes)
    most = _cases(share, table, classes) if np.isfinite(degrees_of_freedom).any() else trials

    def at_level(confidence_level: float) -> Array:
        found = n_effective
        if np.isfinite(degrees_of_freedom).any():
            reach = critical_value(confidence_level, np.where(silent, 1.0, inflation), degrees_of_freedom)
            ratio = normal_quantile(confidence_level) / reach
            found = np.minimum(np.maximum(n_effective * ratio**2, LEAST_WORTH), most)
        return np.where(trials > 0, found, 0.0)

    return at_level


def _cases(share: Proportion, table: Table, classes: Array) -> Array:
    """Return the number of cases in the denominator of each class's proportion, ``(..., m)``."""
    levels = TwoLevel.of(table.design)
    observed = levels.observed_cells(table.cells)
    selected = [_by_class(share.trials.astype(float), classes, index, table) for index in range(len(classes))]
    found = [(observed * levels.expand_to_observed((each > 0).reshape(-1) * 1.0)).sum(-1) for each in selected]
    return np.stack(found, -1) * cases_per_count(table)[..., None]


def _small_samples(gradient: Array, table: Table, classes: Array) -> tuple[Array, Array]:
    """Return the variance factor of each class's form and its degrees of freedom, ``(..., m)``."""
    forms = [_by_class(gradient[..., index], classes, index, table) for index in range(len(classes))]
    found = [small_sample_correction(table, form) for form in forms]
    inflation, degrees_of_freedom = (np.stack(each, -1) for each in zip(*found, strict=True))
    return inflation, degrees_of_freedom
