"""The `Estimate` class: a number with its interval."""

from __future__ import annotations

import html
import math
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, ClassVar, NoReturn, Self

from howsure.arrays import Array
from howsure.estimates.draws_mixin import Drawn
from howsure.estimates.sentences import Style, sentence_of
from howsure.grids import Grid, OneRecord
from howsure.methods.core.interval import Interval
from howsure.methods.core.method import Method
from howsure.methods.default import WHY
from howsure.metrics.metric import Metric
from howsure.metrics.spec import range_named
from howsure.numbers import interval_text, number, percent, significant_decimals, value_text
from howsure.tables.table import Table


class Estimate(OneRecord, Drawn, float):
    """Value of a metric with its interval.

    An estimate is a float, so it works in arithmetic, comparisons, ``round``, ``max``, arrays, frames, JSON and
    scorers. It unpacks as ``value, (low, high)``. Undefined values are nan, with a reason. Arithmetic returns plain
    floats, because it does not propagate intervals.

    Parameters
    ----------
    value : float
        The observed value.
    low, high : float
        Limits of the interval.
    metric : str
        Spec string of the metric.
    confidence_level : float
        Nominal coverage probability of the interval, between 0 and 1.
    method : str
        Name of the method.
    standard_error : float
        Standard error; for methods that draw, the standard deviation of the draws.
    draws : ndarray of shape (n_draws,), optional
        Draws of the metric, if the method makes any.
    reason : str
        Why the value or the interval is undefined, or a caveat; empty if there is none.
    stream : hashable, optional
        Token of the joint stream of drawn tables behind the draws: draw d of all estimates with equal tokens is of the
        same table. None without draws, or if their origin is unknown.
    bounds : tuple of two float, optional
        Smallest and largest possible value of the metric; by default those of the metric of that name, or infinite if
        there is no such metric.
    positive : str
        Name of the positive class, if the metric depends on the choice between two named classes; empty for other
        metrics, and for classes 0 and 1.
    is_positive_stated : bool
        Whether the caller named the positive class. If not, it is the last one in alphabetical order, and is printed
        with the value.
    label : str, optional
        The metric as requested, such as ``"sensitivity"``, with the arguments of an operating point; it is printed. By
        default the spec string of the metric.
    cases : int
        Number of cases behind the estimate; 0 if it is unknown.
    counts : tuple of two int, optional
        Numerator and denominator, if the metric is a proportion of unweighted cases.

    Examples
    --------
    >>> import howsure as hs
    >>> estimate = hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "recall")
    >>> print(estimate)
    0.894 [0.780, 0.960]
    >>> estimate.method, estimate.why
    ('mid_p', 'a proportion of cases with equal weights: its coverage is near the nominal level, also near 0 and 1')
    >>> value, (low, high) = estimate
    >>> f"{estimate:.2f}", estimate > 0.8, round(1 - estimate, 2)
    ('0.89', True, 0.11)
    """

    __slots__ = (
        *("bounds", "cases", "confidence_level", "counts", "draws", "high", "is_positive_stated", "label", "low"),
        *("method", "metric", "positive", "reason", "standard_error", "stream"),
    )

    ndim: ClassVar[int] = 0  # pandas then treats the estimate as a scalar, although it can be unpacked
    bounds: tuple[float, float]
    cases: int
    counts: tuple[int, int] | None
    label: str
    low: float
    high: float
    metric: str
    confidence_level: float
    method: str
    standard_error: float
    draws: Array | None
    reason: str
    stream: Hashable
    positive: str
    is_positive_stated: bool

    def __new__(
        cls,
        value: float,
        *,
        low: float,
        high: float,
        metric: str,
        confidence_level: float = 0.95,
        method: str = "",
        standard_error: float = math.nan,
        draws: Array | None = None,
        reason: str = "",
        stream: Hashable = None,
        bounds: tuple[float, float] | None = None,
        positive: str = "",
        is_positive_stated: bool = True,
        label: str | None = None,
        cases: int = 0,
        counts: tuple[int, int] | None = None,
    ) -> Self:
        """Return the estimate; see the class."""
        self = super().__new__(cls, value)
        put = object.__setattr__
        put(self, "low", float(low))
        put(self, "high", float(high))
        put(self, "metric", metric)
        put(self, "confidence_level", confidence_level)
        put(self, "method", method)
        put(self, "standard_error", float(standard_error))
        put(self, "draws", draws)
        put(self, "reason", reason)
        put(self, "stream", stream)
        put(self, "bounds", range_named(metric) if bounds is None else bounds)
        put(self, "positive", positive)
        put(self, "is_positive_stated", is_positive_stated)
        put(self, "label", metric if label is None else label)
        put(self, "cases", cases)
        put(self, "counts", counts)
        return self

    @property
    def value(self) -> float:
        """The observed value, as a plain float."""
        return float(self)

    @property
    def why(self) -> str:
        """Why the method is the default; empty for methods that are never the default."""
        return WHY.get(self.method, "")

    def replace(self, **changes: object) -> Estimate:
        """Return a copy of the estimate with other fields.

        Parameters
        ----------
        **changes
            ``value`` and the parameters of `Estimate`. If ``metric`` changes, it is also the label unless a label is
            given.

        Returns
        -------
        Estimate
        """
        named = {"label": changes["metric"]} if "metric" in changes else {}
        return _made({"value": self.value, **self._fields(), **named, **changes})

    __replace__ = replace

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"An estimate cannot be changed: make another with `replace({name}=...)`.")

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, ({"value": self.value, **self._fields()},)

    def __iter__(self) -> Iterator[Any]:
        yield self.value
        yield (self.low, self.high)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    def __str__(self) -> str:
        return self._text("" if self.is_positive_stated else self.positive)

    def __repr__(self) -> str:
        return f"Estimate({f'{self.label} = ' if self.label else ''}{self._text(self.positive)})"

    def _text(self, positive: str) -> str:
        notes = [f"positive: {positive}"] * bool(positive) + [self.reason] * bool(self.reason)
        text = value_text(self.value, self.low, self.high)
        return f"{text} ({'; '.join(notes)})" if notes else text

    def sentence(self, style: Style = "clinical") -> str:
        """Return the estimate as a sentence with the interval, the number of cases and the method.

        Parameters
        ----------
        style : {"clinical", "ml", "card"}
            Style of a clinical paper, with numerator and denominator; of a machine-learning paper, in per cent; or of a
            model card, in plain words.

        Returns
        -------
        str

        Raises
        ------
        HowsureError
            If the style is unknown.

        Examples
        --------
        >>> import howsure as hs
        >>> sensitivity = hs.estimate(hs.from_counts(tp=42, fn=5, fp=3, tn=50), "sensitivity")
        >>> print(sensitivity.sentence())
        Sensitivity was 0.894 (95% CI 0.780 to 0.960; 42 of 47; mid-p exact interval).
        >>> print(sensitivity.sentence("ml"))
        Sensitivity: 89.4 % (95 % CI 78.0–96.0 %, n = 100; mid-p exact interval).
        """
        return sentence_of(self, style)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, without the draws."""
        return {
            "metric": self.label,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "confidence_level": self.confidence_level,
            "method": self.method,
            "standard_error": self.standard_error,
            "reason": self.reason,
            "positive": self.positive,
        }

    def grid(self) -> Grid:
        """Return a table of strings with one row."""
        return estimate_grid([self], self.confidence_level)

    def _repr_html_(self) -> str:
        text = html.escape(f"({percent(self.confidence_level)} interval, {self.method})")
        return f"<span><b>{html.escape(self.label)}</b> {html.escape(str(self))} <small>{text}</small></span>"


def _made(fields: dict[str, Any]) -> Estimate:
    return Estimate(**fields)


@dataclass(frozen=True, slots=True)
class Quantity:
    """Names of an estimated quantity: spec string, requested label, positive class, and number of cases."""

    metric: str
    label: str
    positive: str = ""
    is_positive_stated: bool = True
    cases: int = 0

    @classmethod
    def of(cls, metric: Metric, table: Table | None = None) -> Self:
        """Return the names of a metric; with a table also the positive class, if the metric depends on it."""
        if table is None:
            return cls(metric.name, metric.label)
        stated = metric.spec is not None and metric.spec.positive_class is not None
        depends = "scores" in table.data_kinds or (metric.positive is not None and not stated)
        positive = (table.positive, table.is_ordered) if depends else ("", True)
        return cls(metric.name, metric.label, *positive, 0 if table.batch else int(table.rows))


def positive_class(metric: Metric, table: Table) -> str:
    """Return the positive class if it has a name and the metric, or the metric that is compared, depends on it."""
    if metric.contrast is None:
        return Quantity.of(metric, table).positive
    side = metric.contrast.first
    return Quantity.of(side.metric, side.view.table(table)).positive


def estimate_of(
    metric: Metric,
    quantity: Quantity,
    value: float,
    interval: Interval,
    level: float,
    method: Method,
    counts: tuple[int, int] | None = None,
) -> Estimate:
    """Return the estimate of a metric; ``metric`` may be bound to a smaller table than the requested one."""
    return Estimate(
        value,
        low=interval.low,
        high=interval.high,
        metric=quantity.metric,
        label=quantity.label,
        cases=quantity.cases,
        counts=counts,
        confidence_level=level,
        method=method.name,
        standard_error=interval.standard_error,
        draws=interval.draws,
        reason=interval.reason,
        stream=interval.stream,
        bounds=metric.range,
        positive=quantity.positive,
        is_positive_stated=quantity.is_positive_stated,
    )


def estimates_of(values: Sequence[float], **columns: Iterable[object]) -> list[Estimate]:
    """Return many estimates without draws at once, which is faster than one by one.

    Parameters
    ----------
    values : sequence of float
        The observed values.
    **columns : iterable
        Values of the other parameters of `Estimate`, one per estimate in order; infinite iterators of a constant are
        allowed.
    """
    made = list(map(float.__new__, repeat(Estimate), values))
    usual = {"draws": None, "stream": None, "positive": "", "is_positive_stated": True, "cases": 0, "counts": None}
    for name, column in ({each: repeat(value) for each, value in usual.items()} | columns).items():
        deque(map(getattr(Estimate, name).__set__, made, column), maxlen=0)  # only its slots can be set
    return made


def estimate_grid(estimates: Iterable[Estimate], level: float) -> Grid:
    """Return a table of strings with metric, value, interval, standard error and method of each estimate."""
    listed = list(estimates)
    rows = []
    for each in listed:
        decimals = significant_decimals(each.low, each.high)
        interval = interval_text(each.low, each.high, decimals)
        error = number(each.standard_error, decimals + 1)
        rows.append((each.label, number(each.value, decimals), interval, error, each.method))
    headers = ("metric", "value", f"{percent(level)} interval", "std. error", "method")
    return Grid(headers, tuple(rows), "; ".join([*_notes(listed), *positive_notes(listed)]))


def positive_notes(results: Iterable[object]) -> list[str]:
    """Return a note that names the positive class of results that depend on it."""
    classes = dict.fromkeys(filter(None, (getattr(each, "positive", "") for each in results)))
    return [f"positive class: {label}" for label in classes]


def _notes(estimates: list[Estimate]) -> list[str]:
    """Return the reasons, each preceded by the metrics that it applies to unless it applies to all."""
    about: dict[str, list[str]] = {}
    for each in estimates:
        about.setdefault(each.reason, []).append(each.label)
    return [
        reason if 1 < len(names) == len(estimates) else f"{', '.join(names)}: {reason}"
        for reason, names in about.items()
        if reason
    ]
