"""Known populations from which tables are drawn: the base class, and populations with different designs."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.designs.cell_sums import apportioned
from howsure.designs.clusters import clusters_of
from howsure.designs.fixed_margins import FixedMargins
from howsure.designs.independent import Weighted
from howsure.designs.resampling import Resampling
from howsure.errors import HowsureError, real_number, real_numbers, whole_number
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.metrics.spec import Spec
from howsure.tables.confusion import ConfusionTable
from howsure.tables.table import Table

Asked = str | Spec | Metric
MANY = 1e9  # cases of an expected table, so that corrections for the number of cases are negligible


class Truth(abc.ABC):
    """A population with known metrics, from which studies can be drawn.

    A subclass must define `expected` and `tables`; it can then be passed to `coverage`.

    Examples
    --------
    >>> import howsure as hs
    >>> isinstance(hs.lab.Cells([[50, 3], [5, 42]], n=30), hs.lab.Truth)
    True
    """

    __slots__ = ()

    @property
    @abc.abstractmethod
    def expected(self) -> Table:
        """The expected table, scaled to very many cases."""

    @abc.abstractmethod
    def tables(self, size: int, rng: np.random.Generator) -> Table | Sequence[Table]:
        """Return the tables of ``size`` studies, as a batch if they have the same cells."""

    @property
    def numbers(self) -> int:
        """Number of values in memory while one table is drawn."""
        return self.expected.cells.size

    def bound(self, metric: Asked, table: Table) -> Metric:
        """Return a metric bound to a table of this population."""
        return resolve(metric, table)

    def value(self, metric: Asked) -> float:
        """Return the true value of a metric."""
        expected = self.expected
        with np.errstate(all="ignore"):
            return float(self.bound(metric, expected)(expected.counted))


@dataclass(frozen=True, slots=True, eq=False)
class Repeated(Truth):
    """A population with the relative frequencies and the design of a table.

    Parameters
    ----------
    table : Table
        The table; clusters and weights are drawn from those of the table, and fixed margins stay fixed.
    n : int, optional
        Number of cases of each study; by default that of the table.

    Examples
    --------
    >>> import howsure as hs
    >>> truth = hs.lab.Repeated(hs.from_counts([[50, 3], [5, 42]]), n=30)
    >>> truth.value("accuracy"), truth.tables(2, np.random.default_rng(0)).rows
    (0.92, 30)
    """

    table: Table
    n: int | None = None

    def __post_init__(self) -> None:
        if self.n is not None:
            whole_number("n", self.n)

    @property
    def expected(self) -> Table:
        """The table itself."""
        return self.table

    def tables(self, size: int, rng: np.random.Generator) -> Table:
        """Return a batch of tables with the same cells."""
        table = self.table
        scale = 1.0 if self.n is None else self.n / table.rows
        cells, design = Resampling.of(table.design).simulate_studies(table.cells, scale, size, rng)
        rows = np.rint(table.rows * cells.sum(-1) / table.cells.sum()).astype(int)
        same = int(rows[0]) if (rows == rows[0]).all() else rows
        return replace(table, counts=cells.reshape(size, *table.shape), design=design, rows=same)


@dataclass(frozen=True, slots=True, eq=False)
class Cells(Truth):
    """Independent cases that fall in the cells of a confusion table with given probabilities.

    Parameters
    ----------
    shares : array-like of shape (K, K)
        Probability of each true × predicted class; scaled to sum to 1.
    n : int
        Number of cases of each study.

    Examples
    --------
    >>> import howsure as hs
    >>> truth = hs.lab.Cells([[50, 3], [5, 42]], n=30)
    >>> round(truth.value("accuracy"), 6), truth.tables(2, np.random.default_rng(0)).counts.sum((1, 2)).tolist()
    (0.92, [30.0, 30.0])
    """

    shares: ArrayLike
    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", probabilities("shares", self.shares))
        whole_number("n", self.n)

    @classmethod
    def of(cls, n: int, accuracy: float, prevalence: ArrayLike, errors: ArrayLike) -> Cells:
        """Return the population of a classifier with the same recall for every class.

        Parameters
        ----------
        n : int
            Number of cases.
        accuracy : float
            Share of correct predictions.
        prevalence : array-like of shape (K,)
            Class frequencies.
        errors : array-like of shape (K - 1,)
            Relative frequencies of wrong predictions: of the next class, the one after it, and so on.
        """
        right = real_number("accuracy", accuracy)
        true, wrong = real_numbers("prevalence", prevalence), real_numbers("errors", errors)
        classes = len(true)
        within = np.diag(np.full(classes, right))
        for step, share in enumerate(wrong / wrong.sum(), start=1):
            within[np.arange(classes), (np.arange(classes) + step) % classes] += (1 - right) * share
        return cls(true[:, None] * within, n)

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(np.asarray(self.shares))

    @property
    def expected(self) -> ConfusionTable:
        """The expected table, scaled to very many cases."""
        return ConfusionTable(counts=np.asarray(self.shares) * MANY, labels=np.arange(self.classes))

    def tables(self, size: int, rng: np.random.Generator) -> ConfusionTable:
        """Return a batch of multinomial tables."""
        counts = rng.multinomial(self.n, np.ravel(self.shares), size).astype(float)
        return ConfusionTable(counts=counts.reshape(size, self.classes, self.classes), labels=np.arange(self.classes))


def balanced(size: int) -> Array:
    """Return equal shares."""
    return np.full(size, 1 / size)


def skewed(size: int) -> Array:
    """Return shares proportional to 1, 1/2, 1/3 … (Zipf)."""
    weights = 1 / np.arange(1.0, size + 1)
    return np.asarray(weights / weights.sum())


def concentrated(size: int) -> Array:
    """Return four fifths for the first class, and equal shares of the rest for the others."""
    shares = np.full(size, 0.2 / max(size - 1, 1))
    shares[0] = 0.8
    return np.asarray(shares / shares.sum())


@dataclass(frozen=True, slots=True, eq=False)
class FixedTotals(Truth):
    """Cases sampled by class: the number of cases of each true class is the same in all studies.

    Parameters
    ----------
    cells : Cells
        Probabilities and number of cases; the class totals are proportional to the prevalence, rounded to integers.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.lab.FixedTotals(hs.lab.Cells([[50, 3], [5, 42]], n=30)).totals.tolist()
    [16, 14]
    """

    cells: Cells

    @property
    def totals(self) -> Array:
        """Number of cases of each true class."""
        return apportioned(self.cells.n, np.asarray(self.cells.shares).sum(-1))

    @property
    def expected(self) -> ConfusionTable:
        """The expected table, scaled to very many cases."""
        table = self.cells.expected
        within = table.counts / table.counts.sum(-1, keepdims=True)
        counts = within * self.totals[:, None] * (MANY / self.cells.n)
        return replace(table, counts=counts).with_design(FixedMargins())

    def tables(self, size: int, rng: np.random.Generator) -> ConfusionTable:
        """Return tables with the same class totals."""
        expected = self.expected
        cells, design = Resampling.of(expected.design).simulate_studies(expected.cells, self.cells.n / MANY, size, rng)
        return replace(expected, counts=cells.reshape(size, *expected.shape), design=design, rows=self.cells.n)


@dataclass(frozen=True, slots=True, eq=False)
class Clustered(Truth):
    """Clustered cases: the cell probabilities of each cluster are a Dirichlet draw around the overall probabilities.

    Parameters
    ----------
    shares : array-like of shape (K, K)
        Probability of each true × predicted class over all clusters.
    clusters : int
        Number of clusters of each study.
    size : float
        Mean number of cases per cluster.
    icc : float
        Intra-cluster correlation of the indicators of the cells, at least 0 and below 1.
    spread : float
        Coefficient of variation of the cluster sizes, which are rounded log-normal draws of at least one case.

    Examples
    --------
    >>> import howsure as hs
    >>> truth = hs.lab.Clustered([[50, 3], [5, 42]], clusters=20, size=5, icc=0.2)
    >>> truth.tables(2, np.random.default_rng(0)).design.number.tolist()
    [20.0, 20.0]
    """

    shares: ArrayLike
    clusters: int
    size: float
    icc: float
    spread: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", probabilities("shares", self.shares))
        whole_number("clusters", self.clusters)
        if not 0 <= self.icc < 1:
            raise HowsureError(f"`icc` is a correlation from 0 to below 1, not {self.icc!r}.")

    @property
    def expected(self) -> ConfusionTable:
        """The expected table, scaled to very many cases."""
        return Cells(self.shares, 1).expected

    @property
    def numbers(self) -> int:
        """Number of values in memory while one table is drawn."""
        return self.clusters * np.size(self.shares)

    def tables(self, size: int, rng: np.random.Generator) -> ConfusionTable:
        """Return a batch of tables with clusters."""
        shares = np.ravel(self.shares)
        sizes = np.maximum(np.rint(self.size * lognormal(self.spread, (size, self.clusters), rng)), 1).astype(int)
        if self.icc:
            drawn = rng.standard_gamma(shares * (1 - self.icc) / self.icc, (size, self.clusters, shares.size))
            own = drawn / drawn.sum(-1, keepdims=True)
        else:
            own = np.broadcast_to(shares, (size, self.clusters, shares.size))
        counts = rng.multinomial(sizes, own)
        table = self.expected
        return replace(
            table,
            counts=counts.sum(1).reshape(size, *table.shape).astype(float),
            design=clusters_of(counts),
            rows=sizes.sum(-1),
        )


@dataclass(frozen=True, slots=True, eq=False)
class WeightedCases(Truth):
    """Independent cases with log-normal weights that do not depend on the cells.

    Parameters
    ----------
    cells : Cells
        Probabilities and number of cases.
    variation : float
        Coefficient of variation of the weights, whose mean is 1.

    Examples
    --------
    >>> import howsure as hs
    >>> truth = hs.lab.WeightedCases(hs.lab.Cells([[50, 3], [5, 42]], n=30), variation=1.0)
    >>> truth.tables(2, np.random.default_rng(0))
    <ConfusionTable: 2 tables, 30 cases, 2 classes; design: weighted>
    """

    cells: Cells
    variation: float

    @property
    def expected(self) -> ConfusionTable:
        """The expected table, scaled to very many cases."""
        return self.cells.expected

    @property
    def numbers(self) -> int:
        """Number of values in memory while one table is drawn."""
        return 4 * self.cells.n + np.size(self.cells.shares)

    def tables(self, size: int, rng: np.random.Generator) -> ConfusionTable:
        """Return a batch of tables of summed weights."""
        cells, n = np.size(self.cells.shares), self.cells.n
        cell = rng.choice(cells, (size, n), p=np.ravel(self.cells.shares)) + cells * np.arange(size)[:, None]
        weight = lognormal(self.variation, (size, n), rng)
        sums, squares = (
            np.bincount(cell.ravel(), each.ravel(), size * cells).reshape(size, cells) for each in (weight, weight**2)
        )
        table = self.expected
        return replace(table, counts=sums.reshape(size, *table.shape), design=Weighted(squares), rows=n)


def lognormal(variation: float, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Return log-normal draws with mean 1 and the given coefficient of variation."""
    square = np.log1p(variation**2)
    return np.asarray(np.exp(np.sqrt(square) * rng.standard_normal(shape) - square / 2))


def probabilities(name: str, shares: ArrayLike) -> Array:
    """Return a square table of probabilities, scaled to sum to 1; ``name`` is for the error message."""
    found = real_numbers(name, shares)
    square = found.ndim == 2 and found.shape[0] == found.shape[1] >= 2
    if not (square and np.isfinite(found).all() and (found >= 0).all() and found.sum() > 0):
        raise HowsureError(f"`{name}` holds a probability for each true × predicted class: K×K numbers of at least 0.")
    return np.asarray(found / found.sum())
