"""howsure's aggregations with the names and arguments of ``prob_conf_mat``."""

from __future__ import annotations

import warnings

import numpy as np

from howsure.arrays import Array, Seed
from howsure.compat.differences import say_once
from howsure.compat.prob_conf_mat.config import ConfigWarning
from howsure.compat.prob_conf_mat.experiment_aggregation.abc import AGGREGATION_REGISTRY, ExperimentAggregator
from howsure.errors import HowsureError, one_of
from howsure.methods.core.draws import seed_sequence
from howsure.study.aggregation import Aggregation, Members, aggregated

HISTOGRAM = (
    "prob_conf_mat 0.4 adds a tenth of flat pseudo-counts to each histogram; this conflation is of smoothed densities, "
    "as wide as their product, and takes no `pseudo_count_weight`."
)


class _Pooling(ExperimentAggregator):
    """An aggregation of howsure, pooled on the metric's own scale as there, and kept within its range."""

    aggregation: Aggregation

    def aggregate(self, experiment_samples: Array, bounds: tuple[float, float]) -> Array:
        """Return draws of the aggregate."""
        draws = [np.asarray(each) for each in np.asarray(experiment_samples).T]
        names = tuple(f"experiment {place}" for place in range(len(draws)))
        observed = np.array([each.mean() for each in draws])
        members = Members(names, observed, draws, None, bounds)
        found = aggregated(self.aggregation, members, 0.95, seed_sequence(self.rng))
        if found.draws is None:
            warnings.warn(f"The aggregate is undefined: {found.reason}.", ConfigWarning, stacklevel=2)
            return np.full(len(experiment_samples), np.nan)
        return np.clip(found.draws, *bounds)


class SingletonAggregator(ExperimentAggregator):
    """The draws of the only experiment."""

    full_name = "the only experiment"
    aliases = ("singleton", "identity")

    def aggregate(self, experiment_samples: Array, bounds: tuple[float, float]) -> Array:  # noqa: ARG002 - as all others
        """Return the draws as they are."""
        if experiment_samples.shape[1] > 1:
            raise HowsureError(
                f"'singleton' is for groups of one experiment, and this one has {experiment_samples.shape[1]}."
            )
        return np.asarray(experiment_samples[:, 0])


class FEGaussianAggregator(_Pooling):
    """Fixed effect: the mean weighted by precision."""

    full_name = "fixed effect"
    aliases = ("fe", "fixed_effect", "fe_gaussian", "gaussian", "normal", "fe_normal")
    aggregation = Aggregation("fixed", "identity")


class REGaussianAggregator(_Pooling):
    """Random effects, by Paule and Mandel or DerSimonian and Laird, and by Hartung and Knapp if asked for."""

    full_name = "random effects"
    aliases = ("re", "random_effect", "re_gaussian", "re_normal")

    def __init__(
        self, rng: Seed, *, paule_mandel_heterogeneity: bool = True, hksj_sampling_distribution: bool = False
    ) -> None:
        super().__init__(rng)
        name = "pm" if paule_mandel_heterogeneity else "dl"
        self.aggregation = Aggregation(name + ("_knha" if hksj_sampling_distribution else ""), "identity")


class BetaAggregator(_Pooling):
    """Conflation of beta densities."""

    full_name = "conflation of beta densities"
    aliases = ("beta", "beta_conflation")
    aggregation = Aggregation("beta")

    def __init__(self, rng: Seed, *, estimation_method: str = "mle") -> None:
        super().__init__(rng)
        self.estimation_method = estimation_method  # densities are fitted by their moments, whichever it is


class GammaAggregator(_Pooling):
    """Conflation of gamma densities."""

    full_name = "conflation of gamma densities"
    aliases = ("gamma", "gamma_conflation")
    aggregation = Aggregation("gamma")

    def __init__(self, rng: Seed, *, shifted: bool = False) -> None:
        super().__init__(rng)
        self.shifted = shifted  # densities begin at the range's lower end, which is what shifting is for


class HistogramAggregator(_Pooling):
    """Conflation of smoothed densities."""

    full_name = "conflation of smoothed densities"
    aliases = ("hist", "histogram")
    aggregation = Aggregation("histogram")

    def __init__(self, rng: Seed, pseudo_count_weight: float = 0.1) -> None:
        super().__init__(rng)
        self.pseudo_count_weight = pseudo_count_weight
        say_once(HISTOGRAM)


def get_experiment_aggregator(aggregation: str, rng: Seed, **kwargs: object) -> ExperimentAggregator:
    """Return an aggregator by one of its names, with its arguments."""
    one_of("aggregation", aggregation, AGGREGATION_REGISTRY)
    return AGGREGATION_REGISTRY[aggregation](rng, **kwargs)
