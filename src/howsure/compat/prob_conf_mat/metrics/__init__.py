"""Metrics and averages by their strings, and the bases of one's own."""

from howsure.compat.prob_conf_mat.metrics.abc import (
    AVERAGING_REGISTRY,
    METRIC_REGISTRY,
    AveragedMetric,
    Averaging,
    Metric,
    RootMetric,
)
from howsure.compat.prob_conf_mat.metrics.interface import get_metric

__all__ = [
    "AVERAGING_REGISTRY",
    "METRIC_REGISTRY",
    "AveragedMetric",
    "Averaging",
    "Metric",
    "RootMetric",
    "get_metric",
]
