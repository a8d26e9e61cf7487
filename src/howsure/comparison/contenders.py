"""Models to be ranked: the table and metric of each, and the covariance of their estimates.

Models of one joint table are correlated through its cases. Models of separate tables are correlated if their tables
have clusters of the same name, such as the items of a benchmark; a model may then lack some of the items. The
covariance follows from each model's gradient, so no pair needs its own comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import combinations_with_replacement
from typing import Any, ParamSpec, Protocol, TypeVar, cast, runtime_checkable

import numpy as np

from howsure.arrays import Array
from howsure.comparison.rank_sets import Estimated
from howsure.designs.base import Design, active_cells, safe_divide
from howsure.designs.clustering import Clustering, NamedUnits
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import HowsureError, refuse_results
from howsure.estimates.grouped import AppliedByGroup
from howsure.grids import Tabular
from howsure.methods.core.standard_errors import is_positive_error
from howsure.metrics.binding import resolve_each
from howsure.metrics.metric import Metric, Side
from howsure.sources.pooled_models import names_models
from howsure.tables.joint import JointTable
from howsure.tables.protocols import effective_sample_size, incompatibility
from howsure.tables.table import Table, require_table, with_pseudo_counts
from howsure.tables.variances import small_sample_correction

P = ParamSpec("P")
T = TypeVar("T", bound=Tabular)
UNITS = 2**14  # whose contributions to all linear forms are multiplied at once
GIVE = (
    "Give a paired table of several models, or the tables of at least two by name: {'A': table_a, 'B': table_b}. Of "
    "published counts make them by `proportions({'A': 42, 'B': 39}, 50)`."
)


@runtime_checkable
class HasModels(Protocol):
    """An object that provides the tables of its models, such as a log."""

    def contenders(self) -> Table | Mapping[str, Table]:
        """Return a paired table, or the table of each model by name."""


@dataclass(frozen=True, eq=False)
class Contenders:
    """Models with their tables, metrics, estimates and covariance.

    Parameters
    ----------
    tables : dict of str to Table
        The table of each model.
    metrics : tuple of Metric
        The metric of each model.
    values : ndarray of shape (P,)
        The estimates.
    covariance, cases, freedom : ndarray of shape (P, P)
        See `Estimated`.
    """

    tables: dict[str, Table]
    metrics: tuple[Metric, ...]
    values: Array
    covariance: Array
    cases: Array
    degrees_of_freedom: Array

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return tuple(self.tables)

    def estimated(self, chosen: Array, sign: float) -> Estimated:
        """Return the estimates of some models, higher being better."""
        pairs = np.ix_(chosen, chosen)
        return Estimated(
            sign * self.values[chosen], self.covariance[pairs], self.cases[pairs], self.degrees_of_freedom[pairs]
        )


class OtherCases(dict[str, Table]):
    """Tables of groups whose cases are others, because no column of the groups names models."""


def groups_are_models(function: AppliedByGroup[P, T]) -> AppliedByGroup[P, T]:
    """Decorate a function so that tables of groups with one model each are taken as models by name, not as groups.

    Parameters
    ----------
    function : callable
        A function with the table as its first argument.
    """

    @wraps(function)
    def taken(table: Any, *args: P.args, **settings: P.kwargs) -> Any:
        if hasattr(table, "group") and not issubclass(type(table.overall), JointTable | HasModels):
            groups = {", ".join(map(str, table.group(key).values())): each for key, each in table.items()}
            table = groups if any(map(names_models, table.columns)) else OtherCases(groups)
        return function(table, *args, **settings)

    return cast("AppliedByGroup[P, T]", taken)


def contenders(counts_or_table: object, metric: Any) -> Contenders:
    """Return the models of a joint table, of separate tables by name, or of a log.

    Raises
    ------
    HowsureError
        If there are fewer than two models, or they are of different kinds.
    """
    found = counts_or_table.contenders() if isinstance(counts_or_table, HasModels) else counts_or_table
    if isinstance(found, Mapping):
        named = {str(name): each for name, each in found.items()}
        if len(named) < len(found):
            raise HowsureError(
                f"Two models have one name as text: {', '.join(map(repr, found))}. Give each a name of its own."
            )
        return _of_separate(named, metric)
    refuse_results(found, "leaderboard", "tables of models")
    joint = require_table(JointTable, found, GIVE)
    tables = {name: joint.model(name) for name in joint.models}
    bound = resolve_each(metric, list(tables.values()))
    sides = [Side(name, each, joint.view(name)) for name, each in zip(tables, bound, strict=True)]
    of_each = zip(sides, tables.values(), strict=True)
    with np.errstate(all="ignore"):
        values = np.array([float(one(own.counted)) for one, own in zip(bound, tables.values(), strict=True)])
        pulled = (side.view.pulled_back(side.metric.gradient(own.counted), joint.cells.size) for side, own in of_each)
        gradients = finite_gradients(pulled, len(sides), joint)
    covariance, degrees_of_freedom = _covariance_for_intervals(joint, gradients)
    n_effective = _cases(joint, [each.as_metric() for each in sides])
    return Contenders(
        tables,
        tuple(bound),
        values,
        _seen(covariance, values),
        np.minimum(n_effective[:, None], n_effective),
        degrees_of_freedom,
    )


def _of_separate(tables: dict[str, Table], metric: Any) -> Contenders:
    listed = [require_table(Table, each, GIVE) for each in tables.values()]
    if len(listed) < 2:
        raise HowsureError(GIVE)
    for each in listed[1:]:
        if refusal := incompatibility(listed[0], each):
            raise HowsureError(refusal)
    metrics = resolve_each(metric, listed)
    with np.errstate(all="ignore"):
        values = np.array([float(one(own.counted)) for one, own in zip(metrics, listed, strict=True)])
        gradients = [
            finite_gradients([one.gradient(own.counted)], 1, own)[0] for one, own in zip(metrics, listed, strict=True)
        ]
    n_effective = np.concatenate([_cases(own, [one]) for one, own in zip(metrics, listed, strict=True)])
    own = np.array([float(each.variance(slopes)) for each, slopes in zip(listed, gradients, strict=True)])
    covariance, cases = np.diag(own), n_effective[:, None] + n_effective
    degrees_of_freedom = np.full(covariance.shape, np.inf)
    units = [Clustering.of(each.design).named_units for each in listed]
    if known := [place for place, each in enumerate(units) if each]:
        pairs = np.ix_(known, known)
        by_kind, together = covariances_by_unit(
            [(units[place], listed[place].cells, gradients[place]) for place in known]
        )
        covariance[pairs] = sum(by_kind)
        covariance[known, known] = own[known]
        cases[pairs] = np.where(together, np.minimum(n_effective[:, None], n_effective)[pairs], cases[pairs])
        if not any(listed[place].design.traits.has_one_unit for place in known):
            covariance[pairs], degrees_of_freedom[pairs] = _of_several_kinds(
                [listed[place] for place in known], by_kind
            )
    return Contenders(tables, tuple(metrics), values, _seen(covariance, values), cases, degrees_of_freedom)


def _covariance_for_intervals(table: Table, gradients: Array) -> tuple[Array, Array]:
    """Return the covariance of linear forms in one table, and the degrees of freedom of each difference.

    Both allow for few levels of crossed factors. With one kind of unit the degrees of freedom are infinite, and the
    variance under equality allows for few units.
    """
    size = len(gradients)
    if table.design.traits.has_one_unit:
        return covariance_within(table, gradients), np.full((size, size), np.inf)
    variance, degrees_of_freedom = np.zeros((2, size, size))
    for i, j in zip(*np.triu_indices(size), strict=True):
        form = gradients[i] - gradients[j] * (i != j)
        factor, degrees = small_sample_correction(table, form)
        variance[[i, j], [j, i]] = float(factor * table.variance(form))
        degrees_of_freedom[[i, j], [j, i]] = float(degrees)
    return _polarised(variance), degrees_of_freedom


def _of_several_kinds(tables: Sequence[Table], by_kind: Array) -> tuple[Array, Array]:
    """Return the covariance of separate tables with crossed factors, and the degrees of freedom of each difference.

    Parameters
    ----------
    tables : sequence of Table
        The tables.
    by_kind : ndarray of shape (K, P, P)
        Covariance due to each kind of unit, with its sign.
    """
    variance, degrees_of_freedom = np.zeros((2, *by_kind.shape[1:]))
    for i, j in combinations_with_replacement(range(len(tables)), 2):
        apart = by_kind[:, i, i] + (by_kind[:, j, j] - 2 * by_kind[:, i, j]) * (i != j)
        found = Clustering.of(tables[i].design).combined_variance(tables[i].cells, np.abs(apart))
        variance[[i, j], [j, i]], degrees_of_freedom[[i, j], [j, i]] = map(float, found)
    return _polarised(variance), degrees_of_freedom


def _polarised(variance: Array) -> Array:
    """Return the covariance of models, from their variances (diagonal) and those of their differences (elsewhere)."""
    own = np.diag(variance)
    return np.where(np.eye(len(own), dtype=bool), variance, (own[:, None] + own - variance) / 2)


def covariances_by_unit(parts: Sequence[tuple[tuple[NamedUnits, ...], Array, Array]]) -> tuple[Array, Array]:
    """Return the covariance of linear forms due to each kind of units, with its sign, and which tables share units.

    Parameters
    ----------
    parts : sequence of tuple
        Named units, cells and gradient of each table.

    Returns
    -------
    covariances : ndarray of shape (K, P, P)
        They add up to the covariance of the linear forms.
    together : ndarray of shape (P, P)
        Whether two tables have units of one kind and name.
    """
    kinds = dict.fromkeys(each.kind for units, *_ in parts for each in units)
    covariances, together = np.zeros((len(kinds), len(parts), len(parts))), np.zeros((len(parts), len(parts)))
    for covariance, kind in zip(covariances, kinds, strict=True):
        own = [(row, each) for row, (units, *_) in enumerate(parts) for each in units if each.kind == kind]
        place = {name: at for at, name in enumerate(dict.fromkeys(name for _, each in own for name in each.names))}
        found, variances = np.zeros((len(parts), len(place))), np.zeros(len(parts))
        for row, each in own:
            variances[row] = each.design.variance(*parts[row][1:])
            influences = VarianceDetails.of(each.design).influence_functions(*parts[row][1:])
            assert influences is not None  # noqa: S101 - what has named units has their influences
            found[row, [place[name] for name in each.names]] = influences[0]
        covariance[:] = own[0][1].sign * _scaled(found @ found.T, variances)
        together += (found != 0) * 1.0 @ (found != 0).T
    return covariances, together > 0


def finite_gradients(gradients: Iterable[Array], number: int, table: Table) -> Array:
    """Return a number of gradients by flat cells, with 0 in place of undefined ones."""
    found = np.empty((number, table.cells.shape[-1]))
    for row, each in zip(found, gradients, strict=True):
        row[:] = np.ravel(each)
        row[~np.isfinite(row)] = 0.0
    return found


def covariance_within(table: Table, gradients: Array) -> Array:
    """Return the covariance of linear forms in one table's counts."""
    return covariance_of_forms(table.design, table.cells, gradients, table.variance)


