"""Simulation of coverage: tables drawn from known populations, and the share of intervals that cover."""

from __future__ import annotations

from howsure.lab.evidence import ReviewedLabels, UnlabelledScores
from howsure.lab.models import PairedModels, SeparateModels
from howsure.lab.scores import BinormalScores
from howsure.lab.simulation import Coverage, coverage
from howsure.lab.truths import Cells, Clustered, FixedTotals, Repeated, Truth, WeightedCases

__all__ = [
    "BinormalScores",
    "Cells",
    "Clustered",
    "Coverage",
    "FixedTotals",
    "PairedModels",
    "Repeated",
    "ReviewedLabels",
    "SeparateModels",
    "Truth",
    "UnlabelledScores",
    "WeightedCases",
    "coverage",
]
