"""How often the format and the types of a text file are found out."""

import pytest

import howsure as hs
from howsure.sources import duckdb_files
from howsure.sources.locations import located
from support.optional import optional

duckdb = optional("duckdb")


class Recorded:
    """A connection that stores its queries."""

    def __init__(self, connection, queries):
        self.connection, self.queries = connection, queries

    def sql(self, query):
        """Ask, and keep the query."""
        self.queries.append(query)
        return self.connection.sql(query)

    def __getattr__(self, name):
        return getattr(self.connection, name)


def test_a_file_is_sniffed_once(tmp_path, monkeypatch):
    """DuckDB detects the format and types of a CSV file once, from all rows; later queries do not detect again."""
    queries, plain = [], duckdb.connect
    monkeypatch.setattr(duckdb_files, "OPENED", set())
    monkeypatch.setattr(duckdb, "connect", lambda **settings: Recorded(plain(**settings), queries))
    file = tmp_path / "scores.csv"
    file.write_text("label,score\n1,0.9\n0,0.2\n1,0.4\n")
    assert hs.scores("label", "score", data=file).counts.sum() == 3
    read = [each for each in queries if "read_csv" in each or "sniff_csv" in each]
    sniffed = [each for each in read if "sniff_csv" in each]
    assert sniffed
    assert len(sniffed) == len([each for each in read if "auto_detect=false" in each])  # one for each time it is opened
    assert len(read) == 2 * len(sniffed)
    assert all("sample_size=-1" in each for each in sniffed)


@pytest.mark.parametrize(
    "name, text",
    [
        ("plain.csv", "a,b\n1,x\n2,y\n"),
        ("semicolons.csv", "a;b\n1,5;x\n2,5;y\n"),
        ("quotes.csv", 'a,b\n1,"x, ""q"""\n2,"y"\n'),
        ("backslashes.csv", 'a,b\n1,"x\\"y, z"\n2,"w"\n'),
        ("it's [odd].csv", '"a\'b","c ""d"""\n1,x\n2,y\n'),
        ("lines.csv", 'a,b\r\n1,"x\r\ny"\r\n2,z\r\n'),
        ("days.csv", "a,b\n1,31/12/2020\n2,01/02/2021\n"),
        ("unnamed.csv", "a,\n1,2\n3,4\n"),
        ("zeros.csv", "a,b\n01,x\n02,y\n"),
        ("late.csv", "a,b\n" + "1,2\n" * 30_000 + "q,2\n"),
        ("header.csv", "a,b\n"),
        ("tabs.tsv", 'a\tb\n1\tx\n2\t"y\tz"\n'),
    ],
)
def test_a_file_reads_as_duckdb_reads_it(tmp_path, name, text):
    """Columns, types and rows are those of DuckDB's own reader, whichever signs the file uses."""
    pytest.importorskip("duckdb")
    file = tmp_path / name
    file.write_bytes(text.encode())
    found = duckdb_files.relation(located(str(tmp_path)))
    reader = duckdb_files.READERS[file.suffix].format(files=duckdb_files._quoted(file), rows=-1, more="")
    expected = duckdb.connect().sql(f"select * from {reader}")  # noqa: S608 - of a file of its own
    assert (found.columns, found.types) == (expected.columns, expected.types)
    assert found.fetchall() == expected.fetchall()
