"""The metrics that come with howsure, one decorated function each."""

from howsure.metrics import agreement, confusion, ordinal, probability, ranking

__all__ = ["agreement", "confusion", "ordinal", "probability", "ranking"]
