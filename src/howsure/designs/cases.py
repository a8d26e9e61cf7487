"""Cases with class probabilities instead of labels, and the cells of a table in which they can fall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, starmap
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.designs import invariants
from howsure.designs.base import safe_divide
from howsure.designs.poisson_binomial import poisson_binomial
from howsure.designs.sampling import BLOCK_CELLS, Blocks
from howsure.native.ends import total
from howsure.native.label_variance import label_variance
from howsure.native.moments import chance_sums

SHADES = 2**10  # bins of a probability; grouping cases by bin lowers the variance of their sums by a millionth
POWERS = 12  # of probabilities, summed in one pass: as many as the distribution of a sum of a million needs
FEW_GROUPS = 2  # groups of binary cases: up to this number, their sums are drawn from the exact distribution


@dataclass(frozen=True, eq=False)
class Cases:
    """Cases with class probabilities, and the cells in which they can fall.

    Parameters
    ----------
    probability
        ``(m, K)``: rows sum to 1. For two classes also ``(m,)``: the probability of the second.
    number
        ``(m,)``: how many cases have these probabilities.
    group
        ``(m,)``: cases of one group fall in the same cells. Without it each kind is its own group.
    cells
        ``(groups, K)``: the flat cell of the table in which a case of true class k falls. Without it, those of group g
        are g K … g K + K − 1, as in a table of scores.
    weight
        ``(m,)``: weight of each of these cases; 1.0 if all have the same weight.
    """

    probability: Array
    number: Array
    group: Array | None = None
    cells: Array | None = None
    weight: Array | float = 1.0

    def check(self, cells: int) -> None:
        """Check the probabilities of the cases and their positions in a table of this number of cells."""
        if self.probability.ndim == 1:
            invariants.numbers("probability", self.probability, (None,), 0.0, 1.0)
        else:
            invariants.probabilities("probability", self.probability, (None, None))
        number, classes = len(self.probability), self.classes
        invariants.numbers("number", self.number, (number,), 0.0, invariants.MOST_CASES)
        if self.cells is not None:
            invariants.positions("cells", self.cells, (None, classes), cells)
        elif self.number_of_groups * classes != cells:
            invariants.refuse(f"`cells` must be given unless the table has {classes} cells for each kind of cases.")
        if self.group is not None:
            invariants.positions("group", self.group, (number,), self.number_of_groups)
        elif self.number_of_groups != number:
            invariants.refuse("`group` must be given unless each kind of cases has its own cells.")
        weight = np.asarray(self.weight)
        invariants.numbers("weight", weight, (number,) if weight.ndim else ())

    @property
    def number_of_groups(self) -> int:
        """Number of groups."""
        return len(self.number) if self.cells is None else len(self.cells)

    @cached_property
    def groups(self) -> Array:
        """The group of each kind of cases."""
        return np.arange(len(self.number)) if self.group is None else self.group

    @cached_property
    def targets(self) -> Array:
        """The cells of each group, ``(groups, K)``."""
        number = self.number_of_groups * self.classes
        return np.arange(number).reshape(-1, self.classes) if self.cells is None else self.cells

    @property
    def classes(self) -> int:
        """Number of classes."""
        return 2 if self.probability.ndim == 1 else self.probability.shape[1]

    @property
    def second(self) -> Array:
        """The probability of the second class of each kind of cases."""
        return self.probability if self.probability.ndim == 1 else self.probability[:, 1]

    def of_class(self, place: int) -> Array:
        """Return the probability of a class for each kind of cases."""
        if self.probability.ndim == 1:
            return self.probability if place else 1 - self.probability
        return self.probability[:, place]

    @property
    def rows(self) -> Array:
        """The probabilities of all classes, ``(m, K)``."""
        return np.stack([1 - self.second, self.second], 1) if self.probability.ndim == 1 else self.probability

    @property
    def is_binary(self) -> bool:
        """Whether the cases are binary, unweighted, and in few enough groups for an exact distribution per group."""
        return self.classes == 2 and self.number_of_groups <= FEW_GROUPS and np.ndim(self.weight) == 0

    @property
    def squared(self) -> Array:
        """Sum of the squared weights of the cases of each kind."""
        is_plain = np.ndim(self.weight) == 0 and self.weight == 1
        return self.number if is_plain else np.asarray(self.number * self.weight**2)

    @property
    def unit(self) -> float:
        """What a case counts on average: the weight for which n equal weights have the same sum and sum of squares."""
        if np.ndim(self.weight) == 0:
            return float(self.weight) if self.total > 0 else 1.0
        whole = float((self.number * self.weight).sum())
        return float(self.squared.sum()) / whole if whole > 0 else 1.0

    @property
    def total(self) -> float:
        """Number of cases."""
        return total(self.number)

    def counts(self, shape: tuple[int, ...]) -> Array:
        """Return the expected counts in a table of this shape."""
        found = np.zeros(int(np.prod(shape)))
        if self.is_binary:
            for cells, sums in zip(self.targets, self._sums_of_powers, strict=True):
                np.add.at(found, cells, self.weight * sums[:2])
            return found.reshape(shape)
        is_plain = np.ndim(self.weight) == 0 and self.weight == 1
        weight = self.number if is_plain else self.number * self.weight
        if self.number_of_groups > FEW_GROUPS:
            mass = self.rows * weight[:, None]
            return np.bincount(self.targets[self.groups].ravel(), mass.ravel(), len(found)).reshape(shape)
        for own, cells in zip(self._members, self.targets, strict=True):
            for place, cell in enumerate(cells):
                found[cell] += chance_sums(self.of_class(place)[own], weight[own], 1)[1]
        return found.reshape(shape)

    def means(self, gradient: Array) -> tuple[Array, Array]:
        """Return each case's slopes by its class, ``(m, K)``, and their expectation, ``(m,)``."""
        slopes = gradient.ravel()[self.targets][self.groups]
        return slopes, np.einsum("mk,mk->m", self.rows, slopes)

    def label_variance(self, gradient: Array) -> float:
        """Return the variance of the sum of the cases' slopes over the labels of two classes."""
        flat, squared = gradient.ravel(), self.squared
        are_pairs = self.group is None and self.cells is None
        slopes = flat.reshape(-1, 2) if are_pairs else flat[self.targets][self.groups]
        return label_variance(self.second, squared, slopes)

    def merged(self, cells: Array) -> Cases:
        """Return the cases in the table whose cell ``cells[c]`` collects cell ``c``, and merge identical ones."""
        targets = cells[self.targets]
        together: dict[bytes, list[int]] = {}  # classes that fall in the same cells everywhere
        for index, column in enumerate(targets.T):
            together.setdefault(column.tobytes(), []).append(index)
        probability = self.probability
        if len(together) < self.classes:
            probability = np.stack([self.rows[:, each].sum(1) for each in together.values()], 1)
            targets = targets[:, [each[0] for each in together.values()]]
        groups = _codes(targets)
        merged = np.empty((int(groups.max()) + 1, targets.shape[1]), dtype=np.intp)
        merged[groups] = targets
        return Cases(probability, self.number, groups[self.groups], merged, self.weight)

    def cut(self, row: int) -> Cases:
        """Return the cases of the confusion table of a table of scores; scores from ``row`` on are positive."""
        if self.cells is None:
            group = np.zeros(self.number_of_groups, dtype=np.int8)
            group[row:] = 1
        else:
            group = (self.cells[:, 1] >= 2 * row).view(np.int8)
        if self.group is not None:
            group = group[self.group]
        cells = np.array([[0, 2], [1, 3]])
        if group.min() == group.max():  # all cases are on one side
            group, cells = np.zeros_like(group), cells[group[:1]]
        return Cases(self.probability, self.number, group, cells, self.weight)

    def joined(self, others: Sequence[Cases]) -> Cases:
        """Return these cases together with others of the same table."""
        parts = [self, *others]
        starts = np.cumsum([0, *(each.number_of_groups for each in parts[:-1])])
        cells, place = np.unique(np.concatenate([each.targets for each in parts]), axis=0, return_inverse=True)
        group = place.ravel()[
            np.concatenate([each.groups.astype(np.intp) + start for each, start in zip(parts, starts, strict=True)])
        ]
        weights: Any = [np.broadcast_to(each.weight, each.number.shape) for each in parts]
        weight = np.concatenate(weights) if any(np.ndim(each.weight) for each in parts) else 1.0
        are_single = all(each.probability.ndim == 1 for each in parts)
        probability = np.concatenate([each.second if are_single else each.rows for each in parts])
        number = np.concatenate([each.number for each in parts])
        return Cases(probability, number, group, cells, weight)

    def thinned(self) -> Cases:
        """Return binary cases after grouping those with nearly equal probabilities."""
        bins = self.number_of_groups * SHADES
        if not self.is_binary or len(self.number) <= bins:
            return self
        shade = np.minimum((self.second * SHADES).astype(np.intp), SHADES - 1)
        place = SHADES * self.groups.astype(np.intp) + shade
        number, second = (
            np.bincount(place, self.number, bins),
            np.bincount(place, self.number * self.second, bins),
        )
        filled = np.flatnonzero(number)
        return Cases(np.minimum(second[filled] / number[filled], 1.0), number[filled], filled // SHADES, self.targets)

    @cached_property
    def sums(self) -> list[tuple[int, Array]]:
        """Distribution of the number of second-class cases in each group, for binary cases."""
        pairs = zip(self._members, self._sums_of_powers, strict=True)
        return [poisson_binomial(self.second[each], self.number[each], sums) for each, sums in pairs]

    @cached_property
    def _sums_of_powers(self) -> list[Array]:
        """`chance_sums` of the probability of the second class in each group."""
        return [chance_sums(self.second[each], self.number[each], POWERS) for each in self._members]

    @cached_property
    def group_totals(self) -> Array:
        """Cases of each group, or the sum of their weights."""
        if self.is_binary:
            return np.array([total(self.number[each]) * self.weight for each in self._members])
        return np.bincount(self.groups, self.number * self.weight, self.number_of_groups)

    @cached_property
    def _members(self) -> list[Any]:
        """Positions of the cases of each group; a slice if they are contiguous and in order."""
        group, number = self.groups, self.number_of_groups
        if (group[1:] >= group[:-1]).all():
            inner = np.arange(1, number, dtype=group.dtype)  # another type would copy all groups
            ends = [0, *np.searchsorted(group, inner).tolist(), len(group)]
            return list(starmap(slice, pairwise(ends)))
        return [np.flatnonzero(group == index) for index in range(number)]

    def effective_sample_size(self, counts: Array, trials: Array) -> Array:
        """Return the expected number of cases in the marked cells; for weighted cases the Kish effective number."""
        total = np.asarray((counts * trials).sum(-1))
        if np.ndim(self.weight) == 0:
            return total
        squares = self.rows * self.squared[:, None]
        by_cell = np.bincount(self.targets[self.groups].ravel(), squares.ravel(), counts.shape[-1])
        return safe_divide(total**2, (by_cell * trials).sum(-1))

    def products_from_top(self, index: Array | None = None) -> Array:
        """Return the sums of ``w**2 p_k p_l`` over the cases of a table of scores below and above each threshold.

        Shape ``(thresholds, 2, 2, 2)``: below and above, then k and l; thresholds from the top, as in
        `curves.from_top`, or those at ``index``.
        """
        rows = self.number_of_groups
        place = (rows - 1 - self.targets[:, 1] // 2)[self.groups]
        above = np.zeros((rows + 1, 2, 2))
        for pair in np.ndindex(2, 2):
            product = self.squared * (self.of_class(pair[0]) * self.of_class(pair[1]))
            np.cumsum(np.bincount(place, product, rows), out=above[(slice(1, None), *pair)])
        total = above[-1]
        above = above if index is None else above[index]
        return np.stack([np.maximum(total - above, 0.0), above], 1)

    def sparse(self, cells: int) -> Any:
        """Return the expected table of one case of each kind as a sparse matrix, ``(m, cells)``."""
        from scipy import sparse

        rows = np.repeat(np.arange(len(self.number)), self.classes)
        columns = self.targets[self.groups].ravel()
        mass = self.rows * np.reshape(self.weight, (-1, 1))
        return sparse.csr_array((mass.ravel(), (rows, columns)), shape=(len(self.number), cells))

    def left_out(self, counts: Array) -> Blocks:
        """Yield tables without one case of each kind, and the number of cases of that kind, in blocks."""
        tables = self.sparse(counts.size)
        step = max(1, BLOCK_CELLS // counts.size)
        for start in range(0, len(self.number), step):
            block = slice(start, start + step)
            yield np.maximum(counts.reshape(1, -1) - tables[block].toarray(), 0.0), self.number[block]


def _codes(rows: Array) -> Array:
    """Return codes of the distinct rows of a matrix of small non-negative integers, in the order of their values."""
    codes = np.zeros(len(rows), dtype=np.intp)
    for column in rows.T:
        combined = codes * (int(column.max(initial=0)) + 1) + column
        codes = (np.cumsum(np.bincount(combined) > 0) - 1)[combined]
    return codes
