"""The `Evaluation` class: estimates of several metrics for one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, UnknownKeyError
from howsure.estimates.draws_mixin import Correlations, ToXarray, drawn
from howsure.estimates.estimate import Estimate, estimate_grid
from howsure.estimates.sentences import Style, sentences_of
from howsure.grids import Grid, Tabular
from howsure.methods.core.method import Method
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.tables.cautions import positive_doubts
from howsure.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Evaluation(Tabular, ToXarray, Mapping[str, Estimate]):
    """Estimates of several metrics for one table: a mapping of spec strings to estimates.

    The keys are the requested names. Synonyms give the same estimate: ``evaluation["recall"]`` is
    ``evaluation["sensitivity"]``.

    Parameters
    ----------
    estimates : mapping of str to Estimate
        Estimates by requested spec string, in order.
    table : Table
        The evaluated table.
    method : Method or None
        The requested method; None for the default method of each metric.
    seed : int, SeedSequence or None
        Seed of the draws, if the method draws.
    threshold : float or None
        Threshold of metrics of counts on a table of scores.
    confidence_level : float
        Confidence level of the intervals.
    without : mapping of str to ndarray of shape (K,) of bool
        Classes that an average leaves out, by metric, to match other models of a comparison; see `resolve_each`.

    Examples
    --------
    >>> import howsure as hs
    >>> evaluation = hs.evaluate(hs.from_counts([[50, 3], [5, 42]]), ["accuracy", "f1"])
    >>> list(evaluation), "f1" in evaluation, f"{evaluation['f1']:.3f}"
    (['accuracy', 'f1'], True, '0.913')
    """

    estimates: Mapping[str, Estimate]
    table: Table
    method: Method | None
    seed: Any
    threshold: float | None
    confidence_level: float = 0.95
    without: Mapping[str, Array] = field(default_factory=dict)

    def __getitem__(self, metric: str) -> Estimate:
        with suppress(TypeError, KeyError):  # lists are not hashable
            return self.estimates[metric]
        try:
            canonical = resolve(metric, self.table, threshold=self.threshold).name
        except (HowsureError, AttributeError) as error:
            raise UnknownKeyError(str(error)) from None
        for each in self.estimates.values():
            if each.metric == canonical:
                return each
        raise UnknownKeyError.unknown("metric of this evaluation", str(metric), self.estimates)

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def bound(self, metric: str) -> Metric:
        """Return a metric bound to the table, averaged over the classes of its estimate."""
        return resolve(metric, self.table, threshold=self.threshold, without=self.without.get(metric))

    @property
    def draws(self) -> Array | None:
        """The draws of all metrics: a structured array with one field per metric, one row per drawn table.

        None if the method makes no draws.
        """
        rows = {name: each.draws for name, each in self.items() if each.draws is not None}
        if not rows or len(rows) < len(self):
            return None
        joint = np.empty(len(next(iter(rows.values()))), dtype=[(name, float) for name in rows])
        for name, row in rows.items():
            joint[name] = row
        return joint

    def correlations(self) -> Correlations:
        """Return the correlations between the metrics' draws, over the draws in which all are defined.

        Raises
        ------
        HowsureError
            If the method made no draws.
        """
        return Correlations.of(self._by_name())

    def _by_name(self) -> Mapping[str, Array]:
        draws = drawn(self.draws, "" if self.method is None else self.method.name)
        return {name: draws[name] for name in self}

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per metric."""
        return [each.to_dict() for each in self.values()]

    def sentence(self, style: Style = "clinical") -> str:
        """Return the estimates as sentences; see `Estimate.sentence`."""
        return sentences_of(self.values(), style)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the fields of the estimates by metric."""
        return {name: each.to_dict() for name, each in self.items()}

    def grid(self) -> Grid:
        """Return a table of strings with metric, value, interval, standard error and method."""
        grid = estimate_grid(self.values(), self.confidence_level)
        labels, table = self.table.labels.tolist(), self.table
        found = positive_doubts(labels, table.positive, is_ordered=table.is_ordered)
        doubts = found if any(each.positive for each in self.values()) else ()
        caption = "; ".join(filter(None, (grid.caption, *doubts)))
        known = {*found, *table.design.description.caveats}
        others = (each for each in table.cautions if each not in known)
        return replace(grid, caption="\n".join(filter(None, (caption, *others))))
