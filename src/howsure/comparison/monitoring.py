"""Monitoring of metrics by chunk, compared with a baseline."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from howsure.arrays import Seed
from howsure.comparison.runs_of_chunks import runs_of_chunks
from howsure.errors import INVALID_ARGUMENT, HowsureError, checked_level, looked_up, of_per_cent, real_numbers
from howsure.escapes import shown
from howsure.estimates.estimate import positive_notes
from howsure.estimates.estimation import default_metrics, evaluate, evaluated_without
from howsure.estimates.evaluation import Evaluation
from howsure.estimates.grouped import of_groups
from howsure.grids import Grid, Tabular
from howsure.methods.core.draws import group_seed, seed_sequence
from howsure.methods.core.lookup import named
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.metrics.binding import listed_metrics, unseen
from howsure.metrics.metric import Metric
from howsure.numbers import interval_text, number, significant_decimals
from howsure.tables.labels import refuse_disjoint
from howsure.tables.table import Table

Limits = tuple[float, float]
USUAL = ("accuracy", "precision", "recall", "f1")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Monitoring(Tabular, Mapping[Any, Evaluation]):
    """Metrics by chunk with their intervals and baselines, and the chunks whose interval left the baseline.

    A mapping of chunks to evaluations: ``monitoring["2024-01"]["f1"]``.

    Parameters
    ----------
    evaluations : mapping of chunk to Evaluation
        The estimates of each chunk, in order.
    baseline : mapping of str to tuple of two float
        Limits by metric.
    overall : Evaluation, optional
        The estimates of all chunks together, if the chunks are `Tables`.
    cases : mapping of chunk to mapping of str to int, optional
        Number of cases of each metric's estimate, if it differs from that of the chunk's evaluation.
    """

    evaluations: Mapping[Any, Evaluation]
    baseline: Mapping[str, Limits]
    overall: Evaluation | None = None
    cases: Mapping[Any, Mapping[str, int]] = field(default_factory=dict)

    def __getitem__(self, chunk: object) -> Evaluation:
        return looked_up("chunk", chunk, self.evaluations)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per chunk and metric; ``alert`` is "below", "above" or empty."""
        return [
            {"chunk": chunk, "cases": self.cases.get(chunk, {}).get(each.metric, evaluation.table.rows)}
            | {"metric": each.label}
            | {name: getattr(each, name) for name in ("value", "low", "high")}
            | dict(zip(("baseline_low", "baseline_high"), self.baseline[each.metric], strict=True))
            | {"alert": departure((each.low, each.high), self.baseline[each.metric]), "method": each.method}
            | {"positive": each.positive, "reason": each.reason}
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
        said = [*notes] if len(notes) == 1 else []
        said += positive_notes(each for evaluation in self.evaluations.values() for each in evaluation.values())
        return Grid(headers, tuple(rows), "; ".join(said))


def monitor(
    tables: Mapping[Any, Table],
    metrics: str | Sequence[str] | None = None,
    *,
    threshold: float | None = None,
    reference: object = None,
    baseline: Limits | Mapping[str, Limits] | None = None,
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    random_state: Seed = None,
) -> Monitoring:
    """Follow metrics from chunk to chunk, and report where an interval leaves the baseline.

    Parameters
    ----------
    tables : Tables, or mapping of chunk to Table
        As returned by `calibrated`, `scores` and `confusion` with ``by=``. Chunks are in temporal order if they are
        dates, integers, text with numbers such as "week 2" and "week 10", or ordered categories.
    metrics : str or sequence of str, optional
        Spec strings; accuracy, precision, recall, F1 and ROC AUC by default for scores with a threshold.
    threshold : float, optional
        Threshold of count metrics for tables of scores; metrics of scores need none.
    reference : chunk, list of chunks or Table, optional
        The chunk with which the others are compared, or several, or a separate table. For several chunks, the baseline
        reaches from the lowest to the highest of their limits. The default is the first chunk.
    baseline : tuple of two float, or mapping of str to such, optional
        The limits themselves, for all metrics or by metric, instead of a reference.
    method : str or Method, optional
        As in `evaluate`. With ``"anytime"`` the estimate of a chunk is that of all chunks up to it except the
        reference. If a shorter run of chunks that ends with it has left the baseline, it is that of the run, metric by
        metric. If nothing changes, the probability that a metric ever raises an alert, in arbitrarily many chunks, is
        at most 1 minus the level.
    confidence_level : float
        Coverage of each interval, between 0 and 1; for ``"anytime"`` simultaneous coverage. The reference, whose
        interval is for a single look, then has half of the error, and the runs of chunks share the rest.
    random_state : int, Generator or SeedSequence, optional
        Seed of the methods that draw; each chunk has its own stream.

    Returns
    -------
    Monitoring
        There is an alert if a chunk's whole interval lies outside the baseline. For `Tables`, ``overall`` has the
        estimates of all chunks together.

    Raises
    ------
    HowsureError
        If there is no chunk, or the reference or the baseline is not valid.

    Examples
    --------
    >>> import howsure as hs
    >>> scores = [0.1, 0.2, 0.8, 0.9] * 50 + [0.4, 0.45, 0.55, 0.6] * 50
    >>> chunks = hs.monitor(hs.calibrated(scores, every=100), "accuracy", threshold=0.5)
    >>> [(record["chunk"], record["alert"]) for record in chunks.alerts]
    [('200–299', 'below'), ('300–399', 'below')]

    A confidence sequence does not accumulate false alarms over the chunks, and detects a change from the chunks since:

    >>> wrong = [0] * 19 + [1], [0, 0, 0, 1]
    >>> y_pred, y_true = wrong[0] * 45 + wrong[1] * 75, [0] * 1200
    >>> week = ["launch"] * 600 + [f"week {number}" for number in range(1, 7) for _ in range(100)]
    >>> weeks = hs.confusion(y_true, y_pred, by=week, labels=[0, 1])
    >>> followed = hs.monitor(weeks, "accuracy", reference="launch", method="anytime")
    >>> [(each["chunk"], each["cases"], each["value"], each["alert"]) for each in followed.records()][3:5]
    [('week 3', 300, 0.95, ''), ('week 4', 100, 0.75, 'below')]
    """
    if not (isinstance(tables, Mapping) and tables and all(hasattr(each, "design") for each in tables.values())):
        raise HowsureError(
            "`monitor` needs chunks by name: `{'May': table, 'June': other}`, or the tables of a source with `by=`, as "
            "`calibrated(y_score, by=month)` returns."
        )
    if reference is not None and baseline is not None:
        raise HowsureError("Give either `reference`, whose intervals make the baseline, or the `baseline` itself.")
    if threshold is not None and not any(each.kind.has_thresholds for each in tables.values()):
        raise HowsureError(
            "`threshold` is for tables of scores: drop it. The limits beyond which a metric raises an alert are "
            f"`baseline=({shown(threshold)}, 1)`."
        )
    if not hasattr(tables, "overall"):
        refuse_disjoint({**tables, **({"reference": reference} if hasattr(reference, "design") else {})})
    seed, chosen = seed_sequence(random_state), named(method)
    request = _Request(metrics, threshold, chosen, checked_level(confidence_level))
    if chosen is not None and chosen.is_anytime_valid:
        return _in_sequence(tables, reference, baseline, request, seed)
    whole = getattr(tables, "overall", None)
    found: Any = of_groups(tables, request.of, seed) if whole is None else request.of(tables, seed)
    overall = None if whole is None else request.over_own_classes(found.overall)
    evaluations = {chunk: request.over_own_classes(each) for chunk, each in found.items()} if overall else found
    _refuse_other_positive(evaluations)
    limits = _limits(reference, baseline, evaluations, lambda table: request.of(table, group_seed(seed, "reference")))
    return Monitoring(evaluations=evaluations, baseline=limits, overall=overall)


def _refuse_other_positive(evaluations: Mapping[Any, Evaluation]) -> None:
    """Refuse chunks, counted one by one, in which a metric is of different positive classes."""
    (first, known), *others = evaluations.items()
    for chunk, evaluation in others:
        for name in evaluation:
            ours, theirs = known[name].positive, evaluation[name].positive
            if ours != theirs:
                raise HowsureError(
                    f"`{name}` is of the class {theirs!r} in the chunk {chunk}, and of {ours!r} in {first}. Count all "
                    "chunks with the same `labels=` and `pos_label=`.",
                    "other-classes",
                )


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    """The metrics and settings with which each chunk is evaluated."""

    metrics: str | Sequence[str] | None
    threshold: float | None
    method: Method | None
    level: float

    def of(self, table: object, seed: Seed) -> Any:
        """Evaluate one table, or each of groups."""
        found = self.over_all_classes(table, seed)
        return self.over_own_classes(found) if isinstance(found, Evaluation) else found

    def over_all_classes(self, table: object, seed: Seed) -> Any:
        """Evaluate one table, or each of groups, without leaving out classes that have no true case."""
        settings = {"method": self.method, "confidence_level": self.level, "random_state": seed}
        return evaluated(table, self.metrics, self.threshold, settings)

    def over_own_classes(self, made: Evaluation) -> Evaluation:
        """Return an evaluation with averages over classes with true cases: a stray prediction is no change."""
        asked = () if self.metrics is None else listed_metrics(self.metrics)
        unnamed = {each.name for each in asked if isinstance(each, Metric)}
        found = {name: unseen(name, made.table) for name in made if name not in unnamed}
        left_out = {name: each for name, each in found.items() if each is not None and each.any()}
        return evaluated_without(made, left_out, asked)


def _in_sequence(
    tables: Mapping[Any, Table], reference: object, baseline: object, request: _Request, seed: Seed
) -> Monitoring:
    """Follow all chunks since the reference together, and shorter runs of them, with one error for all.

    The reference, if any, has half of the error, and the runs of chunks share the rest; see `fraction`.
    """
    apart = _apart(reference, baseline, tables)
    error = (1 - request.level) / (1 if baseline is not None else 2)
    once = replace(request, method=None, level=1 - error)
    chunks = [chunk for chunk in tables if chunk not in apart]
    evaluations = {chunk: once.of(tables[chunk], group_seed(seed, chunk)) for chunk in apart or chunks[:1]}
    limits = _limits(reference, baseline, evaluations, lambda table: once.of(table, group_seed(seed, "reference")))
    cases: dict[Any, dict[str, int]] = {}

    def with_part(runs: object, part: float) -> Any:
        return replace(request, level=1 - error * part).over_all_classes(runs, seed)

    for chunk, runs in runs_of_chunks(tables, chunks, with_part):
        evaluations[chunk], cases[chunk] = _departing(map(request.over_own_classes, runs), limits)
    whole = getattr(tables, "overall", None)
    overall = None if whole is None else replace(request, level=1 - error / 2).of(whole, seed)
    ordered = {chunk: evaluations[chunk] for chunk in tables}
    _refuse_other_positive(ordered)
    return Monitoring(evaluations=ordered, baseline=limits, overall=overall, cases=cases)


def _departing(runs: Iterator[Evaluation], limits: Mapping[str, Limits]) -> tuple[Evaluation, dict[str, int]]:
    """Return each metric's estimate in the first run that has left the baseline, otherwise in the longest run."""
    first = next(runs)
    estimates, cases = dict(first.estimates), {}
    within = set(estimates)
    for run in chain([first], runs):
        for name in sorted(within):
            if departure((run[name].low, run[name].high), limits[run[name].metric]):
                estimates[name], cases[name] = run[name], run.table.rows
                within.remove(name)
        if not within:
            break
    return replace(first, estimates=estimates), cases


def _apart(reference: object, baseline: object, known: Mapping[Any, object]) -> list[Any]:
    """Return the chunks that form the baseline."""
    return [] if baseline is not None or isinstance(reference, Table) else _chunks(reference, known)


def _limits(
    reference: Any, baseline: Any, evaluations: Mapping[Any, Evaluation], of_table: Callable[[Table], Evaluation]
) -> dict[str, Limits]:
    """Return the baseline of each metric: as stated, from a separate table, or from chunks."""
    if baseline is not None:
        return _stated(baseline, next(iter(evaluations.values())))
    chunks = _apart(reference, baseline, evaluations)
    return _hull([evaluations[chunk] for chunk in chunks] if chunks else [of_table(reference)])


def departure(interval: Limits, baseline: Limits) -> str:
    """Return the side on which a whole interval lies outside the baseline: "below", "above" or "".

    Examples
    --------
    >>> departure((0.6, 0.7), (0.75, 0.85)), departure((0.6, 0.8), (0.75, 0.85))
    ('below', '')
    """
    return "below" if interval[1] < baseline[0] else "above" if interval[0] > baseline[1] else ""


def evaluated(
    table: Any, metrics: str | Sequence[str] | None, threshold: float | None, settings: dict[str, Any]
) -> Any:
    """Evaluate metrics on a table or on each group; count metrics of scores are taken at the threshold.

    Parameters
    ----------
    table : Table or Tables
        A table of scores or of predictions.
    metrics : str or sequence of str, optional
        Spec strings.
    threshold : float, optional
        Threshold, for tables of scores.
    settings : dict
        Method, level and seed, as in `evaluate`.
    """
    first = getattr(table, "overall", table)
    if threshold is None or not first.kind.has_thresholds:
        return evaluate(table, default_metrics(first) if metrics is None else metrics, **settings)
    return evaluate(table, (*USUAL, "roc_auc") if metrics is None else metrics, threshold=threshold, **settings)


def _chunks(reference: object, known: Mapping[Any, object]) -> list[Any]:
    if isinstance(reference, tuple) and not all(isinstance(each, Hashable) for each in reference):
        raise HowsureError(
            "`reference` is a chunk, several, or a table, such as `hs.confusion(y_true, y_pred)`, and not arrays.",
            INVALID_ARGUMENT,
        )
    wanted = [next(iter(known))] if reference is None else reference if isinstance(reference, list) else [reference]
    by_name = {str(chunk): chunk for chunk in known}
    for chunk in wanted:
        if str(chunk) not in by_name:
            raise HowsureError.unknown("chunk", str(chunk), by_name)
    return [by_name[str(chunk)] for chunk in wanted]


def _hull(evaluations: list[Evaluation]) -> dict[str, Limits]:
    columns = zip(*(each.values() for each in evaluations), strict=True)
    return {same[0].metric: (min(each.low for each in same), max(each.high for each in same)) for same in columns}


def _stated(baseline: Limits | Mapping[str, Limits], known: Evaluation) -> dict[str, Limits]:
    names = list(known)
    given = baseline if isinstance(baseline, Mapping) else dict.fromkeys(names, baseline)
    for name in names:
        if name not in given:
            raise HowsureError(f"`baseline` has no limits for '{name}'. Give them as `{{'{name}': (low, high)}}`.")
    found = {name: _pair(name, given[name]) for name in names}
    for name, (low, high) in found.items():
        lowest, highest = known[name].bounds
        if low > highest or high < lowest:
            hint = of_per_cent(low) if highest == 1 else ""
            raise HowsureError(
                f"`baseline` of '{name}' is outside of its range, {lowest:g} to {highest:g}.{hint}", INVALID_ARGUMENT
            )
    return found


def _pair(name: str, given: object) -> Limits:
    with suppress(HowsureError):
        pair = real_numbers("baseline", given)
        if pair.shape == (2,) and pair[0] <= pair[1]:
            return float(pair[0]), float(pair[1])
    raise HowsureError(f"`baseline` of '{name}' is {given!r}, not (low, high).")
