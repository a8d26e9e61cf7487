"""Conversion of class names from the command line to the type of the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def classes_of(
    data: object, columns: Sequence[str], labels: Sequence[str] | None, pos_label: str | None
) -> list[Any] | None:
    """Return the classes in order, with their type in the file; None if none is named.

    Parameters
    ----------
    data : path or list of paths
        The predictions.
    columns : sequence of str
        Columns with labels.
    labels : sequence of str, optional
        The classes, in order; all by default.
    pos_label : str, optional
        The positive one of two classes, which becomes the last.
    """
    from howsure.sources.frames import grouped
    from howsure.sources.positive import positive_last
    from howsure.tables.labels import as_labels

    if labels is None and pos_label is None:
        return None
    levels = (grouped(data, {name: name}).levels[0].tolist() for name in dict.fromkeys(columns))
    known = {str(value): value for found in levels for value in found}
    order = list(known) if labels is None else list(labels)
    return [known.get(name, name) for name in positive_last(as_labels(order), pos_label).tolist()]
