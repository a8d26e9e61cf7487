"""The base of aggregators: a subclass is registered under its aliases when it is defined."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from howsure.arrays import Array, Seed
from howsure.compat.prob_conf_mat.experiment_group import ExperimentGroup
from howsure.compat.prob_conf_mat.metrics.abc import MetricLike
from howsure.errors import HowsureError
from howsure.methods.core.standard_errors import is_positive_error
from howsure.pooling.pools import pool

AGGREGATION_REGISTRY: dict[str, type[ExperimentAggregator]] = {}


@dataclass(frozen=True, slots=True)
class HeterogeneityResult:
    """The heterogeneity between experiments."""

    i2: float
    within_experiment_variance: float
    between_experiment_variance: float


class ExperimentAggregator(ABC):
    """Combine the distributions of a group's experiments; subclass it to define an aggregator.

    A subclass defines ``full_name``, ``aliases`` and a method ``aggregate(experiment_samples, bounds)``. Its arguments
    are an array of draws × experiments and the metric's smallest and largest value; it returns draws of the aggregate.
    """

    full_name: str
    aliases: ClassVar[Sequence[str]] = ()

    def __init__(self, rng: Seed) -> None:
        self.rng = rng

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        for alias in cls.aliases:
            if alias in AGGREGATION_REGISTRY:
                raise HowsureError(
                    f"The name '{alias}' of {cls.__name__} is taken by {AGGREGATION_REGISTRY[alias].__name__}."
                )
        AGGREGATION_REGISTRY.update(dict.fromkeys(cls.aliases, cls))

    @property
    def name(self) -> str:
        """Its first alias."""
        return self.aliases[0]

    @abstractmethod
    def aggregate(self, experiment_samples: Array, bounds: tuple[float, float]) -> Array:
        """Return draws of the aggregate."""


@dataclass(frozen=True, eq=False)
class ExperimentAggregationResult:
    """Draws of a group's aggregate, draws × classes, and the heterogeneity of each class."""

    experiment_group: ExperimentGroup
    aggregator: ExperimentAggregator
    metric: MetricLike
    heterogeneity_results: list[HeterogeneityResult]
    values: Array

    @property
    def name(self) -> str:
        """The group's."""
        return self.experiment_group.name


def heterogeneity(samples: Array) -> HeterogeneityResult:
    """Return the heterogeneity of experiments from their draws, draws × experiments, by Paule and Mandel."""
    if samples.shape[1] == 1:
        return HeterogeneityResult(np.nan, float(np.nanvar(samples, ddof=1)), np.nan)
    means, errors = np.nanmean(samples, axis=0), np.nanstd(samples, axis=0, ddof=1)
    if not np.all(is_positive_error(errors, means)):
        return HeterogeneityResult(np.nan, np.nan, np.nan)
    found = pool(means, errors, method="pm", test="z")
    return HeterogeneityResult(found.i2, found.within_variance, found.tau2)
