"""All metrics: importing this fills the registry."""

from howsure.metrics import agreement, confusion, multiclass, operating, ordinal, probability, roc

__all__ = ["agreement", "confusion", "multiclass", "operating", "ordinal", "probability", "roc"]
