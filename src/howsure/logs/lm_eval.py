"""Logs of lm-evaluation-harness and lmms-eval: `samples_*.jsonl`, with `results_*.json` in the same folder."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError, listed
from howsure.logs.metrics import BITS, PLACEHOLDERS, is_exponential
from howsure.logs.opening import Opened, beside, stem_of
from howsure.logs.records import Reader, Reported, Score, entries, mapping, number, stated, text

DATE = r"(?P<date>\d{4}-\d\d-\d\dT[\d\-.:]+)"
NAME = re.compile(rf"samples_(?P<task>.+)_{DATE}")  # without the suffix, which is .jsonl, and .json in some versions
LMMS = re.compile(r"(?P<date>\d{4,8}_\d{4,6}(_[^_]+)?)_samples_(?P<task>.+)")  # names of lmms-eval
LMMS_RESULTS = re.compile(r"(?P<date>\d{4,8}_\d{4,6}(_[^_]+)?)_results")
RESULTS = re.compile(rf"results(_{DATE})?")
OF_FILE = re.compile(rf"(?!samples_|results_).+_{DATE}")  # results if the output path is a file
ARGUMENTS = re.compile(r"(?P<model>\w+=.*?[^_])_(?P<task>[^_].*)")  # early names: the model's arguments and the task
OTHERS = {  # other fields of early versions, which do not list their metrics
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash", "input", "submission"),
}
OWN = {"task_hashes", "lm_eval_version", "group_subtasks", "configs", "n-shot", "model_name"}  # of its results
OF_TASKS, OF_RUNS = ("n-shot", "version"), ("model_args", "gen_kwargs", "limit")  # settings
PER_UNIT = {"weighted_perplexity", "word_perplexity", "byte_perplexity", *BITS}  # of a log-likelihood and a length


def _recognises(log: Opened) -> bool:
    return {"doc_id", "filtered_resps"} <= log.first.keys()


def _scores(log: Opened) -> Iterator[Score]:
    task, model = _task_and_model(log.path)
    results = _results(log.path)
    aggregations = _aggregations(results, task)
    rows = list(map(mapping, log.records))
    for row, filtered in zip(rows, _filters(rows, results, task, log.path), strict=True):
        answer = row.get("filtered_resps") or [None]
        first = answer if isinstance(answer, str) else next(iter(answer))
        shared = task, model, str(row.get("doc_id")), 1
        for name in _metrics(row):
            found = _score(row.get(name), name, _aggregation(aggregations, name))
            if found is not None:
                metric = name if filtered == "none" else f"{name},{filtered}"
                content = str(row.get("doc_hash") or "")
                answers = text(row.get("target")), text(first)
                yield Score(*shared, metric, found[0], mapping(row.get("doc")), "", content, *answers, found[1])


def _filters(rows: Sequence[dict[str, Any]], results: dict[str, Any], task: str, path: Path) -> Iterator[str]:
    """Yield the filter of each row; early versions repeat a document for each filter of the results, in their order."""
    keys = (str(key).partition(",") for key in mapping(mapping(results.get("results")).get(task)))
    known = list(dict.fromkeys(kept for name, _, kept in keys if kept and not name.endswith("_stderr")))
    seen: Counter[str] = Counter()
    repeats = max(Counter(str(row.get("doc_id")) for row in rows if "filter" not in row).values(), default=1)
    if repeats > 1 and repeats != len(known):
        raise HowsureError(
            f"'{path.name}' has documents of the task {task!r} {repeats:,} times without a filter's name, and the "
            f"results beside it have {len(known):,} filters. Give each filter a file of its own."
        )
    for row in rows:
        place = seen[str(row.get("doc_id"))]
        seen[str(row.get("doc_id"))] += "filter" not in row
        yield str(row.get("filter", known[place] if repeats > 1 else "none"))


def _score(value: object, name: str, aggregation: str) -> tuple[float, float] | None:
    """Return a sample's score and weight; log losses for perplexities. None where the metric is of whole data sets."""
    if name in PLACEHOLDERS:
        return None
    per_unit = {aggregation} & PER_UNIT
    if per_unit and isinstance(value, list | tuple) and len(value) == 2:
        likelihood, length = map(number, value)
        unit = math.log(2) if aggregation in BITS else 1.0
        return (-likelihood / length / unit, length) if length > 0 else (math.nan, 1.0)
    if isinstance(value, list) and value and all(isinstance(each, bool) for each in value):
        return sum(value) / len(value), float(len(value))  # several instructions in one item, as IFEval has them
    if isinstance(value, dict) and not math.isnan(score := number(value.get("score"))):
        return score, 1.0  # metrics of lmms-eval hold more than a score
    if _is_of_a_whole(value):
        return None
    return (-number(value) if is_exponential(aggregation) else number(value)), 1.0


