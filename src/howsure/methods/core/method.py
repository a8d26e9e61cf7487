"""Interface of the interval methods, and its three base classes."""

from __future__ import annotations

import abc
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.algebra import Algebra
from howsure.methods.core.draws import Draw, collapsed_for, seed_sequence, stream_at, stream_of, values_of_draws
from howsure.methods.core.interval import AllAtLevels, Interval, IntervalAtLevel, stacked
from howsure.methods.core.inversion import p_values
from howsure.methods.core.registry import Variant, register
from howsure.methods.numerics.confidence_levels import Level, Levels
from howsure.metrics.metric import Metric
from howsure.tables.table import Table, select_table

ONE_CLASS = "Ask for one class at a time: '@binary+positive_class=…'."


def tests_by(at_levels: Any, value: Array, null: float) -> Array:
    """Return the two-sided p-values of a hypothetical value, from intervals of one table, or of each table of a batch.

    Intervals that have p-values of their own, ``p_values(value, null)``, are not inverted.

    Parameters
    ----------
    at_levels : callable
        The intervals by their level: a number for one table, `Levels` for a batch.
    value : ndarray of the shape of the batch
        The observed values.
    null : float
        The hypothetical one.
    """
    if hasattr(at_levels, "p_values"):
        return np.asarray(at_levels.p_values(value, null))

    def limits(levels: Levels) -> tuple[Array, Array]:
        found = at_levels(levels if value.ndim else Level(float(levels.tail)))
        return np.asarray(found.low), np.asarray(found.high)

    return p_values(limits, value, null)


