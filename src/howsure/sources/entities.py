"""From tags of tokens, or from spans, of each document to the table of the entities that are found and missed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from howsure.errors import HowsureError, one_of
from howsure.sources.events import events
from howsure.sources.plain import plain
from howsure.tables.events import EventsTable
from howsure.tables.units import PairedUnitsTable

Scheme: TypeAlias = Literal["IOB2", "BIO", "IOBES", "BIOES", "BILOU"]
Span: TypeAlias = tuple[Any, Any, str]  # start, end, type
OUTSIDE = ("O", "")
TAG = re.compile(r"([BIMELSU])(?:-(.+))?|O", re.DOTALL)
ALIKE = {"L": "E", "U": "S", "M": "I"}  # last, unit, middle
PARTS = 3  # of a span
# The letters of each scheme, as those of IOBES, and whether an entity of several tokens needs its last one marked.
SCHEMES = {
    "IOB2": (frozenset("BI"), False),
    "BIO": (frozenset("BI"), False),
    "IOBES": (frozenset("BIES"), True),
    "BIOES": (frozenset("BIES"), True),
    "BILOU": (frozenset("BILU"), True),
}


def entities(
    y_true: Any,
    y_pred: Any,
    *,
    scheme: Scheme | None = None,
    sample_weight: Any = None,
    groups: Any = None,
) -> EventsTable | PairedUnitsTable:
    """Count the entities of documents that a model found, missed and found wrongly.

    An entity is found if one of the same type starts and ends at the same places. Documents are the units that vary;
    precision, recall and F1 are those of seqeval, of all documents together.

    Parameters
    ----------
    y_true : sequence of sequences
        The tags of each document's tokens, such as ``["B-PER", "I-PER", "O"]``; or the spans of each document, as
        ``(start, end, type)`` or as mappings with ``start``, ``end`` and ``label``.
    y_pred : sequence of sequences, or mapping
        The same of the model, for the same documents in the same order; or of several models, by name.
    scheme : {"IOB2", "BIO", "IOBES", "BIOES", "BILOU"}, optional
        Scheme of the tags. An entity that breaks its rules, as one that starts with ``I-`` in IOB2, is then none
        (seqeval's strict mode). By default every change of type starts an entity (conlleval, and seqeval's default),
        with BIO, BIOES and BILOU tags alike; of BILOU seqeval itself reads L and U only in its strict mode.
    sample_weight : array-like of shape (documents,), optional
        Non-negative weight of each document.
    groups : array-like of shape (documents,), optional
        Cluster of each document, where the sequences are sentences or several are of one source.

    Returns
    -------
    EventsTable or PairedUnitsTable
        As `events` returns it; with several models that of all, for `compare`.

    Raises
    ------
    HowsureError
        If documents differ in number or length, if a tag or span has another form, or if there is no entity.

    Examples
    --------
    >>> import howsure as hs
    >>> true = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"], ["B-PER", "O", "B-LOC"], ["B-LOC", "I-LOC", "I-LOC"]]
    >>> said = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"], ["B-LOC", "O", "B-LOC"], ["B-LOC", "I-LOC", "O"]]
    >>> table = hs.entities(true, said)
    >>> print(hs.estimate(table, "f1@micro"))
    0.600 [0.025, 0.981]
    >>> table = hs.entities([[(0, 9, "PER")], [(4, 8, "LOC")]], [[(0, 9, "PER")], [(4, 7, "LOC")]])  # as spans
    >>> float(hs.estimate(table, "recall@micro"))
    0.5
    """
    if scheme is not None:
        one_of("scheme", scheme, SCHEMES)
    true = _documents("y_true", y_true)
    by_model = isinstance(y_pred, Mapping)
    said = {
        name: _documents(f"y_pred[{name!r}]" if by_model else "y_pred", each)
        for name, each in (y_pred.items() if by_model else [("", y_pred)])
    }
    if not said:
        message = "`y_pred` names no model. Give the documents of each: {'A': …, 'B': …}."
        raise HowsureError(message)
    for name, documents in said.items():
        _refuse_others("y_true", true, f"y_pred[{name!r}]" if by_model else "y_pred", documents)
    wanted = [_entities("y_true", number, document, scheme) for number, document in enumerate(true)]
    found = {
        name: [_entities("y_pred", number, document, scheme) for number, document in enumerate(documents)]
        for name, documents in said.items()
    }
    types = sorted({each[2] for every in (wanted, *found.values()) for document in every for each in document})
    if not types:
        message = "There is no entity in `y_true` or `y_pred`: precision and recall are of entities. Look at the tags."
        raise HowsureError(message)
    rows = len(true) * len(types)
    numbers = [number for documents in found.values() for number in _numbers(wanted, documents, types)]
    tp, fp, fn = np.array(numbers).T

    def of_rows(role: str, given: Any) -> Any:
        if given is None:
            return None
        column = np.asarray(plain(role, given))
        if column.shape != (len(true),):
            message = f"`{role}` has shape {column.shape}, and there are {len(true)} documents. Give one for each."
            raise HowsureError(message)
        return np.tile(np.repeat(column, len(types)), len(found))

    return events(
        tp,
        fp,
        fn,
        unit=np.tile(np.repeat(np.arange(len(true)), len(types)), len(found)),
        label=types * (len(true) * len(found)),
        model=np.repeat([str(name) for name in found], rows) if by_model else None,
        sample_weight=of_rows("sample_weight", sample_weight),
        groups=of_rows("groups", groups),
    )


def _numbers(wanted: list[set[Span]], found: list[set[Span]], types: list[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the true positives, false positives and false negatives of each document and type."""
    for true, said in zip(wanted, found, strict=True):
        hits, alarms, misses = (Counter(each[2] for each in some) for some in (true & said, said - true, true - said))
        yield from ((hits[name], alarms[name], misses[name]) for name in types)


