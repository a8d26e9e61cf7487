"""Populations of scores: two normal distributions, transformed to probabilities that may be miscalibrated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, whole_number
from howsure.lab.truths import MANY, Truth
from howsure.tables.scores import ScoresTable

FINE = 2**16  # levels of the table that approximates continuous scores
REACH = 9.0  # range of this table, in standard deviations beyond the means


@dataclass(frozen=True, slots=True)
class BinormalScores(Truth):
    """Scores of two classes with normal distributions of unit variance, as probabilities of the positive class.

    The score is ``1 / (1 + exp(-(intercept + slope * t)))``, where ``t`` is the true log-odds given by the two
    densities and the prevalence. The default is calibrated. Average precision, Brier score, log loss and calibration
    errors are those of a population with this prevalence.

    Parameters
    ----------
    auc : float
        Area under the ROC curve.
    positives, negatives : int
        Expected number of cases of each class. A study has ``positives + negatives`` cases, each of which is positive
        with the same probability.
    levels : int, optional
        Number of distinct scores: the scale is divided into intervals of equal length, each with its own log-odds. By
        default scores are continuous.
    intercept, slope : float
        Miscalibration of the scores; the slope must be positive.

    Examples
    --------
    >>> import howsure as hs
    >>> truth = hs.lab.BinormalScores(0.8, positives=30, negatives=70)
    >>> round(truth.value("roc_auc"), 6), truth.tables(2, np.random.default_rng(0))[0].rows
    (0.8, 100)
    """

    auc: float
    positives: int
    negatives: int
    levels: int | None = None
    intercept: float = 0.0
    slope: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.auc < 1:
            raise HowsureError(f"`auc` lies between 0 and 1, not {self.auc!r}.")
        for name in ("positives", "negatives"):
            whole_number(name, getattr(self, name))
        if self.levels is not None:
            whole_number("levels", self.levels, least=2)
        if not self.slope > 0:
            raise HowsureError(f"`slope` is positive, not {self.slope!r}.")

    @property
    def distance(self) -> float:
        """Distance between the two means, in standard deviations."""
        from scipy import special

        return float(math.sqrt(2) * special.ndtri(self.auc))

    @property
    def expected(self) -> ScoresTable:
        """The expected table, scaled to very many cases; continuous scores are replaced by a fine grid."""
        scores, shares = self._distribution(self.levels or FINE, 3.0 if self.levels else REACH)
        return self._table(scores, shares * self._prevalence * MANY)

    @property
    def numbers(self) -> int:
        """Number of values in memory while one table is drawn."""
        return 2 * (self.levels or 4 * self._cases)

    def tables(self, size: int, rng: np.random.Generator) -> ScoresTable | list[ScoresTable]:
        """Return a batch of tables with the same distinct scores, or a list of tables if scores are continuous."""
        if self.levels is None:
            return [self._continuous(rng) for _ in range(size)]
        scores, shares = self._distribution(self.levels, 3.0)
        drawn = rng.multinomial(self._cases, (shares * self._prevalence).ravel(), size)
        return self._table(scores, drawn.reshape(size, *shares.shape).astype(float), self._cases)

    @property
    def _cases(self) -> int:
        return self.positives + self.negatives

    @property
    def _prevalence(self) -> Array:
        return np.array([self.negatives, self.positives]) / self._cases

    def _continuous(self, rng: np.random.Generator) -> ScoresTable:
        truth = (rng.random(self._cases) < self._prevalence[1]).astype(int)
        place = rng.standard_normal(self._cases) + self.distance * truth
        return self._table(*_merged(self._score(self._log_odds(place)), np.eye(2)[truth]))

    def _distribution(self, levels: int, reach: float) -> tuple[Array, Array]:
        """Return the distinct scores, and the probability of each in both classes, ``(levels, 2)``."""
        from scipy import special

        ends = np.linspace(min(0.0, self.distance) - reach, max(0.0, self.distance) + reach, levels + 1)
        inner = np.r_[-np.inf, ends[1:-1], np.inf]
        shares = np.stack([_between(inner - mean, special.ndtr) for mean in (0.0, self.distance)], -1)
        with np.errstate(divide="ignore"):
            odds = np.log(shares[:, 1] * self.positives) - np.log(shares[:, 0] * self.negatives)
        return _merged(self._score(odds), shares)

    def _log_odds(self, place: Array) -> Array:
        return self.distance * place - self.distance**2 / 2 + math.log(self.positives / self.negatives)

    def _score(self, log_odds: Array) -> Array:
        from scipy import special

        return np.asarray(special.expit(self.intercept + self.slope * log_odds))

    def _table(self, scores: Array, counts: Array, rows: int = -1) -> ScoresTable:
        return ScoresTable(counts=counts, scores=scores, labels=np.array([0, 1]), rows=rows)


def _merged(scores: Array, counts: Array) -> tuple[Array, Array]:
    """Return the distinct scores in ascending order, and the sums of their counts."""
    distinct, cell = np.unique(scores, return_inverse=True)
    sums = [np.bincount(cell.ravel(), each, len(distinct)) for each in counts.T]
    return distinct, np.stack(sums, -1)


def _between(ends: Array, distribution: Any) -> Array:
    """Return the probabilities between neighbouring ends, accurate in both tails."""
    start, stop = ends[:-1], ends[1:]
    return np.asarray(
        np.where(start > 0, distribution(-start) - distribution(-stop), distribution(stop) - distribution(start))
    )
