"""Two models compared: on the same cases, or on different ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from howsure.contrast import EFFECTS, Contrast, Side, contrast_metric
from howsure.errors import HowsureError
from howsure.estimation import Estimate, checked_level, estimate, significant_decimals
from howsure.methods import Bootstrap, DeLong, Delta, Dirichlet, DrawingMethod, Method, automatic, named
from howsure.methods.draws import seed_sequence
from howsure.methods.interval import Interval
from howsure.methods.inversion import Limits, p_text, p_value
from howsure.methods.summary import Probability, probability_above
from howsure.metric import Metric
from howsure.spec import Spec, resolve
from howsure.table import Counts, Table, side_by_side

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Rope:
    """How much of the draws lies below, inside and above a region of practical equivalence.

    ``bayes_factor`` is how much the data have raised the odds of the region against the rest, over what the prior
    alone says; nan for draws that have no prior. Each number comes with its Monte Carlo error.
    """

    low: float
    high: float
    below: Probability
    inside: Probability
    above: Probability
    bayes_factor: Probability


@dataclass(frozen=True, slots=True)
class MarginTest:
    """A test of non-inferiority or equivalence for a margin.

    ``shown`` says whether the p-value is below one minus the confidence level.
    """

    question: Literal["non-inferiority", "equivalence"]
    margin: float
    p_value: float
    shown: bool
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The contrast of a metric of two models, with its interval.

    Parameters
    ----------
    metric
        Spec string of the metric.
    contrast
        ``"difference"`` (first − second), ``"ratio"`` or ``"odds_ratio"``.
    a, b
        Estimates of the first and the second model.
    names
        The names of the two models.
    value, low, high
        The observed contrast and the limits of its interval.
    p_value
        Two-sided p-value of no difference: one less the level at which the interval would end there. nan for
        posterior draws.
    standard_error
        Standard error of the contrast (of the draws, where there are some).
    confidence_level, method, draws, reason
        As of an `Estimate`.
    rope
        Probabilities of the region of practical equivalence, where one was given and the method draws.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired([1, 1, 0, 0, 1, 0], {"A": [1, 1, 0, 1, 1, 0], "B": [1, 0, 0, 1, 0, 1]})
    >>> print(hs.compare(table, "accuracy"))
    accuracy: A − B = 0.500 [-0.086, 0.812], p = 0.083
    """

    metric: str
    contrast: str
    a: Estimate
    b: Estimate
    names: tuple[str, str]
    value: float
    low: float
    high: float
    p_value: float
    standard_error: float
    confidence_level: float
    method: str
    better: str = "higher"
    draws: Array | None = field(default=None, repr=False)
    rope: Rope | None = None
    reason: str = ""
    _limits: Limits = field(default=lambda level: (math.nan, math.nan), repr=False)  # noqa: ARG005

    def __str__(self) -> str:
        effect = EFFECTS[self.contrast]
        digits = significant_decimals(self.low, self.high)
        interval = f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"
        text = f"{self.metric}: {self.names[0]} {effect.sign} {self.names[1]} = {interval}"
        text += "" if math.isnan(self.p_value) else f", {p_text(self.p_value)}"
        return f"{text} ({self.reason})" if self.reason else text

    @property
    def null(self) -> float:
        """The contrast of two equal models: 0, or 1 for a ratio."""
        return EFFECTS[self.contrast].null

    @property
    def probability_greater(self) -> Probability:
        """Probability that the first model's metric is the greater one, with its Monte Carlo error.

        Of posterior draws it is that, given the prior; of bootstrap draws the share of resamples, which comes close to
        it under a flat prior.

        Raises
        ------
        HowsureError
            If the method made no draws.
        """
        return probability_above(self._drawn(), self.null)

    @property
    def probability_of_direction(self) -> Probability:
        """Probability of the likelier direction, between 0.5 and 1, with its Monte Carlo error."""
        greater, less = self.probability_greater, probability_above(-self._drawn(), -self.null)
        return greater if greater.value >= less.value else less

    def non_inferiority(self, margin: float) -> MarginTest:
        """Test whether the first model is worse than the second by less than a margin.

        Parameters
        ----------
        margin
            Positive, in the metric's units; chosen before the data were seen.
        """
        self._check_margin(margin)
        is_higher = self.better != "lower"
        p = self._one_sided(-margin if is_higher else margin, above=is_higher)
        first, second = self.names
        if p <= 1 - self.confidence_level:
            words = f"The data show that {first} is not worse than {second} by {margin:g} or more"
        else:
            words = f"The data do not show that {first} is worse than {second} by less than {margin:g}"
        return self._margin_test("non-inferiority", margin, p, words)

    def equivalence(self, margin: float) -> MarginTest:
        """Test whether the two models differ by less than a margin either way (two one-sided tests).

        Parameters
        ----------
        margin
            Positive, in the metric's units; chosen before the data were seen.

        References
        ----------
        Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15.
        """
        self._check_margin(margin)
        p = max(self._one_sided(-margin, above=True), self._one_sided(margin, above=False))
        first, second = self.names
        if p <= 1 - self.confidence_level:
            words = f"The data show that {first} and {second} differ by less than {margin:g}"
        else:
            words = f"The data do not show that {first} and {second} differ by less than {margin:g}"
        return self._margin_test("equivalence", margin, p, words)

    def _margin_test(
        self, question: Literal["non-inferiority", "equivalence"], margin: float, p: float, words: str
    ) -> MarginTest:
        from howsure.render import percent

        size = 1 - self.confidence_level
        sentence = f"{words} in {self.metric} (one-sided {p_text(p)}, tested at {percent(round(size, 12))})."
        if math.isnan(p):
            sentence = f"{question.capitalize()} in {self.metric} cannot be tested: {self.reason or 'no interval'}."
        elif p > size:
            sentence += " That is not evidence of the opposite."
        return MarginTest(question, margin, p, bool(p <= size), sentence)

    def _check_margin(self, margin: float) -> None:
        if self.contrast != "difference":
            message = f"A margin is for a difference, not for contrast='{self.contrast}'."
            raise HowsureError(message)
        if not (isinstance(margin, int | float) and margin > 0 and math.isfinite(margin)):
            message = f"`margin` is the largest difference that does not matter, a positive number, not {margin!r}."
            raise HowsureError(message)

    def _one_sided(self, null: float, *, above: bool) -> float:
        """Return the p-value of the contrast not being above (or below) a value."""
        if self.draws is not None and self.method == Dirichlet.name:
            beyond = probability_above(self.draws if above else -self.draws, null if above else -null)
            return 1 - beyond.value
        two_sided = p_value(self._limits, self.value, null)
        return two_sided / 2 if (self.value > null) == above else 1 - two_sided / 2

    def _drawn(self) -> Array:
        if self.draws is None:
            message = f"`{self.method}` makes no draws. Use method='bayes' or 'bootstrap_percentile'."
            raise HowsureError(message)
        return self.draws

    def sentence(self) -> str:
        """Return what the numbers mean, in plain words that claim no more than they say."""
        from howsure.render import comparison_sentence

        return comparison_sentence(self)

    def to_dict(self) -> dict[str, Any]:
        """Return one flat record, without the draws."""
        record = {
            "metric": self.metric,
            "contrast": self.contrast,
            "first": self.names[0],
            "second": self.names[1],
            "first_value": self.a.value,
            "second_value": self.b.value,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "p_value": self.p_value,
            "standard_error": self.standard_error,
            "confidence_level": self.confidence_level,
            "method": self.method,
            "reason": self.reason,
        }
        if self.draws is not None:
            record["probability_greater"] = self.probability_greater.value
        if self.rope is not None:
            parts = {"below": self.rope.below, "inside": self.rope.inside, "above": self.rope.above}
            record |= {f"rope_{name}": part.value for name, part in parts.items()}
        return record

    def records(self) -> list[dict[str, Any]]:
        """Return the record in a list, as of a comparison of many models."""
        return [self.to_dict()]

    def to_pandas(self) -> Any:
        """Return a pandas frame of one row."""
        from howsure.render import to_frame

        return to_frame(self.records(), "pandas")

    def to_polars(self) -> Any:
        """Return a Polars frame of one row."""
        from howsure.render import to_frame

        return to_frame(self.records(), "polars")

    def to_markdown(self) -> str:
        """Return a Markdown table: either model, and the contrast."""
        from howsure.render import comparison_grid

        return comparison_grid([self]).markdown()

    def _repr_html_(self) -> str:
        from howsure.render import comparison_grid

        return comparison_grid([self]).html()


