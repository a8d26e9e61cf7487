"""Plot of intervals while data accumulate: valid at every look, and at a single look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate
from operator import add
from typing import Any

from matplotlib.axes import Axes

from howsure.comparison.stopping import looked
from howsure.errors import HowsureError
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.metrics.descriptions import metric_words
from howsure.numbers import percent
from howsure.plots.style import BAND, axes, colour, dashes, ink, legend_above, plain
from howsure.tables.table import Table, require_table

NEEDED = "There is no batch to draw: `plots.looks` takes tables in their order, such as `confusion(…, by=week)`."


def looks(
    batches: Mapping[Any, Table] | Iterable[Table],
    metric: str,
    *,
    method: MethodName | Method = "anytime",
    confidence_level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric of all cases so far at each look, with an interval valid at all looks and one for a single look.

    Parameters
    ----------
    batches : Tables, mapping of names to Table, or iterable of Table
        Batches in order, which are added up. For two models on the same cases, the difference is drawn.
    metric : str
        Spec string.
    method : str or Method
        Method whose intervals cover at all looks simultaneously.
    confidence_level : float
        Confidence level, between 0 and 1.
    ax : matplotlib Axes, optional
        Axes to draw on; by default new axes.

    Returns
    -------
    matplotlib Axes
        The axes.

    Raises
    ------
    HowsureError
        If there is no batch, or the batches cannot be added up.

    Examples
    --------
    >>> import howsure as hs
    >>> days = hs.confusion([1, 0] * 100, [1, 0, 1, 1] * 50, by=[case // 50 for case in range(200)])
    >>> ax = hs.plots.looks(days, "accuracy")
    >>> ax.get_xlabel()
    'cases so far'
    """
    given = batches.values() if isinstance(batches, Mapping) else batches if isinstance(batches, Iterable) else ()
    so_far = list(accumulate((require_table(Table, each, NEEDED) for each in given), add))
    if not so_far:
        raise HowsureError(NEEDED)
    settings = {"every look": method, "a single look": None}
    answers = {
        words: [looked(table, metric, method=chosen, confidence_level=confidence_level) for table in so_far]
        for words, chosen in settings.items()
    }
    ax, cases = axes(ax), [table.rows for table in so_far]
    for index, (words, found) in enumerate(answers.items()):
        label = f"{percent(confidence_level)} interval for {words} ({found[-1].method})"
        low, high = ([getattr(each, end) for each in found] for end in ("low", "high"))
        ax.fill_between(cases, low, high, color=colour(index), alpha=BAND, label=plain(label))
        for limit in (low, high):
            ax.plot(cases, limit, dashes(index), color=colour(index), linewidth=1.2)
    ax.plot(cases, [float(each.value) for each in found], color=ink(), linewidth=1.5)
    ax.set_xlabel(f"{so_far[-1].kind.rows_noun} so far")
    words = metric_words(found[-1].label)
    ax.set_ylabel(f"difference in {words}" if hasattr(found[-1], "names") else words)
    legend_above(ax)
    return ax