def covariance_of_forms(
    design: Design, counts: Array, forms: Array | Sequence[Array], variance: Callable[[Array], Array]
) -> Array:
    """Return the covariance of linear forms in counts: by the units' contributions, or by polarisation without units.

    Parameters
    ----------
    design : Design
        The design of the counts.
    counts : ndarray of shape (cells,)
        The counts.
    forms : ndarray of shape (F, cells) or sequence of ndarray
        Coefficients of the forms.
    variance : callable
        Coefficients → the variance of their form.
    """
    own = np.array([float(variance(each)) for each in forms])
    size, many, influences = len(forms), counts, []
    for form in forms:
        found = VarianceDetails.of(design).influence_functions(counts, form)
        if found is None:
            break
        influences.append(found[0])
        many = found[1]
    if len(influences) < size:
        apart = np.diag(own)
        for i, j in zip(*np.triu_indices(size, 1), strict=True):
            apart[i, j] = apart[j, i] = float(variance(forms[int(i)] - forms[int(j)]))
        return _polarised(apart)
    plain = np.zeros((size, size))
    for start in range(0, len(many), UNITS):
        part = slice(start, start + UNITS)
        units = np.stack([each[part] for each in influences])
        plain += (units * many[part]) @ units.T
    return _scaled(plain, own)


