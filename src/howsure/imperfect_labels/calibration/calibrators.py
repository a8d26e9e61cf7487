"""The calibrators: two logistic regressions (Platt, beta) and two increasing curves (isotonic, Venn–Abers)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.errors import HowsureError
from howsure.imperfect_labels.calibration.calibrator import Calibrator, Chosen
from howsure.imperfect_labels.calibration.isotonic import (
    LABELLED_WEIGHT,
    Steps,
    grouped_scores,
    shares_if_negative,
    shares_if_positive,
)
from howsure.imperfect_labels.calibration.logistic import most_probable_increasing, posterior
from howsure.metrics.logistic import most_likely, probability
from howsure.native.interpolation import interpolated
from howsure.native.isotonic import rising_shares
from howsure.sources.scores import score_values
from howsure.tables.protocols import effective_sample_size
from howsure.tables.scores import ScoresTable

NEAREST = 1e-4  # scores are clipped to [NEAREST, 1 - NEAREST]: the logarithm of one nearer score would dominate the fit


@dataclass(frozen=True, slots=True, eq=False)
class Logistic(Calibrator):
    """Logistic regression on features of the score; the coefficients are drawn from their posterior."""

    coefficients: Array

    def check(self) -> None:
        """Check the coefficients and their draws."""
        Calibrator.check(self)
        size = self.features(self.table.scores[:1]).shape[1]
        invariants.numbers("coefficients", self.coefficients, (size,), -invariants.LARGEST)
        invariants.numbers("kept", self.kept, (None, size), -invariants.LARGEST)
        if not len(self.kept):
            invariants.refuse("`kept` is empty, and must have at least one draw.")

    @staticmethod
    @abstractmethod
    def features(scores: Array) -> Array:
        """Return the features of each score; the last column is ones."""

    def curve(self, scores: Array) -> Array:
        """Return the logistic function of the linear predictor."""
        return probability(self.features(scores) @ self.coefficients)

    def curves(self, scores: Array, chosen: Chosen = slice(None)) -> Array:
        """Return the curve under each chosen draw of the coefficients."""
        return probability(self.kept[chosen] @ self.features(scores).T)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Platt(Logistic):
    """Logistic regression on the score s, ``1 / (1 + exp(-(a s + b)))``, with Platt's smoothed targets.

    The target is ``(n₊ + 1)/(n₊ + 2)`` for the n₊ positive cases and ``1/(n₋ + 2)`` for the n₋ negative ones, so the
    fit is finite even if the score separates the classes. The coefficients are drawn from their posterior given the
    original labels, under Jeffreys' prior.

    References
    ----------
    Platt (1999), Advances in Large Margin Classifiers.
    """

    method: ClassVar[str] = "platt"

    @classmethod
    def fitted(cls, table: ScoresTable, size: int, rng: np.random.Generator) -> Platt:
        """Return the calibrator of a labelled table."""
        _refuse_few_scores(cls.method, table, 2)
        # Standardising the scores does not change the fit but reduces its rounding errors.
        centre, unit = _standard(table)
        to_scores = np.array([[1 / unit, -centre / unit], [0.0, 1.0]])
        features = cls.features((table.scores - centre) / unit)
        coefficients = most_likely(features, softened(table.counts))
        kept = _posterior(coefficients, features, table, size, rng, increasing=False)
        return cls(table, kept @ to_scores, coefficients @ to_scores)

    @staticmethod
    def features(scores: Array) -> Array:
        """Return the scores and ones."""
        return np.column_stack([scores, np.ones(len(scores))])


@final
@dataclass(frozen=True, slots=True, eq=False)
class Beta(Logistic):
    """Beta calibration, ``1 / (1 + exp(-(a ln s - b ln(1 - s) + c)))`` with slopes ``a, b ≥ 0``.

    The family contains the identity, unlike logistic regression on the score. The fit maximises Firth's penalised
    likelihood (Jeffreys' prior), because the ordinary likelihood has no maximum if the score separates the classes;
    the two agree in large samples. The coefficients are drawn from the posterior under that prior. Scores within 0.0001
    of 0 or 1 are clipped to that distance: the logarithm of an exact 0, as random forests return it, would dominate
    the fit.

    References
    ----------
    Kull, Silva Filho, Flach (2017), Beta calibration, AISTATS; Firth (1993), Biometrika 80.
    """

    method: ClassVar[str] = "beta"

    @classmethod
    def fitted(cls, table: ScoresTable, size: int, rng: np.random.Generator) -> Beta:
        """Return the calibrator of a labelled table."""
        _refuse_few_scores(cls.method, table, 3)
        features = cls.features(_checked_probabilities(table.scores))
        _refuse_alike(cls.method, features[table.counts.sum(1) > 0])
        coefficients = most_probable_increasing(features, table.counts)
        return cls(table, _posterior(coefficients, features, table, size, rng, increasing=True), coefficients)

    @staticmethod
    def features(scores: Array) -> Array:
        """Return ``ln s``, ``-ln(1 - s)`` and ones."""
        inside = np.clip(scores, NEAREST, 1 - NEAREST)
        return np.column_stack([np.log(inside), -np.log1p(-inside), np.ones(len(scores))])

    def checked(self, y_score: object) -> Array:
        """Return the scores as numbers in [0, 1]."""
        return _checked_probabilities(score_values(y_score))


@dataclass(frozen=True, slots=True, eq=False)
class Rising(Calibrator):
    """An increasing curve of any form; draws are Bayesian bootstraps of isotonic regression, as step functions."""

    def check(self) -> None:
        """Check the draws."""
        Calibrator.check(self)
        invariants.instance("kept", self.kept, Steps)
        self.kept.check()

    def curves(self, scores: Array, chosen: Chosen = slice(None)) -> Array:
        """Return the probabilities under the chosen draws."""
        return np.asarray(self.kept.at(scores, chosen))

    def mean(self, scores: Array) -> Array:
        """Return the mean of the draws' probabilities, in closed form: the average of the jumps is a straight line."""
        return np.asarray(self.kept.mean(scores))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Isotonic(Rising):
    """Isotonic regression: the increasing curve with the best fit at the labelled scores, interpolated linearly.

    References
    ----------
    Zadrozny, Elkan (2002), KDD; Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9.
    """

    shares: Array = field(repr=False)
    method: ClassVar[str] = "isotonic"

    def check(self) -> None:
        """Check the draws and the shares."""
        Rising.check(self)
        invariants.numbers("shares", self.shares, self.table.scores.shape, 0.0, 1.0)

    @classmethod
    def fitted(cls, table: ScoresTable, size: int, rng: np.random.Generator) -> Isotonic:
        """Return the calibrator of a labelled table."""
        return cls(table, Steps.of(table, size, rng), rising_shares(table.counts))

    def curve(self, scores: Array) -> Array:
        """Return the shares, interpolated between the few scores at which a rise starts or ends."""
        rises = np.diff(self.shares) != 0
        corner = np.concatenate([[True], rises]) | np.concatenate([rises, [True]])
        return interpolated(scores, self.table.scores[corner], self.shares[corner])


@final
@dataclass(frozen=True, slots=True, eq=False)
class VennAbers(Rising):
    """Venn–Abers prediction: isotonic regression with the new case added as negative (p₀) and as positive (p₁).

    `intervals` returns both probabilities; one of them is calibrated under any distribution. `predict` merges them
    as ``p₁ / (1 - p₀ + p₁)``. The draws are those of isotonic regression.

    References
    ----------
    Vovk, Petej (2014), Venn–Abers predictors, UAI; Vovk, Petej, Fedorova (2015), NIPS 28.
    """

    if_negative: Array = field(repr=False)
    if_positive: Array = field(repr=False)
    method: ClassVar[str] = "venn_abers"

    def check(self) -> None:
        """Check the draws and the two curves."""
        Rising.check(self)
        for name in ("if_negative", "if_positive"):
            invariants.numbers(name, getattr(self, name), (None,), 0.0, 1.0)

    @classmethod
    def fitted(cls, table: ScoresTable, size: int, rng: np.random.Generator) -> VennAbers:
        """Return the calibrator of a labelled table."""
        counts = table.counts
        return cls(table, Steps.of(table, size, rng), shares_if_negative(counts), shares_if_positive(counts))

    def intervals(self, y_score: object) -> tuple[Array, Array]:
        """Return two probabilities for each score: with the new case added as negative and as positive.

        Parameters
        ----------
        y_score : array-like of shape (n,)
            Scores, on the same scale as the labelled scores.

        Returns
        -------
        tuple of two ndarray of shape (n,)
            ``(p₀, p₁)``; one of them is calibrated under any distribution.
        """
        return self._pairs(self.checked(y_score))

    def curve(self, scores: Array) -> Array:
        """Return ``p₁ / (1 - p₀ + p₁)``."""
        low, high = self._pairs(scores)
        return np.asarray(high / (1 - low + high))

    def _pairs(self, scores: Array) -> tuple[Array, Array]:
        # A new case between two labelled scores is pooled with the score above if positive, below if negative.
        known = self.table.scores
        below = np.concatenate([[0.0], self.if_negative])[np.searchsorted(known, scores, side="right")]
        above = np.concatenate([self.if_positive, [1.0]])[np.searchsorted(known, scores, side="left")]
        return below, above


def softened(counts: Array) -> Array:
    """Return Platt's smoothed targets in place of the labels: weights of both classes, ``(S, 2)``."""
    kept = (counts.sum(0) + 1) / (counts.sum(0) + 2)
    return np.asarray(counts @ np.array([[kept[0], 1 - kept[0]], [1 - kept[1], kept[1]]]))


def _refuse_few_scores(method: str, table: ScoresTable, coefficients: int) -> None:
    distinct = int((table.counts.sum(1) > 0).sum())
    if distinct < coefficients:
        raise HowsureError(
            f"The calibrator '{method}' has {coefficients} coefficients, and the labelled cases {distinct} distinct "
            "scores. Use 'isotonic', or label more cases."
        )


def _refuse_alike(method: str, features: Array) -> None:
    """Refuse scores with collinear features: the coefficients would not be identified."""
    if np.linalg.matrix_rank(features.T @ features, hermitian=True) < features.shape[1]:
        raise HowsureError(
            f"'{method}' cannot separate the scores of the labelled cases: too few differ, or all but these are nearer "
            f"to 0 or 1 than {NEAREST:g}. Use 'isotonic'."
        )


def _posterior(
    centre: Array, features: Array, table: ScoresTable, size: int, rng: np.random.Generator, *, increasing: bool
) -> Array:
    # Weighted or clustered cases are scaled to their effective sample size.
    weight = LABELLED_WEIGHT * effective_sample_size(table, np.ones(table.counts.size)) / table.counts.sum()
    mass = table.counts.sum(1)
    filled = mass > 0
    features, weights, mass = features[filled], weight * table.counts[filled], mass[filled]
    starts = grouped_scores(mass)
    means = np.add.reduceat(features * mass[:, None], starts) / np.add.reduceat(mass, starts)[:, None]
    return posterior(centre, means, np.add.reduceat(weights, starts), size, rng, increasing=increasing)


def _standard(table: ScoresTable) -> tuple[float, float]:
    scores, mass = table.scores, table.counts.sum(1)
    centre = float(np.average(scores, weights=mass))
    unit = float(np.sqrt(np.average((scores - centre) ** 2, weights=mass)))
    return centre, unit or 1.0


def _checked_probabilities(scores: Array) -> Array:
    if scores.size and (scores.min() < 0 or scores.max() > 1):
        worst = float(scores.min()) if scores.min() < 0 else float(scores.max())
        raise HowsureError(
            f"Beta calibration needs scores in [0, 1], and `y_score` holds {worst:g}. Use 'platt' or 'isotonic'."
        )
    return scores
