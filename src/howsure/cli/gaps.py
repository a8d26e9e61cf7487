"""The command `howsure gaps`: differences of metrics between groups."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from howsure.cli.classes import classes_of
from howsure.cli.inputs import Input, InputFormat
from howsure.cli.labelled import labelled_tables
from howsure.cli.options import (
    Checklist,
    Classes,
    Clusters,
    Counts,
    Format,
    Level,
    Metrics,
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
from howsure.errors import HowsureError

Together = Annotated[Level, Parameter(help="Probability that all intervals cover, between 0 and 1.")]


def gaps(
    files: Predictions,
    /,
    *,
    by: Words = None,
    y_true: TrueLabels,
    y_pred: str | None = None,
    y_score: str | None = None,
    threshold: float | None = None,
    metrics: Metrics = None,
    reference: str | None = None,
    pairs: bool = False,
    margin: float | None = None,
    power: float | None = None,
    groups: Clusters = None,
    strata: Strata = None,
    stratum_sizes: StratumSizes = None,
    sample_weight: Weights = None,
    counts: Counts = None,
    labels: Classes = None,
    pos_label: Positive = None,
    no_check: NoCheck = False,
    method: str | None = None,
    confidence_level: Together = 0.95,
    random_state: Seed = None,
    html: Page = None,
    checklist: Checklist = None,
    input_format: InputFormat = None,
    sheet: Sheet = None,
    how: Format = "table",
) -> None:
    """Differences of metrics between groups (fairness), with simultaneous intervals.

    Parameters
    ----------
    by
        Column with the group of each case, or several, whose combinations are the groups.
    y_pred
        Column with the predicted labels.
    y_score
        Column with the score of the positive class, instead of labels.
    threshold
        Smallest score that is predicted positive, for metrics of counts.
    metrics
        Metrics as spec strings, or one of demographic_parity, equal_opportunity, equalized_odds (the default),
        predictive_equality and predictive_parity.
    reference
        Compare each group with this one only.
    pairs
        Print all pairs of groups instead of the groups.
    margin
        Print how many cases each group would need for differences ± this margin; with --power to find a difference of
        this size.
    power
        Probability of finding a difference of the size of --margin.
    method
        Method of each group's interval; see `howsure methods`.
    """
    from howsure.cli.strata import strata_of
    from howsure.groups.group_gaps import gaps as compared
    from howsure.methods.core.lookup import named

    refuse_without_page(checklist, html)
    given = Input.of(files, input_format, sheet)
    if not split(by):
        message = "Name the column of the groups with --by."
        raise HowsureError(message)
    if power is not None and margin is None:
        message = "`--power` goes with `--margin`, the difference to find."
        raise HowsureError(message)
    beside: dict[str, Any] = {
        "groups": one_or_two(groups),
        "sample_weight": sample_weight,
        "counts": counts,
        "check": not no_check,
        **strata_of(strata, stratum_sizes),
    }
    classes = classes_of(given.data, [y_true, *filter(None, [y_pred])], labels, pos_label)
    tables = labelled_tables(given.data, y_true, y_pred, y_score, classes, split(by), beside)
    found: Any = compared(
        tables,
        _one_or_several(split(metrics)),
        reference=reference,
        method=named(method),
        confidence_level=confidence_level,
        threshold=threshold,
        random_state=random_state,
    )
    page = None
    if html is not None:
        from howsure.report.gaps import report_of_gaps

        made = report_of_gaps(found, title=given.title, command=command_line(), files=given.data)
        page = made.with_checklist(checklist).save(html)
    shown = found.needed(margin, power=power) if margin is not None else found.differences if pairs else found
    if how in {"json", "csv"}:
        write_records(shown.records(), how)
    else:
        write_grid(shown.grid(), how=how, title=given.title)
    say_written(page)


def _one_or_several(metrics: list[str]) -> str | list[str]:
    return "equalized_odds" if not metrics else metrics[0] if len(metrics) == 1 else metrics
