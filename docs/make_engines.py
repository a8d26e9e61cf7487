"""Print the table of `docs/guide/engines.md`: which tables each engine counts by itself.

Run: python docs/make_engines.py [engine …]. Needs the engines that it is asked for; all of them by default.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

import howsure as hs
from howsure.sources import frames
from howsure.testing import sources


def of_arrow(columns: dict[str, list[Any]]) -> Any:
    """Return an Arrow table."""
    import pyarrow as pa

    return pa.table(columns)


def of_stream(columns: dict[str, list[Any]]) -> Any:
    """Return an Arrow dataset."""
    from pyarrow import dataset

    return dataset.dataset(of_arrow(columns))


def of_lazy(columns: dict[str, list[Any]]) -> Any:
    """Return a lazy Polars frame."""
    import polars as pl

    return pl.LazyFrame(columns)


def of_duckdb(columns: dict[str, list[Any]]) -> Any:
    """Return a DuckDB relation."""
    import duckdb

    return duckdb.connect().from_arrow(of_arrow(columns))


def of_ibis(columns: dict[str, list[Any]]) -> Any:
    """Return an Ibis table."""
    import ibis

    return ibis.memtable(of_arrow(columns))


def of_dask(columns: dict[str, list[Any]]) -> Any:
    """Return a Dask frame."""
    import dask.dataframe as dd
    import pandas as pd

    return dd.from_pandas(of_arrow(columns).to_pandas(types_mapper=pd.ArrowDtype), npartitions=2)


def of_spark(columns: dict[str, list[Any]]) -> Any:
    """Return a Spark frame."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
    }
    session = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
    return session.createDataFrame(list(zip(*columns.values(), strict=True)), list(columns))


ENGINES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "Polars, lazy": of_lazy,
    "Arrow dataset or stream": of_stream,
    "DuckDB, and files": of_duckdb,
    "Ibis": of_ibis,
    "Dask": of_dask,
    "Spark": of_spark,
}
SCORES = sources.SCORES | {"y_score": "score"}
TABLES: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "`confusion`": (hs.confusion, sources.LABELS),
    "by columns": (hs.confusion, sources.LABELS | {"by": ["text", "day"]}),
    "weighted": (hs.confusion, sources.LABELS | sources.WEIGHTS),
    "in clusters": (hs.confusion, sources.LABELS | sources.CLUSTERED),
    "`paired`": (hs.paired, sources.MODELS),
    "`scores`": (hs.scores, SCORES),
    "`paired_scores`": (hs.paired_scores, SCORES | {"y_score": ["score", "second"]}),
    "`multiclass_scores`": (hs.multiclass_scores, SCORES | {"y_score": ["rest", "score"]}),
    "`calibrated`": (hs.calibrated, {"y_score": "score"}),
    "`calibrate`": (hs.calibrate, SCORES),
    "`reviewed`": (hs.reviewed, sources.LABELS | {"y_reviewed": "review"}),
}


def answer(frame: Any, function: Callable[..., Any], settings: dict[str, Any]) -> str:
    """Return ``"counts"`` where only distinct rows leave the engine, ``"rows"`` where all rows of the columns do."""
    with mock.patch.object(frames, "collected", side_effect=frames.collected) as collected:
        function(data=frame, **settings)
    return "rows" if collected.called else "counts"


def lines(engines: list[str]) -> list[str]:
    """Return the lines of the table for some engines."""
    columns = sources.example_columns(np.random.default_rng(sources.SEED))
    found = [f"| Engine | {' | '.join(TABLES)} |", f"| --- |{' --- |' * len(TABLES)}"]
    for name in engines:
        frame = ENGINES[name](columns)
        found.append(f"| {name} | {' | '.join(answer(frame, *each) for each in TABLES.values())} |")
    return found


if __name__ == "__main__":
    sys.stdout.write("\n".join(lines(sys.argv[1:] or list(ENGINES))) + "\n")
