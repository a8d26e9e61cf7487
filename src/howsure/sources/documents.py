"""The tags or spans of documents from sequences, columns of tokens, frames and files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import HowsureError, several
from howsure.sources.columns import refuse_other_lengths
from howsure.sources.conll import TAG, is_conll, read_conll, tag_columns
from howsure.sources.frames import columns, expanded, taken
from howsure.sources.locations import is_address, is_file, missing
from howsure.sources.to_numpy import plain

SPANS = ("spans", "entities", "ents")  # names of the spans of a document in a mapping, as of Prodigy and spaCy
NO_DOCUMENTS = (
    "`{}` is no list of documents. Give a list of tags, or of spans, for each: [['B-PER', 'O'], ['O']] or "
    "[[(0, 9, 'PER')], []]; or a row for each token, with `unit`, the sentence of each."
)


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents, the predictions of each model, and further values of each document.

    Parameters
    ----------
    true : list of list
        Tags or spans of each document.
    said : dict of str to list of list
        Tags or spans predicted by each model; the key is "" for a single model without a name.
    by_model : bool
        Whether the models have names.
    beside : dict of str
        Role → one value for each document.
    """

    true: list[list[Any]]
    said: dict[str, list[list[Any]]]
    by_model: bool
    beside: dict[str, Any]

    @classmethod
    def of(cls, y_true: Any, y_pred: Any, data: Any, unit: Any, beside: Mapping[str, Any]) -> Documents:
        """Read the documents; the arguments are those of `entities`, by role."""
        if is_conll(data):
            data = read_conll(data)
            numbers = tag_columns(data)
            y_true = numbers[-2] if y_true is None else y_true
            y_pred = numbers[-1] if y_pred is None else y_pred
            unit = "sentence" if unit is None else unit
        if y_true is None or y_pred is None:
            if isinstance(data, str | Path) and not is_address(data) and not is_file(Path(data)):
                raise missing(Path(data))
            raise HowsureError(
                "Give `y_true` and `y_pred`. Only a file of tagged tokens has them by itself: its last columns."
            )
        models = _by_model(y_pred, named=data is not None)
        by_model = list(models) != [""]
        roles = {name: f"y_pred[{name!r}]" if by_model else "y_pred" for name in models}
        asked = {"y_true": y_true} | {roles[name]: each for name, each in models.items()}
        beside = {role: each for role, each in beside.items() if each is not None}
        given = asked | beside | ({} if unit is None else {"unit": unit})
        if data is not None:
            given = columns(data, given)
        listed = {role: _listed(role, given[role]) for role in asked}
        values = {role: given[role] if data is not None else plain(role, given[role]) for role in beside}
        if unit is not None:
            listed, values = _of_tokens(listed, values, _listed("unit", given["unit"]))
        elif data is not None:
            listed = {role: _of_rows(role, column) for role, column in listed.items()}
        documents = {role: _documents(role, column) for role, column in listed.items()}
        for role in roles.values():
            _refuse_others("y_true", documents["y_true"], role, documents[role])
        for role, column in values.items():
            if np.shape(column)[:1] != (len(documents["y_true"]),) or np.ndim(column) != 1:
                raise HowsureError(
                    f"`{role}` has shape {np.shape(column)}, and there are {len(documents['y_true'])} documents. Give "
                    "one for each."
                )
        places = {"documents": np.arange(len(documents["y_true"]))}
        chosen = expanded(places | ({"counts": values["counts"]} if "counts" in values else {}))["documents"]
        repeated = {role: taken(column, chosen) for role, column in values.items() if role != "counts"}
        own = {role: [column[place] for place in chosen.tolist()] for role, column in documents.items()}
        return cls(own["y_true"], {name: own[role] for name, role in roles.items()}, by_model, repeated)


def _by_model(y_pred: object, *, named: bool) -> dict[str, Any]:
    """Return the predictions by model name; the key is "" for a single model without a name."""
    if isinstance(y_pred, Mapping):
        found = {str(name): each for name, each in y_pred.items()}
    elif named and isinstance(y_pred, list | tuple):
        found = {str(name): name for name in several("y_pred", y_pred, "column names")}
    else:
        return {"": y_pred}
    if not found:
        raise HowsureError("`y_pred` names no model. Give the documents of each: {'A': …, 'B': …}.")
    return found


