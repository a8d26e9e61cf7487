"""Building blocks of metrics: quotients, complex-step derivatives, ratios of linear forms, and proportions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.native.outcomes import summed

Better = Literal["higher", "lower", "neither"]

NUDGED = 2**17  # entries of the nudged tables evaluated at once in a gradient: bounds its memory
STEP = 1e-20  # of the complex-step derivative, which is exact to rounding since it takes no difference


def divide(part: Array, whole: Array) -> Array:
    """``part / whole``; nan where ``whole`` is zero."""
    empty = np.equal(whole, 0)
    if not empty.any():
        return np.asarray(np.true_divide(part, whole))
    return np.where(empty, np.nan, np.true_divide(part, np.where(empty, 1, whole)))


def mean_of_defined(values: Array) -> Array:
    """Return the mean over the last axis of the values that are not nan; nan if all are."""
    undefined = np.isnan(values)
    if not undefined.any():
        return np.asarray(summed(values, -1) / values.shape[-1])
    return divide(np.where(undefined, 0, values).sum(-1), (~undefined).sum(-1))


def complex_step(function: Callable[[Array], Array], flat: Array) -> Array:
    """Return the derivatives of a function of the last axis by each of its entries, in the shape of ``flat``.

    Parameters
    ----------
    function : callable
        ``(..., m) -> (...)``, analytic: it must take complex numbers.
    flat : ndarray of shape (..., m)
        Where the derivatives are taken.
    """
    size = flat.shape[-1]
    step = max(1, NUDGED // max(flat.size, 1))
    slopes = np.empty((size, *flat.shape[:-1]))
    for start in range(0, size, step):
        index = np.arange(start, min(start + step, size))
        nudged = np.broadcast_to(flat + 0j, (len(index), *flat.shape)).copy()
        nudged[np.arange(len(index)), ..., index] += STEP * 1j
        with np.errstate(all="ignore"):
            slopes[index] = np.imag(function(nudged)) / STEP
    return np.moveaxis(slopes, 0, -1)


def per_table(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Decorate a derivative that is written for one table, ``(S, 2)``, so that it takes tables on leading axes."""

    def of_every(cells: Array) -> Array:
        if cells.ndim == 2:
            return function(cells)
        each = [function(table) for table in cells.reshape(-1, *cells.shape[-2:])]
        return np.stack(each).reshape(cells.shape)

    return of_every


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The stated rate that chooses the threshold of a metric of scores.

    Parameters
    ----------
    rate : float
        Largest false positive rate; with ``is_precision`` the smallest recall.
    is_precision : bool
        Whether the metric is the precision there; by default it is the true positive rate.
    turned : bool
        Whether the classes change places, and thresholds run from the lowest score.
    """

    rate: float
    is_precision: bool = False
    turned: bool = False


@dataclass(frozen=True, eq=False)
class Ratio:
    """``sum(numerator * counts) / sum(denominator * counts)``, with coefficients in the shape of the cells.

    Where it is a share by definition, ``share`` says so, though no cell of a table may be on one of its sides.
    """

    numerator: Array
    denominator: Array
    share: Proportion | None = field(default=None, kw_only=True)

    @cached_property
    def proportion(self) -> Proportion | None:
        """The binomial proportion that this ratio is a monotone function of, if it is one.

        It is one when the cells it looks at fall into two groups with equal coefficients: F1 gives true
        positives ``(2, 2)`` and errors ``(0, 1)``, so it is ``2p / (1 + p)`` with ``p`` the share of true
        positives among the cases that are not true negatives.
        """
        if self.share is not None:
            return self.share
        seen = (self.numerator != 0) | (self.denominator != 0)
        if not seen.any():
            return None
        first, is_first = self._like(seen)
        others = seen & ~is_first
        if not others.any():
            return None
        second, is_second = self._like(others)
        if (others & ~is_second).any():
            return None
        if _value(first) < _value(second):
            first, is_first, second = second, is_second, first
        return Proportion(is_first, seen, first, second)

    def _like(self, cells: Array) -> tuple[tuple[float, float], Array]:
        """Return the coefficients of the first of some cells, and the mask of the cells that have them."""
        place = cells.argmax()
        a, b = self.numerator.flat[place], self.denominator.flat[place]
        return (float(a), float(b)), (self.numerator == a) & (self.denominator == b)


def _value(coefficients: tuple[float, float]) -> float:
    """Return the ratio of a cell alone."""
    a, b = coefficients
    return a / b if b else np.inf


@dataclass(frozen=True, slots=True)
class Proportion:
    """The proportion of the cells ``trials`` that are in ``successes``, and the metric as a function of it."""

    successes: Array
    trials: Array
    success_coefficients: tuple[float, float]
    failure_coefficients: tuple[float, float]

    def metric(self, share: Array) -> Array:
        """Return the metric's value at a share; increasing."""
        (a, b), (c, d) = self.success_coefficients, self.failure_coefficients
        return np.asarray((a * share + c * (1 - share)) / (b * share + d * (1 - share)))

    def slope(self, share: Array) -> Array:
        """Return the derivative of the metric's value by the share."""
        (a, b), (c, d) = self.success_coefficients, self.failure_coefficients
        return np.asarray((a * d - b * c) / (b * share + d * (1 - share)) ** 2)


