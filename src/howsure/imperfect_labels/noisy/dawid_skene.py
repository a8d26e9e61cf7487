"""The model of Dawid and Skene: given the latent true class, the prediction and all labels err independently."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.base import PSEUDO_COUNT

CHAINS = 20  # parallel chains
WARM_UP = 100  # sweeps before draws are kept
TOLERANCE = 1e-10  # change of the shares at which EM stops
MOST_STEPS = 5_000
RIDGE = 1e-9  # relative to the mean of the information's diagonal


@final
@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Cases grouped by their labels and prediction; the cost depends on the distinct combinations, not on the cases.

    Parameters
    ----------
    labels : ndarray of shape (combinations, A)
        Distinct combinations of the A annotators' labels, as positions of the classes; −1 for a missing label.
    predicted : ndarray of shape (combinations,)
        Predicted class of each combination.
    counts : ndarray of shape (combinations,)
        Number of cases of each combination.
    prior : ndarray of shape (A, K, K)
        Pseudo-counts by true class and label for each annotator.
    known : ndarray of shape (A, K, K), optional
        P(label | true) for each annotator, if these rates are known rather than estimated.
    """

    labels: Array
    predicted: Array
    counts: Array
    prior: Array
    known: Array | None = None
    given: Any = field(init=False, repr=False)  # sparse, (combinations, A K): indicators of the labels
    by_label: Any = field(init=False, repr=False)  # sparse, (A K, combinations): sums combinations by label
    by_prediction: Any = field(init=False, repr=False)  # sparse, (K, combinations): sums combinations by prediction

    def check(self, cells: int) -> None:
        """Check that the number of classes fits the number of cells."""
        if self.classes**2 != cells:
            invariants.refuse(f"`prior` is of {self.classes} classes, and the table has {cells:,} cells.")

    def __post_init__(self) -> None:
        # Sparse products: many small dense products spend their time waiting for each other's threads.
        from scipy import sparse

        invariants.numbers("prior", self.prior, (None, None, None))
        annotators, size = self.prior.shape[:2]
        invariants.positions("labels", self.labels, (None, annotators), size, -1)
        number = len(self.labels)
        invariants.positions("predicted", self.predicted, (number,), size)
        invariants.numbers("counts", self.counts, (number,), 0.0, invariants.MOST_CASES)
        invariants.numbers("prior", self.prior, (annotators, size, size))
        if self.known is not None:
            invariants.numbers("known", self.known, (annotators, size, size), 0.0, 1.0 + invariants.EACH_SUM)
        answered = self.labels >= 0
        place = (self.labels + size * np.arange(annotators))[answered]
        ends = np.concatenate([[0], answered.sum(1).cumsum()])
        given = sparse.csr_array((np.ones(place.size), place, ends), shape=(number, annotators * size))
        made = sparse.csr_array((np.ones(number), self.predicted, np.arange(number + 1)), shape=(number, size))
        object.__setattr__(self, "given", given)
        object.__setattr__(self, "by_label", given.T.tocsr())
        object.__setattr__(self, "by_prediction", made.T.tocsr())

    @classmethod
    def of_recorded(cls, counts: Array, rates: Array, checked: Array) -> Votes:
        """Return the votes of one annotator with known rates, or rates measured on ``checked`` cases of each class."""
        size = len(counts)
        recorded, predicted = np.divmod(np.arange(size * size), size)
        known = None if np.isfinite(checked).all() else rates[None]
        # Jeffreys' prior: half a pseudo-case of each kind.
        prior = np.where(np.isfinite(checked), checked, 0.0)[:, None] * rates + 0.5
        return cls(recorded[:, None], predicted, counts.ravel(), prior[None], known)

    @property
    def classes(self) -> int:
        """Number of classes."""
        return int(self.prior.shape[-1])

    @property
    def annotators(self) -> int:
        """Number of annotators."""
        return len(self.prior)

    def indicators(self) -> tuple[Array, Array]:
        """Return indicators of the labels, ``(combinations, A K)``, and of the prediction, ``(combinations, K)``."""
        size = self.classes
        given = (self.labels[..., None] == np.arange(size)).astype(float)
        return given.reshape(len(given), -1), (self.predicted[:, None] == np.arange(size)).astype(float)

    def memberships(self, shares: Array, rates: Array) -> Array:
        """Return the probability of each true class, ``(..., combinations, K)``.

        ``shares`` is the joint distribution of (true, predicted), ``(..., K, K)``; ``rates`` is P(label | true),
        ``(..., A, K, K)``.
        """
        with np.errstate(divide="ignore"):
            logarithms = np.log(rates).swapaxes(-1, -2)  # (..., A, label, true)
            flat = logarithms.reshape(*rates.shape[:-3], -1, self.classes)
            # The logarithm of an impossible label is -inf, and 0 · -inf would be nan: use a finite number instead.
            likelihood = _product(self.given, np.maximum(flat, -1e4))
            likelihood += np.maximum(np.log(shares).swapaxes(-1, -2)[..., self.predicted, :], -1e4)
        likelihood -= likelihood.max(-1, keepdims=True)
        weights = np.exp(likelihood)
        return np.asarray(weights / weights.sum(-1, keepdims=True))

    def totals(self, cases: Array) -> tuple[Array, Array]:
        """Sum cases by combination and true class to the tables (true, predicted) and (annotator, true, label)."""
        labelled = _product(self.by_label, cases)
        labelled = labelled.reshape(*cases.shape[:-2], self.annotators, self.classes, self.classes)
        return _product(self.by_prediction, cases).swapaxes(-1, -2), labelled.swapaxes(-1, -2)

    def fitted(self) -> tuple[Array, Array]:
        """Return the most probable shares of (true, predicted) and P(label | true), by EM started at the majority."""
        given, _ = self.indicators()
        votes = given.reshape(len(given), -1, self.classes).sum(1) + 1e-3
        cases = self.counts[:, None] * votes / votes.sum(-1, keepdims=True)
        shares = np.zeros((self.classes, self.classes))
        for _ in range(MOST_STEPS):
            before = shares
            table, labelled = self.totals(cases)
            shares = table / table.sum()
            rates = normalised(labelled + self.prior) if self.known is None else self.known
            cases = self.counts[:, None] * self.memberships(shares, rates)
            if np.abs(shares - before).max() < TOLERANCE:
                break
        return shares, rates

    def draws(self, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Return posterior draws of the table (true, predicted), ``(size, K K)``."""
        return self.chains(prior, size, rng)[0]

    def chains(self, prior: Array, size: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw tables, ``(size, K K)``, and rates, ``(size, A, K, K)``, by Gibbs sampling in parallel chains."""
        number = min(size, CHAINS)
        kept = -(-size // number)
        shares, rates = self.fitted()
        shares = np.broadcast_to(shares, (number, *shares.shape))
        rates = np.broadcast_to(rates, (number, *rates.shape))
        filled = self.counts > 0
        seen = Votes(self.labels[filled], self.predicted[filled], self.counts[filled], self.prior)
        cells = prior.reshape(self.classes, self.classes)
        whole = np.round(seen.counts).astype(np.int64)
        drawn_shares, drawn_rates = [], []
        for sweep in range(WARM_UP + kept):
            cases = allocated(whole, seen.memberships(shares, rates), rng)
            table, labelled = seen.totals(cases)
            amounts = rng.standard_gamma(table + cells)
            shares = amounts / amounts.sum((-2, -1), keepdims=True)
            if self.known is None:
                rates = normalised(rng.standard_gamma(labelled + self.prior))
            if sweep >= WARM_UP:
                drawn_shares.append(shares)
                drawn_rates.append(rates)
        total = self.counts.sum()
        # Draws of one chain are adjacent, so that batches of draws are independent of each other.
        tables, matrices = (np.stack(each, axis=1) for each in (drawn_shares, drawn_rates))
        return (
            tables.reshape(number * kept, -1)[:size] * total,
            matrices.reshape(number * kept, *self.prior.shape)[:size],
        )

    def influence(self, shares: Array, rates: Array) -> Array:
        """Return the effect of one more case of each combination on the expected table, ``(combinations, K K)``.

        The effect is the score of the marginal likelihood in softmax parameters, times the inverse information.
        """
        size = self.classes
        membership = self.memberships(shares, rates)
        given, made = self.indicators()
        of_table = (membership[:, :, None] * made[:, None, :]).reshape(len(made), -1)
        flat = shares.ravel()
        scores = [of_table - flat]
        # The curvature of the priors identifies parameters that the cases alone may not identify.
        curvature = [PSEUDO_COUNT * (np.diag(flat) - np.outer(flat, flat))]
        if self.known is None:
            given = given.reshape(len(given), self.annotators, 1, size)
            answered = given.sum(-1, keepdims=True)
            of_rates = membership[:, None, :, None] * (given - answered * rates)
            scores.append(of_rates.reshape(len(given), -1))
            for rate, pseudo in zip(rates.reshape(-1, size), self.prior.sum(-1).ravel(), strict=True):
                curvature.append(pseudo * (np.diag(rate) - np.outer(rate, rate)))
        from scipy import linalg

        every = np.concatenate(scores, axis=1)
        information = (every * self.counts[:, None]).T @ every + linalg.block_diag(*curvature)
        # Softmax parameters are identified up to a constant: a small ridge fixes it and does not change the shares.
        information += RIDGE * np.trace(information) / len(information) * np.eye(len(information))
        wanted = np.zeros((len(information), size * size))
        wanted[: size * size] = np.eye(size * size) - 1 / (size * size)
        steps = every @ linalg.solve(information, wanted, assume_a="pos")
        moved = flat * (steps - (steps @ flat)[:, None])
        return np.asarray(self.counts.sum() * moved + flat)


def allocated(counts: Array, probabilities: Array, rng: np.random.Generator) -> Array:
    """Draw how many cases of each combination belong to each class, ``(..., combinations, K)``."""
    cases = np.empty(probabilities.shape)
    alone = counts == 1  # the most frequent case with many classes: one uniform number is faster than a multinomial
    cases[..., ~alone, :] = rng.multinomial(counts[~alone], probabilities[..., ~alone, :])
    steps = probabilities[..., alone, :-1].cumsum(-1)
    chosen = (steps < rng.random(steps.shape[:-1])[..., None]).sum(-1)
    cases[..., alone, :] = chosen[..., None] == np.arange(probabilities.shape[-1])
    return cases


def _product(matrix: object, values: Array) -> Array:
    """Return ``matrix @ values`` for a sparse matrix and values ``(..., rows, columns)``."""
    if values.ndim == 2:
        return np.asarray(matrix @ values)
    rows = np.moveaxis(values, -2, 0)
    return np.moveaxis((matrix @ rows.reshape(len(rows), -1)).reshape(-1, *rows.shape[1:]), 0, -2)


def normalised(amounts: Array) -> Array:
    """Return each row divided by its sum."""
    return np.asarray(amounts / amounts.sum(-1, keepdims=True))
