"""The source of entity tables: tags of tokens, or spans, of each document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Sized
from typing import Any, TypeAlias, TypedDict, Unpack, overload

import numpy as np

from howsure.errors import HowsureError, one_of
from howsure.sources.brat import of_brat
from howsure.sources.columns import checked_weight
from howsure.sources.conll import TAG
from howsure.sources.documents import Documents
from howsure.sources.events import events
from howsure.sources.frames import taken, weight_or_counts
from howsure.sources.groups import by_columns, roles
from howsure.sources.schemes import Scheme
from howsure.tables.batch import Tables
from howsure.tables.events import EventsTable
from howsure.tables.units import PairedUnitsTable

Span: TypeAlias = tuple[Any, Any, str]  # start, end, type
OUTSIDE = ("O", "")
ALIKE = {"L": "E", "U": "S", "M": "I"}  # last, unit, middle
PARTS = 3  # of a span
FEWEST_OTHER_ENDS = 5  # spans that end one place apart; fewer may be errors of a model
NAMES = (  # of start, end and type of a span, also in exports of annotation programs and pipelines
    ("start", "start_offset", "startOffset", "start_char", "begin"),
    ("end", "end_offset", "endOffset", "end_char"),
    ("label", "labels", "type", "entity_group", "entity_type", "tag", "category"),
)
# The letters of each scheme mapped to those of IOBES, and whether the last token of a longer entity must be marked.
SCHEMES = {
    "IOB2": (frozenset("BI"), False),
    "BIO": (frozenset("BI"), False),
    "IOBES": (frozenset("BIES"), True),
    "BIOES": (frozenset("BIES"), True),
    "BILOU": (frozenset("BILU"), True),
}


class _Keywords(TypedDict, total=False):
    """Keyword arguments that do not decide the type of the result."""

    data: object
    unit: object
    scheme: Scheme | None
    sample_weight: object
    counts: object
    groups: object


@overload
def entities(
    y_true: object = ..., y_pred: object = ..., *, by: None = None, **keywords: Unpack[_Keywords]
) -> EventsTable | PairedUnitsTable: ...


@overload
def entities(
    y_true: object = ..., y_pred: object = ..., *, by: Sized, **keywords: Unpack[_Keywords]
) -> Tables[Any]: ...


def entities(
    y_true: object = None,
    y_pred: object = None,
    *,
    data: object = None,
    unit: object = None,
    scheme: Scheme | None = None,
    sample_weight: object = None,
    counts: object = None,
    groups: object = None,
    by: Sized | None = None,
) -> EventsTable | PairedUnitsTable | Tables[Any]:
    """Count the entities of documents that a model found, missed and found wrongly.

    An entity is found if a predicted entity has the same type, start and end. The sampling unit is the document;
    precision, recall and F1 pool all documents, as in seqeval.

    Parameters
    ----------
    y_true : sequence of sequences, or path
        The tags of each document's tokens, such as ``["B-PER", "I-PER", "O"]``; or the spans of each document, as
        ``(start, end, type)``, as mappings with ``start``, ``end`` and ``label``, or as annotation programs name these,
        such as ``start_offset`` and ``entity_group``; or a folder with brat's file of each document (``.ann``). If
        ``unit`` is given, one tag for each token. If ``data`` is given, the name of a column with the tags of tokens or
        the lists of documents.
    y_pred : sequence of sequences, path, or mapping
        The predictions of the model for the same documents in the same order, or a mapping from model name to
        predictions. If ``data`` is given, the name of the column, a list of names, or a mapping from model to column
        name.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file. Files
        with a line for each token (CoNLL) have columns "1", "2" …, ``sentence`` and ``document``; their last two
        columns are the true and the predicted tags by default.
    unit : array-like of shape (tokens,) or str, optional
        Sentence or document of each token, where rows are tokens, in order.
    scheme : {"IOB2", "BIO", "IOBES", "BIOES", "BILOU"}, optional
        Scheme of the tags. If given, an entity that breaks its rules, such as one that starts with ``I-`` in IOB2, is
        ignored (seqeval's strict mode). By default, every change of type starts an entity (conlleval, and seqeval's
        default), for BIO, BIOES and BILOU tags. seqeval itself reads the BILOU tags L and U only in its strict mode.
    sample_weight : array-like of shape (documents,) or str, optional
        Non-negative weight of each document; if rows are tokens, the same for all tokens of a document.
    counts : array-like of shape (documents,) or str, optional
        Number of identical documents in each row.
    groups : array-like of shape (documents,) or str, optional
        Cluster of each document, for example if the sequences are sentences or several have the same source.
    by : array-like of shape (documents,), str, list of str, mapping or frame, optional
        One column, or several, to split the documents by: one table for each value, or combination of values.

    Returns
    -------
    EventsTable, PairedUnitsTable or Tables
        The table of `events`; for several models their joint table, for `compare`. If ``by`` is given, a mapping of the
        group tables, where ``overall`` is the table of all documents.

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
    weight_or_counts(sample_weight, counts)
    named = by_columns(by, data)
    beside = {"sample_weight": sample_weight, "counts": counts, "groups": groups} | roles(named)
    if data is None:
        y_true, y_pred = of_brat(y_true, y_pred)
    found = Documents.of(y_true, y_pred, data, unit, beside)
    if "sample_weight" in found.beside:
        checked_weight(found.beside["sample_weight"])
    wanted = [_entities("y_true", number, document, scheme) for number, document in enumerate(found.true)]
    said = {
        name: [_entities("y_pred", number, document, scheme) for number, document in enumerate(documents)]
        for name, documents in found.said.items()
    }
    types = sorted({each[2] for every in (wanted, *said.values()) for document in every for each in document})
    if not types:
        raise HowsureError(
            "There is no entity in `y_true` or `y_pred`: precision and recall are of entities. Look at the tags."
        )
    for name, documents in said.items():
        if not any(_is_tag(each) for document in found.said[name] for each in document):
            _refuse_other_ends(wanted, documents)
    size = len(wanted)
    numbers = [number for documents in said.values() for number in _numbers(wanted, documents, types)]
    tp, fp, fn = np.array(numbers).T
    rows = np.tile(np.repeat(np.arange(size), len(types)), len(said))  # the document of each row
    of_rows = {role: taken(column, rows) for role, column in found.beside.items()}
    split = {name: of_rows[role] for name, role in zip(named, roles(named), strict=True)}
    return events(
        tp,
        fp,
        fn,
        unit=rows,
        label=types * (size * len(said)),
        model=np.repeat([str(name) for name in said], size * len(types)) if found.by_model else None,
        sample_weight=of_rows.get("sample_weight"),
        groups=of_rows.get("groups"),
        by=split or None,
    )


