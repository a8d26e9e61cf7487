"""`report_of_readers`: report on a reader study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from howsure.errors import HowsureError
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.grids import plain
from howsure.metrics.descriptions import metric_words
from howsure.readers.differences import ReaderDifference, readers_text, share
from howsure.readers.reads import WORDS
from howsure.readers.study import ReaderStudy
from howsure.report import comparisons
from howsure.report.content import Cell, Section, Sheet, Texts, careful, word
from howsure.report.report import Report
from howsure.report.reproduction import origin, reproduction

FIXED = {
    "": "The intervals are about other readers and other cases of the same kind: both were sampled.",
    "reader": "The readers are fixed: the intervals are about these readers with other cases, not about other readers.",
    "case": "The cases are fixed: the intervals are about other readers of these cases, not about other cases.",
}
ALONE = (
    "Intervals of single readers are over samples of cases alone, and not adjusted for the number of readers: among "
    "many, some look different by chance."
)


def report_of_readers(study: object, *, title: str = "", command: str = "", files: Sequence[str | Path] = ()) -> Report:
    """Return the report on a reader study: means over readers, differences, single readers and variance components.

    Parameters
    ----------
    study : ReaderStudy
        The result of `reader_study`.
    title, command, files : optional
        As of `report_of`.

    Raises
    ------
    HowsureError
        If it is the result of several groups.
    """
    if not isinstance(study, ReaderStudy):
        raise HowsureError(
            "A report is on one reader study: give that of a group, `studies['a']`, or of all, `studies.overall`."
        )
    warned: list[Texts] = [(FIXED[study.fixed],), (ALONE,)]
    warned += [(f"{study.note}.",)] if study.note else []
    return Report(
        title=title,
        about=", ".join(
            [
                readers_text(len(study.readers)),
                f"{study.cases:,} cases ({study.positives:,} positive)",
                *positive_notes([study]),
            ]
        ),
        headline=tuple((each,) for each in study.sentences()),
        sections=(*_sections(study), careful(warned), reproduction(command, "", files)),
        levels=(study.confidence_level,),
        level=0,
        results=plain(
            {
                **origin(title),
                "results": study.records(),
                "readers": study.by_reader.records(),
                "components": study.components.records() if study.components else [],
            }
        ),
    )


def _sections(study: ReaderStudy) -> list[Section]:
    what = metric_words(study.metric)
    means: dict[str, float] = {name: share(*parts) for name, parts in study.parts.items()}
    found = [Section("Means over readers", ((f"{_design(study.design)}.",),), sheets=(_means(study, means),))]
    if study.differences:
        sheet = comparisons.difference_sheet(f"Differences in {what}", study.differences.results)
        found.append(Section("Differences", sheets=(sheet,)))
    single = {
        f"{reader}, {name}" if len(study.modalities) > 1 else reader: each
        for reader, values in study.by_reader.items()
        for name, each in values.items()
    }
    name = "reader, modality" if len(study.modalities) > 1 else "reader"
    found.append(Section("Readers", sheets=(_values(f"{what} of each reader", name, single),)))
    if study.components is not None:
        grid = study.components.grid()
        rows = tuple(tuple(word(cell) for cell in row) for row in grid.rows)
        sheet = Sheet("Variance components", grid.headers, rows)
        found.append(Section("Sources of uncertainty", ((study.source_of_uncertainty,),), sheets=(sheet,)))
    return found


def _design(design: str) -> str:
    return next(words for name, words in WORDS.items() if name == design).capitalize()


def _means(study: ReaderStudy, shares: Mapping[str, float]) -> Sheet:
    own = {name: Cell(value=f"{100 * each:.0f} %", order=each) for name, each in shares.items()}
    return _values(f"Mean {metric_words(study.metric)}", "modality", study.means.results, {"readers’ share": own})


def _values(
    title: str,
    name: str,
    found: Mapping[str, Estimate | ReaderDifference],
    further: Mapping[str, Mapping[str, Cell]] | None = None,
) -> Sheet:
    """Return a sheet of values with their intervals on one axis, and further columns."""
    further = further or {}
    ruler = comparisons.ruler_of(found.values())
    rows = tuple(
        (word(key, place), comparisons.interval_cell(each, ruler, f"{key}: "), *(own[key] for own in further.values()))
        for place, (key, each) in enumerate(found.items())
    )
    return Sheet(title, (name, "value and interval", *further), rows, axes=(ruler.axis(title, [1]),))
