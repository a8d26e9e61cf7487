"""Contributions of the strata of a sample to a linear form in the counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """Contribution of each stratum to a linear form, between its lowest and highest possible value.

    Parameters
    ----------
    reach : ndarray of shape (..., strata)
        Range of the form within each stratum.
    value : ndarray of shape (..., strata)
        Position of the estimate in that range, from 0 to 1.
    trials : ndarray of shape (..., strata)
        Number of cases on which that position is based, as for a proportion; 0 if none.
    within : ndarray of shape (..., strata)
        Variance of the form within the strata.
    between : ndarray of shape (...)
        Variance of the form due to the sizes of the strata.
    """

    reach: Array
    value: Array
    trials: Array
    within: Array
    between: Array
