"""Averages over classes: of one value a class to one value, with their slopes.

A class on which the metric is undefined (never predicted, never true) has no value to average: it is left out,
as scikit-learn does with ``zero_division=np.nan``, and the estimate says so. Geometric and harmonic means are of
values that are not negative; with a negative one they are undefined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, did_you_mean
from howsure.metrics.forms import divide, mean_of_defined
from howsure.names import squeezed

TIED = 1e-12  # relative distance of the values of tied classes, which is rounding


@dataclass(frozen=True, slots=True)
class Average:
    """An average by its value and its slopes.

    Parameters
    ----------
    name, aliases
        How a spec string calls it.
    value
        ``(values, weights) -> average`` over the last axis; weights are the true totals of the classes.
    slopes
        ``(values, weights) -> (derivative by each value, derivative by each weight)``, over the last axis too.
    """

    name: str
    aliases: tuple[str, ...]
    value: Callable[[Array, Array], Array]
    slopes: Callable[[Array, Array], tuple[Array, Array]]
    summary: str

    @property
    def reads_weights(self) -> bool:
        """Whether the average depends on the class totals, if only to choose between classes that tie."""
        return self.name in {"weighted", *EXTREMES}


def _defined_mean(values: Array, weights: Array) -> Array:
    """Weighted mean over the classes whose value is defined."""
    defined = ~np.isnan(values)
    if defined.all():
        return divide((values * weights).sum(-1), weights.sum(-1))
    weights = np.where(defined, weights, 0)
    return divide((np.where(defined, values, 0) * weights).sum(-1), weights.sum(-1))


def _macro(values: Array, weights: Array) -> Array:
    return mean_of_defined(values)


def _macro_slopes(values: Array, weights: Array) -> tuple[Array, Array]:
    defined = ~np.isnan(values)
    return defined / _number(defined), np.zeros_like(weights)


def _number(defined: Array) -> Array:
    """Return how many values are defined, at least 1, with the last axis kept."""
    return np.asarray(np.maximum(defined.sum(-1, keepdims=True), 1))


def _weighted_slopes(values: Array, weights: Array) -> tuple[Array, Array]:
    defined = ~np.isnan(values)
    total = np.where(defined, weights, 0).sum(-1, keepdims=True)
    by_value = divide(np.where(defined, weights, 0), total)
    by_weight = divide(np.where(defined, values - _defined_mean(values, weights)[..., None], 0), total)
    return np.nan_to_num(by_value), np.nan_to_num(by_weight)


def _unless_negative(values: Array, mean: Array) -> Array:
    return np.where((values < -TIED).any(-1), np.nan, mean)


def _without_dust(values: Array) -> Array:
    """Return values with what rounding left of zero as zero."""
    return np.where(np.abs(values) <= TIED, 0.0, values)


def _geometric(values: Array, weights: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return _unless_negative(values, np.exp(_macro(np.log(_without_dust(values)), weights)))


def _geometric_slopes(values: Array, weights: Array) -> tuple[Array, Array]:
    defined, values = ~np.isnan(values), _without_dust(values)
    slopes = np.nan_to_num(divide(_geometric(values, weights)[..., None], values)) / _number(defined)
    return slopes, np.zeros_like(weights)


def _harmonic(values: Array, weights: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return _unless_negative(values, 1 / _macro(1 / _without_dust(values), weights))


def _harmonic_slopes(values: Array, weights: Array) -> tuple[Array, Array]:
    defined, values = ~np.isnan(values), _without_dust(values)
    slopes = np.nan_to_num(divide(_harmonic(values, weights)[..., None], values) ** 2) / _number(defined)
    return slopes, np.zeros_like(weights)


def _extreme(choose: Callable[..., Any], fill: float) -> Callable[[Array, Array], Array]:
    def value(values: Array, weights: Array) -> Array:
        undefined = np.isnan(values)
        chosen = choose(np.where(undefined, fill, values), axis=-1)
        return np.where(undefined.all(-1), np.nan, chosen)

    return value


def _extreme_slopes(choose: Callable[..., Any], fill: float) -> Callable[[Array, Array], tuple[Array, Array]]:
    extreme = _extreme(choose, fill)

    def slopes(values: Array, weights: Array) -> tuple[Array, Array]:
        with np.errstate(invalid="ignore"):
            chosen = np.isclose(values, extreme(values, weights)[..., None], rtol=TIED, atol=TIED)
        fewest = np.where(chosen, weights, np.inf).min(-1, keepdims=True)  # the least certain of tied classes
        chosen &= weights <= fewest * (1 + TIED)
        # The first of them alone: the mean of several varies less than any, that of two complements not at all.
        chosen &= np.cumsum(chosen, -1) == 1
        return chosen * 1.0, np.zeros_like(weights)

    return slopes


AVERAGES = (
    Average("macro", ("mean", "macro_average"), _macro, _macro_slopes, "unweighted mean over the classes"),
    Average(
        "weighted",
        ("weighted_average",),
        _defined_mean,
        _weighted_slopes,
        "mean weighted by the classes' true totals",
    ),
    Average("geometric", ("geom",), _geometric, _geometric_slopes, "geometric mean over the classes"),
    Average("harmonic", ("harm",), _harmonic, _harmonic_slopes, "harmonic mean over the classes"),
    Average(
        "min",
        ("worst", "minimum"),
        _extreme(np.min, np.inf),
        _extreme_slopes(np.min, np.inf),
        "smallest of the classes",
    ),
    Average(
        "max",
        ("best", "maximum"),
        _extreme(np.max, -np.inf),
        _extreme_slopes(np.max, -np.inf),
        "largest of the classes",
    ),
)
BY_NAME = {name: average for average in AVERAGES for name in (average.name, *average.aliases)}
EXTREMES = ("min", "max")  # not differentiable if classes tie
SINGLE = ("binary", "select_positive", "select")  # one class against the rest
POOLED = ("micro", "micro_average")  # the outcomes of all classes added up
PER_CLASS = ("none",)  # one value a class: `evaluate` gives one estimate for each
OF_OTHERS = {"macro": ("macro avg", "unweighted"), "micro": ("micro avg",), "weighted": ("weighted avg",)} | {
    "none": ("per class", "each", "each class", "class-wise")
}
NAMES = {squeezed(name): average.name for name, average in BY_NAME.items()} | {
    squeezed(each): name
    for name, others in ((SINGLE[0], SINGLE), (POOLED[0], POOLED), (PER_CLASS[0], PER_CLASS), *OF_OTHERS.items())
    for each in others
}


def canonical_average(word: str) -> str:
    """Return the name of an average; an unknown one is refused with the nearest known ones."""
    if not isinstance(word, str):
        raise HowsureError(f"An average is a name such as 'macro', not {word!r}.")
    word = word.strip().lower()
    if (name := NAMES.get(squeezed(word))) is not None:
        return name
    if word == "samples":
        raise HowsureError(
            "The average 'samples' is of the cases of multilabel data: `hs.f1_score(…, average='samples')`."
        )
    if word in {"k", "n"} or word.removesuffix("%").isdecimal():
        raise HowsureError(
            f"'@{word}' is no average over classes. For the first {word} results of each query make a table of these "
            "numbers by `hs.values`. For the first of one ranking give `threshold=` their lowest score.",
            "unknown-average",
        )
    if "=" in word or word.replace(".", "", 1).isdecimal():
        raise HowsureError(
            f"'@{word}' is no average over classes. A threshold is the argument `threshold` of `estimate`, and a point "
            "of the ROC curve an argument of the metric: 'recall_at+fpr=0.01'.",
            "unknown-average",
        )
    near = did_you_mean(word, [*BY_NAME, *SINGLE, *POOLED, *PER_CLASS])
    raise HowsureError(
        f"There is no average '{word}'.{near or ' A class is named as in `f1@binary+positive_class=…`.'}",
        "unknown-average",
    )
