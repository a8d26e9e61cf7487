"""All metrics: importing this fills the registry."""

from howsure.metrics import (
    agreement,
    calibration,
    confusion,
    detections,
    errors,
    events,
    operating,
    ordinal,
    probability,
    roc,
    trials,
    values,
)

__all__ = [
    "agreement",
    "calibration",
    "confusion",
    "detections",
    "errors",
    "events",
    "operating",
    "ordinal",
    "probability",
    "roc",
    "trials",
    "values",
]
