"""Input of a report: the tables of each model, and their metrics at several confidence levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from howsure.comparison.models import left_out_of
from howsure.estimates.batch import Evaluations
from howsure.estimates.batched_intervals import own_table
from howsure.estimates.coercion import coerce_table
from howsure.estimates.estimate import Estimate, Quantity
from howsure.estimates.estimation import default_metrics, evaluate, evaluated_without, finished
from howsure.estimates.evaluation import Evaluation
from howsure.methods.core.draws import seed_sequence
from howsure.methods.core.lookup import named
from howsure.methods.core.method import DrawingMethod, Method
from howsure.methods.default import checked
from howsure.methods.drawn.bootstrap import Bootstrap
from howsure.methods.drawn.predictive import Predictive
from howsure.metrics.binding import listed_metrics, of_counts, requested, resolve, stated_threshold
from howsure.metrics.metric import Metric
from howsure.tables.batch import ALL, Tables, in_groups
from howsure.tables.confusion import ConfusionTable
from howsure.tables.counts import ClassCounts
from howsure.tables.scores import ScoresTable
from howsure.tables.table import Table

Metrics = Sequence[str | Metric] | None
OF_CLASSES = {"precision": "precision@none", "recall": "recall@none", "F1": "f1@none"}


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A model with its tables and evaluations, for `report_of`.

    Parameters
    ----------
    name : str
        Name of the model; may be empty for a single model.
    table : Table or Tables, optional
        Confusion (or multilabel) table; or the tables of groups, made with ``by=``.
    scores : Table or Tables, optional
        Table of scores, for curves and metrics of scores.
    threshold : float, optional
        Score from which a case is predicted positive, if ``table`` was made from scores.
    evaluations : mapping of group to tuple of Evaluation
        Existing evaluations by group, with the empty tuple for all cases; they are shown unchanged.

    Examples
    --------
    >>> import howsure as hs
    >>> tables = hs.confusion([1, 0, 1, 0], [1, 0, 0, 0], by={"site": ["a", "a", "b", "b"]})
    >>> report = hs.report_of([hs.results.Subject("forest", tables)])
    >>> [row[0].value for row in report["Groups by site"].sheets[0].rows]
    ['all cases', 'a', 'b']
    """

    name: str = ""
    table: Table | Tables[Any] | None = None
    scores: Table | Tables[Any] | None = None
    threshold: float | None = None
    evaluations: Mapping[Hashable, tuple[Evaluation, ...]] = field(default_factory=dict)

    @property
    def tables(self) -> Tables[Any]:
        """The tables by group, of counts or of scores, whichever has more group columns."""
        known = [in_groups(each) for each in (self.table, self.scores) if each is not None]
        return max(known, key=lambda each: len(each.columns))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Part:
    """One model on all cases or on one group: tables and evaluations.

    Parameters
    ----------
    model : str
        Name of the model.
    group : mapping of str to object
        Values of the group by column: None for all cases; empty without groups.
    table, scores : Table or None
        Tables of the model.
    threshold : float or None
        See `Subject`.
    evaluations : tuple of Evaluation
        Evaluations of counts, of scores, or both.
    """

    model: str
    group: Mapping[str, Any]
    table: Table | None
    scores: Table | None
    threshold: float | None
    evaluations: tuple[Evaluation, ...]

    @property
    def any_table(self) -> Table:
        """The table of counts, or of scores if there is none."""
        found = self.table if self.table is not None else self.scores
        assert found is not None  # noqa: S101 - a subject without evidence is refused
        return found

    @property
    def ranked(self) -> ScoresTable | None:
        """The scores, if there are two classes, with curves and thresholds."""
        return self.scores if isinstance(self.scores, ScoresTable) else None

    @property
    def matrix(self) -> ConfusionTable | None:
        """The confusion table, or None."""
        return self.table if isinstance(self.table, ConfusionTable) else None

    @property
    def counted(self) -> Table | None:
        """A table of counts of the same cases, for the class frequencies; None if there is none."""
        if self.table is not None and not self.table.kind.has_negatives:
            return None
        return self.table if self.ranked is None or self.table is not None else self.ranked.at(-math.inf)

    @property
    def is_group(self) -> bool:
        """Whether this is one group, not all cases."""
        return any(value is not None for value in self.group.values())

    @property
    def group_words(self) -> list[str]:
        """Values of the group as text, one per column; for all groups together, "all cases" in the first column."""
        if self.is_group:
            return [str(value) for value in self.group.values()]
        return ["all cases", *[""] * len(self.group)][: len(self.group)]

    @property
    def words(self) -> str:
        """Model and group as text; empty for a single model on all cases."""
        return ", ".join(filter(None, (self.model, *(self.group_words if self.is_group else ()))))

    @property
    def cases(self) -> str:
        """Number of cases and description of their design, as text."""
        table = self.any_table
        return f"{table.rows:,} {table.kind.rows_noun} {table.design.description.sample}".rstrip()

    @property
    def is_labelled(self) -> bool:
        """Whether the true classes of the cases are known."""
        return all(design.traits.has_labels for design in self.any_table.design.test_sets)

    @property
    def cases_noun(self) -> str:
        """Noun for the counted units."""
        return self.any_table.kind.counts_noun if self.is_labelled else "expected cases"

    @property
    def is_usual(self) -> bool:
        """Whether the metrics are the default metrics."""
        first = self.evaluations[0]
        return list(first) == list(default_metrics(first.table, first.threshold))

    @property
    def estimates(self) -> list[Estimate]:
        """The estimates of all evaluations."""
        return [each for one in self.evaluations for each in one.values()]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Settings:
    """Settings for estimates of a report that are not given as evaluations."""

    metrics: Metrics
    method: Method | None
    levels: tuple[float, ...]
    level: int
    seed: np.random.SeedSequence

    def like(self, made: Evaluation) -> Settings:
        """Return the settings with method and seed of an evaluation."""
        return replace(self, method=made.method, seed=self.seed if made.seed is None else seed_sequence(made.seed))

    def specs(self, made: Evaluation) -> dict[str, str | Metric]:
        """Return the metrics of an evaluation by name; user-defined metrics as metric objects."""
        own = {each.name: each for each in self.metrics or () if isinstance(each, Metric)}
        return {name: own.get(name) or (made.bound(name) if name in made.without else name) for name in made}

    def evaluated(self, tables: Table | Tables[Any], metrics: Metrics) -> dict[Hashable, Evaluation]:
        """Return the evaluations of all cases (key `ALL`) and of each group, by key."""
        level, groups = self.levels[self.level], in_groups(tables)
        given = groups or groups.overall
        found = evaluate(given, metrics, method=self.method, confidence_level=level, random_state=self.seed)
        return {ALL: found} if isinstance(found, Evaluation) else {ALL: found.overall, **found}


