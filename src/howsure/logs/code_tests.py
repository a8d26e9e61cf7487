"""Tests of generated programs: results of EvalPlus and BigCodeBench, and `logs.json` of bigcode-evaluation-harness."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from howsure.logs.opening import Opened, stem_of
from howsure.logs.records import Reader, Reported, Score, entries, mapping, number

BASE, PLUS, PASSED = "base", "plus", "passed"
RIGHT = ("pass", "success")  # statuses of a program that passes its tests, the second in early versions
BIGCODEBENCH = "BigCodeBench"


def _model(log: Opened) -> str:
    """Return the model from the name of the file, else of the folder."""
    stem = stem_of(log.path)
    return stem.removesuffix("_eval_results") if stem.endswith("_eval_results") else log.path.resolve().parent.name


def _programs(log: Opened, status: str = "base_status") -> dict[str, list[dict[str, Any]]]:
    """Return the programs of each problem, which have a field with their status."""
    found = {str(name): _statuses(each) for name, each in mapping(log.first.get("eval")).items()}
    return {name: each for name, each in found.items() if each and status in each[0]}


def _statuses(problem: object) -> list[dict[str, Any]]:
    """Return the programs of a problem; early versions have a list of outcomes for each set of tests."""
    sets = {f"{name}_status": mapping(problem).get(name) for name in (BASE, PLUS)}
    lists = [[outcome[0] for outcome in each] for each in sets.values() if isinstance(each, list)]
    return [dict(zip(sets, each, strict=False)) for each in zip(*lists, strict=True)] if lists else entries(problem)


def _is_evalplus(log: Opened) -> bool:
    return bool(_programs(log))


def _task(item: str) -> str:
    return item.partition("/")[0] if "/" in item else "EvalPlus"


def _evalplus_scores(log: Opened) -> Iterator[Score]:
    for item, programs in _programs(log).items():
        for run, each in enumerate(programs, 1):
            base, plus = (each.get(f"{name}_status") for name in (BASE, PLUS))
            if plus is not None:  # its pass@k counts programs that pass both sets of tests
                yield Score(_task(item), _model(log), item, run, PLUS, float(base in RIGHT and plus in RIGHT), {})
            yield Score(_task(item), _model(log), item, run, BASE, float(base in RIGHT), {})


def _evalplus_reported(log: Opened) -> Iterator[Reported]:
    items = list(_programs(log))
    for metric, found in mapping(log.first.get("pass_at_k")).items():
        value = number(mapping(found).get("pass@1"))
        yield Reported(_task(items[0]), _model(log), str(metric), value, len(items), "higher", "mean")


def _created(log: Opened) -> str:
    return str(log.first.get("date") or "")


def _is_bigcodebench(log: Opened) -> bool:
    return bool(_programs(log, "status"))


def _bigcodebench_scores(log: Opened) -> Iterator[Score]:
    for item, programs in _programs(log, "status").items():
        for run, each in enumerate(programs, 1):
            yield Score(BIGCODEBENCH, _model(log), item, run, PASSED, float(each.get("status") in RIGHT), {})


def _runs(log: Opened) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield problem, run and outcome of each program, as the harness has them: pairs of the run and its outcome."""
    for item, runs in log.first.items():
        for place, each in enumerate(runs if isinstance(runs, list) else [], 1):
            outcome = each[1] if isinstance(each, list) and len(each) == 2 else None
            if isinstance(outcome, dict) and PASSED in outcome:
                yield str(item), place, outcome


def _is_bigcode(log: Opened) -> bool:
    return next(_runs(log), None) is not None


def _bigcode_scores(log: Opened) -> Iterator[Score]:
    task = stem_of(log.path)
    for item, run, outcome in _runs(log):
        yield Score(task, _model(log), item, run, PASSED, number(outcome[PASSED]), {})


EVALPLUS = Reader("EvalPlus", _is_evalplus, _evalplus_scores, reported=_evalplus_reported, created=_created)
BIGCODE_BENCH = Reader(BIGCODEBENCH, _is_bigcodebench, _bigcodebench_scores, created=_created)
BIGCODE = Reader("bigcode-evaluation-harness", _is_bigcode, _bigcode_scores)
