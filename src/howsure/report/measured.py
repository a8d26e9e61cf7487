"""`report_of`: report on tables, evaluations or a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from howsure.arrays import Seed
from howsure.comparison.models import compare_all
from howsure.comparison.rope import Region
from howsure.decisions.result import DecisionCurve, NetBenefit
from howsure.errors import HowsureError, checked_level
from howsure.estimates.batch import Evaluations
from howsure.estimates.evaluation import Evaluation
from howsure.estimates.named import Named, by_name
from howsure.grids import plain
from howsure.groups.result import Gaps
from howsure.methods.core.draws import seed_sequence
from howsure.methods.core.lookup import named
from howsure.methods.core.method import DrawingMethod, Method
from howsure.methods.core.names import MethodName
from howsure.metrics.metric import Metric
from howsure.readers.study import ReaderStudy
from howsure.report import comparisons as several, sections
from howsure.report.answers import headline, main_metric
from howsure.report.cautions import cautions
from howsure.report.checklists.names import ChecklistName
from howsure.report.content import Section, careful
from howsure.report.decisions import report_of_decisions, report_of_net_benefit
from howsure.report.evidence import Measured, Settings, Shown, Subject, estimated_together, shown, subject_of
from howsure.report.gaps import can_differ, gaps_section, report_of_gaps
from howsure.report.matrices import matrices
from howsure.report.readers import report_of_readers
from howsure.report.regions import report_of_regions
from howsure.report.report import Report
from howsure.report.reproduction import origin, reproduction
from howsure.report.requirements import report_of_requirements
from howsure.report.study import report_of_study
from howsure.requirements.certificate import CertifiedThreshold
from howsure.requirements.joint_tests import JointTest
from howsure.requirements.region import JointRegion
from howsure.study import Study
from howsure.tables.batch import Tables, in_groups
from howsure.tables.table import Table

LEVELS = (0.8, 0.9, 0.95, 0.99)
MOST_MODELS = 12  # whose pairs are compared by default
MOST = 600  # metrics: with more, only the requested level is shown, and each metric once, to keep the page small
MOST_CELLS = 10_000  # of a table whose counts are in the results
NOTHING: Mapping[str, Any] = MappingProxyType({})


WRITERS: Mapping[type, Callable[..., Report]] = MappingProxyType(
    {
        DecisionCurve: report_of_decisions,
        Gaps: report_of_gaps,
        ReaderStudy: report_of_readers,
        JointTest: report_of_requirements,
        CertifiedThreshold: report_of_requirements,
        JointRegion: report_of_regions,
        NetBenefit: report_of_net_benefit,
    }
)  # of a result, or of those of groups

Given = Table | Tables[Any] | Evaluation | Evaluations


def report_of(
    subjects: Given
    | Mapping[str, Given]
    | Sequence[Subject]
    | Study
    | ReaderStudy
    | Gaps
    | DecisionCurve
    | JointTest
    | CertifiedThreshold
    | JointRegion
    | NetBenefit,
    *,
    title: str = "",
    metrics: Sequence[str | Metric] | None = None,
    method: MethodName | Method | None = None,
    confidence_level: float | None = None,
    random_state: Seed = None,
    comparisons: Named | Mapping[str, object] = NOTHING,
    aggregates: Named | Mapping[str, object] = NOTHING,
    rope: Region | None = None,
    left_out: int = 0,
    command: str = "",
    files: Sequence[str | Path] = (),
    checklist: ChecklistName | None = None,
) -> Report:
    """Return a report on one model or several, on evaluations, on a study, or on a reader study.

    Parameters
    ----------
    subjects : table, evaluation or result
        A Table, Tables by group, Evaluation or Evaluations, or any of them by model; `Subject` s, which can also have
        scores; or a Study, ReaderStudy, Gaps, DecisionCurve, NetBenefit, JointTest, JointRegion or CertifiedThreshold.
        Evaluations are shown unchanged, with their own metrics, method, level and seed, and a study with its own
        settings.
    title : str
        Title: the evaluated data.
    metrics : sequence of str or Metric, optional
        See `evaluate`. This argument and the next three are only for tables and subjects.
    method : str or Method, optional
        See `evaluate`.
    confidence_level : float, optional
        See `evaluate`; 0.95 by default.
    random_state : int, Generator, SeedSequence or None
        See `evaluate`.
    comparisons : Comparison, Comparisons, Records or mapping
        The result of `compare`, `compare_all` or a study; or a mapping from name to a difference with ``value``,
        ``low``, ``high`` (and ``p_value``, ``probability_greater``). Paired models are compared by default, in the main
        metric.
    aggregates : Pooled, Records or mapping
        The result of `pool` or a study; or a mapping from name to a pooled estimate with ``value``, ``low``, ``high``
        (and ``i2``, ``tau2``, ``prediction_interval``).
    rope : float or tuple of two float, optional
        Region of practical equivalence, for a study: the largest negligible difference.
    left_out : int
        Number of rows that were not evaluated.
    command : str
        Command that makes this report.
    files : sequence of str or Path
        Input files; the report contains their sizes and fingerprints (SHA-256).
    checklist : str, optional
        Reporting guideline whose items are a section of the report, with the numbers that answer them: ``"tripod-ai"``,
        ``"stard-ai"``, ``"claim"`` or ``"model-card"``. See `Report.checklist`.

    Returns
    -------
    Report
        Mapping of titles to sections, with ``to_html()``, ``to_markdown()``, ``to_latex()`` and ``save(path)``.

    Raises
    ------
    HowsureError
        If there is nothing to report on, or for the same reasons as `evaluate`.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]], labels=["healthy", "ill"])
    >>> report = hs.report_of(table, title="ward 3")
    >>> print(report.headline[0][report.level])
    F1 is 0.91; with these 100 cases, anything between 0.84 and 0.96 is plausible (95 % interval).
    """
    if isinstance(subjects, Study):
        _refuse_settings(metrics=metrics, method=method, confidence_level=confidence_level, random_state=random_state)
        return report_of_study(subjects, title=title, rope=rope, command=command, files=files).with_checklist(checklist)
    for kind, report_of_result in WRITERS.items():
        if isinstance(subjects, kind) or isinstance(getattr(subjects, "overall", None), kind):
            _refuse_settings(
                metrics=metrics, method=method, confidence_level=confidence_level, random_state=random_state
            )
            return report_of_result(subjects, title=title, command=command, files=files).with_checklist(checklist)
    models = _subjects(subjects)
    made = [each for model in models for found in model.evaluations.values() for each in found]
    if made:
        _refuse_settings(metrics=metrics, method=method, confidence_level=confidence_level, random_state=random_state)
    level = _level(made, confidence_level)
    size = sum(_size(each) for each in models)
    levels = tuple(sorted({*LEVELS, level})) if size <= MOST else (level,)
    settings = Settings(
        metrics=metrics,
        method=named(method),
        levels=levels,
        level=levels.index(level),
        seed=seed_sequence(made[0].seed if made else random_state),
    )
    found = [one for each in estimated_together(models, settings) for one in shown(each, settings)]
    if comparisons is NOTHING and hasattr(subjects, "models"):
        comparisons = _compared(subjects, main_metric(found[0]).label, settings)
    handed_over = Handed(by_name(comparisons), by_name(aggregates), getattr(comparisons, "correction", ""))
    made_of = About(title, command, files)
    apart = _gaps(models, settings, found[0])
    return _written(found, settings, handed_over, left_out, made_of, apart).with_checklist(checklist)


def _gaps(models: Sequence[Subject], settings: Settings, first: Shown) -> Section:
    """Return the section on gaps between groups, in the requested metrics of counts or the main one."""
    own = {each.name: each for each in settings.metrics or () if isinstance(each, Metric)}
    labels = [main_metric(first).label] if first.part.is_usual else [each.label for each in first.metrics]
    asked = [each for each in (own.get(label, label) for label in labels) if can_differ(each)]
    given: dict[str, Any] = {each.name: each.scores if each.table is None else each.table for each in models}
    tables = {name: in_groups(each) for name, each in given.items()}
    return gaps_section(tables, asked, settings.levels[settings.level], settings.seed)


def _compared(table: Any, metric: str, settings: Settings) -> Named | Mapping[str, Any]:
    """Return all pairwise comparisons of a table's models; nothing for too many models or an unsupported metric."""
    if not 1 < len(table.models) <= MOST_MODELS:
        return NOTHING
    own = {each.name: each for each in settings.metrics or () if isinstance(each, Metric)}
    method = settings.method if isinstance(settings.method, DrawingMethod) else None
    level = settings.levels[settings.level]
    chosen: dict[str, Any] = {"method": method, "confidence_level": level, "random_state": settings.seed}
    found: Named | Mapping[str, Any] = NOTHING
    with suppress(HowsureError):
        found = compare_all(table, own.get(metric, metric), **chosen)
    return found