def _metrics(row: dict[str, Any]) -> list[str]:
    """Return the names of a row's metrics, which early versions do not list."""
    named = row.get("metrics")
    if isinstance(named, list):
        return [str(each) for each in named]
    return [name for name, value in row.items() if name not in OTHERS and not isinstance(value, str)]


def _is_of_a_whole(value: object) -> bool:
    """Whether a metric stores components of each item, such as a likelihood and a length, instead of a score."""
    return isinstance(value, list | dict)


def _notes(log: Opened) -> Iterator[str]:
    task, _ = _task_and_model(log.path)
    aggregations = _aggregations(_results(log.path), task)
    names = _metrics(log.first)
    whole = [
        name
        for name in names
        if name not in PLACEHOLDERS and _score(log.first.get(name), name, _aggregation(aggregations, name)) is None
    ]
    if whole:
        yield f"'{log.path.name}' has no score of single items by {listed(whole)}, which is left out."
    if placed := sorted(PLACEHOLDERS.intersection(names)):
        yield f"'{log.path.name}' has no score by {listed(placed)}, a placeholder: it was run with --predict_only."


def _reported(log: Opened) -> Iterator[Reported]:
    task, model = _task_and_model(log.path)
    results = _results(log.path)
    yield from _numbers(results, task, model)
    aggregations = _aggregations(results, task)
    for name in _metrics(log.first):  # for metrics without a value of the harness
        if aggregation := _aggregation(aggregations, name):
            kept = log.first.get("filter", "none")
            metric = name if kept == "none" else f"{name},{kept}"
            yield Reported(task, model, metric, aggregation=aggregation)
    for group, inner in mapping(results.get("group_subtasks")).items():
        if group != task and inner:  # an empty one is a task, whose own samples have its numbers
            yield from _numbers(results, group, model)


def _numbers(results: dict[str, Any], task: str, model: str) -> Iterator[Reported]:
    """Yield the harness's numbers of a task, or of a group of tasks."""
    own = mapping(mapping(results.get("results")).get(task)) or mapping(mapping(results.get("groups")).get(task))
    higher = _higher(results, task)
    samples = mapping(mapping(results.get("n-samples")).get(task)).get("effective")
    aggregations = _aggregations(results, task)
    seen = set()
    for key, value in own.items():
        name, _, kept = key.partition(",")
        if kept and not name.endswith("_stderr") and isinstance(value, int | float):
            seen.add(name)
            metric = name if kept == "none" else f"{name},{kept}"
            count = samples if isinstance(samples, int) else None
            better = _better(higher.get(name))
            filtered = "" if kept == "none" else kept
            yield Reported(
                task, model, metric, float(value), count, better, _aggregation(aggregations, name), "", filtered
            )
    for name in higher.keys() - seen:
        yield Reported(
            task, model, str(name), better=_better(higher[name]), aggregation=_aggregation(aggregations, str(name))
        )


def _aggregation(stated: dict[str, str], name: str) -> str:
    """Return the aggregation of a metric from its configuration, else by its name."""
    return stated.get(name) or (name if name in PER_UNIT or is_exponential(name) else "")


def _higher(results: dict[str, Any], task: str, above: Sequence[str] = ()) -> dict[str, Any]:
    """Return whether higher is better by metric: as stated for the task, in its configuration, or for its parts."""
    inner = mapping(results.get("group_subtasks")).get(task)
    found: dict[str, Any] = {}
    for each in inner if isinstance(inner, list) and task not in above else []:
        found = _higher(results, str(each), (*above, task)) | found
    stated = entries(mapping(mapping(results.get("configs")).get(task)).get("metric_list"))
    found |= {str(each.get("metric")): each["higher_is_better"] for each in stated if "higher_is_better" in each}
    return found | mapping(mapping(results.get("higher_is_better")).get(task))


def _better(is_higher_better: object) -> str:
    return "higher" if is_higher_better is True else "lower" if is_higher_better is False else ""


def _aggregations(results: dict[str, Any], task: str) -> dict[str, str]:
    """Return the aggregation of each metric of a task that its configuration states."""
    listed_metrics = entries(mapping(mapping(results.get("configs")).get(task)).get("metric_list"))
    named = {str(each.get("metric")): each.get("aggregation") for each in listed_metrics}
    return {name: value for name, value in named.items() if isinstance(value, str)}


