"""Second-order bias and variance of averages over many classes with few cases each.

Each class has nuisance parameters of its own. The bias of a macro average is of order 1 / (cases per class), while its
interval narrows with the square root of the number of classes.
"""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs.base import safe_divide
from howsure.native.averages import ClassShares
from howsure.native.products import ProductTables

ROUNDING = 1e-9
SEVERAL = 20  # classes, up to which intervals covered with two cases a class
FEW_CASES = 4  # of a class, on average
OWN = np.array([1.0, 1.0, 0.0])[:, None, None]  # cases of the class itself in a hit, a miss and a false alarm
FALSE_ALARM = np.array([0.0, 0.0, 1.0])[:, None, None]


def variances(
    cases: Array, gradient: Array, changes: Array, of_class: Array, *, is_single: Array | bool = False
) -> tuple[Array, Array]:
    """Return the variance of a class average from its gradient, and one that allows for few cases in each class.

    The latter is ``v + (1 − 1/m) (w − v)``, where v is the former and m is the effective number of classes that
    contribute to it. The sample variance of m cases around their own mean is too small by a factor of (m − 1) / m. The
    variance of the leave-one-out changes is too large by a factor of m / (m − 1). The geometric mean of the two is w.
    The only case of a class has no gradient, but the average changes without this class: its part of w is that of the
    leave-one-out changes alone.

    Parameters
    ----------
    cases, gradient, changes : ndarray of shape (tables, cells)
        Number of cases, gradient, and change of the metric when one case is left out.
    of_class : ndarray of shape (tables, classes)
        Contribution of each class to the variance.
    is_single : ndarray of bool of shape (tables, cells)
        Whether the cell has the only case of a class.
    """
    squares, left_out = cases * gradient**2, cases * changes**2
    both = [np.where(is_single, 0.0, each).sum(-1) for each in (squares, left_out)]
    plain, found = squares.sum(-1), np.sqrt(both[0] * both[1]) + np.where(is_single, left_out, 0.0).sum(-1)
    share = safe_divide((of_class**2).sum(-1), of_class.sum(-1) ** 2)
    return plain, plain + (1 - share) * np.maximum(found - plain, 0.0)


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
        occurs = (self.rows > 0).sum(-1)
        self.has_few_cases: Array = (occurs > SEVERAL) & (self.rows.sum(-1) < FEW_CASES * occurs)
        self.is_alarm = (self.whole == 0) & (self.times > 0) & (self.alarms == 1) & (self.under[2] > 0)
        # A class without true cases occurs in the population, most probably, if most classes have few cases.
        varies = FALSE_ALARM * (self.is_alarm & self.has_few_cases[:, None]) > 0
        self.is_lost = (self.is_last & (layout.classes > SEVERAL)) | varies

    def bias(self) -> Array:
        """Return the jackknife bias for each table.

        Let A / B = v be the ratio of a class, and x and y the coefficients of one kind of case in A and B. Without one
        such case the ratio changes by ``d = −(x − v y) / (B − y)``, so its curvature is ``d y / B``. A weighted average
        is Σ R v / Σ R with R the size of the class: leaving out a case of that class also reduces R by 1.
        """
        by_size = safe_divide(self.rows - OWN, self.rows) * self.change
        bend = np.where(self.is_weighted, by_size, self.under * safe_divide(self.change, self.whole))
        return np.asarray((self.weights * self.numbers * bend).sum((0, -1)))

    @cached_property
    def variances(self) -> tuple[Array, Array]:
        """The `variances` of an average; a wrong prediction counts half for each of the two classes."""
        gradient, changes, is_single = self.slopes(), self.changes(), self._by_cell(self.is_lost) > 0
        each = self.cases * np.where(is_single, changes, gradient) ** 2
        by_hit, by_wrong = np.split(each, [self.layout.classes], axis=-1)
        of_class = by_hit + sum(self.layout.by_class(by_wrong / 2))
        return variances(self.cases, gradient, changes, of_class, is_single=is_single)

    @property
    def number(self) -> Array:
        """The number of cases of a proportion that varies as much as the average of classes of equal quality."""
        whole = (self.numbers * self.under).sum(0)
        return np.asarray(safe_divide(np.ones(len(whole)), safe_divide(self.weights**2, whole).sum(-1)))

    def of_singles(self) -> Array:
        """Return the bias that comes from classes with a single case, if these classes have equal probabilities.

        Such a class shows no variation, so that the jackknife finds no bias. The bias of their average is then its
        distance from the metric of their pooled counts.
        """
        single = self.is_last.any(0) | self.is_alarm | (self.has_equal_sizes[:, None] & (self.rows == 1))
        single &= self.times > 0
        whole = np.where(single, (self.numbers * self.under).sum(0), 0.0).sum(-1)
        pooled = safe_divide(np.where(single, (self.numbers * self.over).sum(0), 0.0).sum(-1), whole)
        return np.asarray((single * self.weights * (self.value - pooled[..., None])).sum(-1))

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
        return self._by_cell(np.where(self.is_last | self.is_lost, others, change))

    def _by_cell(self, of_class: Array) -> Array:
        """Return values given for hits, misses and false alarms of each class, as values of the cells."""
        hit, miss, alarm = of_class
        return np.concatenate([hit, miss[:, self.layout.true_class] + alarm[:, self.layout.prediction]], -1)

    @cached_property
    def has_equal_sizes(self) -> Array:
        """Whether the classes of each table are of equal size, so that these sizes are fixed by the design."""
        largest = self.rows.max(-1, keepdims=True)
        return np.asarray(((self.rows == 0) | (np.abs(self.rows - largest) <= ROUNDING * largest)).all(-1))

    def of_fixed_sizes(self) -> tuple[Array, Array]:
        """Return the bias for classes of fixed sizes, and how far it may be off."""
        size = self.rows[:, self.layout.true_class]
        spread = self.wrong * safe_divide(size - self.wrong, size - 1)  # the unbiased variance of a cell
        over, under = self.averages.above, self.averages.below
        kinds = (
            (safe_divide(self.hits * self.misses, self.rows), over[0] + over[2], under[0] + under[2]),
            (self.layout.by_class(spread)[1], over[2], under[2]),
        )
        bias, off = np.zeros((2, len(self.rows)))
        for variance, x, y in kinds:
            # The factor m corrects for the bias of the estimate itself: 1 + y / B + … at least, its square at most.
            more = safe_divide(self.whole, self.whole - y)
            bend = self.weights * variance * (x - self.value * y) * safe_divide(-y, self.whole**2)
            first, second = (bend * more).sum(-1), (bend * more**2).sum(-1)
            bias += (first + second) / 2
            off += np.abs(second - first) / 2
        return bias, off