def _refuse_settings(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise HowsureError(f"`{name}` is for tables: the report shows the estimates. Leave it out.")


def _level(made: Sequence[Evaluation], asked: float | None) -> float:
    """Return the confidence level of the evaluations, or the requested one."""
    levels = {each.confidence_level for each in made}
    if len(levels) > 1:
        raise HowsureError(
            f"The evaluations have the levels {sorted(levels)}. A report shows one: evaluate all at the same."
        )
    return checked_level(levels.pop() if levels else 0.95 if asked is None else asked)


def _size(model: Subject) -> int:
    """Return the approximate number of metrics in a model's part of the report."""
    return 3 * len(model.tables.overall.labels) + 10 * (1 + len(model.tables))


@dataclass(frozen=True, slots=True, eq=False)
class Handed:
    """Comparisons and pooled values that the caller passed, by name."""

    comparisons: Mapping[str, Any]
    aggregates: Mapping[str, Any]
    correction: str


@dataclass(frozen=True, slots=True)
class About:
    """Title and origin of a report."""

    title: str
    command: str
    files: Sequence[str | Path]


def _written(
    found: Sequence[Shown],
    settings: Settings,
    handed: Handed,
    left_out: int,
    about: About,
    apart: Section,
) -> Report:
    """Return the report on the shown models."""
    models = [each for each in found if not each.part.is_group]
    wholes = [each.part for each in models]
    every = _everything(found)
    warnings = cautions(found, every, settings.levels)
    warnings += several.cautions(handed.comparisons, handed.correction, handed.aggregates)
    is_random = any(each.main.draws is not None for _, each in every)
    seeds = list(dict.fromkeys(str(settings.like(each).seed.entropy) for part in wholes for each in part.evaluations))
    chance = f"Seed of the draws: {', '.join(seeds)}." if is_random else "Nothing here is drawn at random."
    is_short = len(settings.levels) > 1
    parts = [
        sections.overview(models),
        *([several.comparisons(handed.comparisons, handed.correction)] if handed.comparisons else []),
        careful(warnings),
        sections.what_was_evaluated(wholes, left_out, settings),
        sections.per_group(found),
        apart,
        matrices(wholes, settings),
        sections.per_class(models, terse=not is_short),
        sections.curves(wholes, settings),
        *([several.aggregates(handed.aggregates)] if handed.aggregates else []),
        sections.methods_used(every, wholes),
        sections.to_quote(models, handed.comparisons.values()),
        sections.every_number(every if is_short else []),
        reproduction(about.command, chance, about.files),
    ]
    return Report(
        title=about.title,
        about=sections.in_short(wholes),
        headline=headline(found, handed.comparisons),
        sections=tuple(
            part for part in parts if part.items or part.charts or part.code or any(each.rows for each in part.tables)
        ),
        levels=settings.levels,
        level=settings.level,
        results=_results(about.title, found, settings, handed, left_out),
    )


def _subjects(given: Any) -> list[Subject]:
    if isinstance(given, Mapping) and not isinstance(given, Tables | Evaluation | Evaluations):
        models = [subject_of(str(name), each) for name, each in given.items()]
    elif isinstance(given, Sequence) and all(isinstance(each, Subject) for each in given):
        models = list(given)
    elif hasattr(given, "models"):  # predictions or scores of several models on the same cases
        models = [subject_of(name, given.model(name)) for name in given.models]
    else:
        models = [subject_of("", given)]
    if not models or any(each.table is None and each.scores is None for each in models):
        raise HowsureError(
            "There is nothing to report on. Give a table, tables by model, or subjects with a table or scores."
        )
    repeated = {each.name for each in models if [other.name for other in models].count(each.name) > 1}
    if repeated:
        raise HowsureError(f"More than one model is called {sorted(repeated)}. Give each its own name.")
    return models


def _everything(found: Sequence[Shown]) -> list[tuple[str, Measured]]:
    """Return all estimates with their origin."""
    every = []
    for each in found:
        every += [(each.part.words, one) for one in each.metrics]
        every += [(each.part.words, one) for column in each.classes.values() for one in column]
    return every


def _results(title: str, found: Sequence[Shown], settings: Settings, handed: Handed, left_out: int) -> dict[str, Any]:
    """Return the machine-readable results."""
    content = {
        **origin(title),
        "seed": str(settings.seed.entropy),
        "levels": list(settings.levels),
        "confidence_level": settings.levels[settings.level],
        "left_out": left_out,
        "missing_labels": 0 if sections.is_complete([each.part for each in found]) else None,
        "tables": [_table(each) for each in found],
        "estimates": [one for each in found for one in _estimates(each, settings)],
        "comparisons": several.records(handed.comparisons),
        "aggregates": several.records(handed.aggregates),
    }
    made: dict[str, Any] = plain(content)
    return made


def _of(each: Shown) -> dict[str, Any]:
    return {"model": each.part.model, "group": dict(each.part.group)}


def _table(each: Shown) -> dict[str, Any]:
    table = each.part.any_table
    return _of(each) | {
        "kind": table.kind.noun,
        "cases": table.rows,
        "design": table.design.description.sample,
        "labels": [str(label) for label in table.labels],
        "has_labels": each.part.is_labelled,
        "has_one_label": table.kind.has_one_label_per_case,
        "is_counted": table.design.traits.is_counted,
        "class_totals": [float(total) for total in table.class_totals],
        "threshold": each.part.threshold,
        "counts": _counts(each.part.table),
    }


def _estimates(each: Shown, settings: Settings) -> list[dict[str, Any]]:
    """Return the metrics of a table, and then those of its classes."""
    classes = zip(*each.classes.values(), strict=True)
    labels = [str(label) for label in each.part.any_table.labels]
    found = [_of(each) | _estimate(one, settings) for one in each.metrics]
    return found + [
        _of(each) | {"class": label} | _estimate(one, settings)
        for label, own in zip(labels, classes, strict=False)
        for one in own
    ]


def _estimate(each: Measured, settings: Settings) -> dict[str, Any]:
    return {
        "metric": each.label,
        "value": each.value,
        "standard_error": each.main.standard_error,
        "method": each.main.method,
        "reason": each.main.reason,
        "intervals": {f"{level:g}": limits for level, limits in zip(settings.levels, each.limits, strict=True)},
    }


def _counts(table: Table | None) -> Any:
    """Return the cells as lists, as integers if possible; None without a table, or for too many cells."""
    if table is None or table.counts.size > MOST_CELLS:
        return None
    whole = table.counts.astype(int)
    return (whole if (whole == table.counts).all() else table.counts).tolist()
