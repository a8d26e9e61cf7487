"""Times counting in the engine that holds the data against the same aggregation written by hand, and its memory.

Run: python benchmarks/engines.py [--rows 100000000] [--spark] [--only spark]. Makes Parquet files in a temporary folder: 13 bytes a row.
Each job runs in a process of its own, by hand and by howsure in turn. Targets: 1.3 times the seconds of the query by hand,
500 MB above the interpreter, and 15 s for a million clusters.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TURNS = 2
FEW = "few"  # folder of the rows of a first job, which is not timed
GROUPS, CASES_A_CLUSTER = 1000, 5


def made(folder, rows):
    """Write the rows: the group, the true and the predicted class, and a score; then clusters of five cases."""
    import duckdb

    rows_of = "range({}) AS all_rows(i)"
    chance = "hash(i, {}) / 18446744073709551616.0"
    duckdb.sql(f"""COPY (SELECT (hash(i) % {GROUPS})::INTEGER AS site, ({chance.format(1)} < 0.3)::INTEGER AS sick,
        ({chance.format(2)} < 0.4)::INTEGER AS called, ({chance.format(3)} + 0.5 * ({chance.format(1)} < 0.3)::INTEGER) / 1.5 AS score
        FROM {rows_of.format(rows)}) TO '{folder}/cases.parquet'""")
    duckdb.sql(f"""COPY (SELECT i // {CASES_A_CLUSTER} AS patient, ({chance.format(1)} < 0.3)::INTEGER AS sick,
        ({chance.format(2)} < 0.4)::INTEGER AS called FROM {rows_of.format(min(rows, 1_000_000 * CASES_A_CLUSTER))}
        ) TO '{folder}/clusters.parquet'""")


def histogram(cases):
    return f"""WITH ends AS (SELECT min(score) AS low, max(score) AS high FROM {cases})
        SELECT sick, floor((score - low) / (high - low) * 1048576) AS bin, count(*), sum(score)
        FROM {cases}, ends GROUP BY ALL"""


def by_hand(folder, what):
    import duckdb

    if what == "counts":
        query = f"SELECT site, sick, called, count(*) FROM '{folder}/cases.parquet' GROUP BY ALL"
    else:
        query = histogram(f"'{folder}/cases.parquet'")
    return duckdb.connect().sql(query).fetchnumpy()


def by_howsure(folder, what):
    import howsure as hs

    if what == "counts":
        return hs.confusion("sick", "called", data=f"{folder}/cases.parquet", by="site")
    return hs.scores("sick", "score", data=f"{folder}/cases.parquet")


def clusters(folder):
    import howsure as hs

    table = hs.confusion("sick", "called", data=f"{folder}/clusters.parquet", groups="patient")
    return hs.estimate(table, "f1")


def by_pyspark(folder, session):
    return session.read.parquet(f"{folder}/cases.parquet").groupBy("site", "sick", "called").count().toArrow()


def by_howsure_on_spark(folder, session):
    import howsure as hs

    return hs.confusion("sick", "called", data=session.read.parquet(f"{folder}/cases.parquet"), by="site")


def histogram_by_pyspark(folder, session):
    return session.sql(histogram(f"parquet.`{folder}/cases.parquet`")).toArrow()


def scores_on_spark(folder, session):
    import howsure as hs

    return hs.scores("sick", "score", data=session.read.parquet(f"{folder}/cases.parquet"))


def spark():
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.driver.memory": "1g", "spark.ui.showConsoleProgress": "false"}
    return SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()


JOBS = {
    "counts by hand": lambda folder: by_hand(folder, "counts"),
    "counts by howsure": lambda folder: by_howsure(folder, "counts"),
    "scores by hand": lambda folder: by_hand(folder, "scores"),
    "scores by howsure": lambda folder: by_howsure(folder, "scores"),
    "a million clusters": clusters,
}
ON_SPARK = {
    "spark by hand": by_pyspark,
    "spark by howsure": by_howsure_on_spark,
    "spark scores by hand": histogram_by_pyspark,
    "spark scores by howsure": scores_on_spark,
}


def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(job, folder):
    """Run one job, and print its seconds by the clock and of processor, and its memory above the imports."""
    import duckdb  # noqa: F401 - not to be timed

    import howsure as hs

    hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "f1")
    session = [spark()] if job in ON_SPARK else []
    run = ON_SPARK.get(job) or JOBS[job]
    if session:
        run(f"{folder}/{FEW}", *session)  # the first job of a session loads classes
    before, clock, processor = megabytes(), time.perf_counter(), time.process_time()
    run(folder, *session)
    print(json.dumps([time.perf_counter() - clock, time.process_time() - processor, megabytes() - before]))


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=int, default=1_000_000)
    asked.add_argument("--spark", action="store_true")
    asked.add_argument("--only", default="", help="part of the names of the jobs to run")
    asked.add_argument("--job", nargs=2, metavar=("JOB", "FOLDER"))
    given = asked.parse_args()
    if given.job:
        child(*given.job)
        return
    with tempfile.TemporaryDirectory() as folder:
        made(folder, given.rows)
        Path(folder, FEW).mkdir()
        made(f"{folder}/{FEW}", 100_000)
        sizes = sum(path.stat().st_size for path in Path(folder).glob("*.parquet")) / 1e6
        print(
            f"{given.rows:,} rows, {sizes:,.0f} MB; best of {TURNS}: seconds by the clock, of processor, MB above the interpreter"
        )
        found = {}
        for _ in range(TURNS):
            for job in filter(lambda name: given.only in name, [*JOBS, *(ON_SPARK if given.spark else [])]):
                command = [sys.executable, __file__, "--job", job, folder]
                output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                found.setdefault(job, []).append(json.loads(output.splitlines()[-1]))
        for job, runs in found.items():
            print(f"{job:24}", *(f"{min(each):9.2f}" for each in zip(*runs, strict=True)))


if __name__ == "__main__":
    main()
