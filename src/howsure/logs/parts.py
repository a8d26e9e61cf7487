"""The models of a task in parts: those by one metric, and with most of the items, are compared with each other."""

from __future__ import annotations

from collections.abc import Iterator

from howsure.logs.joined import Joined
from howsure.logs.log import Log


def parts_of(log: Log, task: str, metric: str | None) -> list[Joined]:
    """Return a task's models with a score in parts for comparisons; a model with few of the items is its own part.

    Parameters
    ----------
    log : Log
        The log.
    task : str
        The task.
    metric : str or None
        The metric; None for the main one of each part.
    """
    found = []
    for name, models in _models_by_metric(log, task, metric):
        together = log.joined(task, name, models)
        short = [model for model in models if 2 * together.lacking[model] > together.items]
        rest = [model for model in models if model not in short]
        if rest and short:
            together = log.joined(task, name, rest)
        if not together.shared and len(models) > 1:
            short, rest = models, []
        found += [together] if rest else []
        found += [log.joined(task, name, [model]) for model in short]
    return found


def _models_by_metric(log: Log, task: str, metric: str | None) -> Iterator[tuple[str, list[str]]]:
    """Yield the metrics by which models of a task are compared, each with its models; the main one first."""
    every = {model: log.scored_metrics(task, model) for model in log.models_of(task)}
    known = {model: tuple(name for name in names if metric in {None, name}) for model, names in every.items()}
    while known := {model: names for model, names in known.items() if names}:
        order = dict.fromkeys(name for names in known.values() for name in names)
        chosen = max(order, key=lambda name: sum(name in names for names in known.values()))  # the first for ties
        yield chosen, [model for model, names in known.items() if chosen in names]
        known = {model: names for model, names in known.items() if chosen not in names}