def subject_of(name: str, counts_or_table: object) -> Subject:
    """Return a subject made from a table, an evaluation, or either of them by groups."""
    if isinstance(counts_or_table, Evaluation):
        return _of_evaluations(name, in_groups(counts_or_table.table), {ALL: counts_or_table})
    if isinstance(counts_or_table, Evaluations):
        return _of_evaluations(name, counts_or_table.tables, {ALL: counts_or_table.overall, **counts_or_table})
    tables = coerce_table(counts_or_table, "report_of")
    is_counted = issubclass(in_groups(tables).overall.counts_class, ClassCounts)
    return Subject(name, tables if is_counted else None, None if is_counted else tables)


def _of_evaluations(name: str, tables: Tables[Any], made: Mapping[Hashable, Evaluation]) -> Subject:
    """Return a subject with existing evaluations."""
    found = replace(subject_of(name, tables), evaluations={key: (each,) for key, each in made.items()})
    threshold = made[ALL].threshold
    return found if threshold is None else replace(found, table=tables.at(threshold), threshold=threshold)


def parts_of(subject: Subject) -> list[Part]:
    """Return the parts of a model: all cases, and then each group."""
    groups = subject.tables
    counts, scores = (
        {} if each is None else in_groups(each).all_and_groups() for each in (subject.table, subject.scores)
    )
    return [
        Part(
            model=subject.name,
            group=groups.group(key),
            table=counts.get(key),
            scores=scores.get(key),
            threshold=subject.threshold,
            evaluations=subject.evaluations[key],
        )
        for key in groups.all_and_groups()
        if key in subject.evaluations
    ]


def estimated(subject: Subject, settings: Settings) -> Subject:
    """Return a subject with evaluations; existing evaluations are unchanged."""
    return subject if subject.evaluations else replace(subject, evaluations=_evaluations(subject, settings))


