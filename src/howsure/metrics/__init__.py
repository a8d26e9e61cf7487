"""The metrics that come with howsure, one decorated function each."""

from howsure.metrics import agreement, confusion, ordinal

__all__ = ["agreement", "confusion", "ordinal"]
