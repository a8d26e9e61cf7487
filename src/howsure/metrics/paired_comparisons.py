"""Strengths of models from battles between two of them: Bradley–Terry, and Davidson's extension to ties.

The model gives the probabilities of the three outcomes of a battle from the difference of the two strengths and the
probability of a tie between equal models. The maximum of the concave likelihood is found by Newton's method for any
number of tables at once. Derivatives of the strengths with respect to the counts follow from the implicit function
theorem, without further fits. Strengths exist within a group of models in which each has, possibly through others,
beaten each. The group with the most battles is fitted; the others' strengths are infinitely far from theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import safe_divide

STEPS = 200  # largest number of Newton steps; about ten are enough
LONGEST = 2.0  # step of a strength, where the parabola is far from the likelihood
CLOSE = 1e-13  # step that ends the search
REMEMBERED = 4  # fits: all models' strengths follow from one


@dataclass(frozen=True, slots=True, eq=False)
class Battles:
    """Counts of the outcomes of pairs, ``(..., pairs, 3)``, as sums by model.

    Parameters
    ----------
    pairs : ndarray of shape (pairs, 2)
        Positions of the two models of each pair.
    models : int
        Number of models.
    counts : ndarray of shape (..., pairs, 3)
        Battles that the first wins, that the second wins, and ties.
    """

    pairs: Array
    models: int
    counts: Array

    def matrix(self, first: Array, second: Array) -> Array:
        """Return what pairs have for their first and second model as matrices, ``(..., models, models)``."""
        found = np.zeros((*first.shape[:-1], self.models, self.models))
        i, j = self.pairs.T
        found[..., i, j], found[..., j, i] = first, second
        return found

    def connected(self, wins: Array) -> Array:
        """Return which models are fitted, ``(..., models)``: the group with the most battles in which wins go round."""
        from scipy.sparse.csgraph import connected_components

        won = self.matrix(wins[..., 0], wins[..., 1])
        flat, battles = won.reshape(-1, self.models, self.models), self.matrix(*[self.counts.sum(-1)] * 2)
        battles = battles.reshape(flat.shape)
        patterns, which = np.unique(flat.reshape(len(flat), -1) > 0, axis=0, return_inverse=True)
        group = np.stack(
            [connected_components(each.reshape(flat.shape[1:]), connection="strong")[1] for each in patterns]
        )[which.ravel()]
        inside = group[:, :, None] == group[:, None, :]
        within = (battles * inside).sum(-1)  # battles of each model within its group
        own = (inside * within[:, None, :]).sum(-1)
        best = np.argmax(own, -1)
        found = inside[np.arange(len(flat)), best] & (own.max(-1) > 0)[:, None]
        return np.asarray(found.reshape(*won.shape[:-1]))


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Fitted strengths, with mean 0, and their dependence on the counts.

    Parameters
    ----------
    strengths : ndarray of shape (..., models)
        Strengths; nan for a model that is not comparable.
    chances : ndarray of shape (..., pairs, 3)
        Probabilities of the outcomes of each pair.
    inverse : ndarray of shape (..., models + 1, models + 1)
        Inverse of the information on the strengths and, last, on the tie parameter.
    fitted : ndarray of shape (..., models)
        Whether each model is in the fitted group.
    """

    strengths: Array
    chances: Array
    inverse: Array
    fitted: Array
    pairs: Array

    def slopes(self, by_strength: Array) -> Array:
        """Return the derivatives by each count, ``(..., pairs, 3)``, of a number with these by each strength.

        Parameters
        ----------
        by_strength : ndarray of shape (..., models)
            The derivatives of the number by each strength.
        """
        moved = np.einsum("...ij,...j->...i", self.inverse[..., :-1], np.where(self.fitted, by_strength, 0.0))
        i, j = self.pairs.T
        expected = self.chances[..., 0] + self.chances[..., 2] / 2
        scored = np.array([1.0, 0.0, 0.5]) - expected[..., None]
        tied = np.array([0.0, 0.0, 1.0]) - self.chances[..., 2, None]
        inside = (self.fitted[..., i] & self.fitted[..., j])[..., None]
        apart = (moved[..., i] - moved[..., j])[..., None]
        return np.asarray(np.where(inside, apart * scored + moved[..., -1, None, None] * tied, 0.0))


