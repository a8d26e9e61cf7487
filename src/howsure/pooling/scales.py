"""Scales on which estimates are nearer to normal, and back."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale on which estimates are nearer to normal.

    Parameters
    ----------
    name : str
        What `pool` calls it.
    forward, back : callable
        Transformation from a value to the scale, and its inverse.
    slope : callable
        Derivative of ``forward``.
    range : tuple of two float
        Range of the values.
    """

    name: str
    forward: Callable[[Array], Array]
    back: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    range: tuple[float, float]


def _logistic(values: Array) -> Array:
    from scipy import special

    return np.asarray(special.expit(values))


def _exponential(values: Array) -> Array:
    """Return the exponential; infinity, the end of the range, where it is beyond the largest float."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(values))


SCALES = {
    scale.name: scale
    for scale in (
        Scale("identity", lambda x: x, lambda y: y, np.ones_like, (-math.inf, math.inf)),
        Scale("logit", lambda x: np.log(x / (1 - x)), _logistic, lambda x: 1 / (x * (1 - x)), (0.0, 1.0)),
        Scale("log", np.log, _exponential, lambda x: 1 / x, (0.0, math.inf)),
        Scale("fisher_z", np.arctanh, np.tanh, lambda x: 1 / (1 - x**2), (-1.0, 1.0)),
    )
}

ZERO_COUNT = (
    "A ratio with a count of 0 has no logarithm, and leaving it out biases the result. Pool rates, 'sensitivity' and "
    "'specificity', or logarithms of ratios with 0.5 added to each cell, `pool(logarithms, standard_errors)`."
)


def scale_named(name: str | None) -> Scale:
    """Return the scale of this name, such as ``"log"`` or ``"logit(0, 10)"``; None is the identity."""
    if name is None:
        return SCALES["identity"]
    if isinstance(name, str) and name in SCALES:
        return SCALES[name]
    if ends := re.fullmatch(r"(?:logit|log)\(([^,]+), ([^,]+)\)", str(name)):
        with suppress(ValueError):
            return scale_of_range((float(ends[1]), float(ends[2])))
    raise HowsureError.unknown("scale", name, SCALES)


def scale_of_range(bounds: tuple[float, float]) -> Scale:
    """Return the default scale for a metric's range, with two finite ends, one, or none."""
    found = next((scale for scale in SCALES.values() if scale.range == tuple(bounds)), None)
    if found is not None:
        return found
    lowest, highest = bounds
    if not math.isfinite(lowest):
        return _moved(SCALES["log"], bounds, highest, -1.0)
    if not math.isfinite(highest):
        return _moved(SCALES["log"], bounds, lowest, 1.0)
    return _moved(SCALES["logit"], bounds, lowest, highest - lowest)


def _moved(scale: Scale, bounds: tuple[float, float], start: float, unit: float) -> Scale:
    """Return the scale of ``(value - start) / unit``, turned so that it increases."""
    sign = math.copysign(1.0, unit)
    return Scale(
        f"{scale.name}({bounds[0]:.17g}, {bounds[1]:.17g})",
        lambda x: sign * scale.forward((x - start) / unit),
        lambda y: start + unit * scale.back(sign * y),
        lambda x: scale.slope((x - start) / unit) / abs(unit),
        bounds,
    )
