"""Aggregation of one metric over the experiments of a group: the models by name, and draws of the pooled value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, one_of
from howsure.estimates.estimate import Estimate
from howsure.methods.core.standard_errors import is_positive_error
from howsure.methods.numerics.draw_summaries import highest_density
from howsure.names import canonical
from howsure.pooling.bounded import BINOMIAL_NORMAL, ESTIMANDS, bounded_pool
from howsure.pooling.conflation import DENSITIES, conflate
from howsure.pooling.effects import ALONE, MODELS, normal_pool
from howsure.pooling.folds import checked_test_share, pool_folds
from howsure.pooling.pooled import Pooled
from howsure.pooling.scales import SCALES, Scale, scale_named, scale_of_range
from howsure.pooling.sites import sites_of

DEFAULT, UNBOUNDED = "default", "reml_adhoc"
PERFECT_FOLD = "a fold is perfect: the mean is taken on the metric's own scale"
SYNONYMS = {
    "singleton": "identity",
    "fe": "fixed",
    "fixed_effect": "fixed",
    "fe_gaussian": "fixed",
    "fe_normal": "fixed",
    "gaussian": "fixed",
    "normal": "fixed",
    "re": "pm",
    "random_effect": "pm",
    "re_gaussian": "pm",
    "re_normal": "pm",
    "hksj": "pm_knha",
    "folds": "nadeau_bengio",
    **{f"{name}_conflation": name for name in ("beta", "gamma", "histogram")},
}


@dataclass(frozen=True, slots=True)
class Aggregation:
    """Aggregation of a metric over the experiments of a group.

    Parameters
    ----------
    name
        ``"default"``: ``"binomial_normal"`` for a metric with a finite range, else ``"reml_adhoc"``; ``"fixed"``,
        ``"dl"``, ``"pm"``, ``"reml"`` (each also with ``"_knha"`` or ``"_adhoc"``), ``"beta"``, ``"gamma"``,
        ``"histogram"`` (conflation), ``"nadeau_bengio"`` (folds), ``"tables"`` (their sum) or ``"identity"``.
    scale
        Scale of the normal models and of the folds, by default that of the metric's range; see `pool`.
    test_share
        Fraction of the cases in the test part of a fold; see `pool_folds`.
    estimand
        Estimand of ``"binomial_normal"``; see `pool`.
    """

    name: str = DEFAULT
    scale: str | None = None
    test_share: float | None = None
    estimand: str | None = None

    @property
    def in_words(self) -> str:
        """The name; for the default, the aggregations that it selects."""
        return f"{BINOMIAL_NORMAL} ({UNBOUNDED} without a finite range)" if self.name == DEFAULT else self.name

    def settings(self) -> dict[str, Any]:
        """Return name and settings in the form of a study file."""
        name = None if self.name == DEFAULT else self.name
        named = {
            "aggregation": name, "scale": self.scale, "test_share": self.test_share, "estimand": self.estimand,
        }  # fmt: skip
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The experiments of a group on one metric.

    Parameters
    ----------
    names : tuple of str
        The experiments.
    observed : ndarray of shape (experiments,)
        The metric of each table.
    draws : sequence of ndarray
        Draws of each experiment.
    errors : ndarray of shape (experiments,), optional
        Standard errors by the delta method. They and ``observed`` replace the moments of the draws.
    range : tuple of float
        Range of the metric.
    estimates : callable, optional
        Confidence level → the estimate of each experiment, for aggregation by likelihood.
    """

    names: tuple[str, ...]
    observed: Array
    draws: Sequence[Array]
    errors: Array | None = None
    range: tuple[float, float] = (0.0, 1.0)
    estimates: Callable[[float], Sequence[Estimate]] | None = None

    def moments(self, scale: Scale = SCALES["identity"]) -> tuple[Array, Array]:
        """Return value and standard error of each experiment: observed with the delta method, or from the draws.

        Moments of draws are computed on a scale on which the draws are nearer to normal, and transformed back.
        """
        if self.errors is not None:
            return self.observed, self.errors
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = [scale.forward(each) for each in self.draws]
            kept = [each[np.isfinite(each)] for each in scaled]
            values = scale.back(np.array([_mean(each) for each in kept]))
            return values, np.array([_deviation(each) for each in kept]) / scale.slope(values)

    def within(self, pooled: Pooled) -> Pooled:
        """Return an aggregate with intervals and draws truncated to the metric's range."""
        low, high, *predicted = np.clip([pooled.low, pooled.high, *pooled.prediction_interval], *self.range).tolist()
        draws = None if pooled.draws is None else np.clip(pooled.draws, *self.range)
        return replace(pooled, low=low, high=high, prediction_interval=tuple(predicted), draws=draws)


