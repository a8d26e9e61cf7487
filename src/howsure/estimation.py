"""From a table and a metric to a number with its interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.expected.designs import Expected
from howsure.methods import DrawingMethod, Method, automatic, named, refuse_unfit
from howsure.methods.draws import seed_sequence
from howsure.methods.interval import CONSTANT, Interval
from howsure.methods.summary import Probability, Summary, probability_above, summarise
from howsure.metric import Metric
from howsure.spec import Spec, labels_to_expand, parse, resolve, undefined_classes
from howsure.table import SCORES, Counts, Table

Array = NDArray[Any]

DEFAULTS = {
    "binary": (
        "accuracy",
        "balanced_accuracy",
        "precision",
        "recall",
        "specificity",
        "npv",
        "f1",
        "mcc",
        "kappa",
    ),
    "multiclass": (
        "accuracy",
        "balanced_accuracy",
        "precision@macro",
        "recall@macro",
        "f1@macro",
        "f1@weighted",
        "mcc",
        "kappa",
    ),
    "scores": ("roc_auc", "average_precision"),
    "multiclass_scores": ("roc_auc@macro", "roc_auc@macro+multi_class=ovo", "average_precision@macro"),
    "multilabel_scores": ("roc_auc@macro", "roc_auc@micro", "average_precision@macro", "average_precision@micro"),
    "multilabel": (
        "precision@micro",
        "recall@micro",
        "f1@micro",
        "precision@macro",
        "recall@macro",
        "f1@macro",
        "f1@weighted",
        "jaccard@macro",
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A metric's value with its interval.

    Unpacks as ``value, (low, high)``, and is its value where a float is wanted. What is undefined is nan, with
    the reason in words.

    Parameters
    ----------
    metric
        Spec string of the metric.
    value, low, high
        The observed value and the limits of the interval.
    confidence_level
        Nominal coverage of the interval.
    method
        Name of the method.
    standard_error
        Standard error (of the draws, where there are some).
    draws
        Draws of the metric, where the method makes some.
    reason
        Why something is undefined, or what to know of the number; empty if nothing.

    Examples
    --------
    >>> import howsure as hs
    >>> estimate = hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall")
    >>> print(estimate)
    0.894 [0.774, 0.954]
    >>> value, (low, high) = estimate
    >>> round(value, 3)
    0.894
    """

    metric: str
    value: float
    low: float
    high: float
    confidence_level: float = 0.95
    method: str = ""
    standard_error: float = math.nan
    draws: Array | None = field(default=None, repr=False)
    reason: str = ""

    def __iter__(self) -> Iterator[Any]:
        yield self.value
        yield (self.low, self.high)

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        digits = significant_decimals(self.low, self.high)
        interval = f"[{self.low:.{digits}f}, {self.high:.{digits}f}]"
        text = f"{self.value:.{digits}f} {interval}"
        return f"{text} ({self.reason})" if self.reason else text

    def summary(self, confidence_level: float | None = None) -> Summary:
        """Return what the draws say (median, mean, mode, interval, shape), each number with its Monte Carlo error.

        Raises
        ------
        HowsureError
            If the method made no draws.
        """
        return summarise(self._drawn(), checked_level(confidence_level or self.confidence_level))

    def probability_above(self, threshold: float) -> Probability:
        """Return the share of the draws above a threshold, with its Monte Carlo error.

        Examples
        --------
        >>> import howsure as hs
        >>> table = hs.from_counts([[50, 3], [5, 42]])
        >>> estimate = hs.estimate(table, "recall", method="bayes", random_state=0)
        >>> probability, error = estimate.probability_above(0.85)
        >>> 0.75 < probability < 0.85, error < 0.01
        (True, True)
        """
        return probability_above(self._drawn(), threshold)

    def _drawn(self) -> Array:
        if self.draws is None:
            message = f"`{self.method}` makes no draws. Use 'bootstrap_percentile', 'bootstrap_bca' or 'bayes'."
            raise HowsureError(message)
        return self.draws

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, without the draws."""
        return {
            "metric": self.metric,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "confidence_level": self.confidence_level,
            "method": self.method,
            "standard_error": self.standard_error,
            "reason": self.reason,
        }

    def _repr_html_(self) -> str:
        from howsure.render import estimate_html

        return estimate_html(self)


def significant_decimals(low: float, high: float) -> int:
    """Decimals that show an interval's width to about two digits, at least 3 and at most 8."""
    width = high - low
    if not math.isfinite(width) or width <= 0:
        return 3
    return min(max(3, 1 - math.floor(math.log10(width))), 8)


