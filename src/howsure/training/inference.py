"""Intervals and tests from the linear forms of one algorithm, or of two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, one_of
from howsure.methods.core.scales import Scale, automatic_scale, on_scale
from howsure.methods.core.standard_errors import is_positive_error, quantile
from howsure.training.linear import Form
from howsure.training.predictions import Predictions
from howsure.training.result import Part
from howsure.training.variances import Components, all_pairs, centred, crossed
from howsure.training.words import Fixed, Scope

Method = Literal["all_pairs", "within_folds", "corrected_t"]


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Value of a metric, or of a difference, with the parts of its variance.

    Parameters
    ----------
    value : float
        The estimate.
    components : Components
        Its variance.
    """

    value: float
    components: Components

    @property
    def standard_error(self) -> float:
        """Standard error of the value."""
        return math.sqrt(self.components.total)

    @property
    def varies(self) -> bool:
        """Whether the standard error is more than rounding."""
        return bool(is_positive_error(self.standard_error, self.value))

    def limits(self, level: float, scale: Scale, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the limits of the interval on a scale; nan without variation."""
        if not self.varies:
            return math.nan, math.nan
        half = quantile(level, self.components.degrees_of_freedom) * self.standard_error
        axis = automatic_scale(bounds) if scale == "auto" else scale
        low, high = on_scale(axis, self.value, half, bounds)
        return float(low), float(high)

    def p_value(self) -> float:
        """Return the two-sided p-value of a value of 0; nan without variation."""
        from scipy import special

        if not self.varies:
            return math.nan
        t, degrees = abs(self.value) / self.standard_error, self.components.degrees_of_freedom
        return float(2 * (special.ndtr(-t) if math.isinf(degrees) else special.stdtr(degrees, -t)))

    def parts(self) -> tuple[Part, ...]:
        """Return the parts of the variance that are not fixed by the question."""
        found, total = self.components, self.components.total
        named = {"training runs": found.runs, "test cases": found.cases, "interaction": found.interaction}
        kept = {name: each for name, each in named.items() if not math.isnan(each)}
        return tuple(Part(name, each, each / total if total > 0 else math.nan) for name, each in kept.items())


def checked_method(method: object, predictions: Predictions, runs: int, fixed: object) -> Method:
    """Return the method; refuse one that does not fit the folds and runs."""
    chosen = cast("Method", one_of("method", "all_pairs" if method is None else method, get_args(Method)))
    if fixed is not None:
        one_of("`fixed`", fixed, get_args(Fixed))
        if runs < 2:
            raise HowsureError(f"`fixed` is for several runs, and there is one: drop fixed={fixed!r}.")
    if method is None:
        return "all_pairs"
    if predictions.folds is None:
        raise HowsureError(
            f"method={method!r} is for folds of a cross-validation; training runs on one test set need none."
        )
    if chosen == "corrected_t" and (runs < 2 or fixed is not None):
        raise HowsureError(
            "method='corrected_t' is for repeated cross-validation, whose repeats `run=` names, without `fixed`. For "
            "values of the folds of one use `hs.pool_folds`."
        )
    if chosen == "within_folds" and runs > 1 and fixed != "runs":
        raise HowsureError(
            "method='within_folds' is for one cross-validation, or for the trained models alone: fixed='runs'."
        )
    return chosen


def answer(method: Method, scope: Scope, predictions: Predictions, sides: Sequence[Form]) -> Answer:
    """Return the estimate of one algorithm, or of the difference of two.

    Parameters
    ----------
    method : {"all_pairs", "within_folds"}
        Variance of one cross-validation.
    scope : Scope
        The factors that vary.
    predictions : Predictions
        The predictions.
    sides : sequence of Form
        Linear form of each independent set of runs; with a negative sign for the second algorithm.
    """
    value = sum(float(each.values.mean()) for each in sides)
    if math.isnan(value):
        return Answer(value, Components(math.nan, math.nan, math.nan, math.nan))
    values = [each.values for each in sides]
    if scope.fixed == "cases":
        found = crossed(values, [np.zeros((len(each), 2)) for each in values])
        return Answer(value, Components(found.runs, math.nan, math.nan, found.degrees_of_freedom))
    if scope.runs > 1 and scope.fixed is None:
        return Answer(value, crossed(values, [each.deviations for each in sides]))
    if method == "within_folds":
        (form,) = sides  # algorithms on the same folds are one set of runs
        settings = {"is_unbiased": form.is_unbiased}
        each = [
            centred(own, predictions.fold_of_units(run), predictions.size, **settings)
            for run, own in enumerate(form.deviations)
        ]
        variance = all_pairs(np.mean(each, axis=0))
    else:
        means = np.sum([each.deviations.mean(0) for each in sides], axis=0)
        variance = all_pairs(means) * (1.0 if scope.folds and scope.runs == 1 else len(means) / (len(means) - 1))
    return Answer(value, Components(math.nan, variance, math.nan, math.inf))


def corrected(by_fold: Array, folds: int) -> Answer:
    """Return the corrected resampled t of values by run and fold.

    Parameters
    ----------
    by_fold : ndarray of shape (runs, folds)
        Value of each fold, or difference of two algorithms.
    folds : int
        Number of folds of each run.

    References
    ----------
    Nadeau, Bengio (2003), Machine Learning 52; Bouckaert, Frank (2004), PAKDD.
    """
    values = by_fold.ravel()
    number = len(values)
    variance = float(values.var(ddof=1)) * (1 / number + 1 / (folds - 1))
    return Answer(float(values.mean()), Components(math.nan, variance, math.nan, number - 1.0))


def forms_by_fold(form: Form) -> Array:
    """Return the value of each fold of each run; refuse runs with different numbers of folds."""
    if form.by_fold is None or (np.isnan(form.by_fold).any() and not form.reason):
        raise HowsureError("The runs have different numbers of folds, for which the corrected t is not defined.")
    return form.by_fold


def word(method: Method, scope: Scope) -> str:
    """Return the name of the variance in results."""
    if scope.runs > 1 and scope.fixed is None and method != "corrected_t":
        return "crossed"
    if scope.fixed == "cases":
        return "runs"
    return "cases" if not scope.folds else method
