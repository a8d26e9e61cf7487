"""``howsure plan``: the sample size of a study, from a pilot in a file or from stated rates."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from howsure.cli.inputs import Input
from howsure.cli.models import paired_columns
from howsure.cli.option_groups import SOURCE, Source
from howsure.cli.options import (
    Counts,
    Fixed,
    Format,
    Level,
    MethodName,
    Metric,
    Weights,
    Words,
    one_or_two,
    split,
)
from howsure.cli.output import write_grid, write_records
from howsure.errors import HowsureError, HowsureWarning

Pilot = Annotated[list[str] | None, Parameter(name="FILE", negative=())]
GIVE = (
    "Give the pilot's FILE with --y-true and --y-pred or --y-score, or with --values; or state the truth: "
    "--sensitivity, --specificity, --positives and --negatives."
)


def plan(
    files: Pilot = None,
    /,
    *,
    metric: Metric | None = None,
    width: float | None = None,
    power: float | None = None,
    support: Words = None,
    n: int | None = None,
    true_value: float | None = None,
    null: float | None = None,
    margin: float | None = None,
    cluster_size: int | None = None,
    icc: float | None = None,
    y_true: str | None = None,
    y_pred: Words = None,
    y_score: Words = None,
    values: Words = None,
    task: str | None = None,
    sensitivity: str | None = None,
    specificity: str | None = None,
    positives: int | None = None,
    negatives: int | None = None,
    source: Source = SOURCE,
    groups: Words = None,
    fixed: Fixed = None,
    sample_weight: Weights = None,
    counts: Counts = None,
    method: MethodName = None,
    contrast: str = "difference",
    confidence_level: Level = 0.95,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    random_state: Annotated[int, Parameter(name=("--random-state", "--seed"))] = 0,
    how: Format = "table",
) -> None:
    """Sample size for a width or a power.

    Parameters
    ----------
    files
        A pilot, one row per case: CSV, TSV, JSON lines, Parquet, Arrow, Feather or a spreadsheet. Files, folders and
        quoted patterns are read as one data set; - is standard input. Omit it if rates are stated.
    metric
        The metric, as a spec string such as f1@macro; accuracy by default, roc_auc of scores, mean of values.
    width
        Largest mean width of the interval.
    power
        Probability of the conclusion defined by --null and --margin.
    support
        Smallest number of cases of each class, or of a class as LABEL=NUMBER.
    n
        Number of cases, to compute the width or the power; with --power, the smallest detectable difference.
    true_value
        True value of the metric or the difference; by default the pilot's.
    null
        The value that the interval should exclude; for two models, the value for equal models by default.
    margin
        Margin around the null value, for non-inferiority (one limit) or equivalence (two limits).
    cluster_size
        Number of cases per cluster, or of runs per task; by default the pilot's.
    icc
        Intraclass correlation of cases of one cluster, or of runs of one task; by default the pilot's.
    y_true
        Column with the true labels.
    y_pred
        Column with the predicted labels, or two columns to compare two models.
    y_score
        Column with the scores, or two.
    values
        Column with a number per case instead of labels, or two.
    task
        Column with the task, if --values are successes (1) and failures (0) of runs of tasks.
    sensitivity
        Proportion of positive cases predicted correctly, with the decimals as published; needs --specificity,
        --positives and --negatives.
    specificity
        Proportion of negative cases predicted correctly.
    positives
        Number of positive cases of the published study.
    negatives
        Number of negative cases of the published study.
    groups
        Column with the cluster of each case (patient, document, user): cases of one cluster may be
        correlated. Two columns are crossed factors, such as models and items, one of which is --fixed.
    contrast
        Contrast of two models: difference, ratio or odds_ratio.
    alternative
        Which limits the interval has: both, the upper one (less) or the lower one (greater).
    random_state
        Seed of the simulated studies.
    """
    from howsure.methods.core.lookup import named as by_name
    from howsure.planning.sizes import plan as planned

    stated = {"sensitivity": sensitivity, "specificity": specificity, "positives": positives, "negatives": negatives}
    beside = {"groups": one_or_two(groups), "fixed": fixed, "sample_weight": sample_weight, "counts": counts}
    if any(each is not None for each in stated.values()):
        table, usual, title = _stated(files, stated), "accuracy", "stated rates"
    else:
        given = source.read(files or _refused())
        columns = {"y_true": y_true, "y_pred": split(y_pred), "y_score": split(y_score), "values": split(values)}
        table, usual = _pilot(given, source, columns, task, beside)
        title = given.title
    found = planned(
        table,
        metric or usual,
        width=width,
        power=power,
        support=_support(split(support)),
        n=n,
        true_value=true_value,
        null=null,
        margin=margin,
        cluster_size=cluster_size,
        icc=icc,
        method=by_name(method),
        contrast=contrast,
        confidence_level=confidence_level,
        alternative=alternative,
        random_state=random_state,
    )
    if how in {"json", "csv"}:
        write_records(found.records(), how)
    elif how == "table":
        grid = found.grid()
        write_grid(replace(grid, caption=""), how=how, title=title)
        sys.stdout.write(grid.caption + "\n")
    else:
        write_grid(found.grid(), how=how)


def _refused() -> Any:
    raise HowsureError(GIVE)


def _stated(files: object, rates: dict[str, Any]) -> Any:
    from howsure.sources.rates import from_rates

    if files or any(each is None for each in rates.values()):
        raise HowsureError(GIVE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HowsureWarning)  # a warning that other whole numbers reproduce the rates too
        return from_rates(**rates)


def _pilot(
    given: Input, source: Source, columns: dict[str, Any], task: str | None, beside: dict[str, Any]
) -> tuple[Any, str]:
    """Return the table of a pilot, and its default metric."""
    from howsure.sources.confusion import confusion
    from howsure.sources.scores import scores
    from howsure.sources.trials import trials
    from howsure.sources.values import values

    y_true, y_pred, y_score, own = columns.values()
    settings: dict[str, Any] = {**beside, "data": given.data, "check": not source.no_check}
    if own:
        column: Any = own[0] if len(own) == 1 else own
        return (values(column, **settings) if task is None else trials(column, task=task, **settings)), "mean"
    if y_true is None or bool(y_pred) == bool(y_score):
        raise HowsureError(GIVE)
    if len(said := y_pred or y_score) > 1:
        long = {"model": None, "case": None, "incomplete": "refuse"}
        return paired_columns(given, source, y_true, y_pred or None, y_score or None, long=long, **beside)
    classes = source.classes(given, [y_true, *y_pred])
    if y_score:
        positive = None if classes is None else classes[-1]
        return scores(y_true, said[0], pos_label=positive, **settings), "roc_auc"
    return confusion(y_true, said[0], labels=classes, **settings), "accuracy"


def _support(words: list[str]) -> Any:
    """Return the required number of cases of all classes, or of each named class."""
    if not words:
        return None
    if len(words) == 1 and words[0].isdigit():
        return int(words[0])
    pairs = [each.rpartition("=") for each in words]
    if not all(label and number.isdigit() for label, _, number in pairs):
        raise HowsureError("`--support` is a number, or LABEL=NUMBER for each class that needs some.")
    return {label: int(number) for label, _, number in pairs}
