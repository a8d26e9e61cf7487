"""Populations for two models: on the same cases, with correlated errors, and on separate test sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.designs.independent import Independent
from howsure.designs.separate import Separate
from howsure.errors import HowsureError, one_of, whole_number
from howsure.lab.truths import MANY, Asked, Cells, Truth, probabilities
from howsure.metrics.binding import resolve_each
from howsure.metrics.contrast import EFFECTS, contrast_metric
from howsure.metrics.metric import Metric, Side
from howsure.tables.paired import PairedTable
from howsure.tables.prior_tuples import pseudo_tuples
from howsure.tables.separate import SeparateTables

NAMES = ("first", "second")


@dataclass(frozen=True, slots=True, eq=False)
class PairedModels(Truth):
    """Two models on the same cases; the value of a metric is the contrast between the models.

    Parameters
    ----------
    first, second : array-like of shape (K, K)
        Probability of each true × predicted class for each model; the prevalence must be the same.
    together : float
        Dependence of the errors within each true class, in [0, 1]. With 0 the errors are independent. With 1 the worse
        model fails whenever the better one does, with the same prediction as often as their probabilities allow.
    n : int
        Number of cases of each study.
    contrast : {"difference", "ratio", "odds_ratio"}
        Contrast between the models.

    Examples
    --------
    >>> import howsure as hs
    >>> truth = hs.lab.PairedModels([[45, 5], [5, 45]], [[40, 10], [5, 45]], together=0.8, n=50)
    >>> round(truth.value("accuracy"), 6)
    0.05
    """

    first: ArrayLike
    second: ArrayLike
    together: float
    n: int
    contrast: str = "difference"

    def __post_init__(self) -> None:
        tables = [probabilities(name, getattr(self, name)) for name in NAMES]
        for name, shares in zip(NAMES, tables, strict=True):
            object.__setattr__(self, name, shares)
        if tables[0].shape != tables[1].shape or not np.allclose(tables[0].sum(-1), tables[1].sum(-1)):
            raise HowsureError("`first` and `second` are models of the same cases: their rows must have the same sums.")
        if not 0 <= self.together <= 1:
            raise HowsureError(f"`together` lies from 0 to 1, not {self.together!r}.")
        whole_number("n", self.n)
        one_of("contrast", self.contrast, EFFECTS)

    @property
    def shares(self) -> Array:
        """Probability of each true class × first prediction × second prediction, ``(K, K, K)``."""
        first, second = np.asarray(self.first), np.asarray(self.second)
        joint = np.zeros((len(first),) * 3)
        for true, total in enumerate(first.sum(-1)):
            if total:
                rows = first[true] / total, second[true] / total
                alone = np.outer(*rows)
                joint[true] = total * ((1 - self.together) * alone + self.together * _comonotone(*rows, true))
        return joint

    @property
    def expected(self) -> PairedTable:
        """The expected table, scaled to very many cases."""
        return self._table(self.shares.ravel() * MANY)

    def tables(self, size: int, rng: np.random.Generator) -> PairedTable:
        """Return multinomial tables of the label tuples."""
        return self._table(rng.multinomial(self.n, self.shares.ravel(), size).astype(float))

    def bound(self, metric: Asked, table: Any) -> Metric:
        """Return the contrast between the metrics of the two models."""
        bound = resolve_each(metric, [table.model(name) for name in NAMES])
        sides = (Side(name, each, table.view(name)) for name, each in zip(NAMES, bound, strict=True))
        return contrast_metric(EFFECTS[self.contrast], *sides)

    def _table(self, counts: Array) -> PairedTable:
        """Return the table of all label tuples with positive probability or positive pseudo-count."""
        classes = len(np.asarray(self.first))
        flat = np.ravel_multi_index(tuple(pseudo_tuples(classes, 2).T), (classes,) * 3)
        pseudo = np.bincount(flat, minlength=classes**3) / len(flat)
        kept = (self.shares.ravel() > 0) | (pseudo > 0)
        codes = np.stack(np.unravel_index(np.flatnonzero(kept), (classes,) * 3), -1)
        return PairedTable(
            counts=counts[..., kept], labels=np.arange(classes), names=NAMES, codes=codes, pseudo=pseudo[kept]
        )


def _comonotone(first: Array, second: Array, true: int) -> Array:
    """Return the joint distribution of two predictions from one uniform variable, with the correct class first."""
    order = np.r_[true, np.delete(np.arange(len(first)), true)]
    ends = [np.cumsum(row[order]) for row in (first, second)]
    starts = [end - row[order] for end, row in zip(ends, (first, second), strict=True)]
    overlap = np.minimum.outer(*ends) - np.maximum.outer(*starts)
    joint = np.zeros((len(first),) * 2)
    joint[np.ix_(order, order)] = np.maximum(overlap, 0.0)
    return joint


@dataclass(frozen=True, slots=True, eq=False)
class SeparateModels(Truth):
    """Two models on separate test sets; the value of a metric is the contrast between the models.

    Parameters
    ----------
    first, second : Cells
        Probabilities and number of cases for each model.
    contrast : {"difference", "ratio", "odds_ratio"}
        Contrast between the models.

    Examples
    --------
    >>> import howsure as hs
    >>> first, second = hs.lab.Cells([[45, 5], [5, 45]], 50), hs.lab.Cells([[40, 10], [5, 45]], 80)
    >>> round(hs.lab.SeparateModels(first, second).value("recall"), 6)
    0.0
    """

    first: Cells
    second: Cells
    contrast: str = "difference"

    def __post_init__(self) -> None:
        one_of("contrast", self.contrast, EFFECTS)

    @property
    def expected(self) -> SeparateTables:
        """The expected tables, scaled to very many cases."""
        return self._table([each.expected.cells for each in (self.first, self.second)])

    def tables(self, size: int, rng: np.random.Generator) -> SeparateTables:
        """Return pairs of independent multinomial tables."""
        return self._table([each.tables(size, rng).cells for each in (self.first, self.second)])

    def bound(self, metric: Asked, table: Any) -> Metric:
        """Return the contrast between the metrics of the two models."""
        sides = map(Side, NAMES, resolve_each(metric, table.tables), table.views)
        return contrast_metric(EFFECTS[self.contrast], *sides)

    def _table(self, cells: list[Array]) -> SeparateTables:
        tables = tuple(each.expected for each in (self.first, self.second))
        sizes = tuple(each.cells.size for each in tables)
        design = Separate((Independent(), Independent()), sizes)
        return SeparateTables(
            counts=np.concatenate(cells, -1), labels=np.array(["0", "1"]), design=design, tables=tables
        )
