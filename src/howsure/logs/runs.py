"""Files with one task of one model: parts of an evaluation, retries of which the latest counts, or runs by request."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from howsure.errors import HowsureError, listed
from howsure.escapes import shortened
from howsure.logs.records import Reported, Score

Key: TypeAlias = tuple[str, str]  # task and model
MOST_SHOWN = 60  # characters of a setting in a note
TIME = re.compile(
    r"(\d{4})-?(\d\d)-?(\d\d)[T_ ](\d\d)[-:]?(\d\d)(?:[-:]?(\d\d))?(?:[.,](\d{1,6})\d*)?\s*(?:([+-])(\d\d):?(\d\d))?"
)


@dataclass(eq=False)
class Read:
    """The content of one file.

    Parameters
    ----------
    path : Path
        The file.
    scores : list of Score
        Its scores.
    reported : list of Reported
        The harness's own numbers.
    groups : mapping of str
        Tasks of each group of tasks.
    notes : list of str
        Caveats.
    created : str
        Time of the evaluation.
    settings : mapping of str to str
        Settings of the evaluation.
    ended : bool
        Whether the evaluation ended.
    is_alone : bool
        Whether the file was passed by itself rather than in a folder.
    is_foreign : bool
        Whether it is not a log.
    """

    path: Path
    scores: list[Score] = field(default_factory=list)
    reported: list[Reported] = field(default_factory=list)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    created: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    ended: bool = True
    is_alone: bool = False
    is_foreign: bool = False

    @property
    def keys(self) -> dict[Key, None]:
        """Tasks and models of the scores."""
        return dict.fromkeys((each.task, each.model) for each in self.scores)

    def without(self, keys: set[Key]) -> Read:
        """Return the content without some tasks and models; with all of them its other numbers are left out too."""
        scores = [each for each in self.scores if (each.task, each.model) not in keys]
        if keys and not scores:
            return replace(self, scores=[], reported=[], groups={})
        reported = [each for each in self.reported if (each.task, each.model) not in keys]
        return replace(self, scores=scores, reported=reported)

    def unreported(self, keys: set[Key]) -> Read:
        """Return the content without the harness's values of tasks and models that it holds only in part."""
        if not keys:
            return self
        reported = [
            each._replace(value=float("nan"), samples=None) if (each.task, each.model) in keys else each
            for each in self.reported
        ]
        return replace(self, reported=reported)

    def renamed(self, name: str) -> Read:
        """Return the content with another name for its models, which are one or runs of one."""
        scores = [each._replace(model=name) for each in self.scores]
        reported = [each._replace(model=name) for each in self.reported]
        return replace(self, scores=scores, reported=reported)

    @property
    def order(self) -> tuple[bool, float, str]:
        """Sort key of a file that replaces earlier ones: whether the evaluation ended, and when it was made."""
        return self.ended, moment(self.created), self.created

    @property
    def home(self) -> Path:
        """The folder of the file, without one named for the time of the evaluation."""
        folder = self.path.parent
        return folder.parent if self.created and folder.name == self.created else folder


def moment(created: str) -> float:
    """Return a stated time in seconds, for any zone (UTC if none is stated); -inf if it is no time.

    Examples
    --------
    >>> moment("2025-06-01T10:00:00+02:00") < moment("2025-06-01T09-00-00.000001") < moment("20250601_110000")
    True
    """
    found = TIME.match(created)
    if found is None:
        return -math.inf
    *parts, fraction, sign, hours, minutes = found.groups()
    try:
        named = datetime(*(int(each or 0) for each in parts), tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]
    except ValueError:
        return -math.inf
    away = (60 * int(hours) + int(minutes)) * 60 if sign else 0
    return named + float(f"0.{fraction or 0}") - (away if sign == "+" else -away)


def latest(found: Sequence[Read]) -> tuple[list[Read], list[str]]:
    """Return files without the tasks and models that a later file repeats, and notes on these.

    A later file in the same folder replaces an earlier one with which it shares items; one that ended counts as later
    than one that did not. Files that share no item are parts of one evaluation. Duplicates among files passed by
    themselves, or in other folders, may be of different versions of a model, and are refused.
    """
    counted, replaced = _replaced(found)
    parts = {key for key, places in counted.items() if len(places) > 1}
    kept, notes = [], [note for key in sorted(parts) for note in _unlike(key, [found[each] for each in counted[key]])]
    for place, one in enumerate(found):
        for key, later in sorted(replaced[place].items()):
            notes.append(_said(key, one, found[later]))
        again = set(replaced[place])
        kept.append((one.without(again) if again else one).unreported(parts))
    return kept, notes


