"""The section "What to be careful about"."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from howsure.metrics.descriptions import metric_words
from howsure.numbers import count_text, number, percent
from howsure.report.content import Texts
from howsure.report.evidence import Measured, Part, Shown
from howsure.report.lead import SMALL

FEW = 4  # metrics named with a reason
MOST = 12  # cautions of one kind that are listed


def cautions(
    shown: Sequence[Shown], results: Sequence[tuple[str, Measured]], levels: Sequence[float]
) -> tuple[Texts, ...]:
    """Return cautions about small classes, unusual data, perfect samples, undefined metrics and many intervals.

    Parameters
    ----------
    shown : sequence of Shown
        The models, on all cases and on each group.
    results : sequence of tuple
        Origin (model, group) and metric of everything that the report shows.
    levels : sequence of float
        Confidence levels of the report.
    """
    parts = [each.part for each in shown]
    found: list[Texts] = []
    for kind in (_small(parts), _of_tables(parts), _perfect(results), _undefined(results)):
        listed = list(dict.fromkeys(kind))
        found += [(each,) for each in listed[:MOST]]
        if len(listed) > MOST:
            found.append((f"{len(listed) - MOST} more of the kind just named.",))
    if len(results) > 1:
        found.append(tuple(_many(len(results), level) for level in levels))
    return tuple(found)


def _many(number_of: int, level: float) -> str:
    missed = number_of * (1 - level)
    expected = f"about {missed:.0f} of them" if missed >= 1 else "fewer than one of them"
    return (
        f"This report shows {number_of} intervals at {percent(level)}. Each one covers its true value with this "
        f"probability, so {expected} is expected to miss it. The best of many values looks better than it is."
    )


def _small(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        if part.is_group and part.any_table.rows < SMALL:
            yield f"Group “{', '.join(part.group_words)}” has only {part.any_table.rows:,} cases."
        if part.is_group:
            continue
        for label, total in zip(part.any_table.labels, part.any_table.class_totals, strict=True):
            if not total:
                yield f"Class “{label}” has no case: its recall is unknown."
            elif total < SMALL:
                cases = f"{count_text(total)} {part.cases_noun}"
                yield f"Class “{label}” has only {cases}: its results are hardly more than a guess."


def _of_tables(parts: Sequence[Part]) -> Iterator[str]:
    """Yield each caution of a table once, preceded by its models unless it applies to all."""
    wholes = [part for part in parts if not part.is_group]
    about: dict[str, list[str]] = {}
    for part in wholes:
        for said in dict.fromkeys(
            said for table in (part.table, part.scores) if table is not None for said in table.cautions
        ):
            about.setdefault(said, []).append(part.model)
    for said, models in about.items():
        yield said if len(models) == len(wholes) else f"{', '.join(models)}: {said}"


def _perfect(results: Sequence[tuple[str, Measured]]) -> Iterator[str]:
    """Yield one sentence about all metrics with value 1, with the smallest of their lower limits."""
    found = [(_named(*one), one[1].main) for one in results if one[1].value == 1.0 and not math.isnan(one[1].main.low)]
    if found:
        names = [name for name, _ in found]
        low, level = min(each.low for _, each in found), percent(found[0][1].confidence_level)
        yield (
            f"{_few(names)} {'is' if len(names) == 1 else 'are'} 1 in this sample: no error was seen, which does not "
            f"mean that there are none. Values down to {number(low, 3)} are plausible ({level})."
        )


def _undefined(results: Sequence[tuple[str, Measured]]) -> Iterator[str]:
    """Yield each reason once, with the names of a few metrics and the number of the others."""
    about: dict[str, list[str]] = {}
    for where, each in results:
        about.setdefault(each.main.reason, []).append(_named(where, each))
    for reason, names in about.items():
        if reason and len(names) == len(results):
            yield f"All metrics: {reason}."
        elif reason:
            yield f"{_few(names)}: {reason}."


def _few(names: Sequence[str]) -> str:
    """Return a list of names; if there are many, the first ones and the number of the others."""
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ("; " if any("," in name for name in names) else ", ").join(names[:FEW]) + more


def _named(where: str, each: Measured) -> str:
    return f"{where}: {metric_words(each.label)}" if where else metric_words(each.label)