def compare(
    table: Table,
    *others: Table | str | Spec | Metric,
    a: str | None = None,
    b: str | None = None,
    method: str | Method | None = None,
    contrast: str = "difference",
    confidence_level: float = 0.95,
    rope: float | tuple[float, float] | None = None,
    random_state: Any = None,
) -> Comparison:
    """Compare a metric of two models.

    Parameters
    ----------
    table, *others
        ``compare(paired_table, metric)`` for models on the same cases; ``compare(table_a, table_b, metric)`` for
        different test sets. The metric is a spec string such as ``"f1@macro"``.
    a, b
        Names of the two models: of a paired table those to compare, by default its first two; of two tables what to
        call them.
    method
        A method or its name. By default Tango's score interval for a difference of shares of the same cases,
        DeLong's for areas under the curve, MOVER for different test sets, else the delta method.
    contrast
        ``"difference"``, ``"ratio"`` or ``"odds_ratio"``, of the first by the second.
    confidence_level
        Coverage of the interval.
    rope
        Region of practical equivalence: its limits, or the largest difference either way. For methods that draw.
    random_state
        Seed of the methods that draw.

    Returns
    -------
    Comparison

    Raises
    ------
    HowsureError
        If a name, the metric, the method or the level is not valid, or they do not fit each other.

    Examples
    --------
    >>> import howsure as hs
    >>> first, second = hs.from_counts([[50, 3], [5, 42]]), hs.from_counts([[40, 13], [9, 38]])
    >>> print(hs.compare(first, second, "accuracy", a="new", b="old"))
    accuracy: new − old = 0.140 [0.041, 0.239], p = 0.006
    """
    if contrast not in EFFECTS:
        raise HowsureError.unknown("contrast", contrast, EFFECTS)
    level, chosen = checked_level(confidence_level), named(method)
    joint, sides = _sides(table, others, a, b)
    metric = contrast_metric(EFFECTS[contrast], *sides)
    return compared(joint, metric, chosen, level, random_state, rope)


