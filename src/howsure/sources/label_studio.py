"""Tasks that Label Studio exports as JSON: one row for each annotation, as in its smaller export (JSON-MIN)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from howsure.errors import HowsureError
from howsure.sources.file_checks import chunks

SIGNS = (b'"annotations"', b'"from_name"')  # in the first bytes of such a file
HEAD = 2**16  # bytes
WHOLE = {  # types of results that are no regions, and the name of their value
    **{name: name for name in ("choices", "rating", "number", "datetime")},
    "textarea": "text",
}


def may_be_tasks(file: Path) -> bool:
    """Whether the first bytes of a JSON file have the names of an export."""
    start = bytearray()
    for chunk in chunks(file):
        start += chunk
        if len(start) >= HEAD:
            break
    return all(sign in start for sign in SIGNS)


def are_tasks(found: object) -> TypeGuard[list[dict[str, Any]]]:
    """Whether a JSON value is a list of tasks with annotations."""
    return isinstance(found, list) and bool(found) and all(map(_is_task, found))


def _is_task(found: object) -> bool:
    return (
        isinstance(found, Mapping)
        and isinstance(found.get("data"), Mapping)
        and isinstance(found.get("annotations"), list)
    )


def rows_of_tasks(tasks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each annotation that was not skipped.

    Its columns are the data of the task, ``id`` of the task, ``annotator``, ``annotation_id``, each control of the
    labelling interface by its name, and ``prediction``, the same controls as a model predicted them; for several
    predictions of a task the names of their models.

    Raises
    ------
    HowsureError
        If a task has several predictions of one model.

    Examples
    --------
    >>> choice = {"from_name": "mood", "type": "choices", "value": {"choices": ["sad"]}}
    >>> task = {"id": 1, "data": {"text": "x"}, "annotations": [{"id": 5, "completed_by": 2, "result": [choice]}]}
    >>> rows_of_tasks([task])
    [{'text': 'x', 'id': 1, 'annotator': 2, 'annotation_id': 5, 'mood': 'sad'}]
    """
    return [row for task in tasks for row in _rows(task)]


def _rows(task: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    said = _mappings(task.get("predictions"))
    names = ["prediction"] if len(said) == 1 else [str(each.get("model_version")) for each in said]
    if len({*names}) < len(names):
        raise HowsureError(f"The task {task.get('id')!r} has several predictions of one model. Keep one of each.")
    predicted = {name: _controls(each) for name, each in zip(names, said, strict=True)}
    for each in _mappings(task["annotations"]):
        if not each.get("was_cancelled"):
            who = each.get("completed_by")
            annotator = who.get("email") or who.get("id") if isinstance(who, Mapping) else who
            own = {"id": task.get("id"), "annotator": annotator, "annotation_id": each.get("id")}
            yield {**task["data"], **own, **_controls(each), **predicted}


def _controls(annotation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by the name of the control: a choice, number or text, or a list of several, or of regions."""
    found: dict[str, list[Any]] = {}
    kinds: dict[str, object] = {}
    for each in _mappings(annotation.get("result")):
        name, value = str(each.get("from_name")), each.get("value")
        kinds[name] = each.get("type")
        inner = value.get(WHOLE.get(str(kinds[name])), value) if isinstance(value, Mapping) else value
        found.setdefault(name, []).extend(inner if isinstance(inner, list) else [inner])
    return {name: values[0] if kinds[name] in WHOLE and len(values) == 1 else values for name, values in found.items()}


def _mappings(found: object) -> list[Mapping[str, Any]]:
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
