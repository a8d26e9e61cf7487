"""From tables to the report's content."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from howsure.comparison.rope import Region
from howsure.errors import HowsureError, checked_level
from howsure.estimates.estimate import Estimate
from howsure.estimates.evaluation import Evaluation
from howsure.estimates.named import Named, by_name
from howsure.methods import Method, named
from howsure.methods.draws import seed_sequence
from howsure.metrics.binding import of_counts
from howsure.metrics.metric import Metric
from howsure.report import comparisons as several, sections
from howsure.report.cautions import cautions
from howsure.report.content import Report, Section
from howsure.report.evidence import Measured, Settings, Subject, by_class, by_group, overall
from howsure.report.reproduction import reproduction, versions
from howsure.report.study import report_of_study
from howsure.study import Study
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

LEVELS = (0.8, 0.9, 0.95, 0.99)
MOST = 600  # metrics, above which only the asked-for level is shown, and each metric once: the page stays small
MOST_CELLS = 10_000  # of a table that is handed over cell by cell
NOTHING: Mapping[str, Any] = MappingProxyType({})


def report_of(
    subjects: Table | Mapping[str, Table] | Sequence[Subject] | Evaluation | Study,
    *,
    title: str = "",
    by: str = "",
    metrics: Sequence[str | Metric] | None = None,
    method: str | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Any = None,
    comparisons: Named | Mapping[str, Any] = NOTHING,
    aggregates: Named | Mapping[str, Any] = NOTHING,
    rope: Region | None = None,
    left_out: int = 0,
    command: str = "",
) -> Report:
    """Return a report on one model or several, on an evaluation or on a study.

    Parameters
    ----------
    subjects : Table, mapping of str to Table, sequence of Subject, Evaluation or Study
        A table, tables by model, or `Subject` s with scores and groups too. An evaluation is shown as it was
        estimated, by its own metrics, method, level and seed; a study by its own settings.
    title : str
        What was evaluated.
    by : str
        Name of the column by which the subjects' groups are split.
    metrics, method, confidence_level, random_state
        As for `evaluate`; of tables and subjects.
    comparisons : Comparison, Comparisons, Records or mapping
        From `compare`, `compare_all` or a study; or what is compared → a difference with ``value``, ``low``, ``high``
        (and ``p_value``, ``probability_greater``).
    aggregates : Pooled, Records or mapping
        From `pool` or a study; or what was put together → a pooled estimate with ``value``, ``low``, ``high`` (and
        ``i2``, ``tau2``, ``prediction_interval``).
    rope : float or tuple of two float, optional
        Of a study: the largest difference that does not matter.
    left_out : int
        Rows that were not evaluated.
    command : str
        The command that makes this report.

    Returns
    -------
    Report

    Raises
    ------
    HowsureError
        If there is nothing to report on, or as `evaluate` does.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]], labels=["healthy", "ill"])
    >>> report = hs.report_of(table, title="ward 3")
    >>> print(report.headline[0][report.level])
    F1 is 0.91; with these 100 cases, anything between 0.83 and 0.96 is plausible (95 % interval).
    """
    if isinstance(subjects, Study | Evaluation):
        _refuse_settings(metrics, method, random_state)
    if isinstance(subjects, Study):
        return report_of_study(subjects, title=title, rope=rope, command=command)
    given: Mapping[str, Estimate] = {}
    if isinstance(subjects, Evaluation):
        given, method, random_state = subjects.estimates, subjects.method, subjects.seed
        confidence_level, (subject, metrics) = subjects.confidence_level, _evaluated(subjects)
        subjects = [subject]
    models, level = _subjects(subjects), checked_level(confidence_level)
    size = sum(3 * len(each.any_table.labels) + 10 * (1 + len(each.groups)) for each in models)
    levels = tuple(sorted({*LEVELS, level})) if size <= MOST else (level,)
    settings = Settings(
        metrics=metrics,
        method=named(method),
        levels=levels,
        level=levels.index(level),
        seed=seed_sequence(random_state),
        given=given,
    )
    handed_over = Handed(by_name(comparisons), by_name(aggregates), getattr(comparisons, "correction", ""))
    about = {"title": title, "by": by, "command": command}
    return _written(models, settings, handed_over, left_out, about)


def _refuse_settings(metrics: Any, method: Any, random_state: Any) -> None:
    given = {"metrics": metrics, "method": method, "random_state": random_state}
    for name, value in given.items():
        if value is not None:
            message = f"`{name}` is for tables: the report shows what was estimated. Leave it out."
            raise HowsureError(message)


@dataclass(frozen=True, slots=True, eq=False)
class Handed:
    """What was compared or pooled elsewhere, by name."""

    comparisons: Mapping[str, Any]
    aggregates: Mapping[str, Any]
    correction: str


def _written(
    models: Sequence[Subject], settings: Settings, handed: Handed, left_out: int, about: Mapping[str, str]
) -> Report:
    """Return the report's content from what it is about."""
    names = [each.name for each in models]
    found = [overall(each, settings) for each in models]
    classes = [by_class(each, settings) for each in models]
    groups = [by_group(each, settings) for each in models]
    every = _everything(names, found, classes, groups)
    careful = cautions(models, every, settings.levels)
    careful += several.cautions(handed.comparisons, handed.correction, handed.aggregates)
    is_random = any(each.main.draws is not None for _, each in every)
    chance = f"Seed of the draws: {settings.seed.entropy}." if is_random else "Nothing here is drawn at random."
    is_short = len(settings.levels) > 1
    parts = [
        Section("What to be careful about", (), careful),
        sections.what_was_evaluated(models, left_out, settings),
        sections.overview(names, found),
        *([several.comparisons(handed.comparisons, handed.correction)] if handed.comparisons else []),
        sections.per_class(models, classes, terse=not is_short),
        sections.per_group(models, groups, about["by"] or "group"),
        sections.matrices(models, settings),
        sections.curves(models, settings),
        *([several.aggregates(handed.aggregates)] if handed.aggregates else []),
        sections.methods_used(every),
        reproduction(about["command"], chance),
        sections.every_number(every if is_short else []),
    ]
    asked = settings.metrics is not None
    return Report(
        title=about["title"],
        headline=sections.headline(names, found, asked, [each.any_table for each in models]),
        sections=tuple(
            part for part in parts if part.items or part.charts or part.code or any(each.rows for each in part.sheets)
        ),
        levels=settings.levels,
        level=settings.level,
        results=_results(about["title"], models, every, settings, handed),
    )


