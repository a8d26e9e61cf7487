"""Cases by the thresholds that the risk of each model reaches, which determine the net benefit of every strategy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Booleans, Floats, Positions
from howsure.comparison.contenders import covariance_of_forms
from howsure.designs.algebra import Algebra
from howsure.designs.base import Design, safe_divide
from howsure.designs.cell_sums import added_up
from howsure.designs.resampling import Resampling
from howsure.metrics.decisions import odds
from howsure.metrics.forms import divide
from howsure.tables.paired_scores import PairedScoresTable
from howsure.tables.scores import ScoresTable
from howsure.tables.union import distinct_and_places

NORMAL_DRAWS = 100_000  # of the errors along a curve, for the critical value
BLOCK = 2**22  # entries of draws at once
NOISE = 1e-10  # a standard error, relative to the largest along the curve, that is rounding


@dataclass(frozen=True, eq=False)
class Sample:
    """Cases by class, and by the thresholds that the risks of the models reach.

    Parameters
    ----------
    counts : ndarray of shape (R, 2)
        Negative and positive cases with the same codes.
    codes : ndarray of shape (R, models)
        Number of thresholds that the risk by each model reaches.
    design : Design
        Design of the flattened counts.
    weights : ndarray of shape (T,)
        Odds of the thresholds: the number of true positives that a false positive costs.
    prevalence : float
        Stated prevalence; nan for that of the sample.
    """

    counts: Floats
    codes: Positions
    design: Design
    weights: Floats
    prevalence: float

    @classmethod
    def of(cls, table: ScoresTable | PairedScoresTable, thresholds: Floats, prevalence: float) -> Sample:
        """Return the cases of a table of risks."""
        given: Any = table
        is_single = not hasattr(table, "models")
        scores, tuples = (
            ((given.scores,), np.arange(len(given.scores))[:, None]) if is_single else (given.scores, given.codes)
        )
        reached = [np.searchsorted(thresholds, each, side="right") for each in scores]
        rows = np.stack([each[code] for each, code in zip(reached, tuples.T, strict=True)], 1)
        codes, place = distinct_and_places(rows)
        cell, size = (2 * place[:, None] + np.arange(2)).ravel(), 2 * len(codes)
        design = Algebra.of(table.design.collapse_cells(cell, size)).with_true_classes(np.tile([0, 1], len(codes)))
        weights = np.array([odds(each) for each in thresholds.tolist()])
        return cls(added_up(table.cells, cell, size).reshape(-1, 2), codes, design, weights, prevalence)

    @property
    def is_treated(self) -> Booleans:
        """Whether each strategy treats cases at each threshold, ``(strategies, T, R)``: none, all, and the models."""
        size = len(self.weights)
        models = self.codes.T[:, None, :] > np.arange(size)[:, None]
        ends = np.broadcast_to(np.array([False, True])[:, None, None], (2, size, len(self.codes)))
        return np.concatenate([ends, models])

    def net_benefit(self, counts: Floats) -> Floats:
        """Return the net benefit of each strategy at each threshold for counts ``(..., R, 2)``.

        The shape is ``(..., strategies, T)``.
        """
        total = counts.sum(-2)
        size = len(self.weights)
        treated = [np.zeros((*total.shape, size)), np.broadcast_to(total[..., None], (*total.shape, size))]
        for code in self.codes.T:
            by_code = added_up(np.moveaxis(counts, -2, -1), code, size + 1)  # (..., 2, codes)
            treated.append(np.cumsum(by_code[..., ::-1], -1)[..., ::-1][..., 1:])
        false, true = np.moveaxis(np.stack(treated, -3), -2, 0)
        if math.isnan(self.prevalence):
            return divide(true - self.weights * false, total.sum(-1)[..., None, None])
        rates = [divide(part, total[..., row, None, None]) for row, part in enumerate((false, true))]
        return np.asarray(self.prevalence * rates[1] - self.weights * (1 - self.prevalence) * rates[0])

    def forms(self, strategy: int) -> Floats:
        """Return the derivatives of a strategy's net benefit by the counts, ``(T, 2 R)``."""
        treated, total = self.is_treated[strategy][:, :, None] * 1.0, self.counts.sum(0)
        gain = np.stack([-self.weights, np.ones(len(self.weights))], -1)[:, None, :]  # of treating either class
        rates = (treated * self.counts).sum(1, keepdims=True) / total
        if math.isnan(self.prevalence):
            mean = (gain * rates * total).sum(-1, keepdims=True) / total.sum()
            found = (gain * treated - mean) / total.sum()
        else:
            found = gain * np.array([1 - self.prevalence, self.prevalence]) * (treated - rates) / total
        return np.asarray(found).reshape(len(found), -1)

    def covariance(self, first: int, second: int) -> Floats:
        """Return the covariance of the difference of two strategies between the thresholds, ``(T, T)``."""
        forms, counts = self.forms(first) - self.forms(second), self.counts.ravel()
        return covariance_of_forms(self.design, counts, forms, lambda form: self.design.variance(counts, form))

    def draws(self, size: int, rng: np.random.Generator) -> Floats:
        """Return the net benefit in draws of the Bayesian bootstrap, ``(size, strategies, T)``."""
        counts, prior = self.counts.ravel(), np.zeros(self.counts.size)
        step = max(1, BLOCK // max(counts.size, len(self.weights)))
        found = []
        for start in range(0, size, step):
            drawn = Resampling.of(self.design).posterior(counts, prior, min(step, size - start), rng)
            found.append(self.net_benefit(drawn.reshape(len(drawn), -1, 2)))
        return np.concatenate(found)


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
