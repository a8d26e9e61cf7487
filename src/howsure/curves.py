"""Curves of scores, with bands: ROC, precision–recall, calibration.

A pointwise band holds at each point with the given confidence; a simultaneous band holds along the whole curve.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from howsure.designs import FixedMargins
from howsure.errors import HowsureError
from howsure.estimation import checked_level
from howsure.expected.designs import Expected
from howsure.methods.binomial import clopper_pearson, wilson
from howsure.methods.delong import class_sizes
from howsure.methods.interval import effective_counts, normal_quantile, quantile
from howsure.metric import Proportion, divide
from howsure.metrics.operating import roc_slope
from howsure.metrics.probability import bin_starts, bin_sums, probabilities
from howsure.sources.scores import scores
from howsure.table import Table

Array = NDArray[Any]
Band = Literal["pointwise", "simultaneous", "none"]
BANDS = ("pointwise", "simultaneous", "none")


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Points of a curve with the band around them.

    ``curve["fpr"]`` is a column; `x` and `y` are the two that are drawn; `low` and `high` are the band's limits of y
    at each x.

    Parameters
    ----------
    name
        ``"roc"``, ``"det"``, ``"precision_recall"``, ``"calibration"``, or the metric along thresholds.
    columns
        Name → array, the first two are x and y.
    confidence_level, band
        Level and kind of the band.
    """

    name: str
    columns: Mapping[str, Array]
    confidence_level: float = 0.95
    band: Band = "pointwise"
    notes: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def __getitem__(self, column: str) -> Array:
        if column not in self.columns:
            raise HowsureError.unknown("column of this curve", column, self.columns)
        return self.columns[column]

    def __len__(self) -> int:
        return len(self.x)

    @property
    def x(self) -> Array:
        """The first column."""
        return next(iter(self.columns.values()))

    @property
    def y(self) -> Array:
        """The second column."""
        return list(self.columns.values())[1]

    @property
    def low(self) -> Array:
        """Lower limits of y."""
        return self["low"]

    @property
    def high(self) -> Array:
        """Upper limits of y."""
        return self["high"]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists."""
        return {name: column.tolist() for name, column in self.columns.items()}

    def to_pandas(self) -> Any:
        """Return a pandas frame, one row a point."""
        return self._frame("pandas")

    def to_polars(self) -> Any:
        """Return a Polars frame, one row a point."""
        return self._frame("polars")

    def _frame(self, backend: Literal["pandas", "polars"]) -> Any:
        import importlib

        import narwhals as nw

        try:
            importlib.import_module(backend)
        except ImportError:
            message = f"`to_{backend}` needs the package '{backend}'. Install it, or use `to_dict`."
            raise HowsureError(message) from None
        return nw.from_dict(dict(self.columns), backend=backend).to_native()


def scored(table: Any, y_score: Any, cases: Mapping[str, Any]) -> Table:
    """Return the table that is given, or that of the true classes and scores that are."""
    if y_score is not None:
        made: Table = scores(table, y_score, **cases)
        return made
    if not isinstance(table, Table):
        message = "Give a table from `scores`, or the true classes and the scores: `(y_true, y_score)`."
        raise HowsureError(message)
    if cases:
        message = f"`{next(iter(cases))}` belongs to the cases of the table: give it to `scores`."
        raise HowsureError(message)
    return table


def checked_scores(table: Table, band: str, confidence_level: float) -> float:
    """Return the level; refuse tables that are not of scores, and unknown bands."""
    if table.kind != "scores":
        message = "A curve needs a table of scores: make one with `scores(y_true, y_score)`."
        raise HowsureError(message)
    if band not in BANDS:
        raise HowsureError.unknown("band", str(band), BANDS)
    return checked_level(confidence_level)


def from_top(table: Table) -> tuple[Array, Array, Array]:
    """Return thresholds from the top (infinity first) and the negative and positive cases at or above each."""
    above = np.zeros((len(table.counts) + 1, 2))
    np.cumsum(table.counts[::-1], 0, out=above[1:])
    return np.concatenate([[np.inf], table.support[0][::-1]]), above[:, 0], above[:, 1]


def wilson_limits(table: Table, share: Array, trials: Array, level: float) -> tuple[Array, Array]:
    """Return Wilson's limits of shares of so many effective trials; everything where there is none."""
    # A design with few degrees of freedom has a heavier tail: fewer trials have it too.
    worth = np.where(np.isfinite(share), trials, 0.0) * (normal_quantile(level) / quantile(level, table.design)) ** 2
    low, high = wilson(np.where(worth > 0, share, 0.0) * worth, worth, level)
    return np.where(worth > 0, low, 0.0), np.where(worth > 0, high, 1.0)


