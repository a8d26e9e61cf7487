"""`gaps`: all differences of metrics between groups, with simultaneous intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, checked_level, looked_up
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate
from howsure.estimates.grouped import Results
from howsure.groups.criteria import CRITERIA, criterion_near
from howsure.groups.measured import Measured
from howsure.groups.pairs import PairGaps
from howsure.groups.partial_pooling import FEWEST, shrunken
from howsure.groups.result import ALL_CASES, Gaps
from howsure.groups.simultaneous import Contrasts, contrasts, level_at, stepdown
from howsure.methods.core.draws import child_seed, seed_sequence
from howsure.methods.core.lookup import named
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.methods.core.standard_errors import normal_quantile
from howsure.metrics.binding import listed_metrics, of_counts, requested, threshold_for
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec, named as definition_named
from howsure.names import canonical
from howsure.tables.addition import add_tables
from howsure.tables.batch import Tables
from howsure.tables.labels import refuse_disjoint
from howsure.tables.table import Table

STREAM = 0x6A95  # of the deviations, among the children of a seed
FEW = 20  # groups that may have one case each
POOLING = "partial_pooling"
CALLS = (
    "`gaps` compares groups. Give tables made with `by=`, `hs.gaps(hs.confusion(y_true, y_pred, by=group), 'recall')`, "
    "or tables by name."
)


def gaps(
    table: Tables[Any] | Mapping[str, Table],
    metrics: str | Metric | Sequence[str | Metric],
    *,
    reference: Any = None,
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    threshold: float | None = None,
    random_state: Any = None,
) -> Gaps | Results[Gaps]:
    r"""Compare metrics between groups, with intervals and p-values that allow for the number of comparisons.

    Parameters
    ----------
    table : Tables or mapping of str to Table
        Tables made with ``by=``, also by several columns, whose combinations are then the groups; or tables by name.
        Groups are independent, except for clusters of the same name.
    metrics : str, Metric or sequence of them
        Metrics, or one of the criteria ``"demographic_parity"`` (selection rate), ``"equal_opportunity"`` (recall),
        ``"equalized_odds"`` (recall and false positive rate), ``"predictive_equality"`` (false positive rate) and
        ``"predictive_parity"`` (precision). All intervals cover simultaneously over all metrics.
    reference : group, optional
        Compare each group with this one only, which needs fewer comparisons.
    method : str or Method, optional
        Method of each group's interval; by default the default method of the metric.
    confidence_level : float
        Probability that all intervals of one kind cover: of the groups, of the differences, of the differences to all
        cases.
    threshold : float, optional
        For metrics of counts on tables of scores: cases with at least this score are predicted positive.
    random_state : int, Generator or SeedSequence, optional
        Seed of the draws of normal errors.

    Returns
    -------
    Gaps
        For tables of several models a `Results` by model.

    Raises
    ------
    HowsureError
        If there are fewer than two groups, there is no such group, or a metric, the method or the level is not valid.

    Notes
    -----
    The limits of a difference follow from the limits of the two groups (MOVER), at a half-width of z standard errors.
    z is the quantile of the largest absolute standardized difference of all pairs and metrics: of 20,000 draws of
    normal errors with the correlation of the estimates. Groups are independent; metrics of one group are correlated
    through its cases, groups through clusters of the same name. P-values follow from the same draws, stepdown: a pair
    is compared with the largest of the pairs that are less significant.

    The largest difference is max − min. Its interval is the set of its values within the simultaneous intervals, so it
    starts at 0 unless some pair differs. For the shrunken estimates see `howsure.groups.partial_pooling.shrunken`.

    References
    ----------
    Zou, Donner (2008), Statistics in Medicine 27:1693–1702; Romano, Wolf (2005), Econometrica 73:1237–1282; Hothorn,
    Bretz, Westfall (2008), Biometrical Journal 50:346–363.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> y_true, group = rng.integers(0, 2, 900), rng.choice(["a", "b", "c"], 900)
    >>> y_pred = np.where(rng.random(900) < np.where(group == "c", 0.7, 0.9), y_true, 1 - y_true)
    >>> found = hs.gaps(hs.confusion(y_true, y_pred, by=group), "equal_opportunity", random_state=0)
    >>> found.difference().low > 0, found.may_be_worst()
    (True, ('c',))
    """
    level, chosen, seed = checked_level(confidence_level), named(method), seed_sequence(random_state)
    criterion = metrics if isinstance(metrics, str) and metrics in CRITERIA else ""
    asked = _expanded(metrics)
    tables = _at(_tables(table), threshold, asked)
    if hasattr(tables.overall, "models"):
        models = {name: tables.mapped(lambda each, name=name: each.model(name)) for name in tables.overall.models}
    else:
        models = {"": tables}
    found = {}
    for name, own in models.items():
        measured = Measured.of(own, asked, chosen, seed)
        found[name] = _gaps(measured, _position(reference, own), level, seed, criterion)
    return found[""] if "" in found else Results(results=found, column="model")


def _expanded(metrics: object) -> list[Spec | Metric]:
    """Return the metrics, with those of a criterion in its place, each once."""
    listed = listed_metrics(metrics)
    for one in (each for each in listed if isinstance(each, str)):
        base = one.removesuffix("_difference").removesuffix("_ratio")
        if base in CRITERIA and base != one:
            raise HowsureError(f"`gaps` returns differences and ratios: write '{base}' instead of '{one}'.")
        if one not in CRITERIA and definition_named(one) is None and (meant := criterion_near(canonical(one))):
            raise HowsureError(
                f"There is no metric '{one}'. Did you mean {meant!r}? The criteria are {', '.join(CRITERIA)}.",
                "unknown-metric",
            )
    names = [each for one in listed for each in (CRITERIA.get(one, (one,)) if isinstance(one, str) else (one,))]
    return list({each if isinstance(each, str) else id(each): requested(each) for each in names}.values())


def _tables(counts_or_table: Any) -> Tables[Any]:
    """Return the tables of groups."""
    if isinstance(counts_or_table, Mapping) and not hasattr(counts_or_table, "overall"):
        named = {str(name): each for name, each in counts_or_table.items()}
        if not named or not all(hasattr(each, "batch") and not each.batch for each in named.values()):
            raise HowsureError(CALLS)
        refuse_disjoint(named)
        first, *rest = named.values()
        counts_or_table = Tables(tuple(named), list(named.values()), add_tables(first, rest) if rest else first)
    if not hasattr(getattr(counts_or_table, "overall", None), "batch"):
        raise HowsureError(CALLS)
    tables: Tables[Any] = counts_or_table
    if len(counts_or_table) < 2:
        raise HowsureError(
            f"There {'is one group' if len(counts_or_table) else 'are no groups'}. Gaps need at least two."
        )
    if len(counts_or_table) > FEW and tables.overall.rows < 2 * len(counts_or_table):
        raise HowsureError(
            f"There are {len(counts_or_table):,} groups of {tables.overall.rows:,} cases: numbers or identifiers, it "
            "seems. Group by a column of few values, such as intervals of the numbers."
        )
    return tables


def _at(tables: Tables[Any], threshold: float | None, metrics: list[Spec | Metric]) -> Tables[Any]:
    if threshold is None:
        return tables
    if not all(map(of_counts, metrics)):
        raise HowsureError("`threshold` is for metrics of counts, and not all of these are: call `gaps` for each kind.")
    if not hasattr(tables.overall, "at"):
        raise HowsureError("`threshold` is for tables of scores: drop it.")
    for each in metrics:
        threshold_for(each, threshold)
    return tables.mapped(lambda each: each.at(threshold))


def _position(reference: Any, tables: Tables[Any]) -> int | None:
    if reference is None:
        return None
    if reference in tables:
        return list(tables).index(reference)
    by_text = {", ".join(map(str, tables.group(key).values())): place for place, key in enumerate(tables)}
    return looked_up("group", str(reference), by_text)


def _gaps(
    measured: Measured, reference: int | None, level: float, seed: np.random.SeedSequence, criterion: str
) -> Gaps:
    names, size = measured.names, len(measured.names)
    rows = range(len(measured.metrics))
    draws = measured.estimated.deviations(np.random.default_rng(child_seed(seed, STREAM)))
    if reference is None:
        first, second = np.triu_indices(size, 1)
    else:
        first = np.delete(np.arange(size), reference)
        second = np.full(size - 1, reference)
    stride = size + 1
    every = [np.concatenate([stride * row + each for row in rows]) for each in (first, second)]
    to_all = [
        np.concatenate([stride * row + np.arange(size) for row in rows]),
        np.concatenate([np.full(size, stride * row + size) for row in rows]),
    ]
    found = [contrasts(measured.estimated, pair[0], pair[1], level, draws) for pair in (every, to_all)]
    own = to_all[0]
    normal = np.where(measured.estimated.is_known[own], 1.0, np.nan)
    _, critical = stepdown(normal, lambda each: np.abs(draws[own[each]]), draws.shape[1], level)
    groups = _by_group(measured, normal_quantile(level) if np.isnan(critical) else critical, level)
    errors = {
        metric: dict(zip(names, measured.estimated.errors[stride * row :][:size].tolist(), strict=True))
        for row, metric in enumerate(measured.metrics)
    }
    return Gaps(
        by_group=groups,
        overall=Results(
            results={
                metric: estimate(
                    measured.tables[size],
                    measured.bound[row][size],
                    method=measured.method,
                    confidence_level=level,
                    random_state=measured.seed,
                )
                for row, metric in enumerate(measured.metrics)
            },
            column="metric",
        ),
        differences=_pairs(measured, groups, every, found[0], level),
        to_overall=_pairs(measured, groups, to_all, found[1], level),
        shrunken=_shrunken(measured, groups, level),
        better={metric: measured.bound[row][0].better for row, metric in enumerate(measured.metrics)},
        cases={name: int(each.rows) for name, each in zip(names, measured.tables, strict=False)},
        errors=errors,
        criterion=criterion,
        reference="" if reference is None else names[reference],
        confidence_level=level,
    )


def _by_group(measured: Measured, critical: float, level: float) -> Results[Results[Estimate]]:
    """Return the estimate of each metric and group, with simultaneous limits."""
    strict = level_at(critical)

    def of_one(row: int, place: int) -> Estimate:
        found = estimate(
            measured.tables[place],
            measured.bound[row][place],
            method=measured.method,
            confidence_level=strict,
            random_state=measured.seed,
        )
        return found.replace(confidence_level=level)

    results = {
        metric: Results(results={name: of_one(row, place) for place, name in enumerate(measured.names)}, column="group")
        for row, metric in enumerate(measured.metrics)
    }
    return Results(results=results, column="metric")


def _pairs(
    measured: Measured, groups: Results[Results[Estimate]], places: list[Array], found: Contrasts, level: float
) -> PairGaps:
    stride, names = len(measured.names) + 1, (*measured.names, ALL_CASES)
    pairs, bounds, reasons = [], [], []
    for index, (a, b) in enumerate(zip(*places, strict=True)):
        row, metric = int(a) // stride, measured.metrics[int(a) // stride]
        one, other = names[a % stride], names[b % stride]
        pairs.append((metric, one, other))
        bounds.append(measured.bound[row][0].range)
        if np.isfinite(found.value[index]):
            reasons.append("")
            continue
        own = [(name, groups[metric][name].reason) for name in (one, other) if name in groups[metric]]
        said = "; ".join(f"{name}: {reason}" for name, reason in own if reason)
        reasons.append(said or "the two do not vary independently of each other")
    firsts = {metric: next(iter(of_groups.values())) for metric, of_groups in groups.items()}
    return PairGaps(
        pairs=tuple(pairs),
        found=found,
        bounds=tuple(bounds),
        reasons=tuple(reasons),
        confidence_level=level,
        positives={metric: (each.positive, each.is_positive_stated) for metric, each in firsts.items()},
    )


def _shrunken(measured: Measured, groups: Results[Results[Estimate]], level: float) -> Results[Results[Estimate]]:
    """Return the partially pooled estimates of each metric."""
    size, z = len(measured.names), normal_quantile(level)
    low, high = measured.estimated.limits(1.0)
    results = {}
    for row, metric in enumerate(measured.metrics):
        own = slice((size + 1) * row, (size + 1) * row + size)
        centre, error = (high[own] + low[own]) / 2, (high[own] - low[own]) / 2
        known = measured.estimated.is_known[own] & np.isfinite(centre)
        mean, spread = np.full((2, size), np.nan)
        reason = f"shrinkage needs at least {FEWEST} groups with a value"
        if known.sum() >= FEWEST:
            mean[known], spread[known] = shrunken(centre[known], error[known])
        least, most = measured.bound[row][0].range
        results[metric] = Results(
            results={
                name: Estimate(
                    float(np.clip(mean[place], least, most)),
                    low=float(np.clip(mean[place] - z * spread[place], least, most)),
                    high=float(np.clip(mean[place] + z * spread[place], least, most)),
                    metric=groups[metric][name].metric,
                    label=metric,
                    confidence_level=level,
                    method=POOLING,
                    standard_error=float(spread[place]),
                    bounds=(least, most),
                    reason=(groups[metric][name].reason or reason) if np.isnan(mean[place]) else "",
                )
                for place, name in enumerate(measured.names)
            },
            column="group",
        )
    return Results(results=results, column="metric")
