"""Reading of evaluation logs; the reader of each file is selected by content."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from howsure.errors import HowsureError, did_you_mean, listed, reading
from howsure.logs.alpaca_eval import ALPACA_EVAL
from howsure.logs.code_tests import BIGCODE, EVALPLUS
from howsure.logs.deepeval import DEEPEVAL
from howsure.logs.helm import HELM
from howsure.logs.inspect import INSPECT
from howsure.logs.lighteval import LIGHTEVAL
from howsure.logs.lm_eval import LM_EVAL, tasks_without_samples
from howsure.logs.log import OPTIONAL, Log
from howsure.logs.mteb import MTEB
from howsure.logs.openai_evals import OPENAI_EVALS
from howsure.logs.opencompass import OPENCOMPASS
from howsure.logs.opening import PACKED, opened
from howsure.logs.own_records import doubts, own_records
from howsure.logs.promptfoo import PROMPTFOO
from howsure.logs.records import Reader, Reported, Score
from howsure.logs.simple_evals import SIMPLE_EVALS
from howsure.logs.swe_bench import SWE_BENCH
from howsure.logs.unknown import guessed, refuse_table, told_apart
from howsure.sources.locations import is_file, matching, missing

READERS: list[Reader] = [
    *(INSPECT, LM_EVAL, PROMPTFOO, DEEPEVAL, HELM, OPENAI_EVALS, SWE_BENCH, OPENCOMPASS, LIGHTEVAL),
    *(SIMPLE_EVALS, ALPACA_EVAL, EVALPLUS, BIGCODE, MTEB),
]
BESIDE = {  # files that HELM and MTEB write next to their logs
    "model_meta.json",
    *("run_spec.json", "stats.json", "scenario.json", "scenario_state.json", "instances.json"),
    *("display_predictions.json", "display_requests.json"),
}
SUFFIXES = (".eval", *(f".json{lines}{packed}" for lines in ("", "l") for packed in PACKED))  # read in a folder
DETAILS = "details_*.parquet"  # of lighteval
Files: TypeAlias = str | Path | list[Any] | tuple[Any, ...]
Key: TypeAlias = tuple[str, str]  # task and model


@dataclass(eq=False)
class Read:
    """The content of one file.

    Parameters
    ----------
    path : Path
        The file.
    scores : list of Score
        Its scores.
    reported : list of Reported
        The harness's own numbers.
    groups : mapping of str
        Tasks of each group of tasks.
    notes : list of str
        Caveats.
    created : str
        Time of the evaluation.
    is_alone : bool
        Whether the file was passed by itself rather than in a folder.
    is_foreign : bool
        Whether it is not a log.
    """

    path: Path
    scores: list[Score] = field(default_factory=list)
    reported: list[Reported] = field(default_factory=list)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    created: str = ""
    is_alone: bool = False
    is_foreign: bool = False

    @property
    def keys(self) -> dict[Key, None]:
        """Tasks and models of the scores."""
        return dict.fromkeys((each.task, each.model) for each in self.scores)

    def without(self, keys: set[Key]) -> Read:
        """Return the content without some tasks and models."""
        scores = [each for each in self.scores if (each.task, each.model) not in keys]
        reported = [each for each in self.reported if (each.task, each.model) not in keys]
        return replace(self, scores=scores, reported=reported)

    def unreported(self, keys: set[Key]) -> Read:
        """Return the content without the harness's values of tasks and models that it holds only in part."""
        if not keys:
            return self
        reported = [
            each._replace(value=float("nan"), samples=None) if (each.task, each.model) in keys else each
            for each in self.reported
        ]
        return replace(self, reported=reported)

    def renamed(self, name: str) -> Read:
        """Return the content with another name for its only model."""
        models = dict.fromkeys(each.model for each in self.scores)
        if len(models) > 1:
            message = f"'{self.path}' holds several models: {listed(models)}. Give it without a name of its own."
            raise HowsureError(message)
        scores = [each._replace(model=name) for each in self.scores]
        reported = [each._replace(model=name) for each in self.reported]
        return replace(self, scores=scores, reported=reported)


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
    (``details_*.parquet``), simple-evals (``*_allresults.json``), AlpacaEval (annotations), EvalPlus,
    bigcode-evaluation-harness and MTEB are detected by their content. None of these packages needs to be installed.
    Items have the names given by the harness. The identity of an item is its description and variables in promptfoo,
    its name or else input in DeepEval, and its question in simple-evals. Any other evaluation is read from records, one
    row per answer, by the names of their columns.

    Parameters
    ----------
    logs : str, Path, list of them, or mapping of str to these
        Files, or folders of them. The keys of a mapping are names of models; several files of one name are its runs. If
        a folder has two runs of one task and model, the later one is used. Unusable files in a folder are skipped with
        a note.
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
        message = "`item`, `model` and `task` are columns of records. Give `score`, the column of their scores, too."
        raise HowsureError(message)
    found: list[Read] = []
    notes: list[str] = []
    for name, files in named.items():
        some: list[Read] = []
        for path, is_alone in _files(files, every=score is not None):
            if score is not None:
                wanted = [score] if isinstance(score, str) else list(score)
                records = own_records(path, wanted, columns)
                each = Read(path, records, notes=list(doubts(path, records)))
            else:
                each = _read(path, is_alone=is_alone)
            each = each if name is None else each.renamed(str(name))
            notes += each.notes
            each.is_alone = is_alone
            some.append(each)
        foreign = [one.path.name for one in some if one.is_foreign]
        notes += [f"Left out, for they are no logs that are known: {listed(foreign)}."] if foreign else []
        kept, said = _as_runs(some) if name is not None else _latest(some)
        notes += said
        found += kept
    scores = [each for one in found for each in one.scores]
    if not scores:
        files = listed(
            str(each) for given in named.values() for each in (given if isinstance(given, list) else [given])
        )
        message = f"There is no score in {files}. {' '.join([*notes, 'Give logs with samples.'])}"
        raise HowsureError(message)
    reported = [each for one in found for each in one.reported]
    groups = {name: tasks for one in found for name, tasks in one.groups.items()}
    return _log([*scores, *_of_groups(scores, groups)], cluster, tuple(dict.fromkeys(notes)), tuple(reported))


