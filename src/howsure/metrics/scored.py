"""Metrics of the scores of two classes, and of values, bound to a table."""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.designs.known import KnownProbabilities
from howsure.errors import HowsureError
from howsure.metrics.forms import Proportion, Ratio, divide
from howsure.metrics.metric import Metric
from howsure.metrics.registry import MeanLoss, Scored
from howsure.metrics.spec import Spec
from howsure.native.resampling import Ranked
from howsure.tables.counts import Counts
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table


def of_scores(spec: Spec, table: ScoresTable) -> Metric:
    """Return the metric of a spec for a table of scores of two classes.

    Parameters
    ----------
    spec : Spec
        Spec of a metric of scores, without an average.
    table : ScoresTable
        The scores; metrics with bins also depend on their counts.

    Raises
    ------
    HowsureError
        If the spec has an average, or an argument is not valid.
    """
    if spec.average is not None:
        raise HowsureError(
            f"`{spec.text}`: two classes with one score per case have no average. Drop '@{spec.average}'."
        )
    built = spec.definition.function(table, **spec.arguments)
    return of_cells(spec, built, spec.definition.bounds(2, spec.arguments), _beyond_the_rows(spec, built, table))


def of_values(spec: Spec, table: Table) -> Metric:
    """Return the metric of a spec for a table whose cells are numbers, ratings or outcomes of battles.

    Parameters
    ----------
    spec : Spec
        Spec of a metric whose function takes a table.
    table : Table
        A table of that kind of evidence.

    Raises
    ------
    HowsureError
        If an argument is not valid.
    """
    built = spec.definition.form_for(table.data_kinds)(table, **spec.arguments)
    return of_cells(spec, built, built.range or spec.definition.bounds(2, spec.arguments))


def of_cells(spec: Spec, built: Scored, bounds: tuple[float, float], beyond: float = 0.0) -> Metric:
    """Return the metric of a function of the cells; ``beyond`` is added, the exact value minus that of the rows."""
    is_of_rows = beyond != 0 and isinstance(built.structure, Ranked | MeanLoss)
    return Metric(
        name=spec.text,
        counts_class=Counts,
        value=lambda counts: built.value(counts.cells) + beyond,
        gradient=lambda counts: built.gradient(np.asarray(counts.cells, dtype=float)),
        range=bounds,
        better=spec.definition.better,
        spec=spec,
        structure=None if is_of_rows else built.structure,
        population=None if built.population is None else of_cells(spec, built.population, bounds, beyond),
        takes_batches=built.takes_batches,
    )


def marked_share(marks: Array, *, as_ratio: bool = True) -> Scored:
    """Return the proportion of cases in marked cells.

    Parameters
    ----------
    marks : ndarray of bool of shape (*cells,)
        Whether the cases of each cell belong to the proportion.
    as_ratio : bool
        Whether the metric has its ratio as structure; never if all cells are marked, since the proportion is then 1.
    """
    places = "abcd"[: marks.ndim]
    sums, every = f"...{places},{places}->...", (..., *(None for _ in marks.shape))
    axes = tuple(range(-marks.ndim, 0))

    def value(cells: Array) -> Array:
        return divide(np.einsum(sums, cells, marks), cells.sum(axes))

    def slopes(cells: Array) -> Array:
        return divide(marks - value(cells)[every], cells.sum(axes)[every])

    if not as_ratio or marks.all():
        return Scored(value, slopes)
    whole = np.ones(marks.shape)
    share = Proportion(marks, whole > 0, (1.0, 1.0), (0.0, 1.0))
    return Scored(value, slopes, structure=Ratio(marks.astype(float), whole, share=share))


def _beyond_the_rows(spec: Spec, built: Scored, table: ScoresTable) -> float:
    """Return the exact value minus that of the rows, for a table whose rows represent a known distribution."""
    known = KnownProbabilities.of(table.design).known_metric_values
    if spec.arguments or spec.definition.name not in known:
        return 0.0
    return float(known[spec.definition.name] - float(built.value(table.counts)))
