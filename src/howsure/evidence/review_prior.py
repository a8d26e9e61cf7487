"""Reviews of cells, and what they and a prior say of the cases that were not reviewed.

The corrected labels of a cell are Dirichlet-multinomial. The prior's pseudo-reviews are either fixed, or learned: all
cells of one kind share a share of wrong records and a number of pseudo-reviews, which are integrated over a grid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.designs import Blocks

Array = NDArray[Any]

RIGHT, PREDICTED, OTHER = 0, 1, 2  # what a corrected label can be: the record's, the prediction's, another
STRENGTHS = np.geomspace(0.5, 4.0, 4)  # pseudo-reviews of a cell: chosen by simulated coverage
WRONG_WHERE_AGREED = (0.25, 1.0)  # Beta prior of the share of wrong records where the prediction agrees,
WRONG_WHERE_NOT = (1.0, 1.0)  # where it does not,
OTHER_WHERE_WRONG = (0.25, 1.0)  # and of the share, among wrong records, whose label is not the prediction's either
POINTS, FEWER_POINTS = 24, 12
SMALLEST_WEIGHT = 1e-6  # of a point of the grid, relative to the largest


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Recorded cells that share a prior: m cells × K corrected labels.

    Parameters
    ----------
    index
        Flat position of each cell among the recorded ones, ``(m,)``.
    recorded
        Cases of each cell, ``(m,)``.
    reviews
        Reviewed cases by corrected label, ``(m, K)``.
    fixed
        Pseudo-reviews by corrected label, ``(m, K)``.
    destination
        Cell of the corrected table that each label leads to, ``(m, K)``.
    role
        Which of the shared pseudo-reviews each label takes, ``(m, K)``.
    shared
        Pseudo-reviews of each role at each point of the prior, ``(points, roles)``.
    weights
        Probability of each point, ``(points,)``.
    """

    index: Array
    recorded: Array
    reviews: Array
    fixed: Array
    destination: Array
    role: Array
    shared: Array
    weights: Array

    @property
    def unreviewed(self) -> Array:
        """Cases without a review, ``(m,)``."""
        return np.asarray(self.recorded - self.reviews.sum(1))

    @property
    def evidence(self) -> Array:
        """Reviews and pseudo-reviews of each cell at each point, ``(points, m)``."""
        return np.asarray((self.reviews + self.fixed).sum(1) + self._strengths[:, None])

    @property
    def silent(self) -> Array:
        """Whether nothing is known of the unreviewed cases of a cell, ``(m,)``."""
        return np.asarray((self.evidence == 0).all(0) & (self.unreviewed > 0))

    @property
    def pseudo_reviews(self) -> Array:
        """Expected pseudo-reviews by corrected label, ``(m, K)``."""
        return np.asarray(self.fixed + (self.weights @ self.shared)[self.role])

    @property
    def shares(self) -> Array:
        """Expected share of each corrected label among the unreviewed, ``(m, K)``."""
        each = self.weights[:, None] / np.where(self.evidence > 0, self.evidence, 1.0)
        from_prior = np.take_along_axis(each.T @ self.shared, self.role, 1)
        return np.asarray((self.reviews + self.fixed) * each.sum(0)[:, None] + from_prior)

    @property
    def expected(self) -> Array:
        """Expected cases by corrected label, ``(m, K)``."""
        return np.asarray(self.reviews + self.unreviewed[:, None] * self.shares)

    @property
    def weight(self) -> Array:
        """How many cases lean on one that is known, ``(m, 1)``."""
        known = np.minimum(self.weights @ self.evidence, self.recorded)
        return np.asarray((self.recorded / np.maximum(known, np.finfo(float).tiny))[:, None])

    def gathering(self, size: int) -> Any:
        """Return the sparse matrix that adds cases by corrected label up to tables of so many cells."""
        from scipy import sparse

        flat = self.destination.ravel()
        return sparse.csr_array((np.ones(flat.size), (np.arange(flat.size), flat)), shape=(flat.size, size))

    def gathered(self, values: Array, shape: tuple[int, ...]) -> Array:
        """Add up values by corrected label, ``(m, K)``, in the corrected table's cells."""
        return np.bincount(self.destination.ravel(), values.ravel(), int(np.prod(shape))).reshape(shape)

    def imputation_variance(self, gradient: Array) -> float:
        """Variance of the unreviewed cases' sum of the gradient over all cells, which share the prior's points.

        A cell's mean and spread at a point are linear and quadratic in its shared pseudo-reviews, over the evidence,
        which depends on their sum alone: points with one sum are evaluated together, whatever the number of cells.
        """
        (own, own_squares), (shared, shared_squares) = self._sums(gradient)
        inside, totals = np.empty(len(self.weights)), np.empty(len(self.weights))
        strengths = self._strengths
        for strength in np.unique(strengths):
            at = strengths == strength
            points = self.shared[at]
            evidence = (self.reviews + self.fixed).sum(1) + strength
            evidence = np.where(evidence > 0, evidence, 1.0)  # where nothing is known, nothing is unreviewed
            factor = self.unreviewed * (evidence + self.unreviewed) / (evidence + 1) / evidence
            second = own_squares @ factor + points @ (shared_squares @ factor)
            factor = factor / evidence
            mixed = (shared * factor) @ shared.T
            square = own**2 @ factor + 2 * points @ (shared @ (own * factor)) + ((points @ mixed) * points).sum(1)
            inside[at] = np.maximum(second - square, 0.0)
            share = self.unreviewed / evidence
            totals[at] = own @ share + points @ (shared @ share)
        return float(self.weights @ (inside + (totals - self.weights @ totals) ** 2))

    def cell_variances(self, gradient: Array) -> Array:
        """Variance of the unreviewed cases' sum of the gradient, cell by cell, ``(m,)``."""
        (own, own_squares), (shared, shared_squares) = self._sums(gradient)
        evidence = np.where(self.evidence > 0, self.evidence, 1.0)
        mean = (own + self.shared @ shared) / evidence
        spread = np.maximum((own_squares + self.shared @ shared_squares) / evidence - mean**2, 0.0)
        inside = self.weights @ (self.unreviewed * (evidence + self.unreviewed) / (evidence + 1) * spread)
        return np.asarray(inside + self.unreviewed**2 * (self.weights @ (mean - self.weights @ mean) ** 2))

    @property
    def _strengths(self) -> Array:
        """Sum of a cell's shared pseudo-reviews at each point, ``(points,)``."""
        return np.asarray(self.shared[:, self.role[0]].sum(1).round(9))

    def _sums(self, gradient: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Add up slopes and their squares over labels: by cells' own evidence ``(m,)``, by role ``(roles, m)``."""
        slopes = gradient.ravel()[self.destination]
        own = self.reviews + self.fixed
        roles = [self.role == role for role in range(self.shared.shape[1])]
        shared = (np.stack([np.where(role, power, 0.0).sum(1) for role in roles]) for power in (slopes, slopes**2))
        first, second = shared
        return ((own * slopes).sum(1), (own * slopes**2).sum(1)), (first, second)

    def imputed(self, size: int, rng: np.random.Generator) -> Array:
        """Draw the cases by corrected label, ``(size, m * K)``: the reviewed are known."""
        points = rng.choice(len(self.weights), size, p=self.weights)
        drawn = rng.standard_gamma(self.reviews + self.fixed + self.shared[points][:, self.role])
        sums = drawn.sum(-1, keepdims=True)
        shares = np.where(sums > 0, drawn / np.where(sums > 0, sums, 1.0), self.shares)
        labels = rng.multinomial(self.unreviewed.astype(np.int64), shares)
        return np.asarray((self.reviews + labels).reshape(size, -1))

    def repeated(self, cases: Array, rng: np.random.Generator) -> Array:
        """Review cases ``(size, m)`` again, as many in each cell, and correct the others: ``(size, m * K)``.

        Pseudo-reviews are found anew with the reviews: kept as they are, they would hold every repetition back.
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
        """Yield how the cases by corrected label change, ``(kinds, m * K)``, and how many cases each stands for."""
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
    """Return all non-empty cells, with the same pseudo-reviews whatever the reviews say."""
    chosen = counts.ravel() > 0
    nothing = np.zeros((1, 1))
    return (_cells(counts, reviews, chosen, prior, np.zeros(prior.shape, dtype=np.intp), nothing, np.ones(1)),)


def pooled_cells(counts: Array, reviews: Array) -> tuple[Cells, ...]:
    """Return the cells where record and prediction agree and those where not, each group with a prior of its own."""
    size = len(counts)
    recorded, predicted, corrected = np.indices((size, size, size))
    role = np.where(corrected == recorded, RIGHT, np.where(corrected == predicted, PREDICTED, OTHER))
    agreed = np.eye(size, dtype=bool).ravel()
    groups = []
    for kind, shared, weights in ((agreed, *_agreed(size)), (~agreed, *_not_agreed(size))):
        chosen = kind & (counts.ravel() > 0)
        if chosen.any():
            group = _cells(counts, reviews, chosen, np.zeros(reviews.shape), role, shared, weights)
            groups.append(_learned(group))
    return tuple(groups)


def _cells(
    counts: Array, reviews: Array, chosen: Array, fixed: Array, role: Array, shared: Array, weights: Array
) -> Cells:
    size = len(counts)
    _, predicted, corrected = np.indices((size, size, size))
    return Cells(
        index=np.flatnonzero(chosen),
        recorded=counts.ravel()[chosen],
        reviews=reviews.reshape(-1, size)[chosen],
        fixed=fixed.reshape(-1, size)[chosen],
        destination=(size * corrected + predicted).reshape(-1, size)[chosen],
        role=role.reshape(-1, size)[chosen],
        shared=shared,
        weights=weights,
    )


def _agreed(size: int) -> tuple[Array, Array]:
    """Grid of pseudo-reviews where the prediction agrees with the record, and its prior weights."""
    points = [
        (strength * (1 - wrong), 0.0, strength * wrong / (size - 1))
        for strength, wrong in product(STRENGTHS, _beta_points(WRONG_WHERE_AGREED, POINTS))
    ]
    return np.array(points), np.full(len(points), 1 / len(points))


def _not_agreed(size: int) -> tuple[Array, Array]:
    """Grid of pseudo-reviews where it does not: a wrong record's label is the prediction's, or another."""
    elsewhere = _beta_points(OTHER_WHERE_WRONG, FEWER_POINTS) if size > 2 else np.zeros(1)  # noqa: PLR2004 - none left
    points = [
        (strength * (1 - wrong), strength * wrong * (1 - other), strength * wrong * other / max(size - 2, 1))
        for strength, wrong, other in product(STRENGTHS, _beta_points(WRONG_WHERE_NOT, POINTS), elsewhere)
    ]
    return np.array(points), np.full(len(points), 1 / len(points))


def _beta_points(shape: tuple[float, float], number: int) -> Array:
    """Return points that a Beta distribution finds equally likely."""
    from scipy import special

    return np.asarray(special.betaincinv(*shape, (np.arange(number) + 0.5) / number))


def _learned(cells: Cells) -> Cells:
    """Weight the points of the prior by the likelihood of the reviews; leave out those that hardly count."""
    from scipy.special import gammaln

    evidence, reviewed = cells.evidence, cells.reviews.sum(1)
    cell, label = np.nonzero(cells.reviews)
    pseudo = cells.shared[:, cells.role[cell, label]]
    likelihood = (gammaln(evidence - reviewed) - gammaln(evidence)).sum(1)
    likelihood += (gammaln(pseudo + cells.reviews[cell, label]) - gammaln(pseudo)).sum(1)
    weights = cells.weights * np.exp(likelihood - likelihood.max())
    kept = weights > SMALLEST_WEIGHT * weights.max()
    return replace(cells, shared=cells.shared[kept], weights=weights[kept] / weights[kept].sum())
