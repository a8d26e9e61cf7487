"""Table of two systems whose outputs a judge grades, with human labels for some of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from howsure.arrays import Positions
from howsure.designs import invariants
from howsure.tables.confusion import ConfusionTable
from howsure.tables.joint import JointTable
from howsure.tables.kind import Kind
from howsure.tables.marginals import Marginal


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PairedJudgedTable(JointTable):
    """Expected counts of cases by the human labels and the judge's verdicts of two systems' outputs.

    Parameters
    ----------
    counts : ndarray of shape (M,)
        Cases with each combination.
    labels : ndarray of shape (K,)
        The classes; the last of two is the passing one.
    names : tuple of str
        The systems.
    codes : ndarray of shape (M, 4)
        The combinations: human label of either system, then verdict of either, as positions among the labels.
    rows : int
        Number of cases.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.judged({"A": [1, 0, None], "B": [1, 1, None]}, {"A": [1, 0, 1], "B": [0, 1, 1]})
    <PairedJudgedTable: 3 cases: 1.5 of class 0, 1.5 of class 1; models: A, B; design: two phase>
    """

    codes: Positions
    _axes: ClassVar[int] = 1
    kind: ClassVar[Kind] = Kind(noun="paired table of judged cases")

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.positions("codes", self.codes, (*self.shape, 2 * len(self.names)), len(self.labels))

    @property
    def true_class(self) -> Positions:
        """Position of the first system's human label in each cell."""
        return np.asarray(self.codes[:, 0])

    def _view(self, index: int) -> Marginal:
        size = len(self.labels)
        empty = ConfusionTable(counts=np.zeros((size, size)), labels=self.labels, is_ordered=self.is_ordered)
        return Marginal(empty, self.codes[:, index] * size + self.codes[:, len(self.names) + index])