@dataclass(frozen=True, slots=True, eq=False)
class Rank:
    """A metric that is the smallest value with at least this proportion of the cases at or below it.

    Parameters
    ----------
    values : ndarray of shape (cells,)
        The number of each cell, ascending.
    share : float
        Between 0 and 1.
    """

    values: Array
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class Undefined:
    """A metric that states why it is undefined.

    Parameters
    ----------
    why : callable
        Counts ``(..., *cells)`` → the reason for each table, a string or an array ``(...)`` of them.
    """

    why: Callable[[Array], Any]


@dataclass(frozen=True, slots=True)
class Parts:
    """A metric as a weighted sum of proportions, one for each class in ``classes`` and each of ``terms``.

    ``terms`` holds ``(weight, ratio of the four outcomes)``; ``classes`` is None for all.
    """

    terms: tuple[tuple[float, Ratio], ...]
    classes: Array | None


@dataclass(frozen=True, slots=True, eq=False)
class Distance:
    """How far sums of residuals are from zero: a norm of them, which the noise of a sample only adds to.

    A residual is a case's truth, 0 or 1, less the probability that is stated for it. Where these are right every sum
    of residuals has the mean 0, and the distance of a sample from it is noise alone.

    Parameters
    ----------
    stated : ndarray of shape (S,)
        The probability that is stated for the cases of each distinct score.
    starts : ndarray of shape (F,)
        Where each run of scores starts whose residuals are added up.
    kernel : ndarray of shape (B, F)
        What each run gives to each of the sums.
    norm : callable
        ``(sums over all cases (..., B), share of the cases in each run (..., F))`` → the norm of the sums; a multiple
        of the sums has that multiple of it.
    power : int
        The metric is the norm to this power.
    quantile : float or None
        The norm is the quantile of the sums' sizes at this share of the cases, and takes the share of each of many
        sums as a third argument; None for other norms.
    """

    stated: Array
    starts: Array
    kernel: Array
    norm: Callable[..., Array]
    power: int = 1
    quantile: float | None = None

    def runs(self, by_score: Array) -> Array:
        """Add up values by score, ``(..., S)``, within runs: ``(..., F)``."""
        return np.asarray(np.add.reduceat(by_score, self.starts, axis=-1))

    def sums(self, cells: Array) -> tuple[Array, Array]:
        """Return the sums of residuals, ``(..., B)``, and the cases of each run, ``(..., F)``, over all cases."""
        mass, total = cells.sum(-1), cells.sum((-2, -1))[..., None]
        residuals = divide(self.runs(cells[..., 1] - self.stated * mass), total)
        return residuals @ self.kernel.T, divide(self.runs(mass), total)

    def weights(self) -> Iterator[Array]:
        """Yield the coefficients of the scores in each sum, ``(S,)``."""
        sizes = np.diff(self.starts, append=len(self.stated))
        return (np.repeat(row, sizes) for row in self.kernel)
