"""The classification report: precision, recall and F1 of each class and of the averages, with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any, Literal, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.compat import undefined
from howsure.compat.keywords import Keywords, Settings, listed, with_keywords
from howsure.compat.per_class import Classes, one_class
from howsure.compat.undefined import ZeroDivision
from howsure.errors import HowsureError, boolean, checked_level, looked_up, several
from howsure.estimates.estimate import Estimate
from howsure.grids import Grid, Tabular
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec, parse
from howsure.numbers import interval_text, number, percent
from howsure.tables.counts import ClassCounts
from howsure.tables.table import Table

METRICS = ("precision", "recall", "f1")
THEIRS = ("precision", "recall", "f1-score", "support")  # keys of a row of scikit-learn's dict
AVERAGES = ("micro", "macro", "weighted")
SAMPLES = "samples avg"  # average over the cases of multilabel data
ACCURACY = "accuracy"  # name of the micro average over all classes with one label per case


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ClassificationReport(Tabular, Mapping[str, Mapping[str, Estimate]]):
    """One row per class and average: ``report["malignant"]["f1"]`` is an `Estimate`.

    Parameters
    ----------
    rows : mapping of str to mapping of str to Estimate
        Precision, recall and F1 of each class and average; the row ``"accuracy"`` has the accuracy as all three.
    support : mapping of str to float
        Number of cases of each class; all cases for averages.
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
        return looked_up("row of this report", row, self.rows)

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
            cells = [_cell(row[metric], decimals) for metric in METRICS]
            if name == ACCURACY:
                cells = ["", "", cells[-1]]
            rows.append((name, *cells, f"{self.support[name]:g}"))
        return Grid(
            ("class", *METRICS, "support"), tuple(rows), f"{percent(self.confidence_level)} intervals in brackets"
        )


def _cell(each: Estimate, decimals: int) -> str:
    return f"{number(each.value, decimals)} {interval_text(each.low, each.high, decimals)}"


def _three(each: Estimate) -> tuple[tuple[str, float], ...]:
    return ("", each.value), ("_low", each.low), ("_high", each.high)


PARAMETERS = """
y_true, y_pred : array-like of shape (n,) or (n, L), or str
    True and predicted label of each case, of any type; or indicator arrays of L labels (multilabel); or, with
    ``data``, the names of their columns.
"""
RETURNS = """
ClassificationReport or dict
    A mapping of rows to metrics to estimates, which prints as text and has ``to_dict``, ``to_pandas``,
    ``to_polars``, ``to_arrow``, ``to_markdown``, ``to_html`` and ``to_latex``.
"""


class _Keywords(Keywords, total=False):
    """Keyword arguments that do not decide the type of the result."""

    labels: ArrayLike | None
    target_names: Iterable[str] | None
    digits: int
    zero_division: ZeroDivision


@overload
def classification_report(
    y_true: object, y_pred: object = ..., *, output_dict: Literal[False] = ..., **keywords: Unpack[_Keywords]
) -> ClassificationReport: ...


@overload
def classification_report(
    y_true: object, y_pred: object = ..., *, output_dict: Literal[True], **keywords: Unpack[_Keywords]
) -> dict[str, Any]: ...


