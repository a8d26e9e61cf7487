"""From an evaluated log to the report's content."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from howsure.grids import plain
from howsure.logs.evaluated import LogEvaluation
from howsure.report import comparisons
from howsure.report.answers import MOST_MODELS, plausible
from howsure.report.content import Section, Sheet, Texts, careful, word
from howsure.report.report import Report
from howsure.report.reproduction import made_at, reproduction, versions

MEANING = (
    "Items are what an evaluation draws: the runs of one item vary within it, and the items of one cluster together. "
    "Differences are those of the same items, so that what makes an item hard for all models drops out."
)


def report_of_log(
    found: LogEvaluation, *, title: str = "Evaluation", command: str = "", files: Sequence[str | Path] = ()
) -> Report:
    """Return the report on an evaluated log: each task and model, differences, what to be careful about.

    Parameters
    ----------
    found
        From `evaluate_log`.
    title
        What was evaluated.
    command
        The command that makes this report; by default the one that runs.
    files
        Files that were read, for their fingerprints.
    """
    level = next(iter(found.values())).confidence_level
    differences = {f"{task}: {each.names[0]} − {each.names[1]}": each for (task, _), each in found.comparisons.items()}
    sections = [
        *([careful([(each,) for each in found.cautions])] if found.cautions else []),
        Section("Tasks and models", ((MEANING,),), sheets=(_sheet(found),)),
    ]
    if differences:
        sheet = comparisons.difference_sheet("Differences on the same items", differences, "holm")
        said = tuple((each,) for each in found.sentences())
        sections.append(Section("Differences", items=(*said, *comparisons.sentences(differences)), sheets=(sheet,)))
    sections.append(reproduction(command or shlex.join(["howsure", *sys.argv[1:]]), "", files))
    return Report(
        title=title,
        about=f"{len(found.joined)} tasks · {len({model for _, model in found})} models",
        headline=_headline(found),
        sections=tuple(sections),
        levels=(level,),
        level=0,
        results=plain(
            {
                "title": title,
                "made": made_at().isoformat(timespec="seconds"),
                "versions": versions(),
                "evaluations": found.records(),
            }
        ),
    )


def _headline(found: LogEvaluation) -> tuple[Texts, ...]:
    """Return what is told apart, task by task; of one model what is plausible of it."""
    said = found.sentences() or [
        plausible(f"{found.statistic} of {model} in {task}", each, "these items")
        for (task, model), each in list(found.items())[:MOST_MODELS]
    ]
    return tuple((f"{each[:1].upper()}{each[1:]}",) for each in said)


def _sheet(found: LogEvaluation) -> Sheet:
    ruler = comparisons.ruler_of(found.values())
    rows = tuple(
        (word(task), word(model), word(found.unit(task)), comparisons.interval_cell(each, ruler, f"{task}, {model}: "))
        for (task, model), each in found.items()
    )
    headers = ("task", "model", "items × runs in clusters", f"{found.statistic} and interval")
    return Sheet("Each task and model", headers, rows, axes=(ruler.axis("Each task and model", [3]),))
