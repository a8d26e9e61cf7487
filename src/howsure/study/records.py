"""Records of a study, one per row, with output as text, Markdown, HTML, data frames and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from howsure.comparison.result import Comparison
from howsure.errors import HowsureError, UnknownKeyError
from howsure.estimates.named import Named
from howsure.grids import Grid, Tabular, csv_text, grid_of, json_text
from howsure.writing import checked_path, written

FORMATS = (".json", ".csv", ".parquet", ".md", ".html", ".tex")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Records(Tabular, Named, Mapping[Any, Any]):
    """Records of one form, and the objects behind them.

    A mapping of names to these objects (a summary, a difference, a pooled value): ``records["mlp/fold_0"]``; with
    several metrics the key is ``(metric, name)``.

    Parameters
    ----------
    objects : mapping
        Name → object of the record.
    rows : tuple of dict
        One flat mapping per row; ``low`` and ``high`` are shown as one interval.
    shown : tuple of str
        Columns of the printed table; data frames and files have all columns.
    confidence_level : float
        Level of the intervals.
    caption : str
        Caption of all records.
    """

    objects: Mapping[Any, Any]
    rows: tuple[dict[str, Any], ...]
    shown: tuple[str, ...]
    confidence_level: float = 0.95
    caption: str = ""

    def __getitem__(self, name: object) -> Any:
        with suppress(TypeError, KeyError):  # lists are no keys
            return self.objects[name]
        known = [_words(key) for key in self.objects]
        raise UnknownKeyError.unknown("row of these records", _words(name), known)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.objects)

    def __len__(self) -> int:
        return len(self.objects)

    def by_name(self) -> dict[str, Any]:
        """Return the objects by readable name: ``"a − b"`` of a comparison, ``"f1, mlp"`` of a metric and a group."""
        found: dict[str, Any] = {}
        for key, each in self.objects.items():
            found |= each.by_name() if isinstance(each, Comparison) else {_words(key): each}
        return found

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per row."""
        return [dict(row) for row in self.rows]

    def grid(self) -> Grid:
        """Return the shown columns as a table of strings."""
        return grid_of(self.rows, self.shown, level=self.confidence_level, caption=self.caption)

    def save(self, path: str | Path) -> Path:
        """Write the records to a file: JSON, CSV, Parquet, Markdown, HTML or LaTeX by its suffix; return its path.

        Raises
        ------
        HowsureError
            If the suffix is not supported, or PyArrow is missing for Parquet.
        """
        path = checked_path(path)
        suffix = path.suffix.lower()
        if suffix not in FORMATS:
            raise HowsureError.unknown("format of a report", suffix or path.name, FORMATS)
        if suffix == ".parquet":
            from howsure.sources.files import write_parquet

            return written(path, partial(write_parquet, self.to_arrow()))
        writers = {".json": self._json, ".csv": self._csv, ".md": self.to_markdown, ".html": self.to_html}
        text = writers.get(suffix, self.to_latex)()
        return written(path, text if text.endswith("\n") else text + "\n")

    def _json(self) -> str:
        return json_text(self.records())

    def _csv(self) -> str:
        return csv_text(self.rows)


def _words(key: object) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)
