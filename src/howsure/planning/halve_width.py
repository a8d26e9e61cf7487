"""Number of further cases that halve an interval, computed from the gradient alone in microseconds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.methods.core.standard_errors import is_positive_error, standard_error
from howsure.metrics.metric import Metric
from howsure.planning.splits import Classes
from howsure.tables.table import Table

HALF = 4.0  # factor of the number of cases for half the width
MOST = 0.999  # fraction of the cases above which a class is not named
BISECTIONS = 60


@dataclass(frozen=True, slots=True)
class More:
    """Number of further cases that halve an interval, and the number of them in the most informative class.

    Parameters
    ----------
    cases : int
        Number of further cases.
    label : str
        The class with the largest contribution to the variance; empty if there is none.
    of_class : int
        Number of these cases in that class.
    chosen : bool
        Whether cases should be sampled by class because the metric does not depend on the class frequencies; otherwise
        they are more cases of the same kind.
    """

    cases: int
    label: str
    of_class: int
    chosen: bool

    def sentence(self, of: str = "") -> str:
        """Return the result as a sentence, with the name of the metric if it is given."""
        start = f"Half as wide an interval{f' of {of}' * bool(of)} needs about {self.cases:,} more"
        if self.chosen and self.of_class == self.cases:
            return f"{start} cases of class {self.label}."
        kind = "cases, chosen by class" if self.chosen else "such cases"
        named = f", {self.of_class:,} of them of class {self.label}" if self.label else ""
        return f"{start} {kind}{named}."


def to_halve(metric: Metric, table: Table) -> More | None:
    """Return the number of further cases that halve the interval of a metric; None if it cannot be computed.

    Parameters
    ----------
    metric : Metric
        The metric, bound to the table.
    table : Table
        One table of counted cases.

    Examples
    --------
    >>> import howsure as hs
    >>> from howsure.metrics.binding import resolve
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> to_halve(resolve("recall", table), table).sentence()
    'Half as wide an interval needs about 141 more cases of class 1.'
    """
    traits = table.design.traits
    if not (traits.is_counted and traits.has_one_unit and metric.single_model.takes_batches):
        return None
    with np.errstate(all="ignore"):
        value, error = float(metric(table.counted)), float(standard_error(metric, table))
    if not (math.isfinite(value) and is_positive_error(error, value)):
        return None
    cases = float(table.rows)
    classes = Classes.of(metric, table)
    if classes is None or not (classes.spreads > 0).any():
        return More(math.ceil((HALF - 1) * cases), "", 0, chosen=False)
    if not classes.needs_no_weights:
        most = int(np.argmax(classes.shares * classes.spreads**2))
        return _of_shares(classes, cases, most)
    return _chosen(classes, cases)


def _of_shares(classes: Classes, cases: float, most: int) -> More:
    more = (HALF - 1) * cases
    share = float(classes.shares[most])
    named = classes.labels[most] if share < MOST else ""
    return More(round(more), named, round(more * share), chosen=False)


def _chosen(classes: Classes, cases: float) -> More:
    """Return the fewest further cases by class: each class as in Neyman's split, but not below its present number."""
    there, weights = classes.shares * cases, classes.shares * classes.spreads
    wanted = float((weights**2 / there).sum()) / HALF
    low, high = 0.0, float(HALF * cases / weights.max() * len(weights))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        enough = float((weights**2 / np.maximum(middle * weights, there)).sum()) <= wanted
        low, high = (low, middle) if enough else (middle, high)
    more = np.ceil(np.maximum(high * weights - there, 0.0) - 1e-6)
    most = int(np.argmax(more))
    return More(int(more.sum()), classes.labels[most], int(more[most]), chosen=True)
