"""Classes of results: the functions of howsure return them, and type annotations name them."""

from howsure.namespaces import namespace

__getattr__, __dir__, __all__ = namespace(__name__, __file__)
