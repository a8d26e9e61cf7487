"""Fairlearn's disparity metrics, by its names, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol, cast

from howsure.arrays import Seed
from howsure.errors import HowsureError
from howsure.estimates.estimate import Estimate
from howsure.groups.group_gaps import gaps
from howsure.groups.result import Against, Aggregation, Gaps
from howsure.sources.confusion import confusion

PARAMETERS = """
    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,), or str
        True and predicted label of each case; or, with ``data``, the names of their columns.
    sensitive_features : array-like of shape (n,), mapping of str to such, or str
        Group of each case; of several columns the combinations are the groups.
    method : {"between_groups", "to_overall"}
        Differences between groups, or of each group to all cases.
    agg : {"worst_case", "mean"}
        Of several metrics: the largest difference (or smallest ratio), or the mean.
    sample_weight : array-like of shape (n,), optional
        Weight of each case.
    counts : array-like of shape (n,), optional
        Number of identical cases that each row stands for.
    pos_label : object, optional
        The positive class; by default the last one in order.
    groups : array-like of shape (n,), optional
        Cluster of each case, such as the patient.
    data : frame, path or relation, optional
        Data with the columns.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.
    random_state : int, Generator or SeedSequence, optional
        Seed of the draws behind the simultaneous intervals.

    Returns
    -------
    Estimate
        The value with its interval; see `howsure.gaps`.

    Raises
    ------
    HowsureError
        If there are fewer than two groups, or more than two classes.

    Examples
    --------
    >>> import howsure as hs
    >>> y_true, y_pred, group = [1, 1, 0, 0] * 20, [1, 1, 0, 1] * 10 + [1, 0, 0, 1] * 10, ["a"] * 40 + ["b"] * 40
    >>> found = hs.compat.{name}(y_true, y_pred, sensitive_features=group, random_state=0)
    >>> found.low <= found <= found.high
    True
"""


class Disparity(Protocol):
    """A function of true and predicted labels and groups."""

    __name__: str

    def __call__(
        self,
        y_true: object,
        y_pred: object,
        *,
        sensitive_features: object,
        method: Against = ...,
        agg: Aggregation = ...,
        sample_weight: object = ...,
        counts: object = ...,
        pos_label: object = ...,
        groups: object = ...,
        data: object = ...,
        confidence_level: float = ...,
        random_state: Seed = ...,
    ) -> Estimate:
        """Return the value with its interval."""


def _disparity(criterion: str, kind: Literal["difference", "ratio"], meaning: str) -> Disparity:
    """Return the function for a criterion."""

    def disparity(
        y_true: Any,
        y_pred: Any,
        *,
        sensitive_features: Any,
        method: Against = "between_groups",
        agg: Aggregation = "worst_case",
        sample_weight: Any = None,
        counts: Any = None,
        pos_label: Any = None,
        groups: Any = None,
        data: Any = None,
        confidence_level: float = 0.95,
        random_state: Seed = None,
    ) -> Estimate:
        if sensitive_features is None:
            raise HowsureError("`sensitive_features` is the group of each case.")
        tables = confusion(
            y_true,
            y_pred,
            by=sensitive_features,
            sample_weight=sample_weight,
            counts=counts,
            pos_label=pos_label,
            groups=groups,
            data=data,
        )
        if not tables.overall.is_binary:
            message = f"`{criterion}_{kind}` is for two classes, and there are {len(tables.overall.labels)}."
            raise HowsureError(f"{message} Call `gaps` with metrics such as 'recall@macro'.")
        settings: dict[str, Any] = {"confidence_level": confidence_level, "random_state": random_state}
        found = cast("Gaps", gaps(tables, criterion, **settings))  # of one model
        largest: Callable[..., Estimate] = getattr(found, kind)
        return largest(method=method, agg=agg)

    disparity.__name__ = disparity.__qualname__ = f"{criterion}_{kind}"
    disparity.__doc__ = f"{meaning}\n{PARAMETERS.replace('{name}', disparity.__name__)}"
    return disparity


demographic_parity_difference = _disparity(
    "demographic_parity", "difference", "Return the largest difference in selection rate between groups."
)
demographic_parity_ratio = _disparity(
    "demographic_parity", "ratio", "Return the smallest ratio of selection rates between groups."
)
equalized_odds_difference = _disparity(
    "equalized_odds", "difference", "Return the largest difference in recall or false positive rate between groups."
)
equalized_odds_ratio = _disparity(
    "equalized_odds", "ratio", "Return the smallest ratio of recalls or of false positive rates between groups."
)
equal_opportunity_difference = _disparity(
    "equal_opportunity", "difference", "Return the largest difference in recall between groups."
)
equal_opportunity_ratio = _disparity(
    "equal_opportunity", "ratio", "Return the smallest ratio of recalls between groups."
)