def _files(given: Any, *, every: bool = False) -> Iterator[tuple[Path, bool]]:
    """Yield files, and whether each was passed by itself rather than in a folder (which may hold other files too)."""
    if isinstance(given, list | tuple):
        for each in given:
            yield from _files(each, every=every)
        return
    if not isinstance(given, str | Path):
        message = f"A log is given by its path, not by {given!r}."
        raise HowsureError(message)
    path = Path(given)
    with reading(f"'{given}'"):  # an invalid name
        is_folder = path.is_dir() and bool(str(given))
    if is_folder:
        inner = (each for each in sorted(path.rglob("*")) if each.is_file())
        yield from ((each, False) for each in inner if every or _is_log_by_name(each))
    elif is_file(path):
        yield path, True
    elif found := matching(path):  # Windows shells do not expand patterns
        yield from _files(found, every=every)
    else:
        raise missing(path)


def _is_log_by_name(path: Path) -> bool:
    return path.name.lower().endswith(SUFFIXES) or path.match(DETAILS)


def _read(path: Path, *, is_alone: bool) -> Read:
    """Return the content of a file; only a note for an unusable file in a folder."""
    if not is_alone and path.name in BESIDE:
        return Read(path)
    try:
        return _content(path, is_alone=is_alone)
    except HowsureError as error:
        if is_alone:
            raise
        return Read(path, notes=[f"'{path.name}' is left out: {error}"])


def _content(path: Path, *, is_alone: bool) -> Read:
    with reading(f"'{path}'"):
        refuse_table(path)
        log = opened(path)
        reader = next((each for each in READERS if each.knows(log)), None)
        if reader is not None:
            scores, reported, notes = list(reader.scores(log)), list(reader.reported(log)), list(reader.notes(log))
            _refuse_repeated(scores, path)
            return Read(path, scores, reported, reader.groups(log), notes, reader.created(log))
        without = tasks_without_samples(log)
    if not is_alone and without is not None:
        said = f"'{path.name}' has results of {listed(without)} without samples, which are left out: use --log_samples."
        return Read(path, notes=[said] if without else [])
    if without is not None or "task_hashes" in log.first or "lm_eval_version" in log.first:
        message = f"'{path}' holds results without samples. Run with --log_samples, and give the samples_*.jsonl."
        raise HowsureError(message)
    other = told_apart(log)
    if not is_alone and other is None:
        return Read(path, is_foreign=True)
    message = (
        f"'{path}' is no log that is known. Known: {', '.join(each.name for each in READERS)}. For records of your own "
        "name the columns: `score`, `item` and `model`."
    )
    raise HowsureError(other or guessed(log) or message)


