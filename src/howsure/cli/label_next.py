"""The command `howsure label-next`: select the cases of a pool of predictions to label next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from howsure.cli.classes import classes_of
from howsure.cli.inputs import Files, Input, InputFormat
from howsure.cli.options import Format, Metric, Seed, Sheet, Words
from howsure.cli.output import say_written, write_grid


def label_next(
    files: Files,
    /,
    *,
    y_pred: str,
    y_score: str,
    n: Annotated[int, Parameter(name=("-n", "--number"))],
    out: Annotated[Path | None, Parameter(name=("-o", "--out"))] = None,
    y_true: str | None = None,
    metric: Metric = "f1",
    labels: Words = None,
    pos_label: str | None = None,
    random_state: Annotated[Seed, Parameter(help="Seed of the draw.")] = None,
    input_format: InputFormat = None,
    sheet: Sheet = None,
    how: Annotated[
        Format, Parameter(help="Output format of the strata: a table, or json, csv, markdown, html or latex.")
    ] = "table",
) -> None:
    """Select rows to label next.

    Parameters
    ----------
    files
        The pool, one row per case: CSV, TSV, JSON lines, Parquet, Arrow, Feather or a spreadsheet; - for standard
        input.
    y_pred
        Column with the predicted class.
    y_score
        Column with the score, from 0 to 1: for two classes the probability of the last one.
    n
        How many rows to label.
    out
        CSV file for the rows to label, with their strata and inclusion probabilities; the first row of the pool is 0.
    y_true
        Column with existing labels, empty for unlabelled rows.
    metric
        The metric whose interval should become narrow.
    labels
        The classes, in order.
    pos_label
        The positive one of two classes; the last in order by default.
    """
    from howsure.grids import csv_text
    from howsure.imperfect_labels.partial.label_sample import sample_to_label
    from howsure.writing import written

    given = Input.of(files, input_format, sheet)
    classes = classes_of(given.data, [y_pred], labels, pos_label)
    sample = sample_to_label(
        y_pred, y_score, metric, n=n, y_true=y_true, data=given.data, labels=classes, random_state=random_state
    )
    write_grid(sample.grid(), how=how, title=given.title)
    say_written(None if out is None else written(out, csv_text(sample.rows_to_label())))
