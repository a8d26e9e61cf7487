"""Columns of predictions or scores of several models, from the options of a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from howsure.cli.inputs import Input
from howsure.cli.option_groups import Source
from howsure.cli.options import split
from howsure.errors import HowsureError


def paired_columns(
    given: Input,
    source: Source,
    y_true: str,
    y_pred: Sequence[str] | None,
    y_score: Sequence[str] | None,
    *,
    long: Mapping[str, object],
    **sample: object,
) -> tuple[Any, str]:
    """Return the paired table of columns, and its default metric.

    Parameters
    ----------
    given : Input
        The input of the command.
    source, y_true, y_pred, y_score
        The options of the command.
    long : mapping
        Options of long files: the columns of model and case, and the handling of incomplete cases.
    **sample
        Clusters, strata and weights.

    Raises
    ------
    HowsureError
        If there are both predictions and scores, or neither, or several columns of a long file.
    """
    from howsure.sources.paired import paired
    from howsure.sources.paired_scores import paired_scores

    if (y_pred is None) == (y_score is None):
        raise HowsureError(
            "Name the columns of the models' predictions with --y-pred, or of their scores with --y-score."
        )
    columns: dict[str, Any] = {**sample, "data": given.data, "check": not source.no_check, **long}
    said: Any = split(y_pred or y_score)
    if long["model"] is not None and len(said) > 1:
        raise HowsureError(
            "With `--model` all models' predictions are in one column: give `--y-pred` or `--y-score` that one."
        )
    models = said if long["model"] is None else said[0]
    if y_pred is not None:
        classes = source.classes(given, [y_true, *said])
        return paired(y_true, models, labels=classes, **columns), "accuracy"
    classes = source.classes(given, [y_true])
    positive = None if classes is None else classes[-1]
    return paired_scores(y_true, models, pos_label=positive, **columns), "roc_auc"
