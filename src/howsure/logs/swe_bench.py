"""Reports of SWE-bench: JSON with the instances that a model resolved, failed, or left without a patch."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from howsure.errors import HowsureError, listed
from howsure.logs.opening import Opened, stem_of
from howsure.logs.records import Reader, Reported, Score, mapping

RESOLVED = "resolved_ids"
# Instances without a patch, or whose tests could not run, count as not resolved, as on the leaderboard.
FAILED = ("unresolved_ids", "empty_patch_ids", "error_ids", "incomplete_ids")
OTHERS = (*FAILED, "completed_ids")
EARLY = ("generated", "no_generation")  # all instances, in reports of early versions
INSTANCE = re.compile(r".+__.+-\d+")  # a folder of one instance
TASK, METRIC = "SWE-bench", "resolved"


def _is_report(log: Opened) -> bool:
    keys = log.first.keys()
    return RESOLVED in keys and not keys.isdisjoint({"unresolved_ids", "completed_ids"}) and "results" not in keys


def _is_early(log: Opened) -> bool:
    return {METRIC, "no_generation"} <= log.first.keys()


def _instances(log: Opened) -> dict[str, bool]:
    """Return the instances of a `report.json` of single instances, and whether each is resolved."""
    found = {str(name): mapping(each) for name, each in log.first.items()}
    is_report = bool(found) and all({METRIC, "patch_is_None"} <= each.keys() for each in found.values())
    return {name: each[METRIC] is True for name, each in found.items()} if is_report else {}


def _recognises(log: Opened) -> bool:
    return _is_report(log) or _is_early(log) or bool(_instances(log))


def _ids(log: Opened, name: str) -> list[str]:
    found = log.first.get(name)
    return [str(each) for each in found] if isinstance(found, list) else []


def _model(log: Opened) -> str:
    folders = log.path.resolve().parents
    if _instances(log):  # MODEL/INSTANCE/report.json
        return folders[1].name if log.path.name == "report.json" else folders[0].name
    if _is_early(log):
        return folders[1].name if folders[0].name == "results" else folders[0].name
    return _without_run(stem_of(log.path))


def _without_run(name: str) -> str:
    """Return the model of a report named MODEL.RUN, whose model may hold dots; a number alone may be its version.

    Examples
    --------
    >>> [_without_run(each) for each in ("gpt-4.1.run1", "model.baseline", "gpt-4.1")]
    ['gpt-4.1', 'model', 'gpt-4.1']
    """
    model, _, run = name.rpartition(".")
    return name if not model or run.isdecimal() else model


def _others(log: Opened) -> tuple[str, ...]:
    """Return the instances without a report if this file is the first report of its run, else nothing."""
    own = log.path.resolve().parent
    if not _instances(log) or log.path.name != "report.json":
        return ()
    instances = sorted(each for each in own.parent.iterdir() if INSTANCE.fullmatch(each.name) and each.is_dir())
    if own != next((each for each in instances if (each / "report.json").exists()), None):
        return ()
    return tuple(each.name for each in instances if not (each / "report.json").exists())


def _notes(log: Opened) -> Iterator[str]:
    if others := _others(log):
        many = f"{len(others):,} instance{'' if len(others) == 1 else 's'}"
        yield f"{_model(log)} has {many} without a report.json, which count as not resolved: {listed(others)}."


def _outcomes(log: Opened) -> dict[str, bool]:
    """Return whether each instance is resolved.

    Raises
    ------
    HowsureError
        If the file lists the resolved instances, but not all others, or an instance as resolved and as failed.
    """
    if alone := _instances(log):
        return alone | dict.fromkeys(_others(log), False)
    if _is_early(log):
        resolved, others = _ids(log, METRIC), [each for name in EARLY for each in _ids(log, name)]
        if "generated" not in log.first:
            raise HowsureError(
                f"'{log.path}' lists {len(resolved):,} resolved instances of SWE-bench, but not those that failed. "
                f"Give the number of all, such as 500: hs.proportion({len(resolved)}, 500)."
            )
    else:
        resolved, others = _ids(log, RESOLVED), [each for name in OTHERS for each in _ids(log, name)]
        if both := {each for name in FAILED for each in _ids(log, name)}.intersection(resolved):
            raise HowsureError(
                f"'{log.path}' lists {listed(sorted(both))} as resolved and as failed. Give a report for each run."
            )
    right = set(resolved)
    return {each: each in right for each in [*resolved, *others]}


def _scores(log: Opened) -> Iterator[Score]:
    for item, is_resolved in _outcomes(log).items():
        yield Score(TASK, _model(log), item, 1, METRIC, float(is_resolved), {"repository": item.rpartition("-")[0]})


def _reported(log: Opened) -> Iterator[Reported]:
    resolved, total = (log.first.get(f"{name}_instances") for name in ("resolved", "total"))
    if isinstance(resolved, int) and isinstance(total, int) and total > 0:
        yield Reported(TASK, _model(log), METRIC, resolved / total, total, "higher", "mean")
    else:
        yield Reported(TASK, _model(log), METRIC, math.nan, None, "higher", "mean")


SWE_BENCH = Reader("SWE-bench", _recognises, _scores, _notes, _reported)
