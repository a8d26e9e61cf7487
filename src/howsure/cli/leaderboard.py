"""``howsure leaderboard FILE|LOG…``: ranked models with intervals for their ranks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from howsure.cli.inputs import Files, Input, files_by_name
from howsure.cli.models import paired_columns
from howsure.cli.option_groups import SAMPLE, SOURCE, Sample, Source
from howsure.cli.options import (
    Fixed,
    Format,
    Level,
    Metric,
    Page,
    Seed,
    Words,
    split,
)
from howsure.cli.output import say, say_written, write_grid, write_records
from howsure.errors import HowsureError

if TYPE_CHECKING:
    from howsure.comparison.board import Leaderboard

ONE = (
    "Give --y-true with --y-pred or --y-score, or --values (long data: with --model and --case), or --k with --n and "
    "--model, or --a with --b and --winner; or logs, with --task, --score or --cluster."
)

NUMBERS = "`--numbers` says what 0 and 1 mean as winners of battles: it goes with `--winner`."


def leaderboard(
    files: Files,
    /,
    *,
    y_true: str | None = None,
    y_pred: Words = None,
    y_score: Words = None,
    values: Words = None,
    k: str | None = None,
    n: str | None = None,
    a: str | None = None,
    b: str | None = None,
    winner: str | None = None,
    model: str | None = None,
    case: str | None = None,
    run: str | None = None,
    incomplete: Literal["refuse", "drop"] = "refuse",
    numbers: Literal["score", "index"] | None = None,
    task: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    metric: Metric | None = None,
    better: Literal["higher", "lower"] | None = None,
    sample: Sample = SAMPLE,
    fixed: Fixed = None,
    source: Source = SOURCE,
    method: str | None = None,
    confidence_level: Level = 0.95,
    random_state: Seed = None,
    html: Page = None,
    how: Format = "table",
) -> None:
    """Rank models, with intervals for the ranks.

    Parameters
    ----------
    files
        Predictions, numbers or battles, one row per case, as for `howsure compare`; or logs of evaluations of language
        models, as for `howsure evals`, where NAME=FILE names a model.
    y_true
        Column with the true labels.
    y_pred
        Columns with the predicted labels, one per model.
    y_score
        Columns with the scores, one per model, instead of labels.
    values
        Columns with a number for each case, such as 1 for a solved task, one per model.
    k
        Column with the number of right answers, for a file with one row per model (named by --model).
    n
        Column with the number of all answers in such a file, or that number.
    a
        Column with the first model's name, for battles.
    b
        Column with the second model's name, for battles.
    winner
        Column with the winner, for battles: a name, model_a or model_b, left or right, 1 or 2, or tie.
    model
        Column with the name of the model, for files with one row per model and case, or one row per model.
    case
        Column with the case identifier, for long files. Models are joined by it.
    run
        Column with the run identifier, for long files of numbers. The runs of a case are a cluster.
    incomplete
        Whether to refuse or drop cases that a model lacks in files of numbers.
    numbers
        Meaning of 0 and 1 as winners of battles: the score of the first model or the index of the better one.
    task
        Task of the logs, if there are several.
    score
        Name of the score in the logs; by default the main one.
    cluster
        Field with the cluster of each item, for logs.
    metric
        Metric of the ranking, as a spec string. The default is accuracy for predictions, roc_auc for scores, mean for
        numbers and logs, and bradley_terry for battles.
    better
        Whether higher or lower values are better; by default as defined by the metric, else higher.
    method
        Method of each model's own interval; see `howsure methods`.
    """
    from howsure.comparison.leaderboard import leaderboard as ranked
    from howsure.methods.core.lookup import named

    table: Any
    given = [name for name in (y_true, values, k, a) if name is not None]
    of_labels: dict[str, Any] = {"--y-pred": y_pred, "--y-score": y_score, "--labels": source.labels}
    of_labels |= {"--pos-label": source.pos_label}
    is_long = values is not None and len(split(values)) == 1 and model is not None and case is not None
    of_labels |= {"--case": None if is_long else case, "--model": None if is_long or k is not None else model}
    of_rows = {f"--{name.replace('_', '-')}": each for name, each in {**vars(sample), "fixed": fixed}.items()}
    unfit = {"--task": task, "--score": score, "--cluster": cluster} if given else of_rows
    unfit |= {"--n": n} if k is None else of_rows
    stray = [name for name, each in (unfit if y_true else unfit | of_labels).items() if each is not None]
    if stray or len(given) > 1 or len({each is None for each in (a, b, winner)}) > 1 or (k and not (n and model)):
        raise HowsureError(f"`{stray[0]}` does not go with the rest. {ONE}" if stray else ONE)
    if numbers is not None and winner is None:
        raise HowsureError(NUMBERS)
    notes: tuple[str, ...] = ()
    if not given:
        title = ", ".join(files[:3]) + (" …" if len(files) > 3 else "")
        table, direction, notes = _of_logs(files, cluster, task, score)
        default, better = "mean", better or (direction if metric in {None, "mean"} else None)
    else:
        read = source.read(files)
        title, beside = read.title, {**sample.arguments(), "fixed": fixed}
        if y_true is not None:
            long = {"model": model, "case": case}
            table, default = paired_columns(read, source, y_true, y_pred, y_score, long=long, **beside)
        elif values is not None:
            long = {"incomplete": incomplete} | ({"model": model, "case": case, "run": run} if is_long else {})
            table, default = _of_values(read, values, {**beside, "check": not source.no_check, **long}), "mean"
        elif k is not None:
            from howsure.sources.proportions import proportions

            table, default = proportions(k, int(str(n)) if str(n).isdigit() else n, model=model, data=read.data), "mean"
        else:
            from howsure.sources.preferences import preferences
            from howsure.sources.strata import refuse_strata

            refuse_strata(sample.strata or sample.stratum_sizes, "cases with labels or numbers, not battles")
            facts: dict[str, Any] = {**beside, "numbers": numbers, "check": not source.no_check}
            table, default = preferences(a, b, winner, data=read.data, **facts), "bradley_terry"
    settings: dict[str, Any] = {"confidence_level": confidence_level, "better": better, "random_state": random_state}
    board = ranked(table, metric or default, method=named(method), **settings)
    page = None if html is None else _page(board, title, files, html)
    if how in {"json", "csv"}:
        write_records(board.records(), how)
    else:
        write_grid(board.grid(), how=how, title=title)
    say(notes)
    say_written(page)


def _of_logs(
    files: Files, cluster: str | None, task: str | None, score: str | None
) -> tuple[Any, Literal["lower"] | None, tuple[str, ...]]:
    """Return the table of a task of logs, whether lower scores are better, and caveats."""
    from howsure.logs.cautions import of_harness
    from howsure.logs.reading import read_log

    try:
        log = read_log(files_by_name(files), cluster=cluster)
    except HowsureError as error:
        raise HowsureError(f"{str(error).rstrip('.')}. {ONE}") from error
    found = log.joined(task, score)
    notes = (*log.notes, *of_harness(log, found))
    return log.contenders(task, score), "lower" if found.better == "lower" else None, notes


def _of_values(read: Input, values: list[str], settings: dict[str, Any]) -> Any:
    """Return the table of numbers, from one column per model or from long data."""
    from howsure.sources.values import values as counted

    columns = split(values)
    if len(columns) < 2 and "model" not in settings:
        raise HowsureError(
            "Give `--values` the columns of at least two models, or one column with `--model` and `--case`."
        )
    return counted(columns[0] if "model" in settings else columns, data=read.data, **settings)


def _page(board: Leaderboard, title: str, files: Any, path: Path) -> Path:
    from howsure.report.leaderboards import report_of_leaderboard

    return report_of_leaderboard(board, title=title, files=files).save(path)
