"""Tables of several models from published numbers of successes and trials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from howsure.errors import HowsureError, listed, whole_number, without
from howsure.sources.frames import columns
from howsure.sources.to_numpy import plain
from howsure.sources.values import values
from howsure.tables.batch import Tables
from howsure.tables.values import ValuesTable


@without(counts="Its numbers are `k` right answers of `n`.")
def proportions(k: object, n: object, *, model: object = None, data: object = None) -> Tables[ValuesTable]:
    """Return a table for each model from its published number of right answers, "k of n".

    The models are assumed independent. If they answered the same items, their answers are usually positively
    correlated, which such counts do not show; intervals for differences are then conservative.

    Parameters
    ----------
    k : mapping of str to int, array-like of shape (models,) or str
        Number of right answers of each model, by its name; or in rows, with `model`.
    n : int, mapping of str to int, array-like of shape (models,) or str
        Number of all answers of each model, or one number for all models.
    model : array-like of shape (models,) or str, optional
        The name of each row's model.
    data : frame, mapping, path or None
        The data with the named columns.

    Returns
    -------
    Tables
        Tables for `leaderboard`; their metric ``"mean"`` is the proportion of right answers.

    Raises
    ------
    HowsureError
        If there are fewer than two models, a name occurs twice, or the counts are not whole numbers with k ≤ n.

    Examples
    --------
    >>> import howsure as hs
    >>> board = hs.leaderboard(hs.proportions({"new": 188, "old": 171, "tiny": 90}, 200), "mean", random_state=0)
    >>> [(each.model, each.rank_low, each.rank_high) for each in board.places]
    [('new', 1, 1), ('old', 2, 2), ('tiny', 3, 3)]
    """
    if not isinstance(k, Mapping) and data is None and any(isinstance(each, str) for each in (k, n, model)):
        raise HowsureError("To name the columns of a frame or file give `data=`.")
    rows = _by_name(k, n) if isinstance(k, Mapping) else _of_rows(k, n, model, data)
    if isinstance(k, Mapping) and (model is not None or data is not None):
        raise HowsureError("`k` by name needs neither `model` nor `data`. Give columns, or a mapping.")
    if len(rows) < 2:
        raise HowsureError("There is one model. Give at least two, or `proportion(k, n)` for one.")
    names, right, every = zip(*rows, strict=True)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise HowsureError(f"{listed(twice)}: named more than once. Give each model one row.")
    for name, successes, trials in rows:
        if successes > trials:
            raise HowsureError(
                f"`k` = {successes} of {name!r} is beyond its `n` = {trials}. Give the successes, then all trials."
            )
    counts = [number for some, all_ in zip(right, every, strict=True) for number in (some, all_ - some)]
    return values([True, False] * len(names), counts=counts, by={"model": np.repeat(names, 2)})


def _by_name(k: Mapping[Any, object], n: object) -> list[tuple[str, int, int]]:
    if not isinstance(n, Mapping):
        n = dict.fromkeys(k, n)
    elif set(k) != set(n):
        raise HowsureError(
            f"`k` and `n` name different models: {listed(sorted(map(str, set(k) ^ set(n))))} is in one of them."
        )
    return [(str(name), *_counts(name, each, n[name])) for name, each in k.items()]


def _of_rows(k: object, n: object, model: object, data: object) -> list[tuple[str, int, int]]:
    if model is None:
        raise HowsureError(
            "Which model is each row of? Name them: proportions({'A': 42, 'B': 39}, 50), or give `model`."
        )
    is_same = isinstance(n, (int, np.integer))
    given = columns(data, {"k": k, "model": model} | ({} if is_same else {"n": n}))
    found = {role: np.atleast_1d(plain(role, each)).tolist() for role, each in given.items()}
    found = found if not is_same else found | {"n": [n] * len(found["k"])}
    if len({len(each) for each in found.values()}) > 1:
        raise HowsureError("`k`, `n` and `model` differ in length. Give one row for each model.")
    triples = zip(found["model"], found["k"], found["n"], strict=True)
    return [(str(name), *_counts(name, one, every)) for name, one, every in triples]


def _counts(name: object, k: object, n: object) -> tuple[int, int]:
    right, every = (int(each) if isinstance(each, float) and each.is_integer() else each for each in (k, n))
    return whole_number(f"k of {name}", right, least=0), whole_number(f"n of {name}", every)
