"""Accumulation of cases in batches; the table equals that of all cases counted at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, final

import numpy as np

from howsure.attributes import AdvisedAttributes
from howsure.errors import HowsureError, NoCaseError
from howsure.sources.columns import ordinary_scale
from howsure.sources.to_numpy import plain

Counted = TypeVar("Counted")  # a table, or the tables of groups


@final
class Accumulator(AdvisedAttributes, Generic[Counted]):
    """Count cases that come in batches: from a stream, a training loop, or several workers.

    The source counts each batch; only the tables, which are additive, are kept. The result does not depend on how the
    cases are split into batches, on their order or on merging. Memory grows with the cells of the table, and with the
    number of clusters where there are ``groups``, not with the number of cases.

    Parameters
    ----------
    source : callable
        Function that counts a batch: `confusion`, `scores`, `paired` or another source of additive tables.
    **settings
        Passed to the source with each batch. Name the classes (``labels=``, for scores ``pos_label=``), because a batch
        may lack some.

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

    def __init__(self, source: Callable[..., Counted] | None = None, **settings: object) -> None:
        if not callable(source):
            raise HowsureError(
                f"An accumulator takes the function that counts, such as `howsure.confusion`, not {source!r}."
            )
        self.source = source
        self.settings = settings
        self.reset()

    def reset(self) -> None:
        """Forget all cases."""
        self._parts: list[tuple[int, Any]] = []  # by decreasing number of batches, so cells are added seldom

    def update(self, *columns: object, **more: object) -> None:
        """Count a batch; an empty batch adds nothing.

        Parameters
        ----------
        *columns : array-like or tensor
            Positional arguments of the source, such as ``y_true, y_pred``.
        **more
            Further columns by name, such as ``sample_weight``, ``groups`` and ``by``; the same names in each batch.

        Raises
        ------
        HowsureError
            If the source rejects the batch, or its table cannot be added to the previous ones. The batch is then not
            counted.
        """
        _refuse_scaled(plain("sample_weight", more.get("sample_weight")))
        try:
            part = self.source(*columns, **self.settings, **more)
        except NoCaseError:
            return
        self._parts = _compact([*self._parts, (1, part)])

    @property
    def batches(self) -> int:
        """The number of batches counted."""
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
            raise HowsureError("No case was counted yet: there is no table. Call `update` first.")
        self._parts = [(self.batches, _sum([part for _, part in self._parts]))]
        table: Counted = self._parts[0][1]
        return table

    def merge(self, other: Accumulator[Counted]) -> None:
        """Add the cases of another accumulator, for example that of another worker.

        Parameters
        ----------
        other : Accumulator
            An accumulator with the same source and different cases.

        Raises
        ------
        HowsureError
            If its source differs, or the tables cannot be added.
        """
        if not isinstance(other, Accumulator) or other.source != self.source:
            raise HowsureError(f"{self!r} merges with another accumulator of the same source, not with {other!r}.")
        if other.batches:
            both = [*self._parts, (other.batches, other.table)]
            self._parts = [(sum(number for number, _ in both), _sum([part for _, part in both]))]

    def __add__(self, other: Accumulator[Counted]) -> Self:
        """Return an accumulator with the cases of both."""
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
    """Merge parts until each covers more batches than the next; about log2(number of batches) parts remain."""
    while len(parts) > 1 and parts[-2][0] <= parts[-1][0]:
        *parts, (first, one), (second, two) = parts
        parts = [*parts, (first + second, _sum([one, two]))]
    return parts


def _sum(parts: list[Any]) -> Any:
    """Return the sum of tables, adding the smallest (at the end of the list) first."""
    total = parts[-1]
    for part in reversed(parts[:-1]):
        total = part + total
    return total


def _refuse_scaled(weight: object) -> None:
    """Refuse weights that the source would rescale, because each batch would get its own scale."""
    try:
        weights = np.asarray(weight, dtype=float)
    except (TypeError, ValueError):  # not numeric: the source raises the error
        return
    if weights.ndim == 1 and weights.size and np.isfinite(weights).all() and ordinary_scale(weights) != 1:
        raise HowsureError(
            f"`sample_weight` is at most {weights.max():.3g}, which is rounded off beside weights of an ordinary size. "
            "Multiply all batches' weights by one number, so that they are about 1."
        )
