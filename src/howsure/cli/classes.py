"""The classes, as the shell names them and as a file holds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howsure.errors import HowsureError, one_of


def classes_of(
    data: Any, columns: Sequence[str], labels: Sequence[str] | None, pos_label: str | None
) -> list[Any] | None:
    """Return the classes in order, with the type that they have in the file; None where none is named.

    Parameters
    ----------
    data : path or list of paths
        The predictions.
    columns : sequence of str
        Columns with labels.
    labels : sequence of str, optional
        The classes, in order; all by default.
    pos_label : str, optional
        Which of two is the positive one, and so the last.
    """
    from howsure.sources.frames import grouped

    if labels is None and pos_label is None:
        return None
    levels = (grouped(data, {name: name}).levels[0].tolist() for name in dict.fromkeys(columns))
    known = {str(value): value for found in levels for value in found}
    order = list(known) if labels is None else list(labels)
    return [known.get(name, name) for name in with_positive_last(order, pos_label)]


def with_positive_last(names: Sequence[str], pos_label: str | None) -> list[str]:
    """Return the names of two classes with the positive one last; as they are where none is named.

    Raises
    ------
    HowsureError
        If the positive class is none of them, or they are not two.
    """
    if pos_label is None:
        return list(names)
    one_of("class", pos_label, names)
    if len(names) != 2:
        message = (
            f"`--pos-label` is for two classes, and there are {len(names)}. Ask for one of them by its metrics, "
            f"such as f1@binary+positive_class={pos_label}."
        )
        raise HowsureError(message)
    return [*(name for name in names if name != pos_label), pos_label]