def _documents(role: str, given: Any) -> list[list[Any]]:
    """Return the documents as lists; refuse one flat list."""
    try:
        documents = [each if isinstance(each, (str, Mapping)) else list(each) for each in given]
    except TypeError:
        documents = []
    flat = [each for each in documents if not isinstance(each, list)]
    if flat or not documents or isinstance(given, str):
        message = (
            f"`{role}` is no list of documents. Give a list of tags, or of spans, for each: "
            "[['B-PER', 'O'], ['O']] or [[(0, 9, 'PER')], []]."
        )
        raise HowsureError(message)
    return [each for each in documents if isinstance(each, list)]


def _refuse_others(first: str, true: list[list[Any]], second: str, said: list[list[Any]]) -> None:
    """Refuse predictions of other documents: of another number, in another form or of other lengths."""
    if len(true) != len(said):
        message = f"`{first}` has {len(true)} documents and `{second}` has {len(said)}. Give the same documents."
        raise HowsureError(message)
    tagged = [any(_is_tag(each) for each in document) for document in true]
    tagged_too = [any(_is_tag(each) for each in document) for document in said]
    if any(tagged) or any(tagged_too):
        for number, (one, other) in enumerate(zip(true, said, strict=True)):
            if (one and not tagged[number]) or (other and not tagged_too[number]):
                message = "Some documents are tags and others spans. Give all in the same form."
                raise HowsureError(message)
            if len(one) != len(other):
                message = (
                    f"Document {number} has {len(one)} tags in `{first}` and {len(other)} in `{second}`. Give one tag "
                    "for each token, also for those that a model cut off."
                )
                raise HowsureError(message)


def _is_tag(given: Any) -> bool:
    return isinstance(given, str)


def _entities(role: str, number: int, document: Sequence[Any], scheme: str | None) -> set[Span]:
    """Return the entities of a document."""
    where = f"{role}[{number}]"
    if not any(_is_tag(each) for each in document):
        return {_span(where, place, each) for place, each in enumerate(document)}
    tags = [_tag(where, place, each) for place, each in enumerate(document)]
    if scheme is None:
        return set(_lenient([(ALIKE.get(letter, letter), name) for letter, name in tags]))
    letters, is_closed = SCHEMES[scheme]
    for place, (letter, _) in enumerate(tags):
        if letter != "O" and letter not in letters:
            message = (
                f"`{where}[{place}]` = {document[place]!r} is no tag of {scheme}. Name the scheme of the tags, or "
                "leave `scheme` out."
            )
            raise HowsureError(message)
    return set(_strict([(ALIKE.get(letter, letter), name) for letter, name in tags], is_closed=is_closed))


def _tag(where: str, place: int, given: Any) -> tuple[str, str]:
    """Return the letter and the type of a tag."""
    match = TAG.fullmatch(given) if _is_tag(given) else None
    if match is None:
        message = (
            f"`{where}[{place}]` = {given!r} is no tag such as 'B-PER', 'I-PER' or 'O'. Turn numbers into tags, and "
            "leave out tokens that have none."
        )
        raise HowsureError(message)
    return (match[1], match[2] or "_") if match[1] else OUTSIDE


def _span(where: str, place: int, given: Any) -> Span:
    """Return start, end and type of a span."""
    if isinstance(given, Mapping):
        parts: list[Any] = [given.get("start"), given.get("end"), given.get("label", given.get("type"))]
    else:
        parts = list(given) if isinstance(given, Sequence) else []
    whole = len(parts) == PARTS and all(isinstance(each, (int, np.integer)) for each in parts[:2])
    if not whole or not isinstance(parts[2], str) or parts[0] > parts[1]:
        message = (
            f"`{where}[{place}]` = {given!r} is no span. Give (start, end, type), two whole numbers and a name, or "
            "{'start': 0, 'end': 9, 'label': 'PER'}; or tags such as 'B-PER', 'I-PER', 'O'."
        )
        raise HowsureError(message)
    return int(parts[0]), int(parts[1]), parts[2]


def _lenient(tags: Sequence[tuple[str, str]]) -> Iterator[Span]:
    """Yield the entities as conlleval takes them: each change of type, B and S start one; B, S, O and E end it."""
    start, last, kind = 0, *OUTSIDE
    for place, (letter, name) in enumerate([*tags, OUTSIDE]):
        is_going_on = letter in {"I", "E"} and last in {"B", "I"} and name == kind
        if last != "O" and not is_going_on:
            yield start, place, kind
        if not is_going_on:
            start = place
        last, kind = letter, name


def _strict(tags: Sequence[tuple[str, str]], *, is_closed: bool) -> Iterator[Span]:
    """Yield the entities that keep the rules: B, then I of its type, and in a closed scheme E; or S alone."""
    place = 0
    while place < len(tags):
        start, (letter, kind) = place, tags[place]
        place += 1
        if letter == "S":
            yield start, place, kind
        elif letter == "B":
            while place < len(tags) and tags[place] == ("I", kind):
                place += 1
            if is_closed:
                if place < len(tags) and tags[place] == ("E", kind):
                    place += 1
                    yield start, place, kind
            else:
                yield start, place, kind
