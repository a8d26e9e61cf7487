"""`report_of_gaps`: report on the gaps between groups."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from howsure.errors import HowsureError
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.grids import plain
from howsure.groups.group_gaps import gaps as compared
from howsure.groups.pairs import Gap
from howsure.groups.result import Gaps
from howsure.metrics.binding import of_counts
from howsure.metrics.descriptions import metric_words
from howsure.metrics.metric import Metric
from howsure.metrics.spec import named
from howsure.numbers import number, percent
from howsure.report import comparisons
from howsure.report.bars import Ruler
from howsure.report.content import Cell, Section, Sheet, Texts, careful, count, word
from howsure.report.report import Report
from howsure.report.reproduction import origin, reproduction
from howsure.tables.batch import Tables

FEW = 10  # cases, below which a group's value says little
MOST_PAIRS = 45  # in an open table
MOST_GROUPS = 20  # of a report that is not on gaps alone
MARGIN = 0.05  # half-width of differences, for the cases needed


def report_of_gaps(gaps: object, *, title: str = "", command: str = "", files: Sequence[str | Path] = ()) -> Report:
    """Return the report on the gaps between groups: the largest gaps, the groups, all pairs, and the cases needed.

    Parameters
    ----------
    gaps : Gaps
        The result of `howsure.gaps` for one model.
    title, command, files : optional
        As of `report_of`.

    Raises
    ------
    HowsureError
        If it is the result of several models.
    """
    if not isinstance(gaps, Gaps):
        raise HowsureError("A report is on the gaps of one model: give those of one, such as `found['A']`.")
    level = percent(gaps.confidence_level)
    together = f"All intervals of a table cover together with {level} confidence, so that chance alone shows no gap."
    return Report(
        title=title,
        about=", ".join(
            [
                f"{len(gaps.groups)} groups",
                f"{sum(gaps.cases.values()):,} cases",
                *positive_notes(each for groups in gaps.by_group.values() for each in groups.values()),
            ]
        ),
        headline=tuple((gaps.sentence(metric),) for metric in gaps.metrics),
        sections=(
            Section("Largest gaps", ((_projection(gaps),),), sheets=(_largest(gaps),)),
            Section("Groups", ((together,), (_shrinkage(),)), sheets=tuple(map(_of_metric(gaps), gaps.metrics))),
            Section("Pairs of groups", sheets=(_pairs(gaps),)),
            Section("Cases needed", sheets=(_needed(gaps),)),
            careful(_cautions(gaps)),
            reproduction(command, "", files),
        ),
        levels=(gaps.confidence_level,),
        level=0,
        results=plain(
            {
                **origin(title),
                "groups": gaps.records(),
                "pairs": gaps.differences.records(),
                "largest": {name: each.to_dict() for name, each in _all_largest(gaps).items()},
            }
        ),
    )


def can_differ(metric: str | Metric) -> bool:
    """Return whether the section on gaps compares a metric: one number for each table of counts, at its own threshold.

    Net benefits are cut elsewhere than the table, and metrics of each class are several numbers.
    """
    if not of_counts(metric):
        return False
    definition = None if isinstance(metric, Metric) else named(metric)
    is_of_each = "@none" in str(metric) or "positive_class=" in str(metric)
    return not is_of_each and not (definition is not None and definition.cuts_scores)


def gaps_section(models: Mapping[str, Tables[Any]], metrics: Sequence[Any], level: float, seed: Any) -> Section:
    """Return the section on gaps between the groups of models, or why there are none; empty where none are asked.

    Parameters
    ----------
    models : mapping of str to Tables
        Tables by group, by model.
    metrics : sequence of str, Spec or Metric
        The metrics, whose intervals cover together.
    level : float
        Confidence level.
    seed : SeedSequence
        Seed of the draws of normal errors.
    """
    found: dict[str, Gaps] = {}
    failed: dict[str, list[str]] = {}  # reason → models
    for name, tables in models.items():
        if metrics and 1 < len(tables) <= MOST_GROUPS and tables.overall.design.traits.has_labels:
            try:
                found[name] = cast("Gaps", compared(tables, metrics, confidence_level=level, random_state=seed))
            except HowsureError as error:
                failed.setdefault(str(error), []).append(name)
    paragraphs, sheets = [], []
    for name, gaps in found.items():
        prefix = f"{name}: " * (len(found) > 1)
        paragraphs += [(prefix + gaps.sentence(metric),) for metric in gaps.metrics]
        each = (_largest(gaps), replace(_pairs(gaps), folded=True))
        sheets += [replace(sheet, title=prefix + sheet.title) for sheet in each]
    if found:
        paragraphs.append((_projection(next(iter(found.values()))),))
    for reason, names in failed.items():
        of = f" of {', '.join(names)}" * (len(models) > 1)
        paragraphs.append((f"The gaps{of} are not known: {reason}",))
    return Section("Gaps between groups", tuple(paragraphs), sheets=tuple(sheets))


def _pairs(gaps: Gaps) -> Sheet:
    """Return the differences of all pairs."""
    named = {_named(gaps, each): each for each in gaps.by_name().values()}
    pairs = comparisons.difference_sheet("Differences between groups", named, "max_t")
    return replace(pairs, folded=len(pairs.rows) > MOST_PAIRS)


def _named(gaps: Gaps, each: Gap) -> str:
    """Return a pair in words, with the metric if there are several."""
    return f"{metric_words(each.metric)}: " * (len(gaps.metrics) > 1) + f"{each.a} − {each.b}"


def _needed(gaps: Gaps) -> Sheet:
    """Return the cases that each group would need."""
    found = gaps.needed(MARGIN)
    rows = []
    for each in found.records():
        more = max(each["needed"] - each["cases"], 0.0)
        numbers = (count(each["cases"]), *map(_or_dash, (each["needed"], more)))
        rows.append((word(each["group"]), word(metric_words(each["metric"])), *numbers))
    return Sheet(found.goal, ("group", "metric", "cases", "needed", "more"), tuple(rows))


def _or_dash(cases: float) -> Cell:
    return word("–", np.nan) if np.isnan(cases) else count(float(np.ceil(cases)))


def _projection(gaps: Gaps) -> str:
    """Return what the intervals of the largest gaps are."""
    others = f"from {gaps.reference}" if gaps.reference else "between two groups"
    return (
        f"The largest difference {others}, and the smallest ratio. Their {percent(gaps.confidence_level)} intervals "
        "follow from the simultaneous intervals of all pairs. The first starts at 0, and the second ends at 1, unless "
        "some pair differs significantly."
    )


def _all_largest(gaps: Gaps) -> dict[str, Estimate]:
    """Return the largest differences and the smallest ratios, for each metric and together."""
    wanted: list[str | None] = [*gaps.metrics, *([None] if len(gaps.metrics) > 1 else [])]
    found: dict[str, Estimate] = {}
    for metric in wanted:
        words = metric_words(metric) if metric else (gaps.criterion.replace("_", " ") or "all together")
        found[f"{words}, difference"] = gaps.difference(metric)
        found[f"{words}, to all cases"] = gaps.difference(metric, method="to_overall")
        found[f"{words}, ratio"] = gaps.ratio(metric)
    return found


def _largest(gaps: Gaps) -> Sheet:
    found = _all_largest(gaps)
    ruler = comparisons.ruler_of(found.values(), [0.0, 1.0])
    cell = functools.partial(comparisons.interval_cell, has_level=False)
    rows = tuple((word(name), cell(each, ruler, f"{name}: ")) for name, each in found.items())
    return Sheet("Largest gaps", ("gap", "value and interval"), rows, axes=(ruler.axis("Largest gaps", [1]),))


def _shrinkage() -> str:
    return (
        "“Shrunken” values are moved towards the mean of the groups, the more the fewer cases a group has. They "
        "predict a group's performance better than its own value, but hide real differences of small groups."
    )


def _of_metric(gaps: Gaps) -> Any:
    def sheet(metric: str) -> Sheet:
        own, pooled = gaps.by_group[metric], gaps.shrunken[metric]
        whole, worst = gaps.overall[metric], gaps.may_be_worst(metric)
        ruler = comparisons.ruler_of([*own.values(), *pooled.values(), whole])
        rows = [_row("all cases", sum(gaps.cases.values()), (whole, None), "–", ruler)]
        for place, (group, each) in enumerate(own.items()):
            may = "–" if gaps.better[metric] == "neither" else "maybe" if group in worst else "no"
            rows.append(_row(group, gaps.cases[group], (each, pooled[group]), may, ruler, place))
        headers = ("group", "cases", "value and interval", "shrunken", "worst?")
        title = f"{metric_words(metric)} of each group"
        line = whole.value if np.isfinite(whole.value) else np.nan
        return Sheet(title, headers, tuple(rows), axes=(ruler.axis(title, [2, 3], line, "all cases"),))

    return sheet


def _row(
    group: str, cases: int, values: tuple[Estimate, Estimate | None], worst: str, ruler: Ruler, place: int = -1
) -> tuple[Cell, ...]:
    own, pooled = values
    cell = functools.partial(comparisons.interval_cell, has_level=False)
    moved = word("–", np.nan) if pooled is None else cell(pooled, ruler, f"{group}, shrunken: ", 1)
    return (
        word(group, place),
        Cell(value=f"{cases:,}", order=cases),
        cell(own, ruler, f"{group}: "),
        moved,
        word(worst),
    )


def _cautions(gaps: Gaps) -> list[Texts]:
    """Return cautions about groups without a value or with few cases, and about comparing alone."""
    said = []
    for metric, groups in gaps.by_group.items():
        without = {name: each.reason for name, each in groups.items() if np.isnan(each.value)}
        said += [
            f"{metric_words(metric)} of {name} is undefined: {reason}. No gap of it is known."
            for name, reason in without.items()
        ]
    few = [name for name, cases in gaps.cases.items() if cases < FEW]
    if few:
        said.append(f"Fewer than {FEW} cases: {', '.join(few)}. Intervals of such groups exclude little.")
    unclear = [name for name in gaps.metrics if not gaps.difference(name).low > 0]
    if unclear:
        most = max((gaps.difference(name).high for name in unclear), default=np.nan)
        said.append(
            f"No gap is shown for {', '.join(map(metric_words, unclear))}. That does not show equality: a gap of "
            f"{number(most, 2)} is not excluded."
        )
    said.append(
        "Groups may differ in how hard their cases are, and in how their labels were made; no interval shows that."
    )
    return [(each,) for each in said]
