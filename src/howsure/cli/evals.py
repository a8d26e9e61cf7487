"""``howsure evals LOG…``: logs of evaluations of language models as one table, with differences and cautions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from cyclopts import Parameter

from howsure.cli.gates import end_where
from howsure.cli.inputs import files_by_name
from howsure.cli.options import Format, Level, Page, Seed, Words, split
from howsure.cli.output import say_written, write_grid, write_records
from howsure.errors import MOST_LISTED, HowsureError

Logs = Annotated[list[str], Parameter(name="LOG", negative=())]


def evals(
    logs: Logs,
    /,
    *,
    baseline: str | None = None,
    metric: str | None = None,
    task: Words = None,
    better: Literal["higher", "lower"] | None = None,
    score: Words = None,
    item: str | None = None,
    model: str | None = None,
    task_column: str | None = None,
    statistic: str = "mean",
    cluster: str | None = None,
    method: str | None = None,
    confidence_level: Level = 0.95,
    fail_below: float | None = None,
    fail_above: float | None = None,
    fail_if_worse: float | None = None,
    random_state: Seed = None,
    html: Page = None,
    how: Format = "table",
) -> None:
    """Score logs of language-model evaluations, with differences.

    Logs of Inspect, lm-evaluation-harness, promptfoo, DeepEval, HELM, OpenAI evals, SWE-bench, OpenCompass, lighteval,
    simple-evals, AlpacaEval, EvalPlus, bigcode-evaluation-harness and MTEB are joined by item; so are records of any
    evaluation, one row for each answer, whose columns are named by --score, --item and --model.

    Parameters
    ----------
    logs
        Files or folders of logs; NAME=FILE gives a model a name of its own, and several files of one name are its runs.
    baseline
        Model that all others are compared with; by default the best of each task.
    metric
        Which of the logs' scores; by default the first one that most models of a task have.
    task
        Which tasks; by default all of them.
    better
        Which scores are better; by default as the log says, else by the metric's name.
    score
        Of records (CSV, JSON Lines, Parquet): columns with a score of each answer.
    item
        Of records: column that tells the items apart; several answers to one item are its runs.
    model
        Of records: column with the model of each answer; by default the name of the file.
    task_column
        Of records: column with the task of each answer; by default all answers are of one task.
    statistic
        What is estimated of them: mean, median, pass_at+k=5 or another; see `howsure metrics`.
    cluster
        Field of the items with the cluster of each, such as the passage that several questions are about.
    method
        Interval method; see `howsure methods`.
    confidence_level
        Confidence level, between 0 and 1.
    fail_below
        End with exit code 1 if a model is shown to be below this, where higher is better: if its whole interval is.
    fail_above
        End with exit code 1 if a model is shown to be above this, where lower is better.
    fail_if_worse
        End with exit code 1 if a model is shown to be worse than the baseline by more than this margin: if the whole
        interval of the difference is. The exit code is 2 if a gate cannot check a model.
    random_state
        Seed of the methods that draw.
    html
        Write a report as one page to this file; a name in .md or .tex has it in Markdown, or its tables in LaTeX.
    how
        How to print: a table, or json, csv, markdown, html or latex for machines.
    """
    from howsure.logs.evaluated import evaluate_log
    from howsure.logs.reading import read_log
    from howsure.methods.naming import named

    if fail_if_worse is not None and baseline is None:
        message = "`--fail-if-worse` needs `--baseline MODEL`, which the others are compared with."
        raise HowsureError(message)
    if fail_if_worse is not None and not fail_if_worse >= 0:
        message = f"`--fail-if-worse` is a margin of 0 or more, not {fail_if_worse:g}."
        raise HowsureError(message)
    columns: dict[str, Any] = {"cluster": cluster, "item": item, "model": model, "task": task_column}
    log = read_log(files_by_name(logs), score=split(score) or None, **columns)
    found = evaluate_log(
        log,
        baseline=baseline,
        metric=metric,
        task=split(task) or None,
        better=better,
        statistic=statistic,
        method=named(method),
        confidence_level=confidence_level,
        random_state=random_state,
    )
    page = None
    if html is not None:
        from howsure.report.evals import report_of_log

        page = report_of_log(found, files=[each.rpartition("=")[2] for each in logs]).save(html)
    if how in {"json", "csv"}:
        write_records(found.records(), how)
    else:
        write_grid(found.grid(), how=how, title=", ".join(logs[:3]) + (" …" if len(logs) > 3 else ""))
    say_written(page)
    unchecked, failed = [], []
    if fail_below is not None:
        failed += [f"{key[1]} is below {fail_below:g} in {key[0]}" for key in found.below(fail_below)]
    if fail_above is not None:
        failed += [f"{key[1]} is above {fail_above:g} in {key[0]}" for key in found.above(fail_above)]
    if fail_if_worse is not None:
        failed += [f"{key[1]} is worse than {baseline} in {key[0]}" for key in found.worse(fail_if_worse)]
        unchecked += found.not_compared()
    if fail_below is not None or fail_above is not None:
        unchecked += found.unchecked(below=fail_below is not None, above=fail_above is not None)
    end_where(failed)
    if unchecked:
        message = f"The gate cannot check {'; '.join(f'{model} in {task}' for task, model in unchecked[:MOST_LISTED])}."
        raise HowsureError(message)
