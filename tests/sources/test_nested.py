"""Fields of nested columns are named with dots, for any container of the data."""

import json

import pandas as pd
import pyarrow as pa
import pytest

import howsure as hs
from support.optional import optional

duckdb = optional("duckdb")
pl = optional("polars")

ROWS = [
    {
        "doc": {"id": number // 2, "set": {"split": "test" if number % 3 else "dev", "v0.2": {"ok": number % 4}}},
        "t.x": number % 2,
        "p": 1,
    }
    for number in range(12)
]
TABLE = pa.Table.from_pylist(ROWS)


def as_lines(path):
    file = path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return file


def as_parquet(path):
    from pyarrow import parquet

    parquet.write_table(TABLE, path / "rows.parquet")
    return path / "rows.parquet"


HELD = {
    "dictionaries": lambda path: ROWS,
    "columns": lambda path: {name: [row[name] for row in ROWS] for name in ROWS[0]},
    "pandas": lambda path: pd.DataFrame(ROWS),
    "polars": lambda path: pl.DataFrame(ROWS),
    "lazy": lambda path: pl.DataFrame(ROWS).lazy(),
    "arrow": lambda path: TABLE,
    "duckdb": lambda path: duckdb.from_arrow(TABLE),
    "json lines": as_lines,
    "parquet": as_parquet,
}


@pytest.mark.parametrize("held", HELD)
def test_fields_are_named_by_dots(held, tmp_path):
    """`doc.id` is a field, `doc.set.split` one of a field, and `t.x` a column of that name."""
    data = HELD[held](tmp_path)
    found = hs.confusion("t.x", "p", data=data, groups="doc.id", by="doc.set.split")
    assert found.overall.design.number == 6
    assert {key: table.rows for key, table in found.items()} == {"dev": 4, "test": 8}
    assert found.columns == ("doc.set.split",)
    assert hs.scores("t.x", "doc.id", data=data).rows == 12
    assert hs.confusion("t.x", "p", data=data, sample_weight="doc.id").rows == 12


@pytest.mark.parametrize("held", HELD)
def test_names_of_fields_may_hold_dots(held, tmp_path):
    """`doc.set.v0.2.ok` is the field `ok` of the field `v0.2`; a slip is answered with the whole name."""
    data = HELD[held](tmp_path)
    assert hs.confusion("t.x", "p", data=data, by="doc.set.v0.2.ok").columns == ("doc.set.v0.2.ok",)
    with pytest.raises(hs.HowsureError, match=r"field 'doc.set.v0.2.oh?k?'"):
        hs.confusion("t.x", "p", data=data, by="doc.set.v0.2.oh")


@pytest.mark.parametrize("held", HELD)
def test_fields_that_are_not_there(held, tmp_path):
    """A slip in a field's name is an error that names it, in one line."""
    with pytest.raises(hs.HowsureError, match=r"field 'doc.iid'"):
        hs.confusion("t.x", "p", data=HELD[held](tmp_path), groups="doc.iid")
    with pytest.raises(hs.HowsureError, match=r"no column 'dox.id'"):
        hs.confusion("t.x", "p", data=HELD[held](tmp_path), groups="dox.id")


def test_a_column_with_a_dot_is_meant_before_a_field():
    """Where both are there, the name means the column."""
    frame = pd.DataFrame({"doc": [{"id": 0}] * 4, "doc.id": [1, 2, 3, 4], "t": [0, 1, 0, 1]})
    assert hs.confusion("t", "t", data=frame, groups="doc.id", check=False).design.number == 4


def test_missing_fields_are_missing_values():
    """A case without the field has no value there, and is refused as other missing values are."""
    rows = [{"doc": {"id": 1}, "t": 0}, {"doc": None, "t": 1}]
    for data in (rows, pd.DataFrame(rows), pl.DataFrame(rows), duckdb.from_arrow(pa.Table.from_pylist(rows))):
        with pytest.raises(hs.HowsureError, match="1 missing value"):
            hs.confusion("t", "t", data=data, groups="doc.id", check=False)


@pytest.mark.parametrize("made", HELD.values(), ids=HELD)
def test_a_field_without_its_column_is_named(made, tmp_path):
    """The name of a field of a nested column is refused, with the full name."""
    with pytest.raises(hs.HowsureError, match=r"no column 'id'\. Did you mean the field 'doc\.id'"):
        hs.confusion("p", "t.x", data=made(tmp_path), groups="id")
