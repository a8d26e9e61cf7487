"""Reports of a study at its confidence level: draws, summaries, comparisons, ranks and aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

from howsure.arrays import Array
from howsure.comparison.ranks import Ranks, ranks
from howsure.comparison.result import Comparison
from howsure.comparison.rope import Region
from howsure.errors import checked_level, one_of
from howsure.metrics.spec import parse
from howsure.study import findings
from howsure.study.collection import Collection
from howsure.study.experiment import SOURCES
from howsure.study.findings import RANDOM
from howsure.study.records import Records

Source = Literal["posterior", "prior", "random"]
Basis = Literal["draws", "delta"]


class Reports:
    """Reports on the experiments of a study.

    Parameters
    ----------
    held : Collection
        The experiments and metrics.
    confidence_level : float
        Level of all intervals.
    """

    def __init__(self, held: Collection, confidence_level: float) -> None:
        self._held = held
        self.confidence_level = confidence_level

    @property
    def confidence_level(self) -> float:
        """Level of all intervals."""
        return self._level

    @confidence_level.setter
    def confidence_level(self, level: float) -> None:
        self._level = checked_level(level)

    def draws(self, metric: str, name: str, *, source: Source = "posterior") -> Array:
        """Return draws of a metric for an experiment, or for the aggregate of a group.

        Parameters
        ----------
        metric : str
            A spec string; the metric need not have been added to the study.
        name : str
            An experiment or a group.
        source : {"posterior", "prior", "random"}
            ``"posterior"``, ``"prior"``, or ``"random"``: a classifier that guesses all classes equally often.
        """
        one_of("source of draws", source, SOURCES)
        return findings.draws_of(self._held, parse(metric).text, name, source, self._level)

    def observed(self, metric: str, name: str) -> float:
        """Return the metric's observed value on an experiment."""
        return self._held.observed(parse(metric).text, name)

    def summaries(self, metric: str | None = None, *, source: Source = "posterior") -> Records:
        """Return the observed value and a summary of the draws of each experiment: median, mean, mode, interval, shape.

        Parameters
        ----------
        metric : str, optional
            A spec string; by default all metrics of the study.
        source : {"posterior", "prior", "random"}
            ``"random"`` for the baseline of a guessing classifier, ``"prior"`` for the prior alone.
        """
        return findings.summaries(self._held, metric, source, self._level)

    def compare(self, metric: str, first: str, second: str, *, rope: Region | None = None) -> Comparison:
        """Return the difference ``first - second`` from draws, under the assumption of independent experiments.

        Parameters
        ----------
        metric : str
            A spec string.
        first, second : str
            Experiments, groups (their aggregates), or, for the second, ``"random"``: a classifier that guesses, on
            the first's test set.
        rope : float or tuple of two float, optional
            Largest irrelevant difference (region of practical equivalence), or a pair (low, high); none by default.

        Notes
        -----
        For two classifiers on the same cases, `compare` with their paired predictions is more precise.
        """
        return findings.compared(self._held, parse(metric).text, (first, second), rope, self._level)

    def comparisons(self, metric: str, *, rope: Region | None = None, among: Sequence[str] | None = None) -> Records:
        """Return the differences of all pairs of experiments, or of those named in ``among`` (groups too)."""
        names = list(self._held.experiments) if among is None else list(among)
        return findings.comparisons(self._held, parse(metric).text, list(combinations(names, 2)), rope, self._level)

    def against_random(self, metric: str, *, rope: Region | None = None) -> Records:
        """Return the differences of all experiments from a guessing classifier on their test sets."""
        pairs = [(name, RANDOM) for name in self._held.experiments]
        return findings.comparisons(self._held, parse(metric).text, pairs, rope, self._level)

    def ranks(self, metric: str, *, among: Sequence[str] | None = None) -> Ranks:
        """Return the probability of each rank for each experiment, or for those named in ``among`` (groups too)."""
        names = list(self._held.experiments) if among is None else list(among)
        text = parse(metric).text
        drawn = {name: self.draws(text, name) for name in names}
        found = ranks(drawn, better=parse(metric).definition.better)
        return replace(found, positive=self._held.quantity(text, names[0]).positive)

    def expected_rewards(self, metric: str, rewards: Sequence[float], *, among: Sequence[str] | None = None) -> Records:
        """Return the expected reward of each experiment, with the reward ``rewards[r - 1]`` for rank r."""
        found = self.ranks(metric, among=among).expected_rewards(rewards)
        records = [{"experiment": name, "expected_reward": reward} for name, reward in found.items()]
        return Records(
            objects=found,
            rows=tuple(records),
            shown=("experiment", "expected_reward"),
            confidence_level=self._level,
            caption=parse(metric).text,
        )

    def aggregate(self, metric: str | None = None, *, basis: Basis = "draws") -> Records:
        """Return the aggregate of each group, with the heterogeneity between its experiments.

        Parameters
        ----------
        metric : str, optional
            A spec string; by default all metrics of the study. One that has not been added takes the default
            aggregation.
        basis : {"draws", "delta"}
            ``"draws"``: mean and standard deviation of the posterior; ``"delta"``: observed value and delta-method
            standard error. ``"binomial_normal"`` takes neither: it pools observed values by their likelihood.

        Returns
        -------
        Records
            ``found["mlp"]`` is a `Pooled`.
        """
        one_of("basis of an aggregate", basis, ["draws", "delta"])
        return findings.aggregates(self._held, metric, basis, self._level)
