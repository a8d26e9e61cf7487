"""Groups of options that several commands have: the file and its classes, the sample, and the output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import Parameter

from howsure.cli.classes import classes_of
from howsure.cli.inputs import Input, InputFormat
from howsure.cli.options import (
    Checklist,
    Classes,
    Clusters,
    Counts,
    Format,
    NoCheck,
    Page,
    Positive,
    Sheet,
    Strata,
    StratumSizes,
    Weights,
    one_or_two,
)
from howsure.cli.output import command_line, say_written, write_grid, write_records
from howsure.cli.strata import strata_of
from howsure.errors import HowsureError

if TYPE_CHECKING:
    from howsure.report.report import Report


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Source:
    """Options for the files: their classes, their checks and their format."""

    labels: Classes = None
    pos_label: Positive = None
    no_check: NoCheck = False
    input_format: InputFormat = None
    sheet: Sheet = None

    def read(self, files: Sequence[str]) -> Input:
        """Return the input of the command; see `Input.of`."""
        return Input.of(files, self.input_format, self.sheet)

    def classes(self, given: Input, columns: Sequence[str]) -> list[Any] | None:
        """Return the classes in order, with their type in the file; None if none is named."""
        return classes_of(given.data, columns, self.labels, self.pos_label)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Sample:
    """Options for the columns that describe how the cases were sampled."""

    groups: Clusters = None
    strata: Strata = None
    stratum_sizes: StratumSizes = None
    sample_weight: Weights = None
    counts: Counts = None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of a source of tables."""
        return {
            "groups": one_or_two(self.groups),
            "sample_weight": self.sample_weight,
            "counts": self.counts,
            **strata_of(self.strata, self.stratum_sizes),
        }


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Output:
    """Options for the report and the format of the printed results."""

    html: Page = None
    checklist: Checklist = None
    how: Format = "table"

    def __post_init__(self) -> None:
        """Refuse a checklist without a report that it could be a section of."""
        if self.checklist is not None and self.html is None:
            raise HowsureError(
                "`--checklist` is a section of the report. Name its file, such as --html report.html or checklist.md."
            )

    def save(self, given: Input, report_of: Callable[..., Report]) -> Path | None:
        """Write the report, with its checklist if one is named; return its path, or None without a report.

        Parameters
        ----------
        given : Input
            The input of the command.
        report_of : callable
            Takes the title, the files and the command line, and returns the report.
        """
        if self.html is None:
            return None
        made = report_of(title=given.title, files=given.data, command=command_line())
        return made.with_checklist(self.checklist).save(self.html)

    def write(self, found: Any, page: Path | None, title: str, note: str = "") -> None:
        """Print a result as a table or as records, then the path of the report."""
        if self.how in {"json", "csv"}:
            write_records(found.records(), self.how)
        else:
            write_grid(found.grid(), how=self.how, title=title, note=note)
        say_written(page)


SOURCE, SAMPLE, OUTPUT = Source(), Sample(), Output()  # without any of their options
