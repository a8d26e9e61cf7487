"""Cases that come in batches: counted as they come, and the same table as if they had come at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, final

import numpy as np

from howsure.errors import HowsureError, NoCaseError
from howsure.sources.columns import ordinary_scale
from howsure.sources.plain import plain

Counted = TypeVar("Counted")  # a table, or the tables of groups


@final
class Accumulator(Generic[Counted]):
    """Count cases that come in batches: from a stream, a training loop, or several workers.

    Each batch is counted by the source and dropped; what is kept are tables, which add up. However the cases are split
    into batches, ordered or merged, the table is that of all of them. Memory grows with the cells of the table, and
    with the number of clusters where there are ``groups``, not with the number of cases.

    Parameters
    ----------
    source : callable
        What counts a batch: `confusion`, `scores`, `paired` or another function that makes tables which add up.
    **settings
        Given to the source with each batch. Name the classes (``labels=``, for scores ``pos_label=``), for a batch may
        lack some.

    Examples
    --------
    >>> import howsure as hs
    >>> seen = hs.Accumulator(hs.confusion, labels=["cat", "dog"])
    >>> for y_true, y_pred in [(["cat", "cat"], ["cat", "dog"]), (["dog", "dog", "dog"], ["dog", "dog", "cat"])]:
    ...     seen.update(y_true, y_pred)
    >>> seen
    <Accumulator of confusion: 5 cases in 2 batches>
    >>> print(hs.estimate(seen.table, "accuracy"))
    0.600 [0.182, 0.927]

    Workers count apart, and their tables are merged:

    >>> other = hs.Accumulator(hs.confusion, labels=["cat", "dog"])
    >>> other.update(["cat"], ["cat"])
    >>> seen.merge(other)
    >>> seen.table.rows
    6
    """

    def __init__(self, source: Callable[..., Counted], **settings: Any) -> None:
        if not callable(source):
            message = f"An accumulator takes the function that counts, such as `howsure.confusion`, not {source!r}."
            raise HowsureError(message)
        self.source = source
        self.settings = settings
        self.reset()

    def reset(self) -> None:
        """Forget all cases."""
        self._parts: list[tuple[int, Any]] = []  # of ever fewer batches, so that a cell is added up seldom

    def update(self, *columns: Any, **more: Any) -> None:
        """Count a batch; one without cases adds nothing.

        Parameters
        ----------
        *columns : array-like or tensor
            What the source takes, such as ``y_true, y_pred``.
        **more
            Further columns by name, such as ``sample_weight``, ``groups`` and ``by``: in each batch the same ones.

        Raises
        ------
        HowsureError
            If the source refuses the batch, or it does not add up with those before: nothing of it is counted then.
        """
        _refuse_scaled(plain("sample_weight", more.get("sample_weight")))
        try:
            part = self.source(*columns, **self.settings, **more)
        except NoCaseError:
            return
        self._parts = _compact([*self._parts, (1, part)])

    @property
    def batches(self) -> int:
        """How many batches were counted."""
        return sum(number for number, _ in self._parts)

    @property
    def table(self) -> Counted:
        """The table of all cases so far.

        Raises
        ------
        HowsureError
            If no case was counted.
        """
        if not self._parts:
            message = "No case was counted yet: there is no table. Call `update` first."
            raise HowsureError(message)
        self._parts = [(self.batches, _sum([part for _, part in self._parts]))]
        table: Counted = self._parts[0][1]
        return table

    def merge(self, other: Accumulator[Counted]) -> None:
        """Count the cases of another accumulator too, such as that of another worker.

        Parameters
        ----------
        other : Accumulator
            Of the same source, and of other cases.

        Raises
        ------
        HowsureError
            If it counts by another source, or the tables do not add up.
        """
        if not isinstance(other, Accumulator) or other.source != self.source:
            message = f"{self!r} merges with another accumulator of the same source, not with {other!r}."
            raise HowsureError(message)
        if other.batches:
            both = [*self._parts, (other.batches, other.table)]
            self._parts = [(sum(number for number, _ in both), _sum([part for _, part in both]))]

    def __add__(self, other: Accumulator[Counted]) -> Self:
        """Return an accumulator of the cases of both."""
        both = type(self)(self.source, **self.settings)
        both.merge(self)
        both.merge(other)
        return both

    def __radd__(self, other: object) -> Self:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # `sum` starts from 0

    def __repr__(self) -> str:
        name = getattr(self.source, "__name__", repr(self.source))
        cases = sum(getattr(part, "overall", part).rows for _, part in self._parts)
        batches = "1 batch" if self.batches == 1 else f"{self.batches:,} batches"
        return f"<Accumulator of {name}: {cases:,} cases in {batches}>"


def _compact(parts: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Return parts in which each is of more batches than the next: at most as many as batches have binary digits."""
    while len(parts) > 1 and parts[-2][0] <= parts[-1][0]:
        *parts, (first, one), (second, two) = parts
        parts = [*parts, (first + second, _sum([one, two]))]
    return parts


def _sum(parts: list[Any]) -> Any:
    """Return the sum of tables, the smallest of which, at the end, are added first."""
    total = parts[-1]
    for part in reversed(parts[:-1]):
        total = part + total
    return total


def _refuse_scaled(weight: Any) -> None:
    """Refuse weights that a source would bring to an ordinary size, for it would bring each batch to its own."""
    try:
        weights = np.asarray(weight, dtype=float)
    except (TypeError, ValueError):  # no numbers: the source says so
        return
    if weights.ndim == 1 and weights.size and np.isfinite(weights).all() and ordinary_scale(weights) != 1:
        message = (
            f"`sample_weight` is at most {weights.max():.3g}, which is rounded off beside weights of an ordinary size. "
            "Multiply all batches' weights by one number, so that they are about 1."
        )
        raise HowsureError(message)
