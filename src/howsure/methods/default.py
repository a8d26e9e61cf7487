"""The method that suits a metric of a table: the first that does, in one ordered list."""

from __future__ import annotations

from collections.abc import Callable

from howsure.errors import HowsureError
from howsure.methods.delong import DeLong, is_area
from howsure.methods.delta import Delta
from howsure.methods.fieller import Fieller
from howsure.methods.interval import Method
from howsure.methods.mover import Mover
from howsure.methods.pairs import Tango
from howsure.methods.predictive import Predictive, is_predictable
from howsure.methods.proportion import Wilson
from howsure.methods.registry import METHODS
from howsure.metrics.metric import Metric
from howsure.tables.table import Table


def _always(metric: Metric, table: Table) -> bool:  # noqa: ARG001 - as of every condition
    return True


def _is_no_ratio(metric: Metric, table: Table) -> bool:  # noqa: ARG001 - as of every condition
    return metric.contrast is None or metric.contrast.effect.name == "difference"


def _is_one_table_or_separate(metric: Metric, table: Table) -> bool:
    if metric.contrast is None:
        return True
    return len(table.design.test_sets) > 1 and not is_area(metric.contrast.first.metric)


def _is_estimated(metric: Metric, table: Table) -> bool:  # noqa: ARG001 - as of every condition
    return table.design.has_labels and not table.design.has_trials


def _is_predictable(metric: Metric, table: Table) -> bool:
    return metric.contrast is None and is_predictable(table)


PREFERENCE: tuple[tuple[Method, Callable[[Metric, Table], bool]], ...] = (
    (Tango(), _always),
    (DeLong(), _is_no_ratio),
    (Predictive(), _is_predictable),
    (Wilson(), _always),
    (Mover(), _is_one_table_or_separate),
    (Fieller(), _is_estimated),
    (Delta(), _always),
)


def default_method(metric: Metric, table: Table) -> Method:
    """Return the method that suits a metric best: the design's own, or the first that suits in order of preference.

    Parameters
    ----------
    metric : Metric
        The metric, bound to the table.
    table : Table
        One table, or a batch.
    """
    own = table.design.method
    if own and metric.contrast is None:
        method: Method = METHODS[own].method()
        return method
    return next(
        method for method, preferred in PREFERENCE if preferred(metric, table) and not method.suits(metric, table)
    )


def checked(method: Method | None, metric: Metric, table: Table) -> Method:
    """Return a method that suits a metric of a table: the one that is given, or the default one for None.

    Parameters
    ----------
    method : Method, optional
        The method that was asked for.
    metric : Metric
        The metric, bound to the table.
    table : Table
        One table, or a batch.

    Raises
    ------
    HowsureError
        If the method does not suit; the message says what to use instead.
    """
    if method is None:
        return default_method(metric, table)
    if refusal := method.suits(metric, table):
        raise HowsureError(refusal)
    return method
