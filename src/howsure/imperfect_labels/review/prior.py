"""Cells of recorded × predicted label, their reviews and their prior; the posterior of the unreviewed labels.

The corrected labels of a cell are Dirichlet-multinomial. The prior adds pseudo-reviews to the reviews of each cell.
They are either fixed, or learned from all reviews (empirical Bayes). The learned prior has one group of cells where
record and prediction agree, and one where they do not. In each group a corrected label has one of three roles: it
equals the recorded label, else the predicted one, or neither. The rates of the roles and the number of pseudo-reviews
are common to the group. They are integrated over a grid, whose points are weighted by the likelihood of the reviews.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.sampling import Blocks

RIGHT, PREDICTED, OTHER = 0, 1, 2  # roles of a corrected label
STRENGTHS = np.geomspace(0.5, 4.0, 4)  # grid of pseudo-reviews per cell, chosen by simulated coverage
WRONG_WHERE_AGREED = (0.25, 1.0)  # Beta prior of the rate of wrong records if record and prediction agree
WRONG_WHERE_NOT = (1.0, 1.0)  # the same if they disagree
OTHER_WHERE_WRONG = (0.25, 1.0)  # Beta prior of the proportion of wrong records that are not of the predicted class
POINTS, FEWER_POINTS = 24, 12  # grid points of the rate of wrong records, and of that proportion
SMALLEST_WEIGHT = 1e-6  # smallest weight of a grid point, relative to the largest


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A group of recorded cells with a common prior: m cells × K corrected labels.

    Parameters
    ----------
    index : ndarray of shape (m,)
        Flat position of each cell in the recorded table.
    recorded : ndarray of shape (m,)
        Number of cases of each cell.
    reviews : ndarray of shape (m, K)
        Reviewed cases by corrected label.
    fixed : ndarray of shape (m, K)
        Fixed pseudo-reviews by corrected label.
    destination : ndarray of shape (m, K)
        Flat cell of the corrected table for each corrected label.
    role : ndarray of shape (m, K)
        Role of each corrected label, a column of ``shared``.
    tilt : ndarray of shape (m, K)
        Relative frequency of the class of each corrected label, a factor of its pseudo-reviews: the true class behind a
        wrong record is more often a frequent class.
    shared : ndarray of shape (points, roles)
        Learned pseudo-reviews of each role at each grid point, for equally frequent classes.
    weights : ndarray of shape (points,)
        Probability of each grid point.
    """

    index: Array
    recorded: Array
    reviews: Array
    fixed: Array
    destination: Array
    role: Array
    tilt: Array
    shared: Array
    weights: Array

    def check(self, cells: int) -> None:
        """Check the recorded cells, their reviews, and the positions of corrected labels among the cells."""
        invariants.numbers("recorded", self.recorded, (None,), 0.0, invariants.MOST_CASES)
        number = len(self.recorded)
        invariants.numbers("reviews", self.reviews, (number, None))
        shape = self.reviews.shape
        invariants.array("index", self.index, (number,), invariants.WHOLE)
        invariants.numbers("fixed", self.fixed, shape, 0.0, invariants.MOST_CASES)
        invariants.numbers("tilt", self.tilt, shape, 0.0, invariants.MOST_CASES)
        invariants.positions("destination", self.destination, shape, cells)
        invariants.numbers("shared", self.shared, (None, None), 0.0, invariants.MOST_CASES)
        invariants.positions("role", self.role, shape, max(self.shared.shape[1], 1))
        invariants.probabilities("weights", self.weights, (len(self.shared),))
        if (self.reviews.sum(1) > self.recorded * (1 + invariants.EACH_SUM)).any():
            invariants.refuse("`reviews` has more cases than `recorded`.")

    @property
    def unreviewed(self) -> Array:
        """Number of cases without a review, ``(m,)``."""
        return np.asarray(self.recorded - self.reviews.sum(1))

    @property
    def evidence(self) -> Array:
        """Number of reviews and pseudo-reviews of each cell at each grid point, ``(points, m)``."""
        return np.asarray((self.reviews + self.fixed).sum(1) + self._strengths[:, None])

    @property
    def lacks_evidence(self) -> Array:
        """Whether a cell has unreviewed cases but neither reviews nor pseudo-reviews, ``(m,)``."""
        return np.asarray((self.evidence == 0).all(0) & (self.unreviewed > 0))

    @property
    def pseudo_reviews(self) -> Array:
        """Expected pseudo-reviews by corrected label, ``(m, K)``."""
        return np.asarray(self.fixed + self._learned_sum(self.weights[:, None] * self.scale))

    @property
    def scale(self) -> Array:
        """Factor by which the tilted pseudo-reviews of each cell keep their number, ``(points, m)``."""
        tilted = self.shared @ self._role_sums(self.tilt)
        return self._strengths[:, None] / np.where(tilted > 0, tilted, 1.0)

    def _role_sums(self, values: Array) -> Array:
        """Sum values by corrected label, ``(m, K)``, over the labels of each role, ``(roles, m)``."""
        roles = range(self.shared.shape[1])
        return np.stack([np.where(self.role == role, values, 0.0).sum(1) for role in roles])

    def _learned_sum(self, factors: Array) -> Array:
        """Sum the learned pseudo-reviews times factors ``(points, m)`` over the grid points, ``(m, K)``."""
        return np.take_along_axis(factors.T @ self.shared, self.role, 1) * self.tilt

    @property
    def shares(self) -> Array:
        """Expected proportion of each corrected label among the unreviewed cases, ``(m, K)``."""
        factors = self.weights[:, None] / np.where(self.evidence > 0, self.evidence, 1.0)
        own = (self.reviews + self.fixed) * factors.sum(0)[:, None]
        return np.asarray(own + self._learned_sum(factors * self.scale))

    @property
    def expected(self) -> Array:
        """Expected cases by corrected label, ``(m, K)``."""
        return np.asarray(self.reviews + self.unreviewed[:, None] * self.shares)

    @property
    def weight(self) -> Array:
        """Number of cases represented by each review or pseudo-review, ``(m, 1)``."""
        known = np.minimum(self.weights @ self.evidence, self.recorded)
        return np.asarray((self.recorded / np.maximum(known, np.finfo(float).tiny))[:, None])

    def gathering(self, size: int) -> Any:
        """Return the sparse matrix that sums cases by corrected label to tables of ``size`` cells."""
        from scipy import sparse

        flat = self.destination.ravel()
        return sparse.csr_array((np.ones(flat.size), (np.arange(flat.size), flat)), shape=(flat.size, size))

    def gathered(self, values: Array, size: int) -> Array:
        """Sum values by corrected label, ``(m, K)``, to the cells of the corrected table, ``(size,)``."""
        return np.bincount(self.destination.ravel(), values.ravel(), size)

    def imputation_variance(self, gradient: Array) -> float:
        """Return the variance of the unreviewed cases' sum of the gradient over all cells, with a common grid point."""
        mean, inside = self._moments(gradient)
        totals = mean @ self.unreviewed
        return float(self.weights @ (inside.sum(1) + (totals - self.weights @ totals) ** 2))

    def cell_variances(self, gradient: Array) -> Array:
        """Return the variance of the unreviewed cases' sum of the gradient in each cell, ``(m,)``."""
        mean, inside = self._moments(gradient)
        return np.asarray(self.weights @ (inside + (self.unreviewed * (mean - self.weights @ mean)) ** 2))

    def _moments(self, gradient: Array) -> tuple[Array, Array]:
        """Return the gradient's mean in each cell and the variance of the unreviewed cases' sum, ``(points, m)``.

        The variance is m (A + m) / (A + 1) times that of one case, for m unreviewed cases and A reviews and
        pseudo-reviews (Dirichlet-multinomial).
        """
        slopes = gradient[self.destination]
        own, scale = self.reviews + self.fixed, self.scale
        evidence = np.where(self.evidence > 0, self.evidence, 1.0)  # without evidence no case is unreviewed
        mean, square = (
            ((own * power).sum(1) + self.shared @ self._role_sums(self.tilt * power) * scale) / evidence
            for power in (slopes, slopes**2)
        )
        factor = self.unreviewed * (evidence + self.unreviewed) / (evidence + 1)
        return mean, factor * np.maximum(square - mean**2, 0.0)

    @property
    def _strengths(self) -> Array:
        """Number of pseudo-reviews of a cell at each grid point, ``(points,)``."""
        return np.asarray(self.shared[:, self.role[0]].sum(1).round(9))

    def imputed(self, size: int, rng: np.random.Generator) -> Array:
        """Draw the cases by corrected label, ``(size, m * K)``; reviewed cases keep their labels."""
        points = rng.choice(len(self.weights), size, p=self.weights)
        pseudo = self.shared[points][:, self.role] * self.scale[points][..., None] * self.tilt
        drawn = rng.standard_gamma(self.reviews + self.fixed + pseudo)
        sums = drawn.sum(-1, keepdims=True)
        shares = np.where(sums > 0, drawn / np.where(sums > 0, sums, 1.0), self.shares)
        labels = rng.multinomial(self.unreviewed.astype(np.int64), shares)
        return np.asarray((self.reviews + labels).reshape(size, -1))

    def repeated(self, cases: Array, rng: np.random.Generator) -> Array:
        """Repeat the review for resampled cases ``(size, m)`` and impute the others: ``(size, m * K)``.

        The number of reviews of each cell is the same. Pseudo-reviews are resampled too: fixed pseudo-reviews would
        shrink the variation between repetitions.
        """
        number = np.minimum(cases, self.reviews.sum(1).astype(np.int64))
        shares = self.shares
        found = rng.multinomial(number, shares)
        more = np.broadcast_to(np.ceil(self.pseudo_reviews.sum(1)).astype(np.int64), number.shape)
        known = found + rng.multinomial(more, shares)
        total = (number + more)[..., None]
        corrected = np.where(total > 0, known / np.maximum(total, 1), shares)
        return np.asarray((found + (cases - number)[..., None] * corrected).reshape(len(cases), -1))

    def left_out(self) -> Blocks:
        """Yield, for each cell, the cases by corrected label that the table loses without one case.

        The kinds of cases are an unreviewed one, and a reviewed one of each corrected label. The arrays are the losses,
        ``(kinds, m * K)``, and the number of cases of each kind.
        """
        shares, pseudo, labels = self.shares, self.pseudo_reviews, self.reviews.shape[1]
        for cell in range(len(self.recorded)):
            changes, number = [], []
            if self.unreviewed[cell] > 0:
                changes.append(shares[cell])
                number.append(self.unreviewed[cell])
            for label in np.flatnonzero(self.reviews[cell]):
                left = self.reviews[cell] - (np.arange(labels) == label)
                known = left + pseudo[cell]
                after = left + self.unreviewed[cell] * known / max(known.sum(), np.finfo(float).tiny)
                changes.append(self.expected[cell] - after)
                number.append(self.reviews[cell, label])
            full = np.zeros((len(number), *self.reviews.shape))
            full[:, cell] = np.array(changes)
            yield full.reshape(len(number), -1), np.array(number)


