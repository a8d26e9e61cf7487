"""Confusion tables in which most cells are products of a factor of the true class and one of the predicted class."""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.native.averages import ClassShares
from howsure.native.library import kernel, require_equal


class Moments(NamedTuple):
    """Slopes by cell, values ``(...)``, and the sums over all cells of squares and third powers of the slopes."""

    slopes: Array
    value: Array
    second: Array
    third: Array


@final
class ProductTables:
    """Cells of a table with individual entries: the correct predictions, and some of the wrong ones.

    All other cells are products of a factor of the true class and a factor of the predicted class. The individual wrong
    cells are the sum of their entry and this product. The entries of a table are in one row: the correct predictions;
    the individual wrong cells, without their products; and the factors of the true and of the predicted class.

    Parameters
    ----------
    truth, prediction : ndarray of shape (wrong,)
        True and predicted class of the individual wrong cells, in order of the true classes.
    classes : int
        Number of classes.

    Examples
    --------
    Two classes, where half a case of the first and two cases of the second are misclassified:

    >>> tables = ProductTables(np.array([0]), np.array([1]), 2)
    >>> misses, alarms = tables.errors(np.array([7.0, 8.0, 0.25, 0.5, 1.0, 2.0, 0.5]))
    >>> misses.tolist(), alarms.tolist()
    ([0.5, 2.0], [2.0, 0.5])
    """

    def __init__(self, truth: Array, prediction: Array, classes: int) -> None:
        self.true_class, self.prediction = (np.ascontiguousarray(each, dtype=np.int64) for each in (truth, prediction))
        self.classes = classes

    def errors(self, cells: Array) -> tuple[Array, Array]:
        """Return the false negatives and the false positives of each class, ``(..., K)``."""
        wrong, (of_truth, of_prediction) = cells[..., self.classes : -2 * self.classes], self._factors(cells)
        same = of_truth * of_prediction  # correct predictions are not products
        misses = of_truth * of_prediction.sum(-1, keepdims=True) - same
        alarms = of_prediction * of_truth.sum(-1, keepdims=True) - same
        more = self.by_class(wrong)
        return misses + more[0], alarms + more[1]

    def by_class(self, wrong: Array) -> tuple[Array, Array]:
        """Return the sums of the listed wrong cells by true and by predicted class, ``(..., K)`` each."""
        order, truths, predictions = self._runs
        sums = np.zeros((2, *wrong.shape[:-1], self.classes))
        truths.add(sums[0], wrong)
        predictions.add(sums[1], wrong[..., order])
        return sums[0], sums[1]

    def moments(self, averages: ClassShares, cells: Array, cases: Array) -> Moments:
        """Scale tables in place to numbers of cases, and return values and slopes of averages.

        Parameters
        ----------
        averages : ClassShares
            One for each table.
        cells : ndarray of shape (..., tables, 3 * classes + wrong)
            Contiguous entries.
        cases : ndarray of shape (tables,)
            Target number of each table.
        """
        compiled = kernel("product_points")
        if compiled is not None:
            found = Moments(np.empty(cells.shape), *(np.empty(cells.shape[:-1]) for _ in range(3)))
            each = cells.reshape(-1, len(cases), 3 * self.classes + len(self.true_class))  # raises if it does not fit
            require_equal("product_points", averages.times.shape, (len(cases), self.classes))
            require_equal("product_points", (cells.dtype, cells.flags.c_contiguous), (np.dtype(float), True))
            sizes = (len(each), len(cases), self.classes, len(self.true_class))
            made = (cells, found.value, found.slopes, found.second, found.third, np.empty(6 * self.classes))
            compiled(
                *sizes,
                self.true_class,
                self.prediction,
                *averages.arrays,
                np.ascontiguousarray(cases, dtype=float),
                *made,
            )
            return found
        hits, (misses, alarms) = cells[..., : self.classes], self.errors(cells)
        rows, columns = hits + misses, hits + alarms
        scale = (cases / rows.sum(-1))[..., None]
        value, by_hit, by_row, by_column = averages.slopes(scale * hits, scale * rows, scale * columns)
        cells[..., : -self.classes] *= scale
        of_wrong = by_row[..., self.true_class] + by_column[..., self.prediction]
        slopes = np.concatenate([by_hit + by_row + by_column, of_wrong, by_row, by_column], -1)
        told = slice(-2 * self.classes)
        squares = cells[..., told] * slopes[..., told] ** 2
        of_truth, of_prediction = self._factors(cells)
        both = by_row + by_column
        same = of_truth * of_prediction * both**2
        n, n1, n2, n3 = _powers(of_truth, by_row)
        m, m1, m2, m3 = _powers(of_prediction, by_column)
        second = squares.sum(-1) + n2 * m + 2 * n1 * m1 + n * m2 - same.sum(-1)
        third = np.vecdot(squares, slopes[..., told]) + n3 * m + 3 * (n2 * m1 + n1 * m2) + n * m3
        return Moments(slopes, value, second, third - np.vecdot(same, both))

    def _factors(self, cells: Array) -> tuple[Array, Array]:
        """Return the factors of the true and of the predicted classes, ``(..., classes)``."""
        return cells[..., -2 * self.classes : -self.classes], cells[..., -self.classes :]

    @cached_property
    def _runs(self) -> tuple[Array, _Runs, _Runs]:
        """The order by predicted class, and the runs of equal ones in either order."""
        order = np.argsort(self.prediction, kind="stable")
        return order, _Runs(self.true_class), _Runs(self.prediction[order])


@final
class _Runs:
    """Sums over runs of equal classes."""

    def __init__(self, classes: Array) -> None:
        self.starts = np.flatnonzero(np.diff(classes, prepend=-1))
        self.of = classes[self.starts]

    def add(self, sums: Array, values: Array) -> None:
        """Add values in their order, ``(..., m)``, to the sums of their classes, ``(..., K)``."""
        if len(self.starts):
            sums[..., self.of] += np.add.reduceat(values, self.starts, axis=-1)


def _powers(factors: Array, slopes: Array) -> tuple[Array, Array, Array, Array]:
    """Return the sums of factors times the powers of slopes, from the zeroth to the third."""
    first = factors * slopes
    second = first * slopes
    return factors.sum(-1), first.sum(-1), second.sum(-1), np.vecdot(second, slopes)