def _sides(table: Table, others: tuple[Any, ...], a: str | None, b: str | None) -> tuple[Table, tuple[Side, Side]]:
    """Return the joint table and the two models' sides of it."""
    if len(others) == 2 and isinstance(others[0], Table):  # noqa: PLR2004 - table and metric
        return _separate_sides(table, others[0], others[1], a, b)
    if len(others) != 1 or isinstance(others[0], Table):
        message = "Call `compare(paired_table, metric)` or `compare(table_a, table_b, metric)`."
        raise HowsureError(message)
    models = table.models
    first = models[0] if a is None else a
    rest = [name for name in models if name != first]
    second = rest[0] if b is None else b
    for name in (first, second):
        if name not in models:
            raise HowsureError.unknown("model", str(name), models)
    if first == second:
        message = f"`a` and `b` are both '{first}'. Name two models: {', '.join(models)}."
        raise HowsureError(message)
    joint = table.narrowed([first, second])
    sides = [Side(name, resolve(others[0], joint.model(name)), joint.view(name)) for name in (first, second)]
    return joint, (sides[0], sides[1])


def _separate_sides(
    first: Table, second: Table, metric: str | Spec | Metric, a: str | None, b: str | None
) -> tuple[Table, tuple[Side, Side]]:
    if first.kind != second.kind or first.kind not in {"confusion", "multilabel", "scores"}:
        message = (
            f"The tables are of kinds '{first.kind}' and '{second.kind}'. Give two of one kind, of one model each."
        )
        raise HowsureError(message)
    joint, parts = side_by_side((first, second))
    names = (a or "first", b or "second")
    sides = [
        Side(name, resolve(metric, table), part)
        for name, table, part in zip(names, (first, second), parts, strict=True)
    ]
    return joint, (sides[0], sides[1])


