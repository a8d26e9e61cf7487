"""All metrics: importing this module completes the registry, which imports it for all but the usual ones."""

from howsure.metrics import (
    agreement,
    battles,
    calibration,
    confusion,
    detections,
    errors,
    events,
    one_rater,
    operating,
    ordinal,
    probability,
    ratings,
    roc,
    trials,
    values,
)
from howsure.metrics.registry import REGISTRY

__all__ = [
    "agreement",
    "battles",
    "calibration",
    "confusion",
    "detections",
    "errors",
    "events",
    "one_rater",
    "operating",
    "ordinal",
    "probability",
    "ratings",
    "roc",
    "trials",
    "values",
]

REGISTRY.put_in_order()
