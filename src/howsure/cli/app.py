"""The commands; what is heavy is imported inside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from howsure.cli import reviewed as review_commands
from howsure.cli.compare import register_compare
from howsure.cli.output import write
from howsure.cli.study import study_app
from howsure.cli.unlabelled import unlabelled

if TYPE_CHECKING:
    from howsure.tables.table import Table

Format = Literal["table", "json", "csv", "markdown", "html", "latex"]

app = App(
    name="howsure",
    help="Honest error bars for what people report about classifiers.",
    default_parameter=Parameter(negative=()),
    version_flags=["--version"],
)
app.command(study_app)
app.command(review_commands.reviewed)
app.command(review_commands.review_plan)

app.command(unlabelled)


@app.command
def report(
    file: Path,
    /,
    *,
    y_true: str,
    y_pred: list[str] | None = None,
    y_score: list[str] | None = None,
    threshold: float = 0.5,
    metrics: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    method: str | None = None,
    level: float = 0.95,
    by: str | None = None,
    groups: str | None = None,
    sample_weight: str | None = None,
    labels: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    per_class: bool = False,
    seed: int | None = None,
    html: Path | None = None,
    format: Format = "table",  # noqa: A002 - the option's name
) -> None:
    """Print the metrics of predictions in a file, with their intervals, and write a report.

    Parameters
    ----------
    file
        Predictions, one row per case: CSV, TSV, JSON lines, Parquet, Arrow or Feather.
    y_true
        Column with the true labels.
    y_pred
        Column with the predicted labels; by default those that the scores give at the threshold. Given more than
        once: models side by side.
    y_score
        Column with the score of the positive class, one a model: adds ROC AUC and average precision.
    threshold
        Score from which on a case is predicted positive, where there is no y_pred.
    metrics
        Metrics as spec strings, such as f1@macro; see `howsure metrics`.
    method
        Interval method; see `howsure methods`. By default the one that suits each metric.
    level
        Confidence level, between 0 and 1.
    by
        Column to split by: one table for each of its values.
    groups
        Column with the cluster of each case (patient, document, user): cases of one cluster vary together.
    sample_weight
        Column with the weight of each case.
    labels
        The classes, in order; the last of two is the positive one.
    per_class
        Print precision, recall and F1 of each class instead.
    seed
        Seed of the methods that draw.
    html
        Write a report as one page to this file; a name in .md or .tex has it in Markdown, or its tables in LaTeX.
    format
        How to print: a table, or json, csv, markdown, html or latex for machines.
    """
    from howsure.cli.pages import Columns, report_on_file, write_models
    from howsure.sources.confusion import confusion
    from howsure.sources.scores import scores

    axis = None if labels is None else _typed(labels, file, y_true)
    weighted = {"sample_weight": sample_weight, "groups": groups}
    columns = Columns(y_true, y_pred or [], y_score or [], threshold, axis, by, weighted)
    settings = {"metrics": _split(metrics), "method": method, "level": level, "per_class": per_class, "seed": seed}
    several = len(columns.models) > 1
    if html is not None or several:
        page = report_on_file(file, columns, settings)
        if html is not None:
            page.save(html)
        if several:
            write_models(page, str(file), per_class=per_class, how=format)
            return
    scored: dict[Any, Table] = {}
    if columns.y_score:
        positive = None if axis is None else axis[-1]
        found = scores(y_true, columns.y_score[0], data=file, pos_label=positive, by=by, **weighted)
        scored = found if by else {"": found}
    if not columns.y_pred:
        tables = {value: table.at(threshold) for value, table in scored.items()}
    else:
        counted = confusion(y_true, columns.y_pred[0], data=file, labels=axis, by=by, **weighted)
        tables = counted if by else {"": counted}
    _print(tables, by, settings, str(file), format, scored)


@app.command
def matrix(
    file: Path,
    /,
    *,
    labels: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    metrics: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    method: str | None = None,
    level: float = 0.95,
    per_class: bool = False,
    seed: int | None = None,
    format: Format = "table",  # noqa: A002 - the option's name
) -> None:
    """Print the metrics of a confusion matrix in a CSV or TSV file, with their intervals.

    Parameters
    ----------
    file
        K×K counts: rows are the true class, columns the predicted one; labels in the first row or column or not.
    labels
        Names of the classes, in order.
    metrics
        Metrics as spec strings, such as f1@macro; see `howsure metrics`.
    method
        Interval method; see `howsure methods`.
    level
        Confidence level, between 0 and 1.
    per_class
        Print precision, recall and F1 of each class instead.
    seed
        Seed of the methods that draw.
    format
        How to print: a table, or json, csv, markdown, html or latex for machines.
    """
    from howsure.sources.files import read_matrix
    from howsure.tables.confusion import from_counts

    found, counts = read_matrix(file)
    table = from_counts(counts, labels or found)
    settings = {"metrics": _split(metrics), "method": method, "level": level, "per_class": per_class, "seed": seed}
    _print({"": table}, None, settings, str(file), format)


def _typed(labels: list[str], file: Path, column: str) -> list[Any]:
    """Give labels from the command line the type that they have in the file."""
    from howsure.sources.frames import grouped

    known = {str(value): value for value in grouped(file, {"y_true": column}).levels[0].tolist()}
    return [known.get(label, label) for label in labels]


def _print(
    tables: dict[Any, Table],
    by: str | None,
    settings: dict[str, Any],
    title: str,
    how: Format,
    scored: Mapping[Any, Table] = MappingProxyType({}),
) -> None:
    from howsure.compat.classification import classification_report
    from howsure.estimates.estimation import evaluate

    chosen = {"method": settings["method"], "confidence_level": settings["level"], "random_state": settings["seed"]}
    results: dict[Any, Any] = {}
    for value, table in tables.items():
        if settings["per_class"]:
            results[value] = classification_report(table, **chosen)
        else:
            found = evaluate(table, settings["metrics"], **chosen)
            if value in scored:
                of_scores = evaluate(scored[value], **(chosen | {"method": _of_scores(settings["method"])}))
                found = replace(found, estimates={**found, **of_scores})
            results[value] = found
    write(results, tables, by, title, how)


def _of_scores(method: str | None) -> str | None:
    """Return the method where it serves scores too: those that draw by bootstrap do."""
    return method if method is not None and "bootstrap" in method else None


def _split(metrics: list[str] | None) -> list[str] | None:
    """Accept metrics as separate words and separated by commas."""
    return None if metrics is None else [part for word in metrics for part in word.split(",") if part]


@app.command
def metrics(*, format: Format = "table") -> None:  # noqa: A002 - the option's name
    """List the metrics that spec strings can name, and the averages.

    Parameters
    ----------
    format
        How to print.
    """
    from howsure.cli.listing import average_grid, metric_grid
    from howsure.cli.output import write_grid

    write_grid(metric_grid(), how=format, title="Metrics")
    if format == "table":
        write_grid(average_grid(), how=format, title="Averages over classes: metric@average")


@app.command
def methods(*, format: Format = "table") -> None:  # noqa: A002 - the option's name
    """List the interval methods and their synonyms.

    Parameters
    ----------
    format
        How to print.
    """
    from howsure.cli.listing import method_grid
    from howsure.cli.output import write_grid

    write_grid(method_grid(), how=format, title="Methods")


register_compare(app)
