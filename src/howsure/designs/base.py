"""Sampling designs: how the counts of a table vary between repetitions of the study.

A design returns the variance of a linear form in the counts. Together with the gradient of a metric this gives the
delta method. Further members are grouped by subject in optional protocols:

- `VarianceDetails`: small-sample corrections, influence functions, variances of areas and of threshold curves
- `Resampling`: bootstrap, jackknife, posterior, simulated studies
- `Algebra`: sums, batches and mergers of tables
- `TwoLevel`: observed cells that are finer than those of the table, or have fixed totals
- `Clustering`: units of correlated cases
- `PartialLabels`, `KnownProbabilities` and `Refittable`: one kind of evidence each

Callers use protocols, never the class of a design: ``VarianceDetails.of(design)`` has the design's own members and the
protocol's defaults for the others, and ``design.supports(Resampling.posterior)`` tests for a member. A user-defined
design therefore works wherever it defines the required members; elsewhere an error names the missing one.

Counts and gradients are flat arrays of shape ``(..., cells)``; leading axes are a batch of tables. A metric does not
change when the counts are multiplied by a constant, so ``sum(counts * gradient) == 0`` (Euler's theorem), and variances
need no correction for the mean.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, Self, cast

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.traits import COUNTED, NO_DESCRIPTION, Description, Traits
from howsure.errors import UndefinedDesignError
from howsure.escapes import shown

PSEUDO_COUNT = 2.0  # total pseudo-count: for samples without variation, and of the default prior
RELATIVE_TOLERANCE = 1e-12  # relative tolerance for rounding errors around zero


class Design(abc.ABC):
    """Sampling distribution of the counts of a table.

    A subclass needs `variance`, which makes the delta method and most intervals available. Each further member makes
    more of the library available: `collapse_cells` gives metrics of one class and thresholds. Optional protocols have
    the others: bootstraps need `Resampling.resample`, credible intervals `Resampling.posterior`.

    Examples
    --------
    >>> import howsure as hs
    >>> class Twice(hs.designs.Design):
    ...     '''Independent cases, each of which was counted twice.'''
    ...
    ...     def variance(self, counts, gradient):
    ...         return 2 * (counts * gradient**2).sum(-1)
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> print(hs.estimate(table, "mcc"), hs.estimate(table.with_design(Twice()), "mcc"))
    0.840 [0.708, 0.923] 0.840 [0.639, 0.946]
    """

    __slots__ = ()

    @property
    def traits(self) -> Traits:
        """Properties that select methods and wording."""
        return COUNTED

    @property
    def description(self) -> Description:
        """Text about the design for reports."""
        return NO_DESCRIPTION

    @property
    def degrees_of_freedom(self) -> Any:
        """Degrees of freedom of the variance estimate; infinite if normal quantiles are valid."""
        return np.inf

    @property
    def test_sets(self) -> tuple[Design, ...]:
        """The designs of separate test sets; by default the design itself."""
        return (self,)

    @abc.abstractmethod
    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the variance of ``sum(gradient * counts)``, shape ``(...)``.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and the coefficients of the linear form.
        """

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return the Kish effective sample size of the selected cells.

        It is the squared total of the cells divided by its variance under Poisson sampling.

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The tables.
        cells : ndarray of shape (cells,)
            1, or True, for the selected cells.
        """
        selected = np.broadcast_to(np.asarray(cells, dtype=float), counts.shape)
        return safe_divide((counts * selected).sum(-1) ** 2, self.variance(counts, selected))

    def collapse_cells(self, codes: Array, size: int) -> Design:
        """Return the design of the table whose cell ``codes[c]`` is the sum of all cells c with that code.

        Parameters
        ----------
        codes : ndarray of shape (cells,)
            New cell of each cell.
        size : int
            Number of new cells.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for the collapsed table.
        """
        raise UndefinedDesignError(type(self).__name__)

    def supports(self, member: Callable[..., object]) -> bool:
        """Return whether the design defines an optional member, such as ``Resampling.posterior``.

        Parameters
        ----------
        member : callable
            A member of a protocol.
        """
        return getattr(type(self), member.__name__, member) is not member

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells.

        Parameters
        ----------
        shape : tuple of int
            Shape of the table's counts with the cells along the last axis.

        Raises
        ------
        HowsureError
            If a part breaks an invariant; the message names it.
        """
        invariants.instance("note", self.description.estimate_caveat, str)

    def check_sums(self, counts: Array) -> None:
        """Check that the entries of the design add up to the counts of its table.

        A saved table is checked once, when it is loaded: the check costs a pass over all entries.

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The table's counts.

        Raises
        ------
        HowsureError
            If they add up to other counts; the message names the first cell.
        """
        invariants.numbers("counts", counts, counts.shape)  # a design without entries has nothing to add up

    def __repr__(self) -> str:
        names: list[str] = [each.name for each in fields(self)] if is_dataclass(self) else []
        return f"{type(self).__name__}({', '.join(f'{name}={shown(getattr(self, name))}' for name in names)})"


class DesignProtocol(Design):
    """Base class of the optional protocols: members of one subject, each with a default or an error."""

    __slots__ = ()

    @classmethod
    def of(cls, design: Design) -> Self:
        """Return the design if it implements this protocol, else its members with the protocol's defaults.

        Parameters
        ----------
        design : Design
            Any design.
        """
        return design if isinstance(design, cls) else cast("Self", _WithDefaults(design, cls))


class _WithDefaults:
    """The members of a design, and the defaults of a protocol for those that it does not define."""

    __slots__ = ("_design", "_protocol")

    def __init__(self, design: Design, protocol: type[DesignProtocol]) -> None:
        self._design, self._protocol = design, protocol

    def __getattr__(self, name: str) -> Any:
        if hasattr(type(self._design), name):
            return getattr(self._design, name)
        return getattr(self._protocol, name).__get__(self._design)


def active_cells(counts: Array, gradient: Array) -> Array:
    """Return 1 for the cells that a linear form depends on and 0 for the others, ``(..., cells)``."""
    size = np.abs(np.broadcast_to(gradient, counts.shape))
    return np.asarray(1.0 * (size > RELATIVE_TOLERANCE * size.max(-1, keepdims=True)))


def safe_divide(part: Array, whole: Array) -> Array:
    """Return ``part / whole``; 0 where ``whole`` is not positive."""
    some = np.greater(whole, 0)
    if some.all():
        return np.asarray(np.true_divide(part, whole))
    return np.asarray(np.where(some, np.true_divide(part, np.where(some, whole, 1.0)), 0.0))
