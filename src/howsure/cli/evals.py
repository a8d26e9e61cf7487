"""``howsure evals LOG…``: logs of evaluations of language models as one table, with differences and cautions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from howsure.cli.gates import end_where, refuse_beyond
from howsure.cli.inputs import files_by_name
from howsure.cli.options import Format, Level, Page, Seed, Words, split
from howsure.cli.output import say_written, write_grid, write_records
from howsure.errors import MOST_LISTED, HowsureError

if TYPE_CHECKING:
    from howsure.logs.evaluated import LogEvaluation

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

    Reads logs of Inspect, lm-evaluation-harness, promptfoo, DeepEval, HELM, OpenAI evals, SWE-bench, OpenCompass,
    lighteval, simple-evals, AlpacaEval, EvalPlus, BigCodeBench, human-eval, LiveCodeBench, bigcode-evaluation-harness,
    MTEB, IFEval, tau-bench, terminal-bench, MT-bench, LiveBench, EvalScope and OpenAI's Evals API. Also reads records
    of any evaluation, one row per answer, with columns named by --score, --item and --model. Models are joined by item.

    Parameters
    ----------
    logs
        Files or folders of logs. NAME=FILE names a model; several files with one name are its runs.
    baseline
        Reference model for the comparisons; by default the best of each task.
    metric
        Name of the score in the logs; by default the first one that most models of a task have.
    task
        Tasks to include; all by default.
    better
        Whether higher or lower scores are better; by default as stated in the log, else by the metric's name.
    score
        Columns with a score of each answer, for records (CSV, JSON Lines, Parquet).
    item
        Column with the item identifier, for records; several answers to one item are its runs.
    model
        Column with the model of each answer, for records; by default the name of the file.
    task_column
        Column with the task of each answer, for records; by default all answers belong to one task.
    statistic
        Statistic of the scores: mean, median, pass_at+k=5 or another; see `howsure metrics`.
    cluster
        Field with the cluster of each item, such as the passage of several questions.
    method
        Interval method; see `howsure methods`.
    fail_below
        Exit with code 1 if the whole interval of a model is below this bound, for scores where higher is better.
    fail_above
        Exit with code 1 if the whole interval of a model is above this bound, for scores where lower is better.
    fail_if_worse
        Exit with code 1 if a model is worse than the baseline by more than this margin, over the whole interval of the
        difference. The exit code is 2 if a gate cannot check a model.
    """
    from howsure.logs.evaluated import evaluate_log
    from howsure.logs.reading import read_log
    from howsure.methods.core.lookup import named

    if fail_if_worse is not None and baseline is None:
        raise HowsureError("`--fail-if-worse` needs `--baseline MODEL`, which the others are compared with.")
    if fail_if_worse is not None and not fail_if_worse >= 0:
        raise HowsureError(f"`--fail-if-worse` is a margin of 0 or more, not {fail_if_worse:g}.")
    columns: dict[str, Any] = {"cluster": cluster, "item": item, "model": model, "task": task_column}
    files = files_by_name(logs)
    log = read_log(files, score=split(score) or None, **columns)
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
    refuse_beyond(
        {"--fail-below": fail_below, "--fail-above": fail_above, "--fail-if-worse": fail_if_worse}, found.values()
    )
    page = None
    if html is not None:
        from howsure.report.evals import report_of_log

        given = files if isinstance(files, list) else [each for some in files.values() for each in some]
        page = report_of_log(found, files=given).save(html)
    if how in {"json", "csv"}:
        write_records(found.records(), how)
    else:
        write_grid(found.grid(), how=how, title=", ".join(logs[:3]) + (" …" if len(logs) > 3 else ""))
    say_written(page)
    _hold(found, below=fail_below, above=fail_above, margin=fail_if_worse)


def _hold(found: LogEvaluation, *, below: float | None, above: float | None, margin: float | None) -> None:
    """End with exit code 1 if a model fails a gate, and with an error if a gate cannot check one."""
    failed = [] if below is None else [f"{key[1]} is below {below:g} in {key[0]}" for key in found.below(below)]
    failed += [] if above is None else [f"{key[1]} is above {above:g} in {key[0]}" for key in found.above(above)]
    worse = [] if margin is None else found.worse(margin)
    end_where([*failed, *(f"{model} is worse than {found.baseline} in {task}" for task, model in worse)])
    unchecked = [] if margin is None else found.not_compared()
    if margin is not None and not found.comparisons and not unchecked:
        raise HowsureError(f"The gate compares no model with {found.baseline}: the logs have no other one.")
    if below is not None or above is not None:
        unchecked += found.unchecked(below=below is not None, above=above is not None)
    if unchecked:
        named = list(dict.fromkeys(f"{model} in {task}" for task, model in unchecked))
        rest = f" and {len(named) - MOST_LISTED:,} more" if len(named) > MOST_LISTED else ""
        raise HowsureError(f"The gate cannot check {'; '.join(named[:MOST_LISTED])}{rest}.")
