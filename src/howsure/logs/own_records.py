"""Records of evaluations by any program: one row for each answer, with the columns named by the user."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from howsure.errors import HowsureError, listed, reading
from howsure.logs.records import WORDS, Score, number
from howsure.names import word_set
from howsure.sources.frames import columns as read_columns, opened
from howsure.sources.nested import column_names
from howsure.sources.pooled_models import PART, may_restart, names_models
from howsure.sources.rating_names import names_item

NAMES = ("item", "model", "task")  # roles of columns with names
USUAL = {  # names of columns that hold models, tasks or metrics, and the argument that names such a column
    "model": ("model", "models modelname modelid llm classifier system checkpoint app appid appname agent agentname"),
    "task": ("task", "tasks taskname benchmark"),
    "metric": ("task", "metrics metricname scorename scorer scorername evaluator evaluatorname criterion criteria"),
}
CONDITIONS = word_set(  # names of columns that hold settings of one system, beside items that have an answer for each
    """
    ablation approach architecture arm backend condition config configuration effort embedmodel fewshot method mode
    nshot numfewshot numshots pipeline policy prompt promptid promptname promptversion provider quantization
    reasoningeffort reranker retriever setting settings shots strategy temperature template treatment variant version
    """
)
MOST_CONDITIONS = 50
VALUES = "value"  # a column of scores beside which the column "name" has their metric, as in exports of Langfuse
SUMMARIES = word_set(  # words for a last row that sums up the others
    "all average averages avg macroavg mean median microavg overall sd std stddev grandtotal total weightedavg"
)
ABSENT = frozenset({"nan", "none", "null", "na", "n/a", "error", "-"})
WRITE = "Write numbers, such as 1 for right and 0 for wrong, and leave a cell without a score empty."
DECIMAL = re.compile(r"[-+]?\d*,(\d{1,2}|\d{4,})")
FAILED = -1.0  # a usual code for an answer of a judge that could not be parsed


def doubts(path: Path, scores: Sequence[Score]) -> Iterator[str]:
    """Yield caveats of records: possible failure codes, and scores that are reported only on request.

    Parameters
    ----------
    path : Path
        The file.
    scores : sequence of Score
        The result of `own_records` for the file.
    """
    by_metric: dict[str, list[float]] = {}
    for each in scores:
        by_metric.setdefault(each.metric, []).append(each.value)
    for metric, values in by_metric.items():
        codes = values.count(FAILED)
        if 0 < codes < len(values) / 2 and not any(each < 0 and each != FAILED for each in values):
            verb = "is" if codes == 1 else "are"
            yield (
                f"'{path.name}': {codes:,} of {len(values):,} values of {metric!r} {verb} -1, and no other is "
                "negative. If -1 marks a failure of the judge, leave these cells empty."
            )
    first, *others = by_metric
    if others:
        yield f"'{path.name}': {first!r} comes first; `metric` (--metric) shows {listed(others)}."


def repeated(path: Path, scores: Sequence[str], columns: Mapping[str, str | None]) -> Iterator[str]:
    """Yield a caveat of records without items: a column that names items, with several rows for one of its values.

    Parameters
    ----------
    path, scores, columns : object
        The file and its columns, as for `own_records`.
    """
    frame = opened(str(path))
    named = {*columns.values(), *scores}
    for name in column_names(frame) if columns["item"] is None and columns["cluster"] is None else []:
        if name not in named and names_item(name) and not names_models(name, PART):
            cells = list(map(str, np.asarray(read_columns(str(path), {"item": name})["item"], dtype=object).tolist()))
            if 1 < (number := len({*cells})) < len(cells):
                yield (
                    f"'{path.name}': each of {len(cells):,} rows counts as an item, and the column '{name}' has "
                    f"{number:,} values. If it names the items, give it as `item` (--item); several rows are its runs."
                )
                return


def _with_points(values: Sequence[object]) -> list[object]:
    """Return scores with points in place of decimal commas; a comma before three digits may separate thousands."""
    return [
        each.replace(",", ".") if isinstance(each, str) and DECIMAL.fullmatch(each.strip()) else each for each in values
    ]


def _refuse_scores(name: str, path: Path, values: Sequence[object]) -> None:
    """Refuse a column of scores without a number, or with text of which only some has a value."""
    if not any(np.isfinite(number(each)) for each in values):
        raise HowsureError(f"The column '{name}' of '{path}' holds no number: {values[0]!r}, for example. {WRITE}")
    unknown = dict.fromkeys(str(each) for each in values if not _is_absent(each) and not np.isfinite(number(each)))
    if unknown:
        has_words = any(isinstance(each, str) and each.strip().casefold() in WORDS for each in values)
        rest = f"words with a value ({', '.join(WORDS)})" if has_words else "numbers"
        raise HowsureError(f"The column '{name}' of '{path}' has {listed(unknown)}, and {rest}. {WRITE}")


def _is_empty(value: object) -> bool:
    """Whether a cell holds nothing: None, nan, or blanks."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or (isinstance(value, str) and not value.strip())


