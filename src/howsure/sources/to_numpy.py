"""Normalisation of a user's column: one axis, native numbers, masked values as missing values."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError

DECIMAL_COMMA = re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
KINDS_OF_TIME = {  # NumPy's kinds of data
    "m": ("durations", "seconds: a column's `.dt.total_seconds()`"),
    "M": ("dates", "days since a start: `(dates - start).dt.days`"),
}
PROCESSOR = 1  # kDLCPU, as DLPack numbers kinds of memory
MODELS_OF = {  # arguments for one model → the call for several
    "y_pred": "hs.paired(y_true, {'A': pred_a, 'B': pred_b})",
    "y_score": "hs.paired_scores(y_true, {'A': score_a, 'B': score_b})",
}


def plain(argument_name: str, values: object) -> Any:
    """Return a normalised column; other values unchanged.

    An array, list or frame of shape (n, 1) becomes one-dimensional. Masked values become missing: nan for floats, else
    None. Foreign byte orders and half precision become native. Tensors in CPU memory become arrays.

    Raises
    ------
    HowsureError
        If it is a table of howsure, holds complex numbers, or is a tensor that cannot be read.
    """
    _refuse_containers(argument_name, values)
    if hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray) and not _is_arrow(values):
        values = _from_tensor(argument_name, values)
    if type(values).__module__.startswith("scipy.sparse"):
        values = _from_sparse(argument_name, values)
    if isinstance(values, list | tuple) and values and all(map(_is_alone, values)):
        values = [row[0] for row in values]
    shape = getattr(values, "shape", ())
    if isinstance(shape, tuple) and len(shape) == 2 and shape[1] == 1:
        values = _only_column(values)
    if "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray):  # slow to import for a check
        values = _unmasked(values)
    if not isinstance(values, np.ndarray):
        return values
    if values.dtype.kind == "c":
        raise HowsureError(
            f"`{argument_name}` holds complex numbers. Give real ones, such as `abs({argument_name})`, or labels."
        )
    if values.dtype == np.float16:
        return values.astype(float)
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def _refuse_containers(argument_name: str, values: object) -> None:
    """Refuse a table of howsure, and a collection of several arrays."""
    is_dataset = type(values).__name__ == "Dataset" and type(values).__module__.startswith("xarray")
    if hasattr(values, "design") or is_dataset:
        raise HowsureError(
            f"`{argument_name}` is a {type(values).__name__}. Give a list or an array with a value for each case."
        )


@contextmanager
def one_each(argument_name: str) -> Iterator[None]:
    """Turn the errors of other libraries for lists and structures into one that asks for a value for each case."""
    try:
        yield
    except (TypeError, ValueError, OverflowError, NotImplementedError) as error:
        if isinstance(error, HowsureError):
            raise
        raise HowsureError(
            f"`{argument_name}` does not hold one text, number or date for each case. Give a plain column."
        ) from None


def _from_sparse(argument_name: str, values: Any) -> Array:
    if values.ndim > 1 and values.shape[1] != 1:
        raise HowsureError(f"`{argument_name}` is a sparse matrix. Give `{argument_name}.toarray()`.")
    return np.asarray(values.toarray()).ravel()


def _is_arrow(values: object) -> bool:
    return type(values).__module__.partition(".")[0] == "pyarrow"


def _from_tensor(argument_name: str, values: Any) -> Array:
    try:
        return np.asarray(values) if hasattr(values, "__array__") else np.from_dlpack(values)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:  # another device, or part of a graph
        said = str(HowsureError.unreadable(f"`{argument_name}`", error)).rstrip(".")
        remedy = "" if " Use " in said else f" {_remedy(values)}"  # PyTorch names it
        raise HowsureError(f"{said}.{remedy}") from None


def _remedy(values: Any) -> str:
    """Return the code that converts a tensor that NumPy cannot read."""
    with suppress(AttributeError, TypeError, ValueError, RuntimeError, BufferError):
        if int(values.__dlpack_device__()[0]) != PROCESSOR:
            return "Move it to the processor's memory first, such as by `.cpu()`."
    return "Make it an array of ordinary numbers first, such as by `.float().numpy()`."


def _is_alone(row: object) -> bool:
    return isinstance(row, list | tuple) and len(row) == 1


def _only_column(values: object) -> Any:
    if isinstance(values, np.ndarray):
        return values[:, 0]
    import narwhals as nw

    frame = nw.from_native(values, eager_only=True, pass_through=True)
    return frame[:, 0].to_native() if isinstance(frame, nw.DataFrame) else np.asarray(values)[:, 0]


def _unmasked(values: np.ma.MaskedArray[Any, Any]) -> Array:
    mask = np.ma.getmaskarray(values)
    bare = np.asarray(values.data)
    if not mask.any():
        return bare
    found = bare.copy() if bare.dtype.kind == "f" else bare.astype(object)
    found[mask] = np.nan if bare.dtype.kind == "f" else None
    return found


def numbers_of(argument_name: str, values: object, remedy: str) -> Array:
    """Return a column of numbers as floats, also from text with decimal points or decimal commas.

    Parameters
    ----------
    argument_name : str
        Its name in errors.
    values : array-like
        The column.
    remedy : str
        The input to use instead, for the error.

    Raises
    ------
    HowsureError
        If a value is not a number; the message shows the first. A comma before three digits is ambiguous: it may
        separate thousands. Durations and dates are numbers only in some unit.
    """
    with one_each(argument_name):
        found = values.to_numpy() if hasattr(values, "to_numpy") else values
    if isinstance(found, Mapping):
        raise HowsureError(f"`{argument_name}` is a mapping, not a column of numbers.{several_models(argument_name)}")
    _refuse_times(argument_name, found)
    try:
        return np.asarray(found, dtype=float)
    except (TypeError, ValueError, OverflowError):
        with one_each(argument_name):
            flat = np.asarray(found, dtype=object).ravel().tolist() if not isinstance(found, list) else found
    texts = [each for each in flat if isinstance(each, str)]
    is_decimal = len(texts) == len(flat) and all(DECIMAL_COMMA.fullmatch(each.strip()) for each in texts)
    if is_decimal and not all(THOUSANDS.fullmatch(each.strip()) for each in texts if "," in each):
        return np.array([float(each.strip().replace(",", ".")) for each in texts])
    for place, each in enumerate(flat):
        try:
            float(each)
        except (TypeError, ValueError, OverflowError):
            raise HowsureError(
                f"`{argument_name}` is not numeric: it holds {each!r} at row {place}. {remedy}{_hint(each)}"
            ) from None
    raise HowsureError(f"`{argument_name}` is not numeric. {remedy}")


def several_models(argument_name: str) -> str:
    """Return the remedy for an argument that takes one model, or one column, and is given several; else ""."""
    if argument_name == "strata":
        return " Make one column of several: `[f'{a}, {b}' for a, b in zip(first, second)]`."
    call = MODELS_OF.get(argument_name)
    return f" For several models write `{call}`." if call else ""


def _refuse_times(argument_name: str, found: object) -> None:
    """Refuse durations and dates, whose numbers are of a unit that nobody stated."""
    first = found[0] if isinstance(found, list | tuple) and found else found
    kind = getattr(getattr(first, "dtype", None), "kind", "")
    if kind in KINDS_OF_TIME:
        what, example = KINDS_OF_TIME[kind]
        raise HowsureError(
            f"`{argument_name}` holds {what}, not numbers. Give numbers of a stated unit, such as {example}."
        )


def _hint(value: object) -> str:
    """Return what to do about a value that is no number."""
    if isinstance(value, str) and "%" in value:
        return " Write a share of 12.5 % as 0.125."
    if isinstance(value, str) and re.match(r"\s*\[.*[\s,].*\]\s*$", value, re.DOTALL):
        return " Split lists into a column for each class."
    return " Of a duration it is `.total_seconds()`." if hasattr(value, "total_seconds") else ""
