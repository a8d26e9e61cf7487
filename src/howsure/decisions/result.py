"""Result of `decision_curve`: net benefits along the thresholds, their differences, and which strategy is best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from howsure.arrays import Booleans, Floats, Positions
from howsure.cached import cached_property
from howsure.decisions.limits import ALL, NONE, limits_of
from howsure.decisions.sample import Sample, critical_value
from howsure.errors import HowsureError, looked_up, real_number
from howsure.estimates.estimate import positive_notes
from howsure.estimates.reasons import without_variation
from howsure.grids import Grid, Tabular
from howsure.methods.core.draws import seed_sequence
from howsure.methods.numerics.confidence_levels import Level, share_beyond
from howsure.numbers import percent, value_text
from howsure.tables.paired_scores import PairedScoresTable
from howsure.tables.scores import ScoresTable

TIED = 1e-12  # difference of net benefits that is rounding


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NetBenefit(Tabular):
    """Net benefit of a strategy along the thresholds, or of one minus that of another, with two bands.

    Parameters
    ----------
    name : str
        The strategy, or both: ``"A − treat all"``.
    thresholds : ndarray of shape (T,)
        The thresholds.
    value : ndarray of shape (T,)
        The net benefit, or the difference.
    standard_error : ndarray of shape (T,)
        Standard errors by the design.
    low, high : ndarray of shape (T,)
        Pointwise limits: they cover at each threshold.
    simultaneous_low, simultaneous_high : ndarray of shape (T,)
        Simultaneous limits: they cover at all thresholds together.
    critical : float
        Half-width of the simultaneous band in standard errors; nan without variation.
    confidence_level : float
        Confidence level of either band.
    positive : str
        Name of the positive class, which becomes a column of the records; empty for classes 0 and 1.
    reason : str
        Why the limits are undefined; empty if they are defined.

    Examples
    --------
    >>> import howsure as hs
    >>> curve = hs.decision_curve([0, 0, 1, 1] * 9, [0.1, 0.4, 0.35, 0.8] * 9, thresholds=[0.2, 0.7], random_state=0)
    >>> apart = curve.difference("model", "treat all")
    >>> apart.value.round(3).tolist(), bool(apart.simultaneous_low[1] > 0)
    ([0.062, 0.917], True)
    """

    name: str
    thresholds: Floats
    value: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    simultaneous_low: Floats
    simultaneous_high: Floats
    critical: float
    confidence_level: float
    positive: str = ""
    reason: str = ""

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per threshold."""
        columns = ("value", "low", "high", "simultaneous_low", "simultaneous_high", "standard_error")
        rows = zip(self.thresholds.tolist(), *(getattr(self, each).tolist() for each in columns), strict=True)
        named = {"positive": self.positive} if self.positive else {}
        said = {"confidence_level": self.confidence_level, "reason": self.reason} | named
        return [dict(zip(("name", "threshold", *columns), (self.name, *row), strict=True)) | said for row in rows]

    def scaled(self, factor: Floats, name: str) -> NetBenefit:
        """Return it multiplied by a positive factor at each threshold."""
        columns = ("value", "standard_error", "low", "high", "simultaneous_low", "simultaneous_high")
        own: dict[str, Any] = {each: getattr(self, each) * factor for each in columns}
        return replace(self, name=name, **own)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DecisionCurve(Tabular, Mapping[str, NetBenefit]):
    """Net benefit of models, of treating all and of treating none, along risk thresholds; made by `decision_curve`.

    ``curve["A"]`` is the `NetBenefit` of a strategy. The strategies are ``"treat none"``, ``"treat all"``, and the
    models; a table of one model calls it ``"model"``. Bands and draws are computed when they are first used.

    Parameters
    ----------
    table : ScoresTable or PairedScoresTable
        The risks.
    thresholds : ndarray of shape (T,)
        The thresholds, ascending.
    prevalence : float
        Stated prevalence; nan for that of the sample.
    confidence_level : float
        Confidence level of each band.
    n_resamples : int
        Number of draws of the Bayesian bootstrap, for probabilities and the value of information.
    seed : SeedSequence
        Seed of the draws.

    Examples
    --------
    >>> import howsure as hs
    >>> curve = hs.decision_curve([0, 0, 1, 1] * 9, [0.1, 0.4, 0.35, 0.8] * 9, thresholds=[0.2, 0.6])
    >>> print(curve)
    threshold               treat all                 model   best
    ──────────────────────────────────────────────────────────────
    0.2          0.375 [0.175, 0.575]  0.438 [0.255, 0.617]  model
    0.6        -0.250 [-0.650, 0.150]  0.250 [0.098, 0.414]  model
    net benefit; treating none has 0; 95 % intervals at each threshold
    >>> curve.ranges
    (('model', 0.2, 0.6),)
    """

    table: ScoresTable | PairedScoresTable
    thresholds: Floats
    prevalence: float
    confidence_level: float
    n_resamples: int
    seed: Any

    def __getitem__(self, strategy: str) -> NetBenefit:
        return self._known(strategy, NONE)

    def __iter__(self) -> Iterator[str]:
        return iter(self.strategies)

    def __len__(self) -> int:
        return len(self.strategies)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return getattr(self.table, "models", ("model",))

    @property
    def strategies(self) -> tuple[str, ...]:
        """Treating none, treating all, and the models."""
        return (NONE, ALL, *self.models)

    @property
    def positive(self) -> str:
        """Name of the positive class; empty for classes 0 and 1."""
        return self.table.positive

    @property
    def reason(self) -> str:
        """Why limits and probabilities are undefined; empty if they are defined."""
        return without_variation(self.table)

    def difference(self, first: str, second: str = ALL) -> NetBenefit:
        """Return the net benefit of one strategy minus that of another on the same cases.

        Parameters
        ----------
        first, second : str
            Two different strategies: models, ``"treat all"`` or ``"treat none"``.

        Raises
        ------
        HowsureError
            If there is no such strategy, or the two are one.

        Examples
        --------
        >>> import howsure as hs
        >>> curve = hs.decision_curve([0, 0, 1, 1] * 9, [0.1, 0.4, 0.35, 0.8] * 9, thresholds=[0.3])
        >>> curve.difference("model").value.round(3).tolist()  # 9 of 36 are spared a treatment, at 3 / 7 each
        [0.107]
        """
        if first == second:
            raise HowsureError(f"Both strategies are {first!r}. Name two.")
        return self._known(first, second)

    def interventions_avoided(self, model: str = "", *, per: float = 1.0) -> NetBenefit:
        """Return the net interventions avoided against treating all, for a number of cases.

        Parameters
        ----------
        model : str
            The model, if there are several.
        per : float
            Number of cases: 1 as in dcurves, or 100.

        Raises
        ------
        HowsureError
            If there is no such model, it is not named among several, or the number is not positive.
        """
        number = real_number("per", per)
        if not 0 < number < math.inf:
            raise HowsureError(f"`per` is a number of cases, such as 100, not {per!r}.")
        chosen = model or self.models[0]
        if not model and len(self.models) > 1:
            raise HowsureError(f"There are several models. Name one: {', '.join(map(repr, self.models))}.")
        factor = number * (1 - self.thresholds) / self.thresholds
        return self.difference(chosen, ALL).scaled(factor, f"interventions avoided by {chosen}")

    @cached_property
    def _sample(self) -> Sample:
        return Sample.of(self.table, self.thresholds, self.prevalence)

    @cached_property
    def _values(self) -> Floats:
        """Net benefits, ``(strategies, T)``."""
        return self._sample.values

    @cached_property
    def _draws(self) -> Floats:
        """Net benefits in draws of the Bayesian bootstrap, ``(draws, strategies, T)``; one of nan without variation."""
        if self.reason:
            return np.full((1, *self._values.shape), np.nan)
        return self._sample.draws(self.n_resamples, np.random.default_rng(self._seeds[0]))

    @cached_property
    def _seeds(self) -> list[Any]:
        entropy = seed_sequence(self.seed)
        return [np.random.SeedSequence(entropy.entropy, spawn_key=(*entropy.spawn_key, part)) for part in range(3)]

    @cached_property
    def _made(self) -> dict[tuple[str, str], NetBenefit]:
        return {}

    def _known(self, first: str, second: str) -> NetBenefit:
        places = {name: place for place, name in enumerate(self.strategies)}
        pair = (looked_up("strategy", first, places), looked_up("strategy", second, places))
        if (first, second) in self._made:
            return self._made[first, second]
        if pair == (0, 0):
            zero = np.zeros(len(self.thresholds))
            self._made[NONE, NONE] = self._band(NONE, zero, zero, lambda _: (zero, zero), math.nan)
        else:
            covariance = self._sample.covariance(*pair)
            critical = critical_value(covariance, self.confidence_level, np.random.default_rng(self._seeds[1]))
            limits = limits_of(self.table, self._sample, (first, second), self._seeds[2])
            error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
            name = first if second == NONE else f"{first} − {second}"
            value = self._values[pair[0]] - self._values[pair[1]]
            self._made[first, second] = self._band(name, value, error, limits, critical)
        return self._made[first, second]

    def _band(self, name: str, value: Floats, error: Floats, limits: Any, critical: float) -> NetBenefit:
        low, high = limits(self.confidence_level)
        tail = 1 - self.confidence_level if math.isnan(critical) else float(share_beyond(critical))
        far_low, far_high = limits(Level(min(tail, 1 - self.confidence_level)))
        columns = {
            "value": value,
            "low": np.minimum(low, value),
            "high": np.maximum(high, value),
            "simultaneous_low": np.minimum(far_low, np.minimum(low, value)),
            "simultaneous_high": np.maximum(far_high, np.maximum(high, value)),
        }
        return NetBenefit(
            name=name,
            thresholds=self.thresholds,
            **{each: np.where(np.abs(column) < TIED, 0.0, column) for each, column in columns.items()},
            standard_error=error,
            critical=critical,
            confidence_level=self.confidence_level,
            positive=self.positive,
            reason=self.reason if np.isnan(low).any() else "",
        )

    @property
    def best(self) -> tuple[str, ...]:
        """The strategy with the largest observed net benefit at each threshold; of equal ones the simplest."""
        return tuple(self.strategies[place] for place in _largest(self._values).tolist())

    @property
    def ranges(self) -> tuple[tuple[str, float, float], ...]:
        """Runs of thresholds with the same best strategy: its name, and the first and the last threshold."""
        runs = [
            [*group] for _, group in groupby(zip(self.best, self.thresholds.tolist(), strict=True), lambda one: one[0])
        ]
        return tuple((run[0][0], run[0][1], run[-1][1]) for run in runs)

    @property
    def probability_best(self) -> dict[str, Floats]:
        """Posterior probability that each strategy has the largest net benefit, at each threshold.

        It is the share of the draws of the Bayesian bootstrap; where strategies are equal, the simplest counts. It is
        nan without variation.
        """
        first = _largest(self._draws)
        return {name: self._probability(first == place) for place, name in enumerate(self.strategies)}

    @property
    def probability_useful(self) -> dict[str, Floats]:
        """Posterior probability that each model has a larger net benefit than treating all and than treating none."""
        default = self._draws[:, :2].max(1) + TIED
        return {name: self._probability(self._draws[:, place] > default) for place, name in enumerate(self.models, 2)}

    def _probability(self, met: Booleans) -> Floats:
        """Return the share of the draws that meet a condition at each threshold; nan without variation."""
        return np.full(met.shape[1:], np.nan) if self.reason else np.asarray(met.mean(0))

    @property
    def evpi(self) -> Floats:
        """Expected value of perfect information of the validation sample at each threshold, ``(T,)``.

        The mean over the draws of the largest net benefit, minus the largest of the mean net benefits (Sadatsafavi
        and others 2023): the net benefit that is lost because the sample, and not the population, chooses the strategy.
        """
        return np.asarray(self._draws.max(1).mean(0) - self._draws.mean(0).max(0))

    def useful(self, model: str = "") -> Floats:
        """Return the thresholds at which a model is shown to be better than treating all and than treating none.

        Both simultaneous lower limits are above 0 there.

        Parameters
        ----------
        model : str
            The model; by default the first.
        """
        chosen = model or self.models[0]
        lower = [self.difference(chosen, other).simultaneous_low for other in (ALL, NONE)]
        return self.thresholds[(np.minimum(*lower) > 0)]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per strategy and threshold."""
        best = self.probability_best
        found = []
        for name in self:
            for record, share in zip(self[name].records(), best[name].tolist(), strict=True):
                numbers = {each: record[each] for each in list(record)[3:]}
                first = {"strategy": name, "threshold": record["threshold"], "net_benefit": record["value"]}
                found.append(first | numbers | {"probability_best": share})
        return found

    def grid(self) -> Grid:
        """Return a table of strings with one row per threshold, with pointwise intervals."""
        bands = [self[name] for name in self.strategies[1:]]
        texts = [[*map(value_text, band.value, band.low, band.high)] for band in bands]
        rows = zip((f"{each:g}" for each in self.thresholds.tolist()), *texts, self.best, strict=True)
        caption = f"net benefit; treating none has 0; {percent(self.confidence_level)} intervals at each threshold"
        caption = "; ".join([caption, *filter(None, [self.reason]), *positive_notes([self])])
        return Grid(("threshold", *self.strategies[1:], "best"), tuple(rows), caption)


def _largest(values: Floats) -> Positions:
    """Return the position of the first strategy whose net benefit ``(..., strategies, T)`` is the largest."""
    return np.asarray(np.argmax(values >= values.max(-2, keepdims=True) - TIED, -2))
