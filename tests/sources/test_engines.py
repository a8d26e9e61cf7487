"""Every engine makes the tables that its columns make in memory, and none brings more of them here than it must."""

import importlib.util
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet as pq

import howsure as hs
from howsure.sources import engines
from howsure.sources.files import read
from howsure.testing import check_source
from support.optional import optional

duckdb = optional("duckdb")
pl = optional("polars")

DOCS = Path(__file__).parents[2] / "docs"
CODED = ("label", "predicted", "text")


class Streamed:
    """What offers Arrow's interface for streams, of batches of 17 rows, each with codes of its own, and nothing else."""

    def __init__(self, columns):
        self.batches = [
            pa.RecordBatch.from_pydict(
                {
                    name: pa.array(values[start : start + 17], pa.infer_type(values)).dictionary_encode()
                    if name in CODED
                    else pa.array(values[start : start + 17], pa.infer_type(values))
                    for name, values in columns.items()
                }
            )
            for start in range(0, len(columns["label"]), 17)
        ]

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.RecordBatchReader.from_batches(self.batches[0].schema, self.batches).__arrow_c_stream__(
            requested_schema
        )


def of_arrow(columns):
    """Return a pandas frame with Arrow's types, which distinguish dates and decimals from text."""
    return pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)


def coded(frame):
    """Return a pandas frame with categories."""
    return frame.astype(dict.fromkeys(CODED, "category"))


def of_enum(columns):
    """Return a DuckDB relation with an ENUM in alphabetical order."""
    found = duckdb.connect()
    found.execute("CREATE TYPE animal AS ENUM ('cat', 'dog', 'emu')")
    found.register("given", pa.table(columns))
    return found.sql("SELECT * REPLACE (label::animal AS label, predicted::animal AS predicted) FROM given")


def of_ibis(columns):
    """Return an Ibis table; skip without Ibis."""
    return pytest.importorskip("ibis").memtable(pa.table(columns))


def of_dask(columns):
    """Return a Dask frame of three partitions; skip without Dask."""
    return pytest.importorskip("dask.dataframe").from_pandas(coded(of_arrow(columns)), npartitions=3)


def of_modin(columns):
    """Return a Modin frame; skip without Modin, which needs pandas before 3."""
    pytest.importorskip("modin.pandas", reason="Modin needs pandas before 3")
    from modin.pandas import DataFrame

    return DataFrame(columns)


KINDS = {
    "mapping": dict,
    "rows": lambda columns: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    "pandas": pd.DataFrame,
    "pandas categories": lambda columns: coded(pd.DataFrame(columns)),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "polars lazy categories": lambda columns: pl.LazyFrame(columns).with_columns(pl.col(*CODED).cast(pl.Categorical)),
    "arrow": pa.table,
    "arrow dataset": lambda columns: dataset.dataset(pa.table(columns)),
    "arrow stream": Streamed,
    "duckdb": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
    "duckdb enum": of_enum,
    "ibis": of_ibis,
    "dask": of_dask,
    "modin": of_modin,
}


SLOW = {"dask", "ibis", "polars lazy categories", "arrow dataset", "arrow stream", "duckdb enum", "pandas categories"}


@pytest.mark.parametrize(
    "kind", [pytest.param(name, marks=pytest.mark.thorough if name in SLOW else ()) for name in KINDS]
)
def test_every_kind_of_frame_keeps_the_laws(kind):
    """Every kind of frame gives the tables, intervals and errors that the same columns give in memory."""
    check_source(KINDS[kind])


@pytest.fixture(scope="session")
def spark():
    """Return one local Spark session; skip without Spark or Java."""
    sql = pytest.importorskip("pyspark.sql")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java")
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    found = sql.SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    found.sparkContext.setLogLevel("OFF")
    yield found
    found.stop()


@pytest.mark.thorough
@pytest.mark.xdist_group("spark")
def test_spark_keeps_the_laws(spark):
    """A Spark frame gives the tables, intervals and errors that the same columns give in memory."""
    check_source(lambda columns: spark.createDataFrame(list(zip(*columns.values(), strict=True)), list(columns)))


def of_scores(rows):
    """Return true classes and scores with hardly any ties."""
    rng = np.random.default_rng(7)
    sick = rng.random(rows) < 0.3
    return {"sick": sick, "score": np.where(sick, rng.beta(4, 2, rows), rng.beta(2, 3, rows))}


