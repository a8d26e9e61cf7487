"""Records of evaluations by any program: one row for each answer, with the columns named by the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from howsure.errors import HowsureError, reading
from howsure.logs.records import Score, number
from howsure.sources.frames import columns as read_columns


def own_records(path: Path, scores: Sequence[str], columns: Mapping[str, str | None]) -> list[Score]:
    """Return the scores of a file of records.

    Parameters
    ----------
    path : Path
        A file of rows, such as CSV, JSON Lines or Parquet.
    scores : sequence of str
        Its columns of scores.
    columns : mapping of str
        The columns of the roles item, model, task and cluster; None where there is none.
    """
    wanted = {role: name for role, name in columns.items() if name is not None}
    named = wanted | {f"score {name}": name for name in scores}
    with reading(f"'{path}'"):
        found = read_columns(str(path), named)
    held = {role: np.asarray(each, dtype=object).tolist() for role, each in found.items()}
    size = len(next(iter(held.values())))
    if "item" not in held and "model" in held and len(set(held["model"])) > 1:
        message = f"'{path}' has several models. Give `item`, the column that tells the items apart, to join them by."
        raise HowsureError(message)
    items = list(map(str, held.get("item", range(1, size + 1))))
    models = list(map(str, held.get("model", [path.stem] * size)))
    tasks = list(map(str, held.get("task", ["all"] * size)))
    clusters = held.get("cluster", [None] * size)
    made: list[Score] = []
    for name in scores:
        runs: Counter[tuple[str, str, str]] = Counter()
        values = held[f"score {name}"]
        if not any(np.isfinite(number(each)) for each in values):
            message = f"The column '{name}' of '{path}' holds no number: {values[0]!r}, for example."
            raise HowsureError(message)
        for task, model, item, value, cluster in zip(tasks, models, items, values, clusters, strict=True):
            runs[task, model, item] += 1
            fields = {} if cluster is None else {columns["cluster"] or "": cluster}
            made.append(Score(task, model, item, runs[task, model, item], name, number(value), fields))
    return made
