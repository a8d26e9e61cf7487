"""Scales on which estimates are nearer to normal, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale on which estimates are nearer to normal.

    Parameters
    ----------
    name : str
        What `pool` calls it.
    forward, back : callable
        From a value to the scale, and back.
    slope : callable
        Derivative of ``forward``.
    range : tuple of two float
        Where values lie.
    """

    name: str
    forward: Callable[[Array], Array]
    back: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    range: tuple[float, float]


def _logistic(values: Array) -> Array:
    from scipy import special

    return np.asarray(special.expit(values))


SCALES = {
    scale.name: scale
    for scale in (
        Scale("identity", lambda x: x, lambda y: y, np.ones_like, (-math.inf, math.inf)),
        Scale("logit", lambda x: np.log(x / (1 - x)), _logistic, lambda x: 1 / (x * (1 - x)), (0.0, 1.0)),
        Scale("log", np.log, np.exp, lambda x: 1 / x, (0.0, math.inf)),
        Scale("fisher_z", np.arctanh, np.tanh, lambda x: 1 / (1 - x**2), (-1.0, 1.0)),
    )
}


def scale_named(name: str | None) -> Scale:
    """Return the scale of this name; None is the identity."""
    if name is None:
        return SCALES["identity"]
    if name not in SCALES:
        raise HowsureError.unknown("scale", str(name), SCALES)
    return SCALES[name]


def scale_of_range(bounds: tuple[float, float]) -> str:
    """Return the name of the scale that suits a metric's range."""
    return next((scale.name for scale in SCALES.values() if scale.range == tuple(bounds)), "identity")
