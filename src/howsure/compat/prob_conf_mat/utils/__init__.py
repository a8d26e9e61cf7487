"""Random number generators for the original's constructors."""

from howsure.compat.prob_conf_mat.utils.rng import RNG

__all__ = ["RNG"]
