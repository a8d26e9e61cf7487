"""Unreliable labels in the shell: ``howsure reviewed`` and ``howsure review-plan``."""

from __future__ import annotations

from typing import Any

from howsure.cli.classes import classes_of
from howsure.cli.gates import FailOver, FailUnder, bounds, hold
from howsure.cli.inputs import Files, Input, InputFormat
from howsure.cli.options import Format, Level, Metric, Metrics, Page, Seed, Words, split
from howsure.cli.output import say_written, write, write_grid
from howsure.cli.pages import report_on, single_block


def reviewed(
    files: Files,
    /,
    *,
    y_true: str,
    y_pred: str,
    reviewed: str,
    labels: Words = None,
    pos_label: str | None = None,
    metrics: Metrics = None,
    method: str | None = None,
    confidence_level: Level = 0.95,
    counts: str | None = None,
    no_check: bool = False,
    random_state: Seed = None,
    fail_under: FailUnder = None,
    fail_over: FailOver = None,
    html: Page = None,
    input_format: InputFormat = None,
    sheet: str | None = None,
    how: Format = "table",
) -> None:
    """Metrics after some of the labels were reviewed.

    Parameters
    ----------
    files
        Predictions, one row per case: CSV, TSV, JSON lines, Parquet, Arrow, Feather or a spreadsheet. Files, folders
        and quoted patterns are read as one data set; - is standard input.
    y_true
        Column with the recorded labels.
    y_pred
        Column with the predicted labels.
    reviewed
        Column with the corrected labels, empty for cases that were not reviewed.
    labels
        The classes, in order; the last of two is the positive one.
    pos_label
        Which of two classes is the positive one; the last in order by default.
    metrics
        Metrics as spec strings, such as f1@macro; see `howsure metrics`.
    method
        Interval method; see `howsure methods`. The default depends on the metric.
    confidence_level
        Confidence level, between 0 and 1.
    counts
        Column with the number of identical cases in each row, for a table of frequencies.
    no_check
        Skip the checks for implausible input.
    random_state
        Seed of the methods that use random numbers.
    fail_under
        Exit with code 1 unless the lower limit of each metric reaches this bound, such as f1=0.9 mcc=0.8.
    fail_over
        The same for metrics where lower is better: unless the upper limit is at most this bound, such as fpr=0.1.
    html
        Write an HTML report to this file; a suffix .md gives Markdown, and .tex the tables in LaTeX.
    input_format
        Format of standard input; it may be compressed.
    sheet
        Sheet of a spreadsheet file; by default the only non-empty sheet.
    how
        Output format: a table, or json, csv, markdown, html or latex.
    """
    from howsure.estimates.estimation import evaluate
    from howsure.imperfect_labels.review.reviewed import reviewed as corrected
    from howsure.methods.core.lookup import named

    given, wanted = Input.of(files, input_format, sheet), bounds(fail_under, fail_over)
    classes = classes_of(given.data, [y_true, y_pred], labels, pos_label)
    columns: dict[str, Any] = {"data": given.data, "counts": counts, "labels": classes, "check": not no_check}
    table = corrected(y_true=y_true, y_pred=y_pred, y_reviewed=reviewed, **columns)
    found = evaluate(
        table,
        split(metrics) or None,
        method=named(method),
        confidence_level=confidence_level,
        random_state=random_state,
    )
    page = None if html is None else report_on(found, given).save(html)
    write([single_block([*found.values()], table, found.confidence_level)], given.title, how)
    say_written(page)
    hold(wanted, {"": [found]})


def review_plan(
    files: Files,
    /,
    *,
    y_true: str,
    y_pred: str,
    metric: Metric,
    budget: int,
    reviewed: str | None = None,
    labels: Words = None,
    pos_label: str | None = None,
    confidence_level: Level = 0.95,
    counts: str | None = None,
    no_check: bool = False,
    input_format: InputFormat = None,
    sheet: str | None = None,
    how: Format = "table",
) -> None:
    """Select cells to review next, for the narrowest interval.

    Parameters
    ----------
    files
        Predictions, one row per case: CSV, TSV, JSON lines, Parquet, Arrow, Feather or a spreadsheet. Files, folders
        and quoted patterns are read as one data set; - is standard input.
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
    labels
        The classes, in order; the last of two is the positive one.
    pos_label
        Which of two classes is the positive one; the last in order by default.
    confidence_level
        Confidence level, between 0 and 1.
    counts
        Column with the number of identical cases in each row, for a table of frequencies.
    no_check
        Skip the checks for implausible input.
    input_format
        Format of standard input; it may be compressed.
    sheet
        Sheet of a spreadsheet file; by default the only non-empty sheet.
    how
        Output format: a table, or json, csv, markdown, html or latex.
    """
    from howsure.imperfect_labels.review.review_plan import review_plan as planned
    from howsure.imperfect_labels.review.reviewed import reviewed as corrected
    from howsure.sources.confusion import confusion

    given = Input.of(files, input_format, sheet)
    classes = classes_of(given.data, [y_true, y_pred], labels, pos_label)
    columns: dict[str, Any] = {
        "y_true": y_true,
        "y_pred": y_pred,
        "data": given.data,
        "counts": counts,
        "labels": classes,
        "check": not no_check,
    }
    table = confusion(**columns) if reviewed is None else corrected(**columns, y_reviewed=reviewed)
    write_grid(
        planned(table, metric, budget=budget, confidence_level=confidence_level).grid(), how=how, title=given.title
    )