def checked_level(confidence_level: float) -> float:
    """Return the level as a float; refuse what is not strictly between 0 and 1."""
    try:
        level = float(confidence_level)
    except (TypeError, ValueError):
        level = math.nan
    if 0 < level < 1:
        return level
    hint = f" Did you mean {level / 100:g}?" if 1 < level < 100 else ""  # noqa: PLR2004 - a percentage
    message = f"`confidence_level` must lie between 0 and 1, not {confidence_level!r}.{hint}"
    raise HowsureError(message)


def estimate(
    table: Table,
    metric: str | Spec | Metric,
    *,
    method: str | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Any = None,
    classes: Sequence[int] | None = None,
    threshold: float | None = None,
) -> Estimate:
    """Estimate one metric with its interval.

    Parameters
    ----------
    table
        From `confusion`, `from_counts` or another source.
    metric
        A spec string such as ``"mcc"``, ``"f1@macro"`` or ``"fbeta+beta=2@weighted"``, or a metric.
    method
        A method or its name; by default the one that suits the metric.
    confidence_level
        Coverage of the interval, between 0 and 1.
    random_state
        Seed of the methods that draw.
    classes
        Positions of the classes to average over; all by default.
    threshold
        For a metric of counts on a table of scores: a case is predicted positive when its score is at least that.

    Returns
    -------
    Estimate

    Raises
    ------
    HowsureError
        If the metric, the method or the level is not valid, or they do not fit each other.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> print(hs.estimate(table, "f1", confidence_level=0.9))
    0.913 [0.849, 0.951]
    >>> scores = hs.scores([0, 0, 1, 1, 1], [0.2, 0.6, 0.4, 0.7, 0.9])
    >>> round(hs.estimate(scores, "recall", threshold=0.5).value, 3)
    0.667
    """
    bound = resolve(metric, table, classes=classes, threshold=threshold)
    _check_threshold(threshold, table, [bound])
    return _estimates(table, [bound], named(method), checked_level(confidence_level), random_state)[0]


def _check_threshold(threshold: float | None, table: Table, metrics: Sequence[Metric]) -> None:
    if threshold is None:
        return
    if table.kind == "scores":
        if any(metric.definition for metric in metrics):
            return
        names = ", ".join(f"`{metric.name}`" for metric in metrics)
        message = f"`threshold` is for metrics of counts, and {names} look at all scores. Drop it, or name such."
    else:
        message = "`threshold` is for tables of scores, and this one holds predictions: drop it."
    raise HowsureError(message)


def _estimates(
    table: Table, metrics: Sequence[Metric], method: Method | None, level: float, random_state: Any
) -> tuple[Estimate, ...]:
    names = [metric.name for metric in metrics]
    method = named(table.design.method or None) if method is None else method
    refuse_unfit(method, table)
    if len(metrics) == 1 or (table.kind == "scores" and all(metric.smaller for metric in metrics)):
        own = [_own_table(table, metric) for metric in metrics]  # whose few cells say all that the many could
        table, metrics = own[0][0] if own else table, [metric for _, metric in own]
    if isinstance(method, DrawingMethod):
        intervals = method.intervals(metrics, table, level, random_state)
        pairs: list[tuple[Method, Interval]] = [(method, interval) for interval in intervals]
    else:
        pairs = [_analytic(table, metric, method, level, random_state) for metric in metrics]
    return tuple(
        finished(name, *_own_table(table, metric), level, *pair)
        for name, metric, pair in zip(names, metrics, pairs, strict=True)
    )


def _own_table(table: Table, metric: Metric) -> tuple[Table, Metric]:
    """Return the smaller table that a metric looks at, where there is one, with the metric of it."""
    return (table, metric) if metric.smaller is None else metric.smaller(table)


