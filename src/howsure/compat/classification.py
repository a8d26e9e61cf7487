"""The classification report: precision, recall and F1 of each class and of the averages, with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from howsure.errors import HowsureError, UnknownKeyError, checked_level
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate
from howsure.grids import Grid, Tabular, columns_of, interval_text, number, percent, to_frame
from howsure.methods.interval import Method
from howsure.metrics.spec import Spec, parse
from howsure.sources.confusion import confusion
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


def classification_report(
    y_true: Any,
    y_pred: Any = None,
    *,
    data: Any = None,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    digits: int = 3,
    method: str | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Any = None,
) -> ClassificationReport:
    """Report precision, recall and F1 of each class and their averages, each with its interval.

    Parameters
    ----------
    y_true, y_pred
        True and predicted labels; or a `Table` alone.
    data
        Frame or file that holds the columns.
    labels
        The classes, in order.
    target_names
        Names to show for them.
    sample_weight, groups
        As for `confusion`.
    digits
        Decimals to show.
    method, confidence_level, random_state
        As for `estimate`.

    Returns
    -------
    ClassificationReport
        Prints as text; has ``to_dict``, ``to_pandas``, ``to_polars``, ``to_arrow``, ``to_markdown``, ``to_html``,
        ``to_latex``.

    Examples
    --------
    >>> import howsure as hs
    >>> report = hs.classification_report(hs.from_counts([[50, 3], [5, 42]], labels=["benign", "malignant"]))
    >>> print(report["malignant"]["recall"])
    0.894 [0.774, 0.954]
    """
    table = y_true
    if not isinstance(y_true, Table):
        table = confusion(y_true, y_pred, data=data, labels=labels, sample_weight=sample_weight, groups=groups)
    names = [str(label) for label in (table.labels if target_names is None else target_names)]
    if len(names) != len(table.labels):
        message = f"`target_names` has {len(names)} names for {len(table.labels)} classes."
        raise HowsureError(message)
    settings = {"method": method, "confidence_level": checked_level(confidence_level), "random_state": random_state}
    rows = {
        name: {metric: estimate(table, _one_class(metric, label), **settings) for metric in METRICS}
        for name, label in zip(names, table.labels, strict=True)
    }
    rows |= {
        f"{average} avg": {metric: estimate(table, f"{metric}@{average}", **settings) for metric in METRICS}
        for average in AVERAGES
    }
    support = dict(zip(names, (float(each) for each in table.counted.rows), strict=True))
    support |= {f"{average} avg": sum(support[name] for name in names) for average in AVERAGES}
    return ClassificationReport(
        rows=rows, support=support, confidence_level=settings["confidence_level"], digits=digits
    )


def _one_class(metric: str, label: Any) -> Spec:
    from dataclasses import replace

    return replace(parse(metric), average="binary", positive_class=str(label))


def classification_report_with_ci(
    y_true: Any,
    y_pred: Any,
    *,
    round_ndigits: int = 3,
    numerical_to_label_map: Mapping[Any, str] | None = None,
    confidence_level: float = 0.95,
    binary_method: str | Method | None = None,
) -> Any:
    """Return the report as the pandas frame that the package ``confidenceinterval`` gives, with right intervals.

    Parameters
    ----------
    y_true, y_pred
        True and predicted labels.
    round_ndigits
        Decimals to round to.
    numerical_to_label_map
        Names to show for the labels.
    confidence_level
        Coverage of the intervals.
    binary_method
        Method for the classes' precision and recall.
    """
    table = confusion(y_true, y_pred)
    titles = {"precision": "Precision", "recall": "Recall", "f1": "F1-Score"}
    records = []
    for label in table.labels.tolist():
        name = f"Class {label}" if numerical_to_label_map is None else numerical_to_label_map[label]
        methods = {"precision": binary_method, "recall": binary_method, "f1": None}
        row = {
            m: estimate(table, _one_class(m, label), method=methods[m], confidence_level=confidence_level)
            for m in METRICS
        }
        support = table.counted.rows[table.position(label)]
        records.append((name, row, support))
    for average in AVERAGES[:2]:
        row = {m: estimate(table, f"{m}@{average}", confidence_level=confidence_level) for m in METRICS}
        records.append((average, row, table.counts.sum()))
    rows = [
        {"Class": name}
        | {titles[m]: round(row[m].value, round_ndigits) for m in METRICS}
        | {f"{titles[m]} CI": (round(row[m].low, round_ndigits), round(row[m].high, round_ndigits)) for m in METRICS}
        | {"Support": int(support)}
        for name, row, support in records
    ]
    return to_frame(columns_of(rows), "pandas")
