"""The metrics that come with howsure, one decorated function each."""

from howsure.metrics import agreement, confusion, multiclass, operating, ordinal, probability, ranking

__all__ = ["agreement", "confusion", "multiclass", "operating", "ordinal", "probability", "ranking"]