def _scaled(plain: Array, variances: Array) -> Array:
    """Return sums of products, with the design's variances, which may correct for few units, on the diagonal."""
    factor = np.sqrt(safe_divide(variances, np.diag(plain)))
    return np.asarray(plain * factor[:, None] * factor)


def _seen(covariance: Array, values: Array) -> Array:
    """Return the covariance, with 0 for estimates whose variance is only rounding error."""
    own = np.diag(covariance)
    seen = is_positive_error(np.sqrt(np.maximum(own, 0.0)), values) | ~np.isfinite(own)
    return np.where(seen[:, None] & seen, covariance, 0.0)


def _cases(table: Table, metrics: list[Metric]) -> Array:
    """Return the number of independent cases on which each metric depends, such as the positive ones for recall."""
    cells = table.cells
    if (
        table.kind.has_values
        or not table.kind.has_one_cell_per_case
        or not table.design.traits.has_binomial_proportions
    ):
        selected = np.ones((1, cells.shape[-1]))
    else:
        filled = with_pseudo_counts(table).counted
        with np.errstate(all="ignore"):
            slopes = finite_gradients((each.gradient(filled) for each in metrics), len(metrics), table)
        selected = active_cells(np.ones(slopes.shape), slopes)
    n_effective = np.array([float(effective_sample_size(table, each)) for each in selected])
    return np.broadcast_to(
        np.where(np.isfinite(n_effective) & (n_effective > 0), n_effective, np.inf), len(metrics)
    ).copy()
