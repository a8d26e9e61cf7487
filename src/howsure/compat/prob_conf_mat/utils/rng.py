"""The random generator that aggregators are given: NumPy's own."""

from numpy.random import default_rng as RNG  # noqa: N812 - the name that it has there

__all__ = ["RNG"]
