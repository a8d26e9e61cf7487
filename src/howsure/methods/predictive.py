"""Prediction intervals of cases whose labels are to come, and what else serves expected counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from howsure.designs.expected import Batch, Cases, Known, Population
from howsure.errors import HowsureError
from howsure.methods.bootstrap import Bootstrap
from howsure.methods.delong import DeLong, HanleyMcNeil, Newcombe
from howsure.methods.dirichlet import Dirichlet
from howsure.methods.interval import CONSTANT, NOISE, AtLevels, Interval, Method
from howsure.methods.mann_whitney import MannWhitney
from howsure.methods.mover import Mover
from howsure.methods.proportion import Binomial
from howsure.metrics.metric import Metric
from howsure.tables.counts import ConfusionCounts
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

Array = NDArray[Any]
MOST_TABLES = 2**16  # of the joint distribution; beyond it neighbouring counts are taken together
MOST_COUNTS = 2**8  # of each sum, in that case: a sixteenth of its standard deviation apart
FEW_CASES = 1_000  # of a table of scores: normal intervals of areas cover too little, and draws are quick
NEGLIGIBLE = 1e-13  # mass in each tail of a sum that no interval would notice
OF_LABELLED_CASES = (Binomial, Mover, DeLong, HanleyMcNeil, Newcombe, MannWhitney)


@dataclass(frozen=True, slots=True)
class Predictive(Method):
    """Prediction interval of a metric of cases whose labels are to come, from its own distribution.

    Given the scores, the positive cases among the predicted positives (TP) and among the predicted negatives (FN)
    are independent Poisson-binomial variables. The metric is evaluated on every table that they can form, and the
    limits are quantiles of its distribution: at most half of what the level leaves lies beyond each. Beyond 2×2
    tables labels are drawn instead, always the same where no `random_state` is given. Tables on which the metric is
    undefined are left out, and counted in the estimate's `reason`.

    Parameters
    ----------
    n_draws
        How often labels are drawn, where they are.

    References
    ----------
    Hong (2013), Computational Statistics & Data Analysis 59.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.estimate(hs.calibrated([0.2, 0.4, 0.7, 0.9] * 25).at(0.5), "accuracy", method=Predictive()))
    0.750 [0.670, 0.830] (prediction for these cases; assumes calibrated scores)
    """

    n_draws: int = 9999
    name: ClassVar[str] = "predictive"

    def suits(self, metric: Metric, table: Table) -> str:  # noqa: ARG002 - as of every method
        """Return an empty text for cases whose labels are to come."""
        if isinstance(table.design, Batch | Known):
            return ""
        return (
            "`Predictive` needs scores without labels that are probabilities, `calibrated(y_score)`, and predicts the "
            "metric of their batch. Use 'delta' or 'bootstrap_percentile'."
        )

    def at_levels(self, metric: Metric, table: Table) -> AtLevels:
        """Return the interval as a function of its level; see the class."""
        return lambda level: self.interval(metric, table, level)

    def interval(self, metric: Metric, table: Table, confidence_level: float, rng: Any = None) -> Interval:
        """Return the interval; see the class."""
        if table.design.is_exact:
            return Interval(np.nan, np.nan, 0.0, reason=CONSTANT)
        if _has_joint_distribution(table):
            found = _exact(metric, table, confidence_level)
        else:
            found = Bootstrap("percentile", self.n_draws).interval(metric, table, confidence_level, rng or 0)
        value = float(metric(table.counted))
        if not np.isfinite(value):
            return found
        # Where one outcome has nearly all the probability, the expectation may lie beside it.
        low, high = min(found.low, value), max(found.high, value)
        if not low < high or found.standard_error <= NOISE * max(1.0, abs(value)):
            words = "; ".join(dict.fromkeys(part for part in (CONSTANT, str(found.reason)) if part))
            return Interval(np.nan, np.nan, found.standard_error, found.draws, words)
        return replace(found, low=low, high=high)


def _exact(metric: Metric, table: Table, confidence_level: float) -> Interval:
    """Return quantiles of the metric's distribution over all tables that the batch may turn out to be."""
    assert isinstance(table.design, Batch)  # noqa: S101 - the one with a joint distribution
    tables, mass = joint_distribution(table.design.cases, table.counts.shape)
    with np.errstate(all="ignore"):
        values = np.asarray(metric(ConfusionCounts(tables)), dtype=float)
    defined = ~np.isnan(values)
    known = float(mass[defined].sum())
    if not known > 0:
        return Interval(np.nan, np.nan, reason="the metric is undefined")
    order = np.argsort(values[defined])
    values, mass = values[defined][order], mass[defined][order] / known
    tail = (1 - confidence_level) / 2
    places = np.searchsorted(np.cumsum(mass), (tail + NEGLIGIBLE, 1 - tail - NEGLIGIBLE))
    low, high = (float(limit) for limit in values[np.minimum(places, len(values) - 1)])
    with np.errstate(invalid="ignore"):
        spread = float(np.sqrt((mass * (values - (mass * values).sum()) ** 2).sum()))
    reason = f"undefined with probability {1 - known:.2g}" if 1 - known > NEGLIGIBLE else ""
    return Interval(low, high, spread if np.isfinite(spread) else np.nan, reason=reason)


