"""Options that several commands have."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from howsure.cli.inputs import Files
from howsure.report.checklists.names import ChecklistName

Words = Annotated[list[str] | None, Parameter(consume_multiple=True)]
Metric = Annotated[str, Parameter(name=("--metric", "--metrics", "-m"))]
Metrics = Annotated[list[str] | None, Parameter(name=("--metrics", "--metric", "-m"), consume_multiple=True)]
# The cases
Predictions = Annotated[
    Files,
    Parameter(
        help="Predictions, one row per case: CSV, TSV, JSON lines, Parquet, Arrow, Feather or a spreadsheet. Files, "
        "folders and quoted patterns are read as one data set; - is standard input."
    ),
]
Sheet = Annotated[str | None, Parameter(help="Sheet of a spreadsheet file; by default the only non-empty sheet.")]
TrueLabels = Annotated[str, Parameter(help="Column with the true labels.")]
Clusters = Annotated[
    Words,
    Parameter(
        help="Column with the cluster of each case (patient, document, user): cases of one cluster may be correlated. "
        "Two columns are crossed factors, such as readers and cases: both are drawn anew."
    ),
]
Fixed = Annotated[
    str | None,
    Parameter(help="The one of two --groups that a new study would keep, such as the named models of a benchmark."),
]
Strata = Annotated[
    str | None,
    Parameter(help="Column with the stratum of each case, if cases, or --groups, were drawn stratum by stratum."),
]
StratumSizes = Annotated[
    str | None,
    Parameter(
        help="Number of cases of each stratum in the population, or its proportion: stratum=size,… or a CSV file with "
        "a stratum and its size in each row. Without it the sizes are unknown, and cases count by their weights."
    ),
]
Weights = Annotated[str | None, Parameter(help="Column with the weight of each case.")]
Counts = Annotated[
    str | None, Parameter(help="Column with the number of identical cases in each row, for a table of frequencies.")
]
Classes = Annotated[Words, Parameter(help="The classes, in order; the last of two is the positive one.")]
Positive = Annotated[
    str | None, Parameter(help="Which of two classes is the positive one; the last in order by default.")
]
NoCheck = Annotated[bool, Parameter(help="Skip the checks for implausible input.")]
# The intervals, and the output
MethodName = Annotated[
    str | None, Parameter(help="Interval method; see `howsure methods`. The default depends on the metric.")
]
Level = Annotated[
    float, Parameter(name=("--confidence-level", "--level", "-l"), help="Confidence level, between 0 and 1.")
]
Seed = Annotated[int | None, Parameter(name=("--random-state", "--seed"), help="Seed of methods that draw.")]
Page = Annotated[
    Path | None,
    Parameter(
        name=("--html", "--output", "-o"),
        help="Write an HTML report to this file; a suffix .md gives Markdown, and .tex the tables in LaTeX.",
    ),
]
Checklist = Annotated[
    ChecklistName | None,
    Parameter(
        name="--checklist",
        help=(
            "Reporting guideline for a checklist in the report, with the numbers that answer its items: tripod-ai, "
            "stard-ai, claim or model-card. Needs --html."
        ),
    ),
]
Format = Annotated[
    Literal["table", "json", "csv", "markdown", "html", "latex"],
    Parameter(name=("--format", "-f"), help="Output format: a table, or json, csv, markdown, html or latex."),
]
TableFormat = Annotated[
    Literal["table", "json", "markdown", "html", "latex"], Parameter(name=("--format", "-f"))
]  # formats of several tables
THRESHOLD = 0.5  # of probabilities, for metrics of counts


def one_seed(random_state: int | None) -> Any:
    """Return a seed, so that terminal and page use the same draws.

    The default is a random integer, because a seed sequence would import ``numpy.random`` even if nothing is drawn.
    """
    if random_state is None:
        return int.from_bytes(os.urandom(16))
    from howsure.methods.core.draws import seed_sequence

    return seed_sequence(random_state)


def split(words: Sequence[str] | None) -> list[str]:
    """Return words given as separate arguments or separated by commas."""
    return [part for word in words or () for part in word.split(",") if part]


def one_or_two(words: Sequence[str] | None) -> str | list[str] | None:
    """Return the column of clusters, or the list of two crossed factors; None without one."""
    named = split(words)
    return named[0] if len(named) == 1 else named or None
