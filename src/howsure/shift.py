"""Another population, and scores as probabilities: weights and tests of the assumptions."""

from howsure.namespaces import namespace

__getattr__, __dir__, __all__ = namespace(__name__, __file__)
