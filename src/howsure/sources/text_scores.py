"""Scores of large text files, counted by DuckDB in one pass in which their types and their range are checked too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.running.progress import followed
from howsure.sources import duckdb_files
from howsure.sources.bins import Bins
from howsure.sources.duckdb_files import identifier
from howsure.sources.engines import MANY, Columns, Counted, N, settled
from howsure.sources.locations import COMPRESSED, LINES, format_of
from howsure.sources.text_counts import as_texts, large_text, typed, unless_doubtful
from howsure.tables.labels import as_labels

BLOCKS = 64  # of a file, at equal distances, whose lines suggest the range of the scores
BLOCK = 2**14  # bytes
CODE, DOUBT, REST = "howsure_code", "howsure_doubt", "howsure_rest_"


def distinct_scores(data: Any, names: Mapping[str, str], scores: Sequence[str], *, exact: bool) -> Counted | None:
    """Return the number of cases for each combination of scores, in bins if there are many, and of other columns.

    Lines from all parts of the file suggest the number of rows and the range of the scores, from which the width of
    the bins follows. DuckDB then counts all rows once. If the range of all scores is wider, neighbouring bins are
    merged into wider ones.

    Returns None for all other data, and if the general reader must decide: if a score is missing or may be no number,
    or where `text_counts.distinct_texts` returns None.

    Parameters
    ----------
    data : str, Path, or sequence of them
        The file.
    names : mapping of str
        Role → column.
    scores : sequence of str
        Roles of the scores.
    exact : bool
        Whether to count all distinct scores without bins.
    """
    file = large_text(data)
    labels = list(dict.fromkeys(name for role, name in names.items() if role not in scores))
    numbers = list(dict.fromkeys(names[role] for role in scores))
    if file is None or file.suffix.lower() in COMPRESSED or not labels or set(labels) & set(numbers):
        return None
    job = _Counting(duckdb_files.connected(), file, labels, Bins(numbers))
    return unless_doubtful(file, lambda folder: job.counted(names, folder, exact=exact))


@dataclass(frozen=True, slots=True)
class _Counting:
    """The counting of one file; the table `bins` of the connection has a row for each bin and label."""

    connection: Any
    file: Path
    labels: Sequence[str]
    bins: Bins

    def counted(self, names: Mapping[str, str], folder: Path, *, exact: bool) -> Counted | None:
        """Return the counts; None if the general reader must decide."""
        columns = [*self.labels, *self.bins.columns]
        reader = as_texts(self.connection, self.file, columns)
        # DuckDB ignores the case of letters in names.
        if not set(columns) <= set(self.connection.sql(f"from {reader(self.file)}").columns):
            return None
        sample = folder / f"sample{format_of(self.file)}"
        is_binned = _write_sample(self.file, sample) > MANY and not exact
        if is_binned and not self._fit_to_sample(reader(sample)):
            return None
        with followed("counting", duckdb_files.percent_read):
            self.connection.execute(f"create temp table bins as {self._counts(reader(self.file))}")
        if not self._is_sound(is_binned=is_binned, exact=exact):
            return None
        if is_binned:
            self._widen()
        found = self._with_labels(folder)
        if found is None:
            return None
        n = found[N].astype(float)
        values, spread = settled(found, names, n, self.bins)
        return Counted(values, n, n, n, spread=spread)

    def _fit_to_sample(self, reader: str) -> bool:
        """Fit the bins to the scores of a sample; whether these are numbers that differ."""
        ends = [
            f"{end}({_number(name)}) as {_measure(end, name)}" for name in self.bins.columns for end in ("min", "max")
        ]
        found = self.connection.sql(f"from {reader} select {', '.join(ends)}")
        ranges = {name: [end] for name, end in zip(found.columns, found.fetchone(), strict=True)}
        if not all(end is not None and np.isfinite(end) for (end,) in ranges.values()):
            return False
        self.bins.fit(ranges, self._groups(reader))
        return all(self.bins.widths.values())

    def _counts(self, reader: str) -> str:
        """Return the query that counts all rows, and marks those whose scores may be no numbers."""
        score = {name: identifier(name) for name in self.bins.columns}
        keys = _listed([*self.labels, *score])
        doubtful = " or ".join(map(duckdb_files.DOUBTFUL["DOUBLE"].format, score.values()))
        doubtful = "false" if format_of(self.file) in LINES else f"({doubtful})"  # a number of JSON has one spelling
        numbers = ", ".join(f"{_number(name)} as {each}" for name, each in score.items())
        rows = f"from {reader} select {_listed(self.labels)}, {numbers}, {doubtful} as {DOUBT}"
        measures = [f"count(*) as {N}", f"bool_or({DOUBT}) as {DOUBT}"]
        if any(self.bins.widths.values()):
            start = {name: self.bins.start_in_sql(each, name) for name, each in score.items()}
            starts = ", ".join(f"{start[name]} as {each}" for name, each in score.items())
            rests = ", ".join(f"{each} - {start[name]} as {_measure('rest', name)}" for name, each in score.items())
            rows = f"from ({rows}) select * replace ({starts}), {rests}"
            measures += [f"{end}({_measure('rest', name)}) as {_measure(end, name)}" for end, name in self._sums()]
        return f"from ({rows}) select {keys}, {', '.join(measures)} group by {keys}"

    def _is_sound(self, *, is_binned: bool, exact: bool) -> bool:
        """Whether all scores are finite numbers beyond doubt, and are in bins if there are many."""
        finite = " and ".join(f"coalesce(isfinite({identifier(name)}), false)" for name in self.bins.columns)
        found = self.connection.sql(f"from bins select sum({N}), bool_or({DOUBT}), bool_and({finite})")
        rows, is_doubtful, is_finite = found.fetchone()
        return bool(rows and is_finite and not is_doubtful and is_binned == (rows > MANY and not exact))

    def _widen(self) -> None:
        """Merge bins if the range of all scores is wider than that of the sample."""
        sample, ranges = dict(self.bins.widths), dict[str, list[float]]()
        for name in sample:
            score = identifier(name)
            ends = f"min({score} + {_measure('min', name)}), max({score})"
            low, high = self.connection.sql(f"from bins select {ends}").fetchone()
            ranges |= {f"howsure_min_{name}": [low], f"howsure_max_{name}": [high]}
        self.bins.fit(ranges, self._groups("bins"))
        self.bins.widths.update({name: max(width, sample[name]) for name, width in self.bins.widths.items()})
        if self.bins.widths == sample:
            return
        starts, sums = [], []
        for name in self.bins.columns:
            score = identifier(name)
            start = self.bins.start_in_sql(score, name)
            starts.append(f"{start} as {score}")
            total, least = _measure("sum", name), _measure("min", name)
            sums.append(f"sum({total} + {N} * ({score} - {start})) as {total}")
            sums.append(f"min({least} + ({score} - {start})) as {least}")
        merged = f"{_listed(self.labels)}, {', '.join(starts)}, sum({N}) as {N}, {', '.join(sums)}"
        self.connection.execute(f"create or replace temp table bins as from bins select {merged} group by all")

    def _with_labels(self, folder: Path) -> Columns | None:
        """Return the counts with labels of the types that follow from all their texts; None if these are in doubt."""
        numbered = (
            f"from (from bins select distinct {_listed(self.labels)}) select row_number() over () - 1 as {CODE}, *"
        )
        self.connection.execute(f"create temp table labels as {numbered}")
        levels = typed(self.connection, "labels", self.labels, folder, lines=format_of(self.file) in LINES)
        if levels is None:
            return None
        same = " and ".join(f"bins.{name} is not distinct from labels.{name}" for name in map(identifier, self.labels))
        sums = [_measure(end, name) for end, name in self._sums()] if any(self.bins.widths.values()) else []
        wanted = ", ".join([CODE, _listed(self.bins.columns), N, *sums])
        found: Columns = self.connection.sql(f"from bins join labels on {same} select {wanted}").fetchnumpy()
        row = np.argsort(np.asarray(levels[CODE]))[found.pop(CODE)]
        return found | {name: _array(levels[name])[row] for name in self.labels}

    def _groups(self, reader: str) -> int:
        """Return the number of combinations of labels."""
        distinct = f"from {reader} select distinct {_listed(self.labels)}"
        return len(self.connection.sql(distinct))

    def _sums(self) -> list[tuple[str, str]]:
        """Return the aggregations of each column of scores in bins."""
        return [(end, name) for name in self.bins.columns for end in ("sum", "min")]


def _write_sample(file: Path, sample: Path) -> float:
    """Write the header and lines from all parts of a file to another one; return about how many rows the file has."""
    size = file.stat().st_size
    with file.open("rb") as whole:
        header = whole.readline()
        parts = [header]
        for start in np.linspace(len(header), max(size - BLOCK, len(header)), BLOCKS).astype(int).tolist():
            whole.seek(start - 1)
            whole.readline()  # the rest of a line
            lines, end, _ = whole.read(BLOCK).rpartition(b"\n")
            parts.append(lines + end)  # none if a line is longer than a block
    text = b"".join(parts)
    sample.write_bytes(text)
    return size * text.count(b"\n") / max(len(text), 1)


def _number(name: str) -> str:
    """Return a column of texts as numbers, in SQL; null for other texts."""
    return f"try_cast({identifier(name)}::VARCHAR as DOUBLE)"


def _measure(what: str, name: str) -> str:
    """Return the column of an aggregation of scores, in SQL; `Bins` expects these names."""
    return identifier(f"howsure_{what}_{name}")


def _listed(names: Sequence[str]) -> str:
    """Return columns in SQL."""
    return ", ".join(map(identifier, names))


def _array(values: Any) -> Array:
    return values if isinstance(values, np.ndarray) else as_labels(list(values))
