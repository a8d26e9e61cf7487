"""Calibrators: from scores and a few labels to probabilities, and how sure these are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.evidence.isotonic import rising_shares, shares_if_negative, shares_if_positive
from howsure.evidence.logistic import most_likely, most_probable_increasing, posterior, probability
from howsure.methods.draws import seed_sequence
from howsure.sources.scores import score_values, scores
from howsure.table import Table

Array = NDArray[Any]
SMALLEST = float(np.finfo(float).eps)  # distance from 0 and 1 that the logarithms of a score keep
PSEUDO_CASES = 0.5  # positive at the lowest labelled score and negative at the highest: Jeffreys' prior of the ends
MOST_SCORES = 2048  # groups of neighbouring scores, where there are more, behind draws of coefficients
BLOCK = 2**20  # probabilities held at once
MOST_KEPT = 2**25  # probabilities that the draws of an isotonic calibrator keep


@dataclass(frozen=True, slots=True, eq=False)
class Calibrator(ABC):
    """A function from scores to probabilities of the positive class, with draws of it; from `calibrate`.

    Parameters
    ----------
    table
        The labelled table of scores that it was fitted to.
    """

    table: Table = field(repr=False)
    method: ClassVar[str]

    @abstractmethod
    def curve(self, scores: Array) -> Array:
        """Return the probability at each score; `predict` checks the scores first."""

    @abstractmethod
    def curves(self, scores: Array, chosen: Array | slice = slice(None)) -> Array:
        """Return the probabilities by the chosen of the kept draws, ``(draws, scores)``."""

    def mean(self, scores: Array) -> Array:
        """Return the mean of the draws' probabilities at ascending scores."""
        starts = grouped_scores(np.ones(len(scores)))
        known = scores[starts]
        step = max(1, BLOCK // len(known))
        blocks = (self.curves(known, slice(at, at + step)).sum(0) for at in range(0, self.n_draws, step))
        correction = sum(blocks) / self.n_draws - self.curve(known)
        return np.asarray(np.clip(self.curve(scores) + np.interp(scores, known, correction), 0.0, 1.0))

    @property
    @abstractmethod
    def n_draws(self) -> int:
        """How many draws of the calibrator are kept."""

    def checked(self, y_score: Any) -> Array:
        """Return scores as finite numbers that the calibrator is defined on."""
        return score_values(y_score)

    def predict(self, y_score: Any) -> Array:
        """Return the calibrated probability of the positive class at each score.

        Examples
        --------
        >>> import howsure as hs
        >>> calibrator = hs.calibrate([0.1, 0.3, 0.4, 0.8], [0, 1, 0, 1], method="isotonic", random_state=0)
        >>> calibrator.predict([0.2, 0.35, 0.9]).tolist()
        [0.25, 0.5, 1.0]
        """
        return self.curve(self.checked(y_score))

    def draws(self, y_score: Any) -> Array:
        """Return the probabilities at each score by every kept draw of the calibrator, ``(n_draws, scores)``."""
        return self.curves(self.checked(y_score))

    def batch(self, y_score: Any) -> Table:
        """Return unlabelled scores as a table of expected counts, for `estimate`, `evaluate` and ``table.at``.

        Thresholds are on the scale of the scores. The intervals are for the metric that this batch will turn out to
        have: they hold the classes, given their probabilities, and the calibrator, given its labelled cases, for
        uncertain, the scores for known. Methods that draw (``"bayes"``) follow both exactly.

        Raises
        ------
        HowsureError
            If there is no score, or one is missing.

        Examples
        --------
        >>> import numpy as np, howsure as hs
        >>> rng = np.random.default_rng(0)
        >>> labelled, unlabelled = rng.random(400), rng.random(2000)
        >>> calibrator = hs.calibrate(labelled, rng.random(400) < labelled**2, random_state=0)
        >>> table = calibrator.batch(unlabelled)
        >>> estimate = hs.estimate(table.at(0.7), "precision", method="bayes", random_state=0)
        >>> truth = float(np.mean(unlabelled[unlabelled >= 0.7] ** 2))
        >>> estimate.low < truth < estimate.high
        True
        """
        from howsure.evidence.batch import calibrated_batch

        return calibrated_batch(y_score, self)

    def threshold(self, probability: float) -> float:
        """Return the smallest score whose calibrated probability is at least this; infinity where none is.

        ``table.at(calibrator.threshold(0.5))`` decides by the calibrated probability, ``table.at(0.5)`` by the
        score itself.

        Raises
        ------
        HowsureError
            If the calibrated probability falls with the score.
        """
        low, high = self._ends
        if not self._at(low) <= self._at(high):
            message = "The calibrated probability falls with the score: give `calibrate` the negative of the scores."
            raise HowsureError(message)
        if self._at(high) < probability:
            return np.inf
        first, last = _rank(low), _rank(high)
        while first < last:  # by the ranks of floating-point numbers, so that the answer is exact
            middle = (first + last) // 2
            first, last = (first, middle) if self._at(_ranked(middle)) >= probability else (middle + 1, last)
        return _ranked(first)

    @property
    def _ends(self) -> tuple[float, float]:
        return -np.finfo(float).max, float(np.finfo(float).max)

    def _at(self, score: float) -> float:
        return float(self.curve(np.array([score]))[0])


@dataclass(frozen=True, slots=True, eq=False)
class Platt(Calibrator):
    """Logistic regression on the score, with Platt's softened labels.

    Positive cases count as ``(n₊ + 1)/(n₊ + 2)`` and negative ones as ``1/(n₋ + 2)`` of a positive case, so that the
    fit is finite where the labels are separated by the score. Draws of the coefficients are from the posterior that
    the softened likelihood gives under a flat prior.

    References
    ----------
    Platt (1999), Advances in Large Margin Classifiers.
    """

    coefficients: Array
    kept: Array = field(repr=False)
    method: ClassVar[str] = "platt"

    @classmethod
    def fitted(cls, table: Table, size: int, rng: np.random.Generator) -> Platt:
        """Return the calibrator of a labelled table."""
        weights = softened(table)
        # Centre and unit of the scores make no difference to the fit, and much to its rounding.
        centre, unit = _standard(table.support[0], weights)
        to_scores = np.array([[1 / unit, -centre / unit], [0.0, 1.0]])
        features = _with_ones((table.support[0] - centre) / unit)
        coefficients = most_likely(features, weights)
        kept = _posterior(coefficients, features, table, size, rng, increasing=False)
        return cls(table, coefficients @ to_scores, kept @ to_scores)

    def curve(self, scores: Array) -> Array:
        """Return ``1 / (1 + exp(-(a s + b)))``."""
        return probability(_with_ones(scores) @ self.coefficients)

    def curves(self, scores: Array, chosen: Array | slice = slice(None)) -> Array:
        """Return the probabilities by the chosen draws."""
        return probability(self.kept[chosen] @ _with_ones(scores).T)

    @property
    def n_draws(self) -> int:
        """How many draws of the calibrator are kept."""
        return len(self.kept)


@dataclass(frozen=True, slots=True, eq=False)
class Beta(Calibrator):
    """Beta calibration: logistic regression on ``ln s`` and ``-ln(1 - s)``, with slopes that are not negative.

    It contains the identity, which logistic regression on the score does not. Labels are softened as in Platt's method:
    with hard ones the fit diverges where the score separates them.

    References
    ----------
    Kull, Silva Filho, Flach (2017), Beta calibration, AISTATS.
    """

    coefficients: Array
    kept: Array = field(repr=False)
    method: ClassVar[str] = "beta"

    @classmethod
    def fitted(cls, table: Table, size: int, rng: np.random.Generator) -> Beta:
        """Return the calibrator of a labelled table."""
        features = _with_ones(_logarithms(_checked_probabilities(table.support[0])))
        coefficients = most_probable_increasing(features, table.counts)
        kept = _posterior(coefficients, features, table, size, rng, increasing=True)
        return cls(table, coefficients, kept)

    def checked(self, y_score: Any) -> Array:
        """Return scores as numbers from 0 to 1."""
        return _checked_probabilities(score_values(y_score))

    def curve(self, scores: Array) -> Array:
        """Return ``1 / (1 + exp(-(a ln s - b ln(1 - s) + c)))``."""
        return probability(_with_ones(_logarithms(scores)) @ self.coefficients)

    def curves(self, scores: Array, chosen: Array | slice = slice(None)) -> Array:
        """Return the probabilities by the chosen draws."""
        return probability(self.kept[chosen] @ _with_ones(_logarithms(scores)).T)

    @property
    def n_draws(self) -> int:
        """How many draws of the calibrator are kept."""
        return len(self.kept)

    @property
    def _ends(self) -> tuple[float, float]:
        return 0.0, 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Isotonic(Calibrator):
    """Isotonic regression: the shares that rise with the score and fit the labels best; straight lines in between.

    Draws are of the Bayesian bootstrap of the labelled cases, each of which counts a little for the other class, as
    in Platt's softened labels: a score that separates its few labels does not make the calibrator certain.

    References
    ----------
    Zadrozny, Elkan (2002), KDD; Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9.
    """

    shares: Array = field(repr=False)
    kept: Steps = field(repr=False)
    method: ClassVar[str] = "isotonic"

    @classmethod
    def fitted(cls, table: Table, size: int, rng: np.random.Generator) -> Isotonic:
        """Return the calibrator of a labelled table."""
        return cls(table, rising_shares(table.counts), Steps.of(table, size, rng))

    def curve(self, scores: Array) -> Array:
        """Return the shares, interpolated."""
        return np.interp(scores, self.table.support[0], self.shares)

    def curves(self, scores: Array, chosen: Array | slice = slice(None)) -> Array:
        """Return the probabilities by the chosen draws."""
        return self.kept.at(scores, chosen)

    def mean(self, scores: Array) -> Array:
        """Return the mean of the draws' probabilities: their jumps are on straight lines on average."""
        return self.kept.mean(scores)

    @property
    def n_draws(self) -> int:
        """How many draws of the calibrator are kept."""
        return len(self.kept)


@dataclass(frozen=True, slots=True, eq=False)
class VennAbers(Calibrator):
    """Venn–Abers prediction: isotonic regression with the new case once as negative and once as positive.

    `intervals` gives the two probabilities, of which one is calibrated whatever the distribution. `predict` merges
    them, ``p₁ / (1 - p₀ + p₁)``; draws are those of isotonic regression.

    References
    ----------
    Vovk, Petej (2014), Venn–Abers predictors, UAI; Vovk, Petej, Fedorova (2015), NIPS 28.
    """

    if_negative: Array = field(repr=False)
    if_positive: Array = field(repr=False)
    kept: Steps = field(repr=False)
    method: ClassVar[str] = "venn_abers"

    @classmethod
    def fitted(cls, table: Table, size: int, rng: np.random.Generator) -> VennAbers:
        """Return the calibrator of a labelled table."""
        counts = table.counts
        return cls(table, shares_if_negative(counts), shares_if_positive(counts), Steps.of(table, size, rng))

    def intervals(self, y_score: Any) -> tuple[Array, Array]:
        """Return the probabilities ``(p₀, p₁)`` with the case taken as negative and as positive."""
        return self._pairs(self.checked(y_score))

    def _pairs(self, scores: Array) -> tuple[Array, Array]:
        # Between two labelled scores the new case is pooled with the one above if positive, below if negative.
        known = self.table.support[0]
        below = np.concatenate([[0.0], self.if_negative])[np.searchsorted(known, scores, side="right")]
        above = np.concatenate([self.if_positive, [1.0]])[np.searchsorted(known, scores, side="left")]
        return below, above

    def curve(self, scores: Array) -> Array:
        """Return ``p₁ / (1 - p₀ + p₁)``."""
        low, high = self._pairs(scores)
        return np.asarray(high / (1 - low + high))

    def curves(self, scores: Array, chosen: Array | slice = slice(None)) -> Array:
        """Return the probabilities by the chosen draws."""
        return self.kept.at(scores, chosen)

    def mean(self, scores: Array) -> Array:
        """Return the mean of the draws' probabilities: their jumps are on straight lines on average."""
        return self.kept.mean(scores)

    @property
    def n_draws(self) -> int:
        """How many draws of the calibrator are kept."""
        return len(self.kept)


METHODS: dict[str, type[Platt | Beta | Isotonic | VennAbers]] = {
    each.method: each for each in (Isotonic, Platt, Beta, VennAbers)
}


def calibrate(
    y_score: Any,
    y_true: Any,
    *,
    method: str = "beta",
    data: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    n_draws: int = 1000,
    random_state: Any = None,
) -> Calibrator:
    """Fit a calibrator of scores to labelled cases, with draws that say how sure it is.

    Parameters
    ----------
    y_score
        Score of each labelled case, higher for the positive class; or, with ``data``, the name of its column.
    y_true
        Their true classes, two; or the name of the column.
    method
        ``"beta"`` (three coefficients, for scores in [0, 1]), ``"platt"`` (two, for any scores), ``"isotonic"`` or
        ``"venn_abers"`` (any rising curve; for some hundreds of labels or more).
    data, pos_label, sample_weight, groups
        As in `scores`.
    n_draws
        How many draws of the calibrator to keep.
    random_state
        Seed of the draws.

    Returns
    -------
    Calibrator
        ``predict(y_score)`` gives probabilities, ``draws(y_score)`` many versions of them, ``batch(y_score)`` a table
        of unlabelled scores for `estimate` and `evaluate`.

    Raises
    ------
    HowsureError
        If the method is not known, the columns are not valid (see `scores`), a class does not occur, or scores for
        ``"beta"`` leave [0, 1].

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> score = rng.random(400)
    >>> label = rng.random(400) < score**2  # the probability is the score's square
    >>> calibrator = hs.calibrate(score, label, random_state=0)
    >>> calibrator.predict([0.2, 0.8]).round(1).tolist()
    [0.0, 0.6]
    """
    if method not in METHODS:
        raise HowsureError.unknown("method of calibration", str(method), METHODS)
    if isinstance(n_draws, bool) or int(n_draws) != n_draws or n_draws < 2:  # noqa: PLR2004 - they have to vary
        message = f"`n_draws` must be a whole number of at least 2, not {n_draws!r}."
        raise HowsureError(message)
    table = scores(y_true, y_score, data=data, pos_label=pos_label, sample_weight=sample_weight, groups=groups)
    for name, total in zip(table.support[1].tolist(), table.counts.sum(0), strict=True):
        if not total > 0:
            message = f"No labelled case is of the class {name!r}: a calibrator needs cases of both classes."
            raise HowsureError(message)
    return METHODS[method].fitted(table, int(n_draws), np.random.default_rng(seed_sequence(random_state)))


def softened(table: Table) -> Array:
    """Return the labelled cases with Platt's targets in place of the labels: weights of both classes, ``(S, 2)``."""
    negatives, positives = table.counts.sum(0)
    kept_negative, kept_positive = (negatives + 1) / (negatives + 2), (positives + 1) / (positives + 2)
    return np.asarray(table.counts @ np.array([[kept_negative, 1 - kept_negative], [1 - kept_positive, kept_positive]]))


def grouped_scores(number: Array) -> Array:
    """Return where to cut ascending scores into groups of about equally many cases, ``(groups,)``."""
    if len(number) <= MOST_SCORES:
        return np.arange(len(number))
    middle = np.cumsum(number) - number / 2
    return np.flatnonzero(np.diff(np.floor(middle / number.sum() * MOST_SCORES), prepend=-1))


def _posterior(
    centre: Array, features: Array, table: Table, size: int, rng: np.random.Generator, *, increasing: bool
) -> Array:
    # Weighted cases and clusters tell as much as the simple random sample that they are worth.
    worth = table.design.effective_trials(table.counts, np.ones(table.counts.shape, dtype=bool)) / table.counts.sum()
    mass = table.counts.sum(1)
    filled = mass > 0
    features, weights, mass = features[filled], worth * table.counts[filled], mass[filled]
    starts = grouped_scores(mass)
    means = np.add.reduceat(features * mass[:, None], starts) / np.add.reduceat(mass, starts)[:, None]
    return posterior(centre, means, np.add.reduceat(weights, starts), size, rng, increasing=increasing)


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Draws of a rising curve: shares at the labelled scores, and where between two of them the curve jumps.

    The labelled cases do not say how the curve rises between two scores. A jump at a place drawn evenly rises along
    the straight line on average, and is as uncertain as a rising curve can be.
    """

    scores: Array
    shares: Array
    places: Array

    @classmethod
    def of(cls, table: Table, size: int, rng: np.random.Generator) -> Steps:
        """Return Bayesian bootstraps of the labelled cases and of half a case of the other class at either end."""
        size = max(2, min(size, MOST_KEPT // len(table.counts)))
        extra = np.zeros(table.counts.shape)
        extra[0, 1] = extra[-1, 0] = PSEUDO_CASES
        drawn = table.design.posterior(table.counts, extra, size, rng)
        shares = np.stack([rising_shares(each) for each in drawn.reshape(size, *table.counts.shape)])
        return cls(table.support[0], shares, rng.random((size, len(table.counts) - 1)))

    def __len__(self) -> int:
        return len(self.shares)

    def mean(self, scores: Array) -> Array:
        """Return the mean of the curves."""
        return np.interp(scores, self.scores, self.shares.mean(0))

    def at(self, scores: Array, chosen: Array | slice) -> Array:
        """Return the chosen curves at some scores, ``(draws, scores)``."""
        known = self.scores
        if len(known) == 1:
            return np.repeat(self.shares[chosen], len(scores), axis=1)
        left = np.clip(np.searchsorted(known, scores, side="right") - 1, 0, len(known) - 2)
        place = (scores - known[left]) / (known[left + 1] - known[left])
        jumped = place > self.places[chosen][:, left]
        return np.asarray(np.where(jumped, self.shares[chosen][:, left + 1], self.shares[chosen][:, left]))


def _standard(scores: Array, weights: Array) -> tuple[float, float]:
    mass = weights.sum(1)
    centre = float(np.average(scores, weights=mass))
    unit = float(np.sqrt(np.average((scores - centre) ** 2, weights=mass)))
    return centre, unit or 1.0


def _with_ones(features: Array) -> Array:
    return np.column_stack([features, np.ones(len(features))])


def _logarithms(scores: Array) -> Array:
    inside = np.clip(scores, SMALLEST, 1 - SMALLEST)
    return np.column_stack([np.log(inside), -np.log1p(-inside)])


def _checked_probabilities(scores: Array) -> Array:
    if scores.size and (scores.min() < 0 or scores.max() > 1):
        worst = float(scores.min()) if scores.min() < 0 else float(scores.max())
        message = f"Beta calibration needs scores in [0, 1], and `y_score` holds {worst:g}. Use 'platt' or 'isotonic'."
        raise HowsureError(message)
    return scores


def _rank(number: float) -> int:
    bits = int(np.float64(number).view(np.int64))
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def _ranked(rank: int) -> float:
    return float(np.int64(abs(rank)).view(np.float64)) * (1 if rank >= 0 else -1)
