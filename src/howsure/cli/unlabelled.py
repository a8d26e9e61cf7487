"""The command `howsure unlabelled`: metrics of scores without labels, optionally by chunk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from howsure.cli.gates import FailOver, FailUnder, bounds, hold
from howsure.cli.inputs import Files, Input, InputFormat
from howsure.cli.option_groups import OUTPUT, Output
from howsure.cli.options import (
    THRESHOLD,
    Classes,
    Counts,
    Level,
    Metrics,
    NoCheck,
    Seed,
    Sheet,
    Weights,
    Words,
    split,
)
from howsure.cli.output import say_written, write
from howsure.cli.pages import report_on, single_block

if TYPE_CHECKING:
    from howsure.report.report import Report


def unlabelled(
    files: Files,
    /,
    *,
    y_score: Annotated[list[str], Parameter(consume_multiple=True)],
    labelled: Path | None = None,
    y_true: str | None = None,
    pos_label: str | None = None,
    calibration: Literal["beta", "platt", "isotonic", "venn_abers"] = "beta",
    y_pred: str | None = None,
    threshold: float | None = None,
    metrics: Metrics = None,
    target: Literal["batch", "population"] = "batch",
    sample_weight: Weights = None,
    by: str | None = None,
    every: str | None = None,
    reference: Words = None,
    baseline: tuple[float, float] | None = None,
    labels: Classes = None,
    method: str | None = None,
    confidence_level: Level = 0.95,
    counts: Counts = None,
    no_check: NoCheck = False,
    random_state: Seed = None,
    fail_under: FailUnder = None,
    fail_over: FailOver = None,
    input_format: InputFormat = None,
    sheet: Sheet = None,
    output: Output = OUTPUT,
) -> None:
    """Metrics of calibrated scores without labels.

    The scores must be calibrated probabilities, or a second file with labelled cases, --labelled, calibrates them.

    Parameters
    ----------
    files
        Scores, one row per case: CSV, TSV, JSON lines, Parquet, Arrow, Feather or a spreadsheet. Files, folders and
        quoted patterns are read as one data set; - is standard input.
    y_score
        Column with the probability of the positive class; for K classes their K columns.
    labelled
        File with labelled cases: scores in the same column, true classes in that of --y-true.
    y_true
        Column of the labelled file with the true class.
    pos_label
        Which of its two classes is the positive one; the last in order by default.
    calibration
        How the labelled cases calibrate the scores.
    y_pred
        For K classes: column with the predicted class; by default the most probable one.
    threshold
        Smallest score that is predicted positive, for metrics of counts; 0.5 by default.
    metrics
        Metrics as spec strings, of counts (f1) or of scores (roc_auc); see `howsure metrics`.
    target
        Target of the intervals: these cases (batch), or their population.
    by
        Column to split by, into chunks that are compared with a baseline.
    every
        Period of the column (hour, day, week, month, quarter, year); or, without --by, the number of rows per chunk.
    reference
        Chunks that form the baseline; the first by default.
    baseline
        Limits of the baseline, low and high, instead of a reference.
    method
        Interval method; see `howsure methods`.
    fail_under
        Exit with code 1 unless the lower limit of each metric reaches this bound in every chunk, such as f1=0.9
        mcc=0.8.
    """
    from howsure.comparison.monitoring import evaluated, monitor
    from howsure.imperfect_labels.unlabelled.calibrated import calibrated
    from howsure.metrics.spec import parse

    given, wanted = Input.of(files, input_format, sheet), bounds(fail_under, fail_over)
    column = y_score if len(y_score) > 1 else y_score[0]
    period: Any = int(every) if every is not None and every.isdigit() else every
    asked: dict[str, Any] = {
        "method": calibration,
        "pos_label": pos_label,
        "random_state": random_state,
        "check": not no_check,
    }
    calibrator = _calibrator(column, labelled, y_true, asked)
    rest: dict[str, Any] = {
        "y_pred": y_pred,
        "labels": labels,
        "target": target,
        "sample_weight": sample_weight,
        "counts": counts,
        "calibrator": calibrator,
        "check": not no_check,
    }
    tables = calibrated(column, data=given.data, by=by, every=period, **rest)
    names = split(metrics) or None
    if threshold is None:
        known = [parse(name).definition for name in names or ()]
        threshold = None if known and all(each.of_scores or each.cuts_scores for each in known) else THRESHOLD
    settings: dict[str, Any] = {"method": method, "confidence_level": confidence_level, "random_state": random_state}
    if not isinstance(tables, Mapping):
        found = evaluated(tables, names, threshold, settings)
        shown = tables.at(threshold) if threshold is not None and hasattr(tables, "at") else tables
        page = output.save(given, partial(report_on, found))
        write([single_block([*found.values()], shown, found.confidence_level)], given.title, output.how)
        say_written(page)
        hold(wanted, {"": [found]})
        return
    followed = monitor(tables, names, threshold=threshold, reference=reference, baseline=baseline, **settings)

    def monitored(**about: Any) -> Report:
        from howsure.report.monitoring import report_of_monitoring

        return report_of_monitoring(followed, **about)

    output.write(followed, output.save(given, monitored), f"{given.title} · by {by or every}")
    hold(wanted, {str(chunk): [each] for chunk, each in followed.items()})


def _calibrator(y_score: str | list[str], labelled: Path | None, y_true: str | None, asked: Mapping[str, Any]) -> Any:
    """Return the calibrator fitted to the labelled file; None without such a file."""
    from howsure.errors import HowsureError
    from howsure.imperfect_labels.calibration.calibrate import calibrate

    if labelled is None and y_true is None:
        return None
    if labelled is None or y_true is None:
        raise HowsureError(
            "A calibration needs both `--labelled FILE` and `--y-true COLUMN`, its column with the true classes."
        )
    if isinstance(y_score, list):
        raise HowsureError("`--labelled` calibrates one column of scores: give `--y-score` a single one.")
    return calibrate(y_score, y_true, data=labelled, **asked)
