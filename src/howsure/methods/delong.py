"""DeLong's interval of the area under the ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from howsure.designs import FixedMargins, Simple
from howsure.errors import HowsureError
from howsure.methods.interval import Interval, quantile, shows_variation
from howsure.metric import Metric
from howsure.table import Counts, Table


@dataclass(frozen=True, slots=True)
class DeLong:
    """Interval of ROC AUC from the variances of the placements, on the logit scale by default.

    Parameters
    ----------
    transform
        ``"logit"`` keeps the interval inside (0, 1); ``"identity"`` is the plain normal interval.

    Notes
    -----
    The variance is the sum over both classes of the placements' sample variance over the class's number of cases,
    from counts at distinct scores: O(n log n), ties exact. Other designs use their own variance of the same slopes.
    Where the classes are perfectly separated the placements do not vary; the open limit then is the exact one of
    as many agreeing pairs as the smaller class has cases.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44; Sun, Xu (2014), IEEE Signal Processing Letters 21;
    Obuchowski (1997), Biometrics 53, for clusters.
    """

    transform: Literal["logit", "identity"] = "logit"
    name: ClassVar[str] = "delong"

    def interval(
        self,
        metric: Metric,
        table: Table,
        confidence_level: float,
        rng: Any = None,  # noqa: ARG002 - the protocol's signature
    ) -> Interval:
        """Return the interval; see the class."""
        if metric.name != "roc_auc":
            message = f"`DeLong` is for `roc_auc`, not for `{metric.name}`. Use `Delta()` or `Bootstrap()`."
            raise HowsureError(message)
        value = float(metric(Counts(table.counts, "scores")))
        if np.isnan(value):
            return Interval(np.nan, np.nan, reason="one of the classes has no case")
        error = placement_error(metric, table)
        z = quantile(confidence_level, table.design)
        if self.transform == "identity":
            return Interval(value - z * error, value + z * error, error)
        if not (0 < value < 1 and shows_variation(error, value)):
            return _separated(value, error, table, confidence_level)
        odds, half = np.log(value / (1 - value)), z * error / (value * (1 - value))
        low, high = (float(1 / (1 + np.exp(-limit))) for limit in (odds - half, odds + half))
        return Interval(low, high, error)


def placement_error(metric: Metric, table: Table) -> float:
    """Return DeLong's standard error of the area; nan for a class of a single case."""
    slopes = metric.gradient(Counts(table.counts, "scores"))
    if not isinstance(table.design, Simple | FixedMargins):
        return float(np.sqrt(table.design.variance(table.counts, slopes)))
    number = table.counts.sum(0)
    if (number < 2).any():  # noqa: PLR2004 - a sample variance needs two
        return float("nan")
    return float(np.sqrt(((table.counts * slopes**2).sum(0) * number / (number - 1)).sum()))


def _separated(value: float, error: float, table: Table, confidence_level: float) -> Interval:
    pairs = min(
        table.design.effective_trials(table.counts, np.broadcast_to(np.arange(2) == each, table.counts.shape))
        for each in (0, 1)
    )
    tail = (1 - confidence_level) / 2
    limit = float(tail ** (1 / max(pairs, 1.0)))
    if value == 1:
        return Interval(limit, 1.0, error, reason="the classes are separated: one-sided limit")
    if value == 0:
        return Interval(0.0, 1 - limit, error, reason="the classes are separated: one-sided limit")
    return Interval(np.nan, np.nan, error, reason="a class has a single case, or all scores are equal")
