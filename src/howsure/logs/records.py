"""The records of a reader of logs: scores with task, model and item."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from howsure.logs.opening import Opened

WORDS = {"c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
WORDS |= {"correct": 1.0, "incorrect": 0.0, "right": 1.0, "wrong": 0.0, "pass": 1.0, "fail": 0.0, "y": 1.0}
WORDS |= {"passed": 1.0, "failed": 0.0, "success": 1.0, "failure": 0.0}
PER_CENT = 100


class Score(NamedTuple):
    """One score of a model for an item.

    Parameters
    ----------
    task, model, item : str
        Names of the task, the model and the item, which are the same in different logs.
    run : int
        Number of the run of the item, from 1.
    metric : str
        Name of the score in the log.
    value : float
        The score; nan if absent, for example after an error.
    fields : mapping
        Fields of the item by name; one of them may hold the cluster.
    cluster : str
        Name of the log's own field of clusters; empty if none.
    content : str
        The question, if the log has it; distinguishes items with the same name.
    target, answer : str or None
        The right answer, and the model's.
    weight : float
        Weight of the item in the mean: the number of words or bytes, if the score is per word or byte.
    """

    task: str
    model: str
    item: str
    run: int
    metric: str
    value: float
    fields: Mapping[str, Any]
    cluster: str = ""
    content: str = ""
    target: str | None = None
    answer: str | None = None
    weight: float = 1.0


class Reported(NamedTuple):
    """The harness's own summary of one model's scores on a task by one metric.

    Parameters
    ----------
    task, model, metric : str
        As in `Score`.
    value : float
        The number that the harness printed; nan where it printed none.
    samples : int or None
        Number of samples that it was computed from.
    better : {"higher", "lower", ""}
        Which values are better; empty if not stated in the log.
    aggregation : str
        Aggregation of the scores of samples, such as ``"mean"``; empty if not stated in the log.
    scorer, filter : str
        The scorer, and the filter of the model's answers; empty if none.
    """

    task: str
    model: str
    metric: str
    value: float = math.nan
    samples: int | None = None
    better: str = ""
    aggregation: str = ""
    scorer: str = ""
    filter: str = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """A format of logs.

    Parameters
    ----------
    name : str
        Name in messages.
    knows : callable
        Whether an opened file has the format, judging by content.
    scores : callable
        All scores of a file, for each item the main metric first.
    notes : callable
        Caveats of the file, one sentence each.
    reported : callable
        The harness's own values, from the file or another one in its folder.
    groups : callable
        Tasks of each group of tasks that the harness reports as one, by its name.
    created : callable
        Time of the evaluation as text; the later of two runs of one task and model is used.
    settings : callable
        Settings of the evaluation as text by name, which a note on two such runs tells if they differ.
    ended : callable
        Whether the evaluation ended; another one that did counts before one that did not.
    """

    name: str
    knows: Callable[[Opened], bool]
    scores: Callable[[Opened], Iterable[Score]]
    notes: Callable[[Opened], Iterable[str]] = lambda _: ()
    reported: Callable[[Opened], Iterable[Reported]] = lambda _: ()
    groups: Callable[[Opened], Mapping[str, Sequence[str]]] = lambda _: {}
    created: Callable[[Opened], str] = lambda _: ""
    settings: Callable[[Opened], Mapping[str, str]] = lambda _: {}
    ended: Callable[[Opened], bool] = lambda _: True


def number(value: Any) -> float:
    """Return a score as a number, nan if it is not one; C, I, P and N are 1, 0, 1/2 and 0.

    Examples
    --------
    >>> [number(each) for each in ("C", "P", True, 0.25, "0.5", "85 %", "later")]
    [1.0, 0.5, 1.0, 0.25, 0.5, 0.85, nan]
    """
    if isinstance(value, str):
        word = value.strip().lower()
        if word in WORDS:
            return WORDS[word]
        if word.endswith("%"):
            return number(word[:-1]) / PER_CENT
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return found if math.isfinite(found) else math.nan


def named_numbers(name: str, value: object) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a score by name; a score of several parts has a name for each.

    Examples
    --------
    >>> list(named_numbers("judge", {"style": 0.5, "facts": 1}))
    [('judge/style', 0.5), ('judge/facts', 1.0)]
    """
    parts: Iterable[tuple[Any, Any]]
    if isinstance(value, Mapping):
        parts = value.items()
    elif isinstance(value, list | tuple):
        parts = enumerate(value)
    else:
        yield name, number(value)
        return
    for part, each in parts:
        yield f"{name}/{part}", number(each)


def text(value: object) -> str | None:
    """Return a value that is text, else None."""
    return value if isinstance(value, str) else None


def start_of(value: object) -> str:
    """Return the start of a text with single blanks, as in logs that shorten texts; empty for other values."""
    return " ".join(value.split())[:200] if isinstance(value, str) else ""


def stated(found: Mapping[str, object], names: Iterable[str]) -> dict[str, str]:
    """Return the fields that hold something, as text."""
    return {name: str(found[name]) for name in names if found.get(name) not in (None, "", [], {})}


def mapping(value: object) -> dict[str, Any]:
    """Return a JSON object; empty for other values."""
    return value if isinstance(value, dict) else {}


def entries(value: object) -> list[dict[str, Any]]:
    """Return the objects of a JSON list; empty for other values."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
