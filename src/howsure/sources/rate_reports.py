"""The matrix of two classes from scikit-learn's report: precision, recall, F1 and number of cases of each class."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, warn
from howsure.sources.rounded import MOST_TABLES, Rounded

FIGURES = ("precision", "recall", "support")
LINE = re.compile(r"\s*(?P<label>\S.*?)\s+(?P<precision>[\d.]+)\s+(?P<recall>[\d.]+)\s+[\d.]+\s+(?P<support>\d+)\s*")
AVERAGES = frozenset({"accuracy", "micro avg", "macro avg", "weighted avg", "samples avg", "avg / total"})
TWO = 2

Figures = dict[str, str]


def report_of(found: object) -> dict[str, Figures]:
    """Return the figures of each class in a report of scikit-learn: its text, a mapping, a frame, CSV or JSON.

    Examples
    --------
    >>> report_of({"no": {"precision": 0.91, "recall": 0.94, "f1-score": 0.93, "support": 53.0}, "accuracy": 0.92})
    {'no': {'precision': '0.91', 'recall': '0.94', 'support': '53.0'}}
    """
    if isinstance(found, str):
        return _of_text(found)
    if hasattr(found, "columns") and hasattr(found, "index") and hasattr(found, "T"):
        frame: Any = found if {*FIGURES} <= {*map(str, found.columns)} else found.T
        if not {*FIGURES} <= {*map(str, frame.columns)}:
            return {}
        found = {
            label: dict(zip(frame.columns, row, strict=True))
            for label, row in zip(frame.index, frame.to_numpy(), strict=True)
        }
    if not isinstance(found, Mapping):
        return {}
    return {
        str(label): {name: str(each[name]) for name in FIGURES}
        for label, each in found.items()
        if isinstance(each, Mapping) and {*FIGURES} <= {*each} and str(label) not in AVERAGES
    }


def matrix_of_report(report: Mapping[str, Figures]) -> Array:
    """Return the matrix of the two classes of a report: the whole numbers that give its recalls and precisions.

    Parameters
    ----------
    report : mapping of str to dict
        The figures of each class; see `report_of`.

    Raises
    ------
    HowsureError
        If there are not two classes, or if no whole numbers give the figures.

    Warns
    -----
    HowsureWarning
        That the numbers were computed, and how many others give the same rounded figures.

    Examples
    --------
    >>> import warnings
    >>> figures = [("no", "0.91", "0.94", "53"), ("yes", "0.93", "0.89", "47")]
    >>> report = {name: dict(zip(("precision", "recall", "support"), rest)) for name, *rest in figures}
    >>> with warnings.catch_warnings(action="ignore"):
    ...     matrix_of_report(report).tolist()
    [[50.0, 3.0], [5.0, 42.0]]
    """
    if len(report) != TWO:
        raise HowsureError(
            f"A report of precision and recall of {len(report)} classes does not state the cells of their matrix. Give "
            "the numbers of cases by true and predicted class."
        )
    first, second = report.values()
    sizes = [round(float(each["support"])) for each in (first, second)]
    recall = _rounded([first["recall"], second["recall"]], "recall")
    precision = _rounded([first["precision"], second["precision"]], "precision")
    ranges = [each.ends(size) for each, size in zip(recall, sizes, strict=True)]
    if np.prod([high - low + 1.0 for low, high in ranges]) > MOST_TABLES:
        raise HowsureError(
            "The report is of so many cases that too many matrices give it. Give the counts, or more decimals."
        )
    negative, positive = (np.arange(low, high + 1) for low, high in ranges)
    tn, tp = np.meshgrid(negative, positive, indexing="ij")
    said = (tn + sizes[1] - tp, tp + sizes[0] - tn)
    with np.errstate(all="ignore"):
        off = [
            np.abs(np.nan_to_num(hits / all_) - each.value)
            for hits, all_, each in zip((tn, tp), said, precision, strict=True)
        ]
    fits = np.logical_and.reduce([each <= one.reach for each, one in zip(off, precision, strict=True)])
    if not fits.any():
        raise HowsureError(
            f"No whole numbers of {sizes[0]} and {sizes[1]} cases give the report's precision and recall. Check them."
        )
    shares = [np.abs(hits / size - each.value) for hits, size, each in zip((tn, tp), sizes, recall, strict=True)]
    row, column = np.unravel_index(int(np.argmin(np.where(fits, sum([*off, *shares]), np.inf))), fits.shape)
    passes, hits = int(tn[row, column]), int(tp[row, column])
    others = (
        f"; {int(fits.sum())} matrices give the rounded figures, and the nearest is taken" if fits.sum() > 1 else ""
    )
    warn(f"The numbers of cases were computed from the report's recall, precision and support{others}.")
    return np.array([[passes, sizes[0] - passes], [sizes[1] - hits, hits]], dtype=float)


def _rounded(figures: list[str], name: str) -> list[Rounded]:
    """Return the figures with the decimals of the longest of them, because numbers lose zeros at their ends."""
    try:
        most = max(-int(Decimal(each).as_tuple().exponent) for each in figures)
        return [Rounded.of(name, f"{Decimal(each):.{max(most, TWO)}f}") for each in figures]
    except InvalidOperation:
        raise HowsureError(f"The {name} of a class in the report is no number: {', '.join(figures)}.") from None


def _of_text(text: str) -> dict[str, Figures]:
    if text.lstrip().startswith("{"):
        try:
            return report_of(json.loads(text))
        except (json.JSONDecodeError, RecursionError):
            return {}
    lines = [line for line in text.splitlines() if line.strip()]
    header = next(
        (place for place, line in enumerate(lines) if "," in line and all(name in line for name in FIGURES)), None
    )
    if header is not None:
        names, *rows = csv.reader(lines[header:], skipinitialspace=True)
        whole = [row for row in rows if len(row) == len(names) and row[0] not in AVERAGES]
        return (
            {row[0]: {name: row[names.index(name)] for name in FIGURES} for row in whole}
            if {*FIGURES} <= {*names}
            else {}
        )
    found = [each for line in lines if (each := LINE.fullmatch(line))]
    return {each["label"]: {name: each[name] for name in FIGURES} for each in found if each["label"] not in AVERAGES}
