"""``howsure compare FILE --y-true … --y-pred A B C``: models on one test set, pair by pair."""

from __future__ import annotations

from typing import Any, Literal

from howsure.cli.inputs import Files, Input, InputFormat
from howsure.cli.models import paired_columns
from howsure.cli.options import (
    Checklist,
    Format,
    Level,
    Metrics,
    Page,
    Seed,
    Words,
    one_or_two,
    refuse_without_page,
    split,
)
from howsure.cli.output import say_written, write_grid, write_records
from howsure.cli.pages import drawing, report_on


def compare(
    files: Files,
    /,
    *,
    y_true: str,
    y_pred: Words = None,
    y_score: Words = None,
    model: str | None = None,
    case: str | None = None,
    incomplete: Literal["refuse", "drop"] = "refuse",
    labels: Words = None,
    pos_label: str | None = None,
    metrics: Metrics = None,
    method: str | None = None,
    correction: Literal["holm", "fdr_bh", "bonferroni", "none", "max_t"] = "holm",
    confidence_level: Level = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    groups: Words = None,
    fixed: str | None = None,
    strata: str | None = None,
    stratum_sizes: str | None = None,
    sample_weight: str | None = None,
    counts: str | None = None,
    no_check: bool = False,
    random_state: Seed = None,
    html: Page = None,
    checklist: Checklist = None,
    input_format: InputFormat = None,
    sheet: str | None = None,
    how: Format = "table",
) -> None:
    """Two or more models on the same cases, pair by pair.

    Parameters
    ----------
    files
        Predictions, one row per case: CSV, TSV, JSON lines, Parquet, Arrow, Feather or a spreadsheet. Files, folders
        and quoted patterns are read as one data set; - is standard input.
    y_true
        Column with the true labels.
    y_pred
        Columns with the predicted labels, one per model.
    y_score
        Columns with the scores, one per model, instead of labels.
    model
        Column with the name of the model, for long files with one row per model and case. y_pred or y_score is then one
        column.
    case
        Column with the case identifier, for long files. Models are joined by it.
    incomplete
        Whether cases of long files that a model lacks are refused or left out.
    labels
        The classes, in order; the last of two is the positive one.
    pos_label
        Which of two classes is the positive one; the last in order by default.
    metrics
        Metrics as spec strings, such as f1@macro; accuracy by default, roc_auc of scores.
    method
        Interval method; see `howsure methods`. The default depends on the metric.
    correction
        How p-values are adjusted for the number of comparisons; max_t also makes the intervals simultaneous.
    confidence_level
        Confidence level, between 0 and 1.
    alternative
        Which limits of the difference (first model minus second) to compute: both, the upper one (less), or the lower
        one (greater); the p-value is for the same side.
    groups
        Column with the cluster of each case (patient, document, user): cases of one cluster may be
        correlated. Two columns are crossed factors, such as readers and cases: both are drawn anew.
    fixed
        The one of two --groups that a new study would keep, such as the named models of a benchmark.
    strata
        Column with the stratum of each case, if strata were not sampled in proportion to their sizes.
    stratum_sizes
        Number of cases of each stratum in the population, or its proportion: stratum=size,… or a CSV file with a
        stratum and its size in each row.
    sample_weight
        Column with the weight of each case.
    counts
        Column with the number of identical cases in each row, for a table of frequencies.
    no_check
        Skip the checks for implausible input.
    random_state
        Seed of the methods that use random numbers.
    html
        Write an HTML report to this file; a suffix .md gives Markdown, and .tex the tables in LaTeX.
    checklist
        Reporting guideline whose items are a section of the report, with the numbers that answer them: tripod-ai,
        stard-ai, claim or model-card. Needs --html.
    input_format
        Format of standard input; it may be compressed.
    sheet
        Sheet of a spreadsheet file; by default the only non-empty sheet.
    how
        Output format: a table, or json, csv, markdown, html or latex.
    """
    from howsure.cli.strata import strata_of
    from howsure.comparison.models import compare_all
    from howsure.methods.core.lookup import named

    refuse_without_page(checklist, html)
    given = Input.of(files, input_format, sheet)
    table, default = paired_columns(
        given.data,
        y_true,
        y_pred,
        y_score,
        labels=labels,
        pos_label=pos_label,
        long={"model": model, "case": case, "incomplete": incomplete},
        groups=one_or_two(groups),
        fixed=fixed,
        sample_weight=sample_weight,
        counts=counts,
        check=not no_check,
        **strata_of(strata, stratum_sizes),
    )
    wanted = split(metrics) or [default]
    settings: dict[str, Any] = {
        "confidence_level": confidence_level,
        "alternative": alternative,
        "random_state": random_state,
    }
    found = compare_all(table, wanted, correction=correction, method=named(method), **settings)
    chosen = {"method": drawing(method), "confidence_level": confidence_level, "random_state": random_state}
    page = None
    if html is not None:
        made = report_on(table, given, metrics=wanted, comparisons=found, checklist=checklist, **chosen)
        page = made.save(html)
    if how in {"json", "csv"}:
        write_records(found.records(), how)
    elif how == "table" and len(found) == 1 and len(table.models) == 2:
        pair = next(iter(found.values()))
        write_grid(pair.grid(), how=how, title=given.title, note=pair.sentence())
    else:
        write_grid(found.grid(), how=how, title=given.title, note=f"{table.rows:,} cases")
    say_written(page)
