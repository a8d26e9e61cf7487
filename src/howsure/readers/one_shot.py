"""Gallas' one-shot variance of the mean area over readers: a U-statistic of readers, negative and positive cases."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from howsure.arrays import Floats
from howsure.readers.anova import Anova, Contrast
from howsure.readers.measured import Areas


class OneShot:
    """Unbiased variances of means over readers of areas, and of differences of two.

    The variance of a mean is its square minus an unbiased estimate of the squared expectation: the mean product of wins
    over pairs of two different readers, two negative and two positive cases.

    Parameters
    ----------
    anova : Anova
        The areas with their unbiased covariance.
    areas : Areas
        The areas.
    """

    def __init__(self, anova: Anova, areas: Areas) -> None:
        self.anova = anova
        self.products = np.outer(anova.values, anova.values) - anova.covariance
        self.contributions = areas.contributions()

    def mean(self, modality: int) -> Contrast:
        """Return the mean over readers of a modality."""
        plain = self.anova.mean(modality)
        square = self.anova.mean_square_within(modality)
        terms = [(square / self.anova.readers(modality), self.anova.readers(modality) - 1)]
        terms += self._of_classes(self._weights(modality))
        return _contrast(plain, self._covariance(modality, modality), terms)

    def difference(self, first: int, second: int) -> Contrast:
        """Return the difference of two modalities' means over readers."""
        plain, both = self.anova.difference(first, second), (first, second)
        variance = sum(self._covariance(each, each) for each in both) - 2 * self._covariance(first, second)
        return _contrast(plain, variance, [*self._of_readers(*both), *self._of_cases(*both)])

    def _covariance(self, first: int, second: int) -> float:
        """Return the unbiased covariance of two modalities' means over readers."""
        one, other = self.anova.of(first), self.anova.of(second)
        reader = self.anova.reads.reader
        differ = reader[one][:, None] != reader[other]
        products = self.products[np.ix_(one, other)][differ]
        return float(self.anova.means[first] * self.anova.means[second] - products.mean())

    def _weights(self, modality: int) -> Floats:
        chosen = self.anova.of(modality)
        return np.asarray(chosen / chosen.sum())

    def _of_readers(self, first: int, second: int) -> Iterator[tuple[float, int]]:
        both = (first, second)
        if self.anova.is_nested:
            for each in both:
                number = self.anova.readers(each)
                yield self.anova.mean_square_within(each) / number, number - 1
            return
        one, other = (self.anova.values[self.anova.of(each)] for each in both)
        yield float((one - other).var(ddof=1)) / len(one), len(one) - 1

    def _of_cases(self, first: int, second: int) -> list[tuple[float, int]]:
        one, other = self._weights(first), self._weights(second)
        if self.anova.reads.design == "cases_in_modalities":
            return [*self._of_classes(one), *self._of_classes(other)]
        return self._of_classes(one - other)

    def _of_classes(self, weights: Floats) -> list[tuple[float, int]]:
        """Return the variance of the mean over each class's cases, with its degrees of freedom."""
        each, reads = self.contributions @ weights, self.anova.reads
        occurs = reads.is_read[:, weights != 0].any(1)
        sides = [occurs & (reads.positive == side) for side in (False, True)]
        return [(float((each[side] ** 2).sum()), int(side.sum()) - 1) for side in sides]


def _contrast(plain: Contrast, variance: float, terms: list[tuple[float, int]]) -> Contrast:
    """Return a contrast with Satterthwaite's degrees of freedom of the mean squares, at least the smallest of them."""
    below = sum(part**2 / degrees_of_freedom for part, degrees_of_freedom in terms)
    degrees_of_freedom = max(variance**2 / below if below > 0 else math.inf, min(each for _, each in terms))
    if not variance > 0:
        return Contrast(plain.value, math.nan, degrees_of_freedom, math.nan, math.nan)
    return Contrast(plain.value, math.sqrt(variance), degrees_of_freedom, plain.of_readers, plain.of_cases)
