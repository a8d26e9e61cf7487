"""Non-empty cells of a table, which determine the variance of independent cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.tables.table import Table


@final
@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class FilledTable(Table):
    """Counts of some cells of another table, without its distributions of a prior over all cells.

    Parameters
    ----------
    true_classes : ndarray of shape (cells,)
        Position of the true class of each cell.
    """

    true_classes: Array
    _axes: ClassVar[int] = 1

    def _check(self) -> None:
        """Check the parts of the table, and that the counts have their shape."""
        super()._check()
        invariants.positions("true_classes", self.true_classes, self.shape, len(self.labels))

    @property
    def true_class(self) -> Array:
        """Position of the true class of each cell."""
        return self.true_classes
