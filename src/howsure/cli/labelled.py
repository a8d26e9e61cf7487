"""Tables of labelled predictions, or of labelled scores, from the columns that a command names."""

from __future__ import annotations

from typing import Any

from howsure.errors import HowsureError


def labelled_tables(
    data: list[str],
    y_true: str,
    y_pred: str | None,
    y_score: str | None,
    classes: list[Any] | None,
    by: list[str],
    beside: dict[str, Any],
) -> Any:
    """Return the table of predictions or of scores, or with ``by`` the tables of groups.

    Parameters
    ----------
    data : list of str
        Files.
    y_true, y_pred, y_score : str
        Columns; either of predictions or of scores.
    classes : list, optional
        The classes, in order.
    by : list of str
        Columns that define the groups; empty without groups.
    beside : dict
        Further arguments of both sources.

    Raises
    ------
    HowsureError
        If both columns are named, or none is.
    """
    if (y_pred is None) == (y_score is None):
        message = "Name the column of the predictions with --y-pred, or of the scores with --y-score."
        raise HowsureError(message)
    more = {**beside, "by": by or None}
    if y_pred is not None:
        from howsure.sources.confusion import confusion

        return confusion(y_true, y_pred, data=data, labels=classes, **more)
    from howsure.sources.scores import scores

    positive = None if classes is None else classes[-1]
    return scores(y_true, y_score, data=data, pos_label=positive, **more)
