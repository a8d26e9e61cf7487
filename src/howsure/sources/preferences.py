"""From battles of two models at a time to the table of pairs and outcomes, with its design."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError
from howsure.sources.columns import checked_weight, refuse_other_lengths
from howsure.sources.encoding import Column, encoded
from howsure.sources.frames import columns
from howsure.sources.groups import Tally, by_columns, groups_of_columns, roles
from howsure.tables.batch import Tables
from howsure.tables.preferences import OUTCOMES, PreferencesTable

Array = NDArray[Any]
FIRST, SECOND, TIE = range(OUTCOMES)
WORDS = {  # that say who won, where they are no model's name
    **dict.fromkeys(("a", "model_a", "1", "1.0", "True", "left", "first", "model_1"), FIRST),
    **dict.fromkeys(("b", "model_b", "0", "0.0", "False", "right", "second", "model_2", "2", "2.0"), SECOND),
    **dict.fromkeys(
        ("tie", "tied", "equal", "draw", "both", "neither", "tie (bothbad)", "bothbad", "both_bad", "0.5"), TIE
    ),
}

KNOWN = (
    "Known: the models' names; a, model_a, model_1, left, first or 1; b, model_b, model_2, right, second, 0 or 2; tie, "
    "draw, equal, both, neither or 0.5."
)


@overload
def preferences(
    a: Any,
    b: Any,
    winner: Any,
    *,
    data: Any = ...,
    sample_weight: Any = ...,
    groups: Any = ...,
    by: None = None,
    check: bool = ...,
) -> PreferencesTable: ...


@overload
def preferences(
    a: Any,
    b: Any,
    winner: Any,
    *,
    data: Any = ...,
    sample_weight: Any = ...,
    groups: Any = ...,
    by: Sized,
    check: bool = ...,
) -> Tables[PreferencesTable]: ...


def preferences(
    a: Any,
    b: Any,
    winner: Any,
    *,
    data: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    by: Sized | None = None,
    check: bool = True,
) -> PreferencesTable | Tables[PreferencesTable]:
    """Count battles of two models at a time, as an arena or a judge of pairs gives them.

    Parameters
    ----------
    a, b : array-like of shape (n,) or str
        The two models of each battle, by name; or, with ``data``, the names of their columns.
    winner : array-like of shape (n,) or str
        Who won each: the model's name; or ``"model_a"``, ``"a"``, ``"model_1"``, ``"left"``, ``"first"`` or 1;
        ``"model_b"``, ``"b"``, ``"model_2"``, ``"right"``, ``"second"``, 0 or 2; or ``"tie"``, ``"draw"``, ``"equal"``,
        ``"both"``, ``"neither"``, ``"tie (bothbad)"`` or 0.5.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each battle.
    groups : array-like of shape (n,) or str, optional
        Cluster of each battle (prompt, judge, user): battles of one cluster vary together.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values.
    check : bool
        Whether to refuse data that do not look like what they are given as; False takes them as they are.

    Returns
    -------
    PreferencesTable or Tables
        The counts of battles by pair and outcome; ``table.model("A")`` has them seen from one model. With ``by`` the
        tables of the groups, with that of all as ``overall``.

    Raises
    ------
    HowsureError
        If columns differ in length, are empty or have missing values; if a battle is of a model with itself; or if a
        winner is none of the two and no word for a tie.

    Examples
    --------
    >>> import howsure as hs
    >>> a, b = ["new", "old", "new", "new", "tiny", "old"] * 20, ["old", "new", "tiny", "old", "old", "tiny"] * 20
    >>> winner = ["new", "new", "tie", "old", "old", "tiny"] * 10 + ["new", "old", "new", "new", "tie", "old"] * 10
    >>> table = hs.preferences(a, b, winner)
    >>> table
    <PreferencesTable: 120 battles, 3 models, Independent design>
    >>> print(hs.estimate(table.model("new"), "bradley_terry"))
    0.612 [0.321, 0.904]
    """
    named = by_columns(by, data)
    others = {"sample_weight": sample_weight, "groups": groups} | roles(named)
    asked = {"a": a, "b": b, "winner": winner} | {role: each for role, each in others.items() if each is not None}
    given = columns(data, asked, check=check)
    first, second, won = (encoded(role, given[role]) for role in ("a", "b", "winner"))
    split = [encoded(role, given[role]) for role in roles(named)]
    cluster = encoded("groups", given["groups"]) if "groups" in given else None
    weight = checked_weight(given["sample_weight"]) if "sample_weight" in given else None
    beside = {each.name: each for each in (first, second, won, *split)}
    refuse_other_lengths(beside | {"groups": cluster, "sample_weight": weight})
    if not len(first):
        message = "`a` is empty: there is no battle to count."
        raise HowsureError(message)
    names, places, outcome = _read(first, second, won)
    low, high = np.sort(places, axis=0)
    pairs, pair = np.unique(low * len(names) + high, return_inverse=True)
    turned = places[0] > places[1]
    outcome = np.where(turned & (outcome != TIE), 1 - outcome, outcome)
    cell = OUTCOMES * pair.ravel() + outcome
    codes = np.column_stack(np.divmod(pairs, len(names)))
    group, clusters_named = (None, None) if cluster is None else cluster.used()
    tally = Tally.of_cases(len(cell)) if weight is None else Tally.of_weights(weight)

    def table(some: Any) -> PreferencesTable:
        own, size = tally.of(some), OUTCOMES * len(codes)
        design = own.design(cell[some], size, None if group is None else group[some], clusters_named)
        counts = own.counts(cell[some], size)
        return PreferencesTable(counts=counts, names=names, codes=codes, design=design, rows=own.cases)

    return groups_of_columns(list(named), split).each(table) if named else table(slice(None))


def _read(first: Column, second: Column, won: Column) -> tuple[tuple[str, ...], Array, Array]:
    """Return the models, the places of the two of each battle among them, and its outcome."""
    texts = []
    for column in (first, second, won):
        codes, levels = column.used()
        texts.append((np.array([str(each) for each in levels.tolist()], dtype=object), codes))
    (firsts, a), (seconds, b), (winners, w) = texts
    names = tuple(sorted({*firsts.tolist(), *seconds.tolist()}))
    place = {name: position for position, name in enumerate(names)}
    places = np.stack([np.array([place[each] for each in known])[code] for known, code in ((firsts, a), (seconds, b))])
    if (same := places[0] == places[1]).any():
        where = int(np.argmax(same))
        message = f"The battle at row {where} is of {names[places[0, where]]!r} with itself. Leave such battles out."
        raise HowsureError(message)
    by_name = np.array([place.get(each, -1) for each in winners.tolist()])[w]
    by_word = np.array([WORDS.get(each, WORDS.get(each.lower(), -1)) for each in winners.tolist()])[w]
    outcome = np.where(by_name == places[0], FIRST, np.where(by_name == places[1], SECOND, by_word))
    wrong = (outcome < 0) | ((by_name >= 0) & (by_name != places[0]) & (by_name != places[1]))
    said = set(winners.tolist()).difference(names)
    if said & {"0", "0.0"} and said & {"2", "2.0"}:
        message = f"`winner` holds both 0 and 2: 0 is known beside 1, and 2 beside 1. {KNOWN}"
        raise HowsureError(message)
    if wrong.any():
        where = int(np.argmax(wrong))
        both = f"{names[places[0, where]]!r} and {names[places[1, where]]!r}"
        message = f"`winner` is {winners[w[where]]!r} at row {where}, a battle of {both}. {KNOWN}"
        raise HowsureError(message)
    return names, places, outcome
