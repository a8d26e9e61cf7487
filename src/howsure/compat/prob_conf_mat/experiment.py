"""Experiments and their posterior draws."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from howsure.arrays import Array
from howsure.compat.prob_conf_mat.metrics.abc import MetricLike
from howsure.methods.drawn.dirichlet import cell_prior, prior_array
from howsure.methods.drawn.draws_of_tables import draw_tables
from howsure.study.experiment import Experiment as Held


class SamplingMethod(StrEnum):
    """Source of tables."""

    POSTERIOR = "posterior"
    PRIOR = "prior"
    RANDOM = "random"
    INPUT = "input"


@dataclass(frozen=True, eq=False)
class Experiment:
    """A confusion matrix with its priors."""

    held: Held

    @property
    def name(self) -> str:
        """The name within the group."""
        return self.held.name.rpartition("/")[2]

    @property
    def confusion_matrix(self) -> Array:
        """The counts, rows true."""
        return self.held.table.counts.astype(int)

    @property
    def num_classes(self) -> int:
        """Number of classes."""
        return len(self.held.table.labels)

    @property
    def num_predictions(self) -> int:
        """Number of cases."""
        return int(self.held.table.rows)

    @property
    def prevalence_prior(self) -> Array:
        """Pseudo-counts of each true class."""
        given = self.held.prevalence_prior
        return prior_array(0.0 if given is None else given, (self.num_classes,), "prevalence_prior")

    @property
    def confusion_prior(self) -> Array:
        """Pseudo-counts of each cell."""
        return cell_prior(self.held.prior, self.held.table)

    def tables(self, source: str, number: int, seed: int) -> Array:
        """Return drawn tables that sum to 1, shape (number, K, K); for ``"input"`` the observed table."""
        if source == SamplingMethod.INPUT:
            return np.asarray(self.held.table.counts[None] / self.held.table.counts.sum())
        words = () if source == SamplingMethod.POSTERIOR else (source,)
        return np.asarray(
            draw_tables(
                self.held.guessing if source == SamplingMethod.RANDOM else self.held.table,
                number,
                source="prior" if source == SamplingMethod.PRIOR else "posterior",
                prior=self.held.prior,
                prevalence_prior=self.held.prevalence_prior,
                random_state=self.held.seed(seed, *words),
            )
        )


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """Values of a metric on an experiment's tables, draws × classes (one column for the whole table)."""

    experiment: Experiment
    metric: MetricLike
    values: Array

    @property
    def num_samples(self) -> int:
        """Number of tables."""
        return len(self.values)
