"""Metrics chunk by chunk, compared with a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from operator import add
from typing import Any

from howsure.errors import HowsureError, checked_level, looked_up, real_numbers
from howsure.estimates.estimation import default_metrics, evaluate
from howsure.estimates.evaluation import Evaluation
from howsure.estimates.grouped import of_groups
from howsure.grids import Grid, Tabular, interval_text, number, significant_decimals
from howsure.methods.draws import group_seed, seed_sequence
from howsure.methods.interval import Method
from howsure.methods.library import named
from howsure.methods.names import MethodName
from howsure.tables.table import Table

Limits = tuple[float, float]
USUAL = ("accuracy", "precision", "recall", "f1")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Monitoring(Tabular, Mapping[Any, Evaluation]):
    """Metrics by chunk with their intervals, the baseline of each, and where an interval left it.

    A mapping of chunks to evaluations: ``monitoring["2024-01"]["f1"]``.

    Parameters
    ----------
    evaluations : mapping of chunk to Evaluation
        The estimates of each chunk, in order.
    baseline : mapping of str to tuple of two float
        Limits by metric.
    overall : Evaluation, optional
        The estimates of all chunks together, where the chunks are `Tables`.
    """

    evaluations: Mapping[Any, Evaluation]
    baseline: Mapping[str, Limits]
    overall: Evaluation | None = None

    def __getitem__(self, chunk: Any) -> Evaluation:
        return looked_up("chunk", chunk, self.evaluations)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per chunk and metric; ``alert`` is "below", "above" or empty."""
        return [
            {"chunk": chunk, "cases": evaluation.table.rows}
            | {name: getattr(each, name) for name in ("metric", "value", "low", "high")}
            | dict(zip(("baseline_low", "baseline_high"), self.baseline[each.metric], strict=True))
            | {"alert": departure((each.low, each.high), self.baseline[each.metric]), "method": each.method}
            | {"reason": each.reason}
            for chunk, evaluation in self.evaluations.items()
            for each in evaluation.values()
        ]

    @property
    def alerts(self) -> list[dict[str, Any]]:
        """The records whose interval lies outside the baseline."""
        return [record for record in self.records() if record["alert"]]

    def grid(self) -> Grid:
        """Return the records as text."""
        rows = []
        for record in self.records():
            decimals = significant_decimals(record["low"], record["high"])
            rows.append(
                (
                    str(record["chunk"]),
                    f"{record['cases']:,}",
                    record["metric"],
                    number(record["value"], decimals),
                    interval_text(record["low"], record["high"], decimals),
                    interval_text(record["baseline_low"], record["baseline_high"], decimals),
                    record["alert"],
                )
            )
        headers = ("chunk", "cases", "metric", "value", "interval", "baseline", "alert")
        notes = dict.fromkeys(record["reason"] for record in self.records() if record["reason"])
        return Grid(headers, tuple(rows), "; ".join(notes) if len(notes) == 1 else "")


def monitor(
    tables: Mapping[Any, Table],
    metrics: str | Sequence[str] | None = None,
    *,
    threshold: float | None = None,
    reference: Any = None,
    baseline: Limits | Mapping[str, Limits] | None = None,
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Any = None,
) -> Monitoring:
    """Follow metrics from chunk to chunk, and report where an interval leaves the baseline.

    Parameters
    ----------
    tables : Tables, or mapping of chunk to Table
        As `calibrated`, `scores` and `confusion` return with ``by=``.
    metrics : str or sequence of str, optional
        Spec strings; of scores with a threshold accuracy, precision, recall, F1 and ROC AUC by default.
    threshold : float, optional
        Of tables of scores: where count metrics are taken; metrics of scores need none.
    reference : chunk, list of chunks or Table, optional
        The chunk that the others are compared with, or several (the baseline then reaches from the lowest to the
        highest of their limits), or a table of its own. By default the first chunk.
    baseline : tuple of two float, or mapping of str to such, optional
        The limits themselves, for all metrics or by metric, instead of a reference.
    method : str or Method, optional
        As in `evaluate`. With ``"anytime"`` each chunk stands for all cases since the reference up to its end, and
        without a change there is ever an alert of a metric, however many chunks come, with a chance of at most 1 minus
        the level.
    confidence_level : float
        Coverage of each interval, between 0 and 1. With ``"anytime"`` and a reference, whose interval is of a single
        look, either is given half of the error.
    random_state : int, Generator or SeedSequence, optional
        Seed of the methods that draw; each chunk has a stream of its own.

    Returns
    -------
    Monitoring
        An alert means that a chunk's whole interval lies outside the baseline. Of `Tables`, ``overall`` has the
        estimates of all chunks together.

    Raises
    ------
    HowsureError
        If there is no chunk, or reference or baseline are not valid.

    Examples
    --------
    >>> import howsure as hs
    >>> scores = [0.1, 0.2, 0.8, 0.9] * 50 + [0.4, 0.45, 0.55, 0.6] * 50
    >>> chunks = hs.monitor(hs.calibrated(scores, every=100), "accuracy", threshold=0.5)
    >>> [(record["chunk"], record["alert"]) for record in chunks.alerts]
    [('200–299', 'below'), ('300–399', 'below')]

    With a confidence sequence false alarms do not add up from chunk to chunk:

    >>> wrong = [0] * 19 + [1], [0, 0, 0, 1]
    >>> y_pred, y_true = wrong[0] * 45 + wrong[1] * 75, [0] * 1200
    >>> chunk = ["launch"] * 600 + [f"week {week}" for week in range(1, 7) for _ in range(100)]
    >>> chunks = hs.confusion(y_true, y_pred, by=chunk, labels=[0, 1])
    >>> followed = hs.monitor(chunks, "accuracy", reference="launch", method="anytime")
    >>> [(record["chunk"], record["cases"], record["value"], record["alert"]) for record in followed.records()][3:]
    [('week 3', 300, 0.95, ''), ('week 4', 400, 0.9, ''), ('week 5', 500, 0.87, 'below'), ('week 6', 600, 0.85, 'below')]
    """
    if not (isinstance(tables, Mapping) and tables and all(hasattr(each, "design") for each in tables.values())):
        message = "`monitor` needs chunks: several tables by name, as `calibrated(y_score, by=…)` returns."
        raise HowsureError(message)
    if reference is not None and baseline is not None:
        message = "Give either `reference`, whose intervals make the baseline, or the `baseline` itself."
        raise HowsureError(message)
    seed, chosen = seed_sequence(random_state), named(method)
    lasts = chosen is not None and chosen.holds_at_every_look
    level = checked_level(confidence_level)
    settings = {"method": chosen, "confidence_level": (1 + level) / 2 if lasts and baseline is None else level}

    def of_chunk(table: Any, seed: Any) -> Any:
        return evaluated(table, metrics, threshold, {**settings, "random_state": seed})

    def of_one_look(table: Any, seed: Any) -> Any:
        once = {**settings, "method": None if lasts else chosen, "random_state": seed}
        return evaluated(table, metrics, threshold, once)

    own = isinstance(reference, Table)
    apart = [] if own or baseline is not None else _chunks(reference, tables)
    whole = getattr(tables, "overall", None)
    if lasts:
        running = of_groups(_running(tables, apart), of_chunk, seed)
        before = of_groups({chunk: tables[chunk] for chunk in apart}, of_one_look, seed)
        evaluations: Any = {chunk: before[chunk] if chunk in before else running[chunk] for chunk in tables}
        overall = None if whole is None else of_chunk(whole, seed)
    elif whole is None:
        evaluations, overall = of_groups(tables, of_chunk, seed), None
    else:
        evaluations = of_chunk(tables, seed)
        overall = evaluations.overall
    if baseline is not None:
        limits = _stated(baseline, list(next(iter(evaluations.values()))))
    elif own:
        limits = _hull([of_one_look(reference, group_seed(seed, "reference"))])
    else:
        limits = _hull([evaluations[chunk] for chunk in apart])
    return Monitoring(evaluations=evaluations, baseline=limits, overall=overall)


