"""`report_of_monitoring`: report on metrics monitored by chunk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from howsure.comparison.monitoring import Monitoring
from howsure.grids import plain
from howsure.metrics.descriptions import metric_words
from howsure.numbers import interval_text, significant_decimals
from howsure.report import comparisons
from howsure.report.answers import listed, unseen
from howsure.report.content import Section, Sheet, Texts, careful, count, word
from howsure.report.report import Report
from howsure.report.reproduction import origin, reproduction

MEANING = (
    "A chunk leaves the baseline where its whole interval lies outside of it; of many chunks some do so by chance."
)


def report_of_monitoring(
    found: Monitoring, *, title: str = "", command: str = "", files: Sequence[str | Path] = ()
) -> Report:
    """Return the report on monitored metrics: chunks outside the baseline, and all chunks on one axis.

    Parameters
    ----------
    found
        The result of `monitor`.
    title, command, files : optional
        As of `report_of`.
    """
    first = next(iter(found.values()))
    metrics = list(first)
    rulers = [comparisons.ruler_of([each[name] for each in found.values()], found.baseline[name]) for name in metrics]
    records = {(record["chunk"], record["metric"]): record for record in found.records()}
    rows = tuple(
        (
            word(chunk, place),
            count(records[chunk, metrics[0]]["cases"]),
            *(
                comparisons.interval_cell(each[name], ruler, f"{chunk}: ")
                for name, ruler in zip(metrics, rulers, strict=True)
            ),
        )
        for place, (chunk, each) in enumerate(found.items())
    )
    axes = tuple(
        ruler.axis(f"{metric_words(name)}, baseline {_baseline(found.baseline[name])}", [place + 2])
        for place, (name, ruler) in enumerate(zip(metrics, rulers, strict=True))
    )
    sheet = Sheet("Each chunk", ("chunk", "cases", *map(metric_words, metrics)), rows, axes=axes)
    left: dict[tuple[str, str], list[str]] = {}
    for each in found.alerts:
        left.setdefault((str(each["chunk"]), each["alert"]), []).append(metric_words(each["metric"]))
    alerts = [f"{chunk} is {side} it in {listed(named)}" for (chunk, side), named in left.items()]
    warned = [*unseen([("", all(design.traits.has_labels for design in first.table.design.test_sets))]), (MEANING,)]
    return Report(
        title=title,
        about=f"{len(found)} chunks",
        headline=(_answer(found, alerts), *warned[:-1]),
        sections=(
            Section("Chunks", sheets=(sheet,)),
            careful(warned),
            reproduction(command, "", files),
        ),
        levels=(first.confidence_level,),
        level=0,
        results=plain(
            {
                **origin(title),
                "chunks": found.records(),
            }
        ),
    )


def _baseline(limits: tuple[float, float]) -> str:
    low, high = (math.nan if limit is None else limit for limit in limits)
    return interval_text(low, high, significant_decimals(low, high))


def _answer(found: Monitoring, alerts: Sequence[str]) -> Texts:
    chunks = len({each["chunk"] for each in found.alerts})
    if not alerts:
        return (f"None of {len(found)} chunks is shown to have left the baseline.",)
    verb = "has" if chunks == 1 else "have"
    return (f"{chunks} of {len(found)} chunks {verb} left the baseline: {listed(alerts)}.",)