def compared(
    joint: Table, metric: Metric, method: Method | None, level: float, random_state: Any = None, rope: Any = None
) -> Comparison:
    """Return the comparison that a contrast is on a joint table."""
    contrast = metric.contrast
    assert contrast is not None  # noqa: S101 - made by `contrast_metric`
    region = _region(rope, contrast)
    seed = seed_sequence(random_state)
    value = float(metric(Counts(joint.counts, joint.kind)))
    chosen = automatic(metric, joint) if method is None else method
    pair = (contrast.first, contrast.second)
    if isinstance(chosen, DrawingMethod):
        wanted = [metric, *(side.as_metric() for side in pair)]
        interval, *singles = chosen.intervals(wanted, joint, level, seed)
        a, b = (_drawn_estimate(side, joint, each, level, chosen) for side, each in zip(pair, singles, strict=True))
    else:
        interval = chosen.interval(metric, joint, level)
        single = chosen if isinstance(chosen, Delta | DeLong) else None
        a, b = (estimate(side.view.table(joint), side.metric, method=single, confidence_level=level) for side in pair)
    limits = _limits(chosen, metric, joint, interval, seed)
    reason = interval.reason
    if math.isnan(value):
        each_reason = ((side.name, each.reason) for side, each in zip(pair, (a, b), strict=True))
        reason = "; ".join(f"{name}: {words}" for name, words in each_reason if words)
        reason = reason or "undefined: the second model's value is at the end of its range"
    return Comparison(
        contrast.first.metric.name,
        contrast.effect.name,
        a,
        b,
        (contrast.first.name, contrast.second.name),
        value,
        interval.low,
        interval.high,
        p_value(limits, value, contrast.effect.null),
        interval.standard_error,
        level,
        chosen.name,
        metric.better,
        interval.draws,
        None if region is None else _rope(region, interval.draws, chosen, metric, joint, seed),
        reason,
        limits,
    )


def _drawn_estimate(side: Side, joint: Table, interval: Interval, level: float, method: Method) -> Estimate:
    value = float(side.value(Counts(joint.counts, joint.kind)))
    return Estimate(
        side.metric.name,
        value,
        interval.low,
        interval.high,
        level,
        method.name,
        interval.standard_error,
        interval.draws,
        interval.reason,
    )


def _limits(method: Method, metric: Metric, table: Table, interval: Interval, seed: Any) -> Limits:
    """Return the interval's limits as a function of the confidence level."""
    if isinstance(method, Bootstrap):
        draws = interval.draws if interval.draws is not None else np.empty(0)
        kept = draws[np.isfinite(draws)]
        if kept.size and np.ptp(kept) > 0:
            return method.limits(metric, table, kept, seed)
        method = Delta()
    if isinstance(method, DrawingMethod):
        return lambda level: (math.nan, math.nan)  # noqa: ARG005 - posterior draws test nothing

    def limits(level: float) -> tuple[float, float]:
        found = method.interval(metric, table, level)
        return found.low, found.high

    return limits


def _region(rope: Any, contrast: Contrast) -> tuple[float, float] | None:
    if rope is None:
        return None
    try:
        if not isinstance(rope, int | float):
            low, high = (float(end) for end in rope)
        elif contrast.effect.null == 0:
            low, high = -float(rope), float(rope)
        else:
            low, high = 1 / float(rope), float(rope)
    except (TypeError, ValueError, ZeroDivisionError):
        low = high = math.nan
    if not low < high:
        message = f"`rope` is a pair (low, high), or the largest difference that does not matter, not {rope!r}."
        raise HowsureError(message)
    return low, high


def _rope(
    region: tuple[float, float], draws: Array | None, method: Method, metric: Metric, joint: Table, seed: Any
) -> Rope:
    if draws is None:
        message = f"`rope` needs draws, and `{method.name}` makes none. Use method='bayes'."
        raise HowsureError(message)
    low, high = region
    above, below = probability_above(draws, high), probability_above(-draws, -low)
    inside = _within(draws, region)
    factor = Probability(math.nan, math.nan)
    if isinstance(method, Dirichlet):
        prior = replace(method, source="prior").draws([metric], joint, seed)[0]
        factor = _odds_ratio(inside, _within(prior, region))
    return Rope(low, high, below, inside, above, factor)


def _within(draws: Array, region: tuple[float, float]) -> Probability:
    kept = draws[np.isfinite(draws)]
    marked = ((kept >= region[0]) & (kept <= region[1])).astype(float)
    return probability_above(marked, 0.5)


def _odds_ratio(posterior: Probability, prior: Probability) -> Probability:
    """Return the ratio of the odds, with its Monte Carlo error by the delta method."""
    shares = (posterior.value, prior.value)
    if any(math.isnan(share) for share in shares) or prior.value in {0.0, 1.0}:
        return Probability(math.nan, math.nan)
    if posterior.value == 1:
        return Probability(math.inf, math.nan)
    ratio = posterior.value / (1 - posterior.value) / (prior.value / (1 - prior.value))
    if posterior.value == 0:
        return Probability(0.0, posterior.error / (prior.value / (1 - prior.value)))
    relative = math.hypot(*(each.error / (each.value * (1 - each.value)) for each in (posterior, prior)))
    return Probability(ratio, ratio * relative)
