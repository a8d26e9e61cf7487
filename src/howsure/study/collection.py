"""Contents of a study: experiments, metrics, and their draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, one_of, whole_number
from howsure.estimates.estimate import Quantity
from howsure.estimates.estimation import estimate
from howsure.methods.core.draws import MOST_DRAWS
from howsure.methods.core.standard_errors import standard_error
from howsure.metrics.binding import labels_to_expand, resolve_experiment
from howsure.metrics.metric import Metric
from howsure.metrics.spec import parse
from howsure.pooling.pooled import Pooled
from howsure.pooling.tables import pool_tables
from howsure.study.aggregation import TABLES, Aggregation, Members, aggregated, aggregation
from howsure.study.experiment import Experiment, seed_of

SEED, N_DRAWS, LEVEL = 0, 10_000, 0.95  # metrics of a study without named metrics
OWN_CLASSES = "each experiment is averaged over its own classes"
MOST_NAMED = 10  # classes that a message lists


class Collection:
    """Experiments and metrics, with lazily computed values of the metrics on each experiment's draws."""

    def __init__(self, seed: int, n_draws: int) -> None:
        self.seed = whole_number("seed", seed, 0)
        self.n_draws = whole_number("n_draws", n_draws, most=MOST_DRAWS)
        self.experiments: dict[str, Experiment] = {}
        self.metrics: dict[str, Aggregation] = {}
        self._values: dict[tuple[str, str, str], Array] = {}
        self._bound: dict[tuple[str, str], Metric] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_bound": {}}  # functions, for look-up by name

    @property
    def groups(self) -> dict[str, tuple[Experiment, ...]]:
        """The experiments by group."""
        found: dict[str, list[Experiment]] = {}
        for each in self.experiments.values():
            found.setdefault(each.group, []).append(each)
        return {name: tuple(members) for name, members in found.items()}

    def add(self, one: Experiment) -> None:
        """Add an experiment; refuse duplicate names, and metrics that are not applicable to it."""
        if one.name in self.experiments:
            raise HowsureError(f"There is an experiment '{one.name}' already. Take another name.")
        alone = one.group == one.name
        if one.name in self.groups or (not alone and one.group in self.experiments):
            both = one.name if one.name in self.groups else one.group
            raise HowsureError(f"'{one.name}': '{both}' would name an experiment and a group. Take another name.")
        for other in self.groups.get(one.group, ())[:1]:
            _check_classes(one, other)
        for metric in self.metrics:
            self.bound(metric, one)
        self.experiments[one.name] = one

    def remove(self, name: str) -> None:
        """Remove an experiment, or all experiments of a group, with their draws."""
        gone = [name] if name in self.experiments else [each.name for each in self.members(name)]
        for each in gone:
            del self.experiments[each]
        self._values = {key: draws for key, draws in self._values.items() if key[0] not in gone}
        self._bound = {key: metric for key, metric in self._bound.items() if key[0] not in gone}

    def add_metric(self, spec: str, chosen: Aggregation) -> None:
        """Add a metric; refuse it if it is not applicable to the experiments."""
        metric = parse(spec).text
        for each in self.experiments.values():
            self.bound(metric, each)
        self.metrics[metric] = chosen

    def experiment(self, name: str) -> Experiment:
        """Return the experiment with this name; the error message lists similar names."""
        one_of("experiment", name, self.experiments)
        return self.experiments[name]

    def members(self, group: str) -> tuple[Experiment, ...]:
        """Return the experiments of a group."""
        if group not in self.groups:
            raise HowsureError.unknown("experiment or group", group, [*self.experiments, *self.groups])
        return self.groups[group]

    def bound(self, metric: str, one: Experiment) -> Metric:
        """Return the metric bound to an experiment's table; for one value per class, the first."""
        if one.name not in self.experiments:  # not yet, or the sum of a group
            return _bound(metric, one)
        if (one.name, metric) not in self._bound:
            self._bound[one.name, metric] = _bound(metric, one)
        return self._bound[one.name, metric]

    def expanded(self, metric: str) -> list[str]:
        """Return one spec per class for the average ``none``, by the first experiment's classes."""
        text = parse(metric).text
        first = next(iter(self.experiments.values()), None)
        found = None if first is None else labels_to_expand(text, first.table)
        if first is None or found is None:
            return [text]
        for other in self.experiments.values():
            if len(other.table.labels) != len(first.table.labels):
                classes, others = (_listed([str(label) for label in each.table.labels]) for each in (first, other))
                raise HowsureError(
                    f"'{text}' is one metric per class, and '{first.name}' has the classes {classes}, '{other.name}' "
                    f"{others}. Name an average, or put them in two studies."
                )
        return found

    def wanted(self, metric: str | None) -> list[str]:
        """Return the specs in a report: of one metric, or of all."""
        if not self.experiments:
            raise HowsureError("The study has no experiment. Add one with `add`.")
        if metric is not None:
            return self.expanded(metric)
        if not self.metrics:
            raise HowsureError("The study has no metric. Add one with `add_metric`, or name it here.")
        return [spec for each in self.metrics for spec in self.expanded(each)]

    def observed(self, metric: str, name: str) -> float:
        """Return the metric's value on an experiment's own table."""
        one = self.experiment(name)
        return float(self.bound(metric, one)(one.table.counted))

    def quantity(self, metric: str, name: str) -> Quantity:
        """Return the names of a metric on an experiment, or on the first one of a group: also the positive class."""
        one = self.experiments[name] if name in self.experiments else self.members(name)[0]
        return Quantity.of(self.bound(metric, one), one.table)

    def draws(self, metric: str, name: str, source: str) -> Array:
        """Return a metric's values on an experiment's draws."""
        if (name, source, metric) not in self._values:
            self._draw(self.experiment(name), metric, source)
        return self._values[name, source, metric]

    def _draw(self, one: Experiment, metric: str, source: str) -> None:
        """Evaluate all metrics without draws, on one stream of tables."""
        wanted = [metric, *(spec for each in self.metrics for spec in self.expanded(each))]
        missing = [spec for spec in dict.fromkeys(wanted) if (one.name, source, spec) not in self._values]
        bound = [self.bound(spec, one) for spec in missing]
        for spec, row in zip(missing, one.draws(bound, source, self.n_draws, self.seed), strict=True):
            row.flags.writeable = False
            self._values[one.name, source, spec] = row

    # --- aggregates ------------------------------------------------------------------------------------------

    def aggregate(self, metric: str, group: str, basis: str, level: float) -> Pooled:
        """Return a metric's aggregate over a group."""
        members = self.members(group)
        chosen = self._chosen(metric)
        gathered = self._gathered(metric, members, basis)
        if chosen.name == TABLES and len(members) > 1:
            return self._of_sum(metric, group, gathered, level)
        seed = seed_of(self.seed, "aggregate", group, metric, chosen.name)
        found = aggregated(chosen, gathered, level, seed)
        classes = {tuple(each.tolist()) for one in members if (each := self.bound(metric, one).classes) is not None}
        reason = "; ".join(filter(None, (found.reason, OWN_CLASSES if len(classes) > 1 else "")))
        return replace(found, metric=metric, reason=reason, positive=self.quantity(metric, group).positive)

    def _chosen(self, metric: str) -> Aggregation:
        for added, chosen in self.metrics.items():
            if metric == added or metric in self.expanded(added):
                return chosen
        return aggregation()

    def _gathered(self, metric: str, members: Sequence[Experiment], basis: str) -> Members:
        bound = [self.bound(metric, each) for each in members]
        errors = None
        if basis == "delta":
            errors = np.array([standard_error(each, one.table) for each, one in zip(bound, members, strict=True)])
        return Members(
            tuple(each.name for each in members),
            np.array([self.observed(metric, each.name) for each in members]),
            [self.draws(metric, each.name, "posterior") for each in members],
            errors,
            bound[0].range,
            lambda level: [
                estimate(one.table, each, confidence_level=level) for each, one in zip(bound, members, strict=True)
            ],
        )

    def _of_sum(self, metric: str, group: str, gathered: Members, level: float) -> Pooled:
        """Draw from the sum of the tables under the first experiment's prior; the heterogeneity is by DL."""
        members = self.members(group)
        total = replace(members[0], name=group, table=pool_tables([each.table for each in members]), origin=None)
        bound = self.bound(metric, total)
        draws = total.draws([bound], "posterior", self.n_draws, self.seed)
        observed = np.atleast_1d(bound(total.table.counts))
        single = Members((group,), observed, [draws[0]], None, gathered.range)
        alone = aggregated(Aggregation("identity"), single, level, np.random.SeedSequence(0))
        between = aggregated(Aggregation("dl", "identity"), gathered, level, np.random.SeedSequence(0))
        cases = np.array([each.table.counts.sum() for each in members])
        return replace(
            between,
            value=alone.value,
            low=alone.low,
            high=alone.high,
            standard_error=alone.standard_error,
            method=TABLES,
            estimand="all_cases",
            metric=metric,
            positive=self.quantity(metric, group).positive,
            prediction_interval=(np.nan, np.nan),
            weights=cases / cases.sum(),
            draws=draws[0],
            reason="",
        )


def _check_classes(one: Experiment, other: Experiment) -> None:
    """Refuse an experiment with other classes than its group; numbers from 0 on are no class names."""
    classes, known = ([str(label) for label in each.table.labels] for each in (one, other))
    unnamed = [str(place) for place in range(len(known))]
    if classes != known and (len(classes) != len(known) or unnamed not in (classes, known)):
        raise HowsureError(
            f"Experiment '{one.name}' has the classes {_listed(classes)}, and '{other.name}' of the same group has "
            f"{_listed(known)}. Name all classes of both with `labels`, or take another group."
        )


def _listed(labels: list[str]) -> str:
    return ", ".join(labels if len(labels) <= MOST_NAMED else [*labels[:MOST_NAMED], f"… ({len(labels):,} in all)"])


def _bound(metric: str, one: Experiment) -> Metric:
    try:
        return resolve_experiment((labels_to_expand(metric, one.table) or [metric])[0], one.table)
    except HowsureError as error:
        raise HowsureError(f"Experiment '{one.name}': {error}") from None