def _groups(log: Opened) -> dict[str, list[str]]:
    """Return the tasks of each group, groups of groups resolved."""
    direct = {
        str(name): [str(each) for each in inner]
        for name, inner in mapping(_results(log.path).get("group_subtasks")).items()
        if isinstance(inner, list) and inner
    }

    def leaves(name: str, above: tuple[str, ...]) -> list[str]:
        if name in above:
            return []
        return [leaf for each in direct[name] for leaf in leaves(each, (*above, name))] if name in direct else [name]

    return {name: list(dict.fromkeys(leaves(name, ()))) for name in direct}


def _results(path: Path) -> dict[str, Any]:
    """Return the results in the folder of a file of samples; empty if there are none."""
    if (found := NAME.fullmatch(stem_of(path))) is not None:
        of_name = mapping(beside(path.parent / f"results_{found['date']}.json"))
        return of_name or _of_date(path.parent, found["date"])
    found = LMMS.fullmatch(stem_of(path))
    return mapping(beside(path.parent / (f"{found['date']}_results.json" if found else "results.json")))


def _of_date(folder: Path, date: str) -> dict[str, Any]:
    """Return the results of a run whose `--output_path` names a file: FILE_DATE.json."""
    named = sorted(each for each in folder.glob(f"*_{date}.json*") if OF_FILE.fullmatch(stem_of(each)))
    found = (mapping(beside(each.with_name(f"{stem_of(each)}.json"))) for each in named)
    return next((each for each in found if _is_results(each)), {})


def _is_results(found: dict[str, Any]) -> bool:
    return isinstance(found.get("results"), dict) and not OWN.isdisjoint(found)


def _task_and_model(path: Path) -> tuple[str, str]:
    """Return task and model from the names of file and folder, and the model from the results of the samples."""
    results = _results(path)
    folder = path.resolve().parent.name
    stem = stem_of(path)
    found = NAME.fullmatch(stem) or LMMS.fullmatch(stem)
    if found is not None:
        return found["task"], str(results.get("model_name") or folder)
    known = sorted(mapping(results.get("results")), key=len, reverse=True)
    task = next((str(each) for each in known if stem.endswith(f"_{each}")), None)
    if task is not None:
        return task, stem.removesuffix(f"_{task}").removeprefix("samples_") or folder
    if (early := ARGUMENTS.fullmatch(stem)) is not None:
        return early["task"], early["model"]
    return stem.removeprefix("samples_"), folder


def _created(log: Opened) -> str:
    found = NAME.fullmatch(stem_of(log.path)) or LMMS.fullmatch(stem_of(log.path))
    return found["date"] if found else ""


def _settings(log: Opened) -> dict[str, str]:
    """Return number of examples, version of the task, and the model's arguments."""
    results, (task, _) = _results(log.path), _task_and_model(log.path)
    config = mapping(results.get("config"))
    own = {name: mapping(results.get(f"{name}s" if name == "version" else name)).get(task) for name in OF_TASKS}
    return stated(own, OF_TASKS) | stated(config, OF_RUNS)


def tasks_without_samples(log: Opened) -> list[str] | None:
    """Return the tasks of a file of results without a file of samples in its folder; None for other files."""
    lmms = LMMS_RESULTS.fullmatch(stem_of(log.path))
    of_file = OF_FILE.fullmatch(stem_of(log.path)) if _is_results(log.first) else None
    found = lmms or RESULTS.fullmatch(stem_of(log.path)) or of_file
    results = mapping(log.first.get("results"))
    is_own = isinstance(log.first.get("results"), dict) and all(isinstance(each, dict) for each in results.values())
    if found is None or not (is_own or found["date"]):  # other programs also write a results.json
        return None
    groups = mapping(log.first.get("group_subtasks"))
    date = found["date"]
    start, ending = (f"{date}_samples_", "") if lmms else ("samples_", f"_{date}") if date else ("*", "")

    def has_samples(task: str) -> bool:
        files = log.path.parent.glob(f"{start}{glob_free(task)}{glob_free(ending)}.[jJ]*")
        return any(date or each.suffix != ".json" for each in files)

    return [str(task) for task in results if not groups.get(task) and not has_samples(str(task))]


def glob_free(name: str) -> str:
    """Return a name with escaped wildcards."""
    return re.sub(r"([*?\[])", r"[\1]", name)


LM_EVAL = Reader("lm-evaluation-harness", _recognises, _scores, _notes, _reported, _groups, _created, _settings)