def _mean(draws: Array) -> float:
    return float(draws.mean()) if draws.size else math.nan


def _deviation(draws: Array) -> float:
    return float(draws.std(ddof=1)) if draws.size > 1 else math.nan


def aggregation(
    name: str | None = None,
    *,
    scale: str | None = None,
    test_share: float | None = None,
    estimand: str | None = None,
) -> Aggregation:
    """Return an aggregation by name or synonym, after a check of its settings."""
    if not isinstance(name, str | None):
        raise HowsureError(f"An aggregation is named by a text such as '{DEFAULT}', not by {name!r}.")
    word = canonical(name or (DEFAULT if scale is None else UNBOUNDED))
    word = SYNONYMS.get(word, word)
    if word not in KNOWN:
        raise HowsureError.unknown("aggregation", str(name), [*KNOWN, *SYNONYMS])
    if scale is not None:
        scale_named(scale)
    if scale is not None and KNOWN[word] not in {_by_normal_model, _by_folds}:
        raise HowsureError(f"The aggregation '{word}' takes no `scale`: it does not pool on one.")
    if test_share is not None and word != "nadeau_bengio":
        raise HowsureError(f"The aggregation '{word}' takes no `test_share`: that is for 'nadeau_bengio'.")
    if test_share is not None:
        checked_test_share(test_share)
    if estimand is not None:
        one_of("estimand", estimand, ESTIMANDS)
    if estimand is not None and word not in {DEFAULT, BINOMIAL_NORMAL}:
        raise HowsureError(f"The aggregation '{word}' takes no `estimand`: that is for '{BINOMIAL_NORMAL}'.")
    return Aggregation(word, scale, test_share, estimand)


def aggregated(chosen: Aggregation, members: Members, level: float, seed: np.random.SeedSequence) -> Pooled:
    """Return the aggregate of a group, with draws; nan with the reason if it cannot be computed."""
    if len(members.names) == 1:
        return _single(members, level)
    if chosen.name == DEFAULT:
        chosen = replace(chosen, name=BINOMIAL_NORMAL if np.isfinite(members.range).all() else UNBOUNDED)
    try:
        if chosen.name != BINOMIAL_NORMAL:
            _refuse_constant(members)
        return members.within(KNOWN[chosen.name](chosen, members, level, seed))
    except HowsureError as error:
        return _undefined(members, level, chosen.name, str(error))


def _refuse_constant(members: Members) -> None:
    """Refuse experiments whose draws are all equal."""
    values, errors = members.moments()
    varies = np.atleast_1d(is_positive_error(errors, values))
    constant = [name for name, each in zip(members.names, varies, strict=True) if not each]
    if constant:
        raise HowsureError(f"'{constant[0]}' does not vary: give it a prior of more than 0, or aggregate by '{TABLES}'")


def _single(members: Members, level: float) -> Pooled:
    """Return a single experiment as its own aggregate."""
    draws = members.draws[0]
    kept = draws[np.isfinite(draws)]
    pooled = _undefined(members, level, "identity", ALONE)
    if kept.size < 2:
        return pooled
    low, high = highest_density(kept, level)
    weights, error = np.ones(1), float(kept.std(ddof=1))
    return replace(
        pooled, value=float(kept.mean()), low=low, high=high, standard_error=error, weights=weights, draws=draws
    )


def _undefined(members: Members, level: float, method: str, reason: str) -> Pooled:
    """Return an aggregate of nan, with the reason."""
    values, errors = members.moments()
    numbers = ("value", "low", "high", "standard_error", "tau2", "i2", "h2", "q", "q_p_value", "within_variance")
    intervals = ("tau2_interval", "i2_interval", "h2_interval", "prediction_interval")
    unknown: dict[str, Any] = dict.fromkeys(numbers, math.nan) | dict.fromkeys(intervals, (math.nan, math.nan))
    return Pooled(
        **unknown,
        confidence_level=level,
        method=method,
        estimand="all_cases" if method == "identity" else ESTIMANDS[0],
        weights=np.full(len(values), math.nan),
        names=members.names,
        values=values,
        lows=np.full(len(values), math.nan),
        highs=np.full(len(values), math.nan),
        standard_errors=errors,
        reason=reason,
    )


