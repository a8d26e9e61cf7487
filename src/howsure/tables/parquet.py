"""Parquet files of tables: one row, an array in each column, and the rest as text in the schema metadata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError

KEY = b"howsure"
MOST_BYTES = 2**31  # of one file, unpacked
WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}
POINTER = 8  # bytes of a text, beside its characters


def write(document: dict[str, Any], arrays: list[Array], path: Path) -> None:
    """Write a document and its arrays."""
    pa = _pyarrow(path)
    if sum(array.nbytes for array in arrays) > MOST_BYTES:
        refuse_size(path)
    columns = {str(number): pa.array([array]) for number, array in enumerate(arrays)}
    table = pa.table(columns).replace_schema_metadata({KEY: json.dumps(document)})
    pa.parquet.write_table(table, str(path), compression="zstd")


def read(path: Path) -> tuple[Any, list[Array]]:
    """Return a document and its arrays; the document is None for other files.

    Raises
    ------
    ValueError
        If the file is truncated, or not a Parquet file.
    HowsureError
        If it unpacks to more than 2 GiB.
    """
    pa = _pyarrow(path)
    about = pa.parquet.read_metadata(str(path))
    if KEY not in (about.metadata or {}):
        return None, []
    if unpacked_bytes(about) > MOST_BYTES:
        refuse_size(path)
    columns = [about.schema.column(place) for place in range(about.num_columns)]
    texts = [each.path for each in columns if each.physical_type == "BYTE_ARRAY"]
    table = pa.parquet.read_table(str(path), read_dictionary=texts)
    parts = [column.combine_chunks().flatten() for column in table.columns]
    if sum(_bytes_of_texts(each) for each in parts) > MOST_BYTES:
        refuse_size(path)
    return json.loads(about.metadata[KEY]), [np.asarray(each) for each in parts]


def unpacked_bytes(about: Any) -> int:
    """Return how many bytes the columns of a Parquet file take in memory, but for texts that occur repeatedly.

    Parameters
    ----------
    about : pyarrow.parquet.FileMetaData
        The stated size of a column is that of its encoding, in which a number that occurs a million times is one.
    """
    total = 0
    for group in (about.row_group(place) for place in range(about.num_row_groups)):
        for place in range(group.num_columns):
            column = group.column(place)
            width = WIDTHS.get(column.physical_type, max(about.schema.column(place).length, POINTER))
            total += max(column.num_values * width, column.total_uncompressed_size)
    return total


def refuse_size(path: Path) -> NoReturn:
    """Raise the error for a table that is larger than a Parquet file of ours may be."""
    raise HowsureError(
        f"'{path}' unpacks to more than {MOST_BYTES >> 30} GiB, the most of a saved table. Save it as .json."
    )


def _bytes_of_texts(array: Any) -> int:
    """Return how many bytes texts take once each is written out; 0 for numbers."""
    if not hasattr(array, "dictionary"):
        return 0
    import pyarrow.compute as pc

    return int(pc.sum(pc.take(pc.binary_length(array.dictionary), array.indices)).as_py() or 0) + POINTER * len(array)


def _pyarrow(path: Path) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        raise HowsureError(
            f"'{path}' needs the package 'pyarrow'. Install it, pip install pyarrow, or save as .json."
        ) from None
    return pa
