"""The classification report: precision, recall and F1 of each class and of the averages, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from numpy.typing import ArrayLike, NDArray

from howsure.compat.keywords import Keywords, Settings, listed, with_keywords
from howsure.compat.per_class import one_class
from howsure.errors import HowsureError, UnknownKeyError, checked_level
from howsure.estimates.estimate import Estimate
from howsure.grids import Grid, Tabular, interval_text, number, percent
from howsure.metrics.binding import resolve
from howsure.metrics.spec import parse
from howsure.tables.counts import ClassCounts
from howsure.tables.table import Table

METRICS = ("precision", "recall", "f1")
AVERAGES = ("micro", "macro", "weighted")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ClassificationReport(Tabular, Mapping[str, Mapping[str, Estimate]]):
    """One row per class and average: ``report["malignant"]["f1"]`` is an `Estimate`.

    Parameters
    ----------
    rows : mapping of str to mapping of str to Estimate
        Precision, recall and F1 of each class and average.
    support : mapping of str to float
        Cases of each class; of averages all cases.
    confidence_level : float
        Level of the intervals.
    digits : int
        Decimals to show.
    """

    rows: Mapping[str, Mapping[str, Estimate]]
    support: Mapping[str, float]
    confidence_level: float
    digits: int = 3

    def __getitem__(self, row: str) -> Mapping[str, Estimate]:
        if row not in self.rows:
            raise UnknownKeyError.unknown("row of this report", str(row), self.rows)
        return self.rows[row]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per row."""
        return [
            {
                "class": name,
                **{f"{metric}{suffix}": value for metric in METRICS for suffix, value in _three(row[metric])},
                "support": self.support[name],
            }
            for name, row in self.rows.items()
        ]

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the records by class."""
        return {record.pop("class"): record for record in self.records()}

    def grid(self, digits: int | None = None) -> Grid:
        """Return the report as strings, with this many decimals (by default the report's own)."""
        decimals = self.digits if digits is None else digits
        rows = []
        for name, row in self.rows.items():
            cells = [
                f"{number(row[metric].value, decimals)} {interval_text(row[metric].low, row[metric].high, decimals)}"
                for metric in METRICS
            ]
            rows.append((name, *cells, f"{self.support[name]:g}"))
        return Grid(
            ("class", *METRICS, "support"), tuple(rows), f"{percent(self.confidence_level)} intervals in brackets"
        )


def _three(each: Estimate) -> tuple[tuple[str, float], ...]:
    return ("", each.value), ("_low", each.low), ("_high", each.high)


PARAMETERS = """
y_true, y_pred : array-like of shape (n,) or (n, L), or str
    True and predicted label of each case, of any type; or indicator arrays of L labels (multilabel); or, with
    ``data``, the names of their columns.
"""
RETURNS = """
ClassificationReport
    A mapping of rows to metrics to estimates, which prints as text and has ``to_dict``, ``to_pandas``,
    ``to_polars``, ``to_arrow``, ``to_markdown``, ``to_html`` and ``to_latex``.
"""


@with_keywords(PARAMETERS, RETURNS)
def classification_report(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: ArrayLike | None = None,
    target_names: Iterable[str] | None = None,
    digits: int = 3,
    **keywords: Unpack[Keywords],
) -> ClassificationReport:
    """Report precision, recall and F1 of each class and their averages, each with its interval.

    Instead of labels, ``y_true`` may be a `Table` alone.

    Parameters
    ----------
    labels : array-like, optional
        Classes to report, in order; all that occur by default. Cases of other classes still count as errors.
    target_names : iterable of str, optional
        Names to show for them.
    digits : int
        Decimals to show.

    Examples
    --------
    >>> import howsure as hs
    >>> report = hs.classification_report(hs.from_counts([[50, 3], [5, 42]], labels=["benign", "malignant"]))
    >>> print(report["malignant"]["recall"])
    0.894 [0.774, 0.954]
    """
    settings = Settings(**keywords)
    table = y_true if isinstance(y_true, Table) else settings.table(y_true, y_pred, also=labels)
    places = None if labels is None else [table.position(label) for label in listed(labels)]
    shown = range(len(table.labels)) if places is None else places
    names = [str(name) for name in (table.labels[shown] if target_names is None else target_names)]
    if len(names) != len(shown):
        message = f"`target_names` has {len(names)} names for {len(shown)} classes."
        raise HowsureError(message)
    total = true_totals(table)
    support = {name: float(total[place]) for name, place in zip(names, shown, strict=True)}
    support |= {f"{average} avg": sum(float(total[place]) for place in shown) for average in AVERAGES}
    rows = estimated(settings, table, shown, places)
    return ClassificationReport(
        rows=dict(zip(support, rows, strict=True)),
        support=support,
        confidence_level=checked_level(settings.level),
        digits=digits,
    )


def true_totals(table: Table) -> NDArray[Any]:
    """Return how many cases are truly of each class; refuse a table that is not of classes."""
    if not isinstance(table.counted, ClassCounts):
        message = f"A classification report is of labels, not of a {table.noun}. Give true and predicted labels."
        raise HowsureError(message)
    return table.counted.rows


def estimated(
    settings: Settings,
    table: Table,
    shown: Sequence[int],
    averaged: Sequence[int] | None = None,
    averages: Sequence[str] = AVERAGES,
    metrics: Sequence[str] = METRICS,
) -> list[dict[str, Estimate]]:
    """Return the metrics of each class and of each average over classes, one dict per row, all in one pass."""
    specs, labels = [parse(metric) for metric in metrics], table.labels.tolist()
    bound = [one_class(spec, labels[place], table) for place in shown for spec in specs]
    bound += [
        resolve(replace(spec, average=average), table, classes=averaged) for average in averages for spec in specs
    ]
    found = settings.estimates(table, bound)
    return [dict(zip(metrics, found[i : i + len(metrics)], strict=True)) for i in range(0, len(found), len(metrics))]
