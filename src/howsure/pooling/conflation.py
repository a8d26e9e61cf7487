"""Conflation: the normalised product of the experiments' densities."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from howsure.arrays import Array, Seed
from howsure.errors import HowsureError, checked_level, one_of, real_numbers, several
from howsure.pooling.effects import names_of_experiments, normal_pool
from howsure.pooling.pooled import Pooled

Bounds = tuple[float, float]
Density = Literal["beta", "gamma", "gaussian", "histogram"]
BINS = 1024  # of the common grid of histograms
QUANTILES = 4096  # among which the shortest interval is sought


def conflate(
    draws: Sequence[object],
    *,
    density: Density = "beta",
    bounds: Bounds = (0.0, 1.0),
    confidence_level: float = 0.95,
    random_state: Seed = None,
    names: Sequence[str] | None = None,
) -> Pooled:
    """Pool the draws of independent experiments by conflation: multiply their densities and normalise.

    Conflation assumes that all experiments measure one value. Disagreement between them does not widen the interval; it
    appears only in the heterogeneity.

    Parameters
    ----------
    draws : sequence of array-like of shape (draws,)
        Draws of each experiment's value; undefined ones are left out.
    density : {"beta", "gamma", "gaussian", "histogram"}
        Density fitted to each experiment by moments: ``"beta"`` on the bounds; ``"gamma"`` above the lower bound, or
        above the lowest draw if the bound is infinite; ``"gaussian"``, for which conflation equals the fixed effect; or
        ``"histogram"``, the smoothed histogram of the draws.
    bounds : tuple of two float
        Range of the metric.
    confidence_level : float
        Share of the conflated density in the interval, the shortest such, between 0 and 1.
    random_state : int, Generator or None
        Seed of the draws from the conflated density.
    names : sequence of str, optional
        Names of the experiments; 1, 2, … by default.

    Returns
    -------
    Pooled
        The mean of the conflated density, its interval, and draws from it, the same number as the first experiment
        has. The heterogeneity is DerSimonian and Laird's, from the draws' means and standard deviations.

    Raises
    ------
    HowsureError
        If an experiment's draws are all equal, or the form does not fit the bounds or the draws.

    Notes
    -----
    A product of m Beta densities is Beta with ``Σα − (m − 1)`` and ``Σβ − (m − 1)``. A product of Gamma densities is
    Gamma with shape ``Σk − (m − 1)`` and the sum of the rates. A product of normal densities is normal with the sum of
    the precisions.

    References
    ----------
    Hill (2011), Transactions of the American Mathematical Society 363; Hill, Miller (2011), Chaos 21.

    Examples
    --------
    >>> import howsure as hs
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> draws = [rng.beta(90, 10, 10_000), rng.beta(45, 5, 10_000)]
    >>> pooled = hs.pooling.conflate(draws, density="beta", random_state=0)
    >>> print(f"{pooled.value:.2f}")  # Beta(134, 14)
    0.91
    """
    one_of("density", density, DENSITIES)
    ends = real_numbers("bounds", bounds)
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise HowsureError(f"`bounds` are the two ends of the metric's range, such as (0, 1), not {bounds!r}.")
    level = checked_level(confidence_level)
    arrays = [real_numbers("draws", each).ravel() for each in several("draws", draws, "draws of each experiment")]
    kept = [each[np.isfinite(each)] for each in arrays]
    labels = names_of_experiments(names, len(kept))
    for name, each in zip(labels, kept, strict=True):
        if not each.size or not np.ptp(each) > 0:
            raise HowsureError(
                f"The draws of experiment '{name}' are all equal or undefined: they have no density. "
                "Give the experiment a prior of more than 0."
            )
    means, spreads = (np.array([statistic(each) for each in kept]) for statistic in (np.mean, _deviation))
    between = normal_pool(means, spreads, test="z", confidence_level=level, names=labels)
    conflated = DENSITIES[density](kept, (float(ends[0]), float(ends[1])))
    low, high = _shortest(conflated, level)
    return replace(
        between,
        value=float(conflated.mean()),
        low=low,
        high=high,
        standard_error=float(conflated.std()),
        method=f"{density}_conflation",
        estimand="common_value",
        prediction_interval=(math.nan, math.nan),
        weights=_precision(spreads),
        draws=conflated.rvs(size=len(arrays[0]), random_state=np.random.default_rng(random_state)),
    )


def _deviation(draws: Array) -> float:
    return float(draws.std(ddof=1))


def _precision(spreads: Array) -> Array:
    return np.asarray(1 / spreads**2 / (1 / spreads**2).sum())


def _shortest(conflated: Any, level: float) -> tuple[float, float]:
    """Return the shortest interval of a frozen distribution: the best of many by their lower tails."""
    tails = np.linspace(0, 1 - level, QUANTILES)
    lows, highs = conflated.ppf(tails), conflated.ppf(np.minimum(tails + level, 1.0))
    best = int(np.nanargmin(np.where(np.isfinite(highs - lows), highs - lows, np.nan)))
    return float(lows[best]), float(highs[best])


def _beta(draws: list[Array], bounds: Bounds) -> Any:
    from scipy import stats

    lowest, width = bounds[0], bounds[1] - bounds[0]
    if not math.isfinite(width):
        raise HowsureError(
            f"Beta densities need a metric with two finite ends, not {bounds}. Use 'gamma' or 'gaussian'."
        )
    shares = [(each - lowest) / width for each in draws]
    first = second = 1.0
    for each in shares:
        mean, variance = float(each.mean()), float(each.var(ddof=1))
        size = mean * (1 - mean) / variance - 1
        if size <= 0:
            raise HowsureError(f"Draws reach beyond the bounds {bounds}: they are not those of a Beta density.")
        first, second = first + mean * size - 1, second + (1 - mean) * size - 1
    return stats.beta(_proper(first), _proper(second), loc=lowest, scale=width)


def _gamma(draws: list[Array], bounds: Bounds) -> Any:
    from scipy import stats

    start = bounds[0]
    if not math.isfinite(start):  # shifted: a common start a hundredth of the span below the lowest draw
        lowest, highest = min(each.min() for each in draws), max(each.max() for each in draws)
        start = float(lowest - (highest - lowest) / 100)
    shape, rate = 1.0, 0.0
    for each in draws:
        mean, variance = float(each.mean()) - start, float(each.var(ddof=1))
        if mean <= 0:
            raise HowsureError(f"Draws lie below the bound {start:g}: they are not those of a Gamma density.")
        shape, rate = shape + mean**2 / variance - 1, rate + mean / variance
    return stats.gamma(_proper(shape), loc=start, scale=1 / rate)


def _proper(parameter: float) -> float:
    if parameter > 0:
        return parameter
    raise HowsureError(
        "The densities rise towards an end and their product has no finite area. Use 'histogram' or 'fixed'."
    )


def _gaussian(draws: list[Array], bounds: Bounds) -> Any:  # noqa: ARG001 - the densities' signature
    from scipy import stats

    means, spreads = (np.array([statistic(each) for each in draws]) for statistic in (np.mean, _deviation))
    weights = 1 / spreads**2
    return stats.norm(float(weights @ means / weights.sum()), float(1 / math.sqrt(weights.sum())))


def _histogram(draws: list[Array], bounds: Bounds) -> Any:  # noqa: ARG001 - the densities' signature
    """Multiply the smoothed histograms on a common grid, in logarithms."""
    from scipy import stats

    lowest, highest = min(each.min() for each in draws), max(each.max() for each in draws)
    edges = np.linspace(lowest, highest, BINS + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    logarithms = np.zeros(BINS)
    for each in draws:
        width = 0.9 * _deviation(each) * len(each) ** -0.2
        logarithms += _log_density(each, edges, middle, max(width, edges[1] - edges[0]))
    heights = np.exp(logarithms - logarithms.max())
    return stats.rv_histogram((heights, edges), density=False)


def _log_density(draws: Array, edges: Array, middle: Array, width: float) -> Array:
    """Return the logarithm of a smoothed density on the grid; its tails beyond the draws are normal ones.

    Distant experiments have hardly a draw in common, and a bare histogram's product would be 0.
    """
    from scipy import ndimage

    heights, _ = np.histogram(draws, edges)
    smooth = ndimage.gaussian_filter1d(heights.astype(float), width / (edges[1] - edges[0]), mode="constant")
    mean, spread = float(draws.mean()), _deviation(draws)
    normal = -(((middle - mean) / spread) ** 2) / 2
    floor = 10 / len(draws) * smooth.max()  # below it the histogram is noise
    seen = smooth > floor
    left, right = np.flatnonzero(seen)[[0, -1]]
    inside = np.log(np.maximum(smooth, floor))
    outside_left = normal - normal[left] + inside[left]
    outside_right = normal - normal[right] + inside[right]
    index = np.arange(len(middle))
    return np.asarray(np.where(index < left, outside_left, np.where(index > right, outside_right, inside)))


DENSITIES: dict[str, Callable[[list[Array], Bounds], Any]] = {
    "beta": _beta,
    "gamma": _gamma,
    "gaussian": _gaussian,
    "histogram": _histogram,
}
