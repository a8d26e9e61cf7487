"""Settings of a study: convertible values raise a warning, missing ones get a default, as in the original."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.errors import HowsureError, HowsureWarning
from howsure.methods.drawn.dirichlet import Prior, prior_array

FEWEST = 10_000  # draws below which their error is noticed
DEFAULTS: dict[str, Callable[[], Any]] = {
    "seed": lambda: int(time.time() * 256),
    "num_samples": lambda: FEWEST,
    "ci_probability": lambda: 0.95,
}


class ConfigError(HowsureError):
    """A setting that a study cannot have."""


class ConfigTypeError(ConfigError, TypeError):
    """A setting that is not a number."""


class ConfigWarning(HowsureWarning):
    """A converted setting, or a default that should be chosen deliberately."""


def warn(message: str) -> None:
    """Warn at the line that called the study."""
    warnings.warn(message, ConfigWarning, stacklevel=4)


def setting(name: str, value: object, kind: type[int | float]) -> Any:
    """Return a setting as a number of its kind, or its default."""
    if value is None:
        default = DEFAULTS[name]()
        warn(f"`{name}` is not given, and is {default} by default. Choose one.")
        return default
    if isinstance(value, kind) and not isinstance(value, bool):
        return value
    try:
        found = kind(np.asarray(value).item())
    except (TypeError, ValueError):
        raise ConfigTypeError(f"`{name}` is a number, not {value!r}.") from None
    warn(f"`{name}` is {'a whole number' if kind is int else 'a float'}, not {value!r}: taken for {found}.")
    return found


def settings_of(seed: Any, num_samples: object, ci_probability: object) -> tuple[int, int, float]:
    """Return seed, number of draws and level."""
    seed, draws, level = (
        setting("seed", seed, int),
        setting("num_samples", num_samples, int),
        setting("ci_probability", ci_probability, float),
    )
    for name, number, fits in (
        ("seed", seed, seed >= 0),
        ("num_samples", draws, draws > 0),
        ("ci_probability", level, 0 < level < 1),
    ):
        if not fits:
            raise ConfigError(
                f"`{name}` is out of its range: {number}. A level lies between 0 and 1, a number is positive."
            )
    if draws < FEWEST:
        warn(f"`num_samples` is {draws:,}: the error of drawn numbers shows below {FEWEST:,} draws.")
    return seed, draws, level


def prior(name: str, value: Prior | None, shape: tuple[int, ...]) -> Prior:
    """Return a prior in a shape that fits; 0, Haldane's, is the default there."""
    if value is None:
        warn(f"`{name}` is not given: 0 (Haldane), which leaves a class without errors certain. Name one.")
        return 0.0
    if not isinstance(value, str):
        try:
            value = np.asarray(value, dtype=float)
            value = value.reshape(shape) if value.ndim and value.size == np.prod(shape) else value
        except (TypeError, ValueError):
            raise ConfigError(f"`{name}` is a number, an array of numbers or a name, not {value!r}.") from None
    try:
        prior_array(value, shape, name)
    except HowsureError as error:
        raise ConfigError(str(error)) from None
    return value
