"""Summaries of draws: location, spread, shape and intervals, each with its Monte Carlo error."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from howsure.arrays import Array
from howsure.numbers import percent

SAMPLE = 512  # size of the subsample that bounds the smallest draws
MOST_UNDEFINED = 0.1  # share of the resamples, above which the others give no limits
BATCHES = 20  # of the draws, whose scatter gives the Monte Carlo error
BINS = 2048  # of the grid on which the density's peak is found
COARSE_BINS = 256  # of those for batches


def equal_tailed(draws: Array, confidence_level: float) -> tuple[Any, Any]:
    """Return the quantiles with equal probability in both tails; draws are along the last axis."""
    shares = np.array(((1 - confidence_level) / 2, (1 + confidence_level) / 2))
    low, high = quantiles(draws, shares) if draws.ndim == 1 else np.quantile(draws, shares, axis=-1)
    return low, high


def highest_density(draws: Array, confidence_level: float) -> tuple[Any, Any]:
    """Return the shortest interval that contains this proportion of the draws, which are along the last axis.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = highest_density(np.random.default_rng(0).beta(1, 9, 100_000), 0.95)
    >>> bool(low < 0.001), bool(abs(high - 0.2831) < 0.005)
    (True, True)
    """
    size = draws.shape[-1]
    lowest, highest = _tails(draws, size - min(int(np.ceil(confidence_level * size)), size) + 1)
    start = np.argmin(highest - lowest, axis=-1)[..., None]
    low, high = (np.take_along_axis(part, start, -1)[..., 0] for part in (lowest, highest))
    return low[()], high[()]


def quantiles(draws: Array, shares: Array) -> list[float]:
    """Return the quantiles of draws at some shares, by linear interpolation, as NumPy's.

    Parameters
    ----------
    draws : ndarray of shape (n,)
        Finite.
    shares : ndarray of shape (m,)
        Between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> quantiles(np.arange(10_001.0)[::-1], np.array([0.025, 0.975]))
    [250.0, 9750.0]
    """
    size = len(draws)
    place = shares * (size - 1)
    below = np.minimum(place.astype(np.intp), max(size - 2, 0))
    if (draws[:-1] <= draws[1:]).all():
        low, high = draws[below], draws[np.minimum(below + 1, size - 1)]
    else:
        low, high = np.transpose([_neighbours(draws, rank) for rank in below.tolist()])
    found: list[float] = (low + (place - below) * (high - low)).tolist()
    return found


def _neighbours(draws: Array, rank: int) -> Array:
    """Return the draw of a rank, and the next larger one."""
    if 2 * rank < len(draws):
        return smallest(draws, rank + 2)[-2:]
    return -smallest(-draws, len(draws) - rank)[:-3:-1]


def smallest(draws: Array, number: int) -> Array:
    """Return the ``number`` smallest draws, in order; a bound from a subsample excludes most others before sorting.

    Examples
    --------
    >>> import numpy as np
    >>> smallest(np.arange(10_000)[::-1] % 7000, 5).tolist()
    [0, 0, 1, 1, 2]
    """
    step = len(draws) // SAMPLE
    if step > 1:
        sample, expected = np.sort(draws[::step]), number / step
        place = int(expected + 3 * math.sqrt(expected)) + 2
        few = draws[draws <= sample[place]] if place < len(sample) else draws
        draws = few if len(few) >= number else draws
    return np.sort(np.partition(draws, number - 1)[:number])


def _tails(draws: Array, number: int) -> tuple[Array, Array]:
    """Return the ``number`` smallest and largest draws, each in order, without sorting most of the others."""
    size = draws.shape[-1]
    if draws.ndim == 1 and 2 * number < size:
        return smallest(draws, number), -smallest(-draws, number)[::-1]
    if 2 * number < size:
        parted = np.partition(draws, (number - 1, size - number), axis=-1)
        return np.sort(parted[..., :number], axis=-1), np.sort(parted[..., size - number :], axis=-1)
    ordered = np.sort(draws, axis=-1)
    return ordered[..., :number], ordered[..., size - number :]


def density(draws: Array) -> tuple[Array, Array]:
    """Return a grid over the draws and their smoothed density on it; one point if they are all equal.

    A histogram on a fine grid is smoothed by a normal kernel of Silverman's width. The draws are reflected at their
    extremes, so that a peak at the edge is found.

    Examples
    --------
    >>> import numpy as np
    >>> grid, heights = density(np.random.default_rng(0).beta(8, 4, 50_000))
    >>> bool(abs(heights.sum() * (grid[1] - grid[0]) - 1) < 1e-9)
    True
    """
    ordered = np.sort(draws)
    if not ordered[-1] > ordered[0]:
        return ordered[:1], np.array([np.inf])
    lowest, step, smooth = _smoothed(ordered[None], BINS)
    return lowest[0] + (np.arange(BINS) + 0.5) * step[0], smooth[0] / (len(draws) * step[0])


def mode(draws: Array) -> float:
    """Return the peak of the smoothed density of the draws."""
    return float(_modes(np.sort(draws)[None], BINS)[0])


def _modes(ordered: Array, bins: int) -> Array:
    """Return the mode of each row of sorted draws."""
    lowest, step, smooth = _smoothed(ordered, bins)
    return np.asarray(np.where(ordered[:, -1] > ordered[:, 0], lowest + (smooth.argmax(-1) + 0.5) * step, lowest))


def _smoothed(ordered: Array, bins: int) -> tuple[Array, Array, Array]:
    """Return the start and step of a grid over each row of sorted draws, and the smoothed histogram on it."""
    number, size = ordered.shape
    lowest, span = ordered[:, 0], ordered[:, -1] - ordered[:, 0]
    step = np.where(span > 0, span, 1.0) / bins
    cells = np.minimum(((ordered - lowest[:, None]) / step[:, None]).astype(np.intp), bins - 1)
    cells += bins * np.arange(number)[:, None]
    heights = np.bincount(cells.ravel(), minlength=bins * number).reshape(number, bins)
    spread = ordered.std(-1)
    robust = (ordered[:, (3 * size) // 4 - (size % 4 == 0)] - ordered[:, size // 4]) / 1.349
    width = 0.9 * np.where(robust > 0, np.minimum(spread, robust), spread) * size**-0.2
    mirrored = np.concatenate([heights, heights[:, ::-1]], axis=1)
    frequency = np.arange(bins + 1) / (2 * bins * step[:, None])
    kernel = np.exp(-2 * (np.pi * frequency * width[:, None]) ** 2)
    return lowest, step, np.fft.irfft(np.fft.rfft(mirrored) * kernel, 2 * bins)[:, :bins]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Summary statistics of draws; `errors` has the Monte Carlo error of each.

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


class Resampled(NamedTuple):
    """The defined values among resampled ones, whether they give limits, and the reason why some are absent."""

    values: Array
    have_limits: bool
    reason: str


def defined_resamples(draws: Array) -> Resampled:
    """Return the values of the resamples on which a metric is defined.

    Where it is undefined on more than 10 % of them, the others give no limits. They are a selection: a calibration
    slope is undefined, or rather infinite, where a resample separates the classes. In 4,589 simulated studies of 15 to
    40 cases the 95 % percentile interval of the slope covered in 93 % of those where the slope was undefined on less
    than 2 % of the resamples, in 90 % for 2 to 5 %, in 86 % for 5 to 10 %, in 80 % for 10 to 20 %, and in 52 % for 30
    to 50 %. The delta method covered in 95, 97, 98, 98 and 99 % of the same studies.

    Parameters
    ----------
    draws : ndarray of shape (draws,)
        The metric on each resample; nan where it is undefined.

    Examples
    --------
    >>> import numpy as np
    >>> defined_resamples(np.array([0.5, np.nan, 0.7, 0.6])).reason
    'undefined on 1 of 4 resamples: on more than 10 %, so the others give no limits'
    """
    kept = draws[np.isfinite(draws)]
    lost = len(draws) - len(kept)
    reason = f"undefined on {lost} of {len(draws)} resamples" if lost else ""
    have_limits = kept.size > 0 and lost <= MOST_UNDEFINED * len(draws)
    why = "" if have_limits else f": on more than {percent(MOST_UNDEFINED)}, so the others give no limits"
    return Resampled(kept, have_limits, reason + why)


class Probability(NamedTuple):
    """A probability from draws, with its Monte Carlo error."""

    value: float
    error: float


def probability_above(draws: Array, threshold: float) -> Probability:
    """Return the proportion of the defined draws above a threshold; its error is never 0, even if all agree."""
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
        unknown = dict.fromkeys(Summary.__slots__[:-3], float("nan"))
        return Summary(**unknown, defined=0, draws=len(draws), errors={})
    found = _statistics(kept[None], confidence_level, credible)
    values: dict[str, Any] = {name: float(value[0]) for name, value in found.items()}
    if len(kept) < 2 * BATCHES:
        errors = dict.fromkeys(values, float("nan"))
    else:  # the scatter of the statistics over batches of the draws
        batches = kept[: len(kept) // BATCHES * BATCHES].reshape(BATCHES, -1)
        scattered = _statistics(batches, confidence_level, credible)
        spread = np.std(list(scattered.values()), axis=1, ddof=1) / np.sqrt(BATCHES)
        errors = dict(zip(scattered, spread.tolist(), strict=True))
    return Summary(**values, defined=len(kept), draws=len(draws), errors=errors)


def _statistics(rows: Array, confidence_level: float, credible: Callable[..., Any]) -> dict[str, Array]:
    """Return the statistics of a summary for each row of draws."""
    ordered = np.sort(rows, axis=-1)
    size = rows.shape[-1]
    low, high = credible(ordered, confidence_level)
    mean = rows.mean(-1)
    centred = rows - mean[:, None]
    squares = centred * centred
    second, third, fourth = (
        np.einsum("ij,ij->i", *pair) / size for pair in ((centred, centred), (squares, centred), (squares, squares))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness, kurtosis = third / second**1.5, fourth / second**2 - 3
    return {
        "median": (ordered[:, (size - 1) // 2] + ordered[:, size // 2]) / 2,
        "mean": mean,
        "mode": _modes(ordered, BINS if len(rows) == 1 else COARSE_BINS),
        "standard_deviation": np.sqrt(second * (size / (size - 1))) if size > 1 else np.full(len(rows), np.nan),
        "low": low,
        "high": high,
        "uncertainty": high - low,
        "skewness": np.where(second > 0, skewness, np.nan),
        "kurtosis": np.where(second > 0, kurtosis, np.nan),
    }