def _listed(argument_name: str, column: object) -> list[Any]:
    for name in ("to_list", "to_pylist", "tolist"):
        if hasattr(column, name):
            column = getattr(column, name)()
            break
    if isinstance(column, str | Mapping) or not hasattr(column, "__iter__"):
        raise HowsureError(NO_DOCUMENTS.format(argument_name))
    return list(column)


def _of_tokens(
    listed: dict[str, list[Any]], values: dict[str, Any], unit: list[Any]
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Return the documents from columns of tokens, and the further values of each document."""
    refuse_other_lengths({"unit": unit, **listed, **values})
    starts = [place for place, name in enumerate(unit) if not place or name != unit[place - 1]]
    seen: dict[Any, int] = {}
    for place in starts:
        if unit[place] in seen:
            raise HowsureError(
                f"The rows of the unit {unit[place]!r} are not together (rows {seen[unit[place]]} and {place}). Sort "
                "the rows by unit and token, or give units with names of their own."
            )
        seen[unit[place]] = place
    ends = [*starts[1:], len(unit)]
    for role, column in values.items():
        whole = _listed(role, column)
        for start, end in zip(starts, ends, strict=True):
            if any(each != whole[start] for each in whole[start:end]):
                raise HowsureError(
                    f"`{role}` differs within the unit {unit[start]!r}. Give one value for all its tokens."
                )
    spans = list(zip(starts, ends, strict=True))
    documents = {role: [column[start:end] for start, end in spans] for role, column in listed.items()}
    first = np.array(starts, dtype=np.intp)
    return documents, {role: taken(column, first) for role, column in values.items()}


def _of_rows(argument_name: str, column: list[Any]) -> list[Any]:
    """Return the documents of a column with one document per row: lists, or strings of tags or JSON."""
    if not any(isinstance(each, str) for each in column):
        return [[] if each is None else _plain_spans(each) for each in column]
    found = []
    for each in column:
        words = None
        if isinstance(each, str):
            words = each.split()
            if each.lstrip().startswith("["):
                with suppress(json.JSONDecodeError):
                    words = json.loads(each)
        if words is None or any(isinstance(word, str) and TAG.fullmatch(word) is None for word in words):
            raise HowsureError(
                f"`{argument_name}` holds {each!r}, and no list of tags. Name the column with the sentence of each "
                "token as "
                "`unit`, or give a row for each sentence."
            )
        found.append(words)
    if column and all(len(words) == 1 for words in found):
        raise HowsureError(
            f"`{argument_name}` holds one tag a row: name the column with the sentence of each token as `unit`."
        )
    return found


def _plain_spans(document: object) -> Any:
    """Parse the spans that an engine left as JSON strings, which happens for lists of mixed types."""
    if not isinstance(document, list) or not all(isinstance(each, list) for each in document):
        return document
    with suppress(json.JSONDecodeError, TypeError):
        return [[json.loads(part) for part in each] for each in document]
    return document


def _documents(argument_name: str, given: list[Any]) -> list[list[Any]]:
    """Return the documents as lists, or the lists of their spans; refuse one flat list."""
    given = [
        next((each[name] for name in SPANS if name in each), each) if isinstance(each, Mapping) else each
        for each in given
    ]
    try:
        documents = [list(each) for each in given if not isinstance(each, str | Mapping)]
    except TypeError:
        documents = []
    if not documents or len(documents) < len(given):
        raise HowsureError(NO_DOCUMENTS.format(argument_name))
    return documents


def _refuse_others(first: str, true: list[list[Any]], second: str, said: list[list[Any]]) -> None:
    """Refuse predictions that differ from the documents in number, form or lengths."""
    if len(true) != len(said):
        raise HowsureError(
            f"`{first}` has {len(true)} documents and `{second}` has {len(said)}. Give the same documents."
        )
    tagged = [any(isinstance(each, str) for each in document) for document in true]
    tagged_too = [any(isinstance(each, str) for each in document) for document in said]
    if any(tagged) or any(tagged_too):
        for number, (one, other) in enumerate(zip(true, said, strict=True)):
            if (one and not tagged[number]) or (other and not tagged_too[number]):
                raise HowsureError("Some documents are tags and others spans. Give all in the same form.")
            if len(one) != len(other):
                raise HowsureError(
                    f"Document {number} has {len(one)} tags in `{first}` and {len(other)} in `{second}`. Give one tag "
                    "for each token, also for those that a model cut off."
                )
