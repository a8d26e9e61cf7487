"""What a sample's strata add to a linear form in the counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """What the strata of a sample add to a linear form, each from its lowest possible value to its highest.

    Parameters
    ----------
    reach : ndarray of shape (..., strata)
        By how much the form changes from one end of a stratum to the other.
    value : ndarray of shape (..., strata)
        Where between the ends it is, from 0 to 1.
    trials : ndarray of shape (..., strata)
        As a share of how many cases that is known; 0 where of none.
    within : ndarray of shape (..., strata)
        Variance of the form with what is known of each stratum.
    between : ndarray of shape (...)
        Variance of the form with the sizes of the strata.
    """

    reach: Array
    value: Array
    trials: Array
    within: Array
    between: Array
