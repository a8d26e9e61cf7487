"""The calibrators: two logistic regressions, and two rising curves of any form."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from howsure.designs import invariants
from howsure.errors import HowsureError
from howsure.evidence.calibration.calibrator import Calibrator, Chosen
from howsure.evidence.calibration.isotonic import (
    LABELLED_WEIGHT,
    Steps,
    grouped_scores,
    shares_if_negative,
    shares_if_positive,
)
from howsure.evidence.calibration.logistic import most_likely, most_probable_increasing, posterior, probability
from howsure.native.interpolation import interpolated
from howsure.native.rising import rising_shares
from howsure.sources.scores import score_values
from howsure.tables.scores import ScoresTable

Array = NDArray[Any]
NEAREST = 1e-4  # distance from 0 and 1 that the logarithms of a score keep: nearer ones would outweigh all others


@dataclass(frozen=True, slots=True, eq=False)
class Logistic(Calibrator):
    """Logistic regression on features of the score; draws of the coefficients are from their posterior."""

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
        """Return the features of each score, a last column of ones included."""

    def curve(self, scores: Array) -> Array:
        """Return the logistic function of the features' weighted sum."""
        return probability(self.features(scores) @ self.coefficients)

    def curves(self, scores: Array, chosen: Chosen = slice(None)) -> Array:
        """Return the same by the chosen draws of the coefficients."""
        return probability(self.kept[chosen] @ self.features(scores).T)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Platt(Logistic):
    """Logistic regression on the score, ``1 / (1 + exp(-(a s + b)))``, with Platt's softened labels.

    Positive cases count as ``(n₊ + 1)/(n₊ + 2)`` and negative ones as ``1/(n₋ + 2)`` of a positive case, so that the
    fit is finite where the score separates the classes. Draws of the coefficients are from the posterior of the
    labels as they are, under Jeffreys' prior.

    References
    ----------
    Platt (1999), Advances in Large Margin Classifiers.
    """

    method: ClassVar[str] = "platt"

    @classmethod
    def fitted(cls, table: ScoresTable, size: int, rng: np.random.Generator) -> Platt:
        """Return the calibrator of a labelled table."""
        _refuse_few_scores(cls.method, table, 2)
        # Centre and unit of the scores make no difference to the fit, and much to its rounding.
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

    It contains the identity, which logistic regression on the score does not. The likelihood is Firth's, with
    Jeffreys' prior, since the plain one has no maximum where the score separates the classes; of many cases the two
    are the same. Draws of the coefficients are from the posterior under that prior. Scores nearer to 0 or 1 than 0.0001
    are taken for that: a forest's exact 0 would have a logarithm that outweighs all other cases.

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

    def checked(self, y_score: Any) -> Array:
        """Return scores as numbers from 0 to 1."""
        return _checked_probabilities(score_values(y_score))


@dataclass(frozen=True, slots=True, eq=False)
class Rising(Calibrator):
    """A rising curve of any form; draws are Bayesian bootstraps of isotonic regression, with jumps in between."""

    def check(self) -> None:
        """Check the draws."""
        Calibrator.check(self)
        invariants.instance("kept", self.kept, Steps)
        self.kept.check()

    def curves(self, scores: Array, chosen: Chosen = slice(None)) -> Array:
        """Return the probabilities by the chosen draws."""
        return np.asarray(self.kept.at(scores, chosen))

    def mean(self, scores: Array) -> Array:
        """Return the mean of the draws' probabilities: their jumps are on straight lines on average."""
        return np.asarray(self.kept.mean(scores))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Isotonic(Rising):
    """Isotonic regression: the shares that rise with the score and fit the labels best; straight lines in between.

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
        """Return the shares, interpolated between the scores where they start or stop to rise, which are few."""
        rises = np.diff(self.shares) != 0
        corner = np.concatenate([[True], rises]) | np.concatenate([rises, [True]])
        return interpolated(scores, self.table.scores[corner], self.shares[corner])


@final
@dataclass(frozen=True, slots=True, eq=False)
class VennAbers(Rising):
    """Venn–Abers prediction: isotonic regression with the new case once as negative and once as positive.

    `intervals` gives the two probabilities, of which one is calibrated whatever the distribution. `predict` merges
    them, ``p₁ / (1 - p₀ + p₁)``; draws are those of isotonic regression.

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

    def intervals(self, y_score: Any) -> tuple[Array, Array]:
        """Return two probabilities of each score: with the case taken as negative and as positive.

        Parameters
        ----------
        y_score : array-like of shape (n,)
            Scores, on the scale of those that the calibrator was fitted to.

        Returns
        -------
        tuple of two ndarray of shape (n,)
            ``(p₀, p₁)``, of which one is calibrated whatever the distribution.
        """
        return self._pairs(self.checked(y_score))

    def curve(self, scores: Array) -> Array:
        """Return ``p₁ / (1 - p₀ + p₁)``."""
        low, high = self._pairs(scores)
        return np.asarray(high / (1 - low + high))

    def _pairs(self, scores: Array) -> tuple[Array, Array]:
        # Between two labelled scores the new case is pooled with the one above if positive, below if negative.
        known = self.table.scores
        below = np.concatenate([[0.0], self.if_negative])[np.searchsorted(known, scores, side="right")]
        above = np.concatenate([self.if_positive, [1.0]])[np.searchsorted(known, scores, side="left")]
        return below, above


def softened(counts: Array) -> Array:
    """Return labelled cases with Platt's targets in place of the labels: weights of both classes, ``(S, 2)``."""
    kept = (counts.sum(0) + 1) / (counts.sum(0) + 2)
    return np.asarray(counts @ np.array([[kept[0], 1 - kept[0]], [1 - kept[1], kept[1]]]))


def _refuse_few_scores(method: str, table: ScoresTable, coefficients: int) -> None:
    distinct = int((table.counts.sum(1) > 0).sum())
    if distinct < coefficients:
        message = (
            f"'{method}' has {coefficients} coefficients, and the labelled cases have {distinct} distinct scores. "
            "Use 'isotonic', or label more cases."
        )
        raise HowsureError(message)


def _refuse_alike(method: str, features: Array) -> None:
    """Refuse scores that the features do not tell apart, so that many coefficients fit them equally well."""
    if np.linalg.matrix_rank(features.T @ features, hermitian=True) < features.shape[1]:
        message = (
            f"'{method}' cannot tell the labelled cases' scores apart: too few differ, or all but these are nearer to "
            f"0 or 1 than {NEAREST:g}. Use 'isotonic'."
        )
        raise HowsureError(message)


def _posterior(
    centre: Array, features: Array, table: ScoresTable, size: int, rng: np.random.Generator, *, increasing: bool
) -> Array:
    # Weighted cases and clusters tell as much as a simple random sample of their effective size.
    weight = LABELLED_WEIGHT * table.effective_trials(np.ones(table.counts.size)) / table.counts.sum()
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
        message = f"Beta calibration needs scores in [0, 1], and `y_score` holds {worst:g}. Use 'platt' or 'isotonic'."
        raise HowsureError(message)
    return scores
