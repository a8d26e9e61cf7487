"""Reports of SWE-bench: the JSON with the instances that a model resolved, failed, or left without a patch."""

from __future__ import annotations

import math
from collections.abc import Iterator

from howsure.logs.opening import Opened
from howsure.logs.records import Reader, Reported, Score

RESOLVED = "resolved_ids"
# An instance without a patch, or whose tests could not run, is not resolved; of all, as the leaderboard counts.
OTHERS = ("unresolved_ids", "empty_patch_ids", "error_ids", "incomplete_ids")
TASK, METRIC = "SWE-bench", "resolved"


def _knows(log: Opened) -> bool:
    return {RESOLVED, "unresolved_ids"} <= log.first.keys()


def _ids(log: Opened, name: str) -> list[str]:
    found = log.first.get(name)
    return [str(each) for each in found] if isinstance(found, list) else []


def _model(log: Opened) -> str:
    return log.path.name.removesuffix(".json").split(".")[0] or log.path.name


def _scores(log: Opened) -> Iterator[Score]:
    resolved = dict.fromkeys(_ids(log, RESOLVED))
    others = [each for name in OTHERS for each in _ids(log, name)]
    for item in dict.fromkeys([*resolved, *others]):
        fields = {"repository": item.rpartition("-")[0]}
        yield Score(TASK, _model(log), item, 1, METRIC, float(item in resolved), fields)


def _reported(log: Opened) -> Iterator[Reported]:
    resolved, total = (log.first.get(f"{name}_instances") for name in ("resolved", "total"))
    if isinstance(resolved, int) and isinstance(total, int) and total > 0:
        yield Reported(TASK, _model(log), METRIC, resolved / total, total, "higher", "mean")
    else:
        yield Reported(TASK, _model(log), METRIC, math.nan, None, "higher", "mean")


SWE_BENCH = Reader("SWE-bench", _knows, _scores, reported=_reported)
