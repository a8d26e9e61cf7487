"""`report_of_log`: report on an evaluated log."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from howsure.comparison.result import Comparison
from howsure.grids import plain
from howsure.logs.evaluated import LogEvaluation
from howsure.report import comparisons
from howsure.report.answers import MOST_MODELS, listed
from howsure.report.content import Section, Sheet, Texts, careful, word
from howsure.report.lead import plausible
from howsure.report.report import Report
from howsure.report.reproduction import origin, reproduction

MEANING = (
    "Items are what an evaluation draws: the runs of one item vary within it, and the items of one cluster together. "
    "Differences are those of the same items, so the difficulty of an item, which all models share, cancels."
)


def report_of_log(
    found: LogEvaluation, *, title: str = "Evaluation", command: str = "", files: Sequence[str | Path] = ()
) -> Report:
    """Return the report on an evaluated log: tasks and models, differences, cautions.

    Parameters
    ----------
    found
        The result of `evaluate_log`.
    title
        Title: the evaluated data.
    command
        Command that makes this report; by default the running one.
    files
        Input files, whose fingerprints are reported.
    """
    level = next(iter(found.values())).confidence_level
    differences = {f"{task}: {each.names[0]} − {each.names[1]}": each for (task, _), each in found.comparisons.items()}
    sections = [
        Section("Tasks and models", ((MEANING,),), sheets=(_sheet(found),)),
        *([careful([(each,) for each in found.cautions])] if found.cautions else []),
    ]
    if differences:
        sheet = comparisons.difference_sheet("Differences on the same items", differences, "holm")
        said = tuple((each,) for each in found.sentences())
        sections.append(Section("Differences", items=(*said, *comparisons.sentences(differences)), sheets=(sheet,)))
    sections.append(reproduction(command or shlex.join(["howsure", *sys.argv[1:]]), "", files))
    return Report(
        title=title,
        about=" · ".join(
            f"{number} {noun}{'s' * (number != 1)}"
            for number, noun in ((len(found.tasks), "task"), (len({model for _, model in found}), "model"))
        ),
        headline=_headline(found),
        sections=tuple(sections),
        levels=(level,),
        level=0,
        results=plain(
            {
                **origin(title),
                "evaluations": found.records(),
            }
        ),
    )


def _headline(found: LogEvaluation) -> tuple[Texts, ...]:
    """Return the order of the models for each task; without comparisons, the interval of each model."""
    said = [_answer(task, [each for (of, _), each in found.comparisons.items() if of == task]) for task in found.tasks]
    alone = (
        plausible(f"{found.statistic} of {model} in {task}", each, "these items")
        for (task, model), each in list(found.items())[:MOST_MODELS]
    )
    return tuple((each[:1].upper() + each[1:],) for each in (filter(None, said) if any(said) else alone))


def _answer(task: str, compared: Sequence[Comparison]) -> str:
    """Return the order of a task's models relative to the reference model; empty without comparisons."""
    if not compared:
        return ""
    known = compared[0].names[1]
    found = [each for each in compared if each.is_settled]
    shown = {each.names[0]: (each.value > each.null) == (each.better != "lower") for each in found}
    ahead, behind = ([name for name, is_better in shown.items() if is_better == wanted] for wanted in (True, False))
    alike = [each.names[0] for each in compared if each.names[0] not in shown]
    parts = [
        f"{listed(ahead)} {'is' if len(ahead) == 1 else 'are'} ahead of {known}" if ahead else "",
        f"{known} is ahead of {listed(behind)}" if behind else "",
        f"{known} does not differ significantly from {listed(alike)}" if alike else "",
    ]
    return f"in {task}, {'; '.join(filter(None, parts))}."


def _sheet(found: LogEvaluation) -> Sheet:
    ruler = comparisons.ruler_of(found.values())
    rows = tuple(
        (
            word(task),
            word(model),
            word(found.measured(task, model)),
            word(found.unit(task, model)),
            comparisons.interval_cell(each, ruler, f"{task}, {model}: "),
        )
        for (task, model), each in found.items()
    )
    headers = ("task", "model", "metric", "items × runs in clusters", f"{found.statistic} and interval")
    return Sheet("Each task and model", headers, rows, axes=(ruler.axis("Each task and model", [4]),))
