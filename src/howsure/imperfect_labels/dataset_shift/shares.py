"""Class frequencies of an unlabelled target, estimated from a classifier's outputs in the target and by true class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Self, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.base import PSEUDO_COUNT, safe_divide
from howsure.designs.linearised import Sample
from howsure.errors import HowsureError, NoCaseError, listed, real_numbers
from howsure.sources.encoding import encoded
from howsure.sources.frames import columns
from howsure.sources.scores import score_values
from howsure.tables.confusion import ConfusionTable
from howsure.tables.scores import ScoresTable
from howsure.tables.table import require_table

CALL = "give a table of one labelled sample, from `confusion`, `from_counts` or `scores`."
SINGULAR = 1e-6  # smallest singular value at which the class frequencies are identified
MOST_BINS = 10
CASES_PER_BIN = (
    100  # in the smallest sample: with 50, noise in the rates biases the shares to the middle by 1/3 of their error
)
LEAST = 1e-9  # smallest class frequency: it keeps the rates within the class, which are those of the source
ROUNDS = 5  # iterations of weights that depend on the frequencies, which hardly change after the second
SMOOTHING = 0.5  # pseudo-cases of each output in the variances only: an unobserved output is not impossible


@final
@dataclass(frozen=True, slots=True, eq=False)
class LowRank:
    """A diagonal plus low-rank matrix, ``diag(diagonal) + left @ right``, which is never formed.

    Parameters
    ----------
    diagonal : ndarray of shape (n,)
        The diagonal part.
    left, right : ndarray of shape (n, r) and (r, n)
        The factors of the low-rank part.
    """

    diagonal: Array
    left: Array
    right: Array
    __array_ufunc__ = None  # make NumPy arrays defer to __rmatmul__

    def check(self, size: int) -> None:
        """Check that the matrix is finite and has this number of rows."""
        invariants.numbers("diagonal", self.diagonal, (size,), -invariants.LARGEST)
        invariants.numbers("left", self.left, (size, None), -invariants.LARGEST)
        invariants.numbers("right", self.right, (self.left.shape[1], size), -invariants.LARGEST)

    def __matmul__(self, other: Array) -> Array:
        """Return the product of the matrix with columns."""
        return np.asarray(self.diagonal[:, None] * other + self.left @ (self.right @ other))

    def __rmatmul__(self, other: Array) -> Array:
        """Return the product of rows with the matrix."""
        return np.asarray(other * self.diagonal + (other @ self.left) @ self.right)


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """Outputs of a classifier in a labelled source and an unlabelled target, and the estimated class frequencies.

    Parameters
    ----------
    table : ConfusionTable or ScoresTable
        The table of the source.
    output : ndarray of shape (cells,)
        Output of each cell: a predicted class, or a range of scores.
    target : ndarray of shape (outputs,)
        Number of cases of the target by output.
    totals : ndarray of shape (K,)
        Number of cases of the source by true class.
    rates : ndarray of shape (K, outputs)
        Distribution of the outputs in each true class.
    shares : ndarray of shape (K,)
        Estimated class frequencies in the target; they add up to 1 and can be negative.
    inverse : ndarray of shape (K, outputs)
        Derivative of the class frequencies with respect to the distribution of the outputs.
    precision : ndarray of shape (outputs, outputs)
        Inverse of the covariance of the residuals.
    """

    table: ConfusionTable | ScoresTable
    output: Array
    target: Array
    totals: Array
    rates: Array
    shares: Array
    inverse: Array
    precision: Array

    @classmethod
    def of(cls, table: object, target: object, data: object, counts: object = None) -> Self:
        """Read the outputs in the target, and estimate the class frequencies by generalised least squares."""
        source = _checked(table)
        read = target
        if data is not None or counts is not None:
            read = columns(data, {"target": target}, counts=counts)["target"]
        output, seen = (_by_score if "scores" in source.data_kinds else _by_class)(source, read)
        counts, truth = source.cells, source.true_class
        size = len(source.labels)
        joint = np.zeros((size, len(seen)))
        np.add.at(joint, (truth, output), counts)
        totals = joint.sum(1)
        if not totals.all():
            absent = listed([source.labels.tolist()[place] for place in np.flatnonzero(totals == 0)])
            raise HowsureError(
                f"The labelled table has no case of class {absent}, so how they are predicted is not known. Label some."
            )
        rates = joint / totals[:, None]
        contrasts = _contrasts(size)
        if np.linalg.svd(contrasts.T @ rates, compute_uv=False).min() < SINGULAR:
            raise HowsureError(
                "The class shares cannot be estimated: some classes, or mixtures of them, have the same predictions."
            )
        n_effective = np.array([source.design.effective_sample_size(counts, truth == place) for place in range(size)])
        smooth = (joint + SMOOTHING) / (joint + SMOOTHING).sum(1, keepdims=True)
        aim = seen / seen.sum()
        shares = np.full(size, 1 / size)
        for _ in range(ROUNDS):
            within = np.maximum(shares, 0.0) / np.maximum(shares, 0.0).sum()
            precision = np.linalg.pinv(_covariance(smooth, within, n_effective, seen.sum()), hermitian=True)
            inverse = _inverse(rates, precision)
            shares = 1 / size + inverse @ (aim - rates.mean(0))
        return cls(source, output, seen, totals, rates, shares, inverse, precision)

    def refit(self) -> ShiftRefit:
        """Return the true classes of the source, and the target, as multinomial samples."""
        truth, cells = self.table.true_class, len(self.table.cells)
        found = ShiftRefit(
            observed=np.concatenate([self.table.cells, self.target]),
            true_class=truth,
            output=self.output,
            place=np.arange(cells),
            cells=cells,
            precision=self.precision,
            is_independent=self.table.design.traits.is_independent,
        )
        return found.merged(np.arange(cells), cells)

    @property
    def leftover(self) -> Array:
        """Residuals: distribution of the outputs in the target minus that of the fitted mixture of classes."""
        return np.asarray(self.target / self.target.sum() - self.shares @ self.rates)

    @property
    def possible(self) -> Array:
        """Class frequencies after replacing negative estimates by nearly zero."""
        shares = np.maximum(self.shares, LEAST)
        return np.asarray(shares / shares.sum())

    def expected(self, shares: Array) -> Array:
        """Return the flattened table of the target for given class frequencies, with the rates of the source."""
        scale = self.target.sum() * shares / self.totals
        return np.asarray(self.table.cells * scale[self.table.true_class])

    def samples(self) -> tuple[Sample, ...]:
        """Return source and target as samples with their influence on the table.

        A case of the source affects the rates of its class, and through them the estimated class frequencies. If a
        class has no case with some output, a third sample of pseudo-cases is added.
        """
        counts, truth, size = self.table.cells, self.table.true_class, len(self.shares)
        each = self.possible / self.totals
        directions = np.zeros((size, len(counts)))
        directions[truth, np.arange(len(counts))] = self.target.sum() * counts / self.totals[truth]
        away = self.inverse[:, self.output] - (self.inverse @ self.rates.T)[:, truth]
        left = -(each[truth] * away).T
        left[np.arange(len(counts)), truth] -= each[truth]
        scale = self.target.sum() * each[truth]
        influence = LowRank(scale, left, directions)
        aim = self.target / self.target.sum()
        moves = (self.inverse - (self.inverse @ aim)[:, None]).T / self.target.sum()
        known = Sample(counts, influence, self.table.design), Sample(self.target, moves @ directions)
        return (*known, *self._unseen(influence))

    def _unseen(self, influence: LowRank) -> tuple[Sample, ...]:
        """Return two pseudo-cases for each unobserved output of a class, for the variance only, if there are any.

        After 0 of n cases, a share of about 3 / n is still possible; two pseudo-cases give 1.96 √2 / n. The sample is
        padded with as many cases without influence as the source has, so that the number of pseudo-cases is random.
        """
        outputs = self.rates.shape[1]
        place = self.table.true_class * outputs + self.output
        unseen = np.setdiff1d(place, np.flatnonzero(self.rates))
        if not unseen.size:
            return ()
        shares = (place == unseen[:, None]).astype(float)
        shares /= shares.sum(1, keepdims=True)
        rows = np.vstack([shares @ influence, np.zeros(len(place))])
        return (Sample(np.append(np.full(len(unseen), PSEUDO_COUNT), self.totals.sum()), rows),)


@final
@dataclass(frozen=True, slots=True, eq=False)
class ShiftRefit:
    """The table of the target as a function of the labelled cases and of the outputs in the target.

    Parameters
    ----------
    observed : ndarray of shape (source cells + outputs,)
        Number of labelled cases by cell, followed by the number of cases of the target by output.
    true_class, output, place : ndarray of shape (source cells,)
        True class and output of each source cell, and the cell of the table in which it is counted.
    cells : int
        Number of cells of the table.
    precision : ndarray of shape (outputs, outputs)
        Weight matrix of the outputs; without effect if there are as many outputs as classes.
    is_independent : bool
        Whether the labelled cases are independent and unweighted.
    """

    observed: Array
    true_class: Array
    output: Array
    place: Array
    cells: int
    precision: Array
    is_independent: bool

    @property
    def row(self) -> Array:
        """Sample of each observed cell: the true class in the source, and a last one for the target."""
        return np.append(self.true_class, np.full(len(self.precision), self.true_class.max() + 1))

    def tables(self, observed: Array) -> Array:
        """Return the tables of the target, ``(..., cells)``."""
        source, target = np.split(observed, [len(self.true_class)], -1)
        _, totals, shares = self._fitted(source, target)
        scale = target.sum(-1, keepdims=True) * shares / totals
        return np.asarray((source * scale[..., self.true_class]) @ np.eye(self.cells)[self.place])

    def interior(self, observed: Array) -> Array:
        """Return the observed counts with a target that contains at least half a case of each class."""
        source, target = np.split(observed, [len(self.true_class)])
        rates, _, shares = self._fitted(source, target)
        total = target.sum()
        inside = np.maximum(shares, 0.5 / total)
        if (inside <= shares).all():
            return observed
        return np.concatenate([source, total * inside / inside.sum() @ rates])

    def merged(self, cells: Array, size: int) -> ShiftRefit:
        """Return the function after merging cells of the table; source cells of one class and output are summed."""
        outputs = len(self.precision)
        every = (self.true_class * outputs + self.output) * size + cells[self.place]
        kept, places = np.unique(every, return_inverse=True)
        source, target = np.split(self.observed, [len(self.true_class)])
        pair, place = np.divmod(kept, size)
        truth, output = np.divmod(pair, outputs)
        return ShiftRefit(
            np.concatenate([np.bincount(places, source), target]),
            truth,
            output,
            place,
            size,
            self.precision,
            self.is_independent,
        )

    def _fitted(self, source: Array, target: Array) -> tuple[Array, Array, Array]:
        """Return rates ``(..., K, outputs)``, class totals and class frequencies in the target, ``(..., K)``."""
        outputs, size = len(self.precision), int(self.true_class.max()) + 1
        joint = source @ np.eye(size * outputs)[self.true_class * outputs + self.output]
        joint = joint.reshape(*source.shape[:-1], size, outputs)
        totals = joint.sum(-1)
        rates = joint / totals[..., None]
        aim = target / target.sum(-1, keepdims=True)
        shares = 1 / size + (_inverse(rates, self.precision) @ (aim - rates.mean(-2))[..., None])[..., 0]
        shares = np.maximum(shares, LEAST)
        return rates, totals, shares / shares.sum(-1, keepdims=True)


@cache
def _contrasts(size: int) -> Array:
    """Return an orthonormal basis of the changes of class frequencies, which add up to 0, ``(K, K−1)``."""
    return np.asarray(np.linalg.svd(np.ones((1, size)))[2][1:].T)


def _inverse(rates: Array, precision: Array) -> Array:
    """Return the derivative of class frequencies with respect to output frequencies, ``(..., K, outputs)``."""
    contrasts = _contrasts(rates.shape[-2])
    moved = contrasts.T @ rates @ precision
    return np.asarray(contrasts @ np.linalg.solve(moved @ np.swapaxes(rates, -1, -2) @ contrasts, moved))


def _covariance(rates: Array, shares: Array, n_effective: Array, cases: float) -> Array:
    """Return the covariance of the target's output frequencies minus those of the mixture, both multinomial."""
    mixture = shares @ rates
    spread = (np.diag(mixture) - np.outer(mixture, mixture)) / cases
    for share, rate, many in zip(shares, rates, n_effective, strict=True):
        spread = spread + share**2 * (np.diag(rate) - np.outer(rate, rate)) / many
    return np.asarray(spread)


