"""Results that hold draws: what the draws say, and one answer where there are none."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError, checked_level, looked_up
from howsure.grids import Grid, Tabular, number
from howsure.methods.summary import Probability, Summary, probability_above, summarise

Array = NDArray[Any]


def drawn(draws: Array | None, method: str) -> Array:
    """Return the draws; refuse where a method made none."""
    if draws is None:
        made_by = f"`{method}` makes no draws" if method else "There are no draws"
        message = f"{made_by}. Use method='bayes', 'bootstrap_percentile' or 'bootstrap_bca'."
        raise HowsureError(message)
    return draws


def xarray_for(method: str) -> Any:
    """Return the package xarray, which a method of a result needs; refuse where it is not installed."""
    try:
        import xarray
    except ImportError:
        message = f"`{method}` needs the package 'xarray', of 2024.10 or later. Install it: pip install xarray"
        raise HowsureError(message) from None
    return xarray


def dataset_of(draws: Mapping[str, Array]) -> Any:
    """Return draws by name as an xarray Dataset with one chain, in which draw d of all is of the same table."""
    number = len(next(iter(draws.values())))
    variables = {name: (("chain", "draw"), each[None]) for name, each in draws.items()}
    return xarray_for("to_xarray").Dataset(variables, coords={"chain": [0], "draw": np.arange(number)})


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Correlations(Tabular, Mapping[str, Mapping[str, float]]):
    """How the draws of some metrics correlate: a mapping of each metric to its correlation with each.

    Parameters
    ----------
    rows : mapping of str to mapping of str to float
        In order.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> print(hs.evaluate(table, ["accuracy", "recall"], method="bayes", random_state=0).correlations())
    metric    accuracy  recall
    ──────────────────────────
    accuracy     1.000   0.757
    recall       0.757   1.000
    """

    rows: Mapping[str, Mapping[str, float]]

    @classmethod
    def of(cls, draws: Mapping[str, Array]) -> Correlations:
        """Return the correlations over the draws on which all metrics are defined."""
        columns = np.array([*draws.values()])
        matrix = np.atleast_2d(np.corrcoef(columns[:, np.isfinite(columns).all(0)]))
        rows = (dict(zip(draws, row, strict=True)) for row in matrix.tolist())
        return cls(rows=dict(zip(draws, rows, strict=True)))

    def __getitem__(self, metric: str) -> Mapping[str, float]:
        return looked_up("metric", metric, self.rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per metric: its name, and its correlation with each."""
        return [{"metric": name} | dict(row) for name, row in self.items()]

    def grid(self) -> Grid:
        """Return a table of strings, under the metrics' own names."""
        rows = tuple((name, *(number(each, 3) for each in row.values())) for name, row in self.items())
        return Grid(("metric", *self), rows)


class ToXarray:
    """What a result with draws can be turned into for those who go on with xarray or ArviZ."""

    __slots__ = ()

    def _by_name(self) -> Mapping[str, Array]:
        raise NotImplementedError

    def to_xarray(self) -> Any:
        """Return the draws as an xarray Dataset: a variable for each metric, with the dimensions chain (one) and draw.

        Raises
        ------
        HowsureError
            If the method made no draws, or xarray is not installed.
        """
        return dataset_of(self._by_name())

    def to_arviz(self) -> Any:
        """Return the draws as an xarray DataTree with the group ``posterior``, as ArviZ reads it.

        Raises
        ------
        HowsureError
            If the method made no draws, or xarray is not installed.
        """
        return xarray_for("to_arviz").DataTree.from_dict({"posterior": self.to_xarray()})


class Drawn(ToXarray):
    """A result with draws, where its method makes some: ``draws`` is None otherwise.

    ``stream`` tells which joint stream of tables they are from: equal tokens mean that draw d is of the same table.
    """

    __slots__ = ()

    draws: Array | None
    method: str
    confidence_level: float
    stream: Hashable = None

    def summary(self, confidence_level: float | None = None) -> Summary:
        """Return what the draws say (median, mean, mode, interval, shape), each number with its Monte Carlo error.

        Parameters
        ----------
        confidence_level : float, optional
            Share of the draws that the interval holds; by default the result's own level.

        Returns
        -------
        Summary

        Raises
        ------
        HowsureError
            If the method made no draws.
        """
        return summarise(self._drawn(), checked_level(confidence_level or self.confidence_level))

    def probability_above(self, threshold: float) -> Probability:
        """Return the share of the draws above a threshold, with its Monte Carlo error.

        Parameters
        ----------
        threshold : float
            In the result's units.

        Returns
        -------
        Probability
            ``value`` and ``error``.

        Raises
        ------
        HowsureError
            If the method made no draws.

        Examples
        --------
        >>> import howsure as hs
        >>> table = hs.from_counts([[50, 3], [5, 42]])
        >>> estimate = hs.estimate(table, "recall", method="bayes", random_state=0)
        >>> probability, error = estimate.probability_above(0.85)
        >>> 0.75 < probability < 0.85, error < 0.01
        (True, True)
        """
        return probability_above(self._drawn(), threshold)

    def _drawn(self) -> Array:
        return drawn(self.draws, self.method)

    def _by_name(self) -> Mapping[str, Array]:
        return {getattr(self, "metric", "") or "value": self._drawn()}  # what is pooled has no metric
