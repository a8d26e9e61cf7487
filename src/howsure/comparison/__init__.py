"""Models compared with each other, with chance and over time."""

from howsure.namespaces import namespace

__getattr__, __dir__, __all__ = namespace(__name__, __file__)
