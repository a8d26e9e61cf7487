"""Simulation of coverage: tables drawn from known populations, and the share of intervals that cover."""

from howsure.namespaces import namespace

__getattr__, __dir__, __all__ = namespace(__name__, __file__)
