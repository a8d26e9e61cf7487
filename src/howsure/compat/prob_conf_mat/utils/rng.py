"""The random generator for aggregators, which is NumPy's."""

from numpy.random import default_rng as RNG  # noqa: N812 - the name that it has there

__all__ = ["RNG"]