def fixed_cells(counts: Array, reviews: Array, prior: Array) -> tuple[Cells, ...]:
    """Return all non-empty cells, with fixed pseudo-reviews."""
    chosen = counts.ravel() > 0
    nothing = np.zeros((1, 1))
    role = np.zeros(prior.shape, dtype=np.intp)
    return (_cells(counts, reviews, chosen, prior, role, nothing, np.ones(1)),)


def pooled_cells(counts: Array, reviews: Array) -> tuple[Cells, ...]:
    """Return two groups of cells, by whether record and prediction agree, each with its own learned prior.

    Errors in frequent classes can multiply the recorded and predicted frequency of a rare class. The class frequencies
    are therefore those of a table that was corrected once with the recorded and predicted frequencies.
    """
    size = counts.size
    first = _pooled_cells(counts, reviews, counts.sum(0) + counts.sum(1))
    once = sum((each.gathered(each.expected, size) for each in first), np.zeros(size))
    return _pooled_cells(counts, reviews, once.reshape(counts.shape).sum(1))


def _pooled_cells(counts: Array, reviews: Array, cases: Array) -> tuple[Cells, ...]:
    """Return the two groups of cells, for given numbers of cases of the classes."""
    size = len(counts)
    recorded, predicted, corrected = np.indices((size, size, size))
    role = np.where(corrected == recorded, RIGHT, np.where(corrected == predicted, PREDICTED, OTHER))
    agreed = np.eye(size, dtype=bool).ravel()
    groups = []
    for kind, shared, weights in ((agreed, *_agreed(size)), (~agreed, *_not_agreed(size))):
        chosen = kind & (counts.ravel() > 0)
        if chosen.any():
            group = _cells(counts, reviews, chosen, np.zeros(reviews.shape), role, shared, weights)
            tilt = np.broadcast_to(_frequencies(cases), group.tilt.shape)
            groups.append(_learned(replace(group, tilt=tilt)))
    return tuple(groups)


