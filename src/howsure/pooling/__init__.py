"""Pooling: one number from many experiments, with their heterogeneity."""

from howsure.pooling.conflation import conflate
from howsure.pooling.folds import pool_folds
from howsure.pooling.pooled import Pooled
from howsure.pooling.pools import pool
from howsure.pooling.tables import pool_tables

__all__ = ["Pooled", "conflate", "pool", "pool_folds", "pool_tables"]
