"""Contrasts: the difference, the ratio or the odds ratio of a metric of two models, as a metric of the joint table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.metrics.forms import divide
from howsure.metrics.metric import Contrast, Effect, Metric, Side
from howsure.tables.counts import Counts
from howsure.tables.table import Table


def _odds(share: Array) -> Array:
    return divide(share, 1 - share)


def _odds_slopes(a: Array, b: Array) -> tuple[Array, Array]:
    ratio = divide(_odds(a), _odds(b))
    return divide(ratio, a * (1 - a)), -divide(ratio, b * (1 - b))


def _ratio_slopes(a: Array, b: Array) -> tuple[Array, Array]:
    return divide(np.ones(np.shape(b)), b), -divide(a, b * b)


EFFECTS = {
    each.name: each
    for each in (
        Effect(
            "difference",
            "{} − {}".format,
            0.0,
            np.subtract,
            lambda a, b: (np.ones(np.shape(a)), -np.ones(np.shape(b))),
            lambda low, high: (low - high, high - low),
            (-np.inf, np.inf),
        ),
        Effect("ratio", "{} / {}".format, 1.0, divide, _ratio_slopes, lambda low, high: (0.0, np.inf), (0.0, np.inf)),  # noqa: ARG005
        Effect(
            "odds_ratio",
            "odds of {} / odds of {}".format,
            1.0,
            lambda a, b: divide(_odds(a), _odds(b)),
            _odds_slopes,
            lambda low, high: (0.0, np.inf),  # noqa: ARG005 - the bounds' signature
            (0.0, 1.0),
        ),
    )
}


def contrast_metric(effect: Effect, first: Side, second: Side) -> Metric:
    """Return the contrast of two models' metrics as a metric of their joint table.

    Raises
    ------
    HowsureError
        If the effect is not defined for the metric's range: ratios need values of at least 0, odds ratios proportions.
    """
    metric = first.metric
    effect.check(metric)

    def value(counts: Counts) -> Array:
        return np.asarray(effect.value(first.value(counts), second.value(counts)))

    def gradient(counts: Counts) -> Array:
        slopes = effect.slopes(first.value(counts), second.value(counts))
        by_first, by_second = (side.gradient(counts, each) for side, each in zip((first, second), slopes, strict=True))
        by_first += by_second
        return by_first

    return Metric(
        f"{metric.label}: {effect.words(first.name, second.name)}",
        Counts,
        value,
        gradient,
        range=effect.bounds(*metric.range),
        better=metric.better,
        contrast=Contrast(effect, first, second),
        takes_batches=first.metric.takes_batches and second.metric.takes_batches,
    )


def averaged_numbers(metric: Metric, cells: int) -> Array | None:
    """Return the numbers of the cells whose mean, or difference of two means, is the metric; None for other metrics.

    Parameters
    ----------
    metric : Metric
        The metric.
    cells : int
        How many cells its table has.
    """
    if metric.contrast is None:
        return None if metric.ratio is None or not metric.is_mean else np.asarray(metric.ratio.numerator).ravel()
    found = []
    for side in (metric.contrast.first, metric.contrast.second):
        numbers = averaged_numbers(side.metric, int(np.prod(side.view.shape)))
        if numbers is None or not metric.is_mean:
            return None
        found.append(side.view.pulled_back(numbers.reshape(side.view.shape), cells).ravel())
    return np.asarray(found[0] - found[1])


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The cases that a share is of, by success of either model: numbers, or one for each table of a batch."""

    both: Any
    first: Any
    second: Any
    neither: Any

    @property
    def total(self) -> Any:
        """All cases."""
        return self.both + self.first + self.second + self.neither


def pair_counts(metric: Metric, table: Table) -> PairCounts | None:
    """Return the cases by success of either model, for a contrast of two proportions of the same cases; else None.

    Accuracy, recall, specificity and the false positive rate are such proportions. Precision is not: its cases
    are the predicted positives, which the model chooses.
    """
    contrast = metric.contrast
    if contrast is None or len(table.design.test_sets) > 1:
        return None
    shares = [side.metric.proportion for side in (contrast.first, contrast.second)]
    marks = []
    for side, share in zip((contrast.first, contrast.second), shares, strict=True):
        if share is None or (share.success_coefficients, share.failure_coefficients) != ((1, 1), (0, 1)):
            return None
        marks.append([side.marks(cells, table.shape) for cells in (share.successes, share.trials)])
    (first, trials), (second, others) = marks
    if not np.array_equal(trials, others):
        return None
    patterns = (first & second, first & ~second, ~first & second, ~first & ~second)
    return PairCounts(*(table.counts[..., trials & pattern].sum(-1) for pattern in patterns))
