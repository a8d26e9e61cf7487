"""The `Gaps` class: metrics of groups, the differences between them, and the largest difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from howsure.comparison.board import listed_models
from howsure.errors import HowsureError, listed, looked_up, one_of, real_number
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.estimates.grouped import Results
from howsure.estimates.named import Named
from howsure.estimates.sentences import capitalized
from howsure.grids import Grid, Tabular
from howsure.groups.needed import CasesNeeded, cases_needed
from howsure.groups.pairs import Gap, PairGaps
from howsure.metrics.descriptions import metric_words
from howsure.metrics.forms import Better
from howsure.numbers import interval_text, number, percent, significant_decimals

Against = Literal["between_groups", "to_overall"]
Aggregation = Literal["worst_case", "mean"]
PROJECTION = "projection"
NONE = {
    "difference": "fewer than two groups have a value with an interval",
    "ratio": "all values of a metric are 0, or may be negative",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Gaps(Tabular, Named):
    """Metrics of groups and the gaps between them, with intervals that cover simultaneously.

    The members follow Fairlearn's ``MetricFrame``: `by_group`, `overall`, `difference`, `ratio`, `group_min` and
    `group_max`.

    Parameters
    ----------
    by_group : Results of Results of Estimate
        Metric → group → value. The intervals of all groups and metrics cover simultaneously.
    overall : Results of Estimate
        Metric → value of all cases, with its own interval.
    differences : PairGaps
        Differences and ratios of all pairs of groups, or of each group to the reference.
    to_overall : PairGaps
        Differences and ratios of each group to all cases.
    shrunken : Results of Results of Estimate
        Metric → group → estimate that is moved towards the mean of the groups (partial pooling).
    better : mapping of str to {"higher", "lower", "neither"}
        Direction of each metric.
    cases : mapping of str to int
        Number of cases of each group.
    errors : mapping of str to mapping of str to float
        Metric → group → standard error, from the width of the interval.
    criterion : str
        The fairness criterion, if one was requested by its name.
    reference : str
        The reference group; empty if all pairs are compared.
    confidence_level : float
        Probability that all intervals of one kind cover.

    Examples
    --------
    >>> import howsure as hs
    >>> tables = {"a": hs.from_counts([[50, 3], [5, 42]]), "b": hs.from_counts([[40, 13], [9, 38]])}
    >>> gaps = hs.gaps(tables, "equalized_odds", random_state=0)
    >>> list(gaps.by_group), round(gaps.by_group["recall"]["a"].value, 3), round(gaps.difference().value, 3)
    (['recall', 'fpr'], 0.894, 0.189)
    """

    by_group: Results[Results[Estimate]]
    overall: Results[Estimate]
    differences: PairGaps
    to_overall: PairGaps
    shrunken: Results[Results[Estimate]]
    better: Mapping[str, Better]
    cases: Mapping[str, int]
    errors: Mapping[str, Mapping[str, float]]
    criterion: str = ""
    reference: str = ""
    confidence_level: float = 0.95

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics."""
        return tuple(self.by_group)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups."""
        return tuple(self.cases)

    def difference(
        self, metric: str | None = None, *, method: Against = "between_groups", agg: Aggregation = "worst_case"
    ) -> Estimate:
        """Return the largest difference between groups, with an interval that starts at 0 if they may be equal.

        Parameters
        ----------
        metric : str, optional
            One of the metrics; by default all, so that the result for ``"equalized_odds"`` is Fairlearn's
            ``equalized_odds_difference``.
        method : {"between_groups", "to_overall"}
            Largest minus smallest value (from the reference group, if there is one), or the largest distance of a group
            from the value of all cases.
        agg : {"worst_case", "mean"}
            Of several metrics: the largest of their differences, or the mean.

        Returns
        -------
        Estimate
            Its interval is the range of the largest difference within the simultaneous intervals of the differences.

        Raises
        ------
        HowsureError
            If there is no such metric, or an argument is unknown.
        """
        parts = self._parts(metric, method, agg)
        ends = [_largest([each.difference for each in of_one], span) for of_one, span in parts.values()]
        pick = np.max if agg == "worst_case" else np.mean
        return self._projected(ends, pick, "difference", metric, method, (0.0, max(span for _, span in parts.values())))

    def ratio(
        self, metric: str | None = None, *, method: Against = "between_groups", agg: Aggregation = "worst_case"
    ) -> Estimate:
        """Return the smallest ratio between groups, smallest over largest value, at most 1.

        Parameters
        ----------
        metric : str, optional
            One of the metrics; by default all.
        method : {"between_groups", "to_overall"}
            Ratios of groups to each other (or to the reference group), or to the value of all cases.
        agg : {"worst_case", "mean"}
            Of several metrics: the smallest of their ratios, or the mean.

        Returns
        -------
        Estimate
            Undefined where a value or limit is negative.

        Raises
        ------
        HowsureError
            If there is no such metric, or an argument is unknown.
        """
        parts = self._parts(metric, method, agg)
        ends = [_smallest([each.ratio for each in of_one]) for of_one, _ in parts.values()]
        pick = np.min if agg == "worst_case" else np.mean
        return self._projected(ends, pick, "ratio", metric, method, (0.0, 1.0))

    def group_min(self, metric: str | None = None) -> Estimate:
        """Return the smallest value of the groups; its interval is that within the groups' simultaneous intervals.

        Parameters
        ----------
        metric : str, optional
            The metric; needed if there are several.
        """
        return self._extreme(metric, np.min, "min")

    def group_max(self, metric: str | None = None) -> Estimate:
        """Return the largest value of the groups; its interval is that within the groups' simultaneous intervals.

        Parameters
        ----------
        metric : str, optional
            The metric; needed if there are several.
        """
        return self._extreme(metric, np.max, "max")

    def may_be_worst(self, metric: str | None = None) -> tuple[str, ...]:
        """Return the groups that may have the worst value: none of them is shown to be better than another group.

        Parameters
        ----------
        metric : str, optional
            The metric; needed if there are several.

        Returns
        -------
        tuple of str
            Empty for a metric that is neither better high nor low. Groups without a value are included.
        """
        name = self._one(metric)
        if self.better[name] == "neither":
            return ()
        sign = -1.0 if self.better[name] == "lower" else 1.0
        shown: set[str] = set()
        for each in self.differences.values():
            if each.metric == name and each.p_value <= 1 - self.confidence_level:
                shown.add(each.a if sign * each.value > 0 else each.b)
        return tuple(group for group in self.groups if group not in shown)

    def needed(self, margin: float, *, power: float | None = None) -> CasesNeeded:
        """Return how many cases each group would need.

        Parameters
        ----------
        margin : float
            Without power: largest distance of the limits from a difference between two groups. With power: a true
            difference that should be found.
        power : float, optional
            Probability of finding it, between 0 and 1.

        Returns
        -------
        CasesNeeded
            For each metric and group, if all groups are compared as here and all have the numbers stated. The share of
            cases that enter the metric, such as positive ones for recall, stays the same.

        Raises
        ------
        HowsureError
            If the margin is not positive or the power not between 0 and 1.
        """
        size = real_number("margin", margin)
        if not 0 < size < np.inf:
            raise HowsureError(f"`margin` is a positive number, a difference of the metric, not {margin!r}.")
        return cases_needed(self.errors, self.cases, self.differences.found.critical, size, power)

    def sentence(self, metric: str | None = None) -> str:
        """Return the largest difference of a metric in words; by default that of each metric.

        Parameters
        ----------
        metric : str, optional
            The metric.
        """
        return " ".join(map(self._sentence, self.metrics if metric is None else (self._known(metric),)))

    def _sentence(self, metric: str) -> str:
        worst, level = self.difference(metric), percent(self.confidence_level)
        several = [each for each in self.differences.values() if each.metric == metric and np.isfinite(each.value)]
        what = capitalized(metric_words(metric))
        if not several:
            return f"{what}: {worst.reason}."
        most = max(several, key=lambda each: abs(each.value))
        a, b = (most.a, most.b) if most.value >= 0 else (most.b, most.a)
        decimals = significant_decimals(worst.low, worst.high)
        found = "the groups may be equal" if not worst.low > 0 else "the groups differ"
        many = f"{len(self.groups)} groups"
        reason = f" ({worst.reason})" if worst.reason else ""
        return (
            f"{what}: the largest gap of {many} is {number(worst.value, decimals)}, {a} over {b} ({level} interval "
            f"{interval_text(worst.low, worst.high, decimals)}); {found}{reason}."
        )

    def by_name(self) -> dict[str, Gap]:
        """Return the gaps of all pairs by name, such as ``"a − b"``."""
        return self.differences.by_name()

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per metric and group."""
        found = []
        for metric, groups in self.by_group.items():
            worst = self.may_be_worst(metric)
            for group, each in groups.items():
                apart, pooled = self.to_overall[metric, group, ALL_CASES], self.shrunken[metric][group]
                own = {"metric": metric, "group": group, "cases": self.cases[group]}
                limits = {"value": each.value, "low": each.low, "high": each.high}
                shrunken = {"shrunken": pooled.value, "shrunken_low": pooled.low, "shrunken_high": pooled.high}
                to_all = {"to_overall": apart.value, "to_overall_low": apart.low, "to_overall_high": apart.high}
                rest = {"p_value": apart.p_value, "may_be_worst": group in worst}
                said = {"positive": each.positive, "reason": each.reason}
                found.append(own | limits | shrunken | to_all | rest | said)
        return found

    def grid(self) -> Grid:
        """Return a table of strings, one row per metric and group."""
        rows = []
        for each in self.records():
            decimals = significant_decimals(each["low"], each["high"])
            rows.append(
                (
                    each["group"],
                    each["metric"],
                    f"{each['cases']:,}",
                    number(each["value"], decimals),
                    interval_text(each["low"], each["high"], decimals),
                    number(each["shrunken"], decimals),
                    number(each["to_overall"], decimals),
                    interval_text(each["to_overall_low"], each["to_overall_high"], decimals),
                    "maybe" if each["may_be_worst"] else "–" if self.better[each["metric"]] == "neither" else "no",
                )
            )
        level = percent(self.confidence_level)
        headers = ("group", "metric", "cases", "value", f"{level} interval", "shrunken", "to all", f"{level} interval")
        estimates = [each for groups in self.by_group.values() for each in groups.values()]
        return Grid((*headers, "worst"), tuple(rows), " ".join([self.sentence(), *_capital(positive_notes(estimates))]))

    def _one(self, metric: str | None) -> str:
        if metric is None and len(self.metrics) > 1:
            raise HowsureError(f"There are several metrics: name one of {listed(self.metrics)}.")
        return self._known(self.metrics[0] if metric is None else metric)

    def _known(self, metric: str) -> str:
        looked_up("metric of these gaps", metric, self.by_group)
        return metric

    def _parts(self, metric: str | None, method: str, agg: str) -> dict[str, tuple[list[Gap], float]]:
        """Return the gaps of each requested metric, and the length of its range."""
        one_of("`method`", method, get_args(Against))
        one_of("`agg`", agg, get_args(Aggregation))
        wanted = self.metrics if metric is None else (self._known(metric),)
        table = self.differences if method == "between_groups" else self.to_overall
        spans = {name: high - low for (name, *_), (low, high) in zip(table.pairs, table.bounds, strict=True)}
        every = list(table.values())
        return {name: ([each for each in every if each.metric == name], spans[name]) for name in wanted}

    def _projected(
        self,
        ends: list[tuple[float, float, float]],
        pick: Callable[[Any], Any],
        kind: str,
        metric: str | None,
        method: str,
        bounds: tuple[float, float],
    ) -> Estimate:
        value, low, high = (float(pick(column)) for column in zip(*ends, strict=True))
        wanted = self.metrics if metric is None else (metric,)
        name = self.criterion if metric is None and self.criterion else " and ".join(wanted)
        return Estimate(
            value,
            low=low,
            high=high,
            metric=f"{name}_{kind}",
            confidence_level=self.confidence_level,
            method=PROJECTION,
            bounds=bounds,
            reason=self._missing(wanted, value, method) or (NONE[kind] if np.isnan(value) else ""),
            **self._positive(wanted),
        )

    def _positive(self, metrics: tuple[str, ...]) -> dict[str, Any]:
        """Return the positive class as a result of metrics has it, if one of them depends on it."""
        each = [next(iter(self.by_group[name].values())) for name in metrics]
        first = next((one for one in each if one.positive), each[0])
        return {"positive": first.positive, "is_positive_stated": first.is_positive_stated}

    def _missing(self, metrics: tuple[str, ...], value: float, method: str) -> str:
        """Return which groups have no value, and that the result is about the other groups only."""
        without = {
            name: [group for group, each in self.by_group[name].items() if np.isnan(each.value)] for name in metrics
        }
        said = [f"{name} is undefined for {listed_models(groups)}" for name, groups in without.items() if groups]
        if said and np.isfinite(value):
            said.append("the result is that of the other groups")
        if method == "to_overall" and np.isnan(value):
            reasons = dict.fromkeys(filter(None, self.to_overall.reasons))
            said = list(reasons) or said
        return ", ".join(said)

    def _extreme(self, metric: str | None, pick: Callable[[Any], Any], kind: str) -> Estimate:
        name = self._one(metric)
        known = [each for each in self.by_group[name].values() if np.isfinite(each.value)]
        first = next(iter(self.by_group[name].values()))
        ends = [[each.value for each in known], [each.low for each in known], [each.high for each in known]]
        value, low, high = (float(pick(each)) if each else np.nan for each in ends)
        return Estimate(
            value,
            low=low,
            high=high,
            metric=f"{name}_group_{kind}",
            confidence_level=self.confidence_level,
            method=PROJECTION,
            bounds=first.bounds,
            reason=self._missing((name,), value, "between_groups"),
            **self._positive((name,)),
        )


