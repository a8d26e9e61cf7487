"""Base class of the calibrators: a function from scores to probabilities, with draws that express its uncertainty."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.errors import HowsureError
from howsure.imperfect_labels.calibration.isotonic import grouped_scores
from howsure.native.interpolation import interpolated
from howsure.sources.scores import score_values
from howsure.tables.scores import ScoresTable

Chosen = Array | slice  # index of the draws
BLOCK = 2**20  # probabilities kept in memory at once


@dataclass(frozen=True, slots=True, eq=False)
class Calibrator(ABC):
    """A function from scores to probabilities of the positive class, with draws of the function; made by `calibrate`.

    Pass it to `calibrated` for metrics of unlabelled scores: ``calibrated(y_score, calibrator=calibrator)``.

    Parameters
    ----------
    table : ScoresTable
        The labelled scores that the calibrator was fitted to.
    kept : ndarray of shape (draws, parameters) or Steps
        Parameters of the draws.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> labelled, unlabelled = rng.random(400), rng.random(2000)
    >>> calibrator = hs.calibrate(labelled, rng.random(400) < labelled**2, random_state=0)
    >>> table = hs.calibrated(unlabelled, calibrator=calibrator)
    >>> estimate = hs.estimate(table, "precision", threshold=0.7, random_state=0)
    >>> truth = float(np.mean(unlabelled[unlabelled >= 0.7] ** 2))
    >>> bool(estimate.low < truth < estimate.high)
    True
    """

    table: ScoresTable = field(repr=False)
    kept: Any = field(repr=False)
    method: ClassVar[str]

    def check(self) -> None:
        """Check the fields."""
        invariants.instance("table", self.table, ScoresTable)

    @abstractmethod
    def curve(self, scores: Array) -> Array:
        """Return the probability at each score, ``(n,)``; `predict` checks the scores first."""

    @abstractmethod
    def curves(self, scores: Array, chosen: Chosen = slice(None)) -> Array:
        """Return the probabilities under the chosen draws, ``(draws, n)``."""

    def mean(self, scores: Array) -> Array:
        """Return the mean of the draws' probabilities at ascending scores."""
        starts = grouped_scores(np.ones(len(scores)))
        known = scores[starts]
        step = max(1, BLOCK // len(known))
        blocks = (self.curves(known, slice(at, at + step)).sum(0) for at in range(0, self.n_draws, step))
        correction = sum(blocks) / self.n_draws - self.curve(known)
        return np.asarray(np.clip(self.curve(scores) + interpolated(scores, known, correction), 0.0, 1.0))

    @property
    def n_draws(self) -> int:
        """Number of draws of the calibrator."""
        return len(self.kept)

    def checked(self, y_score: object) -> Array:
        """Return the scores as finite numbers; raise an error if the calibrator is undefined at one of them."""
        return score_values(y_score)

    def predict(self, y_score: object) -> Array:
        """Return the calibrated probability of the positive class at each score.

        Parameters
        ----------
        y_score : array-like of shape (n,)
            Scores, on the same scale as the labelled scores.

        Returns
        -------
        ndarray of shape (n,)
            Probabilities, in [0, 1].

        Raises
        ------
        HowsureError
            If a score is missing, or the calibrator is undefined at it.

        Examples
        --------
        >>> import howsure as hs
        >>> calibrator = hs.calibrate([0.1, 0.3, 0.4, 0.8], [0, 1, 0, 1], method="isotonic", random_state=0)
        >>> calibrator.predict([0.2, 0.35, 0.9]).tolist()
        [0.25, 0.5, 1.0]
        """
        return self.curve(self.checked(y_score))

    def draws(self, y_score: object) -> Array:
        """Return the probabilities at each score under every draw of the calibrator.

        Parameters
        ----------
        y_score : array-like of shape (n,)
            Scores, on the same scale as the labelled scores.

        Returns
        -------
        ndarray of shape (n_draws, n)
            Probabilities, in [0, 1].

        Raises
        ------
        HowsureError
            If a score is missing, or the calibrator is undefined at it.
        """
        return self.curves(self.checked(y_score))

    def threshold(self, probability: float) -> float:
        """Return the smallest score whose calibrated probability is at least ``probability``; infinity if none is.

        If all labelled scores are in [0, 1], only scores in [0, 1] are considered.

        ``table.at(calibrator.threshold(0.5))`` applies the threshold to the calibrated probability, ``table.at(0.5)``
        to the score itself.

        Parameters
        ----------
        probability : float
            A probability of the positive class.

        Returns
        -------
        float
            A threshold on the scale of the scores.

        Raises
        ------
        HowsureError
            If the calibrated probability decreases with the score.
        """
        low, high = self._ends
        if not self._at(low) <= self._at(high):
            raise HowsureError(
                "The calibrated probability falls with the score: give `calibrate` the negative of the scores."
            )
        if self._at(high) < probability:
            return np.inf
        first, last = _rank(low), _rank(high)
        while first < last:  # bisect the ranks of floating-point numbers, so that the threshold is exact
            middle = (first + last) // 2
            first, last = (first, middle) if self._at(_ranked(middle)) >= probability else (middle + 1, last)
        return _ranked(first)

    @property
    def _ends(self) -> tuple[float, float]:
        known = self.table.scores
        if known[0] >= 0 and known[-1] <= 1:
            return 0.0, 1.0
        return -np.finfo(float).max, float(np.finfo(float).max)

    def _at(self, score: float) -> float:
        with np.errstate(over="ignore"):  # at the largest floating-point numbers
            return float(self.curve(np.array([score]))[0])


def _rank(number: float) -> int:
    bits = int(np.float64(number).view(np.int64))
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def _ranked(rank: int) -> float:
    return float(np.int64(abs(rank)).view(np.float64)) * (1 if rank >= 0 else -1)
