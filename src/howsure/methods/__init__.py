"""Interval methods: each combines a metric and a table into an interval."""

from howsure.namespaces import namespace

__getattr__, __dir__, __all__ = namespace(__name__, __file__)