MANY = {
    "polars lazy": pl.LazyFrame,
    "duckdb": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
    "arrow stream": lambda columns: pa.table(columns).to_reader(max_chunksize=500),
}


@pytest.mark.parametrize("kind", MANY)
def test_many_scores_are_counted_in_bins(kind, monkeypatch):
    """Too many scores are binned, and the error of ROC AUC is at most the stated one."""
    monkeypatch.setattr(engines, "MANY", 2000)
    monkeypatch.setattr("howsure.sources.bins.DIGITS", 9)
    columns = of_scores(20_000)
    found, expected = (hs.scores("sick", "score", data=data) for data in (MANY[kind](columns), columns))
    assert len(found.scores) <= 2**9 + 1
    assert found.rows == 20_000
    assert found.counts.sum(0).tolist() == expected.counts.sum(0).tolist()
    negative, positive = found.counts.T
    most = float(negative @ positive) / 2 / (negative.sum() * positive.sum())
    error = hs.estimate(found, "roc_auc").value - hs.estimate(expected, "roc_auc").value
    assert 0 < abs(error) <= most < 1e-2
    assert found.spread.max() <= 2**-8
    assert f"{most:.1g}" in found.cautions[-1]


@pytest.mark.parametrize("kind", MANY)
def test_bins_lose_nothing_of_scores_with_few_digits(kind, monkeypatch):
    """Many cases whose scores have two decimals are counted as they are, in bins too."""
    monkeypatch.setattr(engines, "MANY", 2000)
    columns = of_scores(20_000)
    columns["score"] = columns["score"].round(2)
    found, expected = (hs.scores("sick", "score", data=data) for data in (MANY[kind](columns), columns))
    assert found.spread is None
    assert found.scores.tolist() == expected.scores.tolist()
    assert found.counts.tolist() == expected.counts.tolist()


def test_bins_lose_nothing_of_a_score_that_millions_have(monkeypatch):
    """A sum of a million tenths, one by one, is 1e-11 off: the score is a tenth nevertheless."""
    monkeypatch.setattr(engines, "MANY", 2000)
    rows = duckdb.sql(
        "SELECT i % 2 AS sick, CASE WHEN i % 7 = 0 THEN 0.7 ELSE 0.1 END::DOUBLE AS score FROM range(2_000_000) r(i)"
    )
    found = hs.scores("sick", "score", data=rows)
    assert found.spread is None
    assert found.scores.tolist() == [0.1, 0.7]
    assert found.counts.sum(1).tolist() == [2_000_000 - 285_715, 285_715]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", MANY)
def test_many_scores_of_which_some_are_no_numbers(kind, bad, monkeypatch):
    """Also for scores counted in bins, missing or infinite ones are refused with their number."""
    monkeypatch.setattr(engines, "MANY", 2000)
    columns = of_scores(5000)
    columns["score"][[7, 77, 777]] = bad
    with pytest.raises(hs.HowsureError, match="`y_score` has 3 missing or infinite values"):
        hs.scores("sick", "score", data=MANY[kind](columns))


@pytest.mark.parametrize("kind", MANY)
def test_exact_scores(kind, monkeypatch):
    """With exact=True no score is lost, for any number of scores."""
    monkeypatch.setattr(engines, "MANY", 2000)
    columns = of_scores(5000)
    found, expected = (hs.scores("sick", "score", data=data, exact=True) for data in (MANY[kind](columns), columns))
    assert found.scores.tolist() == expected.scores.tolist()
    assert found.counts.tolist() == expected.counts.tolist()


def test_clusters_of_one_kind_come_once():
    """Of 3,000 clusters of four cases only the distinct tables leave the engine, and each method uses them all."""
    rng = np.random.default_rng(3)
    columns = {
        "cluster": np.arange(12_000) // 4,
        "true": rng.integers(0, 2, 12_000),
        "said": rng.integers(0, 2, 12_000),
    }
    found, expected = (
        hs.confusion("true", "said", data=data, groups="cluster") for data in (pl.LazyFrame(columns), columns)
    )
    assert len(found.design.multiplicity) <= 35  # ways to put four cases into four cells
    assert found.design.number == expected.design.number == 3000
    assert found.counts.tolist() == expected.counts.tolist()
    for method in ("auto", "delta", "bootstrap"):
        one, other = (hs.estimate(table, "f1", method=method, random_state=1) for table in (found, expected))
        assert (one.low, one.high) == pytest.approx(
            (other.low, other.high), abs=1e-12 if method != "bootstrap" else 2e-3
        )