class Method(abc.ABC):
    """Base class of interval methods: settings that turn a metric and a table into limits at any level.

    A subclass defines `name` and `at_levels`. It is registered under its name, which can then be used wherever a method
    is named. `unsupported_reason` returns why it does not apply to a metric of a table. If the method computes all
    tables of a batch in one pass, it sets `takes_batches`; otherwise it is called for one table at a time.

    Attributes
    ----------
    name : str
        Name of the method, in lower case with underscores.
    synonyms : tuple of str
        Other names.
    variants : tuple of Variant
        Names of particular settings, used instead of `name` and `synonyms`.
    takes_batches : bool
        Whether tables may have leading axes.
    takes_levels : bool
        Whether each table of a batch may have its own confidence level, as `Levels`.
    ignores_empty_cells : bool
        Whether additional cells without cases leave the interval unchanged.
    is_anytime_valid : bool
        Whether the intervals cover simultaneously, however often one looks at growing data.

    Examples
    --------
    >>> import howsure as hs
    >>> class Cautious(hs.methods.Method):
    ...     '''The delta method, with twice the standard error.'''
    ...
    ...     name = "cautious"
    ...
    ...     def at_levels(self, metric, table, rng=None):
    ...         found = hs.methods.Delta().interval(metric, table, 0.95)
    ...         value, half = float(metric(table.counted)), 2 * found.standard_error
    ...         return lambda level: hs.methods.Interval(value - half, value + half, half)
    >>> print(hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "accuracy", method="cautious"))
    0.920 [0.866, 0.974]
    """

    __slots__ = ()
    name: ClassVar[str]
    synonyms: ClassVar[tuple[str, ...]] = ()
    variants: ClassVar[tuple[Variant, ...]]
    takes_batches: ClassVar[bool] = False
    takes_levels: ClassVar[bool] = False
    ignores_empty_cells: ClassVar[bool] = False
    is_anytime_valid: ClassVar[bool] = False

    def __init_subclass__(cls, **keywords: object) -> None:
        super().__init_subclass__(**keywords)
        if abc.ABC not in cls.__bases__:  # those that only others derive from
            register(cls)

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" if the method is applicable, otherwise the reason why not and what to use instead.

        Parameters
        ----------
        metric : Metric
            The metric, bound to the table.
        table : Table
            One table, or a batch.
        """
        return ""

    def target_table(self, table: Table) -> Table:
        """Return the table that the estimate describes: the given one, unless the method is for another population.

        Parameters
        ----------
        table : Table
            One table.
        """
        return table

    @abc.abstractmethod
    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; everything independent of the level is computed once.

        Parameters
        ----------
        metric : Metric
            The metric, bound to the table.
        table : Table
            One table, or a batch where `takes_batches` is set.
        rng : seed, optional
            Seed of the methods that draw.
        """

    def interval(self, metric: Metric, table: Table, confidence_level: float, rng: Seed = None) -> Interval:
        """Return the interval of the metric on the table, or on each table of a batch.

        Parameters
        ----------
        metric : Metric
            The metric, bound to the table.
        table : Table
            One table, or a batch.
        confidence_level : float
            Confidence level of the interval, between 0 and 1.
        rng : seed, optional
            Seed of the methods that draw; each table of a batch has a stream of its own.

        Returns
        -------
        Interval
            With plain numbers for one table, otherwise with arrays in the shape of the batch.
        """
        if not table.batch:
            return self.at_levels(metric, table, rng)(confidence_level).to_scalars()
        if self.takes_batches:
            return self.at_levels(metric, table, rng)(confidence_level)
        return stacked(
            [
                self.interval(metric, select_table(table, index), confidence_level, stream_at(rng, index))
                for index in range(table.batch[0])
            ]
        )

    def intervals(
        self, metrics: Sequence[Metric], table: Table, confidence_level: float, rng: Seed = None
    ) -> list[Interval]:
        """Return the interval of each metric; methods that draw use the same draws for all."""
        return [self.interval(metric, table, confidence_level, rng) for metric in metrics]

    def one_sided(self) -> Method:
        """Return the method to use for a single limit: itself if both limits miss equally often."""
        return self

    def p_value(
        self, metric: Metric, table: Table, null: float, *, draws: Array | None = None, rng: Seed = None
    ) -> float:
        """Return the two-sided p-value of a hypothetical value of the metric on one table.

        It is 1 minus the confidence level at which a limit of the interval equals the value, unless the method has its
        own test; nan if there is no test.

        Parameters
        ----------
        metric : Metric
            The metric, bound to the table.
        table : Table
            One table.
        null : float
            The hypothetical value.
        draws : ndarray of shape (draws,), optional
            Draws of the metric that the method has already made.
        rng : seed, optional
            Seed of the methods that draw.
        """
        return float(tests_by(self.at_levels(metric, table, rng), np.asarray(metric(table.counted)), null))

    def p_values(self, metric: Metric, table: Table, null: float) -> Array:
        """Return the two-sided p-value of a hypothetical value of the metric on each table of a batch; see `p_value`.

        Parameters
        ----------
        metric : Metric
            The metric, bound to the batch.
        table : Table
            A batch.
        null : float
            The hypothetical value.
        """
        if not self.takes_levels:
            each = (select_table(table, index) for index in range(table.batch[0]))
            return np.array([self.p_value(metric, one, null) for one in each])
        return tests_by(self.at_levels(metric, table), np.asarray(metric(table.counted)), null)

    def intervals_and_p_values(
        self, metric: Metric, table: Table, confidence_level: float, null: float, rng: Seed = None
    ) -> tuple[Interval, Any]:
        """Return the interval of the metric on the table, or each of a batch, and p-values of a hypothetical value.

        Parameters
        ----------
        metric : Metric
            The metric, bound to the table.
        table : Table
            One table, or a batch.
        confidence_level : float
            Confidence level of the intervals, between 0 and 1.
        null : float
            The hypothetical value.
        rng : seed, optional
            Seed of the methods that draw; not for a batch.
        """
        if table.batch:
            return self.interval(metric, table, confidence_level, rng), self.p_values(metric, table, null)
        at_level = self.at_levels(metric, table, rng)
        found = at_level(confidence_level).to_scalars()
        if type(self).p_value is Method.p_value:  # not a test of its own, but that of the same intervals
            return found, tests_by(at_level, np.asarray(metric(table.counted)), null)
        return found, self.p_value(metric, table, null, draws=found.draws, rng=rng)

    def e_value(self, metric: Metric, table: Table, null: float) -> float:
        """Return an e-value against a hypothetical value: expectation at most 1 if true; nan for most methods.

        Parameters
        ----------
        metric : Metric
            The metric, bound to the table.
        table : Table
            One table.
        null : float
            The hypothetical value.
        """
        return np.nan


