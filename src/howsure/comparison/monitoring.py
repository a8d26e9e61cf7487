"""Metrics chunk by chunk, compared with a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from howsure.errors import HowsureError, looked_up, real_numbers
from howsure.estimates.estimation import default_metrics, evaluate
from howsure.estimates.evaluation import Evaluation
from howsure.estimates.grouped import of_groups
from howsure.grids import Grid, Tabular, interval_text, number, significant_decimals
from howsure.methods.draws import group_seed, seed_sequence
from howsure.methods.interval import Method
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
        As in `evaluate`.
    confidence_level : float
        Coverage of each interval, between 0 and 1.
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
    """
    if not (isinstance(tables, Mapping) and tables and all(hasattr(each, "design") for each in tables.values())):
        message = "`monitor` needs chunks: several tables by name, as `calibrated(y_score, by=…)` returns."
        raise HowsureError(message)
    if reference is not None and baseline is not None:
        message = "Give either `reference`, whose intervals make the baseline, or the `baseline` itself."
        raise HowsureError(message)
    seed = seed_sequence(random_state)
    settings = {"method": method, "confidence_level": confidence_level}
    whole = getattr(tables, "overall", None)

    def of_chunk(table: Any, seed: Any) -> Any:
        return evaluated(table, metrics, threshold, {**settings, "random_state": seed})

    evaluations: Any = of_groups(tables, of_chunk, seed) if whole is None else of_chunk(tables, seed)
    names = list(next(iter(evaluations.values())))
    if baseline is not None:
        limits = _stated(baseline, names)
    elif isinstance(reference, Table):
        limits = _hull([of_chunk(reference, group_seed(seed, "reference"))])
    else:
        limits = _hull([evaluations[chunk] for chunk in _chunks(reference, evaluations)])
    overall = None if whole is None else evaluations.overall
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
