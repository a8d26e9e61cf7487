"""Files that are not logs: detection of their content, and how to read them."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError, listed
from howsure.logs.opening import Opened
from howsure.logs.records import entries, number
from howsure.sources.content import refuse_other_content
from howsure.sources.json_tables import records_of
from howsure.sources.rating_names import names_item
from howsure.sources.text_encoding import stated_encoding

TABLES = (".csv", ".tsv", ".xlsx")
SEPARATORS = (",", ";", "\t")
PROVIDER = re.compile(r"^\[[^\]]+\] ")  # name of promptfoo's column for a provider and prompt
BATTLES = (  # columns of both models and of the winner
    ("model_a", "model_b", "winner"),
    ("model_1", "model_2", "winner"),
    ("model_1", "model_2", "g1_winner"),
)
OPENCOMPASS = "OpenCompass writes the samples if it is run with --dump-eval-details."
SUMMARIES = {  # remedies by a pattern for the name of a number in the file
    r"(.*/)?score:std": "simple-evals has the samples in the file *_allresults.json beside it.",
    r"(.*/)?pass@1": "bigcode-evaluation-harness and EvalPlus have the samples in logs.json and *_eval_results.json.",
    r"(.*/)?number_of_shots": "BIG-bench has none in its scores_*.json.",
    r"(.*/)?main_score": "Results that MTEB writes from version 1.11 on are read.",
}
COCO = ({"images", "annotations", "categories"}, {"image_id", "category_id", "bbox", "score"})  # data set and results
DEEPEVAL_CACHE = "test_cases_lookup_map"
GARAK = "entry_type"
COUNTED = {"accuracy", "correct_count", "total_count"}  # first line of BFCL's scores, above the failed samples
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
    record = {} if suffix == ".xlsx" else _first_row(path)
    if any(map(PROVIDER.match, record)):
        raise HowsureError(
            f"'{path}' is promptfoo's table for people, without numbers. Write `--output results.json` instead."
        )
    raise HowsureError(_of_table(path, record))


def _first_row(path: Path) -> dict[str, str]:
    """Return the cells of the first row by column, split at the most frequent separator of the first line."""
    with path.open(encoding=stated_encoding(path) or "utf-8", errors="replace", newline="") as file:
        separator = max(SEPARATORS, key=(line := file.readline()).count)
        file.seek(0)
        names, *rows = [*islice(csv.reader(file, delimiter=separator), 2)] if line.strip() else [[]]
    return dict(zip_longest(names, rows[0][: len(names)] if rows else [], fillvalue=""))


def told_apart(log: Opened) -> str | None:
    """Return a description of a file without a reader, if recognised: battles, detections, or a harness's summary."""
    for columns in BATTLES:
        if set(columns) <= log.first.keys():
            first, second, winner = columns
            swapped = " The verdicts in the other order are in g2_winner." if "g2_winner" in log.first else ""
            return (
                f"'{log.path}' holds battles. Rank the models: howsure leaderboard FILE --a {first} --b {second} "
                f"--winner {winner}.{swapped}"
            )
    if any(log.first.keys() >= each for each in COCO):
        return f"'{log.path}' holds objects or detections of COCO: hs.detections('results.json', 'instances.json')."
    if DEEPEVAL_CACHE in log.first:
        return f"'{log.path}' is DeepEval's cache. Give .latest_test_run.json beside it."
    if GARAK in log.first:
        return (
            f"'{log.path}' is a report of garak. Its lines with {GARAK!r} 'eval' have the numbers of each probe: "
            "hs.proportion(passed, total)."
        )
    if log.first.keys() >= COUNTED:
        right, total = log.first["correct_count"], log.first["total_count"]
        return (
            f"'{log.path}' holds the failed samples of {total}, of which {right} are right, but not those. Give the "
            f"counts: hs.proportion({right}, {total})."
        )
    names = _numbers(log)
    remedy = next((said for key, said in SUMMARIES.items() if any(re.fullmatch(key, each) for each in names)), None)
    if names and all(each.startswith("accuracy") for each in names):
        remedy = OPENCOMPASS
    return None if remedy is None else _of_summary(log.path, names, remedy)


def guessed(log: Opened) -> str | None:
    """Return how a file without a reader may be read: as records, or not at all, for it has numbers of wholes alone."""
    records = records_of(log.first) if len(log.records) == 1 else list(log.records)
    if len(entries(records[:2])) == 2:
        return _of_table(log.path, records[0])
    names = _numbers(log)
    return _of_summary(log.path, names, "Give the file with the samples.") if names else None


def _of_summary(path: Path, names: Sequence[str], remedy: str) -> str:
    return (
        f"'{path}' holds numbers of whole data sets ({listed(names)}), and no scores of single samples. {remedy} For k "
        "right of n: hs.proportion(k, n)."
    )


def _of_table(path: Path, record: Mapping[str, Any]) -> str:
    columns = f" with the columns {listed(record)}" if record else ""
    numbers = sorted(_scores(record), key=lambda each: not isinstance(each[1], bool | str))  # words and truth first
    said = f" Numbers are in {listed(name for name, _ in numbers)}." if numbers else ""
    return (
        f"'{path}' is no log that is known, but a table{columns}. Name the columns of its scores: `score`, and `item` "
        f"and `model` where there are some.{said}"
    )


def _scores(record: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    """Yield the fields of a record that may be scores, in dotted notation, with their values."""
    for name, value in record.items():
        if isinstance(value, dict) and above.count(".") < DEPTH:
            yield from _scores(value, f"{above}{name}.")
        elif not names_item(name) and not math.isnan(number(value)):
            yield f"{above}{name}", value


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
