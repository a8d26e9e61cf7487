"""All metrics: importing this fills the registry."""

from howsure.metrics import (
    agreement,
    calibration,
    confusion,
    errors,
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
    "calibration",
    "confusion",
    "errors",
    "one_rater",
    "operating",
    "ordinal",
    "probability",
    "ratings",
    "roc",
    "trials",
    "values",
]
