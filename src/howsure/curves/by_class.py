"""Results of scores with one column per class: one for each class against the rest."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from howsure.estimates.grouped import Results
from howsure.tables.protocols import ScoresByClass

P = ParamSpec("P")
T = TypeVar("T")


def apply_by_class(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function of one table of scores of two classes so that it also accepts scores of many classes.

    The result for such a table is a `Results` with the class as name: that of each class against the rest.
    """

    @wraps(function)
    def taken(table: object, *args: object, **settings: object) -> Any:
        each: Callable[..., T] = function
        if isinstance(table, np.ndarray) or not isinstance(table, ScoresByClass):  # the second check takes longer
            return each(table, *args, **settings)
        every = {str(label): each(table.against_rest(label), *args, **settings) for label in table.labels}
        return Results(results=every, column="class")

    return cast("Callable[P, T]", taken)
