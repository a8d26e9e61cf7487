"""Scales on which normal intervals keep a metric's range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from howsure.arrays import Array
from howsure.errors import one_of

Scale = Literal["auto", "identity", "logit", "log"]
LARGEST = 700.0  # exponent that a float still holds


def check_scale(scale: object, known: Sequence[str]) -> None:
    """Refuse a scale that is not known."""
    one_of("transform", scale, known)


def automatic_scale(bounds: tuple[float, float]) -> Scale:
    """Return the scale of a range: logit of two finite ends, log of the distance from one, else the identity."""
    return ("identity", "log", "logit")[sum(map(math.isfinite, bounds))]


def inside(value: Any, bounds: tuple[float, float]) -> Any:
    """Whether values lie strictly within a range."""
    return (bounds[0] < value) & (value < bounds[1])


def on_scale(scale: Scale, value: object, half: object, bounds: tuple[float, float]) -> tuple[Array, Array]:
    """Return ``value ± half`` on a scale of the bounds, elementwise.

    A value at an end of the range has no such scale and keeps the identity; without a finite half width the limits
    are the bounds.
    """
    value, half = np.asarray(value, dtype=float), np.asarray(half)
    lowest, highest = bounds
    with np.errstate(all="ignore"):
        low, high = value - half, value + half
        if scale != "identity":
            within = inside(value, bounds)
            scaled = _logit(value, half, bounds) if scale == "logit" else _log(value, half, bounds)
            low, high = (np.where(within, each, plain) for each, plain in zip(scaled, (low, high), strict=True))
    open_ended = ~np.isfinite(half)
    low, high = np.where(open_ended, lowest, low), np.where(open_ended, highest, high)
    known = np.isfinite(value)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def scaled(scale: Scale, value: object, bounds: tuple[float, float]) -> tuple[Array, Array]:
    """Return values within the bounds on a scale of these, and the scale's slope there, elementwise."""
    value = np.asarray(value, dtype=float)
    lowest, highest = bounds
    if scale == "identity":
        return value, np.ones(value.shape)
    parts = [(np.log(value - lowest), 1 / (value - lowest))] if math.isfinite(lowest) else []
    parts += [(-np.log(highest - value), 1 / (highest - value))] if math.isfinite(highest) else []
    places, gradient = zip(*parts, strict=True)
    return np.asarray(sum(places)), np.asarray(sum(gradient))


def _logit(value: Array, half: Array, bounds: tuple[float, float]) -> tuple[Array, Array]:
    lowest, width = bounds[0], bounds[1] - bounds[0]
    share = (value - lowest) / width
    factor = np.exp(np.minimum(half / (width * share * (1 - share)), LARGEST))
    low, high = (share / (share + (1 - share) * each) for each in (factor, 1 / factor))
    return lowest + width * low, lowest + width * high


def _log(value: Array, half: Array, bounds: tuple[float, float]) -> tuple[Array, Array]:
    lowest, highest = bounds
    if math.isfinite(lowest):
        factor = np.exp(np.minimum(half / (value - lowest), LARGEST))
        return lowest + (value - lowest) / factor, lowest + (value - lowest) * factor
    factor = np.exp(np.minimum(half / (highest - value), LARGEST))
    return highest - (highest - value) * factor, highest - (highest - value) / factor
