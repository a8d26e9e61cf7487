"""howsure's own metrics and averages under the names of ``prob_conf_mat``."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from howsure.arrays import Array
from howsure.compat.differences import say_once
from howsure.compat.prob_conf_mat.metrics.abc import AveragedMetric, Averaging, Metric
from howsure.errors import HowsureError, one_of
from howsure.metrics.averages import AVERAGES, POOLED, SINGLE, Average
from howsure.metrics.binding import resolve
from howsure.metrics.forms import divide
from howsure.metrics.registry import REGISTRY, Definition
from howsure.metrics.spec import parse
from howsure.sources.matrices import from_counts
from howsure.tables.counts import ConfusionCounts

RATES = {"plr": ("recall", "fpr"), "nlr": ("fnr", "specificity")}  # whose ratio they are
RATIOS = {**RATES, **{f"log_{name}": rates for name, rates in RATES.items()}}
DIFFERENT = {
    "harmonic": "prob_conf_mat 0.4 computes the geometric mean for '@harmonic'; this is the harmonic one.",
    "micro": "prob_conf_mat 0.4 computes the weighted mean for '@micro'; this is of the pooled counts. "
    "For theirs write '@weighted'.",
}


class Shipped(Metric):
    """A metric of howsure; ``clamp`` of the likelihood ratios is that of `prob_conf_mat`."""

    definition: ClassVar[Definition]
    is_shipped = True
    dependencies = ("norm_confusion_matrix",)

    def __init__(self, **arguments: object) -> None:
        super().__init__()
        known = [*self.definition.parameters, *(["clamp"] if self.definition.name in RATIOS else [])]
        for name in arguments:
            one_of(f"argument of `{self.definition.name}`", name, known)
        self.clamp = bool(arguments.pop("clamp", False))
        for name, parameter in self.definition.parameters.items():
            setattr(self, name, arguments.get(name, parameter.default))
        self.head = parse(
            "+".join([self.definition.name, *(f"{name}={each}" for name, each in arguments.items())])
        ).text

    @property
    def name(self) -> str:
        """The metric string."""
        return self._instantiation_name or self.head

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]  # depends on the arguments
        """Smallest and largest value for two classes."""
        return self.bounds_of(2)

    def bounds_of(self, classes: int) -> tuple[float, float]:
        """Return smallest and largest value for a number of classes."""
        return self.definition.bounds(classes, parse(self.head).arguments)

    def compute_metric(self, norm_confusion_matrix: Array) -> Array:
        """Return the values of tables, draws × classes, or one per draw."""
        if self.is_multiclass:
            return of_spec(self.head, norm_confusion_matrix)
        if not self.clamp:
            return per_class(self.head, norm_confusion_matrix)
        above, below = (per_class(each, norm_confusion_matrix) for each in RATIOS[self.definition.name])
        positive = below[below > 0]
        with np.errstate(divide="ignore"):
            ratio = divide(above, np.where(below == 0, positive.min() if positive.size else np.nan, below))
            return np.log(ratio) if self.definition.name.startswith("log") else ratio


def per_class(head: str, tables: Array) -> Array:
    """Return the values of one-against-rest metrics of tables, draws × classes."""
    values = resolve(f"{head}@macro", _stand_in(tables)).per_class
    if values is None:
        raise HowsureError(f"`{head}` has no values of single classes.")
    return np.asarray(values(ConfusionCounts(tables)))


def of_spec(spec: str, tables: Array) -> Array:
    """Return the values of the metric of a spec, one per table."""
    return np.asarray(resolve(spec, _stand_in(tables))(tables))


def _stand_in(tables: Array) -> Any:
    return from_counts(np.ones(tables.shape[-2:]))


def averaged(metric: AveragedMetric, tables: Array) -> Array | None:
    """Return howsure's average of its own metric; None if either is user-defined, or it is clamped."""
    base, averaging = metric.base_metric, metric.averaging
    if not (isinstance(base, Shipped) and isinstance(averaging, Own)) or base.clamp:
        return None
    if averaging.word in DIFFERENT:
        say_once(DIFFERENT[averaging.word])
    return of_spec(f"{base.head}@{averaging.word}", tables)


class Own(Averaging):
    """An average of howsure."""

    is_shipped = True
    word: ClassVar[str]


class SelectPositiveClass(Averaging):
    """The value of one class, the last by default."""

    is_shipped = True
    full_name = "one class"
    aliases = (*SINGLE,)
    sklearn_equivalent = "binary"

    def __init__(self, positive_class: int = -1) -> None:
        super().__init__()
        self.positive_class = positive_class

    def compute_average(self, metric_values: Array) -> Array:
        """Return the column of the class."""
        if not -metric_values.shape[1] <= self.positive_class < metric_values.shape[1]:
            raise HowsureError(
                f"`positive_class` is {self.positive_class}, and there are {metric_values.shape[1]} classes."
            )
        return np.asarray(metric_values[:, self.positive_class])


def _of_average(average: Average) -> type[Own]:
    def compute_average(self: Own, metric_values: Array, p_condition: Array) -> Array:  # noqa: ARG001 - a method
        return average.value(metric_values, p_condition)

    members = {
        "word": average.name,
        "full_name": average.summary,
        "aliases": (average.name, *average.aliases),
        "dependencies": ("p_condition",),
        "sklearn_equivalent": average.name if average.name in {"macro", "weighted"} else None,
        "compute_average": compute_average,
    }
    return type(f"{average.name.capitalize()}Average", (Own,), members)


class Micro(Own):
    """Average that pools the counts of all classes."""

    word = "micro"
    full_name = "of pooled counts"
    aliases = (*POOLED,)
    sklearn_equivalent = "micro"

    def compute_average(self, metric_values: Array) -> Array:  # noqa: ARG002 - as of all averages
        """Refuse values of single classes, because pooling needs the tables of a study."""
        raise HowsureError("'@micro' pools the counts of all classes, which values of single classes do not show.")


def _of_definition(definition: Definition) -> type[Shipped]:
    members = {
        "definition": definition,
        "full_name": definition.summary,
        "aliases": (definition.name, *definition.aliases),
        "is_multiclass": not definition.has_averages,
        "sklearn_equivalent": definition.sklearn,
    }
    return type(definition.name.title().replace("_", ""), (Shipped,), members)


SHIPPED = tuple(_of_definition(each) for each in REGISTRY.shipped if each.of_predictions)
SHIPPED_AVERAGES = tuple(_of_average(each) for each in AVERAGES)
