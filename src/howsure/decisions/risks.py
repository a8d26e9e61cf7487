"""Tables of risks for decision curves: of one model, or of several on the same cases."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from howsure.curves.curves import score_table
from howsure.decisions.limits import ALL, NONE
from howsure.errors import HowsureError, real_numbers
from howsure.metrics.probability import probabilities
from howsure.sources.groups import by_columns
from howsure.sources.paired_scores import paired_scores
from howsure.sources.scores import scores
from howsure.tables.paired_scores import PairedScoresTable
from howsure.tables.scores import ScoresTable

SURVIVAL = ("time", "event", "duration")
KNOWN = dict.fromkeys([*signature(paired_scores).parameters, *SURVIVAL])
ROUNDING = 1e-6  # of the sum of the probabilities of two classes


def risk_table(y_true: Any, y_score: object, /, **cases: Any) -> Any:
    """Return the table of the risks of one model or several, also by group.

    Parameters
    ----------
    y_true : array-like of shape (n,) or str
        The true classes.
    y_score : array-like of shape (n,) or str, mapping, frame, or list of str
        The risks of one model, or those of models by name.
    **cases
        Further arguments of `scores` or `paired_scores`.

    Raises
    ------
    HowsureError
        If the columns have no names, or an argument belongs to survival outcomes.
    """
    if survival := [each for each in SURVIVAL if each in cases]:
        raise HowsureError(
            f"`{survival[0]}` is an argument for survival outcomes, which decision curves do not support: whether a "
            "censored case had the event is unknown. Give the class of each case at a time to which all were followed."
        )
    models = _by_name(y_score, cases.get("data"))
    if isinstance(models, Mapping) and len(models) == 1:
        ((name, risk),) = models.items()
        named = partial(_named, name=str(name))
        found: Any = scores(y_true, risk, **cases)
        return named(found) if cases.get("by") is None else found.mapped(named)
    if isinstance(models, Mapping) or {"model", "case"} & set(cases):
        return paired_scores(y_true, models, **cases)
    return scores(y_true, models, **cases)


def _by_name(y_score: Any, data: object) -> Any:
    """Return the columns of several models as a mapping by name, or the risks of one model unchanged."""
    if data is not None and isinstance(y_score, list | tuple):
        return {name: name for name in y_score}
    if isinstance(y_score, Mapping | str) or np.ndim(y_score) != 2 or np.shape(y_score)[1] < 2:
        return y_score
    columns = by_columns(y_score, None) if hasattr(y_score, "columns") else {}
    if len(columns) < 2 or _sum_to_one(list(columns.values())):
        raise HowsureError(
            f"`y_score` has shape {np.shape(y_score)}. Give several models by name, such as {{'A': y_score[:, 0], "
            "'B': y_score[:, 1]}; of the probabilities of two classes, give the column of the positive class."
        )
    return columns


def _sum_to_one(columns: list[Any]) -> bool:
    """Return whether the columns are two that sum to 1, the probabilities of two classes; False without numbers."""
    if len(columns) != 2:
        return False
    with suppress(HowsureError):
        first, second = (real_numbers("y_score", each) for each in columns)
        return np.allclose(first + second, 1, rtol=0, atol=ROUNDING)
    return False


def _named(table: ScoresTable, name: str) -> PairedScoresTable:
    """Return the table of scores of one model as a table of several models that contains this one by its name."""
    return PairedScoresTable(
        counts=table.counts,
        labels=table.labels,
        names=(name,),
        codes=np.arange(len(table.scores))[:, None],
        scores=(table.scores,),
        limits=(table.ends,),
        spreads=(table.spread,),
        design=table.design,
        rows=table.rows,
        identity=table.identity,
        is_ordered=table.is_ordered,
    )


def checked_risks(table: object, y_score: object, cases: dict[str, Any]) -> ScoresTable | PairedScoresTable:
    """Return a table of risks with labels, of one or of several models.

    Raises
    ------
    HowsureError
        If the table contains no risks, no labels or no case of a class, or a model has the name of a strategy.
    """
    if y_score is not None:
        table, cases = risk_table(table, y_score, **cases), {}
    if {*getattr(table, "data_kinds", ())} == {"scores"} and hasattr(table, "models") and not cases:
        risks: Any = table
        each = [risks.model(name) for name in risks.models]
    else:
        risks = score_table(table, None, cases)
        each = [risks]
    for one in each:
        probabilities(one, "decision_curve")
    if not risks.design.traits.has_labels:
        raise HowsureError(
            "A decision curve needs labelled cases. Without labels, `estimate` a net benefit at each threshold."
        )
    if (each[0].counts.sum(0) == 0).any():
        raise HowsureError("A decision curve needs cases of both classes, and one of them has none.")
    if taken := {NONE, ALL} & set(getattr(risks, "models", ())):
        raise HowsureError(
            f"Every decision curve has a strategy called {taken.pop()!r}, and a model has this name. Rename it."
        )
    return risks  # type: ignore[no-any-return]