def _refuse_repeated(scores: Sequence[Score], path: Path) -> None:
    """Refuse a file that has one run of an item twice."""
    counts = Counter((each.task, each.item, each.model, each.run, each.metric) for each in scores)
    if again := next((key for key, number in counts.items() if number > 1), None):
        message = (
            f"'{path.name}' has the item {again[1]!r} of the task {again[0]!r} twice as run {again[3]} by "
            f"{again[4]!r}. Look whether two runs were written to one file."
        )
        raise HowsureError(message)


def _latest(found: Sequence[Read]) -> tuple[list[Read], list[str]]:
    """Return files without the tasks and models that a later file repeats, and notes on these.

    A later file in the same folder replaces an earlier one. Duplicates among files passed by themselves, or in other
    folders, may be of different versions of a model, and are refused.
    """
    order = sorted(range(len(found)), key=lambda place: (found[place].created, place))
    owner = {key: place for place in order for key in found[place].keys}
    parts = _in_parts(found)
    kept, notes = [], []
    for place, one in enumerate(found):
        again = {key for key in one.keys if owner[key] != place} - parts
        for key in sorted(again):
            later = found[owner[key]]
            if one.is_alone or later.is_alone or one.path.parent != later.path.parent:
                _refuse_twice(key, one.path, later.path)
            notes.append(
                f"'{one.path.name}' and '{later.path.name}' both hold the task {key[0]!r} of the model {key[1]!r}: the "
                f"later one counts, '{later.path.name}'."
            )
        kept.append((one.without(again) if again else one).unreported(parts))
    return kept, notes


def _in_parts(found: Sequence[Read]) -> set[Key]:
    """Return tasks and models of several files without common items, which are parts of one evaluation."""
    files: Counter[Key] = Counter(key for one in found for key in one.keys)
    several = {key for key, number in files.items() if number > 1}
    items: Counter[tuple[str, str, str]] = Counter()
    for one in found:
        items.update({(each.task, each.model, each.item) for each in one.scores if (each.task, each.model) in several})
    return several - {(task, model) for (task, model, _), number in items.items() if number > 1}


def _refuse_twice(key: Key, first: Path, second: Path) -> None:
    message = (
        f"'{first}' and '{second}' both hold the task {key[0]!r} of the model {key[1]!r}. Name them, such as "
        "{'new': …, 'old': …}, or give one list under one name if they are runs of the same."
    )
    raise HowsureError(message)


def _as_runs(found: Sequence[Read]) -> tuple[list[Read], list[str]]:
    """Return files of one name with consecutive run numbers."""
    most: dict[Key, int] = defaultdict(int)
    kept = []
    for one in found:
        scores = [each._replace(run=each.run + most[each.task, each.model]) for each in one.scores]
        for each in scores:
            most[each.task, each.model] = max(most[each.task, each.model], each.run)
        has_runs = any(key in other.keys for other in found if other is not one for key in one.keys)
        reported = [each._replace(value=float("nan"), samples=None) if has_runs else each for each in one.reported]
        kept.append(replace(one, scores=scores, reported=reported))
    return kept, []


def _of_groups(scores: Sequence[Score], groups: Mapping[str, Sequence[str]]) -> Iterator[Score]:
    """Yield the scores of tasks again under the groups of tasks that the harness reports."""
    known = {each.task for each in scores}
    for name, tasks in groups.items():
        members = known.intersection(tasks) if name not in known else set()
        if len(members) > 1:
            for each in scores:
                if each.task in members:
                    yield each._replace(task=name, item=f"{each.task}: {each.item}")


def _log(scores: list[Score], cluster: str | None, notes: tuple[str, ...], reported: tuple[Reported, ...]) -> Log:
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
        message = f"No item has a field {cluster!r}.{did_you_mean(cluster, known)}"
        raise HowsureError(message)
    empty = {name for name in OPTIONAL if all(each is None for each in columns[name])}
    if "weight" not in empty:
        columns["weight"] = [each.weight for each in scores]
    return Log({name: each for name, each in columns.items() if name not in empty}, notes, reported)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
