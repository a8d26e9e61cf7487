"""Annotations of AlpacaEval: the JSON with the judge's preference between a model's answer and the reference's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from howsure.logs.opening import Opened
from howsure.logs.records import Reader, Score, entries, number, start_of

METRIC = "win_rate"
DRAW = 1.5
NOTE = "The win rate of AlpacaEval is the plain one: its length-controlled win rate is the value of a fitted model."


def _recognises(log: Opened) -> bool:
    return {"preference", "generator_1", "generator_2", "instruction"} <= log.first.keys()


def _won(preference: object) -> float:
    """Return the model's score: the preference 1 is a loss, 2 a win, and 0 (in old files) a draw."""
    found = number(preference)
    found = DRAW if found == 0 else found
    return found - 1 if 1 <= found <= 2 else math.nan


def _scores(log: Opened) -> Iterator[Score]:
    runs: Counter[tuple[str, str, str]] = Counter()
    for row in entries(list(log.records)):
        task, model = f"AlpacaEval, against {row.get('generator_1')}", str(row.get("generator_2"))
        item = str(row.get("instruction"))
        runs[task, model, item] += 1
        fields = {"dataset": row.get("dataset"), "annotator": row.get("annotator")}
        won, content = _won(row.get("preference")), start_of(row.get("output_1"))
        yield Score(task, model, item, runs[task, model, item], METRIC, won, fields, "", content)


def _notes(_: Opened) -> Iterator[str]:
    yield NOTE


ALPACA_EVAL = Reader("AlpacaEval", _recognises, _scores, _notes)
