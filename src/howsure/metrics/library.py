"""All metrics: importing this fills the registry."""

from howsure.metrics import agreement, confusion, operating, ordinal, probability, roc

__all__ = ["agreement", "confusion", "operating", "ordinal", "probability", "roc"]