def _is_absent(value: object) -> bool:
    """Whether a score is empty, or a word for its absence."""
    return _is_empty(value) or (isinstance(value, str) and value.strip().casefold() in ABSENT)


def _name(value: object) -> str:
    """Return a name as text; a whole number is the same in a column of integers and of floats."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _refuse_empty(argument_name: str, name: str, path: Path, values: Sequence[object]) -> None:
    """Refuse a column of names with empty cells, which would become one item, model or task."""
    empty = [place for place, each in enumerate(values, 1) if _is_empty(each)]
    if empty:
        raise HowsureError(
            f"The column '{name}' of '{path}' names no {argument_name} in {len(empty):,} of {len(values):,} rows, "
            "the first of "
            f"which is row {empty[0]:,}. Name it there, or leave these rows out."
        )


def _refuse_pooled(path: Path, wanted: Mapping[str, str], scores: Sequence[str]) -> None:
    """Refuse a file with a column of several models, tasks or metrics that is not named: its rows would be one's."""
    frame = opened(str(path))
    known = column_names(frame)
    used = {*wanted.values(), *scores}
    usual = {re.sub(r"[\W_]", "", str(name)).casefold(): str(name) for name in known if name not in used}
    for kind, (role, more) in USUAL.items():
        words = [kind, *more.split(), *(["name"] if kind == "metric" and VALUES in scores else [])]
        name = next((usual[word] for word in words if word in usual), None)
        if name is None or (role in wanted and kind != "metric"):
            continue
        item = {"item": wanted["item"]} if "item" in wanted else {}
        held, items = (
            np.asarray(each, dtype=object).tolist()
            for each in read_columns(str(path), {"held": name, "item": name} | item).values()
        )
        if not all(isinstance(each, Hashable) for each in held):  # nested values are no names
            continue
        values = dict.fromkeys(each for each in held if not _is_empty(each))
        is_of_item = bool(item) and len({*zip(items, held, strict=True)}) == len({*items})  # such as its rubric
        are_items = len(values) > len(held) / 2 and kind != "model"
        are_items = are_items and (kind != "metric" or name.casefold() == "name" or is_of_item)
        if len(values) > 1 and not are_items:
            remedy = "Keep the rows of one" if role in wanted else f"Name it, `{role}={name!r}`"
            raise HowsureError(
                f"'{path}' has {len(values):,} {kind}s in the column '{name}' ({listed(values)}), which would count as "
                f"one. {remedy}, or leave it out of the file."
            )


