"""The source of preference tables: battles between two models at a time."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any, Literal, TypeAlias, Unpack, overload

import numpy as np

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError, HowsureError, listed, one_of
from howsure.sources.beside import Beside
from howsure.sources.crossed import drawn_anew
from howsure.sources.encoding import Column, encoded
from howsure.sources.frames import columns, expanded, opened, weight_or_counts
from howsure.sources.groups import Tally, by_columns, roles
from howsure.sources.keywords import Cases
from howsure.sources.nested import column_names
from howsure.tables.batch import Tables
from howsure.tables.preferences import OUTCOMES, PreferencesTable

FIRST, SECOND, TIE = range(OUTCOMES)
NAMED = (  # words for the winner, unless they are names of models
    ("a", "b"),
    ("model_a", "model_b"),
    ("model_1", "model_2"),
    ("model1", "model2"),
    ("assistant_a", "assistant_b"),
    ("response_a", "response_b"),
    ("answer_a", "answer_b"),
    ("left", "right"),
    ("first", "second"),
    ("true", "false"),
)
TIES = ("tie", "draw", "equal", "both", "neither", "tie (bothbad)", "bothbad", "both_bad")
WORDS = {first: FIRST for first, _ in NAMED} | {second: SECOND for _, second in NAMED} | dict.fromkeys(TIES, TIE)
VERDICTS = {"a>b": FIRST, "a>>b": FIRST, "b>a": SECOND, "b>>a": SECOND, "a=b": TIE}  # of judges
IN_BRACKETS = {f"[[{each}]]": place for each, place in (VERDICTS | {"a": FIRST, "b": SECOND, "c": TIE}).items()}
SCORE = {"1": FIRST, "0": SECOND, "0.5": TIE}  # score of the first model
PLACE = {"0": FIRST, "1": SECOND, "2": TIE}  # index of the better model, from 0
ORDINAL = {"1": FIRST, "2": SECOND, "0.5": TIE, "0": TIE}  # index from 1
INDICATORS = frozenset({"0", "1", "false", "true"})  # of a column for one of the outcomes
NUMBERS = {"score": SCORE, "index": PLACE}
Numbers: TypeAlias = Literal["score", "index"]


class _Keywords(Cases, total=False):
    """Keyword arguments that do not decide the type of the result."""

    fixed: str | None
    numbers: Numbers | None


@overload
def preferences(
    a: object, b: object, winner: object, *, by: None = None, **keywords: Unpack[_Keywords]
) -> PreferencesTable: ...


@overload
def preferences(
    a: object, b: object, winner: object, *, by: Sized, **keywords: Unpack[_Keywords]
) -> Tables[PreferencesTable]: ...


def preferences(
    a: object,
    b: object,
    winner: object,
    *,
    data: object = None,
    sample_weight: object = None,
    counts: Any = None,
    groups: object = None,
    fixed: str | None = None,
    by: Sized | None = None,
    numbers: Numbers | None = None,
    check: bool = True,
) -> PreferencesTable | Tables[PreferencesTable]:
    """Count battles between two models, as in an arena or with a pairwise judge.

    Parameters
    ----------
    a, b : array-like of shape (n,) or str
        The two models of each battle, by name; or, with ``data``, the names of their columns.
    winner : array-like of shape (n,) or str
        The winner of each battle: a model's name, its side, or a tie. Words for the first side are ``"model_a"``,
        ``"a"``, ``"left"``, ``"first"`` and True; for the second ``"model_b"``, ``"b"``, ``"right"``, ``"second"`` and
        False. Words for a tie are ``"tie"``, ``"draw"``, ``"equal"``, ``"both"``, ``"neither"`` and ``"tie
        (bothbad)"``. The verdicts ``"A>B"``, ``"B>>A"`` and ``"A=B"``, in double brackets or not, ``"[[A]]"``,
        ``"[[B]]"``, and ``"[[C]]"`` for a tie, speak of the sides unless a model is named A or B. The numbers 1 and 2
        are the first and the second model. `numbers` defines the meaning of 0 and 1, unless 0.5 occurs too.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    sample_weight : array-like of shape (n,) or str, optional
        Non-negative weight of each battle.
    counts : array-like of shape (n,) or str, optional
        Number of identical cases in each row, as in a table of frequencies; 1 by default.
    groups : array-like of shape (n,), str, or two of them, optional
        Cluster of each battle (prompt, judge, user): battles of one cluster may be correlated. Two crossed factors,
        such as readers and cases or models and items, are a list of two columns or a mapping of them by name.
    fixed : str, optional
        One of two factors, whose levels a new study would keep: only those of the other are drawn anew.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values.
    numbers : {"score", "index"}, optional
        Meaning of 0 and 1 as winners: the score of the first model (1 for a win, 0 for a loss, 0.5 for a tie), or the
        index of the better model (0 the first, 1 the second, 2 a tie).
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    PreferencesTable or Tables
        The counts of battles by pair and outcome; ``table.model("A")`` has them from the perspective of one model. If
        ``by`` is given, a mapping of the group tables, where ``overall`` is the table of all battles.

    Raises
    ------
    HowsureError
        If columns differ in length, are empty or have missing values; if a model battles itself; or if a winner is
        neither one of the two models nor a word for a tie.

    Examples
    --------
    >>> import howsure as hs
    >>> a, b = ["new", "old", "new", "new", "tiny", "old"] * 20, ["old", "new", "tiny", "old", "old", "tiny"] * 20
    >>> winner = ["new", "new", "tie", "old", "old", "tiny"] * 10 + ["new", "old", "new", "new", "tie", "old"] * 10
    >>> table = hs.preferences(a, b, winner)
    >>> table
    <PreferencesTable: 120 battles, 3 models>
    >>> print(hs.estimate(table.model("new"), "bradley_terry"))
    0.612 [0.321, 0.904]
    """
    groups = drawn_anew(groups, fixed, data)
    named = by_columns(by, data)
    weight_or_counts(sample_weight, counts)
    others = {"sample_weight": sample_weight, "counts": counts, "groups": groups} | roles(named)
    asked = {"a": a, "b": b, "winner": winner} | {role: each for role, each in others.items() if each is not None}
    given = expanded(columns(data, asked, check=check))
    first, second, won = (encoded(role, given[role]) for role in ("a", "b", "winner"))
    if check and isinstance(winner, str) and {*map(_word, map(str, won.levels.tolist()))} <= INDICATORS:
        _refuse_indicator(winner, data)
    beside = Beside.of(given, list(named), {each.name: each for each in (first, second, won)})
    names, places, outcome = _read(first, second, won, numbers, check=check)
    low, high = np.sort(places, axis=0)
    pairs, pair = np.unique(low * len(names) + high, return_inverse=True)
    turned = places[0] > places[1]
    outcome = np.where(turned & (outcome != TIE), 1 - outcome, outcome)
    cell = OUTCOMES * pair.ravel() + outcome
    codes = np.column_stack(np.divmod(pairs, len(names)))
    tally = Tally.of_cases(len(cell)) if beside.weight is None else Tally.of_weights(beside.weight)

    def table(some: Any) -> PreferencesTable:
        own, size = tally.of(some), OUTCOMES * len(codes)
        _, cluster, clusters_named = beside.of_rows(some)
        design = own.design(cell[some], size, cluster, clusters_named)
        counts = own.counts(cell[some], size)
        return PreferencesTable(counts=counts, names=names, codes=codes, design=design, rows=own.cases)

    found: PreferencesTable | Tables[PreferencesTable] = beside.tables(list(named), table)
    return found


def _read(
    first: Column, second: Column, won: Column, numbers: Numbers | None, *, check: bool
) -> tuple[tuple[str, ...], Array, Array]:
    """Return the models, the indices of the two models of each battle, and its outcome."""
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
        raise HowsureError(
            f"The battle at row {where} is of {names[places[0, where]]!r} with itself. Leave such battles out."
        )
    words = WORDS | _numbers_of([each for each in winners.tolist() if each not in place], numbers)
    if not {"a", "b"} & {name.casefold() for name in names}:  # else the letters may be models
        words |= VERDICTS | IN_BRACKETS
    by_name = np.array([place.get(each, -1) for each in winners.tolist()])[w]
    by_word = np.array([words.get(_word(each), -1) for each in winners.tolist()])[w]
    outcome = np.where(by_name == places[0], FIRST, np.where(by_name == places[1], SECOND, by_word))
    if check:
        _refuse_names_of_places(names, outcome, by_name, winners.tolist(), numbers)
    wrong = (outcome < 0) | ((by_name >= 0) & (by_name != places[0]) & (by_name != places[1]))
    if wrong.any():
        where = int(np.argmax(wrong))
        both = f"{names[places[0, where]]!r} and {names[places[1, where]]!r}"
        known = ", ".join([*(f"{one}/{other}" for one, other in NAMED), *TIES])
        raise HowsureError(
            f"`winner` is {winners[w[where]]!r} at row {where}, a battle of {both}. Give one of these, or 'tie'; known "
            f"words: {known}."
        )
    return names, places, outcome


def _refuse_names_of_places(
    names: Sequence[str], outcome: Array, by_name: Array, winners: Sequence[str], numbers: Numbers | None
) -> None:
    """Refuse winners that are names of models and also words for the first and the second, if these disagree."""
    codes = {each: code for table in (NUMBERS[numbers] if numbers else ORDINAL, WORDS) for each, code in table.items()}
    named = [each for each in winners if each in names]
    if not named or not all(codes.get(_word(each), TIE) != TIE for each in named) or (outcome < 0).any():
        return
    place = np.array([codes.get(_word(each), TIE) for each in names])
    if np.any((by_name >= 0) & (place[by_name] != outcome)):
        raise DoubtfulDataError(
            f"`winner` holds {listed(named)}: names of models, and also words for the first and the second one. "
            "Rename these models, or write 'first' and 'second'."
        )


def _refuse_indicator(winner: str, data: Any) -> None:
    """Refuse one of several columns of 0 and 1 with a column of ties beside it: its 0 is a loss or a tie."""
    known = [] if hasattr(data, "__next__") else column_names(opened(data, [winner]))
    kind, *rest = winner.casefold().split("_")
    if rest and (tie := next((each for each in known if str(each).casefold() in {f"{kind}_tie", f"{kind}_draw"}), "")):
        raise DoubtfulDataError(
            f"`winner` names the column {winner!r}, and ties are in {tie!r}. Make one column of both: 1 where the "
            "first model won, 0.5 for a tie, 0 where the second won."
        )


def _word(winner: str) -> str:
    """Return a winner in lower case; a number without trailing zeros."""
    text = winner.strip().casefold()
    return text[:-2] if text in {"-1.0", "0.0", "1.0", "2.0"} else text


def _numbers_of(winners: Sequence[str], numbers: Numbers | None) -> dict[str, int]:
    """Return the outcomes coded by numbers; refuse -1, and 0 and 1 if their meaning is not stated."""
    if "-1" in map(_word, winners):
        raise HowsureError(
            "`winner` holds -1, for which there is no fixed meaning. Name the winners, such as by a dictionary: "
            "{1: 'model_a', -1: 'model_b', 0: 'tie'}."
        )
    if numbers is not None:
        return NUMBERS[one_of("meaning of numbers", numbers, NUMBERS)]
    given = {_word(each) for each in winners} & {"0", "0.5", "1", "2"}
    if not given:
        return {}
    if given <= {"1", "2", "0.5"} and "2" in given:
        return ORDINAL
    if given <= {"0", "0.5", "1"} and "0.5" in given:
        return SCORE
    raise HowsureError(
        f"`winner` holds {', '.join(sorted(given))}: a score of the first model, or the index of the better one? Say "
        "numbers='score' (1: the first one won) or numbers='index' (1: the second one won)."
    )
