"""A laboratory of intervals: tables drawn from stated truths, and how often a method's intervals hold these."""

from __future__ import annotations

from howsure.lab.coverage import Coverage, coverage
from howsure.lab.truths import Cells, Clustered, FixedTotals, Repeated, Truth, WeightedCases

__all__ = ["Cells", "Clustered", "Coverage", "FixedTotals", "Repeated", "Truth", "WeightedCases", "coverage"]
