"""Metrics of a number for each case: a grade, a loss, a latency, a proportion of successes.

Counts have shape ``(..., cells)`` over the numbers of the cells, ascending. Repeating every case changes nothing, so
standard deviations divide by the number of cases, and quantiles are those of the empirical distribution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.forms import Proportion, Rank, Ratio, divide
from howsure.metrics.kinds import Form
from howsure.metrics.registry import Bounds, Scored, declare
from howsure.tables.protocols import effective_sample_size
from howsure.tables.values import ValuesTable

REAL = (-np.inf, np.inf)
EPSILON = float(np.finfo(float).eps)
ROUNDING = 1e-12  # relative, of sums of weights
REACH = 1.96  # standard errors of a share, over which the slope of the quantiles is taken


def _examples() -> Iterator[ValuesTable]:
    values = np.linspace(0, 1, 41) ** 2
    counts = np.random.default_rng(0).integers(1, 5, len(values)) * 1.0
    yield ValuesTable(counts=counts, values=values, bounds=(0.0, 1.0))


value_metric = declare(  # (table whose cells have numbers, arguments) → Scored
    Form(
        name="values",
        maker="a table of values: `values(score)`",
        examples=_examples,
        tried=("mean", "median", "share", "trimmed_mean"),
    )
)


def mean_of(numbers: Array, bounds: Bounds | None) -> Scored:
    """Return the mean of a number that each cell has.

    Parameters
    ----------
    numbers : ndarray of shape (cells,)
        What is averaged.
    bounds : tuple of float, optional
        Its smallest and largest possible value.
    """

    def value(cells: Array) -> Array:
        found = divide(cells @ numbers, cells.sum(-1))
        return np.asarray(np.clip(found, numbers.min(), numbers.max()))  # rounding may exceed them

    def slopes(cells: Array) -> Array:
        return np.asarray((numbers - value(cells)[..., None]) / cells.sum(-1)[..., None])

    return Scored(value, slopes, range=bounds, structure=Ratio(numbers, np.broadcast_to(1.0, numbers.shape)))


@value_metric(range=REAL, better="neither", aliases=("average",))
def mean(table: ValuesTable) -> Scored:
    """Mean of the values; of trials, of the tasks' shares of successes."""
    return mean_of(table.values, table.bounds)


@value_metric(better="neither", always_stated=("at_least",))
def share(table: ValuesTable, *, at_least: float = 0.5) -> Scored:
    """Share of the cases whose value is at least the given one."""
    above = table.values >= at_least
    every = np.ones(len(above))
    known = Proportion(above, every > 0, (1.0, 1.0), (0.0, 1.0))
    return replace(mean_of(above * 1.0, (0.0, 1.0)), structure=Ratio(above * 1.0, every, share=known))


@value_metric(range=(0.0, np.inf), better="neither", aliases=("standard_deviation", "stddev", "sd"))
def std(table: ValuesTable) -> Scored:
    """Root of the mean squared deviation from the mean (standard deviation, dividing by n)."""
    values = table.values

    def parts(cells: Array) -> tuple[Array, Array]:
        away = deviations(values, cells)
        return away, np.sqrt(divide((cells * away**2).sum(-1), cells.sum(-1)))

    def slopes(cells: Array) -> Array:
        away, spread = parts(cells)
        spread = spread[..., None]
        return np.asarray((divide(away**2, spread) - spread) / (2 * cells.sum(-1)[..., None]))

    widest = np.inf if table.bounds is None else (table.bounds[1] - table.bounds[0]) / 2
    return Scored(lambda cells: parts(cells)[1], slopes, range=(0.0, widest))


def deviations(values: Array, cells: Array) -> Array:
    """Return how far each value is from the mean, exactly 0 where it is so up to rounding.

    Parameters
    ----------
    values : ndarray of shape (S,)
        The value of each cell.
    cells : ndarray of shape (..., S)
        The counts.
    """
    away = values - divide(cells @ values, cells.sum(-1))[..., None]
    return np.asarray(np.where(np.abs(away) > 16 * EPSILON * np.abs(values), away, 0.0))


