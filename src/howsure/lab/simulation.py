"""Simulation of the coverage of a method over many tables drawn from a known population."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.algebra import Algebra
from howsure.errors import HowsureError, checked_level, whole_number
from howsure.estimates.batched_intervals import batched_intervals
from howsure.grids import Grid, OneRecord
from howsure.lab.truths import Asked, Repeated, Truth
from howsure.methods.core.draws import MOST_DRAWS, child_seed, seed_sequence, stream_at
from howsure.methods.core.interval import Interval
from howsure.methods.core.lookup import named
from howsure.methods.core.method import DrawingMethod, Method
from howsure.methods.core.names import MethodName
from howsure.methods.default import checked
from howsure.metrics.class_sets import alike
from howsure.metrics.metric import Metric
from howsure.numbers import number, percent
from howsure.running.progress import progress
from howsure.tables.counts import ClassCounts
from howsure.tables.table import Table, require_table, select_table

AT_ONCE = 2**21  # values of the tables drawn at once
ROUNDING = 1e-9  # tolerance for limits at the true value, or at an end of the range


@final
@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Coverage(OneRecord):
    """Simulated coverage and width of the intervals of a method; see `coverage`.

    Fields ending in ``_error`` are Monte Carlo standard errors. Studies without an interval are left out, except in
    `undefined`.

    Parameters
    ----------
    metric, method : str
        Name of the metric and of the method.
    true_value : float
        The true value of the metric.
    confidence_level : float
        Nominal coverage probability.
    draws : int
        Number of simulated studies.
    coverage, coverage_error : float
        Share of the intervals that cover.
    missed_below, missed_below_error : float
        Share of the intervals whose lower limit is above the true value.
    missed_above, missed_above_error : float
        Share of the intervals whose upper limit is below the true value.
    width, width_error : float
        Mean width.
    median_width : float
        Median width, which is robust to a few infinite intervals.
    interval_score, interval_score_error : float
        Mean of the width plus 2 / (1 − level) times the distance from the interval to the true value; smaller is
        better.
    beyond, beyond_error : float
        Share of the intervals that exceed the range of the metric.
    undefined, undefined_error : float
        Share of the studies without an interval.

    Examples
    --------
    >>> import howsure as hs
    >>> found = hs.lab.coverage("f1", truth=hs.from_counts([[50, 3], [5, 42]]), draws=500, random_state=0)
    >>> 0.9 < found.coverage < 1, found.undefined
    (True, 0.0)
    """

    metric: str
    method: str
    true_value: float
    confidence_level: float
    draws: int
    coverage: float
    coverage_error: float
    missed_below: float
    missed_below_error: float
    missed_above: float
    missed_above_error: float
    width: float
    width_error: float
    median_width: float
    interval_score: float
    interval_score_error: float
    beyond: float
    beyond_error: float
    undefined: float
    undefined_error: float

    def grid(self) -> Grid:
        """Return a table of strings with each measure and its Monte Carlo error."""
        names = [each.name for each in fields(self) if hasattr(self, f"{each.name}_error")]
        rows = tuple(
            (name.replace("_", " "), number(getattr(self, name), 4), number(getattr(self, f"{name}_error"), 4))
            for name in names
        )
        return Grid((f"{self.metric} by {self.method}", "value", "std. error"), rows, self._caption)

    @property
    def _caption(self) -> str:
        return (
            f"{percent(self.confidence_level)} intervals of {self.draws:,} simulated studies; "
            f"the true value is {self.true_value:.6g}"
        )

    def __str__(self) -> str:
        return f"{self.coverage:.3f} ± {self.coverage_error:.3f} of the {self._caption}"


def coverage(
    metric: Asked,
    method: MethodName | Method = "auto",
    *,
    truth: Table | Truth,
    n: int | None = None,
    draws: int = 2000,
    confidence_level: float = 0.95,
    random_state: Seed = None,
) -> Coverage:
    """Simulate the coverage probability of the interval for a metric in a given population.

    Parameters
    ----------
    metric : str or Metric
        A spec string such as ``"f1@macro"``, or a metric.
    method : str or Method
        A method or its name; by default the default method of the metric.
    truth : Table or Truth
        The population. A table, whose relative frequencies are used as true probabilities and whose design is kept:
        clusters and weights are drawn from those of the table, and fixed margins stay fixed. Or a population of
        `howsure.lab`, such as ``lab.Cells(shares, n)``.
    n : int, optional
        Number of cases of each study, if ``truth`` is a table; by default that of the table. For clusters, the number
        of drawn clusters is such that the expected number of cases is ``n``.
    draws : int
        Number of studies.
    confidence_level : float
        Nominal coverage probability of the intervals, between 0 and 1.
    random_state : int, Generator, SeedSequence or None
        Seed of the studies, and of methods that draw.

    Returns
    -------
    Coverage
        Coverage, misses below and above, width, interval score and more, each with its Monte Carlo error.

    Raises
    ------
    HowsureError
        If an argument is invalid, or the method does not support the metric.

    Notes
    -----
    Studies without an interval, for example because the metric is undefined, are left out of all measures except
    `undefined`. Methods that support batches compute all studies in one pass, and equal tables only once.

    References
    ----------
    Gneiting, Raftery (2007), Journal of the American Statistical Association 102, section 6.2, for the interval score.

    Examples
    --------
    The textbook (Wald) interval for a recall of 0.94 from 50 positive cases covers far less often than 95 %:

    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [3, 47]])
    >>> for method in ["wald", "wilson"]:
    ...     print(hs.lab.coverage("recall", method, truth=table, draws=20_000, random_state=0))
    0.869 ± 0.002 of the 95 % intervals of 20,000 simulated studies; the true value is 0.94
    0.964 ± 0.001 of the 95 % intervals of 20,000 simulated studies; the true value is 0.94
    """
    if isinstance(truth, Truth):
        if n is not None:
            raise HowsureError(f"`n` is for a table: `{type(truth).__name__}` has its own number of cases. Drop it.")
        source = truth
    else:
        words = "`truth` is a table, as `confusion` and `from_counts` make it, or a truth of `howsure.lab`."
        source = Repeated(require_table(Table, truth, words), n)
    size, level = whole_number("draws", draws, least=2, most=MOST_DRAWS), checked_level(confidence_level)
    (found,) = coverages([metric], named(method), source, size, level, random_state)
    return found


def coverages(
    metrics: Sequence[Asked], method: Method | None, truth: Truth, draws: int, level: float, random_state: Seed
) -> list[Coverage]:
    """Return the coverage of several metrics over the same studies; see `coverage`.

    Parameters
    ----------
    metrics : sequence of str or Metric
        The metrics.
    method : Method, optional
        The method; by default the default method of each metric.
    truth : Truth
        The population.
    draws : int
        Number of studies.
    level : float
        Nominal coverage probability.
    random_state : seed
        Seed of the studies, and of methods that draw.
    """
    seed = seed_sequence(random_state)
    of_studies, of_methods = child_seed(seed, 0), child_seed(seed, 1)
    rng = np.random.Generator(np.random.PCG64(of_studies))
    step = max(1, min(draws, AT_ONCE // truth.numbers))
    blocks: list[list[_Limits]] = []
    with progress("simulating studies", -(-draws // step)) as advance:
        for start in range(0, draws, step):
            tables = truth.tables(min(step, draws - start), rng)
            blocks.append(_limits(truth, metrics, tables, method, level, stream_at(of_methods, start)))
            advance()
    return [
        _measured(_joined(parts), truth.value(metric), level, draws)
        for metric, parts in zip(metrics, zip(*blocks, strict=True), strict=True)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Limits:
    """Limits of the intervals of one metric, and the number of studies with these limits."""

    metric: Metric
    method: str
    low: Array
    high: Array
    times: Array


def _joined(parts: Sequence[_Limits]) -> _Limits:
    low, high, times = (np.concatenate([getattr(each, name) for each in parts]) for name in ("low", "high", "times"))
    return _Limits(parts[0].metric, parts[0].method, low, high, times)


def _limits(
    truth: Truth,
    metrics: Sequence[Asked],
    tables: Table | Sequence[Table],
    method: Method | None,
    level: float,
    rng: Seed,
) -> list[_Limits]:
    """Return the limits of each metric on drawn tables, in one pass if the method supports it."""
    if not isinstance(tables, Sequence):
        distinct, times = _distinct(tables)
        found = _in_passes(truth, metrics, distinct, times, method, level)
        singles: Sequence[Table] = [select_table(distinct, index) for index in range(len(times))]
    else:
        found, singles, times = {}, tables, np.ones(len(tables))
    rest = [place for place in range(len(metrics)) if place not in found]
    alone = _one_by_one(truth, [metrics[place] for place in rest], singles, times, method, level, rng)
    found |= zip(rest, alone, strict=True)
    return [found[place] for place in range(len(metrics))]


def _distinct(stack: Table) -> tuple[Table, Array]:
    """Return the distinct tables of a batch with their frequencies; all tables if each has its own design."""
    if Algebra.of(stack.design).select_table(0) is not stack.design:
        return stack, np.ones(len(stack.counts))
    cells, first, times = np.unique(stack.cells, axis=0, return_index=True, return_counts=True)
    rows = stack.rows if np.ndim(stack.rows) == 0 else stack.rows[first]
    return replace(stack, counts=cells.reshape(-1, *stack.shape), rows=rows), times.astype(float)


def _in_passes(
    truth: Truth, metrics: Sequence[Asked], stack: Table, times: Array, method: Method | None, level: float
) -> dict[int, _Limits]:
    """Return the same as `_in_one_pass`, with one pass per set of occurring classes."""
    parts = alike(stack) if isinstance(stack.counted, ClassCounts) and stack.design.traits.is_independent else []
    if len(parts) < 2:
        return _in_one_pass(truth, metrics, stack, times, method, level)
    found = [_in_one_pass(truth, metrics, each, times[part], method, level) for part, each in parts]
    everywhere = [place for place in found[0] if all(place in each for each in found)]
    return {place: _joined([each[place] for each in found]) for place in everywhere}


def _in_one_pass(
    truth: Truth, metrics: Sequence[Asked], stack: Table, times: Array, method: Method | None, level: float
) -> dict[int, _Limits]:
    """Return the limits of metrics on all tables of a batch, by position; only metrics that support batches."""
    bound = [truth.bound(each, stack) for each in metrics]
    found = {}
    with np.errstate(all="ignore"):
        answers = batched_intervals(stack, bound, method, level)
    for place, (chosen, interval) in answers.items():
        low, high = (np.broadcast_to(limit, times.shape) for limit in (interval.low, interval.high))
        found[place] = _Limits(bound[place], chosen.name, low, high, times)
    return found


def _one_by_one(
    truth: Truth,
    metrics: Sequence[Asked],
    tables: Sequence[Table],
    times: Array,
    method: Method | None,
    level: float,
    rng: Seed,
) -> list[_Limits]:
    """Return the limits of each metric, table by table; metrics share the draws of a table."""
    if not metrics:
        return []
    found = np.empty((2, len(metrics), len(tables)))
    for index, table in enumerate(tables):
        bound = [truth.bound(metric, table) for metric in metrics]
        with np.errstate(all="ignore"):
            intervals, names = _of_table(table, bound, method, level, stream_at(rng, index))
        found[:, :, index] = [[each.low for each in intervals], [each.high for each in intervals]]
    return [_Limits(each, name, low, high, times) for each, name, low, high in zip(bound, names, *found, strict=True)]


def _of_table(
    table: Table, metrics: Sequence[Metric], method: Method | None, level: float, rng: Seed
) -> tuple[list[Interval], list[str]]:
    if isinstance(method, DrawingMethod):
        for metric in metrics:
            checked(method, metric, table)
        return method.intervals(metrics, table, level, rng), [method.name] * len(metrics)
    answers = batched_intervals(table, metrics, method, level, rng)
    chosen, found = zip(*(answers[place] for place in range(len(metrics))), strict=True)
    return list(found), [each.name for each in chosen]


def _measured(limits: _Limits, truth: float, level: float, draws: int) -> Coverage:
    """Return the measures of coverage and width, with their Monte Carlo errors."""
    metric = limits.metric
    defined = ~(np.isnan(limits.low) | np.isnan(limits.high))
    low, high, times = (each[defined] for each in (limits.low, limits.high, limits.times))
    slack = ROUNDING * max(1.0, abs(truth))
    below, above = truth < low - slack, truth > high + slack
    beyond = (low < metric.range[0] - ROUNDING) | (high > metric.range[1] + ROUNDING)
    with np.errstate(invalid="ignore"):
        width = high - low
        missed = np.where(below, low - truth, 0.0) + np.where(above, truth - high, 0.0)
        score = width + 2 / (1 - level) * missed
    measures: dict[str, float] = {}
    for name, marks in (
        ("coverage", ~(below | above)),
        ("missed_below", below),
        ("missed_above", above),
        ("beyond", beyond),
    ):
        measures |= _share(name, float(times @ marks), float(times.sum()))
    for name, values in (("width", width), ("interval_score", score)):
        measures |= _mean(name, values, times)
    return Coverage(
        metric=metric.name,
        method=limits.method,
        true_value=truth,
        confidence_level=level,
        draws=draws,
        median_width=_median(width, times),
        **measures,
        **_share("undefined", float(limits.times @ ~defined), float(draws)),
    )


def _share(name: str, number: float, draws: float) -> dict[str, float]:
    """Return a share and its Monte Carlo error; pseudo-counts make the error positive for shares of 0 and 1."""
    if not draws:
        return {name: math.nan, f"{name}_error": math.nan}
    guess = (number + 1) / (draws + 2)
    return {name: number / draws, f"{name}_error": math.sqrt(guess * (1 - guess) / draws)}


def _mean(name: str, values: Array, times: Array) -> dict[str, float]:
    draws = times.sum()
    if not draws:
        return {name: math.nan, f"{name}_error": math.nan}
    with np.errstate(invalid="ignore"):
        mean = float(times @ values / draws)
        error = float(np.sqrt(times @ (values - mean) ** 2) / draws)
    return {name: mean, f"{name}_error": error}


def _median(values: Array, times: Array) -> float:
    if not times.size:
        return math.nan
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(times[order]), times.sum() / 2)])
