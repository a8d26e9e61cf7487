"""Metrics for ordered classes: errors count by how many classes they are off."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.errors import absolute_error, root_squared_error, squared_error
from howsure.metrics.forms import divide
from howsure.metrics.registry import cells_metric, cells_ratio

INFINITY = float("inf")
SQUARE, PAIR = 2.0, 2  # the power up to which kappa has a lower bound; of two classes it always has


def distance(size: int) -> Array:
    """How many classes apart the true and the predicted class are, for K classes in order."""
    index = np.arange(size)
    return np.asarray(np.abs(index[:, None] - index), dtype=float)


def _disagreement(size: int, power: float) -> Array:
    """Distance to a power; 0 on the diagonal also for the power 0, which makes kappa unweighted."""
    if not 0 <= power < INFINITY:
        raise HowsureError(f"`power` of `weighted_kappa` is at least 0 and finite, not {power:g}.")
    return np.where(np.eye(size) == 1, 0.0, distance(size) ** power)


def _longest(power: float) -> Callable[[int], tuple[float, float]]:
    return lambda classes: (0.0, (classes - 1.0) ** power)


@cells_ratio(
    aliases=("mean_absolute_error",),
    range=_longest(1),
    better="lower",
    is_ordinal=True,
    also={"errors": absolute_error},
)
def mae(size: int) -> tuple[Array, Array]:
    """Mean absolute error: of classes in steps between them, or of predicted numbers."""
    return distance(size), np.ones((size, size))


@cells_ratio(
    aliases=("mean_squared_error", "mean_square_error"),
    range=_longest(2),
    better="lower",
    is_ordinal=True,
    also={"errors": squared_error},
)
def mse(size: int) -> tuple[Array, Array]:
    """Mean squared error: of classes in steps between them, or of predicted numbers."""
    return distance(size) ** 2, np.ones((size, size))


def _squared_error(cells: Array) -> Array:
    return divide((cells * distance(cells.shape[-1]) ** 2).sum((-2, -1)), cells.sum((-2, -1)))


def _rmse_slopes(cells: Array) -> Array:
    error = _squared_error(cells)[..., None, None]
    total = cells.sum((-2, -1))[..., None, None]
    return divide(distance(cells.shape[-1]) ** 2 - error, 2 * np.sqrt(error) * total)


@cells_metric(
    aliases=("root_mean_squared_error", "root_mean_square_error"),
    range=_longest(1),
    better="lower",
    is_ordinal=True,
    derivative=_rmse_slopes,
    also={"errors": root_squared_error},
)
def rmse(cells: Array) -> Array:
    """Root of the mean squared error: of classes in steps between them, or of predicted numbers."""
    return np.sqrt(_squared_error(cells))


@cells_ratio(
    is_ordinal=True, aliases=("offby1", "off_by_one", "offbyone", "oneoff", "1off", "adjacc", "off_by_one_accuracy")
)
def adjacent_accuracy(size: int) -> tuple[Array, Array]:
    """Share of cases predicted at most one class off."""
    return (distance(size) <= 1).astype(float), np.ones((size, size))


def _expected(cells: Array, weights: Array) -> Array:
    rows, columns = cells.sum(-1), cells.sum(-2)
    return divide(np.einsum("...i,ij,...j->...", rows, weights, columns), cells.sum((-2, -1)))


def _weighted_kappa_slopes(cells: Array, power: float = 1.0) -> Array:
    weights = _disagreement(cells.shape[-1], power)
    disagreement = (cells * weights).sum((-2, -1))[..., None, None]
    expected = _expected(cells, weights)[..., None, None]
    by_row, by_column = cells.sum(-2) @ weights, cells.sum(-1) @ weights
    slope = divide(by_row[..., :, None] + by_column[..., None, :] - expected, cells.sum((-2, -1))[..., None, None])
    return divide(disagreement * slope - weights * expected, expected * expected)


def _kappa_bounds(classes: int, power: float = 1.0) -> tuple[float, float]:
    """Return the range of kappa; up to power 2, the distances are squared distances of points in some space.

    For squared distances, the mean under any joint distribution of u and v is at most twice that under independence:
    ``E|u − v|²`` is ``|E u − E v|² + tr var u + tr var v − 2 tr cov``, and the magnitude of the covariance is at most
    the mean of the variances.
    """
    return (-1.0 if power <= SQUARE or classes == PAIR else -INFINITY), 1.0


@cells_metric(
    aliases=("polynomial_weighted_kappa", "pwkappa", "weighted_cohen_kappa", "linear_weighted_kappa", "linear_kappa"),
    range=_kappa_bounds,
    random=0.0,
    sklearn="cohen_kappa_score",
    is_ordinal=True,
    derivative=_weighted_kappa_slopes,
)
def weighted_kappa(cells: Array, power: float = 1.0) -> Array:
    """Cohen's kappa with errors weighted by the distance to a power: 0 not at all, 1 linear, 2 quadratic."""
    weights = _disagreement(cells.shape[-1], power)
    return 1 - divide((cells * weights).sum((-2, -1)), _expected(cells, weights))


@cells_metric(
    aliases=("quadratic_kappa", "qwk"),
    range=(-1.0, 1.0),
    random=0.0,
    sklearn="cohen_kappa_score",
    is_ordinal=True,
    derivative=lambda cells: _weighted_kappa_slopes(cells, 2.0),
)
def quadratic_weighted_kappa(cells: Array) -> Array:
    """Cohen's kappa with errors weighted by the square of their distance."""
    return weighted_kappa(cells, 2.0)
