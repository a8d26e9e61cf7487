"""`report_of_study`: report on a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from howsure.comparison.result import Comparison
from howsure.comparison.rope import Region
from howsure.estimates.estimate import Estimate
from howsure.grids import plain
from howsure.metrics.descriptions import metric_words
from howsure.pooling.pooled import Pooled
from howsure.report import comparisons
from howsure.report.answers import standing
from howsure.report.content import Cell, Section, Sheet, Texts, careful, count, word
from howsure.report.lead import plausible
from howsure.report.report import Report
from howsure.report.reproduction import origin, reproduction
from howsure.study import Study
from howsure.study.findings import medians

MOST_PAIRS = 300  # listed pairs of experiments
MEANING = (
    "All numbers come from draws of each experiment’s posterior. An experiment’s value is the median of its draws, and "
    "its interval the shortest that holds so much of them (highest density). Experiments are taken to be independent; "
    "models on the same cases are compared more sharply by their paired predictions."
)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Results of a study for one metric."""

    metric: str
    experiments: Mapping[str, Estimate]
    pooled: Mapping[str, Pooled]
    groups: Mapping[str, Comparison]
    pairs: Mapping[str, Comparison]


def report_of_study(
    study: Study,
    *,
    title: str = "",
    rope: Region | None = None,
    command: str = "",
    files: Sequence[str | Path] = (),
) -> Report:
    """Return the report on a study: experiments, pooled groups, differences and ranks for each metric.

    Parameters
    ----------
    study
        A study with experiments and metrics.
    rope
        Largest negligible difference, or a pair (low, high).
    title, command, files : optional
        As of `report_of`.

    Raises
    ------
    HowsureError
        If the study has no experiment or no metric.
    """
    found = [_found(study, metric, rope) for metric in study.wanted()]
    compared = {f"{each.metric}: {name}": one for each in found for name, one in {**each.groups, **each.pairs}.items()}
    pooled = {f"{each.metric}, {name}": one for each in found for name, one in each.pooled.items()}
    warnings = comparisons.cautions(compared, "", pooled)
    seed = f"Seed of the draws: {study.seed}; {study.n_draws:,} draws of each experiment."
    first, *rest = (_section(study, each) for each in found)
    parts = [
        first,
        *([careful(warnings)] if warnings else []),
        _what_was_studied(study),
        *rest,
        _methods(study),
        reproduction(command, seed, files),
    ]
    results = {
        **origin(title),
        "seed": str(study.seed),
        "confidence_level": study.confidence_level,
        "summaries": study.summaries().records(),
        "aggregates": study.aggregate().records(),
        "comparisons": comparisons.records(compared),
    }
    return Report(
        title=title,
        about=f"{len(study.experiments)} experiments · {len(study.groups)} groups",
        headline=_headline(study, found[0]),
        sections=tuple(parts),
        levels=(study.confidence_level,),
        level=0,
        results=plain(results),
    )


def _found(study: Study, metric: str, rope: Region | None) -> Found:
    names, groups = list(study.experiments), list(study.groups)
    aggregated = study.aggregate(metric).objects
    experiments = medians(study.summaries(metric), metric)
    of_groups = study.comparisons(metric, rope=rope, among=groups).by_name() if len(groups) > 1 else {}
    listed = names != groups and len(list(combinations(names, 2))) <= MOST_PAIRS
    pairs = study.comparisons(metric, rope=rope).by_name() if listed and len(names) > 1 else {}
    pooled = {name: each for name, each in aggregated.items() if len(each.values) > 1}
    return Found(metric, experiments, pooled, of_groups, pairs)


def _headline(study: Study, found: Found) -> tuple[Texts, ...]:
    """Return the order of the groups in the first metric, and a sentence with the interval of each group."""
    words = metric_words(found.metric)
    what = words[:1].upper() + words[1:]
    said = standing(list(study.groups), list(found.groups.values())) if len(study.groups) > 1 else ""
    sentences: list[Texts] = [(said,)] if said else []
    for name, members in study.groups.items():
        each = found.pooled.get(name) or found.experiments[members[0].name]
        cases = f"these {sum(one.table.rows for one in members):,} cases"
        within = f"{cases} of {len(members)} experiments" if len(members) > 1 else cases
        sentences.append((plausible(f"{what} of {name}", each, within),))
    return tuple(sentences)


def _what_was_studied(study: Study) -> Section:
    rows = tuple(
        (word(name), word(each.group), count(each.table.rows), count(len(each.table.labels)))
        for name, each in study.experiments.items()
    )
    line = f"{len(study.experiments)} experiments in {len(study.groups)} groups."
    sheet = Sheet("Experiments", ("experiment", "group", "cases", "classes"), rows)
    return Section("What was studied", items=((line,),), sheets=(sheet,))


def _section(study: Study, found: Found) -> Section:
    """Return the section of a metric: experiments, forests, differences, ranks."""
    sheets = [_experiment_sheet(study, found)]
    sheets += [comparisons.forest_sheet(name, each) for name, each in found.pooled.items()]
    if found.groups:
        sheets.append(comparisons.difference_sheet("Differences of the groups", found.groups))
        sheets.append(
            comparisons.rank_sheet("Ranks of the groups", study.ranks(found.metric, among=list(study.groups)))
        )
    if found.pairs:
        sheets.append(comparisons.difference_sheet("Differences of all experiments", found.pairs, folded=True))
        ranks = comparisons.rank_sheet("Ranks of all experiments", study.ranks(found.metric))
        sheets.append(replace(ranks, folded=True))
    words = metric_words(found.metric)
    titled = tuple(replace(sheet, title=f"{sheet.title}: {words}") for sheet in sheets)  # titles are unique on a page
    return Section(words[:1].upper() + words[1:], items=comparisons.sentences(found.groups), sheets=titled)


def _experiment_sheet(study: Study, found: Found) -> Sheet:
    guesses = study.summaries(found.metric, source="random").objects
    ruler = comparisons.ruler_of(found.experiments.values())
    rows = tuple(
        (
            word(name),
            Cell(value=f"{study.observed(found.metric, name):.3f}", order=study.observed(found.metric, name)),
            comparisons.interval_cell(each, ruler, f"{name}: "),
            Cell(value=f"{guesses[name].median:.3f}", order=guesses[name].median),
        )
        for name, each in found.experiments.items()
    )
    headers = ("experiment", "observed", "median and interval", "a classifier that guesses")
    return Sheet("Each experiment", headers, rows, axes=(ruler.axis("Each experiment", [2]),))


def _methods(study: Study) -> Section:
    rows = tuple(
        (word(metric_words(metric)), word(each.in_words), word(each.scale or "that of the metric’s range"))
        for metric, each in study.metrics.items()
    )
    sheet = Sheet("How groups are put together", ("metric", "aggregation", "scale"), rows)
    return Section("Methods", ((MEANING,),), sheets=(sheet,))
