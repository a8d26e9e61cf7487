"""The bootstrap on counts: resampling rows and counting them is equivalent to drawing the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import has_rich_cells, holds_few
from howsure.errors import HowsureError
from howsure.methods.core.draws import Draw, checked_resamples, child_seed, seed_sequence
from howsure.methods.core.interval import UNDEFINED, Interval, IntervalAtLevel
from howsure.methods.core.inversion import p_value, resolved
from howsure.methods.core.method import DrawingMethod, needs_no_distance
from howsure.methods.core.registry import Variant
from howsure.methods.core.standard_errors import NOISE, standard_error, standard_errors
from howsure.methods.drawn.jackknife import jackknife, skewness_of_jackknife
from howsure.methods.drawn.resampled_cases import values_of_resamples
from howsure.methods.numerics.draw_summaries import defined_resamples, quantiles
from howsure.methods.variance.delta import Delta
from howsure.metrics.metric import Metric
from howsure.tables.protocols import block_size
from howsure.tables.table import Table

Limits = Callable[[float], tuple[float, float]]
KINDS = ("percentile", "basic", "bca", "studentized")


@final
@dataclass(frozen=True, slots=True)
class Bootstrap(DrawingMethod):
    """Intervals from resampled tables; the cost does not depend on the number of cases.

    Parameters
    ----------
    kind : {"percentile", "basic", "bca", "studentized"}
        ``"percentile"``: quantiles of the resampled values; ``"basic"``: reflected at the observed value;
        ``"bca"``: corrected for bias and acceleration; ``"studentized"``: quantiles of the resampled value's
        distance in units of its own standard error.
    n_resamples : int
        Number of resamples, at least 39.

    Notes
    -----
    Resamples follow the sampling design: cases, weighted cases, cases within each true class, or whole clusters.
    Resamples on which the metric is undefined are left out, and the estimate's `reason` reports their number. If they
    are more than 10 %, there are no limits.
    If every resample gives the same value (for example, a sample without errors), the delta method's interval is
    returned.

    References
    ----------
    Efron, Tibshirani (1993), An Introduction to the Bootstrap.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> print(hs.estimate(table, "mcc", method=hs.methods.Bootstrap("bca"), random_state=0))
    0.840 [0.702, 0.921]
    """

    kind: Literal["percentile", "basic", "bca", "studentized"] = "percentile"
    n_resamples: int = 9999

    variants: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "bootstrap_percentile",
            {"kind": "percentile"},
            "Quantiles of the metric on resampled tables.",
            ("bootstrap", "percentile"),
        ),
        Variant(
            "bootstrap_basic", {"kind": "basic"}, "Bootstrap quantiles of the metric, reflected at the observed value."
        ),
        Variant(
            "bootstrap_bca", {"kind": "bca"}, "Bootstrap quantiles, corrected for bias and acceleration.", ("bca",)
        ),
        Variant(
            "bootstrap_studentized",
            {"kind": "studentized"},
            "Quantiles of a resample's distance from the observed value, in units of its own standard error.",
        ),
    )

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            if isinstance(self.kind, int):  # the number of resamples is the second argument
                raise HowsureError(
                    f"There is no kind of bootstrap '{self.kind}'. Write `Bootstrap(n_resamples={self.kind})`."
                )
            raise HowsureError.unknown("kind of bootstrap", str(self.kind), KINDS)
        checked_resamples("n_resamples", self.n_resamples)

    @property
    def name(self) -> str:  # type: ignore[override]  # each kind has its own
        """Name of the method, with its kind."""
        return f"bootstrap_{self.kind}"

    @property
    def size(self) -> int:
        """Number of resamples."""
        return self.n_resamples

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for tables that can be resampled, except for calibration errors; otherwise the reason why not."""
        if refusal := needs_no_distance(self, metric, table):
            return refusal
        design = table.design
        if design.traits.has_pending_labels and self.kind != "percentile":
            return (
                f"`{self.name}` corrects a resampled estimate; labels drawn from the scores are the batch's own "
                "distribution. Use 'bootstrap_percentile'."
            )
        if self.kind == "studentized" and np.isfinite(design.degrees_of_freedom).any():
            return (
                f"`{self.name}` needs the standard error of each resample, which depends on the clusters drawn. Use "
                "'bootstrap_percentile'."
            )
        if design.supports(Resampling.resample):
            if self.kind != "bca" or design.supports(Resampling.leave_one_out):
                return ""
            return (
                f"`{self.name}` needs the tables without each unit, and the design `{type(design).__name__}` has none. "
                "Use 'delta' or 'bootstrap_percentile'."
            )
        return f"`{self.name}` needs tables drawn anew, and the design `{type(design).__name__}` has none. Use 'delta'."

    def drawer(self, table: Table) -> Draw:
        """Return the function that resamples a table."""
        return partial(Resampling.of(table.design).resample, table.cells)

    def _values(self, metrics: Sequence[Metric], table: Table, seed: np.random.SeedSequence) -> Array:
        units = Resampling.of(table.design).exchangeable_units(table.cells)
        if units is not None and holds_few(len(units.number), units.total) and not _are_tables_cheaper(table):
            return values_of_resamples(metrics, table, units, self.size, seed)
        return super(Bootstrap, self)._values(metrics, table, seed)  # `slots=True` replaces the class: no bare super()

    def levels_of(self, draws: Array, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval from resampled values of the metric, as a function of its level."""
        if not np.isfinite(metric.value_at(table.counted)):
            return lambda _: Interval(np.nan, np.nan, draws=draws, reason=UNDEFINED)
        kept, have_limits, reason = defined_resamples(draws)
        if not have_limits and not _is_constant(kept):
            return lambda _: Interval(np.nan, np.nan, draws=draws, reason=reason)
        limits = self.limits(metric, table, kept, rng)
        error = float(kept.std(ddof=1)) if len(kept) > 1 else np.nan
        lowest, highest = metric.range

        def interval(confidence_level: float) -> Interval:
            below, above = limits(confidence_level)
            low, high = max(below, lowest), min(above, highest)
            if high - low > NOISE * max(abs(low), abs(high)):
                return Interval(low, high, error, draws, reason)
            fallback = Delta().interval(metric, table, confidence_level)
            words = fallback.reason or "resampling shows no variation: interval by the delta method"
            return replace(fallback, draws=draws, reason=words)

        return interval

    def limits(self, metric: Metric, table: Table, draws: Array, rng: Seed = None) -> Limits:
        """Return the interval's limits as a function of the confidence level, from defined resampled values."""
        if self.kind == "studentized":
            return _studentized(metric, self.drawn_from([metric], table), self.n_resamples, seed_sequence(rng))
        value = float(metric.value_at(table.counted))
        skewness = acceleration(metric, self.drawn_from([metric], table)) if self.kind == "bca" else 0.0
        return lambda level: limits_of_draws(self.kind, value, draws, level, skewness)

    def p_value(
        self, metric: Metric, table: Table, null: float, *, draws: Array | None = None, rng: Seed = None
    ) -> float:
        """Return the p-value by inverting the interval, at least the smallest that the number of resamples resolves."""
        drawn = self.draws([metric], table, rng)[0] if draws is None else draws
        kept, have_limits, _ = defined_resamples(drawn)
        if _is_constant(kept):
            return Delta().p_value(metric, table, null)
        if not have_limits:
            return np.nan
        ordered = np.sort(kept)  # sorted once: the inversion tries many levels
        limits = resolved(self.limits(metric, table, ordered, rng), kept.size)
        return p_value(limits, float(metric(table.counted)), null)


def _are_tables_cheaper(table: Table) -> bool:
    """Whether metrics need whole tables, most of whose cases lie in few cells, which are drawn without weights."""
    has_tables = "predictions" in table.data_kinds and table.design.traits.is_independent
    return has_tables and has_rich_cells(table.cells[table.cells > 0])


def _is_constant(values: Array) -> bool:
    """Whether there are values, and these vary by rounding errors at most."""
    return bool(values.size and np.ptp(values) <= NOISE * np.abs(values).max())


def limits_of_draws(
    kind: str, value: float, draws: Array, confidence_level: float, acceleration: float = 0.0
) -> tuple[float, float]:
    """Return the percentile, basic or BCa limits from the observed value and the defined resampled ones."""
    tails = np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    if kind == "bca":
        tails = _corrected(tails, value, draws, acceleration)
    low, high = quantiles(draws, tails)
    return (2 * value - high, 2 * value - low) if kind == "basic" else (low, high)


def _corrected(tails: Array, value: float, draws: Array, acceleration: float) -> Array:
    """Return tail probabilities corrected for the bias and acceleration of the resampled values."""
    from scipy import special

    ties = np.isclose(draws, value, rtol=NOISE, atol=0.0)  # sums of the same numbers in another order round differently
    below = ((draws < value) & ~ties).mean() + ties.mean() / 2
    smallest = 0.5 / len(draws)
    bias = special.ndtri(np.clip(below, smallest, 1 - smallest))
    normal = bias + special.ndtri(tails)
    # Beyond 1 / acceleration the correction is not monotone; all resamples are used there.
    return np.asarray(special.ndtr(bias + normal / np.maximum(1 - acceleration * normal, 1e-9)))


def acceleration(metric: Metric, table: Table) -> float:
    """Return the skewness of the jackknife values over six, from one value per non-empty cell instead of per case."""
    return skewness_of_jackknife(*jackknife(metric, table))


def _studentized(metric: Metric, table: Table, size: int, seed: np.random.SeedSequence) -> Limits:
    value = float(metric(table.counted))
    error = standard_error(metric, table)
    # No block of `values_of_draws` uses stream 2**20.
    stream = np.random.default_rng(child_seed(seed, 2**20))
    step = block_size(table)
    blocks = (
        Resampling.of(table.design).resample(table.cells, min(step, size - at), stream) for at in range(0, size, step)
    )
    distances = np.concatenate([_distances(metric, table, cells, value) for cells in blocks])
    distances = np.sort(distances[np.isfinite(distances)])

    def limits(level: float) -> tuple[float, float]:
        if not distances.size:
            return np.nan, np.nan
        low, high = quantiles(distances, np.array([(1 - level) / 2, (1 + level) / 2]))
        return float(value - high * error), float(value - low * error)

    return limits


def _distances(metric: Metric, table: Table, cells: Array, value: float) -> Array:
    errors = standard_errors(metric, table, cells)
    with np.errstate(all="ignore"):
        gap = np.asarray(metric(table.make_counts(cells))) - value
    return np.asarray(np.divide(gap, errors, out=np.full(len(cells), np.nan), where=errors > 0))
