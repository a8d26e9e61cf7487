"""Data at addresses, which DuckDB reads: with its extension, without it, and by a file system of the caller's own."""

import subprocess
import sys

import pytest

import howsure as hs
from support.optional import optional

duckdb = optional("duckdb")

CONNECT = duckdb.connect
ROWS = "SELECT i % 2 AS t, i // 2 % 2 AS p FROM range(1000) r(i)"
COUNTS = [[250, 250], [250, 250]]


SERVER = """
import functools, http.server, pathlib, re, sys

class Parts(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        asked = re.fullmatch(r"bytes=(\\d+)-(\\d+)", self.headers.get("Range", ""))
        path = pathlib.Path(self.translate_path(self.path))
        if not asked or not path.is_file():
            super().do_GET()
            return
        content, (first, last) = path.read_bytes(), map(int, asked.groups())
        part = content[first : last + 1]
        self.send_response(http.HTTPStatus.PARTIAL_CONTENT)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(content)}")
        self.end_headers()
        self.wfile.write(part)
        print(len(part), flush=True)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Parts, directory=sys.argv[1]))
print(server.server_port, flush=True)
server.serve_forever()
"""


@pytest.fixture
def server(tmp_path):
    """Serve a folder over HTTP, from a process of its own: DuckDB does not let Python run while it waits."""
    command = [sys.executable, "-c", SERVER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as job:
        yield job
        job.terminate()


def test_files_behind_a_server(server, tmp_path):
    """Parquet and CSV are read over HTTP, for Parquet only the named columns; missing files give an error."""
    try:
        duckdb.connect().load_extension("httpfs")
    except duckdb.Error:
        pytest.skip("DuckDB's extension httpfs is not installed")
    more = ", ".join(f"hash(i + {n})::VARCHAR AS more_{n}" for n in range(20))
    wide = tmp_path / "wide.parquet"
    duckdb.sql(ROWS.replace("FROM", f", {more} FROM")).write_parquet(str(wide))
    duckdb.sql(ROWS).write_csv(str(tmp_path / "cases.csv"))
    address = f"http://127.0.0.1:{server.stdout.readline().strip()}"
    for name in ("cases.csv", "wide.parquet"):
        assert hs.confusion("t", "p", data=f"{address}/{name}").counts.tolist() == COUNTS
    with pytest.raises(hs.HowsureError, match=r"none.csv' cannot be read: .*404"):
        hs.confusion("t", "p", data=f"{address}/none.csv")
    server.terminate()
    assert 0 < sum(map(int, server.stdout)) < wide.stat().st_size / 2


@pytest.mark.parametrize("address", ["https://example.org/cases.parquet", "s3://bucket/cases.csv"])
def test_an_extension_that_is_not_there(address, tmp_path, monkeypatch):
    """If DuckDB lacks the extension for addresses and cannot fetch it, the error names it and how to install it."""
    offline = {"extension_directory": str(tmp_path), "custom_extension_repository": str(tmp_path / "nowhere")}
    monkeypatch.setattr(duckdb, "connect", lambda config: CONNECT(config=config | offline))
    with pytest.raises(
        hs.HowsureError, match=r"needs DuckDB's extension 'httpfs'.*duckdb.sql\('INSTALL httpfs'\)"
    ) as error:
        hs.confusion("t", "p", data=address)
    assert f"'{address}'" in str(error.value)


def test_partitions_at_addresses(tmp_path, monkeypatch):
    """An address is read like a path: partitions in it are columns, and missing files give an error."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")

    def connect(**more):
        found = CONNECT(**more)
        found.register_filesystem(memory)
        return found

    monkeypatch.setattr(duckdb, "connect", connect)
    duckdb.sql(ROWS).write_parquet(str(tmp_path / "cases.parquet"))
    address = "memory://addresses/site=A/cases.parquet"
    memory.pipe(address, (tmp_path / "cases.parquet").read_bytes())
    try:
        tables = hs.confusion("t", "p", data=address, by="site")
        assert {site: table.counts.tolist() for site, table in tables.items()} == {"A": COUNTS}
        with pytest.raises(hs.HowsureError, match=r"memory://addresses/none.csv' cannot be read"):
            hs.confusion("t", "p", data="memory://addresses/none.csv")
    finally:
        memory.rm("addresses", recursive=True)
