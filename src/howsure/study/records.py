"""What a study reports: one record a line, as text, Markdown, HTML, frames and files."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from howsure.comparison.result import Comparison
from howsure.errors import HowsureError
from howsure.estimates.evaluation import significant_decimals
from howsure.grids import Grid, interval_text, number, percent, to_frame

FORMATS = (".json", ".csv", ".parquet", ".md", ".html", ".tex")


@dataclass(frozen=True, eq=False)
class Report:
    """Records of one form, and the objects that they show.

    ``report["mlp/fold_0"]`` is the object of that name (a summary, a difference, a pooled value); with several metrics
    the key is ``(metric, name)``.

    Parameters
    ----------
    objects
        Name → what the record shows.
    records
        One flat mapping a line; ``low`` and ``high`` are shown as one interval.
    shown
        The columns that the printed table has; all in frames and files.
    confidence_level
        Level of the intervals.
    caption
        What to know of the whole.
    """

    objects: Mapping[Any, Any]
    records: tuple[dict[str, Any], ...]
    shown: tuple[str, ...]
    confidence_level: float = 0.95
    caption: str = ""

    def __getitem__(self, name: Any) -> Any:
        if name not in self.objects:
            word = _words(name)
            known = [_words(key) for key in self.objects]
            what = "line of this report"
            raise HowsureError.unknown(what, word, known)
        return self.objects[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.objects)

    def __len__(self) -> int:
        return len(self.objects)

    def by_name(self) -> dict[str, Any]:
        """Return the objects by name in words: ``"a − b"`` of a comparison, ``"f1, mlp"`` of a metric and a group."""
        found: dict[str, Any] = {}
        for key, each in self.objects.items():
            named = each.by_name() if isinstance(each, Comparison) else {_words(key): each}
            found |= named
        return found

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the records, each a flat mapping of plain values."""
        return [dict(record) for record in self.records]

    def to_pandas(self) -> Any:
        """Return a pandas frame, one row a record."""
        return to_frame(self.records, "pandas")

    def to_polars(self) -> Any:
        """Return a Polars frame, one row a record."""
        return to_frame(self.records, "polars")

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        return self.grid().markdown()

    def __str__(self) -> str:
        return self.grid().text()

    def _repr_html_(self) -> str:
        return self.grid().html()

    def grid(self) -> Grid:
        """Return the shown columns as a table of strings."""
        names = [name for name in self.shown if name != "high"]
        headers = tuple(
            f"{percent(self.confidence_level)} interval" if name == "low" else name.replace("_", " ") for name in names
        )
        rows = tuple(tuple(self._cell(record, name) for name in names) for record in self.records)
        return Grid(headers, rows, self.caption)

    def _cell(self, record: Mapping[str, Any], name: str) -> str:
        value = record[name]
        decimals = significant_decimals(record["low"], record["high"]) if "low" in record else 3
        if name == "low":
            return interval_text(value, record["high"], decimals)
        if isinstance(value, float):
            return number(value, 3 if name in WITHOUT_UNIT else decimals)
        return str(value)

    def write(self, path: str | Path) -> Path:
        """Write the records to a file: JSON, CSV, Parquet, Markdown, HTML or LaTeX by its suffix; return its path.

        Raises
        ------
        HowsureError
            If the suffix is not known, or Parquet is asked for without PyArrow.
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in FORMATS:
            what = "format of a report"
            raise HowsureError.unknown(what, suffix or path.name, FORMATS)
        if suffix == ".parquet":
            from howsure.sources.files import write_parquet

            write_parquet(to_frame(self.records, "pyarrow"), path)
            return path
        writers = {".json": self._json, ".csv": self._csv, ".md": self.to_markdown, ".html": self._repr_html_}
        text = writers.get(suffix, self.grid().latex)()
        path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8", newline="\n")
        return path

    def plain_records(self) -> list[dict[str, Any]]:
        """Return the records with None for what is undefined or infinite, as JSON has it."""
        return [{name: _finite(value) for name, value in record.items()} for record in self.records]

    def _json(self) -> str:
        return json.dumps(self.plain_records(), indent=2, ensure_ascii=False, allow_nan=False)

    def _csv(self) -> str:
        text = io.StringIO()
        writer = csv.DictWriter(text, list(self.records[0]) if self.records else [], lineterminator="\n")
        writer.writeheader()
        for record in self.records:
            writer.writerow({name: "" if _is_nan(value) else value for name, value in record.items()})
        return text.getvalue()


def _words(key: Any) -> str:
    return key if isinstance(key, str) else ", ".join(map(str, key))


WITHOUT_UNIT = {"skewness", "kurtosis", "probability_greater", "rope_below", "rope_inside", "rope_above", "i2"}


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _finite(value: Any) -> Any:
    """JSON has neither nan nor infinity: what is undefined or infinite is null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
