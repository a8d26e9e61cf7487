"""The models of a file of predictions, as printed blocks and as a report."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from howsure.cli.inputs import Input
from howsure.cli.options import THRESHOLD
from howsure.cli.output import Block
from howsure.errors import HowsureError, warn

if TYPE_CHECKING:
    from howsure.comparison.models import Comparisons
    from howsure.compat.classification import ClassificationReport
    from howsure.estimates.estimate import Estimate
    from howsure.grids import Grid
    from howsure.report.evidence import Part, Subject
    from howsure.report.report import Report
    from howsure.tables.scores import ScoresTable
    from howsure.tables.table import Table

WIDE = 100  # terminal width at which the per-class report fits three decimals


@dataclass(frozen=True, slots=True)
class Columns:
    """The evaluated columns of a file: one prediction, one score, or both, for each model."""

    y_true: str
    y_pred: Sequence[str]
    y_score: Sequence[str]
    threshold: float
    labels: list[Any] | None
    by: Sequence[str]
    others: Mapping[str, Any]  # sample_weight, counts, groups, fixed, check
    pos_label: Any = None  # where it was named

    def __post_init__(self) -> None:
        if not self.y_pred and not self.y_score:
            raise HowsureError(
                "Name the column of the predictions with --y-pred, of the scores with --y-score, or both."
            )
        if self.y_pred and self.y_score and len(self.y_pred) != len(self.y_score):
            raise HowsureError(
                f"There are {len(self.y_pred)} columns of predictions and {len(self.y_score)} of scores. "
                "Give one of each for each model, in the same order."
            )

    @property
    def of_labels(self) -> dict[str, Any]:
        """The arguments of a source of labels."""
        return {"labels": self.labels, "pos_label": self.pos_label, **self.others}

    @property
    def models(self) -> list[str]:
        """The models by the names of their columns."""
        return list(self.y_pred or self.y_score)

    @property
    def positive(self) -> Any:
        """The positive class of scores, if the classes are named."""
        return None if self.labels is None else self.labels[-1]


@dataclass(frozen=True, slots=True)
class Asked:
    """The requested metrics and settings."""

    metrics: list[str] | None
    method: str | None
    level: float
    seed: Any

    def estimated(self, *subjects: Subject) -> list[Subject]:
        """Return models with their estimates, for the terminal and the report."""
        from howsure.errors import checked_level
        from howsure.methods.core.lookup import named
        from howsure.report.evidence import Settings, estimated_together

        level, method = checked_level(self.level), named(self.method)
        settings = Settings(metrics=self.metrics, method=method, levels=(level,), level=0, seed=self.seed)
        return estimated_together(subjects, settings)


def subjects_of(given: Input, columns: Columns, asked: Asked) -> list[Subject]:
    """Return the models of a file with their estimates; all models have the same classes."""
    from howsure.sources.paired import paired

    places = range(len(columns.models))
    found = [_subject(given, columns, index, columns.labels) for index in places]
    if columns.y_pred and len({tuple(each.tables.overall.labels.tolist()) for each in found}) > 1:
        every = paired(columns.y_true, columns.y_pred, data=given.data, **columns.of_labels).labels.tolist()
        found = [_subject(given, columns, index, every) for index in places]
    return asked.estimated(*found)


def _warn_of_logits(table: ScoresTable, threshold: float) -> None:
    """Warn if probabilities have the default threshold and scores are below 0."""
    if threshold == THRESHOLD and table.ends[0] < 0:
        low, high = table.ends
        warn(
            f"The threshold is {threshold:g}, and the scores run from {low:g} to {high:g}: no probabilities. Give a "
            "--threshold on their scale, 0 for logits."
        )


def _subject(given: Input, columns: Columns, index: int, labels: list[Any] | None) -> Subject:
    from howsure.report.evidence import Subject
    from howsure.sources.confusion import confusion
    from howsure.sources.scores import scores
    from howsure.tables.batch import in_groups

    by: Any = list(columns.by) or None
    scored = table = None
    if columns.y_score:
        scored = scores(
            columns.y_true, columns.y_score[index], data=given.data, pos_label=columns.positive, by=by, **columns.others
        )
        grouped = in_groups(scored)
        if not columns.y_pred:
            _warn_of_logits(grouped.overall, columns.threshold)
        table = grouped.at(columns.threshold)
    if columns.y_pred:
        prediction = columns.y_pred[index]
        table = confusion(columns.y_true, prediction, data=given.data, by=by, **columns.of_labels | {"labels": labels})
    name = columns.models[index] if len(columns.models) > 1 else ""
    return Subject(name, table, scored, None if columns.y_pred else columns.threshold)


def report_on_file(given: Input, columns: Columns, asked: Asked, subjects: Sequence[Subject], **about: Any) -> Report:
    """Return the report on all models of a file, with their estimates."""
    compared: Any = _compared(given, columns, asked) if len(subjects) > 1 else {}
    return report_on(subjects, comparisons=compared, left_out=_left_out(given, columns, subjects[0]), **about)


def report_on(subjects: Any, **settings: Any) -> Report:
    """Return `report_of`, which is imported only if a report is written."""
    from howsure.report.measured import report_of

    return report_of(subjects, **settings)


def _compared(given: Input, columns: Columns, asked: Asked) -> Comparisons:
    """Compare all pairs of models on the same cases, in the metric of the headline."""
    from howsure.comparison.models import compare_all
    from howsure.metrics.binding import of_counts
    from howsure.sources.paired import paired
    from howsure.sources.paired_scores import paired_scores

    wanted = [each for each in asked.metrics or () if "@none" not in each and of_counts(each) == bool(columns.y_pred)]
    table: Table
    others: dict[str, Any] = dict(columns.others)
    if columns.y_pred:
        table = paired(columns.y_true, columns.y_pred, data=given.data, **columns.of_labels)
        default = "f1" if table.is_binary else "f1@macro"
    else:
        table = paired_scores(columns.y_true, columns.y_score, data=given.data, pos_label=columns.positive, **others)
        default = "roc_auc"
    chosen: dict[str, Any] = {
        "method": drawing(asked.method),
        "confidence_level": asked.level,
        "random_state": asked.seed,
    }
    return compare_all(table, wanted[0] if wanted else default, **chosen)


def drawing(method: str | None) -> str | None:
    """Return the method if it uses random draws, for models and comparisons; None for the default methods."""
    from howsure.methods.core.lookup import named
    from howsure.methods.core.method import DrawingMethod

    return method if isinstance(named(method), DrawingMethod) else None


def _left_out(given: Input, columns: Columns, subject: Subject) -> int:
    """Return the number of rows with a label outside the classes."""
    from howsure.sources.confusion import confusion

    if columns.labels is None or not columns.y_pred:
        return 0
    counts = columns.others.get("counts")
    every = confusion(columns.y_true, columns.y_pred[0], data=given.data, counts=counts, check=False)
    return int(every.rows - subject.tables.overall.rows)


# --- what is printed ---------------------------------------------------------------------------------------------


def blocks_of(subjects: Sequence[Subject]) -> list[Block]:
    """Return the metrics of all cases, then of each group; several models are columns."""
    from howsure.report.evidence import parts_of

    together: dict[tuple[str, ...], list[Part]] = {}
    for part in (each for subject in subjects for each in parts_of(subject)):
        together.setdefault(tuple(part.group_words), []).append(part)
    return [_block(parts) for parts in together.values()]


def _block(parts: Sequence[Part]) -> Block:
    from howsure.estimates.estimate import estimate_grid

    first = parts[0]
    unnamed = [each.replace(positive="") for each in first.estimates]  # the note names the positive class
    single = estimate_grid(unnamed, first.evaluations[0].confidence_level)
    return Block(
        about=first.group,
        grid=single if len(parts) == 1 else _side_by_side(parts),
        records=[_of(part) | each.to_dict() for part in parts for each in part.estimates],
        note="\n".join(
            filter(None, ("" if len(parts) > 1 or first.group else _lead(first), _about(first.any_table, first.scores)))
        ),
        tables=[_of(part) | table_record(part.any_table) for part in parts],
    )


def _lead(part: Part) -> str:
    from howsure.report.lead import lead, main_place

    return lead(part, part.estimates[main_place([each.label for each in part.estimates], is_usual=part.is_usual)])


def _side_by_side(parts: Sequence[Part]) -> Grid:
    """Return one row per metric and one column per model."""
    from howsure.grids import Grid
    from howsure.numbers import percent

    found: dict[str, dict[str, str]] = {}
    for part in parts:
        for each in part.estimates:
            found.setdefault(each.label, {})[part.model] = str(each.replace(positive=""))  # which the note names
    models = [part.model for part in parts]
    rows = tuple((metric, *(row.get(model, "–") for model in models)) for metric, row in found.items())
    level = parts[0].evaluations[0].confidence_level
    return Grid(("metric", *models), rows, f"{percent(level)} intervals in brackets")


def class_blocks(subjects: Sequence[Subject], asked: Asked, how: str) -> list[Block]:
    """Return precision, recall and F1 of each class for all cases, then for each group, model by model."""
    from howsure.compat.classification import classification_report
    from howsure.report.evidence import parts_of

    narrow = how == "table" and shutil.get_terminal_size().columns < WIDE
    chosen: dict[str, Any] = {
        "method": asked.method,
        "confidence_level": asked.level,
        "random_state": asked.seed,
        "digits": 2 if narrow else 3,
        "zero_division": math.nan,
    }
    parts = [part for subject in subjects for part in parts_of(subject)]
    parts.sort(key=lambda part: part.is_group)
    return [_class_block(part, classification_report(part.any_table, **chosen)) for part in parts]


def _class_block(part: Part, report: ClassificationReport) -> Block:
    return Block(
        about=_of(part),
        grid=report.grid(),
        records=[_of(part) | record for record in report.records()],
        note=_about(part.any_table),
        tables=[_of(part) | table_record(part.any_table)],
    )


def single_block(estimates: Sequence[Estimate], table: Table, level: float) -> Block:
    """Return the estimates of one table."""
    from howsure.estimates.estimate import estimate_grid

    return Block(
        about={},
        grid=estimate_grid([each.replace(positive="") for each in estimates], level),
        records=[each.to_dict() for each in estimates],
        note=_about(table),
        tables=[table_record(table)],
    )


def _of(part: Part) -> dict[str, Any]:
    return ({"model": part.model} if part.model else {}) | dict(part.group)


def table_record(table: Table) -> dict[str, Any]:
    """Return a machine-readable table."""
    return {"cases": table.rows, "labels": table.labels.tolist(), "counts": table.counts.tolist()}


def _about(table: Table, scores: Table | None = None) -> str:
    """Return a one-line description of a table, and its cautions with those of the scores that it was cut from."""
    from howsure.tables.cautions import positive_doubts

    classes = table.labels.tolist()
    cases = f"{table.rows:,} cases {table.design.description.sample}".rstrip()
    said = (*table.cautions, *(() if scores is None else scores.cautions))
    cautions = list(dict.fromkeys(each for each in said if each not in table.design.description.caveats))
    if not table.is_binary:
        return "\n".join([f"{cases}, {len(classes)} {table.kind.classes_noun}", *cautions])
    positive = f"positive class {classes[1]} ({100 * table.class_totals[1] / table.counts.sum():.1f} %)"
    doubts = positive_doubts(classes, table.positive, is_ordered=table.is_ordered)
    return "\n".join(dict.fromkeys([f"{cases}, {positive}", *doubts, *cautions]))