def _checked(table: object) -> ConfusionTable | ScoresTable:
    """Return the source; refuse other objects than a counted table of one sample."""
    has_scores = "scores" in getattr(table, "data_kinds", ())
    kind: type[ConfusionTable | ScoresTable] = ScoresTable if has_scores else ConfusionTable
    source = require_table(kind, table, f"For another population, {CALL}")
    if source.batch or not source.design.traits.is_counted or not source.design.traits.has_labels:
        raise HowsureError(f"These counts are estimates or of several samples: {CALL}")
    return source


def _by_class(table: Any, given: object) -> tuple[Array, Array]:
    """Return the predicted class of each cell, and the number of cases of the target with each prediction."""
    labels = table.labels.tolist()
    seen = np.zeros(len(labels))
    if isinstance(given, Mapping):
        names, number = [*given], real_numbers("target", [*given.values()])
        if not (np.isfinite(number).all() and (number >= 0).all()):
            raise HowsureError(
                "`target` holds a negative or missing number. Give how many cases are predicted as each class."
            )
    else:
        codes, levels = encoded("target", given).used()
        names, number = levels.tolist(), np.bincount(codes, minlength=len(levels)).astype(float)
    for name, many in zip(names, number.tolist(), strict=True):
        if name not in labels:
            raise HowsureError.unknown("class", str(name), map(str, labels))
        seen[labels.index(name)] += many
    _refuse_empty(seen)
    return np.tile(np.arange(len(labels)), len(labels)), seen


def _by_score(table: Any, given: object) -> tuple[Array, Array]:
    """Return the score range of each cell, and the number of cases of the target in each range.

    The ranges have about equal probability under the average of the class distributions, so that a rare class is
    resolved as well as a frequent one.
    """
    score = score_values(given, role="target")
    if not len(score):
        _refuse_empty(score)
    counts = table.counts
    fewest = min(float(counts.sum(0).min()), len(score))
    number = int(np.clip(fewest // CASES_PER_BIN, 3, MOST_BINS))
    mass = np.cumsum(safe_divide(counts, counts.sum(0)).mean(1))
    cuts = np.unique(table.scores[np.searchsorted(mass, mass[-1] * np.arange(1, number) / number)])
    own, other = (np.searchsorted(cuts, each) for each in (table.scores, score))
    used, place = np.unique(np.concatenate([own, other]), return_inverse=True)
    seen = np.bincount(place[len(own) :], minlength=len(used)).astype(float)
    return np.repeat(place[: len(own)], 2), seen


def _refuse_empty(seen: Array) -> None:
    if not seen.sum() > 0:
        raise NoCaseError("`target` is empty: give the predictions for the cases of the other population.")
