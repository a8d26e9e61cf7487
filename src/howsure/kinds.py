"""Kinds of evidence of your own: a class of tables, the function that counts cases, and metrics of the tables."""

from howsure.namespaces import namespace

__getattr__, __dir__, __all__ = namespace(__name__, __file__)
