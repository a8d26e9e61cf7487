"""Tables of counts, with one final class for each kind of data."""

from howsure.namespaces import namespace

__getattr__, __dir__, __all__ = namespace(__name__, __file__)
