"""``howsure compare FILE --y-true … --y-pred A B C``: models on one test set, pair by pair."""

from __future__ import annotations

from typing import Any, Literal

from howsure.cli.inputs import Input, InputFormat
from howsure.cli.models import paired_columns
from howsure.cli.options import (
    Checklist,
    Classes,
    Clusters,
    Counts,
    Fixed,
    Format,
    Level,
    MethodName,
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
from howsure.cli.output import say_written, write_grid, write_records
from howsure.cli.pages import drawing, report_on


def compare(
    files: Predictions,
    /,
    *,
    y_true: TrueLabels,
    y_pred: Words = None,
    y_score: Words = None,
    model: str | None = None,
    case: str | None = None,
    incomplete: Literal["refuse", "drop"] = "refuse",
    labels: Classes = None,
    pos_label: Positive = None,
    metrics: Metrics = None,
    method: MethodName = None,
    correction: Literal["holm", "fdr_bh", "bonferroni", "none", "max_t"] = "holm",
    confidence_level: Level = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    groups: Clusters = None,
    fixed: Fixed = None,
    strata: Strata = None,
    stratum_sizes: StratumSizes = None,
    sample_weight: Weights = None,
    counts: Counts = None,
    no_check: NoCheck = False,
    random_state: Seed = None,
    html: Page = None,
    checklist: Checklist = None,
    input_format: InputFormat = None,
    sheet: Sheet = None,
    how: Format = "table",
) -> None:
    """Compare two or more models on the same cases, pair by pair.

    Parameters
    ----------
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
    metrics
        Metrics as spec strings, such as f1@macro; accuracy by default, roc_auc of scores.
    correction
        How p-values are adjusted for the number of comparisons; max_t also makes the intervals simultaneous.
    alternative
        Which limits of the difference (first model minus second) to compute: both, the upper one (less), or the lower
        one (greater); the p-value is for the same side.
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
