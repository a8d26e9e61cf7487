"""Sums of cells of a confusion table that determine a metric; draws need not distinguish the cells of a sum.

Each function returns codes of the cells, ``(K, K)``; cells with equal codes enter the metric only by their sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.metrics.forms import Ratio
from howsure.metrics.spec import Spec
from howsure.tables.table import Table

CellCodes = Callable[[], Array] | None


def codes_of_outcomes(size: int, where: Any) -> Array:
    """Return the codes of a metric of the outcomes of some classes, added up.

    Examples
    --------
    >>> codes_of_outcomes(3, [2]).tolist()
    [[0, 0, 2], [0, 0, 2], [1, 1, 4]]
    >>> codes_of_outcomes(3, slice(None)).tolist()
    [[4, 3, 3], [3, 4, 3], [3, 3, 4]]
    """
    member = np.zeros(size, dtype=np.intp)
    member[where] = 1
    return np.where(np.eye(size, dtype=bool), 4 * member, member[:, None] + 2 * member)


def codes_of_ratio(ratio: Ratio) -> Array:
    """Return the codes of a ratio of linear forms: cells with equal coefficients."""
    pairs = (ratio.numerator + 1j * ratio.denominator).ravel()
    return np.unique(pairs, return_inverse=True)[1].reshape(ratio.numerator.shape)


def codes_of_shares(spec: Spec, classes: Array, table: Table, *, weighs: bool) -> CellCodes:
    """Return the function that computes the codes for an average over classes; None if all cells differ.

    For a ratio of linear forms in (tp, fn), such as recall, or in (tp, fp), such as precision, the numbers of right and
    wrong cases of each true or predicted class are sufficient.

    Parameters
    ----------
    spec : Spec
        Spec of the metric of one class.
    classes : ndarray of int
        The classes that are averaged over.
    table : Table
        The table to which the metric is bound.
    weighs : bool
        Whether classes are weighted by their true totals.
    """
    ratio = spec.definition.outcome_ratio(**spec.arguments)
    if ratio is None or not table.kind.has_rows:
        return None
    _, fn, fp, tn = (ratio.numerator != 0) | (ratio.denominator != 0)
    if tn or (fp and (fn or weighs)):
        return None
    return lambda: _by_class(classes, len(table.labels), axis=1 if fp else 0)


def _by_class(classes: Array, size: int, axis: int) -> Array:
    """Return the codes of right and wrong cases of each class, by true (axis 0) or predicted class; others are one."""
    code = np.zeros(size, dtype=np.intp)
    code[classes] = 2 * np.arange(1, len(classes) + 1)
    of = np.indices((size, size))[axis]
    return np.asarray(code[of] + (np.eye(size, dtype=bool) & (code > 0)))
