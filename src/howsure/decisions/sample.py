"""Net benefits of strategies at thresholds of the risk, from the numbers of thresholds that each case reaches.

Strategies are numbered: 0 treats no case, 1 treats all, and 2, 3, … treat the cases whose risk by the first, second, …
model reaches the threshold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.arrays import Floats, Positions
from howsure.cached import cached_property
from howsure.comparison.contenders import covariance_of_forms
from howsure.designs.algebra import Algebra
from howsure.designs.base import Design, safe_divide
from howsure.designs.cell_sums import added_up
from howsure.designs.resampling import Resampling
from howsure.designs.variance_details import VarianceDetails
from howsure.metrics.decisions import odds
from howsure.metrics.forms import divide
from howsure.tables.paired_scores import PairedScoresTable
from howsure.tables.scores import ScoresTable
from howsure.tables.union import distinct_and_places

ALL, FIRST_MODEL = 1, 2  # numbers of strategies
NORMAL_DRAWS = 100_000  # of the errors along a curve, for the critical value
BLOCK = 2**22  # largest number of entries of an array
NOISE = 1e-10  # smaller ones are rounding errors: standard errors and eigenvalues relative to the largest


@dataclass(frozen=True, eq=False)
class Sample:
    """Cases by class, and by the number of thresholds that the risk of each model reaches.

    Cases with the same numbers have one row of counts: the net benefit of every strategy is a function of these counts.

    Parameters
    ----------
    counts : ndarray of shape (R, 2)
        Negative and positive cases in each row.
    codes : ndarray of shape (R, models)
        Number of thresholds that the risk by each model reaches, in each row.
    design : Design
        Design of the flattened counts.
    thresholds : ndarray of shape (T,)
        The thresholds, ascending.
    prevalence : float
        Stated prevalence; nan for that of the sample.
    """

    counts: Floats
    codes: Positions
    design: Design
    thresholds: Floats
    prevalence: float

    @classmethod
    def of(cls, table: ScoresTable | PairedScoresTable, thresholds: Floats, prevalence: float) -> Sample:
        """Return the cases of a table of risks."""
        risks: Any = table
        if hasattr(table, "models"):
            scores, positions = risks.scores, risks.codes
        else:
            scores, positions = (risks.scores,), np.arange(len(risks.scores))[:, None]
        reached = [np.searchsorted(thresholds, each, side="right") for each in scores]
        codes = np.stack([each[position] for each, position in zip(reached, positions.T, strict=True)], 1)
        return _merged(cls(table.cells.reshape(-1, 2), codes, table.design, thresholds, prevalence))

    @cached_property
    def weights(self) -> Floats:
        """Odds of the thresholds: the number of true positives that a false positive costs, ``(T,)``."""
        return np.array([odds(each) for each in self.thresholds.tolist()])

    @cached_property
    def values(self) -> Floats:
        """Net benefit of each strategy at each threshold, ``(strategies, T)``."""
        return self.net_benefit(self.counts)

    @cached_property
    def rates(self) -> Floats:
        """False and true positive rates of each strategy at each threshold, ``(2, strategies, T)``."""
        return divide(self._treated(self.counts), self.counts.sum(0)[:, None, None])

    def net_benefit(self, counts: Floats) -> Floats:
        """Return the net benefit of each strategy at each threshold for counts ``(..., R, 2)``.

        The shape is ``(..., strategies, T)``.
        """
        total = counts.sum(-2)
        false, true = self._treated(counts)
        if math.isnan(self.prevalence):
            return divide(true - self.weights * false, total.sum(-1)[..., None, None])
        rates = [divide(part, total[..., row, None, None]) for row, part in enumerate((false, true))]
        return np.asarray(self.prevalence * rates[1] - self.weights * (1 - self.prevalence) * rates[0])

    def _treated(self, counts: Floats) -> Floats:
        """Return the negative and positive cases that each strategy treats, ``(2, ..., strategies, T)``."""
        total = counts.sum(-2)
        size = len(self.thresholds)
        treated = [np.zeros((*total.shape, size)), np.broadcast_to(total[..., None], (*total.shape, size))]
        for code in self.codes.T:
            by_code = added_up(np.moveaxis(counts, -2, -1), code, size + 1)  # (..., 2, size + 1)
            at_least = np.cumsum(by_code[..., ::-1], -1)[..., ::-1]
            treated.append(at_least[..., 1:])  # the threshold t is reached by codes above t
        return np.moveaxis(np.stack(treated, -3), -2, 0)

    def covariance(self, first: int, second: int) -> Floats:
        """Return the covariance of the difference of two strategies between the thresholds, ``(T, T)``."""
        merged = self._of_strategies(first, second)
        gradients, counts = _Gradients(merged, first, second), merged.counts.ravel()
        squares = VarianceDetails.of(merged.design).squared_weights(counts)
        if squares is None:
            return covariance_of_forms(
                merged.design, counts, gradients, lambda gradient: merged.design.variance(counts, gradient)
            )
        found = np.zeros((len(gradients), len(gradients)))
        for rows in gradients.blocks():
            part = gradients.at(rows)
            found += (part * squares.reshape(-1, 2)[rows].ravel()) @ part.T
        return found

    def errors(self, first: int, second: int) -> Floats:
        """Return the standard errors of the difference of two strategies, ``(T,)``."""
        merged = self._of_strategies(first, second)
        counts, gradients = merged.counts.ravel(), _Gradients(merged, first, second)
        variance = np.array([float(merged.design.variance(counts, each)) for each in gradients])
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    def _of_strategies(self, *strategies: int) -> Sample:
        """Return the sample for some strategies only: cases that differ in other models alone are merged."""
        others = [model for model in range(self.codes.shape[1]) if model + FIRST_MODEL not in strategies]
        if not others:
            return self
        codes = self.codes.copy()
        codes[:, others] = 0
        return _merged(replace(self, codes=codes))

    def draws(self, size: int, rng: np.random.Generator) -> Floats:
        """Return the net benefit in draws of the Bayesian bootstrap, ``(size, strategies, T)``."""
        counts, prior = self.counts.ravel(), np.zeros(self.counts.size)
        step = max(1, BLOCK // max(counts.size, len(self.thresholds)))
        found = []
        for start in range(0, size, step):
            drawn = Resampling.of(self.design).posterior(counts, prior, min(step, size - start), rng)
            found.append(self.net_benefit(drawn.reshape(len(drawn), -1, 2)))
        return np.concatenate(found)


def _merged(sample: Sample) -> Sample:
    """Return a sample with one row for each distinct row of codes."""
    codes, place = distinct_and_places(sample.codes)
    cell, size = (2 * place[:, None] + np.arange(2)).ravel(), 2 * len(codes)
    design = Algebra.of(sample.design.collapse_cells(cell, size)).with_true_classes(np.tile([0, 1], len(codes)))
    counts = added_up(sample.counts.ravel(), cell, size).reshape(-1, 2)
    return replace(sample, counts=counts, codes=codes, design=design)


@dataclass(frozen=True, eq=False)
class _Gradients(Sequence[Floats]):
    """Gradient of the difference of two strategies by the counts, of length 2 R, for each threshold."""

    sample: Sample
    first: int
    second: int

    def __len__(self) -> int:
        return len(self.sample.thresholds)

    def __getitem__(self, place: Any) -> Any:
        threshold = range(len(self))[place]
        return self.at(slice(None), slice(threshold, threshold + 1))[0]

    def blocks(self) -> Iterator[slice]:
        """Return slices of the rows of counts, whose gradients at all thresholds fit in memory."""
        step = max(1, BLOCK // (2 * len(self)))
        return (slice(start, start + step) for start in range(0, len(self.sample.counts), step))

    def at(self, rows: slice, thresholds: slice = slice(None)) -> Floats:
        """Return the gradients at some thresholds by some rows of counts, ``(thresholds, 2 rows)``."""
        one, other = (self._of_strategy(each, rows, thresholds) for each in (self.first, self.second))
        return np.asarray(one - other).reshape(len(one), -1)

    def _of_strategy(self, strategy: int, rows: slice, thresholds: slice) -> Floats:
        """Return the gradient of the net benefit of one strategy, ``(thresholds, rows, 2)``."""
        sample = self.sample
        weights, total = sample.weights[thresholds], sample.counts.sum(0)
        codes = sample.codes[rows]
        number = np.arange(len(self))[thresholds, None]
        if strategy < FIRST_MODEL:
            is_treated = np.full((len(number), len(codes)), strategy == ALL)
        else:
            is_treated = codes[:, strategy - FIRST_MODEL] > number
        gain = np.stack([-weights, np.ones(len(weights))], -1)[:, None, :]  # of treating a negative or positive case
        if math.isnan(sample.prevalence):
            values = sample.values[strategy, thresholds, None, None]
            return np.asarray((gain * is_treated[..., None] - values) / total.sum())
        rates = sample.rates[:, strategy, thresholds].T[:, None, :]
        frequencies = np.array([1 - sample.prevalence, sample.prevalence])
        return np.asarray(gain * frequencies * (is_treated[..., None] - rates) / total)


def critical_value(covariance: Floats, level: float, rng: np.random.Generator) -> float:
    """Return the quantile of the largest absolute error along a curve, in standard errors; nan without variation.

    Parameters
    ----------
    covariance : ndarray of shape (T, T)
        Covariance of the errors, which are normal.
    level : float
        Probability that no error is larger.
    rng : Generator
        Source of the draws.

    Examples
    --------
    >>> round(critical_value(np.ones((3, 3)), 0.95, np.random.default_rng(0)), 1)
    2.0
    """
    spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    known = np.isfinite(spread) & (spread > NOISE * np.nanmax(spread, initial=0.0))
    if not known.any():
        return math.nan
    spread = spread[known]
    values, vectors = np.linalg.eigh(safe_divide(covariance[np.ix_(known, known)], np.outer(spread, spread)))
    kept = values > NOISE * values[-1]
    root = vectors[:, kept] * np.sqrt(values[kept])
    largest, step = [], max(1, BLOCK // len(root))
    for start in range(0, NORMAL_DRAWS, step):
        normal = rng.standard_normal((min(step, NORMAL_DRAWS - start), root.shape[1]))
        largest.append(np.abs(normal @ root.T).max(1))
    return float(np.quantile(np.concatenate(largest), level))
