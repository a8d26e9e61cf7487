"""All interval methods: importing this module registers them. `registry.find` imports it for unknown names."""

from __future__ import annotations

from howsure.methods.areas import delong, delong_score, mann_whitney
from howsure.methods.composed import anytime, extremes, mover
from howsure.methods.core.interval import Interval
from howsure.methods.core.method import DrawingMethod, Method
from howsure.methods.core.registry import METHODS
from howsure.methods.default import default_method
from howsure.methods.drawn import bootstrap, dirichlet, predictive
from howsure.methods.flow import flow, least_favourable
from howsure.methods.means import bounded_mean, empirical_likelihood_score, hall, order_statistics
from howsure.methods.proportions import (
    independent_proportions,
    paired_proportions,
    proportion,
    stratified,
    threshold_limits,
)
from howsure.methods.variance import delta, effective_wilson, fieller, gap_test, rater_sampling, tpr_fpr_functions
from howsure.metrics.binding import resolve, smallest
from howsure.metrics.metric import Metric
from howsure.tables.table import Table, require_table

__all__ = ["METHODS", "DrawingMethod", "Interval", "Method", "suitable_methods"]

# In the order in which they are listed: of shares, of any metric, of areas, pairs, values, and of particular evidence.
MODULES = (
    *(proportion, delta, flow, mover, tpr_fpr_functions, extremes, fieller, least_favourable, bootstrap, dirichlet),
    *(delong_score, delong, mann_whitney, effective_wilson, threshold_limits, paired_proportions),
    *(independent_proportions, empirical_likelihood_score, hall, bounded_mean, order_statistics),
    *(gap_test, predictive, stratified, rater_sampling, anytime),
)


_places = {module.__name__: place for place, module in enumerate(MODULES)}
_in_order = sorted(METHODS.items(), key=lambda item: _places.get(item[1].kind.__module__, len(MODULES)))
METHODS.clear()
METHODS.update(_in_order)  # whichever was needed first


def suitable_methods(table: Table, metric: str | Metric, *, threshold: float | None = None) -> list[str]:
    """Return the names of the methods that are applicable to a metric of a table, the default one first.

    Parameters
    ----------
    table : Table
        A table from `confusion`, `from_counts`, `scores` or another source.
    metric : str or Metric
        A spec string such as ``"f1@macro"``, or a metric.
    threshold : float, optional
        Decision threshold, for a metric of counts on a table of scores.

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
    ['delong_score', 'delta', 'wald']
    >>> "wilson" in hs.suitable_methods(hs.from_counts([[50, 3], [5, 42]]), "mcc")
    False
    """
    table = require_table(Table, table, "`suitable_methods` takes a table, as `confusion` and `scores` make it.")
    bound = resolve(metric, table, threshold=threshold)
    own, same = smallest(*((table, bound) if bound.reduced_to is None else bound.reduced_to(table)))
    first = default_method(same, own).name
    others = [
        name
        for name, entry in list(METHODS.items())
        if name != first and not entry.method().unsupported_reason(same, own)
    ]
    return [first, *others]
