"""Second-order bias and variance of averages over many classes with few cases each.

Each class has nuisance parameters of its own. The bias of a macro average is of order 1 / (cases per class), while its
interval narrows with the square root of the number of classes.
"""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.designs.base import safe_divide
from howsure.native.averages import ClassShares
from howsure.native.products import ProductTables

ROUNDING = 1e-9
OWN = np.array([1.0, 1.0, 0.0])[:, None, None]  # cases of the class itself in a hit, a miss and a false alarm


def inflation(cases: Array, gradient: Array, changes: Array, of_class: Array) -> Array:
    """Return the ratio of the variance of a class average to the variance from its gradient.

    The ratio is ``1 + (1 − 1/m) (r − 1)``. Here r² is the variance of the leave-one-out changes over that of the
    gradient, and m is the effective number of classes that contribute to the variance. The sample variance of m cases
    around their own mean is too small by a factor of (m − 1) / m. The variance of the leave-one-out changes is too
    large by a factor of m / (m − 1).

    Parameters
    ----------
    cases, gradient, changes : ndarray of shape (tables, cells)
        Number of cases, gradient, and change of the metric when one case is left out.
    of_class : ndarray of shape (tables, classes)
        Contribution of each class to the variance of the gradient.
    """
    variance, left_out = (cases * gradient**2).sum(-1), (cases * changes**2).sum(-1)
    varies = variance > 0
    ratio = np.where(varies, safe_divide(left_out, variance), 1.0)
    share = np.where(varies, safe_divide((of_class**2).sum(-1), variance**2), 1.0)
    return np.asarray(1 + (1 - share) * np.maximum(np.sqrt(ratio) - 1, 0.0))


class LeftOut:
    """Averages over classes, on tables from which one case is left out.

    Parameters
    ----------
    averages : ClassShares
        One for each table.
    layout : ProductTables
        Indices of the listed wrong cells.
    cases : ndarray of shape (tables, K + wrong)
        Hits of each class, then the cases of the listed wrong cells.
    """

    def __init__(self, averages: ClassShares, layout: ProductTables, cases: Array) -> None:
        self.averages, self.layout, self.cases = averages, layout, cases
        self.hits, self.wrong = np.split(cases, [layout.classes], axis=-1)
        self.misses, self.alarms = layout.by_class(self.wrong)
        self.rows = self.hits + self.misses
        self.value, self.times, self.whole = averages.of_each(self.hits, self.rows, self.hits + self.alarms)
        self.is_weighted: Array = averages.by_total.reshape(-1, 1) > 0
        self.counted = averages.weights(self.rows, self.times)
        self.total: Array = self.counted.sum(-1, keepdims=True)
        self.weights = safe_divide(self.counted, self.total)
        self.mean: Array = (self.weights * self.value).sum(-1, keepdims=True)
        # Numbers of hits, misses and false alarms, with their coefficients in numerator and denominator.
        self.numbers = np.stack([self.hits, self.misses, self.alarms])
        self.over, self.under = (np.stack([by.sum(0), by[1], by[2]]) for by in (averages.above, averages.below))
        left = self.whole - np.minimum(self.numbers, 1.0) * self.under
        gain = self.over - self.value * self.under
        self.gain = safe_divide(gain, self.whole)
        # Change of a class's ratio when one case is left out; 0 if the ratio would be undefined.
        self.change = np.where((left > ROUNDING) & (self.whole > 0), -safe_divide(gain, left), 0.0)
        self.is_last = (left <= ROUNDING) & (self.numbers > 0) & (self.whole > 0)

    def bias(self) -> Array:
        """Return the jackknife bias for each table.

        Let A / B = v be the ratio of a class, and x and y the coefficients of one kind of case in A and B. Without one
        such case the ratio changes by ``d = −(x − v y) / (B − y)``, so its curvature is ``d y / B``. A weighted average
        is Σ R v / Σ R with R the size of the class: leaving out a case of that class also reduces R by 1.
        """
        by_size = safe_divide(self.rows - OWN, self.rows) * self.change
        bend = np.where(self.is_weighted, by_size, self.under * safe_divide(self.change, self.whole))
        return np.asarray((self.weights * self.numbers * bend).sum((0, -1)))

    def inflation(self) -> Array:
        """Return the `inflation` of an average; a wrong prediction counts half for each of the two classes."""
        gradient, changes = self.slopes(), self.changes()
        by_hit, by_wrong = np.split(self.cases * gradient**2, [self.layout.classes], axis=-1)
        return inflation(self.cases, gradient, changes, by_hit + sum(self.layout.by_class(by_wrong / 2)))

    def slopes(self) -> Array:
        """Return the gradient of the average with respect to the cells, ``(tables, K + wrong)``."""
        # The second term comes from the weights of the classes.
        gained = self.is_weighted * self.times * safe_divide(self.value - self.mean, self.total)
        return self._by_cell(self.weights * self.gain + OWN * gained)

    def changes(self) -> Array:
        """Return the change of the average when one case of each cell is left out; see `slopes`.

        A class that loses its only case leaves the average. For a weighted average the changes are multiplied by
        (n − 1) / n, as its weights are proportions of all n cases. They then equal the gradient for recall, whose
        weighted average is a proportion of n.
        """
        others = self.weights * safe_divide(self.mean - self.value, np.maximum(1 - self.weights, ROUNDING))
        fewer = OWN * self.times * self.is_weighted
        change = safe_divide(self.counted - fewer, self.total) * self.change
        change += fewer * safe_divide(self.mean - self.value, self.total)
        return self._by_cell(np.where(self.is_last, others, change))

    def _by_cell(self, of_class: Array) -> Array:
        """Return values given for hits, misses and false alarms of each class, as values of the cells."""
        hit, miss, alarm = of_class
        return np.concatenate([hit, miss[:, self.layout.true_class] + alarm[:, self.layout.prediction]], -1)

    def of_fixed_sizes(self) -> tuple[Array, Array]:
        """Return whether the classes of each table are of equal size, and the bias if the design fixes these sizes."""
        occurs = self.rows > 0
        largest = self.rows.max(-1, keepdims=True)
        equal = (~occurs | (np.abs(self.rows - largest) <= ROUNDING * largest)).all(-1) & (largest[:, 0] > 1)
        if not equal.any():
            return equal, np.zeros(len(equal))
        size = self.rows[:, self.layout.true_class]
        spread = self.wrong * safe_divide(size - self.wrong, size - 1)  # the unbiased variance of a cell
        over, under = self.averages.above, self.averages.below
        kinds = (
            (safe_divide(self.hits * self.misses, self.rows), over[0] + over[2], under[0] + under[2]),
            (self.layout.by_class(spread)[1], over[2], under[2]),
        )
        bias = np.zeros(len(equal))
        for variance, x, y in kinds:  # the factor corrects for the bias of the estimate itself: 1 + 3 y / (2 B) + …
            more = safe_divide(self.whole, self.whole - y)
            bend = (x - self.value * y) * safe_divide(-y, self.whole**2) * (more + more**2) / 2
            bias += (self.weights * variance * bend).sum(-1)
        return equal, bias
