"""The contents of a report in the form that checklists need: figures with their intervals, cases and cautions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.cached import cached_property
from howsure.escapes import shortened
from howsure.metrics.descriptions import metric_words
from howsure.metrics.spec import named, parse
from howsure.numbers import significant_decimals
from howsure.report.content import Document, Section, Texts, value_and_limits

NAME = 40  # characters of a name in a sentence


def brief(name: object) -> str:
    """Return a name that may be long, as a part of a sentence."""
    return shortened(str(name), NAME)


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A value of a report with its interval at each level.

    Parameters
    ----------
    metric : str
        The metric as requested.
    of : tuple of str
        Model and group, without empty ones.
    group : str
        The group; empty for all cases.
    value : float
        The value; nan if undefined.
    limits : sequence of tuple of float
        The interval at each level.
    method : str
        Method of the interval.
    level : int
        Position of the main level.
    """

    metric: str
    model: str
    group: str
    value: float
    limits: Sequence[tuple[float, float]]
    method: str
    level: int

    @property
    def family(self) -> str:
        """The canonical name of the metric, without settings."""
        return parse(self.metric).definition.name if named(self.metric) is not None else self.metric

    @property
    def is_known(self) -> bool:
        """Whether value and interval are defined."""
        return not math.isnan(self.value) and not math.isnan(self.limits[self.level][0])

    def number(self) -> Texts:
        """Return value and interval at each level."""
        value, texts = value_and_limits(self.value, self.limits, significant_decimals(*self.limits[self.level]))
        return tuple(f"{value} {each}" for each in texts)

    def said(self) -> Texts:
        """Return metric, model, value and interval at each level."""
        name = " of ".join(filter(None, (metric_words(self.metric), brief(self.model))))
        return tuple(f"{name} {each}" for each in self.number())


@dataclass(frozen=True, eq=False)
class Findings:
    """The results and sections of a report.

    Parameters
    ----------
    report : Document
        The report.
    """

    report: Document

    @property
    def results(self) -> Mapping[str, Any]:
        """The machine-readable results."""
        return self.report.results

    def section(self, start: str) -> Section | None:
        """Return the first section whose title starts like this, or None."""
        return next((each for each in self.report.sections if each.title.startswith(start)), None)

    @cached_property
    def tables(self) -> list[dict[str, Any]]:
        """The tables of all cases, one per model."""
        return [each for each in self.results.get("tables", ()) if not _group(each)]

    @cached_property
    def group_tables(self) -> list[dict[str, Any]]:
        """The tables of groups."""
        return [each for each in self.results.get("tables", ()) if _group(each)]

    @cached_property
    def figures(self) -> list[Figure]:
        """All estimates, with those of gaps and of reader studies."""
        rows = [*self.results.get("estimates", ()), *self.results.get("groups", ()), *self.results.get("results", ())]
        found = [self._figure(each) for each in rows if "metric" in each and "class" not in each]
        return [each for each in found if each.is_known]

    @property
    def wholes(self) -> list[Figure]:
        """The estimates on all cases."""
        return [each for each in self.figures if not each.group]

    @property
    def by_group(self) -> list[Figure]:
        """The estimates of groups."""
        return [each for each in self.figures if each.group]

    def _figure(self, row: Mapping[str, Any]) -> Figure:
        levels = [f"{level:g}" for level in self.report.levels]
        pairs = row.get("intervals") or {each: (row.get("low"), row.get("high")) for each in levels}
        limits = [(_number(pairs[each][0]), _number(pairs[each][1])) for each in levels]
        model = row.get("model", row.get("name", ""))
        method = str(row.get("method", ""))
        return Figure(row["metric"], model, _group(row), _number(row["value"]), limits, method, self.report.level)


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _group(row: Mapping[str, Any]) -> str:
    """Return the group of a row in words: a name, or the values of its columns; empty for all cases."""
    group = row.get("group", "")
    if isinstance(group, str):
        return group
    return ", ".join(str(value) for value in group.values() if value is not None)
