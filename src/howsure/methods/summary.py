"""What draws say: location, spread, shape and intervals, each with its Monte Carlo error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
BATCHES = 20  # of the draws, whose scatter gives the Monte Carlo error
BINS = 2048  # of the grid on which the density's peak is found


def equal_tailed(draws: Array, confidence_level: float) -> tuple[float, float]:
    """Return the quantiles that leave equal probability on both sides."""
    low, high = np.quantile(draws, ((1 - confidence_level) / 2, (1 + confidence_level) / 2))
    return float(low), float(high)


def highest_density(draws: Array, confidence_level: float) -> tuple[float, float]:
    """Return the shortest interval that holds this share of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = highest_density(np.random.default_rng(0).beta(1, 9, 100_000), 0.95)
    >>> low < 0.001, abs(high - 0.2831) < 0.005
    (True, True)
    """
    ordered = np.sort(draws)
    inside = min(int(np.ceil(confidence_level * len(ordered))), len(ordered))
    widths = ordered[inside - 1 :] - ordered[: len(ordered) - inside + 1]
    start = int(np.argmin(widths))
    return float(ordered[start]), float(ordered[start + inside - 1])


def density(draws: Array) -> tuple[Array, Array]:
    """Return a grid over the draws and their smoothed density on it; one point where they do not vary.

    A histogram on a fine grid is smoothed by a normal kernel of Silverman's width, with the draws reflected at
    their extremes so that a peak at the edge is found.

    Examples
    --------
    >>> import numpy as np
    >>> grid, heights = density(np.random.default_rng(0).beta(8, 4, 50_000))
    >>> bool(abs(heights.sum() * (grid[1] - grid[0]) - 1) < 1e-9)
    True
    """
    lowest, highest = float(draws.min()), float(draws.max())
    spread = float(draws.std())
    if not spread > 0:
        return np.array([lowest]), np.array([np.inf])
    quartiles = np.quantile(draws, (0.25, 0.75))
    robust = float(quartiles[1] - quartiles[0]) / 1.349 or spread
    width = 0.9 * min(spread, robust) * len(draws) ** -0.2
    heights, edges = np.histogram(draws, BINS, (lowest, highest))
    step = (highest - lowest) / BINS
    mirrored = np.concatenate([heights, heights[::-1]])
    frequency = np.fft.rfftfreq(len(mirrored), step)
    kernel = np.exp(-2 * (np.pi * frequency * width) ** 2)
    smooth = np.fft.irfft(np.fft.rfft(mirrored) * kernel, len(mirrored))[:BINS]
    return (edges[:-1] + edges[1:]) / 2, smooth / (len(draws) * step)


def mode(draws: Array) -> float:
    """Return the peak of the smoothed density of the draws."""
    grid, heights = density(draws)
    return float(grid[int(np.argmax(heights))])


def skewness(draws: Array) -> float:
    """Third standardised moment; 0 for a symmetric distribution."""
    centred = draws - draws.mean()
    return _quotient(float((centred**3).mean()), float((centred**2).mean()) ** 1.5)


def kurtosis(draws: Array) -> float:
    """Fourth standardised moment less 3; 0 for a normal distribution."""
    centred = draws - draws.mean()
    return _quotient(float((centred**4).mean()), float((centred**2).mean()) ** 2) - 3


def _quotient(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")


def monte_carlo_error(statistic: Callable[[Array], float], draws: Array) -> float:
    """Return the standard error of a statistic of the draws, from its scatter over batches of them."""
    if len(draws) < 2 * BATCHES:
        return float("nan")
    size = len(draws) // BATCHES
    values = [statistic(draws[start * size : (start + 1) * size]) for start in range(BATCHES)]
    return float(np.std(values, ddof=1) / np.sqrt(BATCHES))


@dataclass(frozen=True, slots=True)
class Summary:
    """Draws in a few numbers; `errors` has the Monte Carlo error of each.

    ``uncertainty`` is the width of the interval (metric uncertainty, MU).
    """

    median: float
    mean: float
    mode: float
    standard_deviation: float
    low: float
    high: float
    uncertainty: float
    skewness: float
    kurtosis: float
    defined: int
    draws: int
    errors: dict[str, float]


class Probability(NamedTuple):
    """A probability from draws, with its Monte Carlo error."""

    value: float
    error: float


def probability_above(draws: Array, threshold: float) -> Probability:
    """Return the share of the defined draws above a threshold; its error is never 0, even where all agree."""
    kept = draws[np.isfinite(draws)]
    if not kept.size:
        return Probability(float("nan"), float("nan"))
    share = float((kept > threshold).mean())
    smoothed = (share * len(kept) + 1) / (len(kept) + 2)  # Laplace's rule, for the error alone
    return Probability(share, float(np.sqrt(smoothed * (1 - smoothed) / len(kept))))


def summarise(
    draws: Array, confidence_level: float = 0.95, *, credible: Callable[..., Any] = highest_density
) -> Summary:
    """Return the summary of draws; undefined draws are counted and left out.

    Examples
    --------
    >>> import numpy as np
    >>> summary = summarise(np.random.default_rng(0).beta(20, 5, 50_000))
    >>> round(summary.mean, 2), summary.errors["mean"] < 0.001
    (0.8, True)
    """
    kept = draws[np.isfinite(draws)]
    if not kept.size:
        nan = float("nan")
        return Summary(nan, nan, nan, nan, nan, nan, nan, nan, nan, 0, len(draws), {})
    statistics: dict[str, Callable[[Array], float]] = {
        "median": lambda each: float(np.median(each)),
        "mean": lambda each: float(each.mean()),
        "mode": mode,
        "standard_deviation": lambda each: float(each.std(ddof=1)) if len(each) > 1 else float("nan"),
        "low": lambda each: credible(each, confidence_level)[0],
        "high": lambda each: credible(each, confidence_level)[1],
        "uncertainty": lambda each: float(np.subtract(*credible(each, confidence_level)[::-1])),
        "skewness": skewness,
        "kurtosis": kurtosis,
    }
    errors = {name: monte_carlo_error(statistic, kept) for name, statistic in statistics.items()}
    values: dict[str, Any] = {name: statistic(kept) for name, statistic in statistics.items()}
    return Summary(**values, defined=len(kept), draws=len(draws), errors=errors)