def _cells(
    counts: Array, reviews: Array, chosen: Array, fixed: Array, role: Array, shared: Array, weights: Array
) -> Cells:
    """Return the chosen cells, for equally frequent classes."""
    size = len(counts)
    _, predicted, corrected = np.indices((size, size, size))
    return Cells(
        index=np.flatnonzero(chosen),
        recorded=counts.ravel()[chosen],
        reviews=reviews.reshape(-1, size)[chosen],
        fixed=fixed.reshape(-1, size)[chosen],
        destination=(size * corrected + predicted).reshape(-1, size)[chosen],
        role=role.reshape(-1, size)[chosen],
        tilt=np.ones((np.count_nonzero(chosen), size)),
        shared=shared,
        weights=weights,
    )


def _frequencies(cases: Array) -> Array:
    """Return the relative frequency of each class, 1 on average, from its number of cases."""
    return np.asarray((cases + 1) / (cases + 1).mean())


def _agreed(size: int) -> tuple[Array, Array]:
    """Return the pseudo-reviews by role where record and prediction agree, ``(points, 3)``, and the prior weights."""
    points = [
        (strength * (1 - wrong), 0.0, strength * wrong / (size - 1))
        for strength, wrong in product(STRENGTHS, _beta_points(WRONG_WHERE_AGREED, POINTS))
    ]
    return np.array(points), np.full(len(points), 1 / len(points))


