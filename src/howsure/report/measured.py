"""From tables to the report's content."""

from __future__ import annotations

import importlib.metadata
import math
import platform
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from howsure.errors import HowsureError
from howsure.estimates.evaluation import Evaluation, checked_level
from howsure.methods import Method, named
from howsure.methods.draws import seed_sequence
from howsure.metrics.binding import of_counts
from howsure.metrics.metric import Metric
from howsure.report import comparisons as several, sections
from howsure.report.cautions import cautions
from howsure.report.comparisons import Named
from howsure.report.content import Report, Section
from howsure.report.evidence import Measured, Settings, Subject, by_class, by_group, overall
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

LEVELS = (0.8, 0.9, 0.95, 0.99)
MOST = 600  # metrics, above which only the asked-for level is shown, and each metric once: the page stays small
MOST_CELLS = 10_000  # of a table that is handed over cell by cell
NOTHING: Mapping[str, Any] = MappingProxyType({})


def report_of(
    subjects: Table | Mapping[str, Table] | Sequence[Subject],
    *,
    title: str = "",
    by: str = "",
    metrics: Sequence[str | Metric] | None = None,
    method: str | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Any = None,
    comparisons: Named | Mapping[str, Any] = NOTHING,
    aggregates: Named | Mapping[str, Any] = NOTHING,
    left_out: int = 0,
    command: str = "",
) -> Report:
    """Return a report on one model or several.

    Parameters
    ----------
    subjects
        A table, tables by model, or `Subject` s with scores and groups too.
    title
        What was evaluated.
    by
        Name of the column by which the subjects' groups are split.
    metrics, method, confidence_level, random_state
        As for `evaluate`.
    comparisons
        From `compare`, `compare_all` or a study; or what is compared → a difference with ``value``, ``low``, ``high``
        (and ``p_value``, ``probability_greater``).
    aggregates
        From `pool` or a study; or what was put together → a pooled estimate with ``value``, ``low``, ``high`` (and
        ``i2``, ``tau2``, ``prediction_interval``).
    left_out
        Rows that were not evaluated.
    command
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
    models = _subjects(subjects)
    level = checked_level(confidence_level)
    size = sum(3 * len(each.any_table.labels) + 10 * (1 + len(each.groups)) for each in models)
    levels = tuple(sorted({*LEVELS, level})) if size <= MOST else (level,)
    settings = Settings(metrics, named(method), levels, levels.index(level), seed_sequence(random_state))
    names = [each.name for each in models]
    found = [overall(each, settings) for each in models]
    classes = [by_class(each, settings) for each in models]
    groups = [by_group(each, settings) for each in models]
    every = _everything(names, found, classes, groups)
    compared, pooled = several.named(comparisons), several.named(aggregates)
    correction = getattr(comparisons, "correction", "")
    careful = cautions(models, every, levels) + several.cautions(compared, correction, pooled)
    is_random = any(each.main.draws is not None for _, each in every)
    chance = f"Seed of the draws: {settings.seed.entropy}." if is_random else "Nothing here is drawn at random."
    parts = [
        Section("What to be careful about", (), careful),
        sections.what_was_evaluated(models, left_out, settings),
        sections.overview(names, found),
        *([several.comparisons(compared, correction)] if compared else []),
        sections.per_class(models, classes, terse=size > MOST),
        sections.per_group(models, groups, by or "group"),
        sections.matrices(models, settings),
        sections.curves(models, settings),
        *([several.aggregates(pooled)] if pooled else []),
        sections.methods_used(every),
        reproduction(command, chance),
        sections.every_number(every if size <= MOST else []),
    ]
    return Report(
        title,
        sections.headline(names, found, metrics is not None, [each.any_table for each in models]),
        tuple(
            part for part in parts if part.items or part.charts or part.code or any(each.rows for each in part.sheets)
        ),
        levels,
        settings.level,
        _results(title, models, every, settings, {"comparisons": compared, "aggregates": pooled}),
    )


def report_of_evaluation(evaluation: Evaluation, title: str = "", command: str = "") -> Report:
    """Return the report on an evaluation: its metrics, by its method and seed."""
    table, metrics = evaluation.table, [each.metric for each in evaluation]
    is_scored = isinstance(table, ScoresTable)
    subject = Subject("", None if is_scored else table, table if is_scored else None)
    if is_scored and evaluation.threshold is not None:
        subject = Subject("", table.at(evaluation.threshold), table, threshold=evaluation.threshold)
        metrics = [metric for metric in metrics if of_counts(metric)]  # those of scores stand beside them anyway
    return report_of(
        [subject],
        title=title,
        metrics=metrics,
        method=evaluation.method,
        confidence_level=evaluation.confidence_level,
        random_state=evaluation.seed,
        command=command,
    )


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


def reproduction(command: str, chance: str) -> Section:
    """Return the command, the versions and what was drawn at random."""
    listed = ", ".join(f"{name} {version}" for name, version in versions().items())
    return Section("How to reproduce this", (), ((f"Versions: {listed}.",), (chance,)), code=command)


def versions() -> dict[str, str]:
    """Return the versions that a result depends on."""
    found = {name: importlib.metadata.version(name) for name in ("howsure", "numpy", "scipy")}
    return found | {"Python": platform.python_version()}


def _results(
    title: str,
    models: Sequence[Subject],
    every: Sequence[tuple[str, Measured]],
    settings: Settings,
    handed_over: Mapping[str, Mapping[str, Any]],
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
    } | {kind: several.records(found) for kind, found in handed_over.items()}


def _counts(table: Table | None) -> Any:
    """Return the cells as lists, whole numbers as such; None where there are none, or too many for a page."""
    if table is None or table.counts.size > MOST_CELLS:
        return None
    whole = table.counts.astype(int)
    return (whole if (whole == table.counts).all() else table.counts).tolist()


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
