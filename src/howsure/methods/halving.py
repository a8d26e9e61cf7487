"""Where a condition stops holding, by halving; for many tables at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
HALVINGS = 200  # at most; far fewer suffice but near zero
TINIEST = 2.0**-1000  # below it numbers are not told apart
PRECISION = 2.0**-53  # of a float


def edge(
    holds: Callable[[Array], Array], near: Any, far: Any, *, relative: float = PRECISION, tiniest: float = TINIEST
) -> Array:
    """Return where a condition that holds at ``near`` stops holding on the way to ``far``; elementwise.

    Parameters
    ----------
    holds : callable
        ndarray of shape (...) → ndarray of bool of shape (...).
    near, far : float or ndarray of shape (...)
        Ends of the search. Where the condition holds at ``far`` too, that is returned.
    relative : float
        Width at which the search ends, relative to the value.
    tiniest : float
        Values below it count as this large.

    Examples
    --------
    >>> edge(lambda x: x**2 < np.array([4.0, 9.0, 200.0]), 0.0, 10.0)
    array([ 2.,  3., 10.])
    """
    inside, outside = (np.asarray(each, dtype=float) for each in (near, far))
    whole = holds(outside)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        within = holds(middle)
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
        largest = np.maximum(np.maximum(np.abs(inside), np.abs(outside)), tiniest)
        if not (np.abs(outside - inside) > relative * largest).any():
            break
    return np.asarray(np.where(whole, far, (inside + outside) / 2))
