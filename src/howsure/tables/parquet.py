"""Parquet files of tables: one row, an array in each column, and the rest as text in the schema metadata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from howsure.errors import HowsureError

Array = NDArray[Any]
KEY = b"howsure"


def write(document: dict[str, Any], arrays: list[Array], path: Path) -> None:
    """Write a document and its arrays."""
    pa = _pyarrow(path)
    columns = {str(number): pa.array([array]) for number, array in enumerate(arrays)}
    table = pa.table(columns).replace_schema_metadata({KEY: json.dumps(document)})
    pa.parquet.write_table(table, str(path), compression="zstd")


def read(path: Path) -> tuple[Any, list[Array]]:
    """Return a document and its arrays; the document is None for other files.

    Raises
    ------
    ValueError
        If the file is truncated, or not a Parquet file.
    """
    pa = _pyarrow(path)
    table = pa.parquet.read_table(str(path))
    metadata = table.schema.metadata or {}
    if KEY not in metadata:
        return None, []
    arrays = [np.asarray(column.combine_chunks().flatten()) for column in table.columns]
    return json.loads(metadata[KEY]), arrays


def _pyarrow(path: Path) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        message = f"'{path}' needs the package 'pyarrow'. Install it, pip install pyarrow, or save as .json."
        raise HowsureError(message) from None
    return pa
