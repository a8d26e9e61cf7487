"""Leaderboards: models in order, with a confidence set of ranks for each, and the winner's value corrected for luck."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from howsure.arrays import Array, Seed
from howsure.comparison.board import Leaderboard, Place
from howsure.comparison.contenders import Contenders, contenders, groups_are_models
from howsure.comparison.multiplicity import Differences
from howsure.comparison.rank_sets import Estimated, RankSets, rank_sets
from howsure.comparison.ranks import Ranks, ranks
from howsure.comparison.winner import level_of, selection_error
from howsure.errors import checked_level, one_of
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate
from howsure.estimates.grouped import apply_by_group
from howsure.methods.core.draws import child_seed, group_seed, seed_sequence
from howsure.methods.core.lookup import named
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.methods.core.scales import automatic_scale, on_scale
from howsure.metrics.contrast import EFFECTS
from howsure.metrics.forms import Better
from howsure.metrics.metric import Metric

STREAM = 0x1EAD  # of the deviations, among the children of a seed
NO_VARIATION = "the winner's sample shows no variation between cases or clusters, which the correction needs"
SELECTED = "selection_corrected"
UNRANKED = "so it may have any rank"


@groups_are_models
@apply_by_group
def leaderboard(
    table: object,
    metric: str | Metric,
    *,
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    better: Better | None = None,
    random_state: Seed = None,
) -> Leaderboard:
    r"""Rank models, with confidence sets of the ranks and of the best model, and a corrected value of the winner.

    Parameters
    ----------
    table : Table, mapping of str to Table, Tables or Log
        A paired table (of predictions, scores, values, trials or battles), also by group; or separate tables by name;
        or a log of one task. Separate tables are independent, except for clusters of the same name. For example,
        with the items of a benchmark as ``groups=`` models can be compared even if some of them lack some items.
    metric : str or Metric
        A spec string such as ``"accuracy"``.
    method : str or Method, optional
        Method of each model's own interval; the default method of the metric by default. The ranks and the winner's
        corrected value are valid for a single look, even with ``"anytime"``.
    confidence_level : float
        Probability that the sets of ranks cover simultaneously, and that the best model is among those that may be it;
        also the coverage of the intervals.
    better : {"higher", "lower"}, optional
        Which values are better. The default is that of the metric, and higher if the metric has none.
    random_state : int, Generator or SeedSequence, optional
        Seed of the draws; each group has its own stream.

    Returns
    -------
    Leaderboard
        A mapping of models to places; for `Tables` a `Grouped` of them.

    Raises
    ------
    HowsureError
        If there are fewer than two models, or the metric, the method or the level is not valid.

    Notes
    -----
    The sets of ranks follow from all pairwise differences by the stepdown max-\\|t\\| test. It uses 10,000 normal draws
    of the estimates' errors from their joint covariance. That covariance follows from each model's gradient, so the
    cost does not grow with the number of cases once they are counted. The standard error of a difference is evaluated
    under the hypothesis that the two models are equal.

    The winner's estimate is the largest of several, so its error is positive on average. The distribution of that error
    follows from the joint covariance and the distances between the models. The corrected value is the estimate minus
    the median error, within the range of the observed values. The limit on the side of worse values is that of the
    model's own interval at a stricter level. That level allows for the largest error if the true distances are up to
    two standard errors smaller than observed. The other limit is the model's own, so the corrected interval contains
    the model's own interval.

    References
    ----------
    Mogstad, Romano, Shaikh, Wilhelm (2024), Review of Economic Studies 91; Andrews, Kitagawa, McCloskey (2024),
    Quarterly Journal of Economics 139.

    Examples
    --------
    >>> import howsure as hs
    >>> y_true = [1, 0] * 50
    >>> answers = {"A": [1, 0] * 45 + [0, 1] * 5, "B": [1, 0] * 44 + [0, 1] * 6, "C": [1, 1] * 50}
    >>> board = hs.leaderboard(hs.paired(y_true, answers), "accuracy", random_state=0)
    >>> [(each.model, each.rank, each.rank_low, each.rank_high) for each in board.places], board.tied
    ([('A', 1, 1, 2), ('B', 2, 1, 2), ('C', 3, 3, 3)], ['A', 'B'])
    """
    level, seed = checked_level(confidence_level), seed_sequence(random_state)
    found = contenders(table, metric)
    way: Better = found.metrics[0].better
    if better is not None:
        way = "lower" if one_of("better", better, ("higher", "lower")) == "lower" else "higher"
    sign = -1.0 if way == "lower" else 1.0
    by_name = sorted(range(len(found.names)), key=found.names.__getitem__)  # draws do not depend on the order
    known = np.array([index for index in by_name if np.isfinite(found.values[index])], dtype=int)
    estimated = found.estimated(known, sign)
    rng = np.random.default_rng(child_seed(seed, STREAM))
    deviations = estimated.deviations(rng)
    sets = rank_sets(estimated, deviations, level)
    bound = dict(zip(found.names, found.metrics, strict=True))

    def alone(name: str, at: float, chosen: Method | None) -> Estimate:
        return estimate(
            found.tables[name], bound[name], method=chosen, confidence_level=at, random_state=group_seed(seed, name)
        )

    chosen = named(method)
    own = [alone(name, level, chosen) for name in found.tables]
    names = [found.names[index] for index in known]
    chances = _probabilities(names, estimated, deviations, rng)
    return Leaderboard(
        places=_places(found.names, known, estimated, sets, own, chances.best if names else {}),
        winner=_winner(found, known, estimated, deviations, level, partial(alone, chosen=_of_one_look(chosen))),
        probabilities=chances,
        differences=_differences(names, estimated, sets, level, sign, found.metrics),
        metric=found.metrics[0].name,
        better="lower" if sign < 0 else "higher",
        confidence_level=level,
    )


def _places(
    names: tuple[str, ...],
    known: Array,
    estimated: Estimated,
    sets: RankSets,
    own: list[Estimate],
    best: Mapping[str, float],
) -> tuple[Place, ...]:
    unknown = sorted(set(range(len(names))) - set(known.tolist()), key=names.__getitem__)
    undefined = [names[index] for index in unknown]
    beside = len(unknown)  # models that may have any rank, and so may be above or below all others
    order = np.argsort(-estimated.values, kind="stable")
    apart = sets.above | sets.above.T
    together, alone = (each + np.array([0, beside]) for each in (sets.simultaneous, sets.marginal))
    ranked = [
        Place(
            model=names[known[at]],
            rank=1 + int((estimated.differences[:, at] > 0).sum()),
            rank_low=int(together[at, 0]),
            rank_high=int(together[at, 1]),
            alone_low=int(alone[at, 0]),
            alone_high=int(alone[at, 1]),
            may_be_best=bool(sets.best[at]),
            probability_best=best[names[known[at]]],
            estimate=own[known[at]],
            not_told_apart=(*(names[known[each]] for each in order if each != at and not apart[at, each]), *undefined),
        )
        for at in order
    ]
    every = [*(each.model for each in ranked), *undefined]
    return (*ranked, *(_unranked(names[index], every, own[index]) for index in unknown))


def _unranked(model: str, order: list[str], own: Estimate) -> Place:
    return Place(
        model=model,
        rank=None,
        rank_low=1,
        rank_high=len(order),
        alone_low=1,
        alone_high=len(order),
        may_be_best=True,
        probability_best=math.nan,
        estimate=own.replace(reason=f"{own.reason}, {UNRANKED}"),
        not_told_apart=tuple(name for name in order if name != model),
    )


def _of_one_look(method: Method | None) -> Method | None:
    """Return the method for a single look; None, for the default method, instead of a confidence sequence."""
    return None if method is not None and method.is_anytime_valid else method


def _probabilities(names: list[str], estimated: Estimated, deviations: Array, rng: np.random.Generator) -> Ranks:
    """Return the probability of each rank for each model, with Student t errors since cases may be few.

    If two models have the same difference in all cases, their errors are those under equality.
    """
    size, number = deviations.shape
    if size < 2:
        return Ranks(names=tuple(names), probabilities=np.ones((size, size)), draws=number)
    if not np.isfinite(estimated.covariance).all():
        return Ranks(names=tuple(names), probabilities=np.full((size, size), np.nan), draws=number)
    degrees_of_freedom = max(float(np.minimum(estimated.cases - 1, estimated.degrees_of_freedom).min()), 1.0)
    wider = (
        np.sqrt(degrees_of_freedom / rng.chisquare(degrees_of_freedom, number))
        if math.isfinite(degrees_of_freedom)
        else 1.0
    )
    unseen = np.where(estimated.has_no_variance, estimated.null_spread, 0.0).max(1, keepdims=True) / math.sqrt(2)
    errors = deviations + unseen * rng.standard_normal(deviations.shape) if unseen.any() else deviations
    return ranks(dict(zip(names, estimated.values[:, None] + errors * wider, strict=True)))


def _winner(
    found: Contenders,
    known: Array,
    estimated: Estimated,
    deviations: Array,
    level: float,
    own: Callable[[str, float], Any],
) -> Estimate:
    """Return the first model's estimate, corrected for selection.

    The limit on the side of worse values is that of the model's own interval at a stricter level; the other limit is
    unchanged.
    """
    settings: dict[str, Any] = {
        "metric": found.metrics[0].name,
        "label": found.metrics[0].label,
        "confidence_level": level,
        "method": SELECTED,
    }
    if not len(known):
        return Estimate(math.nan, low=math.nan, high=math.nan, reason="no model has a value", **settings)
    first = int(np.argmax(estimated.values))
    metric, value, name = found.metrics[known[first]], float(found.values[known[first]]), found.names[known[first]]
    error, selected = math.sqrt(max(float(estimated.covariance[first, first]), 0.0)), None
    if error > 0:
        selected = selection_error(estimated, deviations, level)
    if selected is None:
        return Estimate(math.nan, low=math.nan, high=math.nan, reason=NO_VARIATION, **settings)
    is_largest = value == found.values[known].max()
    plain, strict = own(name, level), own(name, level_of(selected.largest, level))
    low, high = (strict.low, plain.high) if is_largest else (plain.low, strict.high)
    shift = np.array(-selected.median * error if is_largest else selected.median * error)
    moved = float(on_scale(automatic_scale(metric.range), np.array(value), shift, metric.range)[1])
    observed = found.values[known]  # a value beyond those of all models would be a guess
    corrected = float(np.clip(moved, *((low, high) if low <= high else (-np.inf, np.inf))))
    corrected = float(np.clip(corrected, observed.min(), observed.max()))
    return Estimate(corrected, low=low, high=high, standard_error=error, reason=strict.reason, **settings)


def _differences(
    names: list[str], estimated: Estimated, sets: RankSets, level: float, sign: float, metrics: tuple[Metric, ...]
) -> Differences:
    value, varies = sign * estimated.differences, estimated.null_spread > 0
    half = np.where(varies, estimated.reach(sets.critical), np.nan)
    lowest, highest = zip(*(each.range for each in metrics), strict=True)
    bounds = EFFECTS["difference"].bounds(min(lowest), max(highest))
    return Differences(
        names=tuple(names),
        value=value,
        low=np.maximum(value - half, bounds[0]),
        high=np.minimum(value + half, bounds[1]),
        p_value=np.where(varies, sets.p_values(estimated), np.nan),
        confidence_level=level,
        critical=sets.critical,
        better="lower" if sign < 0 else "higher",
        metric=metrics[0].name,
    )
