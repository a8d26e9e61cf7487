"""The command `howsure decision-curve`: net benefit of models along the thresholds of a decision."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from howsure.cli.classes import classes_of
from howsure.cli.inputs import Files, Input, InputFormat
from howsure.cli.options import Checklist, Format, Level, Page, Seed, Words, one_or_two, refuse_without_page, split
from howsure.cli.output import command_line, say_written, write_grid, write_records
from howsure.cli.strata import strata_of
from howsure.errors import HowsureError

Thresholds = Annotated[list[float] | None, Parameter(consume_multiple=True)]


def decision_curve(
    files: Files,
    /,
    *,
    y_true: str,
    y_score: Words = None,
    thresholds: Thresholds = None,
    prevalence: float | None = None,
    groups: Words = None,
    strata: str | None = None,
    stratum_sizes: str | None = None,
    sample_weight: str | None = None,
    counts: str | None = None,
    labels: Words = None,
    pos_label: str | None = None,
    no_check: bool = False,
    confidence_level: Level = 0.95,
    random_state: Seed = None,
    html: Page = None,
    checklist: Checklist = None,
    input_format: InputFormat = None,
    sheet: str | None = None,
    how: Format = "table",
) -> None:
    """Net benefit of predicted risks along the thresholds of a decision, with treating all and treating none.

    Parameters
    ----------
    files
        Predictions, one row per case: CSV, TSV, JSON lines, Parquet, Arrow, Feather or a spreadsheet. Files, folders
        and quoted patterns are read as one data set; - is standard input.
    y_true
        Column with the true labels.
    y_score
        Column with the predicted risk of the positive class, between 0 and 1. Several columns are several models.
    thresholds
        Risks from which on cases are treated, between 0 and 1; by default 0.01, 0.02, …, 0.99.
    prevalence
        Prevalence where the models will be used, for case-control data; by default that of the sample.
    groups
        Column with the cluster of each case (patient, document, user): cases of one cluster may be
        correlated. Two columns are crossed factors, such as readers and cases: both are drawn anew.
    strata
        Column with the stratum of each case, if strata were not sampled in proportion to their sizes.
    stratum_sizes
        Number of cases of each stratum in the population, or its proportion: stratum=size,… or a CSV file with a
        stratum and its size in each row.
    sample_weight
        Column with the weight of each case.
    counts
        Column with the number of identical cases in each row, for a table of frequencies.
    labels
        The classes, in order; the last of two is the positive one.
    pos_label
        Which of two classes is the positive one; the last in order by default.
    no_check
        Skip the checks for implausible input.
    confidence_level
        Confidence level of each band, between 0 and 1.
    random_state
        Seed of the random numbers.
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
    from howsure.decisions.along_risks import decision_curve as along_risks

    refuse_without_page(checklist, html)
    given, models = Input.of(files, input_format, sheet), split(y_score)
    if not models:
        message = "Name the column of the predicted risks with --y-score."
        raise HowsureError(message)
    classes = classes_of(given.data, [y_true], labels, pos_label)
    cases: dict[str, Any] = {
        "data": given.data,
        "groups": one_or_two(groups),
        "sample_weight": sample_weight,
        "counts": counts,
        "pos_label": None if classes is None else classes[-1],
        "check": not no_check,
        **strata_of(strata, stratum_sizes),
    }
    found = along_risks(
        y_true,
        models[0] if len(models) == 1 else {name: name for name in models},
        thresholds=thresholds,
        prevalence=prevalence,
        confidence_level=confidence_level,
        random_state=random_state,
        **cases,
    )
    page = None
    if html is not None:
        from howsure.report.decisions import report_of_decisions

        made = report_of_decisions(found, title=given.title, command=command_line(), files=given.data)
        page = made.with_checklist(checklist).save(html)
    if how in {"json", "csv"}:
        write_records(found.records(), how)
    else:
        write_grid(found.grid(), how=how, title=given.title)
    say_written(page)
