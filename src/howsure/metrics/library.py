"""All metrics: importing this fills the registry."""

from howsure.metrics import (
    agreement,
    battles,
    calibration,
    confusion,
    errors,
    operating,
    ordinal,
    probability,
    roc,
    trials,
    values,
)

__all__ = [
    "agreement",
    "battles",
    "calibration",
    "confusion",
    "errors",
    "operating",
    "ordinal",
    "probability",
    "roc",
    "trials",
    "values",
]
