"""Importance weights: density ratios that make a sample represent another population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, without
from howsure.grids import OneRecord
from howsure.numbers import percent
from howsure.sources.columns import checked_weight
from howsure.sources.frames import columns

FEWEST = 10.0  # effective cases: with fewer, 95 % intervals for accuracy are 0.6 wide or wider on average
POOR = 100.0  # effective cases: with fewer, these intervals cover in 88 to 92 % of simulated studies


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ImportanceWeights(OneRecord):
    """Weights that make cases represent another population, and their effective sample size.

    The object converts to an array: pass it as ``sample_weight``.

    Parameters
    ----------
    weight : ndarray of shape (n,)
        The weights, with mean 1.
    effective_size : float
        Kish effective sample size, ``sum(w)**2 / sum(w**2)``.
    largest_share : float
        Share of the total weight of the heaviest case.

    Examples
    --------
    >>> import howsure as hs
    >>> weights = hs.shift.importance_weights([0.5, 1.0, 1.5] * 20)
    >>> weights.effective_size  # 60² / (20 · 3.5)
    51.42857142857143
    """

    weight: Array
    effective_size: float
    largest_share: float

    def __array__(self, dtype: Any = None, *, copy: bool | None = None) -> Array:
        """Return the weights."""
        return np.array(self.weight, dtype=dtype, copy=True)

    def __len__(self) -> int:
        return len(self.weight)

    def __str__(self) -> str:
        poor = ": few, so intervals are too narrow" if self.effective_size < POOR else ""
        return (
            f"{len(self):,} cases are as precise as {self.effective_size:,.1f} of the other population{poor}; "
            f"the heaviest has {percent(self.largest_share)} of the weight"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the number of cases, the effective size and the largest share, without the weights."""
        return {"n": len(self), "effective_size": self.effective_size, "largest_share": self.largest_share}


@without(counts="Each row has a weight of its own; multiply the rows first.")
def importance_weights(density_ratio: object, *, data: object = None) -> ImportanceWeights:
    """Return importance weights from density ratios, with their effective sample size.

    Assumes covariate shift: given the features, the class probabilities are equal in both populations, and every kind
    of case in the other population also occurs in the sample.

    Parameters
    ----------
    density_ratio : array-like of shape (n,) or str
        Density of each case's features in the other population divided by the density in the sampled population, up to
        a constant; with ``data``, the name of the column.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.

    Returns
    -------
    ImportanceWeights
        The weights, to pass as ``sample_weight`` to `confusion`, `scores` and similar functions.

    Raises
    ------
    HowsureError
        If a ratio is negative or not finite. If the effective sample size is below 10: intervals would carry no
        information.

    References
    ----------
    Shimodaira (2000), Journal of Statistical Planning and Inference 90; Kish (1965), Survey Sampling.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> x = np.random.default_rng(0).normal(size=1000)
    >>> weights = hs.shift.importance_weights(np.exp(x - 0.5))  # of a population one standard deviation up
    >>> print(weights)
    1,000 cases are as precise as 411.6 of the other population; the heaviest has 1.406845185 % of the weight
    >>> print(hs.estimate(hs.confusion(x > 0, x > 0.3, sample_weight=weights), "accuracy"))
    0.919 [0.890, 0.943]
    """
    given = density_ratio if data is None else columns(data, {"density_ratio": density_ratio})["density_ratio"]
    weight = checked_weight(given, "density_ratio")
    size, largest = float(weight.sum() ** 2 / (weight**2).sum()), float(weight.max() / weight.sum())
    if size < FEWEST:
        raise HowsureError(
            f"The density ratios leave {size:.1f} effective cases of {len(weight):,}, and {percent(largest)} of the "
            f"weight on one: too few for an estimate in the other population. Label cases of it; fewer than "
            f"{FEWEST:.0f} are refused."
        )
    return ImportanceWeights(weight=weight / weight.mean(), effective_size=size, largest_share=largest)