def _by_likelihood(chosen: Aggregation, members: Members, level: float, seed: np.random.SeedSequence) -> Pooled:
    """Pool the estimates of the experiments, with draws of the confidence distribution."""
    if members.estimates is None or not np.isfinite(members.range).all():
        raise HowsureError(f"'{BINOMIAL_NORMAL}' needs the tables of the experiments, and a metric with a finite range")
    found = sites_of(dict(zip(members.names, members.estimates(level), strict=True)), None, level, None)
    tails = np.random.default_rng(seed).random(len(members.draws[0]))
    return bounded_pool(found, chosen.estimand or ESTIMANDS[0], tails)  # type: ignore[arg-type]


def _by_normal_model(chosen: Aggregation, members: Members, level: float, seed: np.random.SeedSequence) -> Pooled:
    """Pool values with known standard errors, by a model such as ``"reml"`` and a test such as ``"knha"``."""
    model, _, test = chosen.name.partition("_")
    scale = scale_named(chosen.scale) if chosen.scale else scale_of_range(members.range)
    values, errors = members.moments(scale)
    settings: dict[str, Any] = {"scale": scale.name, "confidence_level": level, "names": members.names}
    pooled = normal_pool(values, errors, method=model, test=test or "z", **settings)  # type: ignore[arg-type]
    return replace(pooled, draws=_drawn(pooled, scale, len(members.draws[0]), len(values) - 1 if test else None, seed))


def _by_folds(chosen: Aggregation, members: Members, level: float, seed: np.random.SeedSequence) -> Pooled:
    """Return the mean of folds with Nadeau and Bengio's variance; the spread between them is by DerSimonian–Laird."""
    scale, note = scale_named(chosen.scale) if chosen.scale else scale_of_range(members.range), ""
    if chosen.scale is None and not _inside(members.observed, scale.range):
        scale, note = SCALES["identity"], PERFECT_FOLD  # which has no logit
    mean = pool_folds(members.observed, test_share=chosen.test_share, scale=scale.name, confidence_level=level)
    values, errors = members.moments()
    between = normal_pool(values, errors, method="dl", test="z", confidence_level=level, names=members.names)
    pooled = replace(
        between,
        value=mean.value,
        low=mean.low,
        high=mean.high,
        standard_error=mean.standard_error,
        method="nadeau_bengio",
        estimand="mean_of_folds",
        prediction_interval=(math.nan, math.nan),
        weights=np.full(len(values), 1 / len(values)),
        scale=scale.name,
        reason=mean.reason if math.isnan(mean.low) else note,
    )
    return replace(pooled, draws=_drawn(pooled, scale, len(members.draws[0]), len(values) - 1, seed))


def _inside(values: Array, bounds: tuple[float, float]) -> bool:
    return bool(((values > bounds[0]) & (values < bounds[1])).all())


def _drawn(
    pooled: Pooled, scale: Scale, size: int, degrees_of_freedom: int | None, seed: np.random.SeedSequence
) -> Array:
    """Draw from the normal or Student's t distribution of the interval, on the scale of the pooling."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal(size) if degrees_of_freedom is None else rng.standard_t(degrees_of_freedom, size)
    middle = np.array(pooled.value)
    return scale.back(scale.forward(middle) + pooled.standard_error * scale.slope(middle) * noise)


def _by_conflation(chosen: Aggregation, members: Members, level: float, seed: np.random.SeedSequence) -> Pooled:
    """Multiply densities that are fitted to the draws."""
    return conflate(
        members.draws,
        density=chosen.name,  # type: ignore[arg-type]
        bounds=members.range,
        confidence_level=level,
        random_state=seed,
        names=members.names,
    )


def _refuse_several(chosen: Aggregation, members: Members, level: float, seed: np.random.SeedSequence) -> Pooled:  # noqa: ARG001
    """Raise an error: the aggregation applies to a single experiment."""
    raise HowsureError(
        f"'{chosen.name}' applies to one experiment, and there are {len(members.names)}: "
        f"name another aggregation, such as '{DEFAULT}'"
    )


Aggregator = Callable[[Aggregation, Members, float, np.random.SeedSequence], Pooled]
TABLES = "tables"  # a study replaces the experiments by the sum of their tables, which is one experiment
KNOWN: Mapping[str, Aggregator] = {
    **dict.fromkeys((f"{name}{test}" for name in MODELS for test in ("", "_knha", "_adhoc")), _by_normal_model),
    **{name: _by_conflation for name in DENSITIES if name != "gaussian"},
    "nadeau_bengio": _by_folds,
    DEFAULT: _by_likelihood,  # `aggregated` replaces it by the name for the metric's range
    BINOMIAL_NORMAL: _by_likelihood,
    TABLES: _refuse_several,
    "identity": _refuse_several,
}
