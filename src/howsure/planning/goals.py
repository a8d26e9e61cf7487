"""Goals of a study: width of the interval, power, and cases of each class."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import final

import numpy as np

from howsure.arrays import Array
from howsure.methods.core.interval import Interval
from howsure.methods.core.standard_errors import normal_quantile
from howsure.tables.table import Table

NORMAL = NormalDist()
MOST = 1e9  # largest number of cases of a study
RARE = 1e-12  # probabilities beyond which a normal quantile is unusable
BISECTIONS = 200
PRECISE = 1e-13  # relative, of a number of cases


@dataclass(frozen=True, slots=True)
class Spread:
    """First-order summary of a metric: true value, variance per case, and variance per case under the null."""

    value: float
    variance: float
    null_variance: float


class Goal(abc.ABC):
    """Goal of a study, and its expected value for n cases under the normal approximation.

    Goals are transformed to a scale on which they are nearly linear in the `place` of n, so that few simulations
    suffice to find n.
    """

    __slots__ = ()
    target: float

    @property
    def precision(self) -> float:
        """Monte Carlo error at which there are enough simulated studies; half a percentage point for probabilities."""
        return 0.005

    @property
    def neighbours(self) -> int:
        """Number of units to check above and below n: the power of tests of counts is not monotone in n."""
        return 3

    @property
    def is_exact(self) -> bool:
        """Whether the expectation for independent cases is exact and needs no simulated check."""
        return False

    @abc.abstractmethod
    def expected(self, spread: Spread, n: float) -> float:
        """Return the expected width, or probability, for n cases."""

    @abc.abstractmethod
    def seen(self, table: Table, interval: Interval) -> Array:
        """Return the width for each study of a batch; or 1 for success and 0 for failure."""

    def is_unreachable(self, low: float, high: float) -> bool:
        """Whether the goal is unreachable, at any n, for some true value from ``low`` to ``high``."""
        return False

    def suffices(self, reached: float) -> bool:
        """Whether the value meets the goal: a probability at least as large as the target."""
        return reached >= self.target

    def scaled(self, reached: float) -> float:
        """Return the value on the scale of the goal; a probability becomes its normal quantile."""
        return NORMAL.inv_cdf(min(max(reached, RARE), 1 - RARE))

    def unscaled(self, scaled: float) -> float:
        """Return the value from the scale of the goal."""
        return NORMAL.cdf(scaled)

    def steadied(self, mean: float, studies: int) -> float:
        """Return a mean over simulated studies; for probabilities half a success and half a failure are added."""
        return (mean * studies + 0.5) / (studies + 1)

    def place(self, n: float) -> float:
        """Return the place of a number of cases: its square root."""
        return math.sqrt(n)

    def number(self, place: float) -> float:
        """Return the number of cases at a place."""
        return max(place, 0.0) ** 2

    def cases(self, spread: Spread) -> float:
        """Return the number of cases expected to suffice; infinite if there is none."""
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
    """Goal: a mean width of the interval.

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
        """0, because the mean width decreases with n."""
        return 0

    @property
    def precision(self) -> float:
        """Monte Carlo error of the mean width at which there are enough studies."""
        return 0.003 * self.target

    def expected(self, spread: Spread, n: float) -> float:
        """Return the standard error times twice the normal quantile."""
        return float(2 * normal_quantile(self.level) * math.sqrt(spread.variance / n))

    def seen(self, table: Table, interval: Interval) -> Array:
        """Return the widths."""
        return np.asarray(np.subtract(interval.high, interval.low))

    def suffices(self, reached: float) -> bool:
        """Whether the interval is narrow enough."""
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
        """Return the logarithm of a number of cases, in which the logarithm of the width has slope −1/2."""
        return math.log(n)

    def number(self, place: float) -> float:
        """Return the number of cases."""
        return math.exp(place)


@final
@dataclass(frozen=True, slots=True)
class Shown(Goal):
    """Goal: the probability (power) that the interval lies inside one of the regions.

    Parameters
    ----------
    target : float
        The probability (power).
    level : float
        Confidence level of the two-sided interval with these limits.
    regions : tuple of tuple of two float
        The regions, each from one end to the other.
    """

    target: float
    level: float
    regions: tuple[tuple[float, float], ...]

    def expected(self, spread: Spread, n: float) -> float:
        """Return the probability that a normal interval, with the standard error of the null, is inside a region."""
        error, reach = math.sqrt(spread.variance / n), normal_quantile(self.level) * math.sqrt(spread.null_variance / n)
        chances = (
            NORMAL.cdf((high - reach - spread.value) / error) - NORMAL.cdf((low + reach - spread.value) / error)
            for low, high in self.regions
        )
        return sum(max(each, 0.0) for each in chances)

    def is_unreachable(self, low: float, high: float) -> bool:
        """Whether some true value from ``low`` to ``high`` is outside all regions, like 0 between its two sides."""
        return not any(first < low and high < last for first, last in self.regions)

    def seen(self, table: Table, interval: Interval) -> Array:
        """Return whether the limits lie inside a region; False for an undefined interval."""
        with np.errstate(invalid="ignore"):
            each = [np.greater(interval.low, low) & np.less(interval.high, high) for low, high in self.regions]
        return np.asarray(np.any(each, axis=0) * 1.0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Support(Goal):
    """Goal: the probability that each required class has enough cases.

    Parameters
    ----------
    target : float
        The probability.
    shares : ndarray of shape (classes,)
        Frequency of each class.
    least : ndarray of shape (classes,)
        Required number of cases of each class; 0 for classes without a requirement.
    """

    target: float
    shares: Array
    least: Array

    @property
    def is_exact(self) -> bool:
        """Whether there is one class, or classes that are nearly independent: the probability is then binomial."""
        return True

    def expected(self, spread: Spread, n: float) -> float:
        """Return the product of the binomial probabilities of the classes."""
        from scipy import special

        needed = self.least > 0
        shares, least = self.shares[needed], self.least[needed]
        with np.errstate(invalid="ignore"):
            chances = np.where(n >= least, special.betainc(least, np.maximum(n - least, 0) + 1, shares), 0.0)
        return float(np.prod(chances))

    def seen(self, table: Table, interval: Interval) -> Array:
        """Return whether all classes have enough cases."""
        return np.asarray((table.class_totals >= self.least).all(-1) * 1.0)