ALL_CASES = "all"  # name of all cases in `Gaps.to_overall`


def _largest(gaps: list[Estimate], span: float) -> tuple[float, float, float]:
    """Return the largest absolute difference and its range within the limits of all differences."""
    known = [each for each in gaps if np.isfinite([each.value, each.low, each.high]).all()]
    if not known:
        return np.nan, np.nan, np.nan
    low = max(max(each.low, -each.high, 0.0) for each in known)
    high = max(max(abs(each.low), abs(each.high)) for each in known)
    return max(abs(each.value) for each in known), low, min(high, span)


def _smallest(ratios: list[Estimate]) -> tuple[float, float, float]:
    """Return the smallest ratio, either way, and its range within the limits of all ratios."""
    known = [each for each in ratios if not np.isnan([each.value, each.low, each.high]).any()]
    if not known:
        return np.nan, np.nan, np.nan

    def inverse(ratio: float) -> float:
        return np.inf if ratio == 0 else 1 / ratio

    return (
        min(min(each.value, inverse(each.value)) for each in known),
        min(1.0, *(min(each.low, inverse(each.high)) for each in known)),
        min(1.0, *(min(each.high, inverse(each.low)) for each in known)),
    )


def _capital(notes: list[str]) -> list[str]:
    return [f"{each[:1].upper()}{each[1:]}." for each in notes]