def test_an_engine_that_fails():
    """Failures in an engine give a one-line error, and no partial result."""
    relation = duckdb.sql(
        "SELECT 'a' AS t, CASE WHEN i < 5000 THEN 'b' ELSE error('the disk is full') END AS p FROM range(9999) r(i)"
    )
    with pytest.raises(hs.HowsureError, match=r"^`data` cannot be read: .*the disk is full[^\n]*$"):
        hs.confusion("t", "p", data=relation)


WHOLE = {"t": ["a", "b"] * 500, "p": ["a", "a"] * 500}
FAULTY = {
    "is truncated": (WHOLE, WHOLE),
    "lacks a column": (WHOLE, {"t": WHOLE["t"]}),
    "changes a type": (WHOLE | {"p": [0, 1] * 500}, WHOLE),
}
OPENED = {
    "polars lazy": lambda folder: pl.scan_parquet(folder / "*.parquet"),
    "arrow dataset": dataset.dataset,
    "duckdb": lambda folder: duckdb.read_parquet(f"{folder}/*.parquet"),
    "ibis": lambda folder: pytest.importorskip("ibis").read_parquet(f"{folder}/*.parquet"),
    "dask": lambda folder: pytest.importorskip("dask.dataframe").read_parquet(folder),
}


def refuses(read, fault, folder):
    """Write the parts, one of them faulty, read them, and check that the result is a one-line error."""
    for number, columns in enumerate(FAULTY[fault]):
        pq.write_table(pa.table(columns), folder / f"part-{number}.parquet")
    data = read(folder)
    if fault == "is truncated":
        path = folder / "part-1.parquet"
        path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(hs.HowsureError) as error:
        hs.confusion("t", "p", data=data)
    return str(error.value)


@pytest.mark.filterwarnings("ignore")  # of engines: as errors they would be mistaken for refusals
@pytest.mark.parametrize("fault", FAULTY)
@pytest.mark.parametrize("kind", OPENED)
def test_a_faulty_part(kind, fault, tmp_path):
    """A truncated part, a missing column or a changed type gives a one-line error, and no table of the rest."""
    said = refuses(OPENED[kind], fault, tmp_path)
    assert any(words in said for words in ("`data` cannot be read", "missing values", "share no label", "'a'"))


@pytest.mark.parametrize("names", [["a", "b"], [f"breed {i}" for i in range(200)]])
def test_a_part_that_holds_numbers_where_text_is_declared(names):
    """Parts are refused in either order, and where the numbers come after many texts: Dask joins them to one column."""
    parts = [{"t": names, "p": names}, {"t": names, "p": list(range(len(names)))}]
    frame = pytest.importorskip("dask.dataframe").from_map(pd.DataFrame, parts)
    with pytest.raises(hs.HowsureError, match="^`data` cannot be read: column 'p' holds text in some parts alone"):
        hs.confusion("t", "p", data=frame)


@pytest.mark.thorough
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize(
    "fault, words",
    [
        ("is truncated", "part-1.parquet is not a Parquet file"),
        ("lacks a column", "`y_pred` has 1000 missing values"),
        ("changes a type", "column: [p]"),
    ],
)
def test_a_faulty_part_in_spark(spark, fault, words, tmp_path):
    """Spark's long traces are reported by their last cause."""
    assert words in refuses(lambda folder: spark.read.parquet(str(folder)), fault, tmp_path)


def cramped(*given, **more):
    """Return a connection to DuckDB with 20 MB of memory and next to no disk."""
    config = {"memory_limit": "20MB", "threads": 1, **more.pop("config", {})}
    found = CONNECT(*given, config=config, **more)
    found.execute("SET max_temp_directory_size = '100KB'")
    return found


CONNECT = duckdb.connect
MANY_SCORES = "SELECT i % 2 AS t, hash(i)::VARCHAR AS s FROM range(500_000) r(i)"