def estimated_together(subjects: Sequence[Subject], settings: Settings) -> list[Subject]:
    """Return models with evaluations; for models on the same cases, averages are over the same classes."""
    found = [estimated(each, settings) for each in subjects]
    alone = [each.evaluations for each in subjects]  # existing evaluations are unchanged
    new = [place for place, made in enumerate(alone) if not made]
    evaluations = [dict(each.evaluations) for each in found]
    for key in found[new[0]].evaluations if len(new) > 1 else ():
        made = [evaluations[place].get(key, ()) for place in new]
        if len({len(each) for each in made}) == 1:
            columns = [_of_one_set(column, settings) for column in zip(*made, strict=True)]
            for place, own in zip(new, zip(*columns, strict=True), strict=True):
                evaluations[place][key] = own
    return [replace(each, evaluations=own) for each, own in zip(found, evaluations, strict=True)]


def _of_one_set(made: Sequence[Evaluation], settings: Settings) -> Sequence[Evaluation]:
    """Return evaluations of models; on equal cases, averages are over the classes on which all models are defined."""
    tables, names = [each.table for each in made], list(made[0])
    if any(list(each) != names or not _have_equal_cases(each.table, tables[0]) for each in made):
        return made
    without = left_out_of(list(settings.specs(made[0]).values()), tables)
    return [evaluated_without(each, without, settings.metrics or ()) for each in made]


def _have_equal_cases(one: Table, other: Table) -> bool:
    """Return whether two tables have the same number of cases in each class."""
    counts = one.counted, other.counted
    if not (isinstance(counts[0], ClassCounts) and isinstance(counts[1], ClassCounts)):
        return False
    return one.labels.tolist() == other.labels.tolist() and np.allclose(counts[0].rows, counts[1].rows)


def _reads_scores(metric: str | Metric, subject: Subject) -> bool:
    """Return whether a metric is one of scores, or states the threshold of predictions that scores alone give."""
    return not of_counts(metric) or (subject.threshold is not None and stated_threshold(requested(metric)) is not None)


def _evaluations(subject: Subject, settings: Settings) -> dict[Hashable, tuple[Evaluation, ...]]:
    """Return the evaluations of counts and of scores, by group."""
    counted = None if settings.metrics is None else listed_metrics(settings.metrics)
    of_scores: list[str | Metric] = []
    if counted is not None and subject.table is not None and subject.scores is not None:
        of_scores = [each for each in counted if _reads_scores(each, subject)]
        counted = [each for each in counted if not _reads_scores(each, subject)]
    found: dict[Hashable, tuple[Evaluation, ...]] = {}
    if subject.table is not None and (counted or not of_scores):
        found = {key: (each,) for key, each in settings.evaluated(subject.table, counted).items()}
    if subject.scores is not None:
        wanted = settings.metrics if subject.table is None else of_scores or None
        serves = subject.table is None or isinstance(settings.method, Bootstrap)  # other methods are for counts
        own = settings if serves or not found else replace(settings, method=None)
        for key, each in own.evaluated(subject.scores, wanted).items():
            found[key] = (*found.get(key, ()), each)
    return found


