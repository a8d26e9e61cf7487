"""The command `howsure decision-curve`: net benefit of models along the thresholds of a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from howsure.cli.option_groups import OUTPUT, SAMPLE, SOURCE, Output, Sample, Source
from howsure.cli.options import (
    Level,
    Predictions,
    Seed,
    TrueLabels,
    Words,
    split,
)
from howsure.errors import HowsureError

if TYPE_CHECKING:
    from howsure.report.report import Report

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
    sample: Sample = SAMPLE,
    source: Source = SOURCE,
    confidence_level: BandLevel = 0.95,
    random_state: Seed = None,
    output: Output = OUTPUT,
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

    given, models = source.read(files), split(y_score)
    if not models:
        raise HowsureError("Name the column of the predicted risks with --y-score.")
    classes = source.classes(given, [y_true])
    found = along_risks(
        y_true,
        {name: name for name in models},
        thresholds=thresholds,
        prevalence=prevalence,
        confidence_level=confidence_level,
        random_state=random_state,
        data=given.data,
        pos_label=None if classes is None else classes[-1],
        check=not source.no_check,
        **sample.arguments(),
    )

    def report(**about: Any) -> Report:
        from howsure.report.decisions import report_of_decisions

        return report_of_decisions(found, **about)

    output.write(found, output.save(given, report), given.title)
