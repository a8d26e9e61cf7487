"""Correlation and chance-corrected agreement between the true and the predicted classes."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.metrics.forms import divide
from howsure.metrics.ratings import gwet_ac1_of_ratings, krippendorff_alpha_of_ratings
from howsure.metrics.registry import margins_metric
from howsure.native.outcomes import summed


def _mcc_slopes(hits: Array, rows: Array, columns: Array) -> tuple[Array, Array, Array]:
    total, right = summed(rows, -1)[..., None], summed(hits, -1)[..., None]
    covariance = right * total - summed(rows * columns, -1)[..., None]
    of_rows, of_columns = (total * total - summed(part * part, -1)[..., None] for part in (rows, columns))
    spread = np.sqrt(of_rows * of_columns)
    bent = divide(covariance, spread * of_rows * of_columns)
    by_row = divide(right - columns, spread) - bent * (of_columns * (total - rows) + of_rows * total)
    return divide(total, spread), by_row, divide(-rows, spread) + bent * of_rows * columns


def _kappa_parts(hits: Array, rows: Array, columns: Array) -> tuple[Array, Array, Array]:
    """Return the total, and numerator and denominator of kappa, both times the squared total."""
    total, by_chance = summed(rows, -1), summed(rows * columns, -1)
    return total, summed(hits, -1) * total - by_chance, total * total - by_chance


def _kappa_slopes(hits: Array, rows: Array, columns: Array) -> tuple[Array, Array, Array]:
    total, above, most = (part[..., None] for part in _kappa_parts(hits, rows, columns))
    value, each = divide(above, most), divide(np.asarray(1.0), most)
    right = summed(hits, -1)[..., None]
    by_row = each * (right - columns - value * (2 * total - columns))
    return each * total, by_row, each * rows * (value - 1)


@margins_metric(
    aliases=("phi", "phi_coefficient", "matthews_corrcoef", "matthews_correlation", "matthews_correlation_coefficient"),
    range=(-1.0, 1.0),
    random=0.0,
    each_class="class_mcc",
    derivative=_mcc_slopes,
    sklearn="matthews_corrcoef",
)
def mcc(hits: Array, rows: Array, columns: Array) -> Array:
    """Matthews correlation of the true and the predicted class (Gorodkin's R_K for more than two)."""
    total = summed(rows, -1)
    square = total * total
    covariance = summed(hits, -1) * total - summed(rows * columns, -1)
    spread = (square - summed(rows * rows, -1)) * (square - summed(columns * columns, -1))
    return divide(covariance, np.sqrt(spread))


def _beyond_chance(hits: Array, total: Array, chance: Array) -> Array:
    agreement = divide(summed(hits, -1), total)
    return divide(agreement - chance, 1 - chance)


@margins_metric(
    aliases=("cohen_kappa", "cohens_kappa", "cohen_kappa_score", "kap"),
    range=(-1.0, 1.0),
    random=0.0,
    derivative=_kappa_slopes,
    sklearn="cohen_kappa_score",
)
def kappa(hits: Array, rows: Array, columns: Array) -> Array:
    """Cohen's kappa: accuracy beyond what the two margins give by chance, over the most it could be."""
    _, above, most = _kappa_parts(hits, rows, columns)
    return divide(above, most)


@margins_metric(aliases=("scott_pi",), range=(-1.0, 1.0), random=0.0)
def scotts_pi(hits: Array, rows: Array, columns: Array) -> Array:
    """Scott's pi: agreement beyond chance, chance taken from the mean of the two margins."""
    total = rows.sum(-1)
    return _beyond_chance(hits, total, divide(((rows + columns) ** 2).sum(-1), 4 * total * total))


@margins_metric(aliases=("ac1",), range=(-1.0, 1.0), random=0.0, also={"ratings": gwet_ac1_of_ratings})
def gwet_ac1(hits: Array, rows: Array, columns: Array) -> Array:
    """Gwet's AC1: agreement beyond chance, chance being the mean of p(1 - p) over K - 1."""
    share = divide(rows + columns, 2 * rows.sum(-1)[..., None])
    return _beyond_chance(hits, rows.sum(-1), (share * (1 - share)).sum(-1) / (rows.shape[-1] - 1))


@margins_metric(
    aliases=("alpha", "krippendorff"),
    range=(-1.0, 1.0),
    random=0.0,
    disagreement=lambda cases: 1 - 0.5 / np.maximum(cases, 1.0),
    also={"ratings": krippendorff_alpha_of_ratings},
)
def krippendorff_alpha(hits: Array, rows: Array, columns: Array) -> Array:
    """Krippendorff's alpha for nominal data: Scott's pi with chance taken from pairs of different values.

    The 2n values of n cases make pairs without replacement, which ``1 - alpha = (1 - pi)(2n - 1) / 2n`` says of them;
    n is the number of cases at hand, at least 1.
    """
    return scotts_pi(hits, rows, columns)
