"""Reports on the models whose predictions a file holds."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from howsure.errors import HowsureError

if TYPE_CHECKING:
    from howsure.comparison.models import Comparisons
    from howsure.report.content import Report
    from howsure.report.evidence import Subject


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a file that are evaluated: one prediction, one score, or both, a model."""

    y_true: str
    y_pred: Sequence[str]
    y_score: Sequence[str]
    threshold: float
    labels: list[Any] | None
    by: str | None
    others: Mapping[str, str | None]  # sample_weight, groups

    def __post_init__(self) -> None:
        if not self.y_pred and not self.y_score:
            message = "Name the column of the predictions with --y-pred, of the scores with --y-score, or both."
            raise HowsureError(message)
        if self.y_pred and self.y_score and len(self.y_pred) != len(self.y_score):
            message = (
                f"There are {len(self.y_pred)} columns of predictions and {len(self.y_score)} of scores. "
                "Give one of each for each model, in the same order."
            )
            raise HowsureError(message)

    @property
    def models(self) -> list[str]:
        """The models, by the names of their columns."""
        return list(self.y_pred or self.y_score)


def report_on_file(file: Path, columns: Columns, settings: Mapping[str, Any]) -> Report:
    """Return the report on all models of a file."""
    from howsure.report.measured import report_of

    subjects = [_subject(file, columns, index) for index in range(len(columns.models))]
    compared: Any = _compared(file, columns, settings) if len(subjects) > 1 else {}
    return report_of(
        subjects,
        comparisons=compared,
        title=str(file),
        by=columns.by or "",
        metrics=settings["metrics"],
        method=settings["method"],
        confidence_level=settings["level"],
        random_state=settings["seed"],
        left_out=_left_out(file, columns, subjects[0]),
        command=shlex.join(["howsure", *sys.argv[1:]]),
    )


def _subject(file: Path, columns: Columns, index: int) -> Subject:
    from howsure.report.evidence import Subject
    from howsure.sources.confusion import confusion
    from howsure.sources.scores import scores

    def counted(by: str | None) -> Any:
        if columns.y_pred:
            prediction = columns.y_pred[index]
            return confusion(columns.y_true, prediction, data=file, labels=columns.labels, by=by, **columns.others)
        found = scored(by)
        return found.at(columns.threshold) if by is None else {v: t.at(columns.threshold) for v, t in found.items()}

    def scored(by: str | None) -> Any:
        positive = None if columns.labels is None else columns.labels[-1]
        return scores(columns.y_true, columns.y_score[index], data=file, pos_label=positive, by=by, **columns.others)

    name = columns.models[index] if len(columns.models) > 1 else ""
    groups = counted(columns.by) if columns.by else {}
    threshold = None if columns.y_pred else columns.threshold
    return Subject(name, counted(None), scored(None) if columns.y_score else None, groups, threshold)


def _compared(file: Path, columns: Columns, settings: Mapping[str, Any]) -> Comparisons:
    """Compare all pairs of models on the same cases, in the metric of the headline."""
    from howsure.comparison.models import compare_all
    from howsure.methods import DrawingMethod, named
    from howsure.metrics.binding import of_counts
    from howsure.sources.paired import paired, paired_scores

    asked = [
        each for each in settings["metrics"] or () if "@none" not in each and of_counts(each) == bool(columns.y_pred)
    ]
    if columns.y_pred:
        table = paired(columns.y_true, columns.y_pred, data=file, labels=columns.labels, **columns.others)
        default = "f1" if len(table.labels) == 2 else "f1@macro"  # noqa: PLR2004 - binary
    else:
        positive = None if columns.labels is None else columns.labels[-1]
        table = paired_scores(columns.y_true, columns.y_score, data=file, pos_label=positive, **columns.others)
        default = "roc_auc"
    method = settings["method"] if isinstance(named(settings["method"]), DrawingMethod) else None
    chosen = {"method": method, "confidence_level": settings["level"], "random_state": settings["seed"]}
    return compare_all(table, asked[0] if asked else default, **chosen)


def _left_out(file: Path, columns: Columns, subject: Subject) -> int:
    """Return how many rows have a label that is not among the classes."""
    from howsure.sources.confusion import confusion

    if columns.labels is None or not columns.y_pred:
        return 0
    every = confusion(columns.y_true, columns.y_pred[0], data=file)
    return int(every.rows - subject.any_table.rows)


def write_models(report: Report, title: str, *, per_class: bool, how: str) -> None:
    """Print what the report says of several models: all metrics, or each class's."""
    from howsure.cli.output import write_grid

    for sheet in report["Classes" if per_class else "Metrics"].sheets:
        write_grid(sheet.grid(report.level), how=how, title=f"{title} · {sheet.title}")
