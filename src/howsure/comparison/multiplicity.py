"""Many comparisons at once: adjusted p-values, and intervals of all differences that hold together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.comparison.ranks import JointDraws, joint
from howsure.errors import HowsureError, UnknownKeyError, checked_level, listed, one_of, real_number, real_numbers
from howsure.estimates.estimate import Estimate
from howsure.estimates.named import Named
from howsure.grids import Grid, Tabular
from howsure.metrics.forms import Better
from howsure.numbers import percent

Correction = Literal["holm", "fdr_bh", "fdr_by", "bonferroni", "none"]


def adjusted_p_values(p_values: ArrayLike, correction: Correction = "holm") -> Array:
    """Return p-values adjusted for the number of comparisons; undefined ones stay nan and do not count.

    Parameters
    ----------
    p_values : array-like of shape (n_comparisons,)
        One p-value per comparison, in [0, 1].
    correction : {"holm", "fdr_bh", "fdr_by", "bonferroni", "none"}
        ``"holm"`` and ``"bonferroni"`` bound the probability of any false finding; ``"fdr_bh"`` (Benjamini and
        Hochberg) the expected share of false ones among the findings, and ``"fdr_by"`` (Benjamini and Yekutieli) that
        also where the tests depend on each other in any way; ``"none"`` leaves them as they are.

    Returns
    -------
    ndarray of shape (n_comparisons,)
        Adjusted p-values, in the order given.

    Raises
    ------
    HowsureError
        If the correction is unknown, or a p-value lies outside [0, 1].

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6; Benjamini, Hochberg (1995), JRSS B 57; Benjamini, Yekutieli
    (2001), Annals of Statistics 29.

    Examples
    --------
    >>> adjusted_p_values([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = real_numbers("p_values", p_values)
    one_of("correction", correction, CORRECTIONS)
    if ((values < 0) | (values > 1)).any():
        raise HowsureError("`p_values` holds a number outside [0, 1].")
    adjusted = np.full(values.shape, np.nan)
    known = np.isfinite(values)
    ascending = np.sort(values[known])
    place = np.empty(len(ascending), dtype=np.intp)
    place[np.argsort(values[known], kind="stable")] = np.arange(len(ascending))
    if len(ascending):
        adjusted[known] = np.minimum(CORRECTIONS[correction](ascending), 1.0)[place]
    return adjusted


def _holm(ascending: Array) -> Array:
    return np.asarray(np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1)))


def _benjamini_hochberg(ascending: Array) -> Array:
    scaled = ascending * len(ascending) / np.arange(1, len(ascending) + 1)
    return np.asarray(np.minimum.accumulate(scaled[::-1])[::-1])


def _benjamini_yekutieli(ascending: Array) -> Array:
    return _benjamini_hochberg(ascending) * float((1 / np.arange(1, len(ascending) + 1)).sum())


def _bonferroni(ascending: Array) -> Array:
    return np.asarray(ascending * len(ascending))


