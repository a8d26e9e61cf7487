"""The exact interval of the area under the ROC curve for few cases, from the distribution of Mann and Whitney's U."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.methods.areas.delong import NO_CASE, class_sizes, observed_area, suits_areas_of_scores
from howsure.methods.core.interval import Interval, IntervalAtLevel
from howsure.methods.core.method import Method
from howsure.metrics.metric import Metric
from howsure.tables.table import Table

MOST_PAIRS = 1600  # of a positive and a negative case: 40 of each
ROUNDING = 1e-6  # of the number of won pairs
LARGEST_LOG_ODDS = 30.0  # of the area: beyond, it is 0 or 1


@final
@dataclass(frozen=True, slots=True)
class MannWhitney(Method):
    """Interval of ROC AUC by inverting the exact test of Mann and Whitney's U; for tiny samples.

    Notes
    -----
    U is the number of pairs in which the positive case has the higher score. Its distribution is exact under Lehmann's
    alternatives, in which the distribution function of one class is a power of the other's. Going along the ranks, if a
    positive and b negative cases are left, the next case is positive with odds ``a θ : b``. The area is ``1 / (1 + θ)``
    from the bottom or ``θ / (1 + θ)`` from the top. The limits are the areas at which the tail probability of the
    observed U is (1 − level) / 2, for the direction with the wider interval. At an area of 1/2 the distribution is that
    of the test: the interval contains 1/2 exactly if the test, two-sided by twice the smaller tail, does not reject.
    Ties count half, and U is rounded to the next integer that widens the interval. For independent cases, and up to
    1600 pairs.

    References
    ----------
    Mann, Whitney (1947), Annals of Mathematical Statistics 18; Lehmann (1953), Annals of Mathematical Statistics 24;
    Savage (1956), Annals of Mathematical Statistics 27.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.scores([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    >>> print(hs.estimate(table, "roc_auc", method=MannWhitney()))
    1.000 [0.413, 1.000]
    """

    name: ClassVar[str] = "mann_whitney"

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for the area of a table of scores with few independent, labelled cases, else why not."""
        refusal = suits_areas_of_scores(self, metric, table)
        if refusal:
            return refusal
        if not (table.design.traits.is_independent or table.design.traits.has_fixed_class_totals):
            return "`MannWhitney` is for independent cases without weights. Use `DeLong()`."
        others, number = class_sizes(table)
        if np.max(others * number) <= MOST_PAIRS:
            return ""
        return (
            f"`MannWhitney` is for up to {MOST_PAIRS} pairs, and {np.max(number):g} positive with {np.max(others):g} "
            f"negative cases make {np.max(number * others):g}. Use `DeLong()`."
        )

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        value, (others, number) = float(observed_area(metric, table)), (round(size) for size in class_sizes(table))
        if np.isnan(value):
            return lambda _: Interval(np.nan, np.nan, reason=NO_CASE)
        wins = value * others * number
        least, most = int(np.floor(wins + ROUNDING)), int(np.ceil(wins - ROUNDING))

        def interval(confidence_level: float) -> Interval:
            tail = (1 - confidence_level) / 2
            low, high = 1.0, 0.0
            for sizes in ((number, others), (others, number)):  # the two directions along the ranks

                def above(at: float, sizes: tuple[int, int] = sizes) -> float:
                    return float(wins_distribution(*sizes, at)[least:].sum()) - tail

                def below(at: float, sizes: tuple[int, int] = sizes) -> float:
                    return tail - float(wins_distribution(*sizes, at)[: most + 1].sum())

                low = min(low, _root(above) if least > 0 else 0.0)
                high = max(high, _root(below) if most < others * number else 1.0)
            return Interval(min(low, value), max(high, value))

        return interval


def wins_distribution(positives: int, negatives: int, area: float) -> Array:
    """Return the probability of each number of won pairs, ``(positives * negatives + 1,)``, at an area.

    Lehmann's alternatives are taken from the bottom of the ranks; exchange the sizes of the classes for the top.

    Examples
    --------
    >>> wins_distribution(2, 1, 0.5).round(3).tolist()  # the three places of the negative case are equally likely
    [0.333, 0.333, 0.333]
    """
    size = positives * negatives + 1
    rows = np.zeros((positives + 1, size))  # by positives left, for as many negatives as are counted up below
    rows[:, 0] = 1.0
    for left in range(1, negatives + 1):
        before, rows = rows, np.zeros((positives + 1, size))
        rows[0, 0] = 1.0
        for ahead in range(1, positives + 1):
            share = ahead * (1 - area) / (ahead * (1 - area) + left * area)  # that the lowest case is positive
            rows[ahead] = share * rows[ahead - 1]
            rows[ahead, ahead:] += (1 - share) * before[ahead, : size - ahead]
    return np.asarray(rows[positives])


def _root(function: Callable[[float], float]) -> float:
    """Return the root of an increasing function of the area."""
    from scipy import optimize, special

    ends = (-LARGEST_LOG_ODDS, LARGEST_LOG_ODDS)
    return float(special.expit(optimize.brentq(lambda odds: function(float(special.expit(odds))), *ends, xtol=1e-10)))