def departure(interval: Limits, baseline: Limits) -> str:
    """Return on which side a whole interval lies outside the baseline: "below", "above" or neither.

    Examples
    --------
    >>> departure((0.6, 0.7), (0.75, 0.85)), departure((0.6, 0.8), (0.75, 0.85))
    ('below', '')
    """
    return "below" if interval[1] < baseline[0] else "above" if interval[0] > baseline[1] else ""


def evaluated(
    table: Any, metrics: str | Sequence[str] | None, threshold: float | None, settings: dict[str, Any]
) -> Any:
    """Evaluate metrics on a table, or on each group's: count metrics of scores at the threshold.

    Parameters
    ----------
    table : Table or Tables
        Of scores, or of predictions.
    metrics : str or sequence of str, optional
        Spec strings.
    threshold : float, optional
        Of scores.
    settings : dict
        Method, level and seed, as `evaluate` takes them.
    """
    first = getattr(table, "overall", table)
    if threshold is None or not first.has_thresholds:
        return evaluate(table, default_metrics(first) if metrics is None else metrics, **settings)
    return evaluate(table, (*USUAL, "roc_auc") if metrics is None else metrics, threshold=threshold, **settings)


def _running(tables: Mapping[Any, Table], apart: Sequence[Any]) -> dict[Any, Table]:
    """Return of each chunk, but of those apart, the table of all cases up to its end."""
    chunks = [chunk for chunk in tables if chunk not in apart]
    return dict(zip(chunks, accumulate((tables[chunk] for chunk in chunks), add), strict=True))


def _chunks(reference: Any, known: Mapping[Any, Any]) -> list[Any]:
    wanted = [next(iter(known))] if reference is None else reference if isinstance(reference, list) else [reference]
    by_name = {str(chunk): chunk for chunk in known}
    for chunk in wanted:
        if str(chunk) not in by_name:
            raise HowsureError.unknown("chunk", str(chunk), by_name)
    return [by_name[str(chunk)] for chunk in wanted]


def _hull(evaluations: list[Evaluation]) -> dict[str, Limits]:
    columns = zip(*(each.values() for each in evaluations), strict=True)
    return {same[0].metric: (min(each.low for each in same), max(each.high for each in same)) for same in columns}


def _stated(baseline: Limits | Mapping[str, Limits], names: list[str]) -> dict[str, Limits]:
    given = baseline if isinstance(baseline, Mapping) else dict.fromkeys(names, baseline)
    for name in names:
        if name not in given:
            message = f"`baseline` has no limits for '{name}'. Give them as `{{'{name}': (low, high)}}`."
            raise HowsureError(message)
    return {name: _pair(name, given[name]) for name in names}


def _pair(name: str, given: Any) -> Limits:
    with suppress(HowsureError):
        pair = real_numbers("baseline", given)
        if pair.shape == (2,) and pair[0] <= pair[1]:
            return float(pair[0]), float(pair[1])
    message = f"`baseline` of '{name}' is {given!r}, not (low, high)."
    raise HowsureError(message)
