"""Aggregators of the experiments of a group, by their names, and the base of one's own."""

from howsure.compat.prob_conf_mat.experiment_aggregation.abc import (
    AGGREGATION_REGISTRY,
    ExperimentAggregationResult,
    ExperimentAggregator,
    HeterogeneityResult,
)
from howsure.compat.prob_conf_mat.experiment_aggregation.aggregators import get_experiment_aggregator

__all__ = [
    "AGGREGATION_REGISTRY",
    "ExperimentAggregationResult",
    "ExperimentAggregator",
    "HeterogeneityResult",
    "get_experiment_aggregator",
]