def _refuse_conditions(path: Path, wanted: Mapping[str, str], scores: Sequence[str]) -> None:
    """Refuse items with answers under several conditions, or in several data sets, whose column is not named."""
    if "item" not in wanted:
        return
    known = column_names(opened(str(path)))
    plain = {name: re.sub(r"[\W_]", "", name).casefold() for name in known if name not in {*wanted.values(), *scores}}
    free = next((role for role in ("model", "task") if role not in wanted), None)
    for name in [each for each, bare in plain.items() if bare in CONDITIONS or names_models(each, PART)]:
        named = {role: column for role, column in wanted.items() if role in NAMES}
        *held, values = (
            [str(cell) for cell in np.asarray(each, dtype=object).tolist()]
            for each in read_columns(str(path), named | {"condition": name}).values()
        )
        shown, number = dict.fromkeys(values), len({*zip(*held, strict=True)})
        pairs = len({*zip(*held, values, strict=True)})
        if names_models(name, PART):
            if pairs == number or not may_restart(held[list(named).index("item")], shown):
                continue
            remedy = f"Name it, `task={name!r}`"
            if "task" in wanted:
                remedy = f"Give `item` a column of both, '{name}' and '{wanted['item']}'"
            raise HowsureError(
                f"'{path}' has the same names of items in several values of the column '{name}' ({listed(shown)}), "
                f"which would count as one item. {remedy}, or keep the rows of one. If its "
                "values are of answers, leave the column out of the file."
            )
        if 1 < len(shown) <= MOST_CONDITIONS and pairs == number * len(shown):
            remedy = "" if free is None else f"Name it, `{free}={name!r}`, or keep"
            raise HowsureError(
                f"'{path}' has an answer to each item under {len(shown):,} conditions in the column '{name}' "
                f"({listed(shown)}), which would count as one. {remedy or 'Keep'} the rows of one."
            )


def _refuse_summary(path: Path, name: str | None, items: Sequence[str]) -> None:
    """Refuse a last row whose item, or else first cell, is a word for a summary of the others, such as a mean."""
    if name is None:
        name, *_ = column_names(opened(str(path)))
        items = list(map(str, np.asarray(read_columns(str(path), {"item": name})["item"], dtype=object).tolist()))
    if items and items.count(items[-1]) == 1 and re.sub(r"[\W_]", "", items[-1]).casefold() in SUMMARIES:
        raise HowsureError(
            f"The last row of '{path}' has {items[-1]!r} in the column '{name}', and is no item. Leave it out."
        )


def own_records(path: Path, scores: Sequence[str], columns: Mapping[str, str | None]) -> list[Score]:
    """Return the scores of a file of records.

    Parameters
    ----------
    path : Path
        A file of rows, such as CSV, JSON Lines or Parquet.
    scores : sequence of str
        Its columns of scores.
    columns : mapping of str
        The columns of the roles item, model, task and cluster, or None.
    """
    wanted = {role: name for role, name in columns.items() if name is not None}
    named = wanted | {f"score {name}": name for name in scores}
    with reading(f"'{path}'"):
        found = read_columns(str(path), named)
        _refuse_pooled(path, wanted, scores)
        _refuse_conditions(path, wanted, scores)
    held = {role: np.asarray(each, dtype=object).tolist() for role, each in found.items()}
    size = len(next(iter(held.values())))
    for role in NAMES:
        _refuse_empty(role, wanted.get(role, ""), path, held.get(role, []))
    if "item" not in held and "model" in held and (systems := len(set(held["model"]))) > 1:
        wholes = " Numbers of whole models, one row each, are no scores of answers." if systems == size else ""
        raise HowsureError(
            f"'{path}' has several models. Give `item`, the column that tells the items apart, to join them by.{wholes}"
        )
    items = list(map(_name, held.get("item", range(1, size + 1))))
    _refuse_summary(path, wanted.get("item"), items)
    models = list(map(_name, held.get("model", [path.stem] * size)))
    tasks = list(map(_name, held.get("task", ["all"] * size)))
    clusters = [None if _is_empty(each) else each for each in held.get("cluster", [None] * size)]
    made: list[Score] = []
    for name in scores:
        runs: Counter[tuple[str, str, str]] = Counter()
        values = _with_points(held[f"score {name}"])
        _refuse_scores(name, path, values)
        for task, model, item, value, cluster in zip(tasks, models, items, values, clusters, strict=True):
            runs[task, model, item] += 1
            fields = {} if cluster is None else {columns["cluster"] or "": cluster}
            made.append(Score(task, model, item, runs[task, model, item], name, number(value), fields))
    return made
