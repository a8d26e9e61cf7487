"""Files that tests read, those of `tests/data`, and files that they write."""

import csv
import json
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"


def rows_of(name):
    """Return the rows of a CSV file as texts by column; lines that start with # are comments."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def written(path, content, *, lines=False):
    """Write JSON, or JSON Lines, to a path whose folders are made; return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, content)) if lines else json.dumps(content))
    return path
