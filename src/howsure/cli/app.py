"""The commands; slow imports are inside them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import App, Group, Parameter

from howsure.cli import reviewed as review_commands
from howsure.cli.compare import compare
from howsure.cli.cross_validated import cross_validated
from howsure.cli.decision_curve import decision_curve
from howsure.cli.entities import entities
from howsure.cli.evals import evals
from howsure.cli.example_files import examples
from howsure.cli.examples import shown
from howsure.cli.gaps import gaps
from howsure.cli.gates import FailOver, FailUnder, bounds, hold
from howsure.cli.inputs import HYPHEN, STANDARD, Input
from howsure.cli.judge import judge
from howsure.cli.label_next import label_next
from howsure.cli.leaderboard import leaderboard
from howsure.cli.option_groups import OUTPUT, SAMPLE, SOURCE, Output, Sample, Source
from howsure.cli.options import (
    THRESHOLD,
    Fixed,
    Format,
    Level,
    MethodName,
    Metrics,
    Positive,
    Predictions,
    Seed,
    Sheet,
    TrueLabels,
    Words,
    one_seed,
    split,
)
from howsure.cli.output import say_written, write, write_grid
from howsure.cli.plan import plan
from howsure.cli.readers import readers
from howsure.cli.require import require
from howsure.cli.study import study_app
from howsure.cli.unlabelled import unlabelled

app = App(
    name="howsure",
    help="How sure are you of that F1? Confidence intervals for classifier metrics.",
    help_epilogue=shown("howsure"),
    default_parameter=Parameter(negative=()),
    version_flags=["--version"],
)
app.register_install_completion_command(help="Install completion for the shell that runs this: bash, zsh or fish.")
MEASURE, COMPARE, LABELS, PLAN, LOOK_UP = (
    Group(title, sort_key=place)
    for place, title in enumerate(("Measure", "Compare", "Few or wrong labels", "Plan", "Look up"))
)
SHARED = {"--use", "--help", "-h", "--version", "--"}  # options that a command has besides its own
study_app.group = COMPARE
app.command(study_app)
for group, commands in {
    MEASURE: (decision_curve, entities, require, unlabelled),
    COMPARE: (compare, cross_validated, gaps, leaderboard, evals, readers),
    LABELS: (judge, review_commands.reviewed, review_commands.review_plan, label_next),
    PLAN: (plan,),
    LOOK_UP: (examples,),
}.items():
    for command in commands:
        app.command(command, group=group, help_epilogue=shown(command.__name__.replace("_", "-")))


@app.meta.default
def launch(
    *words: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
    use: Annotated[list[Path] | None, Parameter(negative=())] = None,
) -> None:
    """Process the options shared by all commands, then run the command.

    Parameters
    ----------
    use
        Python file that defines your own metrics and methods, which every command can then use by name. May be given
        several times.
    """
    from howsure.cli import own

    for file in use or ():
        own.run(file)
    app(_named(words), exit_on_error=False)


def run(words: Sequence[str]) -> None:
    """Run a command line.

    The application of the shared options parses the words of every command again, so it runs only with such options.
    """
    names = {word.partition("=")[0] for word in words}
    is_plain = words[:1] and words[0] in app and not words[0].startswith("-") and names.isdisjoint(SHARED)
    if is_plain:
        app(_named(words), exit_on_error=False, print_error=False)
    else:
        app.meta(words, exit_on_error=False, print_error=False)


def _named(words: Sequence[str]) -> list[str]:
    """Return the words with the name of the standard input for its hyphen."""
    return [STANDARD if word == HYPHEN else word for word in words]


@app.command(group=MEASURE, help_epilogue=shown("report"))
def report(
    files: Predictions,
    /,
    *,
    y_true: TrueLabels,
    y_pred: Words = None,
    y_score: Words = None,
    threshold: float = THRESHOLD,
    metrics: Metrics = None,
    method: MethodName = None,
    confidence_level: Level = 0.95,
    by: Words = None,
    sample: Sample = SAMPLE,
    fixed: Fixed = None,
    source: Source = SOURCE,
    per_class: bool = False,
    random_state: Seed = None,
    fail_under: FailUnder = None,
    fail_over: FailOver = None,
    output: Output = OUTPUT,
) -> None:
    """Metrics of predictions with intervals; an HTML report.

    Parameters
    ----------
    y_pred
        Column with the predicted labels; by default the scores are compared with the threshold. Several columns are
        several models.
    y_score
        Column with the score of the positive class, one per model: adds ROC AUC and average precision.
    threshold
        Smallest score that is predicted positive, without y_pred.
    metrics
        Metrics as spec strings, such as f1@macro; see `howsure metrics`.
    by
        Column to split by, or several: results for all cases come first, then for each value or combination of values.
    per_class
        Print precision, recall and F1 of each class instead.
    fail_under
        Exit with code 1 unless the lower limit of each metric reaches this bound, such as f1=0.9 mcc=0.8; of all cases
        together, also with --by.
    """
    from howsure.cli.pages import Asked, Columns, blocks_of, class_blocks, report_on_file, subjects_of
    from howsure.tables.batch import ALL

    given, wanted = source.read(files), bounds(fail_under, fail_over)
    classes = source.classes(given, [y_true, *split(y_pred)])
    columns = Columns(
        y_true=y_true,
        y_pred=split(y_pred),
        y_score=split(y_score),
        threshold=threshold,
        labels=classes,
        pos_label=None if source.pos_label is None or classes is None else classes[-1],
        by=split(by),
        others={**sample.arguments(), "fixed": fixed, "check": not source.no_check},
    )
    # One seed for the terminal and the page, so that both use the same draws.
    asked = Asked(split(metrics) or None, method, confidence_level, one_seed(random_state))
    subjects = subjects_of(given, columns, asked)
    page = output.save(given, partial(report_on_file, given, columns, asked, subjects))
    write(class_blocks(subjects, asked, output.how) if per_class else blocks_of(subjects), given.title, output.how)
    say_written(page)
    hold(wanted, {each.name: each.evaluations[ALL] for each in subjects})


@app.command(group=MEASURE, help_epilogue=shown("matrix"))
def matrix(
    file: Path,
    /,
    *,
    labels: Words = None,
    pos_label: Positive = None,
    metrics: Metrics = None,
    method: str | None = None,
    confidence_level: Level = 0.95,
    per_class: bool = False,
    no_check: bool = False,
    random_state: Seed = None,
    fail_under: FailUnder = None,
    fail_over: FailOver = None,
    sheet: Sheet = None,
    output: Output = OUTPUT,
) -> None:
    """Metrics of a confusion matrix with intervals.

    Parameters
    ----------
    file
        K×K counts in CSV, TSV, text, Markdown or a spreadsheet; - reads standard input. Rows are the true classes,
        unless the first cell (predicted/true) or the labels (Actual x, Predicted x) state otherwise; labels in the
        first row or column are optional. Other layouts are one row of TP, FP, FN and TN, and one line for each true
        class, predicted class and number.
    labels
        Names of the classes, in order.
    metrics
        Metrics as spec strings, such as f1@macro; see `howsure metrics`.
    method
        Interval method; see `howsure methods`.
    per_class
        Print precision, recall and F1 of each class instead.
    no_check
        Treat a last row and column that are the sums of the others as a class.
    fail_under
        Exit with code 1 unless the lower limit of each metric reaches this bound, such as f1=0.9 mcc=0.8.
    """
    from howsure.cli.pages import Asked, blocks_of, class_blocks, report_on
    from howsure.report.evidence import Subject
    from howsure.sources.matrices import matrix_table
    from howsure.tables.batch import ALL

    wanted = bounds(fail_under, fail_over)
    given = Input.of([str(file)], "csv" if str(file) == STANDARD else None, sheet)
    table = matrix_table(given.data[0], labels or None, pos_label=pos_label, check=not no_check)
    asked = Asked(split(metrics) or None, method, confidence_level, one_seed(random_state))
    made = asked.estimated(Subject(table=table))
    page = output.save(given, partial(report_on, made))
    write(class_blocks(made, asked, output.how) if per_class else blocks_of(made), given.title, output.how)
    say_written(page)
    hold(wanted, {"": made[0].evaluations[ALL]})


@app.command(group=LOOK_UP, help_epilogue=shown("metrics"))
def metrics(
    metric: str | None = None, *, every: Annotated[bool, Parameter(name="--all")] = False, how: Format = "table"
) -> None:
    """List the metrics, or describe one.

    Parameters
    ----------
    metric
        The metric, such as f1 or roc_auc; any other word is searched in names and meanings.
    every
        List every metric with its range and its other names.
    """
    from howsure.cli.listing import average_grid, metric_families, metric_grid, metric_page, metrics_with
    from howsure.metrics.spec import named

    if metric is not None:
        write_grid(metric_page(metric) if named(metric) else metrics_with(metric), how=how)
    elif every or how != "table":
        write_grid(metric_grid(), how=how, title="Metrics")
    else:
        for title, grid in metric_families().items():
            write_grid(grid, how=how, title=title)
        write_grid(average_grid(), how=how, title="Averages over classes: metric@average")


@app.command(group=LOOK_UP, help_epilogue=shown("methods"))
def methods(name: str | None = None, *, how: Format = "table") -> None:
    """List the interval methods, or describe one.

    Parameters
    ----------
    name
        A method, such as wilson; or a metric, such as f1 or roc_auc, to list its methods, the default first.
    """
    from howsure.cli.listing import method_grid, method_page
    from howsure.metrics.spec import named

    if name is None or named(name) is not None:
        write_grid(method_grid(name), how=how, title="Methods")
    else:
        write_grid(method_page(name), how=how)
