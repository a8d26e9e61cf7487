"""`report_of_requirements`: report on requirements that are tested, or met by a certified threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from howsure.estimates.estimate import positive_notes
from howsure.estimates.grouped import Grouped
from howsure.grids import plain
from howsure.numbers import interval_text, number, p_cell, percent
from howsure.report import comparisons
from howsure.report.content import Cell, Section, Sheet, Texts, careful, word
from howsure.report.regions import region_section
from howsure.report.report import Report
from howsure.report.reproduction import origin, reproduction
from howsure.requirements.certificate import CertifiedThreshold
from howsure.requirements.joint_tests import JointTest
from howsure.requirements.region import JointRegion


def report_of_requirements(
    found: JointTest | CertifiedThreshold | Grouped[Any],
    *,
    title: str = "",
    command: str = "",
    files: Sequence[str | Path] = (),
    region: JointRegion | Grouped[Any] | None = None,
) -> Report:
    """Return the report on a joint test or a certified threshold: the statement, each requirement, and cautions.

    Parameters
    ----------
    found : JointTest, CertifiedThreshold or Grouped
        The result of `howsure.joint_test` or `howsure.certified_threshold`, also of groups.
    title, command, files : optional
        As of `report_of`.
    region : JointRegion or Grouped, optional
        The result of `howsure.joint_region` for the two metrics of a joint test.
    """
    results, regions = _by_group(found), _by_group(region)
    first = next(iter(results.values()))
    tested = isinstance(first, JointTest)
    sheet = _tests(results) if tested else _thresholds(results)
    return Report(
        title=title,
        about="; ".join([" and ".join(first.requirements), *positive_notes(getattr(first, "estimates", [first]))]),
        headline=tuple((_named(name, each.sentence()),) for name, each in results.items()),
        sections=(
            Section("Requirements", ((_HOW_TESTED if tested else _HOW_CERTIFIED,),), sheets=(sheet,)),
            *([region_section(regions, first.bounds)] if regions else []),
            careful(_cautions(results, tested=tested)),
            reproduction(command, "", files),
        ),
        levels=(first.confidence_level,),
        level=0,
        results=plain(
            {
                **origin(title),
                "requirements": found.records(),
                "regions": [{"group": name, **each.to_dict()} for name, each in regions.items()],
            }
        ),
    )


_HOW_TESTED = (
    "Each requirement has a one-sided test, and the p-value of the statement that all are met is the largest one "
    "(intersection–union test). A requirement is shown if its one-sided limit is beyond the bound."
)
_HOW_CERTIFIED = (
    "The threshold was chosen on these data, and the guarantee accounts for that: thresholds were tested in an order "
    "that was fixed in advance, up to the first that was not shown (learn then test)."
)


def _by_group(found: object) -> Mapping[str, Any]:
    return {} if found is None else found.by_name() if isinstance(found, Grouped) else {"": found}


def _named(name: str, sentence: str) -> str:
    return f"{name}: {sentence}" if name else sentence


def _tests(results: Mapping[str, JointTest]) -> Sheet:
    every = [each for one in results.values() for each in one.estimates]
    bounds = [bound for one in results.values() for bound in one.bounds]
    ruler = comparisons.ruler_of(every, bounds)
    rows = []
    for name, one in results.items():
        for text, estimate, p_value in zip(one.requirements, one.estimates, one.p_values, strict=True):
            shown = "yes" if p_value <= 1 - one.confidence_level else "no"
            cell = comparisons.interval_cell(estimate, ruler, f"{name} ".lstrip())
            rows.append((word(_named(name, text)), cell, word(p_cell(p_value), p_value), word(shown)))
    headers = ("requirement", "value and one-sided limit", "p", "shown")
    return Sheet("Requirements", headers, tuple(rows), axes=(ruler.axis("Requirements", [1]),))


def _thresholds(results: Mapping[str, CertifiedThreshold]) -> Sheet:
    rows = []
    for name, one in results.items():
        threshold = word(number(one.threshold, 4), one.threshold)
        certified = word(interval_text(one.low, one.high, 4), one.low)
        for text, value, p_value in zip(one.requirements, one.values, one.p_values, strict=True):
            row: tuple[Cell, ...] = (
                threshold,
                certified,
                word(number(value, 3), value),
                word(p_cell(p_value), p_value),
            )
            rows.append((word(_named(name, text)), *row))
    headers = ("requirement", "threshold", "certified range", "value there", "p")
    return Sheet("Certified threshold", headers, tuple(rows))


def _cautions(results: Mapping[str, Any], *, tested: bool) -> list[Texts]:
    """Return cautions about requirements without a value, and about what the guarantee does not cover."""
    failures = [_named(name, words) for name, each in results.items() for words in each.failures]
    first, said = next(iter(results.values())), failures if tested else []
    if failures:
        said.append("A requirement that is not shown may still be met: the cases may be too few.")
    if not tested and not first.is_finite_sample:
        said.append(f"The tests ({first.method}) hold in large samples; with few cases the guarantee is approximate.")
    if len(results) > 1:
        level = percent(first.confidence_level)
        said.append(f"Each group has its own {level} confidence. Together they err more often.")
    said.append(
        "The requirements must have been stated before looking at these data, and hold for cases that are sampled as "
        "these were."
    )
    return [(each,) for each in said]
