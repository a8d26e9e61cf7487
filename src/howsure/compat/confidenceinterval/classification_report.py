"""The report of the package ``confidenceinterval``, with the same call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from howsure.compat.classification import AVERAGES, METRICS, estimated, true_totals
from howsure.compat.keywords import Settings
from howsure.errors import HowsureError, whole_number
from howsure.estimates.estimate import Estimate
from howsure.grids import columns_of, to_frame
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName

if TYPE_CHECKING:
    from pandas import DataFrame

TITLES = {"precision": "Precision", "recall": "Recall", "f1": "F1-Score"}


def classification_report_with_ci(
    y_true: object,
    y_pred: object,
    binary_method: MethodName | Method = "wilson",
    round_ndigits: int = 3,
    numerical_to_label_map: Mapping[Any, str] | None = None,
    confidence_level: float = 0.95,
) -> DataFrame:
    """Return the report as the pandas frame of the package ``confidenceinterval``, with right intervals.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels.
    binary_method : str or Method
        Method for the classes' precision and recall.
    round_ndigits : int
        Decimals to round to.
    numerical_to_label_map : mapping of label to str, optional
        Names to show for the labels.
    confidence_level : float
        Confidence level of the intervals, between 0 and 1.

    Returns
    -------
    pandas.DataFrame
        One row per class and for the averages micro and macro: value and interval of precision, recall and F1, and
        the support.

    Raises
    ------
    HowsureError
        If the labels, the level or the method are not valid, or a label has no name.

    Examples
    --------
    >>> import howsure as hs
    >>> frame = hs.compat.classification_report_with_ci([0, 1, 1, 0, 1], [0, 1, 0, 0, 1], round_ndigits=2)
    >>> frame["Recall CI"].tolist()[:2]
    [(0.34, 1.0), (0.21, 0.94)]
    """
    digits = whole_number("round_ndigits", round_ndigits, least=0)
    settings = Settings(confidence_level=confidence_level)
    table = settings.table(y_true, y_pred)
    names = [*(_name(label, numerical_to_label_map) for label in table.labels.tolist()), *AVERAGES[:2]]
    rows = estimated(settings, table, range(len(table.labels)), averages=AVERAGES[:2])
    own = Settings(confidence_level=confidence_level, method=binary_method)
    chosen = estimated(own, table, range(len(table.labels)), averages=(), metrics=METRICS[:2])
    rows = [row | other for row, other in zip(rows, [*chosen, {}, {}], strict=True)]
    support = [*true_totals(table), table.counts.sum(), table.counts.sum()]
    records = [_record(*each, digits) for each in zip(names, rows, support, strict=True)]
    return to_frame(columns_of(records), "pandas")


def _name(label: object, names: Mapping[Any, str] | None) -> str:
    if names is None:
        return f"Class {label}"
    if not isinstance(names, Mapping):
        raise HowsureError(f"`numerical_to_label_map` is a mapping of labels to names, not {type(names).__name__}.")
    if label not in names:
        raise HowsureError.unknown("label in `numerical_to_label_map`", str(label), names)
    return names[label]


def _record(name: str, row: Mapping[str, Estimate], support: float, digits: int) -> dict[str, Any]:
    return (
        {"Class": name}
        | {TITLES[metric]: round(row[metric].value, digits) for metric in METRICS}
        | {
            f"{TITLES[metric]} CI": (round(row[metric].low, digits), round(row[metric].high, digits))
            for metric in METRICS
        }
        | {"Support": int(support)}
    )
