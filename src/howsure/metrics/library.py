"""All metrics: importing this fills the registry."""

from howsure.metrics import agreement, calibration, confusion, operating, ordinal, probability, roc

__all__ = ["agreement", "calibration", "confusion", "operating", "ordinal", "probability", "roc"]
