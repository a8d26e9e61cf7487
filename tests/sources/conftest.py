"""Text files that count as large, and the queries that DuckDB is asked."""

import pytest

from howsure.sources import duckdb_files


@pytest.fixture
def large(monkeypatch):
    """Make all files large."""
    monkeypatch.setattr(duckdb_files, "LARGE", 0)


@pytest.fixture
def queries(monkeypatch):
    """Return the list of DuckDB's queries, to which each is added."""
    queries, connected = [], duckdb_files.connected

    class Recorded:
        def __init__(self):
            self.connection = connected()

        def __getattr__(self, name):
            def call(query, *more):
                queries.append(query)
                return getattr(self.connection, name)(query, *more)

            return call

    monkeypatch.setattr(duckdb_files, "connected", Recorded)
    return queries