def roc_curve(
    table: Any, y_score: Any = None, *, band: Band = "pointwise", confidence_level: float = 0.95, **cases: Any
) -> Curve:
    """Return the ROC curve with a band around the true positive rate at each false positive rate.

    Parameters
    ----------
    table, y_score
        A table from `scores`; or the true classes and the scores themselves.
    band
        ``"pointwise"``, ``"simultaneous"`` or ``"none"``.
    confidence_level
        Coverage of the band.
    **cases
        With true classes and scores, what `scores` takes: ``pos_label``, ``sample_weight``, ``groups``, ``data``.

    Returns
    -------
    Curve
        Columns ``fpr``, ``tpr``, ``threshold`` (from the top, infinity first), ``low``, ``high``.

    Notes
    -----
    Pointwise: the variance at a false positive rate x is ``tpr(1-tpr)/n_pos + slope² x(1-x)/n_neg``, put into
    Wilson's interval as an effective number of cases. Simultaneous: the true and the false positive rate of every
    threshold lie within the Dvoretzky–Kiefer–Wolfowitz–Massart distance of the observed ones, each with confidence
    ``sqrt(level)``; the band is what these rectangles leave for the curve (Campbell 1994). It holds for any
    continuous scores and any sample size. With weights or clusters the class sizes are Kish's effective ones.

    References
    ----------
    Bahadur (1966); Hsieh, Turnbull (1996), Annals of Statistics 24; Campbell (1994), Statistics in Medicine 13;
    Massart (1990), Annals of Probability 18.

    Examples
    --------
    >>> import howsure as hs
    >>> curve = roc_curve(hs.scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> curve["fpr"].tolist(), curve["tpr"].tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    table = scored(table, y_score, cases)
    level = checked_scores(table, band, confidence_level)
    thresholds, negatives, positives = from_top(table)
    false, true = divide(negatives, negatives[-1]), divide(positives, positives[-1])
    columns = {"fpr": false, "tpr": true, "threshold": thresholds}
    if band == "pointwise":
        columns["low"], columns["high"] = _roc_pointwise(table, false, true, level)
    elif band == "simultaneous":
        around_false, around_true = _distances(table, level, parts=2)
        columns["low"] = np.maximum(_least(true, false, false - around_false) - around_true, 0.0)
        columns["high"] = np.minimum(_most(true, false, false + around_false) + around_true, 1.0)
    return Curve("roc", columns, level, band)


def det_curve(
    table: Any, y_score: Any = None, *, band: Band = "pointwise", confidence_level: float = 0.95, **cases: Any
) -> Curve:
    """Return the false negative rate against the false positive rate, with a band (detection error tradeoff).

    Parameters
    ----------
    table, y_score
        A table from `scores`; or the true classes and the scores themselves.
    band
        ``"pointwise"``, ``"simultaneous"`` or ``"none"``.
    confidence_level
        Coverage of the band.
    **cases
        With true classes and scores, what `scores` takes: ``pos_label``, ``sample_weight``, ``groups``, ``data``.

    Returns
    -------
    Curve
        Columns ``fpr``, ``fnr``, ``threshold`` (from the top, infinity first), ``low``, ``high``: the ROC curve and its
        band upside down, usually drawn on normal-deviate axes.

    References
    ----------
    Martin, Doddington, Kamm, Ordowski, Przybocki (1997), Eurospeech.

    Examples
    --------
    >>> curve = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve["fpr"].tolist(), curve["fnr"].tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [1.0, 0.5, 0.5, 0.0, 0.0])
    """
    roc = roc_curve(table, y_score, band=band, confidence_level=confidence_level, **cases)
    columns = {"fpr": roc["fpr"], "fnr": 1 - roc["tpr"], "threshold": roc["threshold"]}
    if band != "none":
        columns["low"], columns["high"] = 1 - roc.high, 1 - roc.low
    return Curve("det", columns, roc.confidence_level, band)


def _distances(table: Table, level: float, parts: int) -> tuple[float, float]:
    """Return how far, at most, the observed rates of the two classes are off, each at its share of the level."""
    if isinstance(table.design, Expected):
        message = "Simultaneous bands need labelled cases; of scores without labels ask for `band='pointwise'`."
        raise HowsureError(message)
    each = 1 - level ** (1 / parts)
    negative, positive = (np.sqrt(np.log(2 / each) / (2 * max(size, 1e-9))) for size in class_sizes(table))
    return min(float(negative), 1.0), min(float(positive), 1.0)


def _least(y: Array, x: Array, limit: Array) -> Array:
    """Return the smallest y of the points with ``x >= limit``; both ascend. 0 where there are none before."""
    index = np.searchsorted(x, limit - 1e-12)
    return np.where(limit <= 0, 0.0, y[np.minimum(index, len(y) - 1)])


def _most(y: Array, x: Array, limit: Array) -> Array:
    """Return the largest y of the points with ``x <= limit``; both ascend."""
    return np.asarray(y[np.maximum(np.searchsorted(x, limit + 1e-12, side="right") - 1, 0)])


def _slopes_from_top(table: Table) -> Array:
    slopes = roc_slope(table.counts)[::-1]
    return np.concatenate([slopes[:1], slopes])


def _roc_pointwise(table: Table, false: Array, true: Array, level: float) -> tuple[Array, Array]:
    others, number = class_sizes(table)
    if isinstance(table.design, Expected):
        steep = _slopes_from_top(table)
        by_row = [
            np.stack([steep * false / others, -steep * (1 - false) / others], -1),
            np.stack([-true / number, (1 - true) / number], -1),
        ]
        return _expected_limits(table, true, np.stack(by_row, 1), level)
    # A rate of 0 or 1 has a variance too: one case is added on either side.
    rate, error = (true * number + 1) / (number + 2), (false * others + 1) / (others + 2)
    variance = rate * (1 - rate) / number + _slopes_from_top(table) ** 2 * error * (1 - error) / others
    low, high = wilson_limits(table, true, rate * (1 - rate) / variance, level)
    low[0] = 0.0
    return low, high


def _expected_limits(table: Table, share: Array, slopes: Array, level: float) -> tuple[Array, Array]:
    """Return Wilson's limits of shares at each threshold of expected counts, from their slopes by the table there."""
    assert isinstance(table.design, Expected)  # noqa: S101 - as the callers ask
    with np.errstate(invalid="ignore"):
        variance = table.design.variances_from_top(table.counts, slopes)
    certain = ~(variance > 0)
    worth = np.where(certain, 0.0, np.nan_to_num(share * (1 - share)) / np.where(certain, 1.0, variance))
    low, high = wilson_limits(table, share, worth, level)
    # A corner of the curve is certain, and where there is no prediction nothing is known.
    corner = certain & np.isin(share, (0.0, 1.0))
    return np.where(corner, share, low), np.where(corner, share, high)