@with_keywords(PARAMETERS, RETURNS)
def classification_report(
    y_true: object,
    y_pred: object = None,
    *,
    labels: ArrayLike | None = None,
    target_names: Iterable[str] | None = None,
    digits: int = 3,
    output_dict: bool = False,
    zero_division: ZeroDivision = "warn",
    **keywords: Unpack[Keywords],
) -> ClassificationReport | dict[str, Any]:
    """Report precision, recall and F1 of each class and their averages, each with its interval.

    ``y_true`` may also be a single `Table`, which has no average over the cases of multilabel data. As in scikit-learn,
    the micro average over all classes with one label per case equals the accuracy and is named so.

    Parameters
    ----------
    labels : array-like of shape (K,), optional
        Classes to report, in order; all that occur by default. Cases of other classes still count as errors.
    target_names : iterable of str, optional
        Names to show for them.
    digits : int
        Decimals to show.
    output_dict : bool
        Whether to return scikit-learn's dict, with its keys and an `Estimate` for each number.
    zero_division : {"warn"} or float
        Value of a class on which a metric is undefined: a number, nan (left out of averages), or ``"warn"`` (0, with
        a warning).

    Examples
    --------
    >>> import howsure as hs
    >>> report = hs.classification_report(hs.from_counts([[50, 3], [5, 42]], labels=["benign", "malignant"]))
    >>> print(report["malignant"]["recall"])
    0.894 [0.780, 0.960]
    """
    settings = Settings(**keywords)
    table = y_true if isinstance(y_true, Table) else settings.table(y_true, y_pred, also=labels)
    total = true_totals(table)
    places = None if labels is None else [table.position(label) for label in listed(labels)]
    shown = range(len(table.labels)) if places is None else places
    named = table.labels[shown] if target_names is None else several("target_names", target_names, "names of classes")
    names = [str(name) for name in named]
    if len(names) != len(shown):
        raise HowsureError(f"`target_names` has {len(names)} names for {len(shown)} classes.")
    is_accuracy = table.kind.has_one_label_per_case and len(set(shown)) == len(table.labels)
    averages = AVERAGES[is_accuracy:]
    every = [*names, *(f"{average} avg" for average in averages), ACCURACY if is_accuracy else SAMPLES]
    if repeated := [name for name, number in Counter(every).items() if number > 1]:
        raise HowsureError(f"The report has several rows {repeated[0]!r}. Give each class once, and a name of its own.")
    totals = total.tolist()
    cases = [float(totals[place]) for place in shown]
    support = dict(zip(names, cases, strict=True))
    support |= dict.fromkeys([f"{average} avg" for average in averages], sum(cases))
    whole = (ACCURACY,) if is_accuracy else ()
    found = estimated(settings, table, shown, places, averages, zero_division=zero_division, whole=whole)
    rows = dict(zip(support, found, strict=False))
    if table is not y_true and not table.kind.has_one_label_per_case:
        by_case = Classes("samples", places, 1, zero_division)
        over = (by_case.over_samples(parse(metric), *settings.labels(y_true, y_pred), settings) for metric in METRICS)
        rows[SAMPLES] = dict(zip(METRICS, over, strict=True))
        support[SAMPLES] = support["macro avg"]
    if is_accuracy:
        rows, support = _with_accuracy(found[-1], rows, support)
    report = ClassificationReport(
        rows=rows, support=support, confidence_level=checked_level(settings.level), digits=digits
    )
    return _as_dict(report) if boolean("output_dict", output_dict) else report


def _with_accuracy(
    accuracy: dict[str, Estimate], rows: dict[str, dict[str, Estimate]], support: dict[str, float]
) -> tuple[dict[str, dict[str, Estimate]], dict[str, float]]:
    """Return the rows and their support with the accuracy before the averages."""
    at = len(rows) - 2
    names = [*list(rows)[:at], ACCURACY, *list(rows)[at:]]
    rows = rows | {ACCURACY: accuracy}
    support = support | {ACCURACY: support["macro avg"]}
    return {name: rows[name] for name in names}, {name: support[name] for name in names}


def _as_dict(report: ClassificationReport) -> dict[str, Any]:
    """Return scikit-learn's dict of a report."""
    rows = ((*row.values(), report.support[name]) for name, row in report.rows.items())
    found: dict[str, Any] = dict(zip(report.rows, map(dict, map(zip, repeat(THEIRS), rows)), strict=True))
    return found | {name: found[name]["recall"] for name in found if name == ACCURACY}


def true_totals(table: Table) -> Array:
    """Return the number of cases of each true class; refuse a table that is not of classes."""
    if not isinstance(table.counted, ClassCounts):
        raise HowsureError(
            f"A classification report is of labels, not of a {table.kind.noun}. Give true and predicted labels."
        )
    return table.counted.rows


def estimated(
    settings: Settings,
    table: Table,
    shown: Sequence[int],
    averaged: Sequence[int] | None = None,
    averages: Sequence[str] = AVERAGES,
    *,
    metrics: Sequence[str] = METRICS,
    zero_division: ZeroDivision = np.nan,
    whole: Sequence[str] = (),
) -> list[dict[str, Estimate]]:
    """Return the metrics of each class and of each average over classes, one dict per row, all in one pass.

    The metrics of the whole table follow, each repeated as all metrics of a row.
    """
    plain, size = [parse(metric) for metric in metrics], len(metrics)
    is_each = list(shown) == list(range(len(table.labels)))

    def asked(value: float) -> list[Spec | Metric]:
        specs = plain if np.isnan(value) else [replace(spec, zero_division=value) for spec in plain]
        single: list[Spec | Metric] = [replace(spec, average="none") for spec in specs]
        if not is_each:
            single = [one_class(spec, table.labels[place], table) for spec in specs for place in shown]
        over = [replace(spec, average=average) for average in averages for spec in specs]
        of_some = over if averaged is None else [resolve(spec, table, classes=averaged) for spec in over]
        return [*single, *of_some, *map(parse, whole)]

    found = undefined.estimated(settings, table, zero_division, asked)
    by_class, by_average = size * len(shown), size * (len(shown) + len(averages))
    rows = zip(*(found[place * len(shown) : (place + 1) * len(shown)] for place in range(size)), strict=True)
    over = (found[start : start + size] for start in range(by_class, by_average, size))
    of_all = ([each] * size for each in found[by_average:])
    return [dict(row) for row in map(zip, repeat(metrics), chain(rows, over, of_all))]
