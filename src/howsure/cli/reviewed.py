"""Unreliable labels in the shell: ``howsure reviewed`` and ``howsure review-plan``."""

from __future__ import annotations

from functools import partial
from typing import Any

from howsure.cli.gates import FailOver, FailUnder, bounds, hold
from howsure.cli.option_groups import SOURCE, Output, Source
from howsure.cli.options import (
    Counts,
    Format,
    Level,
    MethodName,
    Metric,
    Metrics,
    Page,
    Predictions,
    Seed,
    split,
)
from howsure.cli.output import say_written, write, write_grid
from howsure.cli.pages import report_on, single_block


def reviewed(
    files: Predictions,
    /,
    *,
    y_true: str,
    y_pred: str,
    reviewed: str,
    source: Source = SOURCE,
    metrics: Metrics = None,
    method: MethodName = None,
    confidence_level: Level = 0.95,
    counts: Counts = None,
    random_state: Seed = None,
    fail_under: FailUnder = None,
    fail_over: FailOver = None,
    html: Page = None,
    how: Format = "table",
) -> None:
    """Metrics after some of the labels were reviewed.

    Parameters
    ----------
    y_true
        Column with the recorded labels.
    y_pred
        Column with the predicted labels.
    reviewed
        Column with the corrected labels, empty for cases that were not reviewed.
    metrics
        Metrics as spec strings, such as f1@macro; see `howsure metrics`.
    fail_under
        Exit with code 1 unless the lower limit of each metric reaches this bound, such as f1=0.9 mcc=0.8.
    """
    from howsure.estimates.estimation import evaluate
    from howsure.imperfect_labels.review.reviewed import reviewed as corrected
    from howsure.methods.core.lookup import named

    given, wanted = source.read(files), bounds(fail_under, fail_over)
    classes = source.classes(given, [y_true, y_pred])
    columns: dict[str, Any] = {"data": given.data, "counts": counts, "labels": classes, "check": not source.no_check}
    table = corrected(y_true=y_true, y_pred=y_pred, y_reviewed=reviewed, **columns)
    found = evaluate(
        table,
        split(metrics) or None,
        method=named(method),
        confidence_level=confidence_level,
        random_state=random_state,
    )
    page = Output(html=html).save(given, partial(report_on, found))
    write([single_block([*found.values()], table, found.confidence_level)], given.title, how)
    say_written(page)
    hold(wanted, {"": [found]})


def review_plan(
    files: Predictions,
    /,
    *,
    y_true: str,
    y_pred: str,
    metric: Metric,
    budget: int,
    reviewed: str | None = None,
    source: Source = SOURCE,
    confidence_level: Level = 0.95,
    counts: Counts = None,
    how: Format = "table",
) -> None:
    """Select cells to review next, for the narrowest interval.

    Parameters
    ----------
    y_true
        Column with the recorded labels.
    y_pred
        Column with the predicted labels.
    metric
        The metric whose interval should become narrow, as a spec string such as f1@macro.
    budget
        Number of further reviews.
    reviewed
        Column with the corrected labels, empty for cases that were not reviewed; omit it if no case was reviewed yet.
    """
    from howsure.imperfect_labels.review.review_plan import review_plan as planned
    from howsure.imperfect_labels.review.reviewed import reviewed as corrected
    from howsure.sources.confusion import confusion

    given = source.read(files)
    classes = source.classes(given, [y_true, y_pred])
    columns: dict[str, Any] = {
        "y_true": y_true,
        "y_pred": y_pred,
        "data": given.data,
        "counts": counts,
        "labels": classes,
        "check": not source.no_check,
    }
    table = confusion(**columns) if reviewed is None else corrected(**columns, y_reviewed=reviewed)
    write_grid(
        planned(table, metric, budget=budget, confidence_level=confidence_level).grid(), how=how, title=given.title
    )
