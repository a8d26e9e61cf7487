"""Metrics of tasks that were run several times: by each task's number of runs and of successes.

Counts have shape ``(..., cells)``, the number of tasks in each cell. Tasks are the cases: a metric is a mean over
tasks of an unbiased estimate for each. Runs of one task therefore need not be independent of its difficulty.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.metrics.forms import divide
from howsure.metrics.kinds import Form
from howsure.metrics.registry import Scored, declare
from howsure.metrics.values import mean_of
from howsure.tables.values import TrialsTable

SHARE = (0.0, 1.0)


def _examples() -> Iterator[TrialsTable]:
    runs = np.repeat([4, 6], [5, 7])
    successes = np.concatenate([np.arange(5), np.arange(7)])
    order = np.argsort(successes / runs, kind="stable")
    counts = np.random.default_rng(0).integers(1, 20, len(runs)) * 1.0
    yield TrialsTable(counts=counts, runs=runs[order], successes=successes[order])


trials_metric = declare(  # (table of tasks by runs and successes, arguments) → Scored
    Form(name="trials", maker="a table of trials: `trials(success, task=…)`", examples=_examples)
)


def _chosen(metric: str, table: TrialsTable, k: int) -> int:
    """Return the number of runs to choose, which every task must have."""
    if k < 1:
        raise HowsureError(f"`k` of `{metric}` is at least 1, not {k}.")
    fewest = int(table.runs.min())
    if k > fewest:
        raise HowsureError(
            f"`{metric}` needs {k} runs of each task, and some have {fewest}. Take `k={fewest}` or less."
        )
    return k


def all_alike(selected: Array, runs: Array, k: int) -> Array:
    """Return the chance that k runs, chosen among all without putting back, are all marked.

    Parameters
    ----------
    selected, runs : ndarray of shape (cells,)
        How many runs are marked, of how many.
    k : int
        How many are chosen.
    """
    taken = np.arange(k)
    return np.asarray(np.prod(np.maximum(selected[:, None] - taken, 0) / (runs[:, None] - taken), axis=1))


@trials_metric(aliases=("pass_at_k",), always_stated=("k",))
def pass_at(table: TrialsTable, *, k: int = 1) -> Scored:
    """Chance that at least one of k runs of a task succeeds (pass@k, unbiased: Chen et al. 2021)."""
    chosen = _chosen("pass_at", table, k)
    return mean_of(1 - all_alike(table.runs - table.successes, table.runs, chosen), SHARE)


@trials_metric(aliases=("pass_all_k", "pass^k"), always_stated=("k",))
def pass_all(table: TrialsTable, *, k: int = 1) -> Scored:
    """Chance that all of k runs of a task succeed (pass^k)."""
    return mean_of(all_alike(table.successes, table.runs, _chosen("pass_all", table, k)), SHARE)


def _disagreements(metric: str, table: TrialsTable) -> Array:
    _chosen(metric, table, 2)
    runs, successes = table.runs, table.successes
    return np.asarray(2.0 * successes * (runs - successes) / (runs * (runs - 1.0)))


@trials_metric(better="lower")
def flip_rate(table: TrialsTable) -> Scored:
    """Share of the pairs of runs of one task that disagree, averaged over tasks."""
    return mean_of(_disagreements("flip_rate", table), SHARE)


@trials_metric(range=(0.0, 0.5), better="lower")
def run_variance(table: TrialsTable) -> Scored:
    """Variance between the runs of one task, averaged over tasks (mean square within, unbiased)."""
    return mean_of(_disagreements("run_variance", table) / 2, (0.0, 0.5))


def _between(table: TrialsTable, metric: str) -> Scored:
    """Return the variance of the tasks' success probabilities: that of the proportions minus that due to the runs."""
    shares = table.successes / table.runs
    noise = _disagreements(metric, table) / 2 / table.runs

    def parts(cells: Array) -> tuple[Array, Array]:
        total = cells.sum(-1)
        away = shares - divide(cells @ shares, total)[..., None]
        by_cell = away**2 - noise
        return by_cell, divide((cells * by_cell).sum(-1), total)

    def slopes(cells: Array) -> Array:
        by_cell, variance = parts(cells)
        return np.asarray((by_cell - variance[..., None]) / cells.sum(-1)[..., None])

    return Scored(lambda cells: parts(cells)[1], slopes)


@trials_metric(range=(-0.5, 0.25), better="neither")
def task_variance(table: TrialsTable) -> Scored:
    """Variance between the tasks' own chances of success (by moments; negative where runs explain more than all)."""
    return _between(table, "task_variance")


@trials_metric(range=(-1.0, 1.0), better="neither", aliases=("intraclass_correlation",))
def icc(table: TrialsTable) -> Scored:
    """Share of the variance of single runs that lies between tasks (intraclass correlation, by moments)."""
    within, between = mean_of(_disagreements("icc", table) / 2, None), _between(table, "icc")

    def value(cells: Array) -> Array:
        own = between.value(cells)
        return divide(own, own + within.value(cells))

    def slopes(cells: Array) -> Array:
        own, other = between.value(cells)[..., None], within.value(cells)[..., None]
        return divide(other * between.gradient(cells) - own * within.gradient(cells), (own + other) ** 2)

    return Scored(value, slopes)
