"""Rows in successive batches: Arrow datasets, and objects with Arrow's stream interface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.errors import HowsureError


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """Batches of rows; one at a time is in memory.

    Parameters
    ----------
    source : object
        A dataset, which can be read repeatedly, or a reader of record batches, which can be read once.
    """

    source: Any

    @classmethod
    def of(cls, data: object) -> Stream | None:
        """Return the stream of the data; None if they have no stream interface.

        Raises
        ------
        HowsureError
            If PyArrow, which reads it, is not installed.
        """
        if not (hasattr(data, "__arrow_c_stream__") or hasattr(data, "scanner")):
            return None
        try:
            import pyarrow as pa
        except ImportError:
            raise HowsureError(
                f"`data` is a {type(data).__name__}, which PyArrow reads. Install it: pip install pyarrow"
            ) from None
        try:
            return cls(data if hasattr(data, "scanner") else pa.RecordBatchReader.from_stream(data))
        except (TypeError, ValueError, NotImplementedError):
            raise HowsureError(
                f"`data` is a {type(data).__name__} of one column. Give a frame with a name for each column."
            ) from None

    def collect_schema(self) -> Any:
        """Return the columns' types, as a frame does."""
        return self._frame(self.source.schema.empty_table()).collect_schema()

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Yield frames of the named columns; the first frame has no rows."""
        import pyarrow as pa

        reader = self.source.scanner(list(names)).to_reader() if hasattr(self.source, "scanner") else self.source
        yield self._frame(self.source.schema.empty_table().select(names))
        for batch in reader:
            yield self._frame(pa.Table.from_batches([batch]).select(names))

    def select(self, *names: str) -> Any:
        """Return all rows of the named columns, in memory."""
        import narwhals as nw

        return nw.concat(list(self.batches(names)))

    def _frame(self, table: Any) -> Any:
        """Return a table as a frame with decoded dictionaries, whose codes differ between batches."""
        import narwhals as nw
        import pyarrow as pa

        types = [each.type.value_type if pa.types.is_dictionary(each.type) else each.type for each in table.schema]
        return nw.from_native(table.cast(pa.schema(list(zip(table.column_names, types, strict=True)))))
