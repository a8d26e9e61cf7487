"""Linearised metrics of training runs: the value of each run, and the contribution of each unit to its error.

A unit is a case, or a cluster of cases. To first order, the error of a run's value is the sum of the deviations of its
units, so that variances and covariances of runs and algorithms follow from the deviations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.binding import left_out, resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables.table import Table
from howsure.training.predictions import Predictions

AnyMetric = str | Spec | Metric
Average = Literal["folds", "cases"]
EXTREMES = ("min", "max")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Form:
    """A metric of the training runs of one algorithm, linearised.

    Parameters
    ----------
    metric : Metric
        The metric, bound to all cases of the first run.
    table : Table
        All cases of the first run.
    values : ndarray of shape (runs,)
        Value of each run.
    deviations : ndarray of shape (runs, units)
        Contribution of each unit to the error of the value of each run.
    by_fold : ndarray of shape (runs, folds), or None
        Value of each fold, if the metric is averaged over folds; nan beyond the folds of a run.
    is_unbiased : bool
        Whether the squared deviations include the small-sample factors already, as those of areas do.
    reason : str
        Why a value is undefined; empty if none is.
    """

    metric: Metric
    table: Table
    values: Array
    deviations: Array
    by_fold: Array | None = None
    is_unbiased: bool = False
    reason: str = ""

    def minus(self, other: Form) -> Form:
        """Return the form of the differences of paired runs."""
        values, deviations = self.values - other.values, self.deviations - other.deviations
        return replace(self, values=values, deviations=deviations, reason=self.reason or other.reason)

    @property
    def negative(self) -> Form:
        """The form with the opposite sign."""
        return replace(self, values=-self.values, deviations=-self.deviations)


def averaged_over(metric: Metric) -> Average:
    """Return whether a metric is averaged over folds, or is that of all cases together.

    Metrics that rank cases by their scores are averaged over folds, because the scores of different models need not be
    comparable (Forman and Scholz 2010). Mean losses, for which both are equal, and metrics of predictions or of
    probabilities are those of all cases.
    """
    if not metric.of_scores or metric.spec is None:
        return "cases"
    return "cases" if metric.spec.definition.rows is not None else "folds"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Question:
    """A metric and how it is averaged.

    Parameters
    ----------
    metric : str, Spec or Metric
        The metric.
    threshold : float, optional
        Threshold of a metric of counts on scores.
    average : {"folds", "cases"}, optional
        Whether the metric is averaged over folds, or is that of all cases; by default chosen by the metric.
    """

    metric: AnyMetric
    threshold: float | None
    average: Average | None

    def forms(self, predictions: Predictions, algorithms: tuple[str, ...]) -> dict[str, Form]:
        """Return the linearised metric of each algorithm; averages over classes use the same classes for all."""
        tables = {
            name: [predictions.table(name, run) for run in range(len(predictions.runs[name]))] for name in algorithms
        }
        every = [table for several in tables.values() for table in several]
        without = left_out(self.metric, every) if self.threshold is None else None

        def bound(table: Table) -> Metric:
            return resolve(self.metric, table, threshold=self.threshold, without=without)

        first = bound(every[0])
        _refuse_nonlinear(first)
        by_folds = predictions.folds is not None and (self.average or averaged_over(first)) == "folds"
        found = {}
        for name, several in tables.items():
            metrics = [first if table is every[0] else bound(table) for table in several]
            if by_folds:
                found[name] = self._over_folds(predictions, name, bound, metrics[0], several[0])
            else:
                pairs = list(zip(metrics, several, strict=True))
                found[name] = Form(
                    metric=metrics[0],
                    table=several[0],
                    values=np.array([float(metric(table.counted)) for metric, table in pairs]),
                    deviations=np.stack([deviations(*pair, len(predictions.size)) for pair in pairs]),
                )
        return found

    def _over_folds(self, predictions: Predictions, name: str, bound: Any, metric: Metric, table: Table) -> Form:
        """Return the mean over the folds of each run, weighted by their numbers of cases.

        The mean has two sources of error: the metric within each fold, and the random sizes of the folds.
        """
        size, cases = predictions.size, predictions.cases
        values, deviations_of_runs, each_fold, reason = [], [], [], ""
        for run in range(len(predictions.runs[name])):
            fold = predictions.fold_of_units(run)
            number = predictions.number_of_folds(run)
            share = np.bincount(fold, size) / cases
            by_fold, total = np.full(number, np.nan), np.zeros(len(size))
            for place in range(number):
                part = predictions.table(name, run, place)
                of_fold = bound(part)
                by_fold[place] = float(of_fold(part.counted))
                scaled = share[place] * deviations(of_fold, part, len(size))
                total += scaled * np.sqrt(_inflation(of_fold, part))
                if not np.isfinite(by_fold[place]) or not np.isfinite(total).all():
                    reason = reason or _undefined(part, place)
            mean = float(share @ by_fold)
            values.append(mean)
            deviations_of_runs.append(total + (by_fold - mean)[fold] * size / cases)
            each_fold.append(by_fold)
        longest = max(map(len, each_fold))
        padded = [np.pad(each, (0, longest - len(each)), constant_values=np.nan) for each in each_fold]
        return Form(
            metric=metric,
            table=table,
            values=np.array(values),
            deviations=np.stack(deviations_of_runs),
            by_fold=np.stack(padded),
            is_unbiased=metric.of_scores,
            reason=reason,
        )


def _refuse_nonlinear(metric: Metric) -> None:
    """Refuse metrics whose error is not a sum over units, even to first order."""
    if metric.is_distance:
        raise HowsureError(
            f"`{metric.label}` is a distance from calibration, so its error is not a sum over cases. Take all "
            "predictions as one test set: `hs.estimate(hs.scores(y_true, y_score), metric)`."
        )
    if metric.average in EXTREMES:
        raise HowsureError(
            f"`{metric.label}` is the value of a class that the data select, so its error is not a sum over cases. "
            "Take all predictions as one test set, `hs.confusion`, or name the class."
        )


def deviations(metric: Metric, table: Table, units: int) -> Array:
    """Return the deviation that each unit contributes to a metric: the sum of its counts times the gradient.

    Parameters
    ----------
    metric : Metric
        The metric, bound to the table.
    table : Table
        A table whose clusters are named by the numbers of the units.
    units : int
        Number of units.
    """
    design: Any = table.design
    found = np.zeros(units)
    found[np.asarray(design.names, dtype=np.intp)] = design.totals(metric.finite_gradient(table.counted))
    return found


def _inflation(metric: Metric, table: Table) -> float:
    """Return the factor by which the squared deviations of a metric of scores give DeLong's variance; else 1."""
    if not metric.of_scores:
        return 1.0
    design: Any = table.design
    slopes = metric.finite_gradient(table.counted).reshape(table.cells.shape)
    squares = float((design.totals(slopes) ** 2).sum())
    return float(design.placement_variance(table.cells, table.true_class, slopes)) / squares if squares > 0 else 1.0


def _undefined(table: Table, place: int) -> str:
    """Return why the metric of a fold is undefined."""
    totals = np.asarray(table.class_totals)
    few = [str(label) for label, number in zip(table.labels.tolist(), totals.tolist(), strict=True) if number < 2]
    cause = f" has fewer than two cases of class {', '.join(few)}" if few else " gives no value"
    return f"undefined: fold {place + 1}{cause}; stratify the folds, or take average='cases'"
