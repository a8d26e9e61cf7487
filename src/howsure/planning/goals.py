"""What a study is to reach: an interval of a width, a value that is shown, cases of each class."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from howsure.methods.interval import Interval
from howsure.methods.standard_errors import normal_quantile
from howsure.tables.table import Table

Array = NDArray[Any]
NORMAL = NormalDist()
MOST = 1e9  # cases, beyond which no study goes
RARE = 1e-12  # chances beyond which a normal quantile is of no use
BISECTIONS = 200
PRECISE = 1e-13  # relative, of a number of cases


@dataclass(frozen=True, slots=True)
class Spread:
    """A metric to first order: its true value, its variance on one case, and the one that a test of the null has."""

    value: float
    variance: float
    null_variance: float


class Goal(abc.ABC):
    """What a study is to reach, and what is expected of n cases by the normal distribution.

    A scale on which what is reached is nearly linear in the `place` of n lets few simulations tell the n that does.
    """

    __slots__ = ()
    target: float

    @property
    def precision(self) -> float:
        """The error of the mean over simulated studies at which there are enough of them: of a chance half a point."""
        return 0.005

    @property
    def neighbours(self) -> int:
        """How many units more and fewer are looked at: the chances of tests of counts go up and down with n."""
        return 3

    @property
    def is_exact(self) -> bool:
        """Whether what is expected of independent cases is no approximation, and needs no simulated check."""
        return False

    @abc.abstractmethod
    def expected(self, spread: Spread, n: float) -> float:
        """Return the width, or the chance, that n cases are expected to give."""

    @abc.abstractmethod
    def seen(self, table: Table, interval: Interval) -> Array:
        """Return the width in each of a batch of studies; or 1 where one succeeds, and 0 where not."""

    def is_unreachable(self, low: float, high: float) -> bool:
        """Whether no number of cases suffices for some true value from ``low`` to ``high``."""
        return False

    def suffices(self, reached: float) -> bool:
        """Whether what is reached is enough: a chance at least as large as the target."""
        return reached >= self.target

    def scaled(self, reached: float) -> float:
        """Return what is reached on its scale: a chance as its normal quantile."""
        return NORMAL.inv_cdf(min(max(reached, RARE), 1 - RARE))

    def unscaled(self, scaled: float) -> float:
        """Return what is reached, from its scale."""
        return NORMAL.cdf(scaled)

    def steadied(self, mean: float, studies: int) -> float:
        """Return a mean over simulated studies; of a chance with half a success and half a failure more."""
        return (mean * studies + 0.5) / (studies + 1)

    def place(self, n: float) -> float:
        """Return the place of a number of cases: its square root."""
        return math.sqrt(n)

    def number(self, place: float) -> float:
        """Return the number of cases at a place."""
        return max(place, 0.0) ** 2

    def cases(self, spread: Spread) -> float:
        """Return the number of cases that is expected to suffice; infinite where none is."""
        if not self.suffices(self.expected(spread, MOST)):
            return math.inf
        low, high = 0.0, math.log(MOST)
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            enough = self.suffices(self.expected(spread, math.exp(middle)))
            low, high = (low, middle) if enough else (middle, high)
            if high - low <= PRECISE * high:
                break
        return math.exp(high)


@final
@dataclass(frozen=True, slots=True)
class Width(Goal):
    """An interval of a width on average.

    Parameters
    ----------
    target : float
        The width.
    level : float
        The level of the interval.
    """

    target: float
    level: float

    @property
    def neighbours(self) -> int:
        """None: a mean width falls with n."""
        return 0

    @property
    def precision(self) -> float:
        """The error of the mean width at which there are enough studies."""
        return 0.003 * self.target

    def expected(self, spread: Spread, n: float) -> float:
        """Return two normal quantiles of standard errors."""
        return float(2 * normal_quantile(self.level) * math.sqrt(spread.variance / n))

    def seen(self, table: Table, interval: Interval) -> Array:
        """Return the widths."""
        return np.asarray(np.subtract(interval.high, interval.low))

    def suffices(self, reached: float) -> bool:
        """Whether the interval is as narrow."""
        return reached <= self.target

    def scaled(self, reached: float) -> float:
        """Return the logarithm of the width."""
        return math.log(reached)

    def unscaled(self, scaled: float) -> float:
        """Return the width."""
        return math.exp(scaled)

    def steadied(self, mean: float, studies: int) -> float:
        """Return the mean."""
        return mean

    def place(self, n: float) -> float:
        """Return the logarithm of a number of cases, in which that of the width falls by a half."""
        return math.log(n)

    def number(self, place: float) -> float:
        """Return the number of cases."""
        return math.exp(place)


@final
@dataclass(frozen=True, slots=True)
class Shown(Goal):
    """A chance that the interval lies within one of some regions, so that the study shows the true value does.

    Parameters
    ----------
    target : float
        The chance: the power.
    level : float
        The level of the two-sided interval whose limits are looked at.
    regions : tuple of tuple of two float
        The regions, each from one end to the other.
    """

    target: float
    level: float
    regions: tuple[tuple[float, float], ...]

    def expected(self, spread: Spread, n: float) -> float:
        """Return the chance that a normal estimate and its limits, at the standard error of the null, lie within."""
        error, reach = math.sqrt(spread.variance / n), normal_quantile(self.level) * math.sqrt(spread.null_variance / n)
        chances = (
            NORMAL.cdf((high - reach - spread.value) / error) - NORMAL.cdf((low + reach - spread.value) / error)
            for low, high in self.regions
        )
        return sum(max(each, 0.0) for each in chances)

    def is_unreachable(self, low: float, high: float) -> bool:
        """Whether some true value from ``low`` to ``high`` lies outside the regions, as 0 lies between its sides."""
        return not any(first < low and high < last for first, last in self.regions)

    def seen(self, table: Table, interval: Interval) -> Array:
        """Return whether the limits lie within; an interval that is undefined shows nothing."""
        with np.errstate(invalid="ignore"):
            each = [np.greater(interval.low, low) & np.less(interval.high, high) for low, high in self.regions]
        return np.asarray(np.any(each, axis=0) * 1.0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Support(Goal):
    """A chance that each of some classes has as many cases as are needed.

    Parameters
    ----------
    target : float
        The chance.
    shares : ndarray of shape (classes,)
        The share of each class.
    least : ndarray of shape (classes,)
        How many cases of each are needed; 0 of those that do not matter.
    """

    target: float
    shares: Array
    least: Array

    @property
    def is_exact(self) -> bool:
        """Whether it is of one class, or of classes that hardly exclude each other: binomial."""
        return True

    def expected(self, spread: Spread, n: float) -> float:
        """Return the product of the binomial chances of the classes."""
        from scipy import special

        needed = self.least > 0
        shares, least = self.shares[needed], self.least[needed]
        with np.errstate(invalid="ignore"):
            chances = np.where(n >= least, special.betainc(least, np.maximum(n - least, 0) + 1, shares), 0.0)
        return float(np.prod(chances))

    def seen(self, table: Table, interval: Interval) -> Array:
        """Return whether all classes have their cases."""
        return np.asarray((table.class_totals >= self.least).all(-1) * 1.0)
