"""Bootstrap of any function of the cases, called as in the package ``confidenceinterval``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from howsure.arrays import Seed
from howsure.compat.confidenceinterval.results import Limits
from howsure.errors import one_of
from howsure.estimates.estimate import Estimate
from howsure.estimates.rows import bootstrap_ci as bootstrapped

bootstrap_methods = ["bootstrap_bca", "bootstrap_percentile", "bootstrap_basic"]


def bootstrap_ci(
    y_true: object,
    y_pred: object,
    metric: Callable[[Any, Any], float],
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    method: str = "bootstrap_bca",
    random_state: Seed = None,
) -> tuple[Estimate, Limits]:
    """Return a function of true and predicted labels with limits from resampled cases; see `howsure.bootstrap_ci`.

    Raises
    ------
    HowsureError
        If the method is not a bootstrap, or the arrays differ in length.
    """
    one_of("method", method, bootstrap_methods)
    found = bootstrapped(y_true, y_pred, metric, confidence_level, n_resamples, method, random_state)
    return found, (found.low, found.high)