def _quantile(values: Array, at: float, cells: Array) -> Array:
    """Return the quantile of the empirical distribution; where two values share the place, the middle of both."""
    upto = np.cumsum(cells, -1)
    total = upto[..., -1:]
    wanted = at * total
    slack = ROUNDING * total
    first = np.minimum((upto < wanted - slack).sum(-1), cells.shape[-1] - 1)
    after = np.minimum((upto <= wanted + slack).sum(-1), cells.shape[-1] - 1)
    return np.where(total[..., 0] > 0, (values[first] + values[after]) / 2, np.nan)


def _quantile_metric(table: ValuesTable, at: float) -> Scored:
    values = table.values
    cases = float(effective_sample_size(table, np.ones(len(values))))
    reach = REACH * np.sqrt(at * (1 - at) / max(cases, 1.0))

    def value(cells: Array) -> Array:
        return _quantile(values, at, cells)

    def slopes(cells: Array) -> Array:
        # The slope of the quantile function over the ranks within the sampling error of a sample of this size.
        ends = np.clip([at - reach, at + reach], 0.0, 1.0)
        low, high = (_quantile(values, float(end), cells) for end in ends)
        total = cells.sum(-1)[..., None]
        below = (values <= value(cells)[..., None]) * 1.0
        share = divide((cells * below).sum(-1), total[..., 0])[..., None]
        rise = ((high - low) / (ends[1] - ends[0]))[..., None]
        return np.asarray(rise * (share - below) / total)

    return Scored(value, slopes, takes_batches=False, range=table.bounds, structure=Rank(values, at))


def _rate(metric: str, name: str, value: float, most: float = 1.0) -> float:
    if not 0 < value < most:
        raise HowsureError(f"`{name}` of `{metric}` lies between 0 and {most:g}, not {value:g}.")
    return value


@value_metric(range=REAL, better="neither", is_step=True)
def median(table: ValuesTable) -> Scored:
    """Median of the values: of two middle ones their mean."""
    return _quantile_metric(table, 0.5)


@value_metric(range=REAL, better="neither", is_step=True, aliases=("percentile",), always_stated=("q",))
def quantile(table: ValuesTable, *, q: float = 0.9) -> Scored:
    """Smallest value with at least a share q of the cases at or below it; of two such the middle."""
    return _quantile_metric(table, _rate("quantile", "q", q))


def _mean_between(table: ValuesTable, low: float, high: float) -> Scored:
    """Return the mean of the cases of the ranks between two shares; a case that one cuts counts in part."""
    values = table.values

    def value(cells: Array) -> Array:
        upto = np.cumsum(cells, -1)
        total = upto[..., -1:]
        inside = np.clip(upto, low * total, high * total) - np.clip(upto - cells, low * total, high * total)
        inside = np.where(inside > ROUNDING * total, inside, 0.0)  # else a value beside the cut counts by rounding
        mean = divide(inside @ values, inside.sum(-1))
        least, most = (np.where(inside > 0, values, none) for none in (np.inf, -np.inf))
        return np.clip(mean, least.min(-1), most.max(-1))  # for equal values exactly that value

    def slopes(cells: Array) -> Array:
        total = cells.sum(-1)[..., None]
        ends = (
            _quantile(values, low, cells)[..., None] if low > 0 else -np.inf,
            _quantile(values, high, cells)[..., None] if high < 1 else np.inf,
        )
        held = np.clip(values, *ends)
        return np.asarray((held - divide((cells * held).sum(-1), total[..., 0])[..., None]) / ((high - low) * total))

    return Scored(value, slopes, range=table.bounds)


@value_metric(range=REAL, better="neither", always_stated=("cut",))
def trimmed_mean(table: ValuesTable, *, cut: float = 0.1) -> Scored:
    """Mean without a share of the cases at either end."""
    kept = _rate("trimmed_mean", "cut", cut, 0.5)
    return _mean_between(table, kept, 1 - kept)


@value_metric(range=REAL, better="neither", aliases=("expected_shortfall",), always_stated=("q",))
def cvar(table: ValuesTable, *, q: float = 0.9) -> Scored:
    """Mean of the largest values, a share 1 − q of the cases (conditional value at risk)."""
    return _mean_between(table, _rate("cvar", "q", q), 1.0)
