"""Bootstrap of any function of rows, for metrics that are not functions of a table."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, Literal

import numpy as np

from howsure.arrays import Array, Seed
from howsure.errors import HowsureError, checked_level, looked_up, without
from howsure.escapes import shown
from howsure.estimates.estimate import Estimate
from howsure.methods.core.draws import checked_resamples, child_seed, seed_sequence
from howsure.methods.core.lookup import named
from howsure.methods.drawn.bootstrap import Bootstrap, limits_of_draws
from howsure.methods.drawn.jackknife import skewness_of_jackknife
from howsure.methods.numerics.draw_summaries import defined_resamples
from howsure.running.progress import progress

BLOCK = 64  # resamples per random stream
MOST_JACKKNIFE = 2_000  # with more rows, the jackknife leaves out groups of rows


@without(counts="Rows are resampled: repeat each, such as by numpy.repeat(rows, counts, axis=0).")
def bootstrap(
    function: Callable[..., float],
    *arrays: object,
    method: str | Bootstrap = "bootstrap_bca",
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    random_state: Seed = None,
    groups: object = None,
    workers: int = 1,
    executor: Literal["threads", "processes"] = "threads",
    show_progress: bool | None = None,
) -> Estimate:
    """Bootstrap any function of the rows of some arrays.

    Parameters
    ----------
    function : callable
        Function that is called as ``function(*arrays)`` with the rows of a resample and returns a number.
    *arrays : array-like of shape (n, ...)
        Arrays with one row per case, resampled together.
    method : str or Bootstrap
        ``"bootstrap_percentile"``, ``"bootstrap_basic"`` or ``"bootstrap_bca"``.
    n_resamples : int
        Number of resamples, at least 39.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.
    random_state : int, Generator, SeedSequence or None
        Seed; the result does not depend on ``workers``.
    groups : array-like of shape (n,), optional
        Cluster of each row: whole clusters are resampled.
    workers : int
        Number of threads or processes.
    executor : {"threads", "processes"}
        ``"threads"``, for functions that release Python's global interpreter lock, or ``"processes"``.
    show_progress : bool, optional
        Whether to show a progress bar; by default for long computations in a terminal or notebook.

    Returns
    -------
    Estimate
        The function of all rows, with its interval and the resampled values as ``draws``.

    Raises
    ------
    HowsureError
        If the arrays differ in length or are empty.

    Notes
    -----
    For howsure's own metrics use ``estimate(table, metric, method="bootstrap_bca")``, whose cost does not depend
    on the number of rows.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> values = np.random.default_rng(0).normal(size=50)
    >>> estimate = hs.bootstrap(np.mean, values, n_resamples=999, random_state=0)
    >>> estimate.low < estimate.value < estimate.high
    True
    """
    chosen = named(method)
    if not isinstance(chosen, Bootstrap) or chosen.kind == "studentized":
        raise HowsureError(
            f"`bootstrap` takes 'bootstrap_percentile', 'bootstrap_basic' or 'bootstrap_bca', not {method!r}."
        )
    level, size = checked_level(confidence_level), checked_resamples("n_resamples", n_resamples)
    if not callable(function):
        raise HowsureError(
            f"`bootstrap` takes a function, not {shown(function)}, and then its arrays: `bootstrap(function, y_true, "
            "y_pred)`. For a metric by name: estimate(confusion(y_true, y_pred), 'f1', method='bootstrap_bca')."
        )
    columns = _checked_arrays(arrays)
    members = _members(groups, len(columns[0]))
    found = function(*columns)
    try:
        value = float(found)
    except (TypeError, ValueError):
        raise HowsureError(
            f"`function` must return one number, not {type(found).__name__}. Take it out of the result, such as "
            "`lambda x, y: spearmanr(x, y).statistic`."
        ) from None
    seed = seed_sequence(random_state)
    jobs = [(start, child_seed(seed, start)) for start in range(0, size, BLOCK)]
    sizes = [min(BLOCK, size - start) for start, _ in jobs]
    pool = looked_up("executor", executor, {"threads": ThreadPoolExecutor, "processes": ProcessPoolExecutor})
    work = _Resamples(function, columns, members)
    with pool(max(1, workers)) as running, progress("resampling", len(jobs), show_progress) as advance:
        blocks = []
        for block in _mapped(running, work, [child for _, child in jobs], sizes):
            blocks.append(block)
            advance()
    draws = np.concatenate(blocks)
    kept, have_limits, reason = defined_resamples(draws)
    low = high = math.nan
    if have_limits and np.ptp(kept) > 0:
        acceleration = 0.0 if chosen.kind != "bca" else _acceleration(function, columns, members)
        low, high = limits_of_draws(chosen.kind, value, kept, level, acceleration)
    elif have_limits:
        reason = "every resample gives the same value: the bootstrap gives no interval"
    name = getattr(function, "__name__", type(function).__name__)
    error = float(kept.std(ddof=1)) if len(kept) > 1 else math.nan
    return Estimate(
        value,
        low=low,
        high=high,
        metric=name,
        confidence_level=level,
        method=chosen.name,
        standard_error=error,
        draws=draws,
        reason=reason,
    )


def bootstrap_ci(
    y_true: object,
    y_pred: object,
    metric: Callable[[Any, Any], float],
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    method: str = "bootstrap_bca",
    random_state: Seed = None,
) -> Estimate:
    """Bootstrap a function of true and predicted labels, with the signature of the package ``confidenceinterval``.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted label of each case.
    metric : callable
        Function that is called as ``metric(y_true, y_pred)`` with the rows of a resample and returns a number.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.
    n_resamples : int
        Number of resamples, at least 39.
    method : str
        ``"bootstrap_percentile"``, ``"bootstrap_basic"`` or ``"bootstrap_bca"``.
    random_state : int, Generator, SeedSequence or None
        Seed.

    Returns
    -------
    Estimate
        The result of `bootstrap`.

    Raises
    ------
    HowsureError
        If the arrays differ in length or are empty, or the method is unknown.

    Examples
    --------
    >>> import howsure as hs
    >>> share_right = lambda y_true, y_pred: (y_true == y_pred).mean()
    >>> value, (low, high) = hs.bootstrap_ci([1, 0, 1, 0, 1], [1, 0, 0, 0, 1], share_right, random_state=0)
    >>> value
    0.8
    """
    return bootstrap(
        metric,
        y_true,
        y_pred,
        method=method,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        random_state=random_state,
    )


class _Resamples:
    """Function of one block of resamples; a class, so that it can be pickled for another process."""

    def __init__(self, function: Callable[..., float], columns: list[Array], members: list[Array] | None) -> None:
        self.function, self.columns, self.members = function, columns, members

    def __call__(self, child: np.random.SeedSequence, size: int) -> Array:
        rng = np.random.default_rng(child)
        return np.array([self._one(rng) for _ in range(size)])

    def _one(self, rng: np.random.Generator) -> float:
        if self.members is None:
            rows = rng.integers(len(self.columns[0]), size=len(self.columns[0]))
        else:
            rows = np.concatenate([self.members[i] for i in rng.integers(len(self.members), size=len(self.members))])
        return float(self.function(*(column[rows] for column in self.columns)))


def _mapped(pool: Executor, work: _Resamples, children: list[Any], sizes: list[int]) -> Any:
    return pool.map(work, children, sizes)


def _checked_arrays(arrays: tuple[object, ...]) -> list[Array]:
    if not arrays:
        raise HowsureError("`bootstrap` needs at least one array to resample.")
    columns = [np.asarray(each) for each in arrays]
    lengths = [len(column) if column.ndim else 0 for column in columns]
    if len(set(lengths)) > 1:
        raise HowsureError(f"The arrays have {', '.join(map(str, lengths))} rows; they must have equally many.")
    if not lengths[0]:
        raise HowsureError("The arrays are empty: there is no case to resample.")
    return columns


def _members(groups: object, rows: int) -> list[Array] | None:
    if groups is None:
        return None
    codes = np.unique(np.asarray(groups), return_inverse=True)[1]
    if len(codes) != rows:
        raise HowsureError(f"`groups` has {len(codes)} entries for {rows} rows.")
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def _acceleration(function: Callable[..., float], columns: list[Array], members: list[Array] | None) -> float:
    rows = np.arange(len(columns[0]))
    units = members if members is not None else np.array_split(rows, min(len(rows), MOST_JACKKNIFE))
    values = np.array([float(function(*(np.delete(column, unit, axis=0) for column in columns))) for unit in units])
    return skewness_of_jackknife(values, np.ones(len(values)))