def precision_recall_curve(
    table: Any, y_score: Any = None, *, band: Band = "pointwise", confidence_level: float = 0.95, **cases: Any
) -> Curve:
    """Return the precision–recall curve with a band around the precision at each recall.

    Parameters
    ----------
    table, y_score
        A table from `scores`; or the true classes and the scores themselves.
    band
        ``"pointwise"``, ``"simultaneous"`` or ``"none"``.
    confidence_level
        Coverage of the band.
    **cases
        With true classes and scores, what `scores` takes: ``pos_label``, ``sample_weight``, ``groups``, ``data``.

    Returns
    -------
    Curve
        Columns ``recall``, ``precision``, ``threshold`` (from the top; the first point, above all scores, has
        precision 1 like scikit-learn's), ``low``, ``high``.

    Notes
    -----
    Pointwise: the delta method for the precision at a fixed recall, whose threshold is estimated, put into Wilson's
    interval as an effective number of cases. Simultaneous: the rectangles of `roc_curve` bound the false positive
    rate at each recall, and with an interval of the prevalence (each of the three at the third root of the level)
    the precision ``prevalence * recall / (prevalence * recall + (1 - prevalence) * fpr)``. It holds for any
    continuous scores and sample size, and is wide at small recalls, where little is known.

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
    table = scored(table, y_score, cases)
    level = checked_scores(table, band, confidence_level)
    thresholds, negatives, positives = from_top(table)
    recall = divide(positives, positives[-1])
    precision = np.where(negatives + positives > 0, np.nan_to_num(divide(positives, negatives + positives)), 1.0)
    columns = {"recall": recall, "precision": precision, "threshold": thresholds}
    if band == "pointwise":
        columns["low"], columns["high"] = _precision_pointwise(table, negatives, positives, level)
    elif band == "simultaneous":
        columns["low"], columns["high"] = _precision_simultaneous(table, negatives, positives, level)
    return Curve("precision_recall", columns, level, band)


def _precision_pointwise(table: Table, negatives: Array, positives: Array, level: float) -> tuple[Array, Array]:
    others, number = class_sizes(table)
    if isinstance(table.design, Expected):
        return _precision_expected(table, negatives, positives, level)
    false, true = divide(negatives, negatives[-1]) * others, divide(positives, positives[-1]) * number
    hits, errors = true + 0.5, false + 0.5  # a precision of 1 has a variance too
    share, rate = hits / (hits + errors), hits / (number + 1)
    through = others / (np.maximum(_slopes_from_top(table), 1e-9) * errors)
    variance = (share * (1 - share)) ** 2 * (1 / number + 1 / errors + through**2 * rate * (1 - rate) / number)
    observed = np.where(true + false > 0, np.nan_to_num(divide(true, true + false)), np.nan)
    return wilson_limits(table, observed, np.minimum(share * (1 - share) / variance, true + false), level)


def _precision_expected(table: Table, negatives: Array, positives: Array, level: float) -> tuple[Array, Array]:
    """Return the limits of the precision at each recall, whose threshold moves with the counts."""
    number, others = positives[-1], negatives[-1]
    called = np.maximum(negatives + positives, 1e-9)
    share, recall = divide(positives, negatives + positives), positives / number
    per_recall = (number * negatives - positives * others / np.maximum(_slopes_from_top(table), 1e-9)) / called**2
    zero = np.zeros(len(share))
    by_row = [
        np.stack([zero, -positives / called**2], -1),
        np.stack([per_recall * recall / number, negatives / called**2 - per_recall * (1 - recall) / number], -1),
    ]
    return _expected_limits(table, share, np.nan_to_num(np.stack(by_row, 1)), level)


def _precision_simultaneous(table: Table, negatives: Array, positives: Array, level: float) -> tuple[Array, Array]:
    false, true = divide(negatives, negatives[-1]), divide(positives, positives[-1])
    parts = 2 if isinstance(table.design, FixedMargins) else 3
    around_false, around_true = _distances(table, level, parts)
    least = np.maximum(_least(false, true, true - around_true) - around_false, 0.0)
    most = np.minimum(_beyond(false, true, true + around_true) + around_false, 1.0)
    low_share = high_share = positives[-1] / (positives[-1] + negatives[-1])
    if parts == 3:  # noqa: PLR2004 - the prevalence is estimated too
        every = np.ones(table.counts.shape, dtype=bool)
        positive = np.zeros(table.counts.shape, dtype=bool)
        positive[:, 1] = True
        share = Proportion(positive, every, (1.0, 1.0), (0.0, 1.0))
        hits, trials = effective_counts(share, table, level ** (1 / 3))
        limits = clopper_pearson(np.asarray(hits), np.asarray(trials), level ** (1 / 3))
        low_share, high_share = (float(limit) for limit in limits)
    return _precision(low_share, true, most, 0.0), _precision(high_share, true, least, 1.0)


def _beyond(y: Array, x: Array, limit: Array) -> Array:
    """Return y of the first point with ``x > limit``: a bound from above between the points; 1 after the last."""
    index = np.searchsorted(x, limit + 1e-12, side="right")
    return np.where(index < len(y), y[np.minimum(index, len(y) - 1)], 1.0)


def _precision(share: float, recall: Array, false: Array, otherwise: float) -> Array:
    whole = share * recall + (1 - share) * false
    return np.where(whole > 0, share * recall / np.where(whole > 0, whole, 1.0), otherwise)


def calibration_curve(
    table: Any,
    y_score: Any = None,
    *,
    bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
    band: Band = "pointwise",
    confidence_level: float = 0.95,
    **cases: Any,
) -> Curve:
    """Return the share of positive cases against the mean probability in bins of the scores (reliability diagram).

    Parameters
    ----------
    table, y_score
        A table from `scores`; or the true classes and the scores themselves. The scores are probabilities.
    bins
        Number of bins; empty ones are left out.
    strategy
        ``"uniform"`` for bins of equal width, ``"quantile"`` for equal mass.
    band
        ``"pointwise"``, ``"simultaneous"`` or ``"none"``.
    confidence_level
        Coverage of the band.
    **cases
        With true classes and scores, what `scores` takes: ``pos_label``, ``sample_weight``, ``groups``, ``data``.

    Returns
    -------
    Curve
        Columns ``mean_predicted``, ``share_positive``, ``cases`` (or sum of weights), ``low``, ``high``.

    Notes
    -----
    Pointwise limits are Wilson's (of effective cases where there are weights or clusters); simultaneous ones are
    Clopper and Pearson's at the level's root by the number of bins: given the scores, the bins are independent.

    References
    ----------
    Bröcker, Smith (2007), Weather and Forecasting 22.

    Examples
    --------
    >>> import howsure as hs
    >>> curve = calibration_curve(hs.scores([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8]), bins=2)
    >>> curve["mean_predicted"].round(3).tolist(), curve["share_positive"].tolist()
    ([0.15, 0.75], [0.0, 1.0])
    """
    table = scored(table, y_score, cases)
    level = checked_scores(table, band, confidence_level)
    if isinstance(table.design, Expected):
        message = "Without labels calibration cannot be checked: it is what these counts rest on."
        raise HowsureError(message)
    probability = probabilities(table, "calibration_curve")
    starts = bin_starts(table, bins, strategy)
    mass, hits, sums = bin_sums(table.counts, probability, starts)
    columns = {"mean_predicted": divide(sums, mass), "share_positive": divide(hits, mass), "cases": mass}
    if band != "none":
        each = level if band == "pointwise" else level ** (1 / len(starts))
        index = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(probability)))
        effective = np.array([_bin_counts(table, index == number, each) for number in range(len(starts))])
        limits = wilson if band == "pointwise" else clopper_pearson
        columns["low"], columns["high"] = limits(effective[:, 0], effective[:, 1], each)
    return Curve("calibration", columns, level, band)


def _bin_counts(table: Table, inside: Array, level: float) -> tuple[float, float]:
    trials = np.repeat(inside[:, None], 2, axis=1)
    return effective_counts(Proportion(trials & np.array([False, True]), trials, (1.0, 1.0), (0.0, 1.0)), table, level)