def _analytic(
    table: Table, metric: Metric, method: Method | None, level: float, random_state: Any
) -> tuple[Method, Interval]:
    small, same = _smallest(*_own_table(table, metric))
    chosen = automatic(same, small) if method is None else method
    return chosen, chosen.interval(same, small, level, random_state)


def finished(name: str, table: Table, metric: Metric, level: float, method: Method, interval: Interval) -> Estimate:
    """Return the estimate that a metric's interval belongs to."""
    counts = Counts(table.counts, table.kind)
    value = float(metric(counts))
    reason = undefined_reason(metric, table) if math.isnan(value) else interval.reason or partial_reason(metric, counts)
    return Estimate(
        name,
        value,
        interval.low,
        interval.high,
        level,
        method.name,
        interval.standard_error,
        interval.draws,
        _explained(table, reason),
    )


def _explained(table: Table, reason: str) -> str:
    """Return what to know of an estimate, with what it rests on where its counts are not counted cases."""
    known = isinstance(table.design, Expected) and table.design.is_exact
    parts = ("" if reason == CONSTANT and known else reason, table.design.note)
    return "; ".join(part for part in parts if part)


def _smallest(table: Table, metric: Metric) -> tuple[Table, Metric]:
    """Return the 2×2 table and its metric, where the metric looks at one of many classes."""
    if metric.positive is None or table.counts.shape == (2, 2) or metric.definition is None:
        return table, metric
    small = table.one_against_rest(metric.positive)
    if small is None:
        return table, metric
    return small, _on_two_classes(metric, small)


def _on_two_classes(metric: Metric, small: Table) -> Metric:
    return resolve(replace(parse(metric.name), average="binary", positive_class=None), small)


def undefined_reason(metric: Metric, table: Table) -> str:
    """Say in words why a metric is undefined on a table."""
    if table.kind in SCORES:
        return "undefined: one of the classes has no case"
    counts = Counts(table.counts, table.kind)
    if metric.per_class is not None and (metric.per_class(counts) < 0).any():
        return f"`{metric.name}` is undefined here: the value of a class is negative"
    if metric.positive is None:
        return f"`{metric.name}` is undefined here: a denominator is zero"
    tp, fn, fp, tn = (float(part) for part in counts.outcomes(metric.positive))
    missing = [
        words
        for empty, words in (
            (tp + fn == 0, "no case of the class"),
            (fp + tn == 0, "no case of any other class"),
            (tp + fp == 0, "no prediction of the class"),
            (fn + tn == 0, "no prediction of any other class"),
        )
        if empty
    ]
    if missing:
        return f"undefined: there is {', '.join(missing)}"
    return "undefined: a denominator is zero"


