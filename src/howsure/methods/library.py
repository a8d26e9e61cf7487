"""All interval methods: importing this registers them, and finds one by its name."""

from __future__ import annotations

from howsure.errors import HowsureError
from howsure.methods import (  # noqa: F401 - each registers its methods
    anytime,
    bootstrap,
    bounded_mean,
    delong,
    delta,
    dirichlet,
    fieller,
    flow,
    gap_test,
    hall,
    least_favourable,
    mann_whitney,
    mover,
    order_statistics,
    pairs,
    predictive,
    proportion,
    rater_sampling,
    stratified,
    two_samples,
)
from howsure.methods.default import default_method
from howsure.methods.interval import DrawingMethod, Interval, Method
from howsure.methods.registry import AUTOMATIC, METHODS, canonical, find
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.tables.table import Table

__all__ = ["DrawingMethod", "Interval", "Method", "named", "suitable_methods"]  # whoever derives one knows all names


def named(method: str | Method | type[Method] | None) -> Method | None:
    """Return the method that a name, a synonym or a class stands for; None for ``"auto"``.

    Parameters
    ----------
    method : str, Method or class of methods, optional
        What to use; a class means its usual settings.

    Raises
    ------
    HowsureError
        If there is no method of that name; the message has the nearest ones.
    """
    if method is None or isinstance(method, Method):
        return method
    if isinstance(method, type) and issubclass(method, Method):
        return method()
    if not isinstance(method, str):
        message = f"`method` is a method or its name, not {type(method).__name__}. `howsure methods` lists them."
        raise HowsureError(message)
    if canonical(method) == AUTOMATIC:
        return None
    entry = find(method)
    if entry is None:
        synonyms = [word for each in METHODS.values() for word in each.variant.synonyms]
        raise HowsureError.unknown("method", method, [AUTOMATIC, *METHODS, *synonyms])
    found: Method = entry.method()
    return found


def suitable_methods(table: Table, metric: str | Metric, *, threshold: float | None = None) -> list[str]:
    """Return the names of the interval methods that suit a metric of a table, the default one first.

    Parameters
    ----------
    table : Table
        From `confusion`, `from_counts`, `scores` or another source.
    metric : str or Metric
        A spec string such as ``"f1@macro"``, or a metric.
    threshold : float, optional
        For a metric of counts on a table of scores.

    Returns
    -------
    list of str
        Names, each of which `estimate` takes as its ``method``.

    Raises
    ------
    HowsureError
        If the metric is not valid.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.suitable_methods(hs.scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), "roc_auc")[:3]
    ['delong', 'delta', 'wald']
    >>> "wilson" in hs.suitable_methods(hs.from_counts([[50, 3], [5, 42]]), "mcc")
    False
    """
    table = Table.required(table, "`suitable_methods` takes a table, as `confusion` and `scores` make it.")
    bound = resolve(metric, table, threshold=threshold)
    own, same = (table, bound) if bound.smaller is None else bound.smaller(table)
    first = default_method(same, own).name
    others = [name for name, entry in METHODS.items() if name != first and not entry.method().suits(same, own)]
    return [first, *others]