def fitted(pairs: Array, models: int, counts: Array, *, ties: bool) -> Fit:
    """Return the strengths that make battles most likely.

    Parameters
    ----------
    pairs : ndarray of shape (pairs, 2)
        Positions of the models of each pair.
    models : int
        Number of models.
    counts : ndarray of shape (..., pairs, 3)
        Battles by outcome.
    ties : bool
        Whether ties are an outcome with a chance of its own (Davidson 1970), or half a win for either (Bradley, Terry
        1952).
    """
    kept = np.ascontiguousarray(counts, dtype=float)
    return _fitted(pairs.astype(np.intp).tobytes(), models, kept.tobytes(), kept.shape, ties)


@lru_cache(REMEMBERED)
def _fitted(pairs_of: bytes, models: int, counts_of: bytes, shape: tuple[int, ...], ties: bool) -> Fit:
    pairs = np.frombuffer(pairs_of, dtype=np.intp).reshape(-1, 2)
    battles = Battles(pairs, models, np.frombuffer(counts_of).reshape(shape))
    i, j = pairs.T
    halves = battles.counts[..., :2] + battles.counts[..., 2:] / 2
    active = battles.connected(battles.counts if ties else halves)
    inside = active[..., i] & active[..., j]
    counts = np.where(inside[..., None], battles.counts, 0.0)
    total, tied = counts.sum(-1), counts[..., 2].sum(-1)
    some = ties & (tied > 0)  # else a tie has no chance
    won = battles.matrix(*np.moveaxis(np.where(inside[..., None], halves, 0.0), -1, 0)).sum(-1)
    scale = np.maximum(total.sum(-1), np.finfo(float).tiny)
    strengths, level = np.zeros(active.shape), np.where(some, 0.0, -np.inf)
    for _ in range(STEPS):
        chances = outcomes(strengths[..., i] - strengths[..., j], level[..., None])
        information = _information(battles, chances, total, active, some, scale)
        expected = chances[..., 0] + chances[..., 2] / 2
        gained = won - battles.matrix(total * expected, total * (1 - expected)).sum(-1)
        more = np.where(some, tied - (total * chances[..., 2]).sum(-1), 0.0)
        step = np.linalg.solve(information, np.concatenate([gained, more[..., None]], -1)[..., None])[..., 0]
        longest = np.abs(step).max(-1, keepdims=True)
        step = step * np.minimum(1.0, safe_divide(np.full(longest.shape, LONGEST), longest))
        strengths, level = strengths + np.where(active, step[..., :-1], 0.0), level + step[..., -1]
        if not (longest > CLOSE * (1 + np.abs(strengths).max(-1, keepdims=True))).any():
            break
    chances = outcomes(strengths[..., i] - strengths[..., j], level[..., None])
    inverse = np.linalg.inv(_information(battles, chances, total, active, some, scale))
    mean = safe_divide((strengths * active).sum(-1), active.sum(-1))[..., None]
    return Fit(np.where(active, strengths - mean, np.nan), chances, inverse, active, pairs)


def outcomes(apart: Array, level: Array) -> Array:
    """Return the chances that the first wins, that the second wins, and of a tie, ``(..., 3)``.

    Parameters
    ----------
    apart : ndarray of shape (...)
        The first's strength less the second's.
    level : ndarray of shape (...)
        Logarithm of how likely a tie between equals is, as against either's win; minus infinity where there is none.
    """
    logits = np.stack(np.broadcast_arrays(apart / 2, -apart / 2, level), -1)
    parts = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(parts / parts.sum(-1, keepdims=True))


def _information(battles: Battles, chances: Array, total: Array, active: Array, some: Array, scale: Array) -> Array:
    """Return the information on strengths and ties; the identity if there is none, so that it is invertible."""
    models = battles.models
    first, _, tie = np.moveaxis(chances, -1, 0)
    expected = first + tie / 2
    spread = total * (first + tie / 4 - expected**2)
    together = total * tie * (0.5 - expected)
    found = np.zeros((*active.shape[:-1], models + 1, models + 1))
    among = battles.matrix(spread, spread)
    found[..., :-1, :-1] = -among
    place = np.arange(models)
    found[..., place, place] = among.sum(-1)
    found[..., :-1, -1] = found[..., -1, :-1] = battles.matrix(together, -together).sum(-1)  # 0 without ties
    found[..., -1, -1] = np.where(some, (total * tie * (1 - tie)).sum(-1), scale)
    both = active[..., :, None] & active[..., None, :]
    mean = safe_divide(scale, np.maximum(active.sum(-1), 1))[..., None, None]
    found[..., :-1, :-1] += np.where(both, mean / np.maximum(active.sum(-1), 1)[..., None, None], 0.0)
    found[..., place, place] += np.where(active, 0.0, scale[..., None])
    return found
