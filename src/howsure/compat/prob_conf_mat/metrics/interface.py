"""Parsing of metric strings, and evaluation of metrics on drawn tables."""

from __future__ import annotations

import ast
from typing import Any

from howsure.arrays import Array
from howsure.compat.prob_conf_mat.metrics.abc import (
    AVERAGING_REGISTRY,
    METRIC_REGISTRY,
    ROOTS,
    AveragedMetric,
    MetricLike,
    RootMetric,
    as_values,
    pooled,
)
from howsure.compat.prob_conf_mat.metrics.shipped import Micro, averaged
from howsure.errors import HowsureError, one_of
from howsure.metrics.registry import REGISTRY


def get_metric(syntax_string: str) -> MetricLike:
    """Return the metric of a string such as ``"f1"``, ``"fbeta+beta=2@macro"`` or ``"p_condition"``.

    Raises
    ------
    HowsureError
        If a name is unknown, an argument has no value, or a metric of the whole table is averaged.
    """
    if syntax_string in ROOTS:
        return RootMetric(syntax_string)
    head, *tails = syntax_string.split("@")
    if len(tails) > 1:
        raise HowsureError(f"'{syntax_string}' names more than one average: write one '@'.")
    name, arguments = _split(head)
    definition = REGISTRY.find(name)
    found = METRIC_REGISTRY.get(name) or METRIC_REGISTRY.get(definition.name if definition else "")
    if found is None:
        raise HowsureError.unknown("metric", name, METRIC_REGISTRY)
    metric = found(**arguments)
    metric._instantiation_name = head  # noqa: SLF001 - set here as by the base
    if not tails:
        return metric
    word, arguments = _split(tails[0])
    one_of("average", word, AVERAGING_REGISTRY)
    result = AveragedMetric(metric, AVERAGING_REGISTRY[word](**arguments))
    result._instantiation_name = syntax_string  # noqa: SLF001 - as above
    return result


def _split(text: str) -> tuple[str, dict[str, Any]]:
    name, *pairs = (part.strip() for part in text.split("+"))
    for pair in pairs:
        if "=" not in pair:
            raise HowsureError(f"'{pair}' in '{text}' has no value: write '+argument=value'.")
    return name, _parse_kwargs(dict(pair.split("=", 1) for pair in pairs))


def _parse_kwargs(kwargs: dict[str, str]) -> dict[str, Any]:
    """Return the parsed values of texts (numbers, None, True, lists); other texts unchanged."""
    return {name: _literal(text) for name, text in kwargs.items()}


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


class Values:
    """Values of metrics on drawn tables; shared intermediate values are computed once."""

    def __init__(self, tables: Array) -> None:
        self._tables = tables
        self._known: dict[MetricLike, Array] = {}

    def __getitem__(self, metric: MetricLike) -> Array:
        if metric not in self._known:
            self._known[metric] = self._computed(metric)
        return self._known[metric]

    def _computed(self, metric: MetricLike) -> Array:
        if isinstance(metric, RootMetric):
            return ROOTS[metric.name](self._tables)
        if not isinstance(metric, AveragedMetric):
            return as_values(metric.compute_metric(**self._of(metric.dependencies)))
        found = averaged(metric, self._tables)
        if found is None and isinstance(metric.averaging, Micro):
            found = Values(pooled(self._tables))[metric.base_metric][:, 1]
        if found is None:
            needed = self._of(metric.averaging.dependencies)
            found = metric.averaging.compute_average(self[metric.base_metric], **needed)
        return as_values(found)

    def _of(self, dependencies: Any) -> dict[str, Array]:
        return {name: self[get_metric(name)] for name in dependencies}