CORRECTIONS: Mapping[str, Callable[[Array], Array]] = {
    "holm": _holm,
    "fdr_bh": _benjamini_hochberg,
    "fdr_by": _benjamini_yekutieli,
    "bonferroni": _bonferroni,
    "none": np.asarray,
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Differences(Tabular, Named, Mapping[tuple[str, str], Estimate]):
    """All pairwise differences, with intervals that hold simultaneously.

    A mapping of pairs to estimates: ``differences["A", "B"]`` is that of A minus B, ``differences["B", "A"]`` its
    opposite; iteration gives each pair once.

    Parameters
    ----------
    names : tuple of str
        The models; ``value[i, j]`` is model i minus model j.
    value, low, high, p_value : ndarray of shape (n_models, n_models)
        The diagonals of limits and p-values are nan. The p-values are adjusted for all pairs.
    confidence_level : float
        Probability that all intervals hold together.
    critical : float
        Half-width of the intervals in standard errors.
    better : {"higher", "lower"}
        Which values of the metric win.
    metric : str
        Its spec string, where it is known.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1, 1, 0, 0, 1], {"A": [1, 1, 0, 1, 1], "B": [1, 0, 0, 1, 0], "C": [0, 1, 0, 0, 1]})
    >>> drawn = hs.evaluate_models(table, "accuracy", method="bayes", random_state=0)
    >>> list(hs.comparison.simultaneous_differences({name: each["accuracy"] for name, each in drawn.items()}))
    [('A', 'B'), ('A', 'C'), ('B', 'C')]
    """

    names: tuple[str, ...]
    value: Array
    low: Array
    high: Array
    p_value: Array
    confidence_level: float
    critical: float
    better: Better = "higher"
    metric: str = ""

    def rank_sets(self) -> dict[str, tuple[int, int]]:
        """Return a range of ranks for each model; all cover simultaneously at the confidence level.

        A model's rank is at least 1 plus the number of models that are better beyond doubt.

        Returns
        -------
        dict of str to tuple of two int
            First and last rank.

        References
        ----------
        Mogstad, Romano, Shaikh, Wilhelm (2024), Review of Economic Studies 91.
        """
        above, below = self.low > 0, self.high < 0
        wins, losses = (below, above) if self.better == "lower" else (above, below)
        size = len(self.names)
        return {name: (1 + int(losses[i].sum()), size - int(wins[i].sum())) for i, name in enumerate(self.names)}

    def by_name(self) -> dict[str, Estimate]:
        """Return the differences by name, such as ``"A − B"``."""
        return {f"{a} − {b}": each for (a, b), each in self.items()}

    def __getitem__(self, pair: tuple[str, str]) -> Estimate:
        a, b = pair if isinstance(pair, tuple) and len(pair) == 2 else (pair, pair)
        if not (isinstance(a, str) and isinstance(b, str)) or a == b or not {a, b} <= set(self.names):
            known = [f"{first} − {second}" for first, second in self]
            raise UnknownKeyError.unknown("pair", f"{a} − {b}", known)
        place = self.names.index(a), self.names.index(b)
        return Estimate(
            float(self.value[place]),
            low=float(self.low[place]),
            high=float(self.high[place]),
            metric=self.metric,
            confidence_level=self.confidence_level,
            method="max_t",
        )

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return combinations(self.names, 2)

    def __len__(self) -> int:
        return len(self.names) * (len(self.names) - 1) // 2

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per pair."""
        return [
            {
                "a": a,
                "b": b,
                "difference": each.value,
                "low": each.low,
                "high": each.high,
                "p_value": float(self.p_value[self.names.index(a), self.names.index(b)]),
            }
            for (a, b), each in self.items()
        ]

    def grid(self) -> Grid:
        """Return a table of strings, one row per pair."""
        rows = [
            (
                f"{each['a']} − {each['b']}",
                f"{each['difference']:+.4f}",
                f"[{each['low']:+.4f}, {each['high']:+.4f}]",
                f"{each['p_value']:.2g}",
            )
            for each in self.records()
        ]
        level = percent(self.confidence_level)
        headers = ("pair", "difference", f"simultaneous {level} interval", "adjusted p")
        return Grid(headers, tuple(rows))


def simultaneous_differences(
    draws: JointDraws,
    values: Mapping[str, float] | None = None,
    *,
    confidence_level: float = 0.95,
    better: Better = "higher",
) -> Differences:
    r"""Return simultaneous confidence intervals of all pairwise differences (max-\\|t\\|).

    Parameters
    ----------
    draws : mapping of str to array-like of shape (n_draws,) or Estimate
        Name → draws of the metric, by bootstrap or from the posterior, or an estimate with draws. Arrays are taken as
        joint draws. Estimates are joint if they come from one call of `evaluate_models`; otherwise their draws are
        paired at random.
    values : mapping of str to float, optional
        Name → observed value. The default is the estimates' values, or the means of the draws.
    confidence_level : float
        Probability that all intervals cover simultaneously.
    better : {"higher", "lower"}
        Which values are better, for `Differences.rank_sets`.

    Returns
    -------
    Differences
        The difference of each pair of models, with simultaneous limits.

    Raises
    ------
    HowsureError
        If there are fewer than two models, their draws differ in number, or fewer than two have every model defined.

    Notes
    -----
    The intervals are ``d_ij ± c * se_ij``, with c the quantile over the draws of
    ``max over pairs of |d*_ij - mean| / se_ij``. They account for the correlation of the models' errors, so they are
    narrower than Bonferroni's. The p-value of a pair is the proportion of draws whose largest deviation exceeds that of
    the pair. Pairs that never differ have neither.

    References
    ----------
    Westfall, Young (1993), Resampling-Based Multiple Testing.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> means = {"A": 9, "B": 0, "C": 0.5}
    >>> found = simultaneous_differences({name: rng.normal(mean, 1, 5000) for name, mean in means.items()})
    >>> found.rank_sets()
    {'A': (1, 1), 'B': (2, 3), 'C': (2, 3)}
    """
    level = checked_level(confidence_level)
    one_of("`better`", better, get_args(Better))
    of_each = draws.values() if isinstance(draws, Mapping) else [draws]
    if any(hasattr(each, "design") for each in of_each):
        raise HowsureError(
            "`simultaneous_differences` takes draws of each model. The differences of tables that hold together are "
            "`leaderboard(tables, metric).differences`."
        )
    if isinstance(draws, Mapping):  # groups may have numbers or tuples for names
        draws = {str(name): each for name, each in draws.items()}
    names, drawn = joint(draws)
    values = None if values is None else _stated(values, names)
    drawn = drawn[:, np.isfinite(drawn).all(0)]
    number = drawn.shape[1]
    if number < 2:
        raise HowsureError("Simultaneous intervals need at least two draws on which every model is defined.")
    observed = np.array([_observed(name, draws[name], values, drawn[i]) for i, name in enumerate(names)])
    difference = observed[:, None] - observed
    covariance = np.cov(drawn)
    spread = np.diag(covariance)
    variance = spread[:, None] + spread - 2 * covariance
    noise = 1e-12 * np.maximum(1.0, spread.max())
    error = np.sqrt(np.where(variance > noise, variance, np.nan))
    largest = _largest_deviation(drawn - drawn.mean(1, keepdims=True), error)
    critical = float(np.quantile(largest, level))
    with np.errstate(invalid="ignore"):
        statistic = np.abs(difference) / error
    exceeding = number - np.searchsorted(np.sort(largest), np.nan_to_num(statistic))
    p_value = np.where(np.isfinite(statistic), (1 + exceeding) / (1 + number), np.nan)
    half = critical * error
    metrics = {each.metric if isinstance(each, Estimate) else "" for each in draws.values()}
    metric = metrics.pop() if len(metrics) == 1 else ""
    return Differences(
        names=names,
        value=difference,
        low=difference - half,
        high=difference + half,
        p_value=p_value,
        confidence_level=level,
        critical=critical,
        better=better,
        metric=metric,
    )


def _stated(values: object, names: Sequence[str]) -> dict[str, float]:
    """Return the stated value of each model; refuse values that name other models."""
    found = {str(name): each for name, each in values.items()} if isinstance(values, Mapping) else {}
    if set(found) != set(names):
        given = listed(found) if isinstance(values, Mapping) else repr(values)
        raise HowsureError(f"`values` is the observed value of each model ({listed(names)}) by its name, not {given}.")
    return {name: real_number(f"values['{name}']", each) for name, each in found.items()}


def _observed(name: str, given: object, values: Mapping[str, float] | None, drawn: Array) -> float:
    if values is not None:
        return values[name]
    return given.value if isinstance(given, Estimate) else float(drawn.mean())


def _largest_deviation(centred: Array, error: Array) -> Array:
    largest = np.zeros(centred.shape[1])
    for first in range(len(centred) - 1):
        with np.errstate(invalid="ignore"):
            deviation = np.abs(centred[first] - centred[first + 1 :]) / error[first, first + 1 :, None]
        np.fmax(largest, np.fmax.reduce(deviation, axis=0), out=largest)
    return largest
