"""Correction of unreliable labels by a review of some cases.

In each cell (recorded label i, predicted label j) some cases were reviewed. Their labels are treated as known; the
labels of the other cases are imputed from the reviews of their cell. The design of the corrected table accounts for
the uncertainty of the imputation and for the sampling of the cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import replace
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError, real_numbers
from howsure.imperfect_labels.review.design import Reviewed
from howsure.imperfect_labels.review.prior import Cells, fixed_cells, pooled_cells
from howsure.imperfect_labels.review.rows import ReviewedRows
from howsure.methods.drawn.dirichlet import Prior, prior_array
from howsure.sources.frames import rows
from howsure.sources.groups import Groups, by_columns, groups_of, roles
from howsure.sources.layout import order_as_stated
from howsure.sources.matrices import from_counts
from howsure.sources.positive import positive_order
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable

RECORDED = "recorded"  # the prior under which labels are correct unless a review contradicts them
UNREVIEWED = (
    "`y_reviewed` is missing everywhere: no case was reviewed. Give prior='recorded' to take the labels as right, "
    "or use `confusion`."
)
BY_NAME = "Give `counts` and `reviews`, or columns by name: `reviewed(y_true=…, y_pred=…, y_reviewed=…)`."
FEW_REVIEWS = 100  # with fewer, 95 % intervals cover as little as 90 to 93 %
FEW = "{:,} of {:,} cases were reviewed: the interval may cover less than stated; review {} or more"
MOST_NAMED = 4  # cells listed in a note


@overload
def reviewed(
    counts: ArrayLike,
    reviews: ArrayLike,
    *,
    labels: ArrayLike | None = ...,
    pos_label: object = ...,
    prior: Prior | None = ...,
) -> ConfusionTable: ...


@overload
def reviewed(
    *,
    y_true: object,
    y_pred: object,
    y_reviewed: object,
    data: object = ...,
    by: None = None,
    labels: ArrayLike | None = ...,
    pos_label: object = ...,
    prior: Prior | None = ...,
    check: bool = ...,
) -> ConfusionTable: ...


@overload
def reviewed(
    *,
    y_true: object,
    y_pred: object,
    y_reviewed: object,
    data: object = ...,
    by: Sized,
    labels: ArrayLike | None = ...,
    pos_label: object = ...,
    prior: Prior | None = ...,
    check: bool = ...,
) -> Tables[ConfusionTable]: ...


@order_as_stated
def reviewed(
    counts: ArrayLike | None = None,
    reviews: ArrayLike | None = None,
    *,
    y_true: object = None,
    y_pred: object = None,
    y_reviewed: object = None,
    data: object = None,
    by: Sized | None = None,
    labels: ArrayLike | None = None,
    pos_label: object = None,
    prior: Prior | None = None,
    check: bool = True,
) -> ConfusionTable | Tables[ConfusionTable]:
    """Return the expected confusion table with corrected labels, after a review of some cases.

    Give either counts (``counts``, ``reviews``) or rows (``y_true``, ``y_pred``, ``y_reviewed``, and optionally
    ``data`` and ``by``).

    Parameters
    ----------
    counts : array-like of shape (K, K) or (G, K, K)
        Cases by recorded label (rows) and predicted label (columns). A stack has one matrix for each image, patient
        or site. If rows are given: number of identical cases that each row stands for, or the name of the column.
    reviews : array-like of shape (K, K, K) or (G, K, K, K)
        ``reviews[i, j, k]`` is the number of cases recorded i and predicted j that the review found to be k.
    y_true, y_pred : array-like of shape (n,) or str
        Recorded and predicted label of each case; with ``data``, the names of the columns.
    y_reviewed : array-like of shape (n,) or str
        Corrected label of each reviewed case, also if the record was right; a missing value (None, nan …) for
        unreviewed cases.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one table for each value, or combination of values, corrected by its own
        reviews.
    labels : array-like of shape (K,), optional
        The classes, in order. The default is 0 … K−1 for counts, and all classes of the three columns for rows. Rows
        recorded or predicted as another class are left out.
    pos_label : object, optional
        Which of two classes is the positive one; the last in order by default.
    prior : float, str or array-like of shape (K, K, K), optional
        Pseudo-reviews of each corrected label in each cell: a number, an array, or a name as in `Dirichlet`.
        ``"recorded"`` adds one pseudo-review to each cell that confirms the record: labels are then correct unless a
        review contradicts them, and reviews are optional. By default the prior is learned from all reviews of cells of
        one kind (record and prediction agree, or not). These cells have a common rate of wrong records; the odds of the
        true class are proportional to the class frequencies.
    check : bool
        Whether to raise an error for implausible input; False skips these checks.

    Returns
    -------
    ConfusionTable or Tables
        Expected counts by corrected and predicted label, with a `Reviewed` design; `estimate`, `evaluate` and all other
        functions of tables accept it. ``method="bayes"`` draws corrected tables; ``"delta"`` uses the standard error of
        the two-phase sample. If ``by`` or a stack is given, the tables of the groups, with the table of all cases as
        ``overall``.

    Raises
    ------
    HowsureError
        If counts and rows are mixed. If a cell has more reviews than cases, a number is negative or not an integer, or
        the shapes do not match. If a corrected label is not among the classes. If no row was reviewed (overall or in a
        group) and no prior is given.

    Notes
    -----
    The reviewed cases must be a random sample, either of all cases or within each cell of the table at any rate. If
    suspicious cases were reviewed instead, the estimates are biased.

    References
    ----------
    Tenenbein (1970), Journal of the American Statistical Association 65.

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
    0.934 [0.899, 0.957]

    The same from one row per case:

    >>> table = hs.reviewed(
    ...     y_true=["cat", "cat", "cat", "dog", "dog", "dog"],
    ...     y_pred=["cat", "cat", "dog", "dog", "dog", "cat"],
    ...     y_reviewed=["cat", None, "dog", "dog", None, None],
    ... )
    >>> table.rows, table.design.note
    (6, '1 cell has no review (recorded/predicted dog/cat): the estimate there is that of the prior')
    """
    names = {"y_true": y_true, "y_pred": y_pred, "y_reviewed": y_reviewed}
    number = counts if _is_column(counts) and any(each is not None for each in names.values()) else None
    if _is_column(counts) and number is None:
        raise HowsureError(f"`counts` is a matrix. {BY_NAME}")
    if _are_counts(
        {"counts": None if number is not None else counts, "reviews": reviews}, names, {"data": data, "by": by}
    ):
        return _of_counts(counts, reviews, labels, pos_label, prior)
    named = by_columns(by, data)
    given = rows(data, names | roles(named), gaps=("y_reviewed",), check=check, counts=number)
    cases = ReviewedRows.of(given, labels, pos_label, check=check)

    def table(some: object) -> ConfusionTable:
        found, reviews = cases.counted(some)
        if prior is None and not reviews.any():
            raise HowsureError(UNREVIEWED)
        return _corrected(from_counts(found, cases.labels), reviews, prior)

    return groups_of(named, given.columns, len(cases.cell)).each(table) if named else table(slice(None))


def _is_column(counts: Any) -> bool:
    """Return whether ``counts`` is a column or the name of one, not a matrix."""
    return isinstance(counts, str) or (counts is not None and np.ndim(counts) == 1)


def _are_counts(counts: Mapping[str, object], rows: Mapping[str, object], of_rows: Mapping[str, object]) -> bool:
    """Return whether counts rather than rows are given; refuse both together, and missing arguments."""
    first, second, more = (
        [name for name, value in each.items() if value is not None] for each in (counts, rows, of_rows)
    )
    if first and (second or more):
        raise HowsureError(f"`{first[0]}` belongs to counts and `{[*second, *more][0]}` to rows. {BY_NAME}")
    wanted = counts if first else rows
    missing = [name for name in wanted if wanted[name] is None]
    if missing:
        raise HowsureError(
            f"`{missing[0]}` is missing: give `counts` and `reviews`, or `y_true`, `y_pred` and `y_reviewed`."
        )
    return bool(first)


def _of_counts(
    counts: Any, reviews: Any, labels: ArrayLike | None, pos_label: object, prior: Prior | None
) -> ConfusionTable | Tables[ConfusionTable]:
    recorded = from_counts(counts, labels)
    if pos_label is not None:
        given = getattr(recorded, "overall", recorded).labels
        order = positive_order(given, pos_label)
        counts = _turned(real_numbers("counts", counts), order, 2)
        reviews = _turned(_numbers(reviews), order, 3)
        if prior is not None and np.ndim(prior) == 3:
            prior = _turned(np.asarray(prior), order, 3)
        return _of_counts(counts, reviews, given[order], None, prior)
    if not isinstance(recorded, Tables):
        return _corrected(recorded, reviews, prior)
    matrices, classes = np.asarray(counts, dtype=float), recorded.overall.labels
    found = _numbers(reviews)
    if found.shape != (*matrices.shape, len(classes)):
        raise HowsureError(
            f"`reviews` has shape {found.shape} and `counts` {matrices.shape}: add an axis of corrected labels."
        )

    def table(some: Any) -> ConfusionTable:
        return _corrected(from_counts(matrices[some].sum(0), classes), found[some].sum(0), prior)

    return Groups(recorded.columns, tuple(recorded), np.arange(len(recorded))).each(table)


def _turned(values: Array, order: Array, axes: int) -> Array:
    """Return values with the classes on the last ``axes`` axes in another order."""
    for axis in range(-axes, 0):
        values = np.take(values, order, axis)
    return values


def _corrected(recorded: ConfusionTable, reviews: ArrayLike, prior: Prior | None) -> ConfusionTable:
    """Return the corrected table for a recorded table."""
    found = _checked_reviews(reviews, recorded)
    if prior is None:
        cells = pooled_cells(recorded.counts, found)
    else:
        cells = fixed_cells(recorded.counts, found, _pseudo_reviews(prior, found.shape))
        _refuse_missing_evidence(cells, recorded)
    design = Reviewed(cells, recorded.labels, _note(found, recorded))
    expected = design.expected(recorded.counts.size).reshape(recorded.counts.shape)
    return replace(recorded, counts=expected, design=design)


def _pseudo_reviews(prior: Prior, shape: tuple[int, ...]) -> Array:
    if isinstance(prior, str) and prior == RECORDED:
        return np.broadcast_to(np.eye(shape[0])[:, None], shape)
    return prior_array(prior, shape, "prior")


def _numbers(reviews: ArrayLike) -> Array:
    try:
        return real_numbers("reviews", reviews)
    except HowsureError:
        return np.empty(0)


def _checked_reviews(reviews: ArrayLike, table: ConfusionTable) -> Array:
    size = len(table.labels)
    found = _numbers(reviews)
    if found.shape != (size, size, size):
        raise HowsureError(
            f"`reviews` has shape {found.shape} and the table {size} classes: give {size}×{size}×{size} numbers, "
            "recorded × predicted × corrected label."
        )
    bad = ~(np.isfinite(found) & (found >= 0) & (found == np.floor(found)))
    if bad.any():
        i, j, k = (int(index) for index in np.argwhere(bad)[0])
        raise HowsureError(
            f"`reviews[{i}, {j}, {k}]` = {found[i, j, k]:g} is no number of cases: give whole numbers of at least 0."
        )
    over = found.sum(-1) > table.counts
    if over.any():
        i, j = (int(index) for index in np.argwhere(over)[0])
        raise HowsureError(
            f"{found[i, j].sum():g} cases recorded {table.labels[i]} and predicted {table.labels[j]} were reviewed, "
            f"and only {table.counts[i, j]:g} were counted."
        )
    return found


def _refuse_missing_evidence(cells: tuple[Cells, ...], table: ConfusionTable) -> None:
    for each in cells:
        lacking = each.lacks_evidence
        if lacking.any():
            i, j = divmod(int(each.index[np.argmax(lacking)]), len(table.labels))
            raise HowsureError(
                f"No case recorded {table.labels[i]} and predicted {table.labels[j]} was reviewed, and `prior` has "
                "no pseudo-reviews of them. Give it some, or review some."
            )


def _note(reviews: Array, table: ConfusionTable) -> str:
    """Return a note about few reviews, and about non-empty cells without a review."""
    reviewed, cases = int(reviews.sum()), round(float(table.counts.sum()))
    is_few = 0 < reviewed < min(FEW_REVIEWS, cases / 2)
    few = FEW.format(reviewed, cases, FEW_REVIEWS) if is_few else ""
    return "; ".join(filter(None, (few, _without_review(reviews, table))))


def _without_review(reviews: Array, table: ConfusionTable) -> str:
    alone = np.argwhere((reviews.sum(-1) == 0) & (table.counts > 0))
    if not len(alone):
        return ""
    names = [f"{table.labels[i]}/{table.labels[j]}" for i, j in alone[:MOST_NAMED]]
    more = ", …" if len(alone) > MOST_NAMED else ""
    cells = "cell has" if len(alone) == 1 else "cells have"
    where = f"recorded/predicted {', '.join(names)}{more}"
    return f"{len(alone)} {cells} no review ({where}): the estimate there is that of the prior"
