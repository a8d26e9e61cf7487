"""Reading of evaluation logs; the reader of each file is selected by content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from howsure.errors import HowsureError, did_you_mean, listed, reading, several
from howsure.logs.alpaca_eval import ALPACA_EVAL
from howsure.logs.answer_records import ANSWER_RECORDS
from howsure.logs.code_tests import BIGCODE, BIGCODE_BENCH, EVALPLUS
from howsure.logs.deepeval import DEEPEVAL
from howsure.logs.helm import HELM
from howsure.logs.inspect import INSPECT
from howsure.logs.lighteval import LIGHTEVAL, tasks_without_details
from howsure.logs.lm_eval import LM_EVAL, tasks_without_samples
from howsure.logs.log import OF_FRAMES, OPTIONAL, Log
from howsure.logs.mteb import MTEB
from howsure.logs.openai_evals import OPENAI_EVALS
from howsure.logs.opencompass import OPENCOMPASS
from howsure.logs.opening import PACKED, opened
from howsure.logs.own_records import doubts, own_records, repeated
from howsure.logs.promptfoo import PROMPTFOO
from howsure.logs.records import Reader, Score
from howsure.logs.runs import Read, as_runs, latest, refuse_models, refuse_places
from howsure.logs.simple_evals import SIMPLE_EVALS
from howsure.logs.swe_bench import SWE_BENCH
from howsure.logs.unknown import guessed, refuse_table, told_apart
from howsure.sources.locations import FORMATS, is_file, matching, missing, suffix_of

READERS: list[Reader] = [
    *(INSPECT, LM_EVAL, PROMPTFOO, DEEPEVAL, HELM, OPENAI_EVALS, SWE_BENCH, OPENCOMPASS, LIGHTEVAL),
    *(SIMPLE_EVALS, ALPACA_EVAL, EVALPLUS, BIGCODE_BENCH, BIGCODE, MTEB),
    *ANSWER_RECORDS,
]
BESIDE = {  # files that HELM, MTEB and terminal-bench write next to their logs
    *("model_meta.json", "run_metadata.json"),
    *("run_spec.json", "stats.json", "scenario.json", "scenario_state.json", "instances.json"),
    *("display_predictions.json", "display_requests.json"),
}
SUFFIXES = (".eval", *(f".json{lines}{packed}" for lines in ("", "l") for packed in PACKED))  # read in a folder
DETAILS = "details_*.parquet"  # of lighteval
Files: TypeAlias = str | Path | list[Any] | tuple[Any, ...]


def read_log(
    logs: Files | Mapping[str, Files],
    *,
    cluster: str | None = None,
    score: str | Sequence[str] | None = None,
    item: str | None = None,
    model: str | None = None,
    task: str | None = None,
) -> Log:
    """Read logs of evaluations of language models as columns, one row for each item, run, metric and model.

    Logs of Inspect (``.eval`` and JSON), lm-evaluation-harness (``samples_*.jsonl``), promptfoo, DeepEval, HELM
    (``per_instance_stats.json``), OpenAI evals, SWE-bench (reports), OpenCompass (results with details), lighteval
    (``details_*.parquet``), simple-evals (``*_allresults.json``), AlpacaEval (annotations), EvalPlus, BigCodeBench,
    human-eval, LiveCodeBench, bigcode-evaluation-harness, MTEB, IFEval, tau-bench, terminal-bench, MT-bench (grades),
    LiveBench, EvalScope (reviews), Every Eval Ever (samples) and OpenAI's Evals API are detected by their content. None
    of these packages needs to be installed.
    Items have the names given by the harness. The identity of an item is its description and variables in promptfoo,
    its name or else input in DeepEval, and its question in simple-evals. Any other evaluation is read from records, one
    row per answer, by the names of their columns.

    Parameters
    ----------
    logs : str, Path, list of them, or mapping of str to these
        Files, or folders of them. The keys of a mapping are names of models; several files of one name are its runs,
        and a folder with a name holds one model. If a folder has two runs of one task and model, the later one is used.
        Unusable files in a folder are skipped with a note.
    cluster : str, optional
        Field of the items (their metadata, document or variables) with the cluster of each, such as the passage that
        several questions are about. The default is the cluster field of the log's own standard errors, if any.
    score : str or list of str, optional
        For records (CSV, JSON Lines, Parquet): columns with a score of each answer. If absent, the files are logs.
    item, model, task : str, optional
        For records: columns with the item, the model and the task of each answer. The default model is the file's name,
        and the default is a single task. Several answers to one item are runs.

    Returns
    -------
    Log
        The columns; ``log.table()`` is the table of a task.

    Raises
    ------
    HowsureError
        If a file is missing, unreadable, not a log, or without scores; if two files have the same task and model; or if
        no item has the field of clusters.

    Examples
    --------
    >>> import json, tempfile, howsure as hs
    >>> from pathlib import Path
    >>> rows = [{"doc_id": n, "doc": {}, "filtered_resps": [""], "metrics": ["acc"], "acc": n % 2} for n in range(8)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "samples_sums.jsonl"
    ...     written = path.write_text("".join(json.dumps(row) + chr(10) for row in rows))
    ...     log = hs.read_log({"small": path})
    >>> log, print(hs.estimate(log.table(), "mean"))
    0.500 [0.184, 0.816]
    (<Log: 8 scores of 8 items, 1 task, 1 model, 1 metric>, None)
    """
    named: Mapping[Any, Files] = logs if isinstance(logs, Mapping) else {None: logs}
    columns = {"item": item, "model": model, "task": task, "cluster": cluster}
    if score is None and any(each is not None for each in (item, model, task)):
        raise HowsureError(
            "`item`, `model` and `task` are columns of records. Give `score`, the column of their scores, too."
        )
    records = None
    if score is not None:
        wanted = [score] if isinstance(score, str) else several("score", score, "names of columns")
        records = Records(tuple(wanted), columns)
    found: list[Read] = []
    notes: list[str] = []
    for name, files in named.items():
        some = [each for given in _flat(files) for each in _reads(given, name, records)]
        kept, said = latest(some) if name is None else as_runs(some)
        notes += [*(note for each in some for note in each.notes), *_foreign(some, records), *said]
        found += kept
    if item is None and records is not None:
        refuse_places(found)
    scores = [each for one in found for each in one.scores]
    if not scores:
        files = listed(
            str(each) for given in named.values() for each in (given if isinstance(given, list) else [given])
        )
        raise HowsureError(f"There is no score in {files}. {' '.join([*notes, 'Give logs with samples.'])}")
    reported = [each for one in found for each in one.reported]
    groups = _members(scores, {name: tasks for one in found for name, tasks in one.groups.items()})
    more = {"notes": tuple(dict.fromkeys(notes)), "reported": tuple(reported), "groups": groups}
    return _log([*scores, *_of_groups(scores, groups)], cluster, **more)


@dataclass(frozen=True)
class Records:
    """How records are read: their columns of scores, and those of other roles."""

    scores: tuple[str, ...]
    columns: Mapping[str, str | None]


def _flat(given: object) -> Iterator[Any]:
    """Yield the files and folders of nested lists."""
    for each in given if isinstance(given, list | tuple) else [given]:
        yield from _flat(each) if isinstance(each, list | tuple) else [each]


def _reads(given: object, name: object, records: Records | None) -> list[Read]:
    """Return the content of a file, or of the files of a folder; with a name, for their only model."""
    found = [_read(path, records, is_alone=is_alone) for path, is_alone in _files(given, every=records is not None)]
    if name is None:
        return found
    if records is None or records.columns["model"] is not None:
        refuse_models(given, found)
    return [each.renamed(str(name)) for each in found]


def _foreign(found: Sequence[Read], records: Records | None) -> list[str]:
    """Return a note on the files of a folder that are of another kind."""
    foreign = [one.path.name for one in found if one.is_foreign]
    kind = "no logs that are known" if records is None else "no files of records"
    return [f"Left out, for they are {kind}: {listed(foreign)}."] if foreign else []


def _files(given: object, *, every: bool = False) -> Iterator[tuple[Path, bool]]:
    """Yield files, and whether each was passed by itself rather than in a folder (which may hold other files too)."""
    if not isinstance(given, str | Path):
        raise HowsureError(f"A log is given by its path, not by {type(given).__name__}. {OF_FRAMES}")
    path = Path(given)
    with reading(f"'{given}'"):  # an invalid name
        is_folder = path.is_dir() and bool(str(given))
    if is_folder:
        inner = (each for each in sorted(path.rglob("*")) if each.is_file())
        yield from ((each, False) for each in inner if every or _is_log_by_name(each))
    elif is_file(path):
        yield path, True
    elif found := matching(path):  # Windows shells do not expand patterns
        for each in found:
            yield from _files(each, every=every)
    else:
        raise missing(path)


def _is_log_by_name(path: Path) -> bool:
    return path.name.lower().endswith(SUFFIXES) or path.match(DETAILS)


def _read(path: Path, records: Records | None, *, is_alone: bool) -> Read:
    """Return the content of a file; only a note for an unusable file in a folder."""
    if not is_alone and path.name in BESIDE and records is None:
        return Read(path)
    try:
        found = _content(path, is_alone=is_alone) if records is None else _of_records(path, records, is_alone=is_alone)
    except HowsureError as error:
        if is_alone:
            raise
        return Read(path, notes=[f"'{path.name}' is left out: {error}"])
    return replace(found, is_alone=is_alone)


def _of_records(path: Path, records: Records, *, is_alone: bool) -> Read:
    if not is_alone and suffix_of(path) not in FORMATS:
        return Read(path, is_foreign=True)
    said = records.scores, records.columns
    scores = own_records(path, *said)
    return Read(path, scores, notes=[*doubts(path, scores), *repeated(path, *said)])


def _content(path: Path, *, is_alone: bool) -> Read:
    with reading(f"'{path}'"):
        refuse_table(path)
        log = opened(path)
        reader = next((each for each in READERS if each.knows(log)), None)
        if reader is not None:
            scores, reported, notes = list(reader.scores(log)), list(reader.reported(log)), list(reader.notes(log))
            _refuse_repeated(scores, path)
            notes += [] if scores else [f"'{path.name}' is a log of {reader.name} without a score of any sample."]
            ended, created, settings = reader.ended(log), reader.created(log), reader.settings(log)
            return Read(path, scores, reported, reader.groups(log), notes, created, settings, ended)
        details = tasks_without_details(log)
        without = tasks_without_samples(log) if details is None else details
    option = "--log_samples" if details is None else "--save-details"
    if not is_alone and without is not None:
        said = f"'{path.name}' has results of {listed(without)} without samples, which are left out: use {option}."
        return Read(path, notes=[said] if without else [])
    if details is not None:
        raise HowsureError(
            f"'{path}' holds results of lighteval. Run with {option}, and give the folder `details` beside it."
        )
    if without is not None or "task_hashes" in log.first or "lm_eval_version" in log.first:
        raise HowsureError(
            f"'{path}' holds results without samples. Run with --log_samples, and give the samples_*.jsonl."
        )
    other = told_apart(log)
    if not is_alone and other is None:
        return Read(path, is_foreign=True)
    known = ", ".join(dict.fromkeys(each.name for each in READERS))
    message = (
        f"'{path}' is no log that is known. Known: {known}. For records of your own name the columns: `score`, `item` "
        "and `model`."
    )
    raise HowsureError(other or guessed(log) or message)


def _refuse_repeated(scores: Sequence[Score], path: Path) -> None:
    """Refuse a file that has one run of an item twice."""
    counts = Counter((each.task, each.item, each.model, each.run, each.metric) for each in scores)
    if again := next((key for key, number in counts.items() if number > 1), None):
        raise HowsureError(
            f"'{path.name}' has the item {again[1]!r} of the task {again[0]!r} twice as run {again[3]} by "
            f"{again[4]!r}. Look whether two runs were written to one file."
        )


def _of_groups(scores: Sequence[Score], groups: Mapping[str, Sequence[str]]) -> Iterator[Score]:
    """Yield the scores of tasks again under the groups of tasks."""
    for name, members in groups.items():
        for each in scores:
            if each.task in members:
                yield each._replace(task=name, item=f"{each.task}: {each.item}")


def _members(scores: Sequence[Score], groups: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the groups of several tasks with scores, and these tasks."""
    known = {each.task for each in scores}
    inner = {name: [each for each in tasks if each in known] for name, tasks in groups.items() if name not in known}
    return {name: tasks for name, tasks in inner.items() if len(tasks) > 1}


def _log(scores: list[Score], cluster: str | None, **more: Any) -> Log:
    notes: tuple[str, ...] = ()
    if cluster is None:
        scores, notes = _with_clusters(scores)
    names = [cluster or each.cluster for each in scores]
    columns: dict[str, Iterable[Any]] = {
        "task": [each.task for each in scores],
        "model": [each.model for each in scores],
        "item": [each.item for each in scores],
        "run": [each.run for each in scores],
        "metric": [each.metric for each in scores],
        "score": [each.value for each in scores],
        "cluster": [_text(each.fields.get(name)) for each, name in zip(scores, names, strict=True)],
        "content": [each.content or None for each in scores],
        "target": [each.target for each in scores],
        "answer": [each.answer for each in scores],
        "weight": [None if each.weight == 1 else each.weight for each in scores],
    }
    if cluster is not None and all(each is None for each in columns["cluster"]):
        known = dict.fromkeys(str(name) for each in scores for name in each.fields)
        raise HowsureError(f"No item has a field {cluster!r}.{did_you_mean(cluster, known)}")
    empty = {name for name in OPTIONAL if all(each is None for each in columns[name])}
    if "weight" not in empty:
        columns["weight"] = [each.weight for each in scores]
    more["notes"] += notes
    return Log({name: each for name, each in columns.items() if name not in empty}, **more)


def _with_clusters(scores: list[Score]) -> tuple[list[Score], tuple[str, ...]]:
    """Return scores with a cluster for each item that lacks the log's own field of clusters, if others have it."""
    has = {(each.task, each.metric) for each in scores if each.fields.get(each.cluster) is not None}
    lone: dict[str, set[str]] = {}
    made = []
    for each in scores:
        if each.cluster and each.fields.get(each.cluster) is None and (each.task, each.metric) in has:
            lone.setdefault(each.task, set()).add(each.item)
            made.append(each._replace(fields={each.cluster: f"item {each.item}"}))
        else:
            made.append(each)
    return made, tuple(_lone(task, len(items)) for task, items in lone.items())


def _lone(task: str, number: int) -> str:
    items, end = ("item", "counts as a cluster of its own") if number == 1 else ("items", "are clusters themselves")
    return f"{task}: {number:,} {items} without the log's field of clusters {end}."


def _text(value: object) -> str | None:
    return None if value is None else str(value)
