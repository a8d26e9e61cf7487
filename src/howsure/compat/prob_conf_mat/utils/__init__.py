"""What constructors there ask for."""

from howsure.compat.prob_conf_mat.utils.rng import RNG

__all__ = ["RNG"]
