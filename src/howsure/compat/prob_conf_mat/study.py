"""A study with the names, arguments and defaults of ``prob_conf_mat``, based on `howsure.Study`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.comparison.ranks import Ranks, ranks
from howsure.compat.differences import say_once
from howsure.compat.prob_conf_mat import figures, reports
from howsure.compat.prob_conf_mat.comparisons import ListwiseComparisonResult, PairwiseComparisonResult, compared
from howsure.compat.prob_conf_mat.config import ConfigError, ConfigWarning, prior, settings_of, warn
from howsure.compat.prob_conf_mat.experiment import Experiment, ExperimentResult, SamplingMethod
from howsure.compat.prob_conf_mat.experiment_aggregation import (
    ExperimentAggregationResult,
    get_experiment_aggregator,
)
from howsure.compat.prob_conf_mat.experiment_aggregation.abc import heterogeneity
from howsure.compat.prob_conf_mat.experiment_group import ExperimentGroup
from howsure.compat.prob_conf_mat.io import compute_confusion_matrix, validate_confusion_matrix
from howsure.compat.prob_conf_mat.metrics import AveragedMetric, Metric, get_metric
from howsure.compat.prob_conf_mat.metrics.abc import MetricLike
from howsure.compat.prob_conf_mat.metrics.interface import Values
from howsure.compat.prob_conf_mat.metrics.shipped import Shipped
from howsure.errors import HowsureError, UnknownKeyError, one_of
from howsure.study.experiment import seed_of
from howsure.study.study import Study as Held

AGGREGATED = "aggregated"
BETTER = "prob_conf_mat 0.4 ranks the largest value first; of '{}' the smallest is the best, and is first here."


class Study:
    """Experiments in groups, evaluated on metrics, with the arguments of the package ``prob_conf_mat``.

    Parameters
    ----------
    seed, num_samples, ci_probability : number, optional
        Seed, number of draws and level of intervals; each has a default, with a warning.
    experiments : mapping, optional
        Group → experiment → arguments of `add_experiment`.
    metrics : mapping, optional
        Metric string → arguments of `add_metric`.
    """

    def __init__(
        self,
        seed: int | None = None,
        num_samples: int | None = None,
        ci_probability: float | None = None,
        experiments: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
        metrics: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.seed, self.num_samples, self.ci_probability = settings_of(seed, num_samples, ci_probability)
        self._study = Held(seed=self.seed, n_draws=self.num_samples, confidence_level=self.ci_probability)
        self._metrics: dict[str, MetricLike] = {}
        self._aggregations: dict[str, dict[str, Any]] = {}
        self._values: dict[tuple[str, str, str], Array] = {}
        for group, members in (experiments or {}).items():
            for name, arguments in members.items():
                self.add_experiment(f"{group}/{name}", **arguments)
        for metric, arguments in (metrics or {}).items():
            self.add_metric(metric, **arguments)

    def __repr__(self) -> str:
        return f"Study(experiments={self.all_experiments()}, metrics={list(self._metrics)})"

    def __len__(self) -> int:
        return self.num_experiment_groups

    def __getitem__(self, key: str) -> Experiment | ExperimentGroup:
        if not isinstance(key, str):
            raise TypeError(f"A group or an experiment is named by a text, not by {key!r}.")
        name, _, rest = key.partition("/")
        groups = self._study.groups
        if name not in groups:
            raise UnknownKeyError.unknown("experiment group", name, groups)
        members = {each.name.rpartition("/")[2]: Experiment(each) for each in groups[name]}
        group = ExperimentGroup(name, members)
        if not rest:
            return group
        _split(key)
        return group[rest]

    def all_experiments(self) -> list[str]:
        """Return the names of all experiments, sorted."""
        return sorted(self._study.experiments)

    @property
    def num_classes(self) -> int:
        """Number of classes."""
        for each in self._study.experiments.values():
            return len(each.table.labels)
        raise ConfigError("A study without experiments has no classes. Add one with `add_experiment`.")

    @property
    def num_experiments(self) -> int:
        """Number of experiments."""
        return len(self._study.experiments)

    @property
    def num_experiment_groups(self) -> int:
        """Number of groups."""
        return len(self._study.groups)

    @property
    def experiments(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The experiments as arguments, by group and name."""
        found: dict[str, dict[str, dict[str, Any]]] = {}
        for name, each in self._study.experiments.items():
            group, own = _split(name)
            found.setdefault(group, {})[own] = {
                "confusion_matrix": each.table.counts.astype(int).tolist(),
                "prevalence_prior": _plain(each.prevalence_prior),
                "confusion_prior": _plain(each.prior),
            }
        return found

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """The metrics by string, with the arguments of their aggregation."""
        return {name: dict(self._aggregations.get(name, {})) for name in self._metrics}

    def to_dict(self) -> dict[str, Any]:
        """Return the arguments that reproduce this study."""
        settings = {"seed": self.seed, "num_samples": self.num_samples, "ci_probability": self.ci_probability}
        return {**settings, "experiments": self.experiments, "metrics": self.metrics}

    @classmethod
    def from_dict(cls, config_dict: Mapping[str, Any], **kwargs: Any) -> Study:
        """Return the study of `to_dict`."""
        return cls(**config_dict, **kwargs)

    # --- what is studied -------------------------------------------------------------------------------------

    def add_experiment(
        self,
        experiment_name: str,
        confusion_matrix: object = None,
        prevalence_prior: Any = None,
        confusion_prior: Any = None,
        y_true: object = None,
        y_pred: object = None,
        **io_kwargs: object,
    ) -> None:
        """Add an experiment, ``"group/experiment"``, by its confusion matrix or its labels."""
        group, own = _split(experiment_name)
        name = f"{group}/{own}"
        if AGGREGATED in {group, own}:
            raise ConfigError(f"'{name}': '{AGGREGATED}' stands for the aggregate of a group. Take another name.")
        if confusion_matrix is None and (y_true is None or y_pred is None):
            raise HowsureError(f"Experiment '{name}' needs a `confusion_matrix`, or `y_true` and `y_pred`.")
        if io_kwargs:
            warn(f"Experiment '{name}' does not use {', '.join(io_kwargs)}.")
        given = compute_confusion_matrix(y_true, y_pred) if confusion_matrix is None else confusion_matrix
        counts = validate_confusion_matrix(given)
        prevalence_prior = prior("prevalence_prior", prevalence_prior, counts.shape[:1])
        confusion_prior = prior("confusion_prior", confusion_prior, counts.shape)
        if name in self._study.experiments:
            warnings.warn(f"Experiment '{name}' is there already: replaced.", ConfigWarning, stacklevel=2)
            self._study.remove(name)
            self._values = {key: values for key, values in self._values.items() if key[1].partition("/")[0] != group}
        try:
            self._study.add(name, counts, prior=confusion_prior, prevalence_prior=prevalence_prior)
        except HowsureError as error:
            raise ConfigError(str(error)) from None

    def add_metric(self, metric: str | MetricLike, aggregation: str | None = None, **aggregation_kwargs: Any) -> None:
        """Add a metric, with the aggregator of its values over the experiments of a group."""
        found = get_metric(metric) if isinstance(metric, str) else metric
        if aggregation is not None:
            settings = {"aggregation": aggregation, **aggregation_kwargs}
            get_experiment_aggregator(rng=np.random.default_rng(0), **settings)  # refuses invalid settings
            self._aggregations[found.name] = settings
        self._metrics[found.name] = found

    # --- draws -----------------------------------------------------------------------------------------------

    def get_metric_samples(
        self, metric: str | MetricLike, experiment_name: str, sampling_method: str
    ) -> ExperimentResult | ExperimentAggregationResult:
        """Return values of a metric on tables of an experiment, or of a group's aggregate, ``"group/aggregated"``."""
        found = self._metric(metric)
        source = str(sampling_method)
        if source not in set(SamplingMethod):
            raise HowsureError.unknown("sampling method", source, SamplingMethod)
        group, own = _split(experiment_name)
        if own == AGGREGATED:
            return self._aggregate(found, group, source)
        name = f"{group}/{own}"
        one_of("experiment", name, self._study.experiments)
        experiment = Experiment(self._study.experiments[name])
        return ExperimentResult(experiment, found, self._drawn(found, name, source))

    def _drawn(self, metric: MetricLike, name: str, source: str) -> Array:
        """Compute all metrics of the study that are missing from one set of tables."""
        if (metric.name, name, source) not in self._values:
            tables = Experiment(self._study.experiments[name]).tables(source, self.num_samples, self.seed)
            values = Values(tables)
            for each in self._metrics.values():
                self._values[each.name, name, source] = values[each]
        return self._values[metric.name, name, source]

    def _aggregate(self, metric: MetricLike, group: str, source: str) -> ExperimentAggregationResult:
        members = self[group]
        names = [f"{group}/{own}" for own in members.experiments]  # type: ignore[union-attr]  # a group
        settings = self._aggregations.get(metric.name, {"aggregation": "singleton"} if len(names) == 1 else None)
        if settings is None:
            raise HowsureError(
                f"'{metric.name}' has no aggregation for the {len(names)} experiments of '{group}': name one."
            )
        rng = np.random.default_rng(seed_of(self.seed, AGGREGATED, group, metric.name))
        aggregator = get_experiment_aggregator(rng=rng, **settings)
        samples = np.stack([self._drawn(metric, name, source) for name in names], axis=-1)
        bounds = metric.bounds_of(self.num_classes) if isinstance(metric, Shipped) else metric.bounds  # type: ignore[union-attr]
        single = len(names) == 1
        key = (metric.name, f"{group}/{AGGREGATED}", source)
        if key not in self._values:
            columns = [samples[:, k, :] for k in range(samples.shape[1])]
            made = [
                each[:, 0] if single else aggregator.aggregate(experiment_samples=each, bounds=bounds)
                for each in columns
            ]
            self._values[key] = np.stack(made, axis=1)
        spread = [heterogeneity(samples[:, k, :]) for k in range(samples.shape[1])]
        return ExperimentAggregationResult(members, aggregator, metric, spread, self._values[key])  # type: ignore[arg-type]

    def _metric(self, metric: str | MetricLike) -> MetricLike:
        name = metric if isinstance(metric, str) else metric.name
        if name not in self._metrics:
            raise UnknownKeyError.unknown("metric of this study", name, self._metrics)
        return self._metrics[name]

    def _validate_metric_class_label_combination(
        self, metric: str | MetricLike, class_label: int | None
    ) -> tuple[Metric | AveragedMetric, int]:
        """Return the metric and the requested column; a metric per class needs a class."""
        found: Any = self._metric(metric)
        if found.is_multiclass:
            if class_label not in {0, None}:
                warnings.warn(f"`{found.name}` is of all classes: `class_label` is not used.", stacklevel=3)
            return found, 0
        if class_label is None or not 0 <= class_label < self.num_classes:
            raise HowsureError(
                f"`{found.name}` is of one class: `class_label` is 0 to {self.num_classes - 1}, not {class_label}."
            )
        return found, class_label

    def column(self, metric: str, class_label: int | None, name: str, source: str = "posterior") -> Array:
        """Return the values of one class, or of the whole table."""
        found, label = self._validate_metric_class_label_combination(metric, class_label)
        return self.get_metric_samples(found, name, source).values[:, label]

    def observed(self, metric: str, class_label: int | None, name: str) -> float:
        """Return the observed value of an experiment; nan of an aggregate."""
        if name.endswith(f"/{AGGREGATED}"):
            return float("nan")
        return float(self.column(metric, class_label, name, "input")[0])

    # --- comparisons -----------------------------------------------------------------------------------------

    def get_pairwise_comparison(
        self,
        metric: str,
        class_label: int | None = None,
        *,
        experiment_a: str,
        experiment_b: str,
        min_sig_diff: float | None = None,
    ) -> PairwiseComparisonResult:
        """Return the difference of two experiments or aggregates."""
        found, _ = self._validate_metric_class_label_combination(metric, class_label)
        names = experiment_a, experiment_b
        sides = [
            (name, self.observed(metric, class_label, name), self.column(metric, class_label, name)) for name in names
        ]
        guesses = None
        if not any(name.endswith(f"/{AGGREGATED}") for name in names):
            drawn = [self.column(metric, class_label, name, "random") for name in names]
            guesses = drawn[0] - drawn[1]
        return compared(found, (sides[0], sides[1]), self.ci_probability, min_sig_diff, guesses)

    def get_pairwise_random_comparison(
        self, metric: str, class_label: int | None = None, *, experiment: str, min_sig_diff: float | None = None
    ) -> PairwiseComparisonResult:
        """Return the difference between an experiment and a guessing classifier on its cases."""
        found, _ = self._validate_metric_class_label_combination(metric, class_label)
        own = (experiment, float("nan"), self.column(metric, class_label, experiment))
        guess = ("random", float("nan"), self.column(metric, class_label, experiment, "random"))
        return compared(found, (own, guess), self.ci_probability, min_sig_diff, None)

    def ranks(self, metric: str, class_label: int | None = None) -> Ranks:
        """Return the probability of each rank for each experiment, as `howsure.Study.ranks`."""
        found, _ = self._validate_metric_class_label_combination(metric, class_label)
        base = found.base_metric if isinstance(found, AveragedMetric) else found
        better = base.definition.better if isinstance(base, Shipped) else "higher"
        if better == "lower":
            say_once(BETTER.format(base.name))
        drawn = {name: self.column(metric, class_label, name) for name in self.all_experiments()}
        return ranks(drawn, better=better)

    def get_listwise_comparsion_result(self, metric: str, class_label: int | None = None) -> ListwiseComparisonResult:
        """Return the probability of each rank for each experiment, the likely best first."""
        found = self.ranks(metric, class_label)
        reciprocal = found.probabilities @ (1 / np.arange(1, len(found) + 1))
        order = np.argsort(-reciprocal, kind="stable")
        return ListwiseComparisonResult(
            [found.names[i] for i in order], self._metric(metric), found.probabilities[order]
        )

    # --- reports and figures: each in its own module -----------------------------------------------------------

    report_metric_summaries = reports.report_metric_summaries
    report_random_metric_summaries = reports.report_random_metric_summaries
    report_pairwise_comparison = reports.report_pairwise_comparison
    report_pairwise_comparison_to_random = reports.report_pairwise_comparison_to_random
    report_listwise_comparison = reports.report_listwise_comparison
    report_expected_reward = reports.report_expected_reward
    report_aggregated_metric_summaries = reports.report_aggregated_metric_summaries
    plot_metric_summaries = figures.plot_metric_summaries
    plot_pairwise_comparison = figures.plot_pairwise_comparison
    plot_experiment_aggregation = figures.plot_experiment_aggregation
    plot_forest_plot = figures.plot_forest_plot


def _split(name: str) -> tuple[str, str]:
    """Return group and experiment; one word is both."""
    parts = name.split("/")
    if len(parts) > 2 or not all(parts):
        raise HowsureError(f"An experiment is named 'group/experiment', not '{name}'.")
    return parts[0], parts[-1]


def _plain(value: object) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value