# --- all levels --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Estimates of one metric of one table at all levels."""

    at: tuple[Estimate, ...]
    main: Estimate

    @property
    def label(self) -> str:
        """The metric as requested."""
        return self.main.label

    @property
    def value(self) -> float:
        """The observed value."""
        return self.main.value

    @property
    def limits(self) -> list[tuple[float, float]]:
        """The interval at each level."""
        return [(each.low, each.high) for each in self.at]

    @property
    def is_drawable(self) -> bool:
        """Whether value and all limits are finite and in [-1, 1], so that metrics can share an axis."""
        ends = [self.value, *(end for pair in self.limits for end in pair)]
        return all(math.isfinite(end) and abs(end) <= 1 for end in ends)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A part with its metrics at all levels, and the metrics of its classes."""

    part: Part
    metrics: list[Measured]
    classes: Mapping[str, list[Measured]]


def shown(subject: Subject, settings: Settings) -> list[Shown]:
    """Return the shown parts of a model: all cases with metrics by class, and each group without them."""
    groups = [_in_one_pass(subject, whole, settings) for whole in subject.evaluations[ALL]]
    keys = [key for key in subject.tables.all_and_groups() if key in subject.evaluations]
    found = []
    for key, part in zip(keys, parts_of(subject), strict=True):
        known = {tuple(one.label for one in each[key]): each[key] for each in groups if key in each}
        metrics = [each for one in part.evaluations for each in known.get(tuple(one)) or measured(one, settings)]
        classes = {}
        if part.table is not None and not part.is_group:
            classes = by_class(part.table, settings.like(part.evaluations[0]))
        found.append(Shown(part, metrics, classes))
    return found


def _in_one_pass(subject: Subject, whole: Evaluation, settings: Settings) -> dict[Hashable, list[Measured]]:
    """Return an evaluation of all cases and of each group at all levels; empty if it has draws."""
    known = (each for each in (subject.table, subject.scores) if isinstance(each, Tables))
    tables = next((each for each in known if each.overall is whole.table), None)
    made = [each for own in subject.evaluations.values() for each in own]
    if tables is None or any(each.without for each in made) or any(each.draws is not None for each in whole.values()):
        return {}
    specs = settings.specs(whole)
    others = [level for level in settings.levels if level != whole.confidence_level]
    asked = _asked(whole, list(specs.values()))
    runs = {level: evaluate(tables, [*specs.values()], confidence_level=level, **asked) for level in others}
    found = {}
    for key in tables.all_and_groups():
        own = next((each for each in subject.evaluations.get(key, ()) if list(each) == list(whole)), None)
        if own is not None:
            at = {level: run.overall if key == ALL else run[key] for level, run in runs.items()}
            found[key] = _measured([at.get(level, own).values() for level in settings.levels], settings)
    return found


def by_class(table: Table, settings: Settings) -> dict[str, list[Measured]]:
    """Return precision, recall and F1 for each class, by metric."""
    every = measured(settings.evaluated(table, list(OF_CLASSES.values()))[ALL], settings)
    size = len(table.labels)
    return {name: every[i * size : (i + 1) * size] for i, name in enumerate(OF_CLASSES)}


def measured(made: Evaluation, settings: Settings) -> list[Measured]:
    """Return the estimates of an evaluation unchanged, with their intervals at the other levels."""
    at_level = _at_levels(made, settings.specs(made))
    runs = [made.values() if level == made.confidence_level else at_level(level) for level in settings.levels]
    return _measured(runs, settings)


def _measured(runs: Sequence[Iterable[Estimate]], settings: Settings) -> list[Measured]:
    """Return metrics from their estimates at each level."""
    return [Measured(each, each[settings.level]) for each in zip(*runs, strict=True)]


def _at_levels(made: Evaluation, specs: Mapping[str, str | Metric]) -> Callable[[float], list[Estimate]]:
    """Return estimates as a function of the level, by the same method and from the same draws if there are any."""
    drawn = {name: _from_draws(made, name, spec) for name, spec in specs.items() if made[name].draws is not None}
    rest = [spec for name, spec in specs.items() if drawn.get(name) is None]
    asked = _asked(made, rest)

    def at_level(level: float) -> list[Estimate]:
        found = evaluate(made.table, rest, confidence_level=level, **asked).estimates if rest else {}
        at_levels = ((name, drawn.get(name)) for name in made)
        return [found[name] if own is None else own(level) for name, own in at_levels]

    return at_level


def _asked(made: Evaluation, specs: Sequence[str | Metric]) -> dict[str, Any]:
    """Return the arguments behind an evaluation, for some of its metrics; only metrics of counts have a threshold."""
    counts = any(not resolve(spec, made.table, threshold=made.threshold).of_scores for spec in specs)
    return {"method": made.method, "random_state": made.seed, "threshold": made.threshold if counts else None}


def _from_draws(made: Evaluation, name: str, spec: str | Metric) -> Callable[[float], Estimate] | None:
    """Return an estimate as a function of its level, from its stored draws; None if its method cannot use them."""
    whole = resolve(spec, made.table, threshold=made.threshold)
    table, metric = own_table(made.table, whole)
    method = checked(
        named(made.table.design.traits.default_method or None) if made.method is None else made.method, metric, table
    )
    if not isinstance(method, DrawingMethod | Predictive):
        return None
    known = made[name]
    at_level = method.levels_of(np.asarray(known.draws), metric, table, made.seed)
    return lambda level: finished(Quantity.of(whole), table, metric, level, method, at_level(level)).replace(
        stream=known.stream
    )
