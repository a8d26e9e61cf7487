"""Published joint counts of two models: right and wrong (McNemar's table), or true class × both predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError, listed, real_numbers
from howsure.sources.layout import as_written, is_stated
from howsure.sources.positive import FAILING, PASSING, positive_order
from howsure.tables.labels import OUTCOMES, label_array
from howsure.tables.paired import PairedTable
from howsure.tables.prior_tuples import pseudo_tuples

RIGHT, WRONG = PASSING | {"1", "hit"}, FAILING | {"0", "miss"}
CUBE = 3  # dimensions of true class × prediction of either model


def paired_counts(
    counts: ArrayLike | None = None,
    *,
    both: int | None = None,
    only_a: int | None = None,
    only_b: int | None = None,
    neither: int | None = None,
    a: str = "A",
    b: str = "B",
    labels: ArrayLike | None = None,
    pos_label: object = None,
) -> PairedTable:
    """Return the joint table of two models from published counts of the same cases.

    Parameters
    ----------
    counts : array-like of shape (2, 2) or (K, K, K), optional
        Numbers of cases that both models, only the first, only the second or neither answer correctly: ``[[both,
        only_a], [only_b, neither]]``. Or numbers of cases by true class, class predicted by the first model, and class
        predicted by the second.
    both, only_a, only_b, neither : int, optional
        The four numbers by name, instead of `counts`.
    a, b : str
        Names of the two models.
    labels : array-like of shape (K,), optional
        The classes of K × K × K counts; 0 … K−1 by default.
    pos_label : object, optional
        Which of two classes is the positive one.

    Returns
    -------
    PairedTable
        As `paired` returns it. Counts of right and wrong answers are sufficient for the accuracy of the models, but not
        for metrics of classes.

    Raises
    ------
    HowsureError
        If a number is missing, negative or fractional, or the shape is neither (2, 2) nor (K, K, K).

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.paired_counts(both=10, only_a=5, only_b=12, neither=30)
    >>> print(hs.compare(table, "accuracy"))
    accuracy: A − B = -0.123 [-0.266, 0.020], p = 0.090
    """
    named = {"both": both, "only_a": only_a, "only_b": only_b, "neither": neither}
    if counts is None:
        absent = [name for name, number in named.items() if number is None]
        if absent:
            shown = ", ".join(f"`{name}`" for name in absent)
            raise HowsureError(f"{shown} missing: all of both, only_a, only_b and neither are needed.")
        counts = np.array([[both, only_a], [only_b, neither]], dtype=object)
    elif any(number is not None for number in named.values()):
        raise HowsureError("Give `counts`, or both, only_a, only_b and neither, and not all of them.")
    counts, a, b = _laid_out(counts, a, b)
    models = _named(a, b)
    cells = real_numbers("counts", counts)
    is_cube = cells.ndim == CUBE and len(set(cells.shape)) == 1 and cells.shape[0] > 1
    if not is_cube and cells.shape != (2, 2):
        raise HowsureError(
            f"`counts` has shape {cells.shape}. Give [[both, only_a], [only_b, neither]], or K × K × K counts: true "
            "class, prediction of the first model, prediction of the second."
        )
    wrong = ~(np.isfinite(cells) & (cells >= 0) & (cells == np.floor(cells)))
    if wrong.any() or not cells.any():
        shown = f"hold {cells[wrong][0]:g}" if wrong.any() else "are all zero"
        raise HowsureError(f"The counts {shown}. Give the numbers of cases: whole, non-negative, and some above 0.")
    if is_cube:
        axis = np.arange(len(cells)) if labels is None else label_array(labels)
        return _of_cube(cells, axis, models, stated=is_stated(axis.tolist(), labels, pos_label), last=pos_label)
    if labels is not None or pos_label is not None:
        raise HowsureError("Counts of right and wrong answers have no classes: leave `labels` and `pos_label` out.")
    cube = np.zeros((2, 2, 2))
    cube[1, 1, 1], cube[1, 1, 0], cube[1, 0, 1], cube[1, 0, 0] = cells.ravel()
    return _of_cube(cube, np.array(OUTCOMES), models, stated=True, last=None)


def _laid_out(counts: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Return a labelled 2 × 2 table with right answers first, and the models that its axes name.

    Raises
    ------
    HowsureError
        If its labels do not say which answers are right.
    """
    columns, index = getattr(counts, "columns", None), getattr(counts, "index", None)
    if columns is None or index is None or np.shape(counts) != (2, 2):
        return counts, a, b
    order = []
    for axis in (index, columns):
        words = [as_written(label).casefold() for label in axis]
        right = [word in RIGHT for word in words]
        if sum(right) != 1 or not all(word in RIGHT | WRONG for word in words):
            raise HowsureError(
                f"`counts` has the labels {listed(list(axis))}, which do not say which answers are right. Name them "
                "True and False, or give [[both, only_a], [only_b, neither]] as a list."
            )
        order.append([right.index(True), right.index(False)])
    stated = [str(axis.name) for axis in (index, columns) if axis.name is not None]
    if len(stated) == 2 and (a, b) == ("A", "B"):
        a, b = stated
    return np.asarray(counts)[np.ix_(*order)], a, b


def _named(a: object, b: object) -> tuple[str, str]:
    """Return the names of both models; refuse equal ones, and what cannot be a name."""
    for role, name in (("a", a), ("b", b)):
        if not isinstance(name, str | int):
            raise HowsureError(f"`{role}` is the name of a model, not {name!r}.")
    if str(a) == str(b):
        raise HowsureError(f"Both models are called {a!r}. Give each its own name.")
    return str(a), str(b)


def _of_cube(cells: Array, axis: Array, names: tuple[str, str], *, stated: bool, last: object) -> PairedTable:
    """Return the table of counts by true class and either prediction."""
    if len(axis) != len(cells):
        raise HowsureError(
            f"`labels` names {len(axis)} classes ({listed(axis.tolist())}), and `counts` has {len(cells)}."
        )
    if last is not None:
        order = positive_order(axis, last)
        cells, axis = cells[np.ix_(order, order, order)], axis[order]
    possible = pseudo_tuples(len(axis), 2)
    filled = np.argwhere(cells)
    tuples, place = np.unique(np.vstack([filled, possible]), axis=0, return_inverse=True)
    pseudo = np.bincount(place.ravel()[len(filled) :], minlength=len(tuples)) / len(possible)
    return PairedTable(
        counts=cells[tuple(tuples.T)], labels=axis, names=names, codes=tuples, pseudo=pseudo, is_ordered=stated
    )