def partial_reason(metric: Metric, counts: Counts) -> str:
    """Say how many classes an average leaves out because the metric is undefined on them."""
    missing, number = undefined_classes(metric, counts)
    what = "pairs of classes" if metric.name.endswith("multi_class=ovo") else "classes"
    return f"averaged without {missing} of {number} {what}, where it is undefined" if missing else ""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Several metrics of one table, each with its interval.

    ``evaluation["f1@macro"]`` is an `Estimate`; iterating gives them in order.
    """

    estimates: tuple[Estimate, ...]
    table: Table
    confidence_level: float = 0.95
    threshold: float | None = None
    method: Method | None = None  # None for what suits each metric
    seed: Any = None  # of the methods that draw

    def __getitem__(self, metric: str) -> Estimate:
        for each in self.estimates:
            if each.metric == metric:
                return each
        canonical = resolve(metric, self.table, threshold=self.threshold).name
        for each in self.estimates:
            if each.metric == canonical:
                return each
        raise HowsureError.unknown("metric of this evaluation", metric, [each.metric for each in self.estimates])

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    @property
    def draws(self) -> Array:
        """The draws of all metrics, a structured array with one field a metric; one row is one drawn table.

        Raises
        ------
        HowsureError
            If the method made no draws.
        """
        rows = [each.draws for each in self.estimates if each.draws is not None]
        if len(rows) < len(self.estimates):
            message = (
                "There are no draws: the method makes none. Use 'bootstrap_percentile', 'bootstrap_bca' or 'bayes'."
            )
            raise HowsureError(message)
        names = dict.fromkeys(each.metric for each in self.estimates)  # one metric may be named twice
        joint = np.empty(len(rows[0]), dtype=[(name, float) for name in names])
        for each, row in zip(self.estimates, rows, strict=True):
            joint[each.metric] = row
        return joint

    def correlations(self) -> dict[str, dict[str, float]]:
        """Return how the metrics' draws correlate, over the draws on which all are defined."""
        draws = self.draws
        names = [each.metric for each in self.estimates]
        columns = np.array([draws[name] for name in names])
        matrix = np.atleast_2d(np.corrcoef(columns[:, np.isfinite(columns).all(0)]))
        return {
            name: dict(zip(names, (float(value) for value in row), strict=True))
            for name, row in zip(names, matrix, strict=True)
        }

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the estimates' fields by metric."""
        return {each.metric: each.to_dict() for each in self.estimates}

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record an estimate."""
        return [each.to_dict() for each in self.estimates]

    def to_pandas(self) -> Any:
        """Return a pandas frame, one row a metric."""
        from howsure.render import to_frame

        return to_frame(self.records(), "pandas")

    def to_polars(self) -> Any:
        """Return a Polars frame, one row a metric."""
        from howsure.render import to_frame

        return to_frame(self.records(), "polars")

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        from howsure.render import evaluation_markdown

        return evaluation_markdown(self)

    def to_html(self, title: str = "") -> str:
        """Return a report as one page that needs no other file: see `report_of`.

        Raises
        ------
        HowsureError
            If Jinja2 is not installed.
        """
        from howsure.report.summary import report_of_evaluation

        return report_of_evaluation(self, title).to_html()

    def __str__(self) -> str:
        from howsure.render import evaluation_text

        return evaluation_text(self)

    def _repr_html_(self) -> str:
        from howsure.render import evaluation_html

        return evaluation_html(self)


def default_metrics(table: Table, threshold: float | None = None) -> tuple[str, ...]:
    """Return the metrics that `evaluate` reports when none are named."""
    if table.kind in DEFAULTS:
        return DEFAULTS[table.kind] + (() if threshold is None else DEFAULTS["binary"])
    return DEFAULTS["binary" if len(table.labels) == 2 else "multiclass"]  # noqa: PLR2004


def evaluate(
    table: Table,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    *,
    method: str | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Any = None,
    threshold: float | None = None,
) -> Evaluation:
    """Estimate many metrics of one table.

    Parameters
    ----------
    table
        From `confusion`, `from_counts` or another source.
    metrics
        Spec strings or metrics; ``"f1@none"`` gives one estimate a class. By default a usual selection.
    method
        A method or its name; by default the one that suits each metric.
    confidence_level
        Coverage of each interval.
    random_state
        Seed of the methods that draw; all metrics share one stream of draws.
    threshold
        For metrics of counts on a table of scores: a case is predicted positive when its score is at least that.
        Metrics of scores, which look at all thresholds, may stand beside them.

    Returns
    -------
    Evaluation

    Raises
    ------
    HowsureError
        If a metric, the method or the level is not valid, or they do not fit each other.

    Examples
    --------
    >>> import howsure as hs
    >>> evaluation = hs.evaluate(hs.from_counts([[50, 3], [5, 42]]), ["accuracy", "f1"])
    >>> print(evaluation["f1"])
    0.913 [0.834, 0.956]
    >>> scores = hs.scores([0, 0, 1, 1, 1], [0.2, 0.6, 0.4, 0.7, 0.9])
    >>> [each.metric for each in hs.evaluate(scores, ["roc_auc", "f1"], threshold=0.5)]
    ['roc_auc', 'f1']
    """
    named_metrics = default_metrics(table, threshold) if metrics is None else metrics
    wanted = [named_metrics] if isinstance(named_metrics, str | Metric) else named_metrics
    level, chosen = checked_level(confidence_level), named(method)
    specs: list[str | Metric] = []
    for spec in wanted:
        specs += labels_to_expand(spec, table) or [spec]
    bound = [resolve(spec, table, threshold=threshold) for spec in specs]
    _check_threshold(threshold, table, bound)
    seed = seed_sequence(random_state) if isinstance(chosen, DrawingMethod) else random_state
    return Evaluation(_estimates(table, bound, chosen, level, seed), table, level, threshold, chosen, seed)
