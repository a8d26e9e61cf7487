"""Interval of a distance from calibration by test inversion: it contains 0 if the scores may be calibrated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array, Seed
from howsure.cached import cached_property
from howsure.designs.base import RELATIVE_TOLERANCE
from howsure.designs.variance_details import VarianceDetails
from howsure.methods.core.interval import ONE_CLUSTER, UNDEFINED, Interval, IntervalAtLevel
from howsure.methods.core.method import Method, needs_labels
from howsure.methods.core.standard_errors import standard_error
from howsure.methods.numerics.bisection import edge
from howsure.methods.numerics.confidence_levels import Level, Levels, tail_of
from howsure.metrics.forms import Distance, divide
from howsure.metrics.metric import Metric
from howsure.tables.protocols import effective_sample_size
from howsure.tables.table import Table

SIZE = 2048  # draws of the noise, each taken with both signs
AT_ONCE = 512  # draws, whose sums fit the processor's cache
PRECISION = 1e-4  # of the limits, relative
OFF = 2.5  # standard errors from which on a sum is taken for off zero, and not for noise
FARTHEST = 2.0  # times the largest noise beyond the observed distance: where the upper limit is sought
RESOLVED = 1 / (2 * SIZE + 1)  # smallest tail probability that the draws show
HALVINGS, NODES = 6, 16  # steps to the end of the norms between which limits are interpolated, and norms on either side
NEGLIGIBLE = 1e-9  # eigenvalue of the covariance, relative to the largest


@final
@dataclass(frozen=True, slots=True)
class GapTest(Method):
    """Interval of a calibration error by inverting a test of the norm of the sample's gaps.

    Notes
    -----
    A calibration error is a norm of gaps between stated and observed proportions. Noise increases it whatever its sign,
    so calibrated scores have an error above 0 in every sample, and a normal interval around it never contains 0. This
    interval contains a true error t if the observed error is between the tail quantiles of its distribution, with gaps
    of norm t and normal noise with the covariance of the design. The lower limit is 0 if calibrated scores would often
    show an error as large as the observed one.

    The gaps that make up t are unknown, so the widest limits of three assumptions are used. Only the gaps that
    differ clearly from zero are real, and all others are noise. All gaps are real, in proportion to the observed ones,
    or to their standard errors if these are larger. These gaps all lie on one side. Near 0 the covariance is that of
    calibrated scores. If the norm is a quantile of the gaps, the share of cases below it has a normal error too.

    The limits do not depend on the estimator of the error. They are extended to contain the estimate: the plain
    estimator lies above the middle of the interval, the debiased one closer to it.

    References
    ----------
    Sun, Chaudhari, Barnett, Dobriban (2024), arXiv 2408.08998, for the two regimes of the l2 error, at 0 and away.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> score = rng.random(500)
    >>> hs.estimate(hs.scores(rng.random(500) < score, score), "ece", method=hs.methods.GapTest()).low
    0.0
    """

    name: ClassVar[str] = "gap_test"

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for distances from calibration of labelled scores, otherwise the reason why not."""
        if not isinstance(metric.structure, Distance):
            return f"`GapTest` is for calibration errors such as `ece`, not for `{metric.name}`. Use `Delta()`."
        return needs_labels(self, table)

    def at_levels(self, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval as a function of its level; see the class."""
        value, tested = float(metric(table.counted)), self.tested(metric, table)
        lowest, highest = metric.range

        def interval(confidence_level: float) -> Interval:
            found = tested(confidence_level)
            low, high = np.minimum(found.low, value), np.maximum(found.high, value)
            return replace(found, low=np.maximum(low, lowest), high=np.minimum(high, highest)).to_scalars()

        return interval

    def tested(self, metric: Metric, table: Table) -> IntervalAtLevel:
        """Return the errors that the test does not reject, with or without the estimate, as a function of the level.

        Parameters
        ----------
        metric : Metric
            The calibration error, bound to the table.
        table : Table
            One table.
        """
        value, error = float(metric(table.counted)), float(standard_error(metric, table))
        distance = metric.structure
        if not isinstance(distance, Distance) or not np.isfinite(value):
            return lambda _: Interval(np.nan, np.nan, reason=UNDEFINED)
        if not table.design.degrees_of_freedom > 0:
            return lambda _: Interval(np.nan, np.nan, error, reason=ONE_CLUSTER)
        gaps, power = _Gaps.of(distance, table), distance.power

        def interval(confidence_level: float) -> Interval:
            is_sought = isinstance(confidence_level, Level | Levels)  # one of many, from which a test is inverted
            limits = gaps.interpolated if is_sought else gaps.limits
            low, high = (limit**power for limit in limits(confidence_level))
            return Interval(low, high, error)

        return interval

    def p_value(
        self, metric: Metric, table: Table, null: float, *, draws: Array | None = None, rng: Seed = None
    ) -> float:
        """Return the p-value of the inverted test, at least the smallest that the number of noise draws resolves."""
        distance = metric.structure
        if not isinstance(distance, Distance) or not (table.design.degrees_of_freedom > 0 and null >= 0):
            return np.nan
        if not np.isfinite(float(metric(table.counted))):
            return np.nan
        return _Gaps.of(distance, table).p_value(null ** (1 / distance.power))


@dataclass(frozen=True, eq=False)
class _Gaps:
    """Observed sums of residuals, the proportions of cases in their runs, and the covariance of their noise.

    ``calibrated`` is the covariance under the assumption that the stated probabilities are right.
    """

    distance: Distance
    sums: Array
    shares: Array
    covariance: Array
    calibrated: Array
    degrees_of_freedom: Any
    quantile_error: float = 0.0

    @classmethod
    def of(cls, distance: Distance, table: Table) -> _Gaps:
        sums, shares = distance.sums(table.counts)
        observed, calibrated = _covariances(distance, table, sums)
        covariance, degrees_of_freedom = observed + np.diag(_unseen(distance, table)), table.design.degrees_of_freedom
        moved = _quantile_error(distance, table, sums, shares)
        return cls(distance, sums, shares, covariance, calibrated, degrees_of_freedom, moved)

    def norm(self, sums: Array) -> Array:
        return self.distance.norm(sums, self.shares)

    @cached_property
    def quantiles(self) -> list[Array]:
        """Draws of the population's share of cases below the sample's quantile, as further arguments of the norm."""
        if not self.quantile_error > 0 or self.distance.quantile is None:
            return []
        drawn = np.random.default_rng(1).standard_normal(2 * SIZE) * self.quantile_error
        return [np.clip(self.distance.quantile + drawn, 0.0, 1.0)]

    @cached_property
    def found(self) -> float:
        """The observed norm."""
        return float(self.norm(self.sums))

    @cached_property
    def least(self) -> float:
        """Return the observed norm, or that of noise alone if larger: no sample shows a smaller error."""
        return max(self.found, float(np.median(self.norm(self.noise[0]))))

    @cached_property
    def directions(self) -> list[Array]:
        """Return possible directions of the true sums, with norm 1; see `GapTest`."""
        errors, size = np.sqrt(np.diag(self.covariance)), np.abs(self.sums)
        largest = size >= (1 - RELATIVE_TOLERANCE) * size.max()  # or as large
        off = (divide(size, errors) > OFF) | largest
        spread = np.maximum(size, errors)
        side = -1.0 if self.sums.sum() < -RELATIVE_TOLERANCE * size.sum() else 1.0  # of some metrics they sum to 0
        every = (np.where(off, self.sums, 0.0), np.where(self.sums < 0, -1.0, 1.0) * spread, side * spread)
        return [each / self.norm(each) for each in every if self.norm(each) > 0]

    @cached_property
    def noise(self) -> list[Array]:
        """Return draws of the noise, with the observed covariance and with that of calibrated scores."""
        rng, found = np.random.default_rng(0), []
        for covariance in (self.covariance, self.calibrated):
            values, vectors = np.linalg.eigh(covariance)
            spread = np.sqrt(np.where(values > NEGLIGIBLE * values.max(), values, 0.0))
            root = (vectors * spread) @ vectors.T  # the symmetric one, which rounding does not turn
            draws = rng.standard_normal((SIZE, len(values))) @ root
            found.append(np.concatenate([draws, -draws]))
        if np.isfinite(self.degrees_of_freedom):  # Student's t for the normal
            heavier = np.sqrt(self.degrees_of_freedom / rng.chisquare(self.degrees_of_freedom, (2 * SIZE, 1)))
            found = [heavier * draws for draws in found]
        return found

    def drawn(self, norm: float) -> list[Array]:
        """Return draws of the observed norm for a hypothetical true norm, for each direction."""
        nearness = max(0.0, 1 - norm / self.found) if self.found > 0 else float(norm == 0)
        near, far = np.sqrt(nearness), np.sqrt(1 - nearness)  # of the two covariances, which add up
        found = []
        for start in range(0, 2 * SIZE, AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            noise = far * self.noise[0][rows] + near * self.noise[1][rows]
            quantiles = [each[rows] for each in self.quantiles]
            found.append([self.distance.norm(norm * each + noise, self.shares, *quantiles) for each in self.directions])
        return [*np.concatenate(found, axis=-1)]

    def limits(self, level: float) -> tuple[float, float]:
        """Return the smallest and largest norm that the test does not reject at a level."""
        if not self.directions:
            return 0.0, self.found
        tails = ((1 - level) / 2, (1 + level) / 2)

        def is_less(norm: Array) -> Array:
            return np.asarray(max(np.quantile(each, tails[1]) for each in self.drawn(float(norm))) >= self.found)

        def is_more(norm: Array) -> Array:
            return np.asarray(min(np.quantile(each, tails[0]) for each in self.drawn(float(norm))) <= self.least)

        farthest = self.found + FARTHEST * float(self.norm(self.noise[0]).max())
        low = edge(is_less, self.found, 0.0, relative=PRECISION, tiniest=self.least)
        high = edge(is_more, 0.0, farthest, relative=PRECISION, tiniest=self.least)
        return float(low), float(high)

    @cached_property
    def tails(self) -> tuple[Array, Array, Array]:
        """Norms, ascending, and two normal quantiles at each: of the shares of draws above and below the observed norm.

        Each share is the largest over the directions. The norms end where no draw is as small as the observed norm.
        """
        from scipy import special

        near, far = self.found, self.found + FARTHEST * float(self.norm(self.noise[0]).max())
        for _ in range(HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if self.shares_beyond(middle)[1] > 0 else (near, middle)
        norms = np.unique(np.concatenate([np.linspace(0.0, self.found, NODES), np.linspace(self.found, far, NODES)]))
        above, below = np.array([self.shares_beyond(float(norm)) for norm in norms]).T
        smallest = RESOLVED / 2
        both = np.maximum.accumulate(above), np.minimum.accumulate(below)
        above, below = (special.ndtri(np.clip(each, smallest, 1 - smallest)) for each in both)
        return norms, above, below

    def shares_beyond(self, norm: float) -> tuple[float, float]:
        """Return the shares of draws at least, and at most, the observed norm, each the largest over the directions."""
        drawn = self.drawn(norm)
        return max((each >= self.found).mean() for each in drawn), max((each <= self.least).mean() for each in drawn)

    def interpolated(self, level: float) -> tuple[float, float]:
        """Return the limits at a level from the tails at some norms; infinitely wide beyond the draws' resolution."""
        tail = float(np.asarray(tail_of(level))) / 2
        if not self.directions:
            return 0.0, self.found
        from scipy import special

        if tail < RESOLVED:
            return 0.0, np.inf
        norms, above, below = self.tails
        z = special.ndtri(tail)
        return float(np.interp(z, above, norms)), float(np.interp(z, below[::-1], norms[::-1]))

    def p_value(self, norm: float) -> float:
        """Return the two-sided p-value of a hypothetical true norm."""
        if not self.directions:
            return 1.0
        return float(min(1.0, max(2 * min(self.shares_beyond(norm)), 2 * RESOLVED)))


def _quantile_error(distance: Distance, table: Table, sums: Array, shares: Array) -> float:
    """Return the standard error of the share of cases whose gap is at most the observed quantile; 0 for other norms."""
    if distance.quantile is None:
        return 0.0
    below = np.abs(sums) <= distance.norm(sums, shares) * (1 + RELATIVE_TOLERANCE)
    by_score = np.repeat(below, np.diff(distance.starts, append=len(distance.stated)))
    form = (by_score - float(below @ shares)) / table.counts.sum()
    return float(np.sqrt(table.variance(np.stack([form, form], -1))))


def _covariances(distance: Distance, table: Table, sums: Array) -> tuple[Array, Array]:
    """Return the observed covariance of the sums, and that under calibrated scores."""
    stated, total = distance.stated, table.counts.sum()
    squares = VarianceDetails.of(table.design).squared_weights(table.cells)
    if squares is None:
        by_cell = np.stack([-stated, 1 - stated], -1) / total
        forms = [row[:, None] * by_cell - own / total for row, own in zip(distance.weights(), sums, strict=True)]
        observed = _polarised(forms, table)
        return observed, observed
    by_class, kernel = squares.reshape(-1, 2), distance.kernel / total
    residuals = np.stack([-stated, 1 - stated], -1)
    second = distance.runs((by_class * residuals**2).sum(-1))
    first = np.outer(kernel @ distance.runs((by_class * residuals).sum(-1)), sums / total)
    observed = (kernel * second) @ kernel.T - first - first.T + by_class.sum() * np.outer(sums, sums) / total**2
    expected = distance.runs(by_class.sum(-1) * stated * (1 - stated))
    return observed, (kernel * expected) @ kernel.T


def _polarised(forms: list[Array], table: Table) -> Array:
    """Return the covariance of linear forms in the counts, from variances of sums of pairs."""
    own = np.array([float(table.variance(form)) for form in forms])
    found = np.diag(own)
    for first in range(len(forms)):
        for second in range(first):
            both = float(table.variance(forms[first] + forms[second]))
            found[first, second] = found[second, first] = (both - own[first] - own[second]) / 2
    return found


def _unseen(distance: Distance, table: Table) -> Array:
    """Return the variance to add to sums whose cases agree: that of the sum with one more case of either class."""
    mass, hits, total = table.counts.sum(-1), table.counts[:, 1], table.counts.sum()
    lacking = np.zeros(len(distance.kernel))
    for place, row in enumerate(distance.weights()):
        weight = np.maximum(row, 0.0)
        n_effective = float(effective_sample_size(table, np.stack([weight, weight], -1)))
        part = float(weight @ mass)
        if part > 0 and n_effective > 0:
            share = float(weight @ hits) / part
            smoothed = (n_effective * share + 1) / (n_effective + 2)
            lacking[place] = (
                (part / total) ** 2 * max(smoothed * (1 - smoothed) - share * (1 - share), 0.0) / n_effective
            )
    return lacking
