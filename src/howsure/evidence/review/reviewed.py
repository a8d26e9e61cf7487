"""Unreliable labels: a review of some cases, and the table that it makes likely.

In each cell (recorded label i, predicted label j) some cases were reviewed. They are known; the corrected labels of
the others are imputed from their cell's review. The corrected table's design carries both what the imputation
leaves open and the sampling of the cases themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.designs.base import Design, quotient
from howsure.designs.sampling import BLOCK_CELLS, Blocks
from howsure.errors import HowsureError
from howsure.evidence.review.prior import Cells, fixed_cells, pooled_cells
from howsure.methods.dirichlet import Prior, prior_array
from howsure.tables.confusion import from_counts
from howsure.tables.table import Table

Array = NDArray[Any]
MOST_NAMED = 4  # cells that a note lists


@dataclass(frozen=True, slots=True, eq=False)
class Reviewed(Design):
    """A test set whose labels were reviewed for some cases of each cell: a two-phase sample.

    Parameters
    ----------
    cells
        The recorded cells with their reviews, in groups that share what their reviews say.
    labels
        The class labels of the recorded table.
    note
        What an estimate has to say of the review, or nothing.

    Notes
    -----
    With ``m`` of ``N`` cases unreviewed and ``A`` reviews and pseudo-reviews in a cell, the unreviewed are
    Dirichlet-multinomial, and ``Var = sum(C g**2) + sum(m (A + m) / (A + 1) * spread of g in the cell)``. Without
    pseudo-reviews this is the variance of double sampling, ``N * mean(g)**2 + N**2 / r * spread``
    (Tenenbein 1970).

    References
    ----------
    Tenenbein (1970), Journal of the American Statistical Association 65.
    """

    cells: tuple[Cells, ...]
    labels: Array
    note: str = ""
    is_counted: ClassVar[bool] = False

    def expected(self, shape: tuple[int, ...]) -> Array:
        """Return the expected corrected counts."""
        return sum((each.gathered(each.expected, shape) for each in self.cells), np.zeros(shape))

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the sampling variance of the corrected cases, and that of imputing the unreviewed."""
        sampling = float(np.vdot(counts * gradient, gradient))
        return np.asarray(sampling + sum(each.imputation_variance(gradient) for each in self.cells))

    def effective_trials(self, counts: Array, trials: Array) -> Array:
        """Return Kish's size, where each unreviewed case of a cell leans on its reviewed ones."""
        leaning = sum((each.gathered(each.expected * each.weight, counts.shape) * trials).sum() for each in self.cells)
        return quotient((counts * trials).sum() ** 2, np.asarray(leaning))

    def merged(self, cells: Array, size: int) -> Reviewed:  # noqa: ARG002 - as of every design
        """Let the corrected labels lead to the merged cells; recorded cells and reviews stay."""
        return replace(self, cells=tuple(replace(each, destination=cells[each.destination]) for each in self.cells))

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Impute the unreviewed cases, and draw gamma variables by the completed counts and the prior's cells."""
        drawn = np.empty((size, counts.size))
        step = max(1, BLOCK_CELLS // max(each.reviews.size for each in self.cells))
        for start in range(0, size, step):
            number = min(step, size - start)
            tables = sum(each.imputed(number, rng) @ each.gathering(counts.size) for each in self.cells)
            drawn[start : start + number] = rng.standard_gamma(tables + prior.ravel())
        return drawn

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Repeat both phases: the cases of each cell, and the reviewed among them, whose labels are corrected anew."""
        recorded = np.concatenate([each.recorded for each in self.cells])
        cases = rng.multinomial(round(recorded.sum()), recorded / recorded.sum(), size)
        drawn = np.zeros((size, counts.size))
        first = 0
        for each in self.cells:
            last = first + len(each.recorded)
            for start in range(0, size, step := max(1, BLOCK_CELLS // each.reviews.size)):
                block = slice(start, start + step)
                drawn[block] += each.repeated(cases[block, first:last], rng) @ each.gathering(counts.size)
            first = last
        return drawn

    def left_out(self, counts: Array) -> Blocks:
        """Leave out one unreviewed case of each cell, and one reviewed case of each corrected label in it."""
        for each in self.cells:
            for changes, number in each.left_out():
                tables = np.tile(counts.ravel(), (len(number), 1)) - changes @ each.gathering(counts.size)
                yield np.maximum(tables, 0.0), number


def reviewed(
    counts: ArrayLike, reviews: ArrayLike, *, labels: ArrayLike | None = None, prior: Prior | None = None
) -> Table:
    """Return the corrected confusion table that a review of some cases makes likely.

    Parameters
    ----------
    counts
        K×K counts: rows are the label as it was recorded, columns the predicted one.
    reviews
        K×K×K counts: ``reviews[i, j, k]`` of the cases recorded i and predicted j were found to be really k. The
        cases must have been reviewed at random within their cell, however many in each: a review at random over
        all cases is one.
    labels
        The K class labels.
    prior
        Pseudo-reviews of each corrected label in each cell: a number, a K×K×K array, or a name as in `Dirichlet`. By
        default cells of one kind (record and prediction agree, or not) share what their reviews say, with odds in
        proportion to how frequent the classes are, and the prior learns how much.

    Returns
    -------
    Table
        Expected counts over (corrected label, predicted label), with a `Reviewed` design: `estimate`, `evaluate`
        and all that reads tables work on it. ``method="bayes"`` draws corrected tables, ``"delta"`` is the two-phase
        sample's standard error.

    Raises
    ------
    HowsureError
        If a cell has more reviews than cases, a number is negative or not whole, or the shapes do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> import howsure as hs
    >>> counts = [[420, 30], [60, 490]]
    >>> reviews = np.zeros((2, 2, 2))
    >>> reviews[0, 0], reviews[0, 1] = (48, 2), (12, 18)  # recorded 0, predicted 0 and 1
    >>> reviews[1, 0], reviews[1, 1] = (20, 20), (1, 59)
    >>> table = hs.reviewed(counts, reviews)
    >>> print(hs.estimate(hs.from_counts(counts), "f1"))
    0.916 [0.897, 0.932]
    >>> print(hs.estimate(table, "f1", method="bayes", random_state=0))
    0.934 [0.901, 0.958]
    """
    table = from_counts(counts, labels)
    found = _checked_reviews(reviews, table)
    if prior is None:
        cells = pooled_cells(table.counts, found)
    else:
        cells = fixed_cells(table.counts, found, prior_array(prior, found.shape, "prior"))
        _refuse_silence(cells, table)
    design = Reviewed(cells, table.labels, _note(found, table))
    expected = design.expected(table.counts.shape)
    return replace(table, counts=expected, design=design)


def _checked_reviews(reviews: ArrayLike, table: Table) -> Array:
    size = len(table.labels)
    try:
        found = np.asarray(reviews, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (size, size, size):
        message = (
            f"`reviews` has shape {found.shape} and the table {size} classes: give {size}×{size}×{size} numbers, "
            "recorded × predicted × corrected label."
        )
        raise HowsureError(message)
    bad = ~(np.isfinite(found) & (found >= 0) & (found == np.floor(found)))
    if bad.any():
        i, j, k = (int(index) for index in np.argwhere(bad)[0])
        message = (
            f"`reviews[{i}, {j}, {k}]` = {found[i, j, k]:g} is no number of cases: give whole numbers of at least 0."
        )
        raise HowsureError(message)
    over = found.sum(-1) > table.counts
    if over.any():
        i, j = (int(index) for index in np.argwhere(over)[0])
        message = (
            f"{found[i, j].sum():g} cases recorded {table.labels[i]} and predicted {table.labels[j]} were reviewed, "
            f"and only {table.counts[i, j]:g} were counted."
        )
        raise HowsureError(message)
    return found


def _refuse_silence(cells: tuple[Cells, ...], table: Table) -> None:
    for each in cells:
        silent = each.silent
        if silent.any():
            i, j = divmod(int(each.index[np.argmax(silent)]), len(table.labels))
            message = (
                f"No case recorded {table.labels[i]} and predicted {table.labels[j]} was reviewed, and `prior` says "
                "nothing of them. Give it pseudo-reviews, or review some."
            )
            raise HowsureError(message)


def _note(reviews: Array, table: Table) -> str:
    """Say which cells that hold cases were not reviewed at all."""
    alone = np.argwhere((reviews.sum(-1) == 0) & (table.counts > 0))
    if not len(alone):
        return ""
    names = [f"{table.labels[i]}/{table.labels[j]}" for i, j in alone[:MOST_NAMED]]
    more = ", …" if len(alone) > MOST_NAMED else ""
    cells = "cell has" if len(alone) == 1 else "cells have"
    return f"{len(alone)} {cells} no review (recorded/predicted {', '.join(names)}{more}): only the prior speaks there"
