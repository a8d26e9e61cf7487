"""Pooling: one number from many experiments, with their heterogeneity."""

from howsure.namespaces import namespace

__getattr__, __dir__, __all__ = namespace(__name__, __file__)
