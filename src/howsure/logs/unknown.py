"""Files that are not logs: detection of their content, and how to read them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError, listed
from howsure.logs.opening import Opened
from howsure.logs.records import entries
from howsure.sources.content import refuse_other_content
from howsure.sources.json_tables import records_of

TABLES = (".csv", ".tsv", ".xlsx")
SEPARATORS = (",", ";", "\t")
PROVIDER = re.compile(r"^\[[^\]]+\] ")  # name of promptfoo's column for a provider and prompt
BATTLES = (  # columns of both models and of the winner
    ("model_a", "model_b", "winner"),
    ("model_1", "model_2", "winner"),
    ("model_1", "model_2", "g1_winner"),
)
SUMMARIES = {  # remedies by a name of the numbers in the file
    "score:std": "simple-evals has the samples in the file *_allresults.json beside it.",
    "accuracy": "OpenCompass writes the samples if it is run with --dump-eval-details.",
    "pass@1": "bigcode-evaluation-harness and EvalPlus have the samples in logs.json and *_eval_results.json.",
    "number_of_shots": "BIG-bench has none in its scores_*.json.",
}
DEPTH = 4  # depth of nested objects in a summary
MOST = 200  # numbers that are examined


def refuse_table(path: Path) -> None:
    """Raise the error for a plain-text table, which must be read by the names of its columns.

    Raises
    ------
    HowsureError
        If the suffix of the file is that of such a table.
    """
    suffix = path.suffix.lower()
    if suffix not in TABLES:
        return
    refuse_other_content(path)
    names = [] if suffix == ".xlsx" else _header(path)
    if any(map(PROVIDER.match, names)):
        message = f"'{path}' is promptfoo's table for people, without numbers. Write `--output results.json` instead."
        raise HowsureError(message)
    raise HowsureError(_of_table(path, names))


def _header(path: Path) -> list[str]:
    """Return the names of the columns in the first line, split at its most frequent separator."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        line = file.readline()
    return next(csv.reader([line], delimiter=max(SEPARATORS, key=line.count)), [])


def told_apart(log: Opened) -> str | None:
    """Return a description of a file without a reader, if recognised: battles, or the summary of a harness."""
    for columns in BATTLES:
        if set(columns) <= log.first.keys():
            first, second, winner = columns
            return (
                f"'{log.path}' holds battles. Rank the models: howsure leaderboard FILE --a {first} --b {second} "
                f"--winner {winner}."
            )
    names = _numbers(log)
    ends = {each.rpartition("/")[2] for each in names}
    remedy = next((said for key, said in SUMMARIES.items() if key in ends), None)
    return None if remedy is None else _of_summary(log.path, names, remedy)


def guessed(log: Opened) -> str | None:
    """Return how a file without a reader may be read: as records, or not at all, for it has numbers of wholes alone."""
    records = records_of(log.first) if len(log.records) == 1 else list(log.records)
    if len(entries(records[:2])) == 2:
        return _of_table(log.path, list(records[0]))
    names = _numbers(log)
    return _of_summary(log.path, names, "Give the file with the samples.") if names else None


def _of_summary(path: Path, names: Sequence[str], remedy: str) -> str:
    return (
        f"'{path}' holds numbers of whole data sets ({listed(names)}), and no scores of single samples. {remedy} For k "
        "right of n: hs.proportion(k, n)."
    )


def _of_table(path: Path, names: Sequence[object]) -> str:
    columns = f" with the columns {listed(names)}" if names else ""
    return (
        f"'{path}' is no log that is known, but a table{columns}. Name the columns of its scores: `score`, and `item` "
        "and `model` where there are some."
    )


def _numbers(log: Opened) -> list[str]:
    """Return the names of a summary's numbers; empty if the file also has long lists, such as samples."""
    named = list(islice(_flat(log.first, "", DEPTH), MOST)) if len(log.records) == 1 else []
    return [] if any(value is None for _, value in named) else [name for name, _ in named]


def _flat(found: dict[str, Any], above: str, depth: int) -> Iterator[tuple[str, float | None]]:
    """Yield each number of nested objects by its path; None for a list of objects too long for a summary."""
    for name, value in found.items():
        inner = [value] if isinstance(value, dict) else entries(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{above}{name}", float(value)
        elif len(inner) > DEPTH:
            yield f"{above}{name}", None
        elif depth and name != "config":
            for each in inner:
                yield from _flat(each, f"{above}{name}/", depth - 1)