def _refuse_other_ends(wanted: list[set[Span]], found: list[set[Span]]) -> None:
    """Refuse spans none of which is right, but most of which are if each ends one place later or earlier."""
    if any(true & said for true, said in zip(wanted, found, strict=True)):
        return
    for more, words in ((1, "before"), (-1, "after")):
        moved = [{(start, end + more, kind) for start, end, kind in each} for each in found]
        hits = sum(len(true & said) for true, said in zip(wanted, moved, strict=True))
        if hits >= FEWEST_OTHER_ENDS and 2 * hits > sum(map(len, found)):
            raise HowsureError(
                f"No span of `y_pred` is in `y_true`, but {hits:,} end one place {words} a true one: one side counts "
                "the last character as the end, and the other one the place behind it. Give both in the same way."
            )


def _numbers(wanted: list[set[Span]], found: list[set[Span]], types: list[str]) -> Iterator[tuple[int, int, int]]:
    """Yield the true positives, false positives and false negatives of each document and type."""
    for true, said in zip(wanted, found, strict=True):
        hits, alarms, misses = (Counter(each[2] for each in some) for some in (true & said, said - true, true - said))
        yield from ((hits[name], alarms[name], misses[name]) for name in types)


def _is_tag(given: object) -> bool:
    return isinstance(given, str)


def _entities(argument_name: str, number: int, document: Sequence[object], scheme: str | None) -> set[Span]:
    """Return the entities of a document."""
    where = f"{argument_name}[{number}]"
    if not any(_is_tag(each) for each in document):
        return {_span(where, place, each) for place, each in enumerate(document)}
    tags = [_tag(where, place, each) for place, each in enumerate(document)]
    if scheme is None:
        return set(_lenient([(ALIKE.get(letter, letter), name) for letter, name in tags]))
    letters, is_closed = SCHEMES[scheme]
    for place, (letter, _) in enumerate(tags):
        if letter != "O" and letter not in letters:
            raise HowsureError(
                f"`{where}[{place}]` = {document[place]!r} is no tag of {scheme}. Name the scheme of the tags, or "
                "leave `scheme` out."
            )
    return set(_strict([(ALIKE.get(letter, letter), name) for letter, name in tags], is_closed=is_closed))


def _tag(where: str, place: int, given: Any) -> tuple[str, str]:
    """Return the letter and the type of a tag."""
    match = TAG.fullmatch(given) if _is_tag(given) else None
    if match is None:
        raise HowsureError(
            f"`{where}[{place}]` = {given!r} is no tag such as 'B-PER', 'I-PER' or 'O'. Turn numbers into tags, and "
            "leave out tokens that have none."
        )
    return (match[1], match[2] or "_") if match[1] else OUTSIDE


def _span(where: str, place: int, given: object) -> Span:
    """Return start, end and type of a span."""
    if isinstance(given, Mapping):
        parts: list[Any] = [next((given[name] for name in names if name in given), None) for names in NAMES]
        if isinstance(parts[2], list) and len(parts[2]) == 1:
            parts[2] = parts[2][0]
    else:
        parts = list(given) if isinstance(given, Sequence) else []
    whole = len(parts) == PARTS and all(isinstance(each, (int, np.integer)) for each in parts[:2])
    if not whole or not isinstance(parts[2], str) or parts[0] > parts[1]:
        raise HowsureError(
            f"`{where}[{place}]` = {given!r} is no span. Give (start, end, type), two whole numbers and a name, or "
            "{'start': 0, 'end': 9, 'label': 'PER'}; or tags such as 'B-PER', 'I-PER', 'O'."
        )
    return int(parts[0]), int(parts[1]), parts[2]


def _lenient(tags: Sequence[tuple[str, str]]) -> Iterator[Span]:
    """Yield the entities by conlleval's rules: each change of type, B and S start one; B, S, O and E end it."""
    start, last, kind = 0, *OUTSIDE
    for place, (letter, name) in enumerate([*tags, OUTSIDE]):
        is_going_on = letter in {"I", "E"} and last in {"B", "I"} and name == kind
        if last != "O" and not is_going_on:
            yield start, place, kind
        if not is_going_on:
            start = place
        last, kind = letter, name


def _strict(tags: Sequence[tuple[str, str]], *, is_closed: bool) -> Iterator[Span]:
    """Yield the entities that obey the scheme: B, then I of its type, and in a closed scheme E; or S alone."""
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