class JointMethod(Method, abc.ABC):
    """Base class of methods that compute many metrics of a table in one pass.

    A subclass defines `all_at_levels`, which returns the intervals of all metrics.
    """

    __slots__ = ()

    @abc.abstractmethod
    def all_at_levels(self, metrics: Sequence[Metric], table: Table) -> AllAtLevels:
        """Return the intervals of metrics as a function of their level.

        Parameters
        ----------
        metrics : sequence of Metric
            Bound to the table.
        table : Table
            One table, or a batch where `takes_batches` is set.
        """

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level."""
        every = self.all_at_levels([metric], table)
        return lambda level: every(level)[0]

    def intervals(
        self, metrics: Sequence[Metric], table: Table, confidence_level: float, rng: Seed = None
    ) -> list[Interval]:
        """Return the interval of each metric, all in one pass."""
        if table.batch and not self.takes_batches:
            return super().intervals(metrics, table, confidence_level, rng)
        found = self.all_at_levels(metrics, table)(confidence_level)
        return found if table.batch else list(map(Interval.to_scalars, found))


class DrawingMethod(Method, abc.ABC):
    """Base class of methods that draw tables; all metrics share one stream of draws.

    A subclass defines `size`, the number of draws, `drawer`, which returns the function that draws tables, and
    `levels_of`, which returns the interval from the draws of a metric.

    Examples
    --------
    >>> import howsure as hs
    >>> isinstance(hs.methods.Bootstrap(), hs.methods.DrawingMethod)
    True
    """

    __slots__ = ()

    @property
    @abc.abstractmethod
    def size(self) -> int:
        """Number of draws."""

    @abc.abstractmethod
    def drawer(self, table: Table) -> Draw:
        """Return the function that draws tables: ``(size, generator)`` → ndarray of shape (size, cells)."""

    @abc.abstractmethod
    def levels_of(self, draws: Array, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval from draws of a metric, as a function of its level.

        Parameters
        ----------
        draws : ndarray of shape (draws,)
            The metric on each drawn table; nan where it is undefined.
        metric : Metric
            The metric, bound to the table.
        table : Table
            The table.
        rng : seed, optional
            Seed of the draws.
        """

    def collapsible_cells(self, table: Table) -> Array | None:
        """Return codes of the cells; cells with equal codes can be collapsed before drawing. None if none can.

        The default uses the design's codes for resamples and posterior draws.

        Parameters
        ----------
        table : Table
            The observed table.
        """
        return Algebra.of(table.design).collapsible_cells(table.cells.shape[-1])

    def drawn_from(self, metrics: Sequence[Metric], table: Table) -> Table:
        """Return the smallest table that has the same distribution of the metrics' draws."""
        apart = self.collapsible_cells(table)
        if len(metrics) != 1:
            return collapsed_for(table, metrics, apart)
        (metric,) = metrics  # a method may compute several intervals of it
        key = "drawn", None if apart is None else apart.any() and apart.tobytes()  # hashing zeros would take time
        return table.counted.once_for(metric, key, lambda _: collapsed_for(table, metrics, apart))

    def draws(self, metrics: Sequence[Metric], table: Table, rng: Seed = None) -> Array:
        """Return the metrics on each drawn table, ``(metrics, draws)``, from one stream of tables."""
        return self._values(metrics, self.drawn_from(metrics, table), seed_sequence(rng))

    def _values(self, metrics: Sequence[Metric], table: Table, seed: np.random.SeedSequence) -> Array:
        return values_of_draws(metrics, table, self.drawer(table), self.size, seed)

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level, from one set of draws."""
        return self.each_at_levels([metric], table, rng)[0]

    def intervals(
        self, metrics: Sequence[Metric], table: Table, confidence_level: float, rng: Seed = None
    ) -> list[Interval]:
        """Return the interval of each metric, from the same draws."""
        if table.batch:
            return super().intervals(metrics, table, confidence_level, seed_sequence(rng))
        return [each(confidence_level) for each in self.each_at_levels(metrics, table, rng)]

    def interval_of(
        self, draws: Array, metric: Metric, table: Table, confidence_level: float, rng: Seed = None
    ) -> Interval:
        """Return the interval from draws of a metric at a level; see `levels_of`."""
        return self.levels_of(draws, metric, table, rng)(confidence_level)

    def each_at_levels(self, metrics: Sequence[Metric], table: Table, rng: Seed = None) -> list[IntervalAtLevel]:
        """Return the interval of each metric as a function of its level, from the same draws."""
        seed = seed_sequence(rng)
        small = self.drawn_from(metrics, table)
        stream, rows = stream_of(self, small, seed), self._values(metrics, small, seed)
        return [
            _within(self.levels_of(row, *metric.of_itself(table), seed), stream)
            for row, metric in zip(rows, metrics, strict=True)
        ]


def _within(at_level: IntervalAtLevel, stream: Hashable) -> IntervalAtLevel:
    return lambda level: replace(at_level(level), stream=stream)


def needs_labels(method: Method, table: Table) -> str:
    """Return "" for labelled cases, otherwise what to use instead of the method."""
    if all(design.traits.has_labels for design in table.design.test_sets):
        return ""
    words = "'predictive', " if table.design.traits.has_known_probabilities else ""
    return (
        f"`{type(method).__name__}` is for labelled cases, and these counts are expected from scores. "
        f"Use {words}'delta', 'fieller' or 'bootstrap_percentile'."
    )


def needs_no_distance(method: Method, metric: Metric, table: Table) -> str:
    """Return "", or for a distance from calibration, which noise increases, what to use instead of draws."""
    if not metric.is_distance or needs_labels(method, table):
        return ""
    said = f"`{type(method).__name__}` adds the noise of its draws to `{metric.name}` and misses small errors."
    if metric.contrast is not None:
        return f"{said} Use 'mover'."
    return f"{said} {ONE_CLASS}" if metric.averages_distances else f"{said} Use 'gap_test'."


def needs_counted_cases(method: Method, table: Table) -> str:
    """Return "" for counted cases, otherwise what to use instead: a score interval needs a number of trials."""
    if table.design.traits.has_binomial_proportions:
        return ""
    name = type(method).__name__
    words = f"`{name}` needs cases that were counted, and these counts are estimates. Use `Fieller()` or `Delta()`."
    return needs_labels(method, table) or words
