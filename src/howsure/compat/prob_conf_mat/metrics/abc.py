"""The bases of metrics and averages: a subclass is registered under its aliases when it is defined."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.forms import divide

ROOTS: Mapping[str, Callable[[Array], Array]] = {  # tables (n, K, K) that sum to 1 → what metrics are computed from
    "norm_confusion_matrix": lambda tables: tables,
    "p_condition": lambda tables: tables.sum(-1),
    "p_pred_given_condition": lambda tables: divide(tables, tables.sum(-1, keepdims=True)),
    "p_pred": lambda tables: tables.sum(-2),
    "p_condition_given_pred": lambda tables: divide(tables, tables.sum(-2, keepdims=True)),
}
METRIC_REGISTRY: dict[str, type[Metric]] = {}
AVERAGING_REGISTRY: dict[str, type[Averaging]] = {}


@dataclass(frozen=True, slots=True)
class RootMetric:
    """The inputs of all metrics: the drawn tables, their margins and their conditional probabilities."""

    name: str

    @property
    def aliases(self) -> list[str]:
        """Its only name."""
        return [self.name]


class _Named:
    """The common parts of metrics and averages: names, dependencies, and arguments of a metric string."""

    full_name: str
    aliases: ClassVar[Sequence[str]] = ()
    dependencies: Sequence[str] = ()
    sklearn_equivalent: str | None = None
    is_shipped: ClassVar[bool] = False  # a name of howsure's that a user's metric may replace

    def __init__(self) -> None:
        self._instantiation_name = ""

    @property
    def name(self) -> str:
        """Its metric string; by default its first alias, with its arguments."""
        if getattr(self, "_instantiation_name", ""):
            return self._instantiation_name
        arguments = (f"+{name}={getattr(self, name)}" for name in inspect.signature(type(self)).parameters)
        return self.aliases[0] + "".join(arguments)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


class Metric(_Named):
    """A metric of one class at a time, or of the whole table; subclass it to define one.

    A subclass defines ``full_name``, ``is_multiclass`` (of the whole table), ``bounds``, ``dependencies``,
    ``sklearn_equivalent``, ``aliases`` and a method ``compute_metric``. The parameters of the method are the
    dependencies, each an array over draws and classes: other metrics, or ``"norm_confusion_matrix"``,
    ``"p_condition"``, ``"p_pred_given_condition"``, ``"p_pred"`` and ``"p_condition_given_pred"``.
    """

    is_multiclass: bool
    bounds: tuple[float, float]
    compute_metric: Callable[..., Any]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "compute_metric" in vars(cls):
            _check_parameters(cls, cls.compute_metric, cls.dependencies, 1)
        _register(cls, METRIC_REGISTRY)


class Averaging(_Named):
    """An average over classes; subclass it to define one.

    A subclass defines ``full_name``, ``dependencies``, ``sklearn_equivalent``, ``aliases`` and a method
    ``compute_average(metric_values, **dependencies)``, which reduces an array of draws × classes to one number per
    draw.
    """

    compute_average: Callable[..., Any]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "compute_average" in vars(cls):
            _check_parameters(cls, cls.compute_average, cls.dependencies, 2)
        _register(cls, AVERAGING_REGISTRY)


class AveragedMetric:
    """A metric of one class, averaged over the classes."""

    is_multiclass = True

    def __init__(self, metric: Metric, averaging: Averaging) -> None:
        if metric.is_multiclass:
            raise HowsureError(f"`{metric.name}` is one number for the whole table: drop '@{averaging.name}'.")
        self.base_metric, self.averaging, self._instantiation_name = metric, averaging, ""

    @property
    def name(self) -> str:
        """The metric string."""
        return self._instantiation_name or f"{self.base_metric.name}@{self.averaging.name}"

    @property
    def aliases(self) -> list[str]:
        """Every name of the metric with every name of the average."""
        return [f"{metric}@{average}" for metric in self.base_metric.aliases for average in self.averaging.aliases]

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value, those of the metric."""
        return self.base_metric.bounds

    @property
    def dependencies(self) -> tuple[str, ...]:
        """The metric's and the average's."""
        return (*self.base_metric.dependencies, *self.averaging.dependencies)

    @property
    def sklearn_equivalent(self) -> str | None:
        """The equal function of scikit-learn, with its average."""
        parts = self.base_metric.sklearn_equivalent, self.averaging.sklearn_equivalent
        return None if None in parts else f"{parts[0]} with average={parts[1]}"

    def __repr__(self) -> str:
        return f"AveragedMetric({self.name})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AveragedMetric) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


MetricLike = Metric | AveragedMetric | RootMetric


def _check_parameters(cls: type, function: Callable[..., Any], dependencies: Sequence[str], given: int) -> None:
    """Refuse a function whose parameters, after the given ones, are not its dependencies."""
    parameters = list(inspect.signature(function).parameters)[given:]
    if set(parameters) != set(dependencies):
        raise TypeError(
            f"`{function.__name__}` of {cls.__name__} takes {', '.join(parameters) or 'nothing'}, and its "
            f"`dependencies` are {', '.join(dependencies) or 'none'}. Give both the same names."
        )


def _register(cls: type[Any], registry: dict[str, type[Any]]) -> None:
    for alias in cls.aliases:
        taken = METRIC_REGISTRY.get(alias) or AVERAGING_REGISTRY.get(alias)
        if taken is not None and not taken.is_shipped:
            raise HowsureError(f"The name '{alias}' of {cls.__name__} is taken by {taken.__name__}. Take another.")
        if taken is not None:  # the old one loses all its names
            for name in [name for name, each in registry.items() if each is taken]:
                del registry[name]
    registry.update(dict.fromkeys(cls.aliases, cls))


def pooled(tables: Array) -> Array:
    """Return the sum of the 2×2 tables of each class against the rest; position 1 is the class."""
    total, hits = tables.sum((-2, -1)), np.trace(tables, axis1=-2, axis2=-1)
    missed, others = total - hits, tables.shape[-1] * total - 2 * total + hits
    cells = np.stack([others, missed, missed, hits], axis=-1) / (tables.shape[-1] * total[..., None])
    return np.asarray(cells.reshape(*tables.shape[:-2], 2, 2))


def as_values(found: object) -> Array:
    """Return values of a metric as draws × classes; one column for the whole table."""
    array = np.asarray(found, dtype=float)
    return np.asarray(array[:, None]) if array.ndim == 1 else array
