"""The command `howsure decision-curve`: net benefit of models along the thresholds of a decision."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from howsure.cli.classes import classes_of
from howsure.cli.inputs import Input, InputFormat
from howsure.cli.options import (
    Checklist,
    Classes,
    Clusters,
    Counts,
    Format,
    Level,
    NoCheck,
    Page,
    Positive,
    Predictions,
    Seed,
    Sheet,
    Strata,
    StratumSizes,
    TrueLabels,
    Weights,
    Words,
    one_or_two,
    refuse_without_page,
    split,
)
from howsure.cli.output import command_line, say_written, write_grid, write_records
from howsure.cli.strata import strata_of
from howsure.errors import HowsureError

Thresholds = Annotated[list[float] | None, Parameter(consume_multiple=True)]

BandLevel = Annotated[Level, Parameter(help="Confidence level of each band, between 0 and 1.")]


def decision_curve(
    files: Predictions,
    /,
    *,
    y_true: TrueLabels,
    y_score: Words = None,
    thresholds: Thresholds = None,
    prevalence: float | None = None,
    groups: Clusters = None,
    strata: Strata = None,
    stratum_sizes: StratumSizes = None,
    sample_weight: Weights = None,
    counts: Counts = None,
    labels: Classes = None,
    pos_label: Positive = None,
    no_check: NoCheck = False,
    confidence_level: BandLevel = 0.95,
    random_state: Seed = None,
    html: Page = None,
    checklist: Checklist = None,
    input_format: InputFormat = None,
    sheet: Sheet = None,
    how: Format = "table",
) -> None:
    """Net benefit of predicted risks at each decision threshold, compared with treating all and none.

    Parameters
    ----------
    y_score
        Column with the predicted risk of the positive class, between 0 and 1. Several columns are several models.
    thresholds
        Thresholds, between 0 and 1: cases with at least this risk are treated. By default 0.01, 0.02, …, 0.99.
    prevalence
        Prevalence where the models will be used, for case-control data; by default that of the sample.
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
        {name: name for name in models},
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
