"""Results with draws: summaries, probabilities and correlations of the draws, and export to xarray."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, checked_level, looked_up
from howsure.grids import Grid, Tabular
from howsure.methods.numerics.draw_summaries import Probability, Summary, probability_above, summarise
from howsure.numbers import number


def drawn(draws: Array | None, method: str) -> Array:
    """Return the draws; raise an error if there are none."""
    if draws is None:
        made_by = f"`{method}` makes no draws" if method else "There are no draws"
        raise HowsureError(f"{made_by}. Use method='bayes', 'bootstrap_percentile' or 'bootstrap_bca'.")
    return draws


def xarray_for(method: str) -> Any:
    """Return the package xarray, for the named method; raise an error if it is not installed."""
    try:
        import xarray
    except ImportError:
        raise HowsureError(
            f"`{method}` needs the package 'xarray', of 2024.10 or later. Install it: pip install xarray"
        ) from None
    return xarray


def dataset_of(draws: Mapping[str, Array]) -> Any:
    """Return draws by name as an xarray Dataset with one chain; draw d of all variables is of the same table."""
    number = len(next(iter(draws.values())))
    variables = {name: (("chain", "draw"), each[None]) for name, each in draws.items()}
    return xarray_for("to_xarray").Dataset(variables, coords={"chain": [0], "draw": np.arange(number)})


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Correlations(Tabular, Mapping[str, Mapping[str, float]]):
    """Correlation matrix of the draws of several metrics, as a nested mapping.

    Parameters
    ----------
    rows : mapping of str to mapping of str to float
        Correlations of each metric with every metric, in order.

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
        """Return the correlations over the draws in which all metrics are defined."""
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
        """Return one flat dict per metric: its name, and its correlation with every metric."""
        return [{"metric": name} | dict(row) for name, row in self.items()]

    def grid(self) -> Grid:
        """Return a table of strings with the metrics as headers."""
        rows = tuple((name, *(number(each, 3) for each in row.values())) for name, row in self.items())
        return Grid(("metric", *self), rows)


class ToXarray:
    """Conversion of results with draws to xarray and ArviZ."""

    __slots__ = ()

    def _by_name(self) -> Mapping[str, Array]:
        raise NotImplementedError

    def to_xarray(self) -> Any:
        """Return the draws as an xarray Dataset: one variable per metric, with dimensions chain (of size 1) and draw.

        Raises
        ------
        HowsureError
            If the method made no draws, or xarray is not installed.
        """
        return dataset_of(self._by_name())

    def to_arviz(self) -> Any:
        """Return the draws as an xarray DataTree with the group ``posterior``, for ArviZ.

        Raises
        ------
        HowsureError
            If the method made no draws, or xarray is not installed.
        """
        return xarray_for("to_arviz").DataTree.from_dict({"posterior": self.to_xarray()})


class Drawn(ToXarray):
    """A result with draws; ``draws`` is None if the method makes none.

    ``stream`` identifies the joint stream of tables behind the draws: for equal tokens, draw d is of the same table.
    """

    __slots__ = ()

    draws: Array | None
    method: str
    confidence_level: float
    stream: Hashable = None

    def summary(self, confidence_level: float | None = None) -> Summary:
        """Return a summary of the draws (median, mean, mode, interval, shape), with Monte Carlo errors.

        Parameters
        ----------
        confidence_level : float, optional
            Share of the draws in the interval; by default the confidence level of the result.

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
            Threshold, in the units of the result.

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
        return {getattr(self, "metric", "") or "value": self._drawn()}  # pooled results have no metric
