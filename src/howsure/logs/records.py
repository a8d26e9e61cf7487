"""What a reader of logs gives: one score after the other, each with its task, model and item."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from howsure.logs.opening import Opened

WORDS = {"c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class Score(NamedTuple):
    """One score that a model has for an item.

    Parameters
    ----------
    task, model, item : str
        What was asked, of whom, and the identity of the single question: what stays the same from log to log.
    run : int
        Which of several runs of the item it is, from 1 on.
    metric : str
        What the log calls the score.
    value : float
        The score; nan where there is none, as after an error.
    fields : mapping
        What the log says of the item, by name; one of them may tell the clusters.
    cluster : str
        Name of the field by which the log itself takes clusters; empty if it takes none.
    content : str
        What was asked, as far as the log says: tells items of one name apart.
    target, answer : str or None
        The right answer, and the model's.
    weight : float
        Weight of the item in the mean: its words or bytes, where the score is per word or byte.
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
        Which values are better; empty where the log does not say.
    aggregation : str
        How the scores of samples are aggregated, such as ``"mean"``; empty where the log does not say.
    scorer, filter : str
        The scorer, and the filter of the model's answers; empty where there is none.
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
        What it is called in messages.
    knows : callable
        Whether an opened file is of the format, from what it holds.
    scores : callable
        All scores of such a file, those of the log's main metric of an item first.
    notes : callable
        Caveats of the file, a sentence each.
    reported : callable
        The harness's own numbers in the file, or in one beside it.
    groups : callable
        Tasks of each group of tasks that the harness reports as one, by its name.
    created : callable
        When the evaluation was made, as a text that sorts; the later of two runs of one task and model counts.
    """

    name: str
    knows: Callable[[Opened], bool]
    scores: Callable[[Opened], Iterable[Score]]
    notes: Callable[[Opened], Iterable[str]] = lambda _: ()
    reported: Callable[[Opened], Iterable[Reported]] = lambda _: ()
    groups: Callable[[Opened], Mapping[str, Sequence[str]]] = lambda _: {}
    created: Callable[[Opened], str] = lambda _: ""


def number(value: Any) -> float:
    """Return a score as a number, nan where it is none: C, I, P and N stand for 1, 0, 1/2 and 0.

    Examples
    --------
    >>> [number(each) for each in ("C", "P", True, 0.25, "0.5", "later")]
    [1.0, 0.5, 1.0, 0.25, 0.5, nan]
    """
    if isinstance(value, str):
        word = value.strip().lower()
        if word in WORDS:
            return WORDS[word]
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return found if math.isfinite(found) else math.nan


def named_numbers(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a score by name; one of several parts has a name for each.

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


def text(value: Any) -> str | None:
    """Return a value that is text, else None."""
    return value if isinstance(value, str) else None


def start_of(value: Any) -> str:
    """Return how a text begins, with single blanks, as logs that shorten it have it too; empty for what is no text."""
    return " ".join(value.split())[:200] if isinstance(value, str) else ""


def mapping(value: Any) -> dict[str, Any]:
    """Return a JSON object, an empty one for what is none."""
    return value if isinstance(value, dict) else {}


def entries(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a JSON list; none of what is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
