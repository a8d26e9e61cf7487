"""Regions of practical equivalence, and their probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.grids import OneRecord
from howsure.methods.numerics.draw_summaries import Probability, probability_above

Region = float | tuple[float, float]
UNKNOWN = Probability(math.nan, math.nan)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Rope(OneRecord):
    """Proportions of the draws below, inside and above a region of practical equivalence.

    Parameters
    ----------
    low, high : float
        Limits of the region.
    below, inside, above : Probability
        Proportion of the draws, with its Monte Carlo error.
    bayes_factor : Probability
        Posterior odds of the region over its prior odds (in a study, over its odds for two classifiers that guess); nan
        if there is no prior.
    """

    low: float
    high: float
    below: Probability
    inside: Probability
    above: Probability
    bayes_factor: Probability

    def to_dict(self) -> dict[str, float]:
        """Return limits, proportions and Bayes factor, without their errors."""
        shares = {name: getattr(self, name).value for name in ("below", "inside", "above", "bayes_factor")}
        return {"low": self.low, "high": self.high} | shares


def region_of(rope: Region | None, null: float) -> tuple[float, float] | None:
    """Return the limits of a region of practical equivalence, given as limits or as the largest difference.

    Parameters
    ----------
    rope : float, tuple of two float or None
        The region.
    null : float
        The contrast of equal models: 0, or 1 for a ratio.

    Raises
    ------
    HowsureError
        If the limits are not finite numbers in order.
    """
    if rope is None:
        return None
    try:
        if not isinstance(rope, int | float):
            low, high = (float(end) for end in rope)
        elif null == 0:
            low, high = -float(rope), float(rope)
        else:
            low, high = 1 / float(rope), float(rope)
    except (TypeError, ValueError, ZeroDivisionError):
        low = high = math.nan
    if not (low < high and math.isfinite(low) and math.isfinite(high)):
        raise HowsureError(
            f"`rope` is a pair (low, high), or the largest difference that does not matter, not {rope!r}."
        )
    return low, high


def share_within(draws: Array, region: tuple[float, float]) -> Probability:
    """Return the proportion of the defined draws within a region, ends included, with its Monte Carlo error."""
    kept = draws[np.isfinite(draws)]
    selected = ((kept >= region[0]) & (kept <= region[1])).astype(float)
    return probability_above(selected, 0.5)


def region_shares(region: tuple[float, float], draws: Array, factor: Probability = UNKNOWN) -> Rope:
    """Return the proportions of the draws below, inside and above a region."""
    low, high = region
    below, above = probability_above(-draws, -low), probability_above(draws, high)
    inside = share_within(draws, region)
    return Rope(low=low, high=high, below=below, inside=inside, above=above, bayes_factor=factor)


def odds_ratio(posterior: Probability, prior: Probability) -> Probability:
    """Return the ratio of the odds of two probabilities, with its Monte Carlo error by the delta method."""
    shares = (posterior.value, prior.value)
    if any(math.isnan(share) for share in shares) or prior.value in {0.0, 1.0}:
        return Probability(math.nan, math.nan)
    if posterior.value == 1:
        return Probability(math.inf, math.nan)
    ratio = posterior.value / (1 - posterior.value) / (prior.value / (1 - prior.value))
    if posterior.value == 0:
        return Probability(0.0, posterior.error / (prior.value / (1 - prior.value)))
    relative = math.hypot(*(each.error / (each.value * (1 - each.value)) for each in (posterior, prior)))
    return Probability(ratio, ratio * relative)