@pytest.mark.parametrize("kind", ["relation", "file"])
def test_a_full_disk(kind, tmp_path, monkeypatch):
    """If data exceed memory and the disk is full, the error names a remedy, and there is no table."""
    duckdb.sql(MANY_SCORES).write_parquet(str(tmp_path / "cases.parquet"))
    monkeypatch.setattr(duckdb, "connect", cramped)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    own = cramped(config={"temp_directory": str(tmp_path / "own")})
    data = own.sql(MANY_SCORES) if kind == "relation" else tmp_path / "cases.parquet"
    with pytest.raises(hs.HowsureError, match=r"^`data` cannot be read: memory, or space on the disk .* TMPDIR"):
        hs.confusion("t", "s", data=data)


def test_what_does_not_fit_into_memory_goes_where_the_system_has_such_files(tmp_path, monkeypatch):
    """Reading a file leaves no folder in the working directory: TMPDIR sets the place of temporary files."""
    duckdb.sql("SELECT 1 AS t, 1 AS p").write_parquet(str(tmp_path / "cases.parquet"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (one,), (other,) = (
        read(tmp_path / "cases.parquet").query("r", "SELECT current_setting('temp_directory')").fetchone() for _ in "12"
    )
    assert Path(one).parent == Path(other).parent == tmp_path
    assert one != other  # DuckDB gives the files of two processes the same names


@pytest.mark.thorough
def test_ctrl_c_ends_a_long_job():
    """An interrupt stops an engine at once, and is not reported as a data error."""
    code = """
        import duckdb, signal, howsure as hs
        signal.signal(signal.SIGINT, signal.default_int_handler)  # which jobs in the background ignore
        query = "SELECT (i * j) % 2 AS t, (i + j) % 2 AS p FROM range(10000000) a(i), range(10000000) b(j)"
        print("begins", flush=True)
        hs.confusion("t", "p", data=duckdb.sql(query))
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        assert job.stdout.readline() == "begins\n"
        time.sleep(2)
        assert job.poll() is None
        job.send_signal(signal.SIGINT)
        watch = threading.Timer(60, job.kill)
        watch.start()
        _, said = job.communicate()
        watch.cancel()
    assert said.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.thorough
def test_a_worker_that_is_killed():
    """If a counting process dies, the error states this, and no table is made of the other parts."""
    dask = pytest.importorskip("dask")
    frame = pytest.importorskip("dask.dataframe").from_pandas(
        pd.DataFrame({"t": [0, 1] * 4, "p": [0, 1] * 4}), npartitions=2
    )
    dying = frame.map_partitions(killed, meta=frame._meta)
    with (
        dask.config.set(scheduler="processes", num_workers=1),
        pytest.raises(hs.HowsureError, match="`data` cannot be read"),
    ):
        hs.confusion("t", "p", data=dying)


def killed(part):
    """End the process that has the last rows."""
    if part.index.max() == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return part


def programs():
    """Return the folder of PostgreSQL's programs, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@pytest.fixture
def postgres():
    """Start a PostgreSQL server and return its address; skip without its programs."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed")
    root = os.getuid() == 0
    user = (
        ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if root else []
    )  # it refuses to run as root
    with tempfile.TemporaryDirectory() as folder:
        if root:
            shutil.chown(folder, "nobody", "nogroup")

        def run(program, *arguments):
            subprocess.run([*user, programs() / program, *arguments], check=True, cwd=folder, stdout=subprocess.DEVNULL)

        run("initdb", "--pgdata", f"{folder}/data", "--username", "howsure", "--auth", "trust", "--no-sync")
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "--pgdata", f"{folder}/data", "--options", options, "--log", f"{folder}/log", "--wait", "start")
        try:
            yield folder
        finally:
            run("pg_ctl", "--pgdata", f"{folder}/data", "--mode", "immediate", "stop")


@pytest.mark.thorough
def test_postgresql_keeps_the_laws(postgres):
    """A table of a PostgreSQL server gives the results of the same columns in memory, counted by the server."""
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("psycopg", reason="Ibis reaches PostgreSQL by psycopg")
    connection = ibis.postgres.connect(host=postgres, user="howsure", database="postgres")
    number = itertools.count()
    try:
        check_source(lambda columns: connection.create_table(f"cases_{next(number)}", pa.table(columns)))
    finally:
        connection.disconnect()


def test_the_guide_says_what_engines_count():
    """The guide's table of engines and tables equals the output of its script."""
    spec = importlib.util.spec_from_file_location("make_engines", DOCS / "make_engines.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    guide = (DOCS / "guide" / "engines.md").read_text()
    for line in script.lines(["Polars, lazy", "Arrow dataset or stream", "DuckDB, and files"]):
        assert line in guide
