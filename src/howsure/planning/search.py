"""Simulated check of a plan: studies are drawn from the assumed population and evaluated to find a sufficient n."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.methods.core.draws import child_seed, stream_at
from howsure.methods.core.interval import Interval, stacked
from howsure.methods.core.method import DrawingMethod
from howsure.planning.goals import MOST, Goal
from howsure.planning.pilots import Pilot

STUDIES, LONE_STUDIES, DRAWN_STUDIES = 4000, 400, 60  # in one pass, one by one, and for methods that draw
FEWEST = 100
NUMBERS = 2**24  # values of all tables of a simulation
AT_ONCE = 2**20  # values of the tables in memory at once
ROUNDS = 6
QUICK = 2  # first rounds, with a quarter of the studies
NEAR = 0.2  # on the goal's scale: simulations farther from the target have little information on the number
STEEPEST = 8.0  # largest ratio between the observed and the expected slope, in either direction
STEPS = 400  # units: with more, the steps of a power by the discreteness of counts are negligible
STEP = 1.02  # relative change of n for a numerical slope
LEAST = 2.0  # cases of a study
ROUNDING = 1e-9  # rounding error of a number of units
WITHIN = 0.005  # tolerance of the number of cases, which simulations do not resolve, when units are rounded


@dataclass(frozen=True, slots=True)
class Reached:
    """Result of simulated studies: a mean, its Monte Carlo error, and the number of studies."""

    mean: float
    error: float
    studies: int


def simulated(
    pilot: Pilot, goals: Sequence[Goal], level: float, n: float, seed: np.random.SeedSequence, part: int = 1
) -> list[Reached]:
    """Return the simulated result of studies of n cases for each goal.

    Parameters
    ----------
    pilot : Pilot
        The truth.
    goals : sequence of Goal
        Goals to evaluate.
    level : float
        The level of the two-sided intervals.
    n : float
        Cases of each study.
    seed : SeedSequence
        Seed of the draws.
    part : int
        The number of studies is divided by this.
    """
    batches = pilot.takes_batches
    studies = STUDIES if batches else DRAWN_STUDIES if isinstance(pilot.chosen, DrawingMethod) else LONE_STUDIES
    numbers = pilot.numbers(n)
    size = int(min(max(NUMBERS // numbers, FEWEST), studies)) // part
    step = int(max(1, min(size, AT_ONCE // numbers)))
    seen: list[list[Array]] = []
    for start in range(0, size, step):
        rng = np.random.Generator(np.random.PCG64(child_seed(seed, start)))
        tables = pilot.drawn(n, min(step, size - start), rng)
        joint, metric = pilot.of_batch(tables)
        with np.errstate(all="ignore"):
            if batches:
                interval = pilot.chosen.at_levels(metric, joint)(level)
            else:
                interval = _one_by_one(pilot, tables, level, child_seed(seed, start))
            number = len(tables[0].counts)
            seen.append([np.broadcast_to(goal.seen(joint, interval), number) for goal in goals])
    return [_mean(np.concatenate(each)) for each in zip(*seen, strict=True)]


def _mean(found: Array) -> Reached:
    found = found[np.isfinite(found)]
    if not found.size:
        return Reached(math.nan, math.nan, 0)
    return Reached(float(found.mean()), float(found.std() / math.sqrt(len(found))), len(found))


def _one_by_one(pilot: Pilot, tables: Any, level: float, seed: np.random.SeedSequence) -> Interval:
    return stacked(
        [
            pilot.chosen.interval(metric, table, level, stream_at(seed, index))
            for index, (table, metric) in enumerate(pilot.one_by_one(tables))
        ]
    )


def corrected(
    goal: Goal,
    start: float,
    slope: float,
    snapped: Callable[[float], float],
    reached: Callable[[float, int, int], Reached],
) -> float:
    """Return the place at which simulations reach a goal, starting from the expected place.

    Each simulation predicts a place with a slope: the expected slope, or the slope between two distant simulations. The
    predictions near the target are averaged, weighted by their numbers of studies.

    Parameters
    ----------
    goal : Goal
        Goal of the study.
    start : float
        The expected place.
    slope : float
        Slope of the result, on the scale of the goal, by the place.
    snapped : callable
        Place → the nearest place of a possible study.
    reached : callable
        ``(place, round, part)`` → result of simulations there.
    """
    aim, place = goal.scaled(goal.target), start
    told: list[tuple[float, float, float]] = []  # predicted place, distance from the target, studies
    last: tuple[float, float] | None = None
    expected, low, high = slope, -math.inf, math.inf  # ends: places known to be on either side
    for turn in range(2 * ROUNDS):
        place = snapped(place)
        found = reached(place, turn, 4 if turn < QUICK else 1)
        if not found.studies or not math.isfinite(found.mean):
            place = goal.place(2 * goal.number(place))  # too few cases for any interval
            continue
        away = aim - goal.scaled(goal.steadied(found.mean, found.studies))
        if last is not None and place != last[0] and abs(last[1] - away) > 2 * NEAR:
            seen = (last[1] - away) / (place - last[0]) / expected
            slope = expected * min(max(seen, 1 / STEEPEST), STEEPEST)
        last = place, away
        told.append((place + away / slope, away, found.studies))
        if abs(away) > NEAR:
            low, high = (max(low, place), high) if away / expected > 0 else (low, min(high, place))
        weights = np.array([studies * math.exp(-((away / NEAR) ** 2)) for _, away, studies in told])
        if weights.sum() < 1:
            weights[-1] = 1.0
        place = float(np.average([each for each, _, _ in told], weights=weights))
        if not low < place < high and low < high:
            place = (low + high) / 2 if math.isfinite(high - low) else place
        needed = found.studies * (found.error / goal.precision) ** 2
        if turn and abs(away) < NEAR and (weights.sum() >= needed or turn >= ROUNDS - 1):
            break
    return place


def corrected_cases(
    pilot: Pilot, goal: Goal, level: float, start: float, expected: Callable[[float], float], seed: Any
) -> float:
    """Return the number of cases at which simulated studies reach a goal, in whole units.

    Parameters
    ----------
    pilot : Pilot
        The truth.
    goal : Goal
        What is to be reached.
    level : float
        The level of the two-sided intervals.
    start : float
        Expected number of cases.
    expected : callable
        Number of cases → expected result.
    seed : SeedSequence
        Seed of the draws.
    """
    ends = start / STEP, start * STEP
    rise = goal.scaled(expected(ends[1])) - goal.scaled(expected(ends[0]))
    run = goal.place(ends[1]) - goal.place(ends[0])
    slope = rise / run if rise else 1 / goal.place(STEP * ends[1])  # if a single case is expected to be enough

    def reached(place: float, turn: int, part: int) -> Reached:
        return simulated(pilot, [goal], level, goal.number(place), child_seed(seed, turn), part)[0]

    def snapped(place: float) -> float:
        return goal.place(min(whole(pilot, goal.number(place)), MOST))

    place = corrected(goal, goal.place(start), slope, snapped, reached)
    n = whole(pilot, (1 - WITHIN) * goal.number(place))
    counts = pilot.takes_batches and "predictions" in pilot.joint[0].data_kinds
    reach = goal.neighbours if counts and n <= STEPS * pilot.unit else 0
    around = [whole(pilot, n + step * pilot.unit) for step in range(-reach, reach + 1)]
    if reach == 0:
        return n
    found = [
        simulated(pilot, [goal], level, each, child_seed(seed, 2 * ROUNDS + at))[0] for at, each in enumerate(around)
    ]
    return min(zip(around, found, strict=True), key=lambda each: abs(each[1].mean - goal.target))[0]


def whole(pilot: Pilot, n: float) -> float:
    """Round a number of cases up to whole units, with at least two cases."""
    return max(math.ceil(n / pilot.unit - ROUNDING), math.ceil(LEAST / pilot.unit)) * pilot.unit
