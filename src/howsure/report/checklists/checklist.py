"""`Checklist`: the items of a reporting guideline that the numbers of a report answer, and those for the author."""

from __future__ import annotations

import functools
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal, final

from howsure.errors import looked_up, one_of
from howsure.escapes import printable
from howsure.grids import Grid, Tabular
from howsure.report.checklists.facts import FACTS
from howsure.report.checklists.findings import Findings
from howsure.report.checklists.names import NAMES, ChecklistName
from howsure.report.content import Cell, Document, Section, Sheet, Texts, at, word

Status = Literal["answered", "partly answered", "for the author"]
STATUSES: tuple[Status, Status, Status] = ("answered", "partly answered", "for the author")
ANSWERED, PARTLY, AUTHOR = STATUSES
WIDTH = 100  # of a printed line
NOTE = (
    "The topics are short descriptions, not the text of the guideline: complete its own form. Evidence is from this "
    "report; whether it is adequate is for the author to judge."
)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistItem:
    """An item of a checklist, with the evidence of a report.

    Parameters
    ----------
    number : str
        Number in the published checklist; the name of a section of a model card.
    part : str
        Part of the checklist.
    topic : str
        Topic in a few words.
    evidence : tuple of tuple of str
        Sentences from the report, each one text for all levels or one for each.
    missing : tuple of str
        Absent facts that another report could contain, with how to make it.
    author : str
        What only the author can add.

    Examples
    --------
    >>> import howsure as hs
    >>> item = hs.report_of(hs.from_counts([[50, 3], [5, 42]])).checklist("stard-ai")["30"]
    >>> item.status, item.topic
    ('answered', 'index test by reference standard, as a table or distribution')
    """

    number: str
    part: str
    topic: str
    evidence: tuple[Texts, ...] = ()
    missing: tuple[str, ...] = ()
    author: str = ""

    @property
    def status(self) -> Status:
        """Whether the report answers the item, a part of it, or nothing."""
        if not self.evidence:
            return "for the author"
        return "partly answered" if self.missing or self.author else "answered"

    def said(self, level: int) -> str:
        """Return the evidence at one level."""
        return " ".join(at(each, level) for each in self.evidence)

    @property
    def to_add(self) -> str:
        """What is still to be added: by the author, and by another report."""
        if self.status == ANSWERED:
            return ""
        return "; ".join(filter(None, (self.author, *self.missing)))


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Checklist(Tabular, Mapping[str, ChecklistItem]):
    """A reporting guideline's items with the evidence of a report: a mapping of item numbers to items.

    An item is *answered* only by numbers or facts of the report. It is *partly answered* if something remains that only
    the author knows, or that another report would contain. All others are for the author.

    Parameters
    ----------
    name : str
        Name of the checklist.
    title : str
        The guideline and its year.
    source : str
        Where it was published.
    entries : tuple of ChecklistItem
        The items in the order of the guideline.
    level : int
        Position of the main confidence level in the evidence.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]], labels=["healthy", "ill"])
    >>> found = hs.report_of(table, metrics=["sensitivity", "specificity"]).checklist("stard-ai")
    >>> found.summary
    'STARD-AI 2025: of 48 items, 3 are answered, 10 are partly answered, and 35 are for the author.'
    >>> print(found["30"].said(0))
    Predictions: of 47 “ill”, 42 were predicted “ill” and 5 “healthy”; of 53 “healthy”, 50 “healthy” and 3 “ill”.
    >>> found.to_pandas().shape
    (48, 6)
    """

    name: str
    title: str
    source: str
    entries: tuple[ChecklistItem, ...]
    level: int = 0

    def __getitem__(self, number: str) -> ChecklistItem:
        return looked_up(f"item of {self.title}", number, {each.number: each for each in self.entries})

    def __iter__(self) -> Iterator[str]:
        return (each.number for each in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def of(self, status: Status) -> list[ChecklistItem]:
        """Return the items with a status: ``"answered"``, ``"partly answered"`` or ``"for the author"``.

        Raises
        ------
        HowsureError
            If there is no such status.
        """
        one_of("status of an item", status, STATUSES)
        return [each for each in self.entries if each.status == status]

    @property
    def summary(self) -> str:
        """The number of items with each status, in a sentence."""
        answered, partly, author = (len(self.of(status)) for status in STATUSES)
        return (
            f"{self.title}: of {len(self)} items, {answered} {_are(answered)} answered, {partly} {_are(partly)} partly "
            f"answered, and {author} {_are(author)} for the author."
        )

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per item, with the evidence at the main level."""
        return [
            {
                "item": each.number,
                "part": each.part,
                "topic": each.topic,
                "status": each.status,
                "evidence": each.said(self.level),
                "to_add": each.to_add,
            }
            for each in self.entries
        ]

    def grid(self) -> Grid:
        """Return a table of strings in the order of the guideline, with a column for the page in the manuscript."""
        headers = ("item", "topic", "status", "evidence", "to add", "page")
        rows = tuple(
            (each.number, each.topic, each.status, each.said(self.level), each.to_add, "") for each in self.entries
        )
        return Grid(headers, rows, f"{self.summary} {NOTE} Source: {self.source}.", is_prose=True)

    def section(self) -> Section:
        """Return the checklist as a section of a report."""
        said = ((self.summary,), (NOTE,), (f"Source: {self.source}.",))
        return Section(f"Checklist: {self.title}", said, sheets=tuple(filter(None, map(self._sheet, STATUSES))))

    def _sheet(self, status: Status) -> Sheet | None:
        """Return the items with a status; None without any."""
        found = self.of(status)
        if not found:
            return None
        title = f"{status.capitalize()}: {len(found)}"
        if status == AUTHOR:
            rows = tuple((word(each.number), word(each.topic), word("; ".join(each.missing))) for each in found)
            return Sheet(title, ("item", "topic", "what howsure can add"), rows)
        headers = ("item", "topic", "evidence", "to add")
        cells = ((word(each.number), word(each.topic), _evidence(each), word(each.to_add)) for each in found)
        columns = len(headers) if status == PARTLY else 3
        return Sheet(title, headers[:columns], tuple(row[:columns] for row in cells))

    def __str__(self) -> str:
        parts = [_wrapped(self.summary)]
        for status in (ANSWERED, PARTLY):
            parts += (
                [f"\n{status}", *(_printed(each, self.level) for each in self.of(status))] if self.of(status) else []
            )
        rest = self.of(AUTHOR)
        parts += [f"\n{AUTHOR}", _wrapped(", ".join(each.number for each in rest), "  ")] if rest else []
        more = "; ".join(f"{each.number} ({', '.join(each.missing)})" for each in rest if each.missing)
        return "\n".join([*parts, *([f"\nhowsure can add\n{_wrapped(more, '  ')}"] if more else [])])

    def __repr__(self) -> str:
        return self.summary


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(printable(text), WIDTH, initial_indent=indent, subsequent_indent=indent)


def _printed(item: ChecklistItem, level: int) -> str:
    lines = [f"  {item.number}: {item.topic}", _wrapped(item.said(level), " " * 7)]
    return "\n".join([*lines, _wrapped(f"To add: {item.to_add}.", " " * 7)] if item.to_add else lines)


def _evidence(item: ChecklistItem) -> Cell:
    """Return a cell with the evidence, which follows the level of the page if it contains intervals."""
    levels = max(map(len, item.evidence))
    return Cell(tuple(item.said(level) for level in range(levels)), order="")


@functools.cache
def _published(name: str) -> Mapping[str, Any]:
    """Return a checklist's data."""
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


def checklist_of(report: Document, name: ChecklistName) -> Checklist:
    """Return a checklist with the evidence of a report.

    Raises
    ------
    HowsureError
        If there is no such checklist.
    """
    published = _published(one_of("checklist", name, NAMES))
    findings = Findings(report)
    stated = {name: tuple(each.find(findings)) for name, each in FACTS.items()}
    entries = [
        _item(number, part, fields, stated)
        for part, own in published["parts"].items()
        for number, fields in own.items()
    ]
    return Checklist(name, published["title"], published["source"], tuple(entries), report.level)


def _item(number: str, part: str, fields: Mapping[str, Any], stated: Mapping[str, tuple[Texts, ...]]) -> ChecklistItem:
    """Return an item with its evidence."""
    needs = {name: stated[name] for name in fields.get("needs", ())}
    shows = [each for name in fields.get("shows", ()) for each in stated[name]]
    found = dict.fromkeys([*(each for own in needs.values() for each in own), *shows])
    missing = [f"{name} from {FACTS[name].remedy}" for name, own in needs.items() if not own]
    return ChecklistItem(
        number=number,
        part=part,
        topic=fields["topic"],
        evidence=tuple(found),
        missing=tuple(missing),
        author=fields.get("author", ""),
    )
