"""Curves of scores with bands: ROC, DET, precision–recall, calibration.

A pointwise band covers each point of the true curve with the given confidence; a simultaneous band covers the whole
curve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from howsure.arrays import Array
from howsure.curves.along import limits_along, roc_limits
from howsure.curves.axes import axes_of, is_along_thresholds
from howsure.curves.bands import (
    from_top,
    limits_of_band,
    precision_simultaneous,
    roc_simultaneous,
)
from howsure.curves.by_class import apply_by_class
from howsure.curves.from_cases import takes_cases
from howsure.curves.signatures import Band, OfScores
from howsure.designs.cell_sums import confusion_from_top
from howsure.errors import HowsureError, checked_level, looked_up, one_of
from howsure.estimates.grouped import apply_by_group
from howsure.grids import Grid, Tabular, grid_of
from howsure.metrics.forms import divide
from howsure.sources.scores import scores
from howsure.tables.scores import ScoresTable
from howsure.tables.table import require_table

BANDS = ("pointwise", "simultaneous", "none")
NO_CASES: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Curve(Tabular):
    """Points of a curve with a band.

    ``curve["fpr"]`` is a column, and ``"fpr" in curve`` checks whether it exists. Unpacking gives the arrays that the
    scikit-learn function of the same name returns: ``fpr, tpr, thresholds = hs.roc_curve(y_true, y_score)``.

    Parameters
    ----------
    name : str
        ``"roc"``, ``"det"``, ``"precision_recall"``, ``"calibration"``, or a metric as a function of the threshold.
    columns : mapping of str to ndarray of shape (n_points,)
        Columns by name; the first two are x and y.
    unpacked : tuple of ndarray of shape (n_points,)
        Arrays returned by unpacking.
    confidence_level : float
        Confidence level of the band.
    band : {"pointwise", "simultaneous", "none"}
        Kind of the band.
    positive : str
        Name of the positive class, which becomes a column of the records; empty for classes 0 and 1.
    reason : str
        Why no limit is defined, which becomes a column of the records too; empty if limits are defined.

    Examples
    --------
    >>> import howsure as hs
    >>> curve = hs.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, tpr, thresholds = curve
    >>> tpr.tolist(), "low" in curve, list(curve.columns)
    ([0.0, 0.5, 0.5, 1.0, 1.0], True, ['fpr', 'tpr', 'threshold', 'low', 'high'])
    >>> curve.x_name, curve.y_name
    ('false positive rate', 'true positive rate')
    """

    name: str
    columns: Mapping[str, Array]
    unpacked: tuple[Array, ...]
    confidence_level: float = 0.95
    band: Band = "pointwise"
    positive: str = ""
    reason: str = ""

    def __getitem__(self, column: str) -> Array:
        return looked_up("column of this curve", column, self.columns)

    def __contains__(self, column: object) -> bool:
        return column in self.columns

    def __iter__(self) -> Iterator[Array]:
        return iter(self.unpacked)

    @property
    def x(self) -> Array:
        """The first column: x values."""
        return next(iter(self.columns.values()))

    @property
    def y(self) -> Array:
        """The second column: y values."""
        return list(self.columns.values())[1]

    @property
    def x_name(self) -> str:
        """Name of the x axis."""
        return axes_of(self.name)[0]

    @property
    def y_name(self) -> str:
        """Name of the y axis."""
        return axes_of(self.name)[1]

    @property
    def is_along_thresholds(self) -> bool:
        """Whether the curve is a metric against the threshold, a step function between the scores."""
        return is_along_thresholds(self.name)

    @property
    def low(self) -> Array:
        """Lower limits of y."""
        return self["low"]

    @property
    def high(self) -> Array:
        """Upper limits of y."""
        return self["high"]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per point."""
        lists = self.to_dict()
        return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists."""
        return {name: column.tolist() for name, column in self._columns().items()}

    def grid(self) -> Grid:
        """Return a table of strings with one row per point."""
        shown = [{name: value for name, value in each.items() if name != "positive"} for each in self.records()]
        notes = [self.reason, f"positive class: {self.positive}" if self.positive else ""]
        return replace(grid_of(shown, level=self.confidence_level), caption="; ".join(filter(None, notes)))

    def _columns(self) -> Mapping[str, Array]:
        said = {"positive": self.positive, "reason": self.reason}
        named = {name: np.full(len(self.x), text, dtype=object) for name, text in said.items() if text}
        return {**self.columns, **named}


def _of_scores(function: Callable[..., Any]) -> OfScores[Curve]:
    """Return the function, with the type of its result by its input."""
    return cast("OfScores[Curve]", function)


def score_table(table: Any, y_score: Any = None, cases: Mapping[str, Any] = NO_CASES) -> ScoresTable:
    """Return a table of scores unchanged, or the table made from true classes and scores.

    Parameters
    ----------
    table : ScoresTable, or array-like of shape (n,) or str
        A table made by `scores`, or the true classes.
    y_score : array-like of shape (n,) or str, optional
        The scores, if ``table`` contains true classes.
    cases : mapping
        Further arguments of `scores`, for true classes and scores.

    Raises
    ------
    HowsureError
        If the argument is not a table of scores, or ``cases`` are given with a table.
    """
    if y_score is None and cases:
        first = next(iter(cases))
        rest = (
            "give it to `scores`"
            if hasattr(table, "data_kinds")
            else f"give `y_score` with it, as in `scores(…, {first}=…)`"
        )
        raise HowsureError(f"`{first}` belongs to the cases of the table: {rest}.")
    if isinstance(y_score, Mapping) or (y_score is None and hasattr(table, "models")):
        one = "such as `table.model('A')`" if y_score is None else "such as `y_score['A']`"
        raise HowsureError(f"This takes the scores of one model, {one}. Call it for each of several.")
    made = table if y_score is None else scores(table, y_score, **cases)
    needed = (
        "A curve needs a table of scores: `scores(y_true, y_score)`, or `table.against_rest(label)` for one of many "
        "classes."
    )
    return require_table(ScoresTable, made, needed)


def checked_band(band: str) -> None:
    """Refuse an unknown band."""
    one_of("band", band, BANDS)


@_of_scores
@takes_cases(scores)
@apply_by_group
@apply_by_class
def roc_curve(
    table: object,
    /,
    y_score: object = None,
    *,
    band: Band = "pointwise",
    confidence_level: float = 0.95,
    **cases: object,
) -> Curve:
    """Return the ROC curve with a band around the true positive rate at each false positive rate.

    Parameters
    ----------
    table : ScoresTable, ScoreMatrixTable or Tables, or array-like of shape (n,) or str
        A table made by `scores`, also by group; or the true classes. For scores of many classes, made by
        `multiclass_scores`, the result is a `Results` with the curve of each class against the rest.
    y_score : array-like of shape (n,) or str, optional
        The scores, if ``table`` contains true classes.
    band : {"pointwise", "simultaneous", "none"}
        Kind of the band: it covers at each point, or the whole curve.
    confidence_level : float
        Confidence level of the band, between 0 and 1.
    **cases
        Further arguments of `scores`, for true classes and scores: ``pos_label``, ``sample_weight``, ``groups``,
        ``data``, and ``by`` for the curves of groups.

    Returns
    -------
    Curve
        Curve with columns ``fpr``, ``tpr``, ``threshold`` (descending, infinity first), ``low``, ``high``. For
        `Tables`, a `Grouped` of curves.

    Raises
    ------
    HowsureError
        If the table does not contain scores, or the band or the level is invalid. If a simultaneous band is requested
        for scores without labels.

    Notes
    -----
    Pointwise limits are those of ``estimate(table, "recall_at+fpr=x")`` at each false positive rate x, whose threshold
    is estimated; for predictions without labels, those of ``method="threshold_limits"``, without draws.

    Simultaneous bands are those of Campbell (1994). With confidence ``sqrt(level)`` each, the true and the false
    positive rates of all thresholds are within the Dvoretzky–Kiefer–Wolfowitz–Massart distance of the observed ones.
    These distances define a rectangle around each point, and the band contains every curve through all rectangles. It
    covers for any continuous scores and any sample size. For weights or clusters, the class sizes are the Kish
    effective sample sizes.

    References
    ----------
    Woodruff (1952), Journal of the American Statistical Association 47; Campbell (1994), Statistics in Medicine 13;
    Massart (1990), Annals of Probability 18.

    Examples
    --------
    >>> import howsure as hs
    >>> curve = roc_curve(hs.scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> curve["fpr"].tolist(), curve["tpr"].tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    table, level = score_table(table, y_score, cases), checked_level(confidence_level)
    checked_band(band)
    thresholds, negatives, positives = from_top(table)
    false, true = divide(negatives, negatives[-1]), divide(positives, positives[-1])
    columns = {"fpr": false, "tpr": true, "threshold": thresholds}
    limits, reason = limits_of_band(
        table,
        band,
        len(false),
        {
            "pointwise": lambda: roc_limits(table, false, true, level),
            "simultaneous": lambda: roc_simultaneous(table, false, true, level),
        },
    )
    columns |= limits
    facts: dict[str, Any] = {"confidence_level": level, "band": band, "positive": table.positive, "reason": reason}
    return Curve(name="roc", columns=columns, unpacked=(false, true, thresholds), **facts)


@_of_scores
@takes_cases(scores)
@apply_by_group
@apply_by_class
def det_curve(
    table: object,
    /,
    y_score: object = None,
    *,
    band: Band = "pointwise",
    confidence_level: float = 0.95,
    **cases: object,
) -> Curve:
    """Return the false negative rate against the false positive rate, with a band (detection error tradeoff).

    Parameters
    ----------
    table : ScoresTable, ScoreMatrixTable or Tables, or array-like of shape (n,) or str
        A table made by `scores`, also by group; or the true classes. For scores of many classes, made by
        `multiclass_scores`, the result is a `Results` with the curve of each class against the rest.
    y_score : array-like of shape (n,) or str, optional
        The scores, if ``table`` contains true classes.
    band : {"pointwise", "simultaneous", "none"}
        Kind of the band: it covers at each point, or the whole curve.
    confidence_level : float
        Confidence level of the band, between 0 and 1.
    **cases
        Further arguments of `scores`, for true classes and scores: ``pos_label``, ``sample_weight``, ``groups``,
        ``data``, and ``by`` for the curves of groups.

    Returns
    -------
    Curve
        Curve with columns ``fpr``, ``fnr``, ``threshold`` (descending, infinity first), ``low``, ``high``: the ROC
        curve and its band upside down, usually drawn on normal-deviate axes. For `Tables`, a `Grouped` of curves.

    Raises
    ------
    HowsureError
        For the same reasons as `roc_curve`.

    References
    ----------
    Martin, Doddington, Kamm, Ordowski, Przybocki (1997), Eurospeech.

    Examples
    --------
    >>> curve = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve["fpr"].tolist(), curve["fnr"].tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [1.0, 0.5, 0.5, 0.0, 0.0])
    """
    settings: dict[str, Any] = {"band": band, "confidence_level": confidence_level, **cases}
    roc: Curve = roc_curve(table, y_score, **settings)
    columns = {"fpr": roc["fpr"], "fnr": 1 - roc["tpr"], "threshold": roc["threshold"]}
    if band != "none":
        columns["low"], columns["high"] = 1 - roc.high, 1 - roc.low
    ascending = tuple(columns[name][::-1] for name in ("fpr", "fnr", "threshold"))
    return replace(roc, name="det", columns=columns, unpacked=ascending)


@_of_scores
@takes_cases(scores)
@apply_by_group
@apply_by_class
def precision_recall_curve(
    table: object,
    /,
    y_score: object = None,
    *,
    band: Band = "pointwise",
    confidence_level: float = 0.95,
    **cases: object,
) -> Curve:
    """Return the precision–recall curve with a band around the precision at each threshold.

    Parameters
    ----------
    table : ScoresTable, ScoreMatrixTable or Tables, or array-like of shape (n,) or str
        A table made by `scores`, also by group; or the true classes. For scores of many classes, made by
        `multiclass_scores`, the result is a `Results` with the curve of each class against the rest.
    y_score : array-like of shape (n,) or str, optional
        The scores, if ``table`` contains true classes.
    band : {"pointwise", "simultaneous", "none"}
        Kind of the band: it covers at each point, or the whole curve.
    confidence_level : float
        Confidence level of the band, between 0 and 1.
    **cases
        Further arguments of `scores`, for true classes and scores: ``pos_label``, ``sample_weight``, ``groups``,
        ``data``, and ``by`` for the curves of groups.

    Returns
    -------
    Curve
        Curve with columns ``recall``, ``precision``, ``threshold`` (descending), ``low``, ``high``. The first point,
        above all scores, has precision 1 as in scikit-learn. For `Tables`, a `Grouped` of curves.

    Raises
    ------
    HowsureError
        If the table does not contain scores, or the band or the level is invalid. If a simultaneous band is requested
        for scores without labels.

    Notes
    -----
    Pointwise limits are those of ``estimate(table, "precision", threshold=...)`` at the threshold of each point. The
    metric ``precision_at+recall=...`` is different: the precision at a stated recall, whose threshold is estimated. If
    no case is predicted positive, the precision is undefined and the pointwise limits are nan.

    Simultaneous bands use the rectangles of `roc_curve`, which bound the false positive rate (fpr) at each recall, and
    an interval for the prevalence. Each of the three has the third root of the level; with fixed class totals the
    prevalence is known, and two have the square root. Together they bound the precision
    ``prevalence * recall / (prevalence * recall + (1 - prevalence) * fpr)``. The band covers for any continuous scores
    and any sample size. If recall plus the distance of the positive cases reaches 1, the threshold may be below all
    scores, where the false positive rate is 1. The lower limit then drops to the precision of predicting every case
    positive, and increases with the recall from there.

    References
    ----------
    Boyd, Eng, Page (2013), ECML PKDD; Campbell (1994), Statistics in Medicine 13.

    Examples
    --------
    >>> import howsure as hs
    >>> curve = precision_recall_curve(hs.scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> curve["recall"].tolist(), curve["precision"].round(3).tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.667, 0.5])
    """
    table, level = score_table(table, y_score, cases), checked_level(confidence_level)
    checked_band(band)
    thresholds, negatives, positives = from_top(table)
    recall = divide(positives, positives[-1])
    precision = divide(positives, negatives + positives)
    precision[np.isnan(precision)] = 1.0  # no case is predicted positive
    columns = {"recall": recall, "precision": precision, "threshold": thresholds}
    limits, reason = limits_of_band(
        table,
        band,
        len(precision),
        {
            "pointwise": lambda: limits_along(
                ["precision"], table, confusion_from_top(table.counts), [precision], level
            )[0],
            "simultaneous": lambda: precision_simultaneous(table, negatives, positives, level),
        },
    )
    columns |= limits
    ascending = (precision[::-1], recall[::-1], thresholds[:0:-1])  # the point above all scores has no threshold there
    facts: dict[str, Any] = {"confidence_level": level, "band": band, "positive": table.positive, "reason": reason}
    return Curve(name="precision_recall", columns=columns, unpacked=ascending, **facts)
