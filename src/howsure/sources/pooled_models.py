"""Rows of several models, or of several runs, in one long table whose column of models is not read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import DoubtfulDataError, HowsureError, listed, reading, warn
from howsure.escapes import is_number
from howsure.sources.bins import Bins
from howsure.sources.crossed import is_factor
from howsure.sources.encoding import Column, encoded
from howsure.sources.engines import MANY, N, collected, is_held, totals
from howsure.sources.file_checks import chunks
from howsure.sources.nested import column_names
from howsure.sources.rating_names import names_item
from howsure.sources.streams import Stream

MODEL = (
    "algorithm|approach|architecture|assay|biomarker|checkpoint|classifier|detector|device|estimator|learner|llm|marker|"
    "method|modality|model|network|system|test|treatment"
)
OFTEN_APART = "device|modality|treatment"  # whose cases often differ, and are as many by design
RUN = "attempt|epoch|iteration|repeat|repetition|replicate|run|seed"
PART = "benchmark|category|dataset|domain|split|subject|subset|subtask|suite|task|topic"  # in which numbers restart
NAME = "(?:{})s?(?:id|idx|index|name|no|number|version)?"
FEWEST = 4  # rows of each model whose true labels may repeat those of another
SHARE = 0.5  # of the cases that several models have
SEPARATORS = re.compile(r"[,;\t|:]")


def names_models(name: object, words: str = f"{MODEL}|{RUN}") -> bool:
    """Whether the name of a column means models or runs, or their names or numbers.

    Examples
    --------
    >>> [names_models(name) for name in ("model", "Model Name", "modelID", "run_id", "model_a", "fold")]
    [True, True, True, True, False, False]
    """
    return re.fullmatch(NAME.format(words), re.sub(r"[\s_.\-]", "", str(name)).casefold()) is not None


def header_names_models(file: Path) -> bool:
    """Whether the first line of a text file has a name or a field that means models or runs."""
    line = next(chunks(file), b"").split(b"\n", 1)[0].decode("utf-8", "replace")
    return any(names_models(each.strip(" \"'{}\r\ufeff")) for each in SEPARATORS.split(line))


def refuse_pooled_models(frame: Any, given: Mapping[str, str]) -> None:
    """Refuse rows of several models or runs on the same cases, if no argument names the column of these.

    The cases are the same if an identifier of cases repeats for several models with one true label, or if the true
    labels of every model are the same in the same order; for devices, modalities and treatments not if they are sorted,
    because balanced groups have the same sorted labels. Of more rows than are read into memory, each model has as many
    of each label. Nothing is refused if ``groups`` names the items or two crossed factors. Tasks with runs are refused
    if a task has those of several models, or its number those of several data sets. If ``by`` names the column, there
    is a warning, because all groups together have a table too.

    Parameters
    ----------
    frame : mapping, frame, lazy frame or stream
        The data.
    given : mapping of str
        Role → name of the column.
    """
    if isinstance(frame, Stream):
        return  # may be read once
    if "task" in given:
        _refuse_merged_tasks(frame, given)
        return
    if any(map(is_factor, given)):
        return  # the caller states that cases have several rows
    if names_item(given.get("groups")):
        return
    known = column_names(frame)
    spare = [name for name in known if name not in given.values()]
    models = [name for name in spare if names_models(name, MODEL)]
    if models and sum(role.startswith("score[") for role in given) > 1:
        _refuse_rows_of_models(frame, models[0])
    stated = {"model": MODEL, "groups": RUN}  # runs of one case are a cluster
    words = "|".join(each for role, each in stated.items() if role not in given)
    if not words:
        return
    cases = [each for each in spare if names_item(each) and not names_models(each)]
    cases += [given["fold"]] if "fold" in given else []  # of one number for each model and fold
    split = [name for role, name in given.items() if role.startswith("by")]
    for name in filter(lambda each: names_models(each, words), (*spare, *split)):
        levels = _pooled(frame, name, given.get("y_true"), cases)
        if not levels:
            continue
        said = f"The column '{name}' has {len(levels):,} values ({listed(levels)}) for the same cases"
        if name in split:
            warn(f"{said}: each has its result, and that of all of them counts every case {len(levels):,} times.")
            continue
        raise DoubtfulDataError(
            f"{said}, whose rows would be taken as different cases. Split by it, by={name!r}, or keep the rows of one."
        )


def _refuse_merged_tasks(frame: Any, given: Mapping[str, str]) -> None:
    """Refuse tasks of one name in several models, or of one number in several data sets, which would count as one.

    If ``by`` names the models, there is a warning.
    """
    others = [name for name in column_names(frame) if name not in given.values()]
    split = [name for role, name in given.items() if role.startswith("by")]  # all groups together have a table too
    models = [] if "model" in given else [name for name in (*others, *split) if names_models(name, MODEL)]
    parts = [name for name in (*others, *split) if name != given["task"] and names_models(name, PART)]
    if are_many(frame):
        return
    columns = dict(coded(frame, [given["task"], *models, *parts]))
    if given["task"] not in columns:
        return
    task = columns.pop(given["task"])
    for name, column in columns.items():
        if name not in models and not may_restart(task.levels.tolist(), column.levels.tolist()):
            continue
        pairs = np.unique(np.column_stack([task.codes, column.codes]), axis=0)
        again = np.flatnonzero(np.bincount(pairs[:, 0]) > 1)
        if len(again) and name in models and name in split:
            warn(
                f"The column '{name}' has several values ({listed(column.levels.tolist())}) for one task: each has its "
                f"result, and that of all of them takes their runs as those of one. For one of each, model={name!r}."
            )
        elif len(again):
            named = f"model={name!r}" if name in models else f"a column of both, {name!r} and {task.name!r}, as `task`"
            raise DoubtfulDataError(
                f"The column {name!r} has several values ({listed(column.levels.tolist())}) for one task, such as "
                f"{task.levels.tolist()[again[0]]!r}, whose runs would count as those of one. Give {named}, or keep "
                "the rows of one."
            )


def may_restart(tasks: Iterable[object], parts: Iterable[object]) -> bool:
    """Whether the numbers of tasks, or items, may restart in each of several data sets.

    Names do not restart, and numbers in place of names of data sets may be persons.

    Examples
    --------
    >>> may_restart(["q1", "q2"], ["law", "physics"]), may_restart([1, 2], [7, 8]), may_restart(["login"], ["a", "b"])
    (True, False, False)
    """
    return all(any(map(str.isdigit, str(each))) for each in tasks) and not all(is_number(str(each)) for each in parts)


def _refuse_rows_of_models(frame: Any, name: str) -> None:
    """Refuse a table with one row for each model, as leaderboards have, where the columns are read as models."""
    models = None if are_many(frame) else dict(coded(frame, [name])).get(name)
    if models is not None and models.levels.dtype.kind in "UO" and 1 < len(models.levels) == len(models.codes):
        raise DoubtfulDataError(
            f"The column '{name}' has another model in each row ({listed(models.levels.tolist())}), and each named "
            "column would count as a model. Give a column for each model, and a row for each item or task."
        )


def _pooled(frame: Any, name: str, true: str | None, cases: Sequence[str]) -> list[Any] | None:
    """Return the models or runs of a column if they have the same cases; else None."""
    names = list(dict.fromkeys([name, *([] if true is None else [true]), *cases]))
    if are_many(frame):
        shares = _shares(frame, name, true)
        return None if shares is None else [*shares]
    columns = dict(coded(frame, names))
    models, truth = columns.get(name), columns.get(true or "")
    if models is None or not 1 < len(models.levels) <= len(models.codes) / 2:  # else the rows are the models
        return None
    if truth is not None and set(models.levels.tolist()) <= set(truth.levels.tolist()):
        return None  # the predictions of another model
    found = any(_are_repeated(columns[case], models, truth) for case in cases if case in columns)
    found = found or _repeat(models, truth, is_sorted=not names_models(name, OFTEN_APART))
    return models.levels.tolist() if found else None


def are_many(frame: Any) -> bool:
    """Whether an engine holds more rows than are read into memory."""
    if not is_held(frame):
        return False
    import narwhals as nw

    with reading("`data`"):
        return bool(collected(frame.lazy().select(nw.len().alias(N)))[N][0] > MANY)


def _shares(frame: Any, name: str, true: str | None) -> dict[Any, Any] | None:
    """Return each model's number of cases by label if all models have the same; else None."""
    if true is None:
        return None
    found = totals(frame, [name, true], [name, true], {}, Bins())
    shares: dict[Any, dict[Any, int]] = {}
    for model, label, number in zip(*(list(found[each]) for each in (name, true, N)), strict=True):
        shares.setdefault(model, {})[label] = number
    first, *others = shares.values()
    return shares if len(first) > 1 and others and all(each == first for each in others) else None


