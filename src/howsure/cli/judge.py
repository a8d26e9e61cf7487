"""The command `howsure judge`: pass rate and quality of a judge from its verdicts and some human labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from howsure.cli.classes import classes_of
from howsure.cli.gates import FailOver, FailUnder, bounds, hold
from howsure.cli.inputs import Files, Input, InputFormat
from howsure.cli.options import Counts, Format, Level, Metrics, NoCheck, Sheet, Weights, Words, split
from howsure.cli.output import Block, write
from howsure.cli.pages import table_record

if TYPE_CHECKING:
    from howsure.estimates.estimate import Estimate
    from howsure.imperfect_labels.noisy.judge_report import JudgeReport
    from howsure.imperfect_labels.partial.label_plan import LabelPlan
    from howsure.tables.confusion import ConfusionTable

Positive = Annotated[str | None, Parameter(name=("--pos-label", "--pass-label"))]


def judge(
    files: Files,
    /,
    *,
    judge: str,
    human: str,
    y_pred: str | None = None,
    metrics: Metrics = None,
    width: float | None = None,
    covariate: Words = None,
    by: Words = None,
    groups: str | None = None,
    sample_weight: Weights = None,
    labels: Words = None,
    pos_label: Positive = None,
    confidence_level: Level = 0.95,
    counts: Counts = None,
    no_check: NoCheck = False,
    fail_under: FailUnder = None,
    fail_over: FailOver = None,
    input_format: InputFormat = None,
    sheet: Sheet = None,
    how: Format = "table",
) -> None:
    """Pass rate from a model's grades and a few human labels.

    Parameters
    ----------
    files
        One row per case: CSV, TSV, JSON lines, Parquet, Arrow, Feather or a spreadsheet. Files, folders and quoted
        patterns are read as one data set; - is standard input.
    judge
        Column with the judge's verdict for every case.
    human
        Column with the human label, empty for unlabelled cases. The labelled cases must be a random sample of all
        cases, or of the cases of each verdict.
    y_pred
        Column with a prediction, such as that of a filter, for --metrics.
    metrics
        Further metrics of the prediction, or else of the verdict, against the human labels, as spec strings such as f1.
    width
        Desired width of the interval of the pass rate; prints how many cases of each verdict to label next.
    covariate
        Columns that may bias the judge, such as the length of the answer or its position.
    by
        Column to split by, or several: results for all cases come first, then for each value or combination of values.
    groups
        Column with the cluster of each case (conversation, passage, user): cases of one cluster may be correlated.
    labels
        The classes, in order; the last of two means pass.
    pos_label
        Which of two classes means pass; the last in order by default.
    fail_under
        Exit with code 1 unless the lower limit of each metric reaches this bound, such as pass_rate=0.9.
    """
    from howsure.errors import HowsureError
    from howsure.estimates.estimation import evaluate
    from howsure.imperfect_labels.noisy.judge_bias import judge_bias
    from howsure.imperfect_labels.noisy.judge_report import judge_report
    from howsure.imperfect_labels.noisy.judged import judged
    from howsure.imperfect_labels.partial.label_plan import label_plan
    from howsure.tables.batch import ALL, in_groups

    if y_pred is not None and not metrics:
        raise HowsureError(
            "`--y-pred` needs `--metrics`: what of the human labels and the prediction to estimate, such as f1."
        )
    given, wanted = Input.of(files, input_format, sheet), bounds(fail_under, fail_over)
    classes = classes_of(given.data, [judge], labels, pos_label)
    check: dict[str, Any] = {"data": given.data, "counts": counts, "check": not no_check}
    columns = check | {"labels": classes, "sample_weight": sample_weight, "groups": groups}
    split_by = split(by) or None
    tables = in_groups(judged(human, judge, by=split_by, **columns))
    asked = None
    if y_pred is not None:
        asked = in_groups(judged(human, judge, y_pred=y_pred, by=split_by, **columns)).all_and_groups()
    leanings = [
        judge_bias(
            human, judge, column, labels=classes, groups=groups, confidence_level=confidence_level, **check
        ).replace(metric=f"judge_bias along {column}")
        for column in split(covariate)
    ]

    made: dict[Any, list[Mapping[str, Estimate]]] = {}

    def block(key: object, table: ConfusionTable) -> Block:
        report = judge_report(table, confidence_level=confidence_level)
        own = table if asked is None else asked[key]
        more = evaluate(own, split(metrics), confidence_level=confidence_level) if metrics else {}
        made[key] = [report, more]
        plan = None if width is None else label_plan(table, width=width, confidence_level=confidence_level)
        listed = [*more.values(), *(leanings if key == ALL else ())]
        return _block(tables.group(key), report, table, listed, plan)

    write([block(*each) for each in tables.all_and_groups().items()], given.title, how)
    hold(wanted, {"": made[ALL]})


def _block(
    about: Mapping[str, object],
    report: JudgeReport,
    table: ConfusionTable,
    more: Sequence[Estimate],
    plan: LabelPlan | None,
) -> Block:
    """Return the block of all cases, or of one group."""
    from howsure.estimates.estimate import estimate_grid, positive_notes
    from howsure.grids import Grid

    listed = [*report.values(), *more]
    found = estimate_grid([each.replace(reason="") for each in listed], report.confidence_level)
    sentence = report.sentence() if table.is_binary else ""
    said = (sentence, *positive_notes(report.values()), report.note, "" if plan is None else plan.sentence())
    planned = {} if plan is None else {"label_plan": plan.records()}
    return Block(
        about=about,
        grid=Grid(found.headers, found.rows, "\n".join(filter(None, said))),
        records=[dict(about) | each.to_dict() for each in listed],
        tables=[dict(about) | table_record(table) | {"labelled": report.labelled} | planned],
    )
