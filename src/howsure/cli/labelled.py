"""Tables of labelled predictions, or of labelled scores, from the columns that a command names."""

from __future__ import annotations

from typing import Any

from howsure.cli.inputs import Input
from howsure.cli.option_groups import Sample, Source
from howsure.errors import HowsureError


def labelled_tables(
    given: Input, source: Source, sample: Sample, *, y_true: str, y_pred: str | None, y_score: str | None, by: list[str]
) -> Any:
    """Return the table of predictions or of scores, or with ``by`` the tables of groups.

    Parameters
    ----------
    given : Input
        The input of the command.
    source, sample
        Options of the command.
    y_true, y_pred, y_score : str
        Columns; either of predictions or of scores.
    by : list of str
        Columns that define the groups; empty without groups.

    Raises
    ------
    HowsureError
        If both columns are named, or none is.
    """
    if (y_pred is None) == (y_score is None):
        raise HowsureError("Name the column of the predictions with --y-pred, or of the scores with --y-score.")
    classes = source.classes(given, [y_true, *filter(None, [y_pred])])
    more = {**sample.arguments(), "data": given.data, "check": not source.no_check, "by": by or None}
    if y_pred is not None:
        from howsure.sources.confusion import confusion

        return confusion(y_true, y_pred, labels=classes, **more)
    from howsure.sources.scores import scores

    return scores(y_true, y_score, pos_label=None if classes is None else classes[-1], **more)
