"""Designs: how the counts would vary if the study were repeated."""

from howsure.namespaces import namespace

__getattr__, __dir__, __all__ = namespace(__name__, __file__)