def _evaluated(evaluation: Evaluation) -> tuple[Subject, list[str]]:
    """Return what an evaluation is of, and the metrics of it that are asked for."""
    table, metrics = evaluation.table, list(evaluation)
    if not isinstance(table, ScoresTable):
        return Subject("", table), metrics
    if evaluation.threshold is None:
        return Subject("", None, table), metrics
    counted = [metric for metric in metrics if of_counts(metric)]  # those of scores stand beside them anyway
    return Subject("", table.at(evaluation.threshold), table, threshold=evaluation.threshold), counted


def _subjects(given: Table | Mapping[str, Table] | Sequence[Subject]) -> list[Subject]:
    if isinstance(given, Table):
        given = {"": given}
    if isinstance(given, Mapping):
        given = [
            Subject(
                str(name),
                None if isinstance(table, ScoresTable) else table,
                table if isinstance(table, ScoresTable) else None,
            )
            for name, table in given.items()
        ]
    models = list(given)
    if not models or any(each.table is None and each.scores is None for each in models):
        message = "There is nothing to report on. Give a table, tables by model, or subjects with a table or scores."
        raise HowsureError(message)
    repeated = {each.name for each in models if [other.name for other in models].count(each.name) > 1}
    if repeated:
        message = f"More than one model is called {sorted(repeated)}. Give each its own name."
        raise HowsureError(message)
    return models


def _everything(
    names: Sequence[str],
    found: Sequence[Sequence[Measured]],
    classes: Sequence[Mapping[str, Sequence[Measured]]],
    groups: Sequence[Mapping[Any, Sequence[Measured]]],
) -> list[tuple[str, Measured]]:
    """Return all estimates with where they are from."""
    every = []
    for name, whole, of_classes, of_groups in zip(names, found, classes, groups, strict=True):
        every += [(name, each) for each in whole]
        every += [(name, each) for column in of_classes.values() for each in column]
        prefix = f"{name}, " if name else ""
        every += [(f"{prefix}{value}", each) for value, row in of_groups.items() for each in row]
    return every


def _results(
    title: str,
    models: Sequence[Subject],
    every: Sequence[tuple[str, Measured]],
    settings: Settings,
    handed: Handed,
) -> dict[str, Any]:
    return {
        "title": title,
        "versions": versions(),
        "seed": str(settings.seed.entropy),
        "levels": list(settings.levels),
        "confidence_level": settings.levels[settings.level],
        "tables": [
            {
                "model": each.name,
                "kind": each.any_table.noun,
                "cases": each.any_table.rows,
                "labels": [str(label) for label in each.any_table.labels],
                "counts": _counts(each.table),
                "groups": {str(value): _counts(table) for value, table in each.groups.items()},
            }
            for each in models
        ],
        "estimates": [
            {
                "of": where,
                "metric": each.metric,
                "value": _plain(each.value),
                "standard_error": _plain(each.main.standard_error),
                "method": each.main.method,
                "reason": each.main.reason,
                "intervals": {
                    f"{level:g}": [_plain(low), _plain(high)]
                    for level, (low, high) in zip(settings.levels, each.limits, strict=True)
                },
            }
            for where, each in every
        ],
        "comparisons": several.records(handed.comparisons),
        "aggregates": several.records(handed.aggregates),
    }


def _counts(table: Table | None) -> Any:
    """Return the cells as lists, whole numbers as such; None where there are none, or too many for a page."""
    if table is None or table.counts.size > MOST_CELLS:
        return None
    whole = table.counts.astype(int)
    return (whole if (whole == table.counts).all() else table.counts).tolist()


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
