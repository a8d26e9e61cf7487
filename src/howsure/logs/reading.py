"""Logs of evaluations, read: the reader of each file is found by what the file holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from howsure.errors import HowsureError, did_you_mean, listed, reading
from howsure.logs.deepeval import DEEPEVAL
from howsure.logs.inspect import INSPECT
from howsure.logs.lm_eval import LM_EVAL
from howsure.logs.log import OPTIONAL, Log
from howsure.logs.opening import opened
from howsure.logs.promptfoo import PROMPTFOO
from howsure.logs.records import Reader, Score
from howsure.sources.locations import is_file, nearby

READERS: list[Reader] = [INSPECT, LM_EVAL, PROMPTFOO, DEEPEVAL]
SUFFIXES = (".eval", ".json", ".jsonl", ".json.gz", ".jsonl.gz")  # of what is looked at in a folder
Files: TypeAlias = str | Path | list[Any] | tuple[Any, ...]


def read_log(logs: Files | Mapping[str, Files], *, cluster: str | None = None) -> Log:
    """Read logs of evaluations of language models as columns, one row for each item, run, metric and model.

    Logs of Inspect (``.eval`` and JSON), lm-evaluation-harness (``samples_*.jsonl``), promptfoo and DeepEval are known
    by what they hold, and none of these packages is needed. Items have the name that the harness gives them; promptfoo,
    which has none, tells them apart by description and variables, and DeepEval by name, else by input.

    Parameters
    ----------
    logs : str, Path, list of them, or mapping of str to these
        Files, or folders of them; of a mapping the keys are the models' names, under which several files are several
        runs.
    cluster : str, optional
        Field of the items (their metadata, document or variables) with the cluster of each, such as the passage that
        several questions are about. By default the one that the log itself takes its standard errors by, if any.

    Returns
    -------
    Log
        The columns; ``log.table()`` is the table of a task.

    Raises
    ------
    HowsureError
        If there is no such file, it cannot be read or is no log, it has no scores; if two files have the same task and
        model, or no item has the cluster's field.

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
    named = logs if isinstance(logs, Mapping) else {None: logs}
    scores: list[Score] = []
    notes: list[str] = []
    owners: dict[tuple[str, str], Path] = {}
    for name, files in named.items():
        runs: dict[tuple[str, str], int] = {}
        for path, is_alone in _files(files):
            found, said = _read(path, is_alone=is_alone)
            found = found if name is None else _renamed(found, str(name), path)
            notes += said
            keys = dict.fromkeys((each.task, each.model) for each in found)
            for key in keys:
                if key in owners and (name is None or key not in runs):
                    _refuse_twice(key, owners[key], path)
                owners[key] = path
            if any(key in runs for key in keys):
                found = [each._replace(run=each.run + runs.get((each.task, each.model), 0)) for each in found]
            scores += found
            for each in found:
                key = each.task, each.model
                runs[key] = max(runs.get(key, 0), each.run)
    if not scores:
        message = f"There is no score in {listed(map(str, named.values()))}. Give logs with samples."
        raise HowsureError(message)
    return _log(scores, cluster, tuple(notes))


def _files(given: Any) -> Iterator[tuple[Path, bool]]:
    """Yield files, and whether each was given by itself, and not in a folder, where others may lie beside logs."""
    if isinstance(given, list | tuple):
        for each in given:
            yield from _files(each)
        return
    if not isinstance(given, str | Path):
        message = f"A log is given by its path, not by {given!r}."
        raise HowsureError(message)
    path = Path(given)
    with reading(f"'{given}'"):  # a name that no system has
        is_folder = path.is_dir() and bool(str(given))
    if is_folder:
        found = (each for each in sorted(path.rglob("*")) if each.is_file() and each.name.endswith(SUFFIXES))
        yield from ((each, False) for each in found)
    elif is_file(path):
        yield path, True
    else:
        message = f"There is no file '{given}'.{nearby(path)}"
        raise HowsureError(message)


def _read(path: Path, *, is_alone: bool) -> tuple[list[Score], list[str]]:
    """Return the scores of a file, and what to know of it; none of a file beside logs in a folder."""
    with reading(f"'{path}'"):
        log = opened(path)
        reader = next((each for each in READERS if each.knows(log)), None)
        if reader is not None:
            return list(reader.scores(log)), list(reader.notes(log))
    if not is_alone:
        return [], []
    if "task_hashes" in log.first or "lm_eval_version" in log.first:
        message = f"'{path}' holds results without samples. Run with --log_samples, and give the samples_*.jsonl."
        raise HowsureError(message)
    message = f"'{path}' is no log that is known. Known: {', '.join(each.name for each in READERS)}."
    raise HowsureError(message)


def _renamed(scores: list[Score], name: str, path: Path) -> list[Score]:
    models = dict.fromkeys(each.model for each in scores)
    if len(models) > 1:
        message = f"'{path}' holds several models: {listed(models)}. Give it without a name of its own."
        raise HowsureError(message)
    return [each._replace(model=name) for each in scores]


def _refuse_twice(key: tuple[str, str], first: Path, second: Path) -> None:
    message = (
        f"'{first}' and '{second}' both hold the task {key[0]!r} of the model {key[1]!r}. Name them, such as "
        "{'new': …, 'old': …}, or give one list under one name if they are runs of the same."
    )
    raise HowsureError(message)


def _log(scores: list[Score], cluster: str | None, notes: tuple[str, ...]) -> Log:
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
    }
    if cluster is not None and all(each is None for each in columns["cluster"]):
        known = dict.fromkeys(str(name) for each in scores for name in each.fields)
        message = f"No item has a field {cluster!r}.{did_you_mean(cluster, known)}"
        raise HowsureError(message)
    empty = {name for name in OPTIONAL if all(each is None for each in columns[name])}
    return Log({name: each for name, each in columns.items() if name not in empty}, notes)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
