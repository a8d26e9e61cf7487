"""Times counting of files of ten million rows against DuckDB's own query of the same columns.

Run: python benchmarks/files.py. Writes the files, of about 1.3 GB, to a temporary folder.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import measure

import howsure as hs

ROWS = 10_000_000
CHANCE = "hash(i, {}) / 18446744073709551616.0"
COLUMNS = f"""i AS id, ({CHANCE.format(1)} < 0.3)::INTEGER AS y, ({CHANCE.format(2)} < 0.4)::INTEGER AS p,
    ({CHANCE.format(3)} + 0.5 * ({CHANCE.format(1)} < 0.3)::INTEGER) / 1.5 AS s, 'site' || hash(i) % 20 AS site"""


def written(folder: str, name: str) -> str:
    """Write rows of an id, two labels, a score and a site, and return the path."""
    import duckdb

    path = Path(folder, name)
    duckdb.sql(f"COPY (SELECT {COLUMNS} FROM range({ROWS}) r(i)) TO '{path}'")
    return str(path)


def by_duckdb(path: str) -> Any:
    """Count two columns as a user of DuckDB does."""
    import duckdb

    return duckdb.connect().sql(f"SELECT y, p, count(*) FROM '{path}' GROUP BY ALL").fetchall()


def histogram_by_duckdb(path: str) -> Any:
    """Count scores in bins of their range as a user of DuckDB does."""
    import duckdb

    query = f"""WITH ends AS (SELECT min(s) AS low, max(s) AS high FROM '{path}')
        SELECT y, floor((s - low) / (high - low) * 1048576) AS bin, count(*), sum(s) FROM '{path}', ends GROUP BY ALL"""
    return duckdb.connect().sql(query).fetchnumpy()


def files() -> None:
    """Counts of files of 10⁷ rows and 5 columns, against DuckDB's own query."""
    with tempfile.TemporaryDirectory() as folder:
        for name, kind in (("cases.csv", "CSV"), ("cases.jsonl", "JSON Lines")):
            path = written(folder, name)
            jobs = {
                "confusion": (partial(hs.confusion, "y", "p", data=path), partial(by_duckdb, path)),
                "scores": (partial(hs.scores, "y", "s", data=path), partial(histogram_by_duckdb, path)),
            }
            for job, (ours, theirs) in jobs.items():
                measure.processor(ours)  # imports packages
                times = [partial(measure.processor, call) for call in (ours, theirs)]
                measure.timed_in_turn(f"{job} of {kind}", *times, "DuckDB", 0.667, 3)
            Path(path).unlink()


SECTIONS = {"files": files}

if __name__ == "__main__":
    measure.run(SECTIONS, sys.argv[1:])
