"""Truths of scores, of annotators and of made labels, from which `proof` draws studies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats

import howsure as hs
from howsure.lab.truths import MANY

LEVELS = 400  # of probabilities
FINE = 2**14  # quantiles of either class that stand for continuous scores
SHAPES: dict[str, tuple[Any, Any]] = {  # scores of negative and of positive cases
    "normal": (stats.norm(), stats.norm(1.2)),
    "normal, far apart": (stats.norm(), stats.norm(2.7)),
    "normal, close": (stats.norm(), stats.norm(0.6)),
    "wider positives": (stats.norm(), stats.norm(1.0, 2.0)),
    "wider negatives": (stats.norm(0, 2.0), stats.norm(2.2)),
    "skewed": (stats.gamma(1.5), stats.gamma(3.0, scale=1.3)),
    "heavy tails": (stats.t(2.5), stats.t(2.5, 1.8)),
    "bounded": (stats.beta(0.7, 3.0), stats.beta(2.5, 1.2)),
    "reversed exponential": (stats.gumbel_l(), stats.gumbel_l(1.5)),
}


@dataclass(frozen=True, slots=True)
class Ranks(hs.lab.Truth):
    """Cases in the order of continuous scores, which determines all metrics of ranks."""

    shape: str
    positives: int
    negatives: int

    @property
    def share(self) -> float:
        """Share of positive cases."""
        return self.positives / (self.positives + self.negatives)

    @property
    def expected(self) -> hs.tables.ScoresTable:
        """The table that very many cases would give, between quantiles of either class, closer in the tails."""
        negative, positive = SHAPES[self.shape]
        inner = special.expit(np.linspace(-16, 16, FINE))
        ends = np.unique(np.r_[negative.ppf(inner), positive.ppf(inner)])
        above = np.stack([np.r_[1.0, each.sf(ends), 0.0] for each in (negative, positive)], -1)
        return self._table(-np.diff(above, axis=0) * [1 - self.share, self.share] * MANY)

    @property
    def numbers(self) -> int:
        """How many numbers are held while one table is drawn."""
        return 4 * (self.positives + self.negatives)

    def tables(self, size: int, rng: np.random.Generator) -> hs.tables.ScoresTable:
        """Return the ranks of each study: each case has one of its own."""
        shape = size, self.positives + self.negatives
        truth = rng.random(shape) < self.share
        negative, positive = (each.rvs(shape, random_state=rng) for each in SHAPES[self.shape])
        order = np.argsort(np.where(truth, positive, negative), axis=1)
        return self._table(np.eye(2)[np.take_along_axis(truth.astype(int), order, 1)], shape[1])

    def _table(self, counts: np.ndarray, rows: int = -1) -> hs.tables.ScoresTable:
        places = np.arange(float(counts.shape[-2]))
        return hs.tables.ScoresTable(counts=counts, scores=places, labels=np.array([0, 1]), rows=rows)


def forecasts(a: float, b: float, intercept: float, slope: float, levels: int = LEVELS) -> hs.tables.ScoresTable:
    """Return very many cases of scores from a beta distribution, whose log-odds are off by an intercept and a slope."""
    scores = stats.beta(a, b).ppf((np.arange(levels) + 0.5) / levels)
    chance = special.expit((special.logit(scores) - intercept) / slope)
    counts = np.stack([1 - chance, chance], -1) * MANY / levels
    return hs.tables.ScoresTable(counts=counts, scores=scores, labels=np.array([0, 1]))


@dataclass(frozen=True, slots=True, eq=False)
class Labelled(hs.lab.Truth):
    """Cases of two classes, whose labels in a study differ from the true ones."""

    cells: hs.lab.Cells

    @property
    def expected(self) -> hs.Table:
        """The table of true labels that very many cases would give."""
        return self.cells.expected

    @property
    def numbers(self) -> int:
        """How many numbers are held while one table is drawn."""
        return 8 * self.cells.n

    def drawn(self, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return the true and the predicted class of each case of each study."""
        return np.divmod(rng.choice(4, (size, self.cells.n), p=np.ravel(self.cells.shares)), 2)


@dataclass(frozen=True, slots=True, eq=False)
class Voted(Labelled):
    """Their labels are the votes of annotators that are wrong at random."""

    wrong: tuple[float, ...]  # how often each annotator is

    def tables(self, size: int, rng: np.random.Generator) -> list[hs.Table]:
        """Return the table of each study's votes."""
        true, predicted = self.drawn(size, rng)
        votes = true[..., None] ^ (rng.random((*true.shape, len(self.wrong))) < self.wrong)
        return [hs.labels.annotated(*each) for each in zip(votes, predicted, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Trusted(Labelled):
    """All have a made label, and some a trusted one."""

    wrong: float  # how often a made label is
    number: int  # of trusted ones

    def tables(self, size: int, rng: np.random.Generator) -> list[hs.Table]:
        """Return the table of each study's trusted and made labels."""
        true, predicted = self.drawn(size, rng)
        made = true ^ (rng.random(true.shape) < self.wrong)
        seen = np.where(np.arange(self.cells.n) < self.number, true, np.nan)
        return [hs.labels.prediction_powered(*each) for each in zip(seen, made, predicted, strict=True)]