def _replaced(found: Sequence[Read]) -> tuple[dict[Key, list[int]], dict[int, dict[Key, int]]]:
    """Return the files that count, by task and model, and the replacement of each other file."""
    keys = [one.keys for one in found]
    items = _items(found, Counter(key for own in keys for key in own))
    counted: dict[Key, list[int]] = defaultdict(list)
    replaced: dict[int, dict[Key, int]] = defaultdict(dict)
    for place in sorted(range(len(found)), key=lambda place: (*found[place].order, place), reverse=True):
        for key in keys[place]:
            shared = (each for each in counted[key] if not items[each, key].isdisjoint(items[place, key]))
            if (later := next(shared, None)) is None:
                counted[key].append(place)
            else:
                replaced[place][key] = later
    return counted, replaced


def _items(found: Sequence[Read], files: Mapping[Key, int]) -> dict[tuple[int, Key], set[str]]:
    """Return the items by file, task and model, for the tasks and models that several files have."""
    items: dict[tuple[int, Key], set[str]] = defaultdict(set)
    for place, one in enumerate(found):
        for each in one.scores:
            if files[each.task, each.model] > 1:
                items[place, (each.task, each.model)].add(each.item)
    return items


def _said(key: Key, one: Read, later: Read) -> str:
    """Return the note on a file that a later one replaces; refuse files of which neither is a retry."""
    if one.is_alone or later.is_alone or one.home != later.home:
        raise HowsureError(
            f"'{one.path}' and '{later.path}' both hold the task {key[0]!r} of the model {key[1]!r}. Name them, such "
            "as {'new': …, 'old': …}, or give one list under one name if they are runs of the same."
        )
    dated = sum(math.isfinite(moment(each.created)) for each in (one, later))
    which = ("the last one by name counts, for they state no time", "the one that states a time counts")
    said = "the later one counts" if dated == 2 else which[dated]
    said = said if one.ended == later.ended else "the one that ended counts"
    return (
        f"'{one.path.name}' and '{later.path.name}' both hold the task {key[0]!r} of the model {key[1]!r}: {said}, "
        f"'{later.path.name}'{_difference(one, later)}."
    )


def _unlike(key: Key, found: Sequence[Read]) -> Iterator[str]:
    """Yield notes on parts of one evaluation whose settings differ."""
    for later, one in pairwise(found):
        if difference := _difference(one, later):
            yield (
                f"'{one.path.name}' and '{later.path.name}' count as parts of the task {key[0]!r} of the model "
                f"{key[1]!r}, for they share no item{difference}."
            )


def _difference(one: Read, later: Read) -> str:
    """Return in which settings two files differ, as the end of a sentence."""
    names = [name for name in {**one.settings, **later.settings} if one.settings.get(name) != later.settings.get(name)]
    said = [[shortened(each.settings.get(name, "none"), MOST_SHOWN) for each in (one, later)] for name in names]
    pairs = [f"{name} ({' and '.join(both)})" for name, both in zip(names, said, strict=True)]
    return f", and they are not of the same {', '.join(pairs)}: give them names to compare them" if pairs else ""


def as_runs(found: Sequence[Read]) -> tuple[list[Read], list[str]]:
    """Return files of one name with consecutive run numbers."""
    most: dict[Key, int] = defaultdict(int)
    kept = []
    for one in found:
        scores = [each._replace(run=each.run + most[each.task, each.model]) for each in one.scores]
        for each in scores:
            most[each.task, each.model] = max(most[each.task, each.model], each.run)
        has_runs = any(key in other.keys for other in found if other is not one for key in one.keys)
        reported = [each._replace(value=float("nan"), samples=None) if has_runs else each for each in one.reported]
        kept.append(replace(one, scores=scores, reported=reported))
    return kept, []


def refuse_models(given: object, found: Sequence[Read]) -> None:
    """Refuse a file, a folder or a pattern with one name and several models, which would become runs of one.

    Raises
    ------
    HowsureError
        If the scores are of several models.
    """
    models = dict.fromkeys(each.model for one in found for each in one.scores)
    if len(models) > 1:
        several = "Give a name to the files of each, or all of them as a list under one name if they are runs of one."
        remedy = "Give it without a name of its own." if len(found) == 1 else several
        raise HowsureError(f"'{given}' holds several models: {listed(models)}. {remedy}")


def refuse_places(found: Sequence[Read]) -> None:
    """Refuse several files of records without names of items, which would be joined by the numbers of their rows.

    Raises
    ------
    HowsureError
        If two files have records of one task.
    """
    paths: dict[str, Path] = {}
    for one in found:
        for task in dict.fromkeys(each.task for each in one.scores):
            if (first := paths.setdefault(task, one.path)) != one.path:
                raise HowsureError(
                    f"'{first}' and '{one.path}' have no names of items. Give `item` (--item), the column that tells "
                    "the items apart, to join them by."
                )
