"""``howsure entities FILE``: precision, recall and F1 of the entities that taggers find."""

from __future__ import annotations

from functools import partial
from typing import Any

from howsure.cli.gates import FailOver, FailUnder, bounds, hold
from howsure.cli.inputs import Files, Input, InputFormat
from howsure.cli.option_groups import Output
from howsure.cli.options import Format, Level, MethodName, Metrics, Page, Seed, Sheet, Words, one_seed, split
from howsure.cli.output import say_written, write, write_grid
from howsure.cli.pages import Asked, blocks_of, drawing, report_on
from howsure.sources.schemes import Scheme

DEFAULT = "f1@micro"


def entities(
    files: Files,
    /,
    *,
    y_true: str | None = None,
    y_pred: Words = None,
    unit: str | None = None,
    scheme: Scheme | None = None,
    metrics: Metrics = None,
    method: MethodName = None,
    confidence_level: Level = 0.95,
    by: Words = None,
    groups: str | None = None,
    sample_weight: str | None = None,
    counts: str | None = None,
    random_state: Seed = None,
    fail_under: FailUnder = None,
    fail_over: FailOver = None,
    html: Page = None,
    input_format: InputFormat = None,
    sheet: Sheet = None,
    how: Format = "table",
) -> None:
    """Metrics of named entities in files of tokens.

    Parameters
    ----------
    files
        Lines of tokens with their tags and a blank line after each sentence (CoNLL), whose columns are numbered from 1;
        or CSV, TSV, JSON lines, Parquet, Arrow, Feather or a spreadsheet, with one row per token or per sentence.
    y_true
        Column with the true tags; for CoNLL files the last but one by default.
    y_pred
        Column with the predicted tags, one per model; for CoNLL files the last by default.
    unit
        Column with the sentence of each token, if rows are tokens.
    scheme
        Scheme of the tags, for seqeval's strict mode; by default every change of type starts an entity.
    metrics
        Metrics as spec strings, such as f1@micro; see `howsure metrics`.
    by
        Column to split by, or several: results for all sentences come first, then for each value or combination of
        values.
    groups
        Column with the cluster of each sentence, such as its document: sentences of one cluster may be correlated.
    sample_weight
        Column with the weight of each sentence.
    counts
        Column with the number of identical sentences in each row.
    fail_under
        Exit with code 1 unless the lower limit of each metric reaches this bound, such as f1@micro=0.9.
    """
    from howsure.comparison.models import compare_all
    from howsure.report.evidence import Subject
    from howsure.sources import entities as source
    from howsure.tables.batch import ALL

    given, wanted = Input.of(files, input_format, sheet), bounds(fail_under, fail_over)
    models = split(y_pred)
    columns: dict[str, Any] = {"unit": unit, "scheme": scheme, "groups": groups, "sample_weight": sample_weight}
    columns |= {"data": given.data, "counts": counts}
    said: Any = models if len(models) > 1 else next(iter(models), None)
    split_by: Any = split(by) or None
    table: Any = source.entities(y_true, said, **columns, by=split_by)
    asked = Asked(split(metrics) or None, method, confidence_level, one_seed(random_state))
    if len(models) > 1:
        found = asked.estimated(*(Subject(name, _of_model(table, name)) for name in models))
    else:
        found = asked.estimated(Subject(table=table))
    compared: Any = {}
    if len(models) > 1:
        chosen: dict[str, Any] = {"method": drawing(method), "confidence_level": confidence_level}
        both = table.overall if split_by else table
        compared = compare_all(both, (asked.metrics or [DEFAULT])[0], random_state=asked.seed, **chosen)
    page = Output(html=html).save(given, partial(report_on, found, comparisons=compared))
    write(blocks_of(found), given.title, how)
    if compared and how == "table":
        write_grid(compared.grid(), how=how, note=f"{found[0].tables.overall.rows:,} sentences, paired")
    say_written(page)
    hold(wanted, {each.name: each.evaluations[ALL] for each in found})


def _of_model(table: Any, name: str) -> Any:
    """Return the table of one model, in every group."""
    return table.mapped(lambda each: each.model(name)) if hasattr(table, "mapped") else table.model(name)
