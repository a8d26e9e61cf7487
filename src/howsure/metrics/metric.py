"""What a metric is: a function from tables of counts to numbers, with what methods need to know of it.

Methods ask a `Metric` for its value on any number of tables at once, its gradient, and, where it is a ratio of linear
forms in the counts, whether it is a proportion in disguise. What it was made from (its definition, arguments and
average) it carries as a `Spec`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from howsure.tables.counts import Counts
from howsure.tables.table import Table

if TYPE_CHECKING:  # a metric is bound from these, which are made of its parts
    from howsure.metrics.contrast import Contrast
    from howsure.metrics.spec import Spec

Array = NDArray[Any]
Better = Literal["higher", "lower", "neither"]

NUDGED = 2**17  # entries of the nudged tables evaluated at once in a gradient: bounds its memory
STEP = 1e-20  # of the complex-step derivative: exact to rounding, for no difference is taken


def divide(part: Array, whole: Array) -> Array:
    """``part / whole``; nan where ``whole`` is zero."""
    part, whole = np.asarray(part), np.asarray(whole)
    out = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan, np.result_type(part, whole, float))
    return np.divide(part, whole, out=out, where=whole != 0)


def complex_step(function: Callable[[Array], Array], flat: Array) -> Array:
    """Return the derivatives of a function of the last axis by each of its entries, in the shape of ``flat``.

    Parameters
    ----------
    function : callable
        ``(..., m) -> (...)``, analytic: it must take complex numbers.
    flat : ndarray of shape (..., m)
        Where the derivatives are taken.
    """
    size = flat.shape[-1]
    step = max(1, NUDGED // max(flat.size, 1))
    slopes = np.empty((size, *flat.shape[:-1]))
    for start in range(0, size, step):
        index = np.arange(start, min(start + step, size))
        nudged = np.broadcast_to(flat + 0j, (len(index), *flat.shape)).copy()
        nudged[np.arange(len(index)), ..., index] += STEP * 1j
        with np.errstate(all="ignore"):
            slopes[index] = np.imag(function(nudged)) / STEP
    return np.moveaxis(slopes, 0, -1)


def per_table(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Decorate a derivative that is written for one table, ``(S, 2)``, so that it takes tables on leading axes."""

    def of_every(cells: Array) -> Array:
        if cells.ndim == 2:  # noqa: PLR2004 - scores and classes
            return function(cells)
        each = [function(table) for table in cells.reshape(-1, *cells.shape[-2:])]
        return np.stack(each).reshape(cells.shape)

    return of_every


@dataclass(frozen=True, slots=True)
class Ratio:
    """``sum(numerator * counts) / sum(denominator * counts)``, with coefficients in the shape of the cells."""

    numerator: Array
    denominator: Array

    def proportion(self) -> Proportion | None:
        """Return the binomial proportion that this ratio is a monotone function of, if it is one.

        It is one when the cells it looks at fall into two groups with equal coefficients: F1 gives true
        positives ``(2, 2)`` and errors ``(0, 1)``, so it is ``2p / (1 + p)`` with ``p`` the share of true
        positives among the cases that are not true negatives.
        """
        pairs = self.numerator + 1j * self.denominator
        seen = pairs != 0
        if not seen.any():
            return None
        first = pairs[seen][0]
        others = seen & (pairs != first)
        if not others.any():
            return None
        second = pairs[others][0]
        if (pairs[others] != second).any():
            return None
        high, low = sorted((first, second), key=_best, reverse=True)
        return Proportion(pairs == high, seen, (high.real, high.imag), (low.real, low.imag))


def _best(pair: complex) -> float:
    return pair.real / pair.imag if pair.imag else np.inf


@dataclass(frozen=True, slots=True)
class Proportion:
    """A share of the cells ``trials`` that fall in ``successes``, and how the metric follows from the share."""

    successes: Array
    trials: Array
    success_coefficients: tuple[float, float]
    failure_coefficients: tuple[float, float]

    def metric(self, share: Array) -> Array:
        """Return the metric's value at a share; increasing."""
        (a, b), (c, d) = self.success_coefficients, self.failure_coefficients
        return np.asarray((a * share + c * (1 - share)) / (b * share + d * (1 - share)))


@dataclass(frozen=True, slots=True)
class Parts:
    """A metric as a weighted sum of proportions, one for each class in ``classes`` and each of ``terms``.

    ``terms`` holds ``(weight, ratio of the four outcomes)``; ``classes`` is None for all.
    """

    terms: tuple[tuple[float, Ratio], ...]
    classes: Array | None


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A function from a table of counts to a number, with what the methods need to know of it.

    Parameters
    ----------
    name : str
        Its spec string, ``"f1@macro"``.
    counts_class : type of Counts
        The counts that it reads.
    value : callable
        Such counts with any leading axes → values in the shape of those axes.
    gradient : callable
        Such counts with any leading axes → the derivative by each cell, in the cells' shape.
    range : tuple of float
        Smallest and largest possible value.
    better : {"higher", "lower", "neither"}
        Whether higher or lower values are better.
    ratio : callable, optional
        Cells' shape → the ratio of linear forms that it is.
    parts : Parts, optional
        The sum of proportions that it is.
    positive : int, optional
        Position of the one class that it looks at against all others, in a table of predictions.
    spec : Spec, optional
        What it was bound from: definition, arguments, average, class. None for a contrast.
    per_class : callable, optional
        Such counts → the values that it is an average of, ``(..., classes)``.
    smaller : callable, optional
        Table → a smaller one with all that the metric looks at, and the metric of that one.
    contrast : Contrast, optional
        The two models' metrics that it compares.
    takes_batches : bool
        Whether it may be bound to a batch of tables; one that the observed counts themselves shape (bins of equal
        mass, a correction for the number of cases) is bound to each table by itself.
    """

    name: str
    counts_class: type[Counts]
    value: Callable[[Any], Array]
    gradient: Callable[[Any], Array]
    range: tuple[float, float] = (0.0, 1.0)
    better: Better = "higher"
    ratio: Callable[[tuple[int, ...]], Ratio] | None = None
    parts: Parts | None = None
    positive: int | None = None
    spec: Spec | None = None
    per_class: Callable[[Any], Array] | None = None
    smaller: Callable[[Table], tuple[Table, Metric]] | None = None
    contrast: Contrast | None = None
    takes_batches: bool = True

    def __call__(self, counts: Any) -> Array:
        """Return the value on counts, shape ``(..., *cells)``."""
        return self.value(counts if isinstance(counts, Counts) else self.counts_class(counts))

    @property
    def of_scores(self) -> bool:
        """Whether it looks at all scores, and not at predictions."""
        return self.spec is not None and self.spec.definition.of_scores

    @property
    def is_area(self) -> bool:
        """Whether it is the whole area under the ROC curve, of two classes or averaged over more."""
        return self.spec is not None and self.spec.definition.is_area and not self.spec.arguments

    @property
    def average(self) -> str | None:
        """The average over classes, or None."""
        return None if self.spec is None else self.spec.average

    def proportion(self, shape: tuple[int, ...]) -> Proportion | None:
        """Return the binomial proportion that the metric follows from on tables of this shape, if any."""
        ratio = None if self.ratio is None else self.ratio(shape)
        return None if ratio is None else ratio.proportion()
