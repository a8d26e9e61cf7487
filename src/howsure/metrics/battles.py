"""Metrics of battles between two models, seen from one of them: counts are those of each pair's outcomes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.forms import Ratio, divide
from howsure.metrics.kinds import Form
from howsure.metrics.paired_comparisons import Fit, fitted
from howsure.metrics.registry import Scored, declare
from howsure.tables.preferences import OUTCOMES, BattlesTable

REAL = (-np.inf, np.inf)


def _examples() -> Iterator[BattlesTable]:
    counts = np.array([7.0, 3.0, 2.0, 6.0, 4.0, 1.0, 5.0, 8.0, 3.0])
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    yield BattlesTable(counts=counts, pairs=pairs, names=("0", "1", "2"), model=1)


battles_metric = declare(  # (table of battles, from the perspective of one model, arguments) → Scored
    Form(
        name="battles",
        maker="a table of battles: `preferences(a, b, winner)`",
        examples=_examples,
    )
)


def _fit(table: BattlesTable, cells: Array, *, ties: bool) -> Fit:
    counts = cells.reshape(*cells.shape[:-1], len(table.pairs), OUTCOMES)
    return fitted(table.pairs, len(table.names), counts, ties=ties)


def _strength(table: BattlesTable, *, ties: bool) -> Scored:
    """Return the strength of the model; the mean over all fitted models is 0."""
    at = np.eye(len(table.names))[table.model]

    def value(cells: Array) -> Array:
        return np.asarray(_fit(table, cells, ties=ties).strengths[..., table.model])

    def slopes(cells: Array) -> Array:
        fit = _fit(table, cells, ties=ties)
        mean = fit.fitted / np.maximum(fit.fitted.sum(-1, keepdims=True), 1)
        return fit.slopes(at - mean).reshape(cells.shape)

    return Scored(value, slopes, range=REAL)


@battles_metric(range=REAL, aliases=("strength", "bt"))
def bradley_terry(table: BattlesTable) -> Scored:
    """Strength by Bradley and Terry: log odds to win against an average model, a tie being half a win."""
    return _strength(table, ties=False)


@battles_metric(range=REAL, aliases=("elo_rating",))
def elo(table: BattlesTable, *, mean: float = 1000.0) -> Scored:
    """Strength by Bradley and Terry on the scale of Elo: 400 points more are odds of 10 to 1 to win."""
    strength, scale = _strength(table, ties=False), 400 / math.log(10)
    return replace(
        strength,
        value=lambda cells: mean + scale * strength.value(cells),
        gradient=lambda cells: scale * strength.gradient(cells),
    )


@battles_metric(range=REAL)
def davidson(table: BattlesTable) -> Scored:
    """Strength by Davidson: as Bradley and Terry's, ties being an outcome with a chance of its own."""
    return _strength(table, ties=True)


@battles_metric()
def win_rate(table: BattlesTable) -> Scored:
    """Share of its battles that the model wins, a tie being half a win."""
    first, second = (table.pairs == table.model).T
    won = np.stack([first, second, (first | second) / 2], -1).ravel() * 1.0
    own = np.repeat(first | second, OUTCOMES) * 1.0

    def value(cells: Array) -> Array:
        return divide(cells @ won, cells @ own)

    def slopes(cells: Array) -> Array:
        return np.asarray(divide(won - value(cells)[..., None] * own, (cells @ own)[..., None]))

    return Scored(value, slopes, structure=Ratio(won, own))


@battles_metric()
def win_probability(table: BattlesTable, *, against: str = "") -> Scored:
    """Chance to win against another model by Bradley and Terry; by default against one of the others at random."""
    size = len(table.names)
    if against and (against not in table.names or against == table.names[table.model]):
        known = [name for name in table.names if name != table.names[table.model]]
        raise HowsureError.unknown("other model", against, known)
    others = np.arange(size) != table.model if not against else np.array([name == against for name in table.names])

    def chances(fit: Fit) -> tuple[Array, Array]:
        """Return the chances against the others that are fitted, 0 elsewhere, and their weights."""
        strengths = fit.strengths
        weights = others * (fit.fitted | bool(against))
        return divide(weights * 1.0, weights.sum(-1, keepdims=True)), 1 / (
            1 + np.exp(strengths - strengths[..., table.model, None])
        )

    def value(cells: Array) -> Array:
        weights, wins = chances(_fit(table, cells, ties=False))
        return np.asarray(np.where(weights > 0, weights * wins, 0.0).sum(-1) + 0 * weights.sum(-1))

    def slopes(cells: Array) -> Array:
        fit = _fit(table, cells, ties=False)
        weights, wins = chances(fit)
        moved = np.where(weights > 0, weights * wins * (1 - wins), 0.0)
        by_strength = moved.sum(-1, keepdims=True) * np.eye(size)[table.model] - moved
        return fit.slopes(by_strength).reshape(cells.shape)

    return Scored(value, slopes)
