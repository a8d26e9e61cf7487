"""Labels that are wrong, few, or from several people: beyond `judged`, `reviewed` and `partly_labelled`."""

from howsure.namespaces import namespace

__getattr__, __dir__, __all__ = namespace(__name__, __file__)
