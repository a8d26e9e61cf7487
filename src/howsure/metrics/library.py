"""All metrics: importing this fills the registry."""

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
