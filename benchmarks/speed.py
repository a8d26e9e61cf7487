"""Make the page of the site on the speed of howsure, ``docs/speed.md``.

Run ``python benchmarks/speed.py [SECTION …]``. If sections are named, only these are measured anew, and the page keeps
the others. All of them take some minutes. NannyML is measured if ``NANNYML_PYTHON`` names an interpreter that has it.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from pathlib import Path
from statistics import median

import factors
import files
import kernels
import measure
import models
import ratios
import reviewers
import scores
import waits

from howsure.native.library import running

PAGE = Path(__file__).parents[1] / "docs" / "speed.md"
HEAD = """# Speed

The page reports the processor time of howsure on one core, and the ratio to another package at the same task. Both
packages run alternately in one process, and short tasks are repeated. The numbers are medians with the range of the
repetitions. howsure computes an interval with every metric; scikit-learn does not. Times depend on the machine,
ratios less so. `python benchmarks/speed.py` measures this and writes this page.

"Ours" is howsure. The "peer" is another package, or howsure without the option of the row, and "(scaled)" means that a
part of its job was timed and multiplied. "Aim" is the project's own limit: of the ratio if there is a peer, otherwise
of the time, memory or growth. A growth of n^0.5 means that the time grows as the square root of n.
"""
SECTIONS = (
    ratios.SECTIONS
    | models.SECTIONS
    | scores.SECTIONS
    | reviewers.SECTIONS
    | factors.SECTIONS
    | files.SECTIONS
    | waits.SECTIONS
    | kernels.SECTIONS
)
PART = re.compile(r"^## (.+?)\n+((?:[^#|\n].*\n)*\n*(?:\|.*\n)+)", re.MULTILINE)  # a table, after a note or none
NOTE = re.compile(r"^smallest .+\n\n((?:[^#\n].*\n)+)", re.MULTILINE)  # after the summary, on rows of other machines


def table(rows: list[measure.Row]) -> str:
    """Return rows as a Markdown table."""
    lines = ["| job | ours | peer | times faster | aim |", "| :--- | ---: | :--- | ---: | ---: |"]
    lines += [f"| {row.job} | {row.ours} | {row.peer} | {row.faster} | {row.aim} |" for row in rows]
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> None:
    """Measure sections, and write the page."""
    page = PAGE.read_text() if PAGE.exists() else ""
    tables, notes = dict(PART.findall(page)), NOTE.findall(page)
    for name in names or SECTIONS:
        title = SECTIONS[name].__doc__.rstrip(".")
        measure.ROWS.clear()
        measure.run(SECTIONS, [name])
        if measure.ROWS:  # if the peer of a section is not installed, the page keeps the previous rows
            tables[title] = table(measure.ROWS)
    titles = [each.__doc__.rstrip(".") for each in SECTIONS.values()]
    parts = [f"## {title}\n\n{tables[title]}" for title in titles if title in tables]
    PAGE.write_text("\n".join([HEAD, summary(parts), *notes, *parts]))


def summary(parts: list[str]) -> str:
    """Return in two sentences how howsure compares with other packages."""
    column = [line.split(" | ")[3] for line in "".join(parts).splitlines() if line.startswith("|")]
    ratios = [float(cell.partition("×")[0].replace(",", "")) for cell in column if "×" in cell]
    faster = sum(ratio >= 1 for ratio in ratios)
    return (
        f"**Summary.** howsure is at least as fast as the comparison in {faster} of {len(ratios)} jobs; the median ratio is "
        f"{median(ratios):.1f}, and the\nsmallest {min(ratios):.2f}.\n"
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # threads on one core cost each other time
    assert running() == "compiled C", running()
    main(sys.argv[1:])
