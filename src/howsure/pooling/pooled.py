"""Result of pooling: a number with its interval, and the heterogeneity of the experiments."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.estimates.draws_mixin import Drawn
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.estimates.named import Named
from howsure.grids import Grid, OneRecord
from howsure.numbers import interval_text, number, p_text, percent, significant_decimals

BANDS = ((0.25, "negligible"), (0.5, "low"), (0.75, "moderate"), (math.inf, "high"))
BAR = 41  # characters of a forest's plot


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Pooled(OneRecord, Drawn, Named):
    """One number from many experiments, with its interval and the heterogeneity between them.

    It unpacks as ``value, (low, high)``, and converts to a float as its value.

    Parameters
    ----------
    value, low, high, standard_error : float
        The pooled estimate, its interval and its standard error.
    confidence_level : float
        Nominal coverage of the intervals.
    method : str
        Name of the method.
    estimand : {"typical_site", "mean_of_sites", "common_value", "mean_of_folds", "all_cases"}
        Estimand of the value. ``"typical_site"``: the mean over the population of sites (experiments) on the scale of
        the pooling, transformed back, which is their median for a symmetric distribution; ``"mean_of_sites"``: their
        mean; ``"common_value"``: the one value that all are assumed to share; ``"mean_of_folds"``: the mean over the
        folds of a cross-validation; ``"all_cases"``: the value of all cases as one test set.
    metric : str
        Spec string of the metric; empty if unknown.
    tau2, tau2_interval : float, tuple of two float
        Variance between the experiments, on the scale that was pooled on, with its interval by the Q-profile, or by
        the profile likelihood for ``"binomial_normal"``.
    i2, i2_interval : float, tuple of two float
        Fraction of the total variance that is between the experiments, 0 … 1.
    h2, h2_interval : float, tuple of two float
        Total variance over the variance within.
    q, q_p_value : float
        Cochran's Q, and its p-value under the hypothesis that all experiments measure the same value.
        ``"binomial_normal"`` uses the deviance of one common value: twice the log of the likelihood ratio to one value
        for each experiment.
    within_variance : float
        Typical variance within an experiment.
    prediction_interval : tuple of two float
        Prediction interval for the true value of a new experiment.
    weights : ndarray of shape (k,)
        Share of each experiment in the pooled value.
    names : tuple of str
        Names of the experiments.
    values, lows, highs, standard_errors : ndarray of shape (k,)
        Estimate of each experiment with its interval and its standard error.
    scale : str
        Name of the scale that was pooled on.
    draws : ndarray of shape (draws,), optional
        Draws of the pooled value, where the method makes some.
    reason : str
        Reason for an undefined number, or a caveat.
    positive : str
        The positive class, where the metric depends on it and two classes have names.

    Examples
    --------
    >>> import howsure as hs
    >>> pooled = hs.pool([0.91, 0.88, 0.93], [0.01, 0.02, 0.015])
    >>> print(pooled)
    0.910 [0.854, 0.965], mean of sites, I² = 50 % (moderate)
    """

    value: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    method: str
    estimand: str
    metric: str = ""
    tau2: float
    tau2_interval: tuple[float, float]
    i2: float
    i2_interval: tuple[float, float]
    h2: float
    h2_interval: tuple[float, float]
    q: float
    q_p_value: float
    within_variance: float
    prediction_interval: tuple[float, float]
    weights: Array
    names: tuple[str, ...]
    values: Array
    lows: Array
    highs: Array
    standard_errors: Array
    scale: str = "identity"
    draws: Array | None = None
    reason: str = ""
    positive: str = ""

    def __iter__(self) -> Iterator[Any]:
        yield self.value
        yield (self.low, self.high)

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        digits = significant_decimals(self.low, self.high)
        interval = interval_text(self.low, self.high, digits)
        text = f"{self.value:.{digits}f} {interval}, {self.estimated}, {self.heterogeneity}"
        notes = [f"positive: {self.positive}"] * bool(self.positive) + [self.reason] * bool(self.reason)
        return f"{text} ({'; '.join(notes)})" if notes else text

    def __repr__(self) -> str:
        return f"Pooled({f'{self.metric} = ' if self.metric else ''}{self})"

    @property
    def estimated(self) -> str:
        """The estimand as text."""
        return self.estimand.replace("_", " ")

    @property
    def heterogeneity(self) -> str:
        """I² in words: negligible below 25 %, low below 50 %, moderate below 75 %, else high (Higgins et al., 2003)."""
        if math.isnan(self.i2):
            return "I² undefined"
        return f"I² = {100 * self.i2:.0f} % ({next(word for limit, word in BANDS if self.i2 < limit)})"

    @property
    def facts(self) -> tuple[str, ...]:
        """Heterogeneity of the experiments, as text with numbers."""
        if math.isnan(self.q_p_value):
            return (self.heterogeneity,)
        chance = p_text(self.q_p_value)
        return self.heterogeneity, f"τ² = {self.tau2:.3g}", f"Q = {self.q:.3g}, {chance}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and lists, without the draws."""
        plain = {name: getattr(self, name) for name in self.__slots__ if name != "draws"}
        return {
            name: value.tolist()
            if isinstance(value, np.ndarray | np.generic)
            else list(value)
            if isinstance(value, tuple)
            else value
            for name, value in plain.items()
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the pooled numbers as the one flat dict of a list, without the experiments."""
        record: dict[str, Any] = {}
        for name, value in self.to_dict().items():
            if name in {"tau2_interval", "i2_interval", "h2_interval", "prediction_interval"}:
                start = name.removesuffix("_interval")
                record |= {f"{start}_low": value[0], f"{start}_high": value[1]}
            elif not isinstance(value, list):
                record[name] = value
        return [record | {"experiments": len(self.values)}]

    @property
    def experiments(self) -> dict[str, Estimate]:
        """The experiments as estimates, with the intervals that they were pooled by."""
        columns = (self.values, self.lows, self.highs, self.standard_errors)
        level = self.confidence_level
        return {
            name: Estimate(value, low=low, high=high, metric=self.metric, confidence_level=level, standard_error=error)
            for name, value, low, high, error in zip(self.names, *(each.tolist() for each in columns), strict=True)
        }

    @property
    def note(self) -> str:
        """The estimand, the heterogeneity, the positive class and the reason in one line."""
        notes = [f"estimand: {self.estimated}", *self.facts, *positive_notes([self]), self.reason]
        return "; ".join(filter(None, notes))

    def by_name(self) -> dict[str, Pooled]:
        """Return the pooled number by its name, in the form of the results of several groups."""
        return {f"pooled ({self.method})": self}

    def grid(self) -> Grid:
        """Return a forest as a table of strings: each experiment with interval and weight, then the pooled value."""
        return _forest(self)


def _forest(pooled: Pooled) -> Grid:
    single = pooled.experiments
    ends = [pooled.low, pooled.high, *(end for each in single.values() for end in (each.low, each.high))]
    known = [end for end in ends if math.isfinite(end)]
    left, right = min(known, default=math.nan), max(known, default=math.nan)
    digits = significant_decimals(pooled.low, pooled.high)
    rows = [
        (
            name,
            number(each.value, digits),
            interval_text(each.low, each.high, digits),
            f"{100 * weight:.1f} %",
            _bar(each.low, each.value, each.high, "■", left, right),
        )
        for (name, each), weight in zip(single.items(), pooled.weights, strict=True)
    ]
    total = interval_text(pooled.low, pooled.high, digits)
    bar = _bar(pooled.low, pooled.value, pooled.high, "◆", left, right)
    rows.append((f"pooled ({pooled.method})", number(pooled.value, digits), total, "", bar))
    if not math.isnan(pooled.prediction_interval[0]):
        rows.append(("a new experiment", "", interval_text(*pooled.prediction_interval, digits), "", ""))
    headers = ("experiment", "value", f"{percent(pooled.confidence_level)} interval", "weight", "")
    return Grid(headers, tuple(rows), pooled.note)


def _bar(low: float, value: float, high: float, mark: str, left: float, right: float) -> str:
    """Draw an interval in characters."""
    if not (math.isfinite(low) and math.isfinite(high) and right > left):
        return ""
    start, middle, stop = (round((each - left) / (right - left) * (BAR - 1)) for each in (low, value, high))
    cells = ["─" if start <= i <= stop else " " for i in range(BAR)]
    cells[middle] = mark
    return "".join(cells)
