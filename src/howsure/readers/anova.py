"""The Obuchowski–Rockette model: mean squares of the readers' metrics, and error covariances of the cases."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Booleans, Floats
from howsure.cached import cached_property
from howsure.readers.reads import HILLIS, Reads


@dataclass(frozen=True, slots=True)
class Contrast:
    """A mean over readers, or a difference of two, with its standard error.

    Parameters
    ----------
    value, standard_error, degrees_of_freedom : float
        The value, its standard error and the degrees of freedom of Student's t.
    of_readers, of_cases : float
        The parts of the variance that vary with the sample of readers, and with the sample of cases.
    """

    value: float
    standard_error: float
    degrees_of_freedom: float
    of_readers: float
    of_cases: float


@dataclass(frozen=True, eq=False)
class Anova:
    """Mean squares and averaged covariances of the groups (reader and modality) of a study.

    Parameters
    ----------
    reads : Reads
        The reads, for their groups and design.
    values : ndarray of shape (G,)
        The metric of each group.
    covariance : ndarray of shape (G, G)
        Covariance of the metrics over samples of cases; nan if the cases are fixed.
    fixed : {"", "reader", "case"}
        The factor that is not sampled.
    freedom_power : float
        Power of the ratio of variances in the degrees of freedom of a difference; see `difference`.
    """

    reads: Reads
    values: Floats
    covariance: Floats
    fixed: str
    freedom_power: float = HILLIS

    @property
    def is_nested(self) -> bool:
        """Whether each modality has readers of its own."""
        return self.reads.design == "readers_in_modalities"

    def of(self, modality: int) -> Booleans:
        """Return which groups are of a modality."""
        return np.asarray(self.reads.modality == modality)

    def readers(self, modality: int) -> int:
        """Return the number of readers under a modality."""
        return int(self.of(modality).sum())

    @cached_property
    def means(self) -> Floats:
        """The mean over readers of each modality, ``(T,)``."""
        return np.array([self.values[self.of(each)].mean() for each in range(len(self.reads.modalities))])

    @property
    def mean_square_modality(self) -> float:
        """MS(T): variance of the modalities' means, times the number of readers."""
        sizes = np.bincount(self.reads.modality)
        if len(sizes) == 1:
            return math.nan
        centre = float((sizes * self.means).sum() / sizes.sum())
        return float((sizes * (self.means - centre) ** 2).sum() / (len(sizes) - 1))

    @property
    def mean_square_reader(self) -> float:
        """MS(R): variance of the readers' means, times the number of modalities; within modalities if nested."""
        if self.is_nested:
            within = self.values - self.means[self.reads.modality]
            return _ratio(float((within**2).sum()), len(within) - len(self.means))
        own = np.bincount(self.reads.reader, self.values) / np.bincount(self.reads.reader)
        return _ratio(len(self.means) * float(((own - own.mean()) ** 2).sum()), len(own) - 1)

    @property
    def mean_square_interaction(self) -> float:
        """MS(T:R): mean square of reader by modality; undefined for one modality or reader, or nested readers."""
        if self.is_nested or len(self.means) == 1:
            return math.nan
        own = np.bincount(self.reads.reader, self.values) / len(self.means)
        rest = self.values - self.means[self.reads.modality] - own[self.reads.reader] + own.mean()
        return _ratio(float((rest**2).sum()), (len(own) - 1) * (len(self.means) - 1))

    def mean_square_within(self, modality: int) -> float:
        """Return the variance of the readers' values under a modality."""
        own = self.values[self.of(modality)]
        return float(own.var(ddof=1)) if len(own) > 1 else math.nan

    def _average(self, chosen: Booleans) -> float:
        return float(self.covariance[chosen].mean()) if chosen.any() else 0.0

    @cached_property
    def error(self) -> float:
        """Variance of one reader's metric under one modality over samples of cases."""
        return self._average(np.eye(len(self.values), dtype=bool))

    @cached_property
    def covariances(self) -> tuple[float, float, float]:
        """Cov1, Cov2, Cov3: of one reader under two modalities; of two readers under one; of two under two.

        Those that the design makes zero are exactly zero: groups without a common case.
        """
        reader, modality, design = self.reads.reader, self.reads.modality, self.reads.design
        same_reader, same_modality = reader[:, None] == reader, modality[:, None] == modality
        one = self._average(same_reader & ~same_modality)
        two = self._average(~same_reader & same_modality)
        three = self._average(~same_reader & ~same_modality)
        if design == "cases_in_readers":
            return one, 0.0, 0.0
        if design == "cases_in_modalities":
            return 0.0, two, 0.0
        return one, two, three

    def of_modality(self, modality: int) -> tuple[float, float]:
        """Return the error variance and Cov2 of one modality."""
        chosen = self.of(modality)
        own = self.reads.reader[chosen]
        part = self.covariance[np.ix_(chosen, chosen)]
        others = own[:, None] != own
        two = float(part[others].mean()) if others.any() and self.reads.design != "cases_in_readers" else 0.0
        return float(np.diag(part).mean()), two

    def mean(self, modality: int) -> Contrast:
        """Return the mean over readers of a modality.

        With r readers the variance is ``MS(R) / r + Cov2`` if both vary, ``(Var + (r − 1) Cov2) / r`` for fixed
        readers, and ``MS(R) / r`` for fixed cases.
        """
        r, square = self.readers(modality), self.mean_square_within(modality)
        value = float(self.means[modality])
        if self.fixed == "case":
            return Contrast(value, _root(square / r), r - 1, square / r, 0.0)
        error, two = self.of_modality(modality)
        two = max(two, 0.0)
        of_cases = (error + (r - 1) * two) / r
        if self.fixed == "reader":
            return Contrast(value, _root(of_cases), math.inf, 0.0, of_cases)
        variance = square / r + two
        degrees_of_freedom = (r - 1) * _ratio(variance**2, (square / r) ** 2)
        return Contrast(value, _root(variance), degrees_of_freedom, max(square - error + two, 0.0) / r, of_cases)

    def difference(self, first: int, second: int) -> Contrast:
        """Return the difference of two modalities' means over readers.

        With r readers under both, the variance is ``2 / r`` times ``MS(T:R) + r (Cov2 − Cov3)`` if both vary, ``Var −
        Cov1 + (r − 1)(Cov2 − Cov3)`` for fixed readers, and ``MS(T:R)`` for fixed cases. With readers nested in
        modalities, r and s of them, it is ``(1/r + 1/s) MS(R(T)) + 2 (Cov2 − Cov3)``, ``(1/r + 1/s)(Var − Cov2) + 2
        (Cov2 − Cov3)``, and ``(1/r + 1/s) MS(R(T))``.

        The degrees of freedom are those of the mean square, times a power of the ratio of the variance to the mean
        square's part of it: Hillis' is 2.
        """
        value = float(self.means[first] - self.means[second])
        each = 1 / self.readers(first) + 1 / self.readers(second)
        square = self.mean_square_reader if self.is_nested else self.mean_square_interaction
        r, modalities = len(self.reads.readers), len(self.means)
        own = r - modalities if self.is_nested else (r - 1) * (modalities - 1)
        if self.fixed == "case":
            return Contrast(value, _root(each * square), own, each * square, 0.0)
        one, two, three = self.covariances
        shared = two - three
        if self.is_nested:
            shared = max(shared, 0.0)
            of_cases = each * (self.error - two) + 2 * shared
        else:
            of_cases = each * (self.error - one + (r - 1) * shared)
            shared = max(shared, 0.0)
        if self.fixed == "reader":
            return Contrast(value, _root(of_cases), math.inf, 0.0, of_cases)
        variance = each * square + 2 * shared
        degrees_of_freedom = own * _ratio(variance, each * square) ** self.freedom_power
        error = self.error - (two if self.is_nested else one + shared)
        return Contrast(value, _root(variance), degrees_of_freedom, each * max(square - error, 0.0), of_cases)


def _ratio(above: float, below: float) -> float:
    if below == 0:
        return math.inf if above > 0 else math.nan
    return above / below


def _root(variance: float) -> float:
    return math.sqrt(variance) if variance > 0 else math.nan if math.isnan(variance) else 0.0