def is_predictable(table: Table) -> bool:
    """Whether the predictive distribution is the best that there is for a table, and quick to have."""
    design = table.design
    if not isinstance(design, Batch | Known) or design.is_exact:
        return False
    few = isinstance(design, Batch) and isinstance(table, ScoresTable) and table.rows <= FEW_CASES
    return few or table.counts.shape == (2, 2)


def _has_joint_distribution(table: Table) -> bool:
    return isinstance(table.design, Batch) and table.counts.shape == (2, 2) and table.design.cases.is_binary


def joint_distribution(cases: Cases, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Return the tables that a batch may turn out to be, ``(tables, *shape)``, and their probabilities."""
    sums = [_trimmed(*each) for each in cases.sums]
    if np.prod([float(len(mass)) for _, mass in sums]) > MOST_TABLES:
        sums = [_thinned(*each) for each in sums]
    grids = np.meshgrid(*(counts for counts, _ in sums), indexing="ij")
    weights = np.ones(1)
    for _, mass in sums:
        weights = np.multiply.outer(weights, mass)
    tables = np.zeros((int(np.prod(shape)), grids[0].size))
    for cell, total, grid in zip(cases.cells, cases.group_totals, grids, strict=True):
        tables[cell[1]] += grid.ravel()
        tables[cell[0]] += total - grid.ravel()
    return tables.T.reshape(-1, *shape), weights.ravel()


def _trimmed(start: int, mass: Array) -> tuple[Array, Array]:
    """Return the counts and probabilities without tails that do not matter."""
    first = int(np.searchsorted(np.cumsum(mass), NEGLIGIBLE))
    last = len(mass) - int(np.searchsorted(np.cumsum(mass[::-1]), NEGLIGIBLE))
    return start + np.arange(first, last, dtype=float), mass[first:last] / mass[first:last].sum()


def _thinned(counts: Array, mass: Array) -> tuple[Array, Array]:
    """Take neighbouring counts together, at their mean."""
    if len(counts) <= MOST_COUNTS:
        return counts, mass
    index = np.arange(len(counts)) * MOST_COUNTS // len(counts)
    together = np.bincount(index, mass)
    return np.bincount(index, mass * counts) / together, together


def refuse_unfit(method: Any, table: Table) -> None:
    """Raise an error for methods that would take expected counts for observed ones."""
    design = table.design
    if design.has_labels:
        return
    words = "'predictive', " if isinstance(design, Batch | Known) else ""
    if isinstance(method, OF_LABELLED_CASES):
        message = (
            f"`{type(method).__name__}` is for labelled cases, and these counts are expected from scores. "
            f"Use {words}'delta', 'fieller' or 'bootstrap_percentile'."
        )
        raise HowsureError(message)
    if isinstance(method, Bootstrap) and method.kind != "percentile" and not isinstance(design, Population):
        message = (
            f"`{method.name}` corrects a resampled estimate; labels drawn from the scores are the batch's own "
            "distribution. Use 'bootstrap_percentile'."
        )
        raise HowsureError(message)
    if isinstance(method, Dirichlet) and (method.source != "posterior" or not _is_plain(method)):
        message = "`Dirichlet` has no prior to add to scores without labels. Use it without `prior` and `source`."
        raise HowsureError(message)


def _is_plain(method: Dirichlet) -> bool:
    return method.prior is None and method.prevalence_prior is None
