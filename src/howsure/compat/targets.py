"""True and predicted labels as scikit-learn reads them: columns are flattened, and decimals are no classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.native.pairs import BLOCK, whole_numbers
from howsure.sources.columns import indicator
from howsure.sources.to_numpy import plain

MATRIX = 2  # dimensions


def flattened(name: str, values: object) -> Any:
    """Return a column vector or a frame of one column as that column; a sparse matrix dense; all else as it is."""
    return plain(name, values.toarray() if hasattr(values, "toarray") else values)


def classes(name: str, values: object) -> Any:
    """Return labels as a column, or as an indicator array of two dimensions.

    Raises
    ------
    HowsureError
        If they are numbers with decimals, or infinite: no classes, but scores.
    """
    column = flattened(name, values)
    if _holds_floats(column):
        numbers = np.asarray(column, dtype=float)
        blocks = (numbers[start : start + BLOCK] for start in range(0, len(numbers), BLOCK))
        if numbers.ndim == 1 and all(whole_numbers(block) is not None for block in blocks):
            return column
        if (np.floor(numbers) == numbers).all() and np.isfinite(numbers).all():
            return column
        wrong = ~(np.isnan(numbers) | (np.isfinite(numbers) & (numbers == np.floor(numbers))))
        if wrong.any():
            raise HowsureError(
                f"`{name}` holds {numbers[wrong][0]:g}, which is no class. Choose a class for each case, or give "
                "scores to roc_auc_score, log_loss or brier_score_loss."
            )
    return column


def _holds_floats(values: object) -> bool:
    if isinstance(values, list | tuple):
        kinds = set(map(type, values))
        return float in kinds and kinds <= {float, int}
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype):
        return dtype.kind == "f"
    return dtype is not None and str(dtype).lower().startswith("float")  # of pandas and Polars


def is_matrix(values: object) -> bool:
    """Whether labels have two dimensions, as those of multilabel data."""
    if isinstance(values, list | tuple):
        return bool(values) and isinstance(values[0], list | tuple | np.ndarray)
    return len(getattr(values, "shape", ())) == MATRIX


def indicators(y_true: object, y_pred: object) -> tuple[Array, Array]:
    """Return multilabel data as two indicator arrays of one shape."""
    true, predicted = (indicator(name, values) for name, values in (("y_true", y_true), ("y_pred", y_pred)))
    if true.shape != predicted.shape:
        raise HowsureError(f"`y_true` has shape {true.shape} and `y_pred` {predicted.shape}; both are cases × labels.")
    if not true.size:
        raise HowsureError("`y_true` is empty: there is no case to evaluate.")
    return true, predicted