def coded(frame: Any, names: Sequence[str]) -> Iterator[tuple[str, Column]]:
    """Yield columns as codes of the levels that occur; not those with missing values."""
    with reading("`data`"):
        held = collected(frame.lazy().select(*names)) if is_held(frame) else frame
    for name in names:
        values = held[name]
        try:
            column = encoded(name, values.to_native() if hasattr(values, "to_native") else values)
        except HowsureError:
            continue
        codes, levels = column.used()
        yield name, Column(name, levels, codes)


def _repeat(models: Column, truth: Column | None, *, is_sorted: bool) -> bool:
    """Whether every model has the same true labels, of several classes, in the same order, which may be sorted."""
    each, rest = divmod(len(models.codes), len(models.levels))
    if truth is None or rest or each < FEWEST or len(truth.levels) < 2 or np.any(np.bincount(models.codes) != each):
        return False
    labels = truth.codes[np.argsort(models.codes, kind="stable")].reshape(-1, each)
    is_varied = np.count_nonzero(np.diff(labels[0])) >= len(truth.levels)
    return bool(np.all(labels == labels[0]) and (is_sorted or is_varied))


def _are_repeated(cases: Column, models: Column, truth: Column | None) -> bool:
    """Whether most cases have rows of several models, each one row, with one true label."""
    pairs = cases.codes.astype(np.int64) * len(models.levels) + models.codes
    if len(np.unique(pairs)) < len(pairs) or np.mean(np.bincount(cases.codes) > 1) < SHARE:
        return False
    return truth is None or len(np.unique(cases.codes.astype(np.int64) * len(truth.levels) + truth.codes)) == len(
        cases.levels
    )