def _not_agreed(size: int) -> tuple[Array, Array]:
    """Return the same for cells where they differ: the true class behind a wrong record may be the predicted one."""
    elsewhere = _beta_points(OTHER_WHERE_WRONG, FEWER_POINTS) if size > 2 else np.zeros(1)
    points = [
        (strength * (1 - wrong), strength * wrong * (1 - other), strength * wrong * other / max(size - 2, 1))
        for strength, wrong, other in product(STRENGTHS, _beta_points(WRONG_WHERE_NOT, POINTS), elsewhere)
    ]
    return np.array(points), np.full(len(points), 1 / len(points))


def _beta_points(shape: tuple[float, float], number: int) -> Array:
    """Return equally probable points of a Beta distribution: quantiles at equally spaced probabilities."""
    from scipy import special

    return np.asarray(special.betaincinv(*shape, (np.arange(number) + 0.5) / number))


def _learned(cells: Cells) -> Cells:
    """Weight the grid points of the prior by the likelihood of the reviews; drop points with negligible weight."""
    from scipy.special import gammaln

    evidence, reviewed = cells.evidence, cells.reviews.sum(1)
    cell, label = np.nonzero(cells.reviews)
    pseudo = cells.shared[:, cells.role[cell, label]] * cells.scale[:, cell] * cells.tilt[cell, label]
    likelihood = (gammaln(evidence - reviewed) - gammaln(evidence)).sum(1)
    likelihood += (gammaln(pseudo + cells.reviews[cell, label]) - gammaln(pseudo)).sum(1)
    weights = cells.weights * np.exp(likelihood - likelihood.max())
    kept = weights > SMALLEST_WEIGHT * weights.max()
    return replace(cells, shared=cells.shared[kept], weights=weights[kept] / weights[kept].sum())
