"""Scores in ascending order, sorted once and shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Rank of each score among all, with exact ties.

    Parameters
    ----------
    values : ndarray of shape (m,)
        The scores.
    order : ndarray of shape (m,)
        Their positions in ascending order.
    starts : ndarray of shape (S,), optional
        Start of each distinct score in that order; None if all are distinct.

    Examples
    --------
    >>> found = Ranking.of(np.array([0.3, 0.1, 0.3]))
    >>> found.scores.tolist(), found.collected(np.array([1.0, 2.0, 4.0])).tolist()
    ([0.1, 0.3], [2.0, 5.0])
    >>> found.spread(np.array([0.5, 0.7])).tolist()
    [0.7, 0.5, 0.7]
    """

    values: Array
    order: Array
    starts: Array | None

    @classmethod
    def of(cls, values: Array) -> Ranking:
        """Sort scores."""
        values = np.ascontiguousarray(values)
        order = np.argsort(values)
        ascending = values[order]
        first = ascending[1:] != ascending[:-1]
        if first.all():
            return cls(values, order, None)
        # Sums over ties are the same to the last bit on each machine only where their order is.
        order = np.argsort(values, kind="stable")
        return cls(values, order, np.concatenate([[0], np.flatnonzero(first) + 1]))

    @property
    def scores(self) -> Array:
        """The distinct scores, ascending."""
        return np.asarray(self.values[self.order if self.starts is None else self.order[self.starts]])

    @property
    def row(self) -> Array:
        """Which of the distinct scores each is, ``(m,)``."""
        row = np.empty(len(self.order), dtype=np.intp)
        if self.starts is None:
            row[self.order] = np.arange(len(self.order))
        else:
            row[self.order] = np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.order)))
        return row

    def collected(self, values: Array) -> Array:
        """Return the sums, at each distinct score, of values by score, ``(..., m)``."""
        ordered = np.take(values, self.order, axis=-1)
        return ordered if self.starts is None else np.asarray(np.add.reduceat(ordered, self.starts, axis=-1))

    def spread(self, values: Array) -> Array:
        """Expand values by distinct score, ``(..., S)``, to each of the scores."""
        found = np.empty((*values.shape[:-1], len(self.order)))
        if self.starts is not None:
            values = np.repeat(values, np.diff(self.starts, append=len(self.order)), axis=-1)
        found[..., self.order] = values
        return found


class Rankings:
    """Rankings of the columns of a matrix of scores, each sorted at its first use.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
        The scores.
    """

    def __init__(self, scores: Array) -> None:
        self._scores = scores
        self._found: dict[int | None, Ranking] = {}

    def column(self, index: int) -> Ranking:
        """Return the ranking of one column."""
        return self._sorted(index)

    def pooled(self) -> Ranking:
        """Return the ranking of all scores of all columns together, row by row."""
        return self._sorted(None)

    def _sorted(self, index: int | None) -> Ranking:
        if index not in self._found:
            self._found[index] = Ranking.of(self._scores.ravel() if index is None else self._scores[:, index])
        return self._found[index]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._scores,)  # what was sorted is sorted again
