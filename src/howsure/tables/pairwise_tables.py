"""Merging of tuples of many models' labels to those of two models, for many pairs at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howsure.arrays import Array

BLOCK_ENTRIES = 2**21  # tuples times pairs of models that are merged at once
DECIMALS = 12  # of a prior's shares that are the same


def triples(classes: int) -> Array:
    """Return all triples of a true label and two models' labels, in order, ``(classes**3, 3)``."""
    return np.stack(np.unravel_index(np.arange(classes**3), (classes,) * 3), 1)


def merged_pairs(codes: Array, columns: Array, classes: int, shares: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Yield pairs of models with the same distribution of the prior: positions, cells of each tuple, and shares.

    Parameters
    ----------
    codes : ndarray of shape (tuples, 1 + models)
        The true label and the models' labels of each tuple.
    columns : ndarray of shape (pairs, 2)
        Positions of the two models of each pair.
    classes : int
        Number of labels.
    shares : ndarray of shape (tuples,)
        Distribution of a prior's mass over the tuples.

    Yields
    ------
    places : ndarray of shape (some,)
        Which of the pairs.
    cells : ndarray of shape (some, tuples)
        Place of each tuple among all triples of labels.
    shares : ndarray of shape (triples,)
        Distribution of the prior's mass over these triples.
    """
    step, prior = max(1, BLOCK_ENTRIES // len(codes)), shares > 0
    kinds: dict[bytes, tuple[Array, list[int]]] = {}
    for start in range(0, len(columns), step):
        cells = _merged(codes[prior], columns[start : start + step], classes)
        for place, spread in enumerate(each_added_up(shares[prior], cells, classes**3), start):
            kinds.setdefault(spread.round(DECIMALS).tobytes(), (spread, []))[1].append(place)
    for spread, places in kinds.values():
        for start in range(0, len(places), step):
            some = np.array(places[start : start + step])
            yield some, _merged(codes, columns[some], classes), spread


def _merged(codes: Array, columns: Array, classes: int) -> Array:
    """Return the place of each tuple among all triples of labels, for each pair of models, ``(pairs, tuples)``."""
    true, said = codes[:, 0], codes[:, 1:].T
    first, second = columns.T
    return np.asarray((true * classes + said[first]) * classes + said[second])


def each_added_up(values: Array, cells: Array, size: int) -> Array:
    """Return the sums of values over merged cells, for several mergers, ``(ways, size)``.

    Examples
    --------
    >>> each_added_up(np.array([1.0, 2.0, 4.0]), np.array([[0, 0, 1], [1, 0, 1]]), 2).tolist()
    [[3.0, 4.0], [2.0, 5.0]]
    """
    place = cells + size * np.arange(len(cells))[:, None]
    every = np.broadcast_to(values, cells.shape)
    return np.bincount(place.ravel(), every.ravel(), size * len(cells)).reshape(-1, size)
