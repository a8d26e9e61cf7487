"""The metrics that come with howsure, one decorated function each."""

from howsure.metrics import agreement, confusion, operating, ordinal, probability, ranking

__all__ = ["agreement", "confusion", "operating", "ordinal", "probability", "ranking"]
