"""The command `howsure gaps`: differences of metrics between groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from howsure.cli.labelled import labelled_tables
from howsure.cli.option_groups import OUTPUT, SAMPLE, SOURCE, Output, Sample, Source
from howsure.cli.options import (
    Level,
    Metrics,
    Predictions,
    Seed,
    TrueLabels,
    Words,
    split,
)
from howsure.errors import HowsureError

if TYPE_CHECKING:
    from howsure.report.report import Report

Together = Annotated[Level, Parameter(help="Probability that all intervals cover, between 0 and 1.")]


def gaps(
    files: Predictions,
    /,
    *,
    by: Words = None,
    y_true: TrueLabels,
    y_pred: str | None = None,
    y_score: str | None = None,
    threshold: float | None = None,
    metrics: Metrics = None,
    reference: str | None = None,
    pairs: bool = False,
    margin: float | None = None,
    power: float | None = None,
    sample: Sample = SAMPLE,
    source: Source = SOURCE,
    method: str | None = None,
    confidence_level: Together = 0.95,
    random_state: Seed = None,
    output: Output = OUTPUT,
) -> None:
    """Differences of metrics between groups (fairness), with simultaneous intervals.

    Parameters
    ----------
    by
        Column with the group of each case, or several, whose combinations are the groups.
    y_pred
        Column with the predicted labels.
    y_score
        Column with the score of the positive class, instead of labels.
    threshold
        Smallest score that is predicted positive, for metrics of counts.
    metrics
        Metrics as spec strings, or one of demographic_parity, equal_opportunity, equalized_odds (the default),
        predictive_equality and predictive_parity.
    reference
        Compare each group with this one only.
    pairs
        Print all pairs of groups instead of the groups.
    margin
        Print how many cases each group would need for differences ± this margin; with --power to find a difference of
        this size.
    power
        Probability of finding a difference of the size of --margin.
    method
        Method of each group's interval; see `howsure methods`.
    """
    from howsure.groups.group_gaps import gaps as compared
    from howsure.methods.core.lookup import named

    given = source.read(files)
    if not split(by):
        raise HowsureError("Name the column of the groups with --by.")
    if power is not None and margin is None:
        raise HowsureError("`--power` goes with `--margin`, the difference to find.")
    tables = labelled_tables(given, source, sample, y_true=y_true, y_pred=y_pred, y_score=y_score, by=split(by))
    found: Any = compared(
        tables,
        _one_or_several(split(metrics)),
        reference=reference,
        method=named(method),
        confidence_level=confidence_level,
        threshold=threshold,
        random_state=random_state,
    )

    def report(**about: Any) -> Report:
        from howsure.report.gaps import report_of_gaps

        return report_of_gaps(found, **about)

    page = output.save(given, report)
    shown = found.needed(margin, power=power) if margin is not None else found.differences if pairs else found
    output.write(shown, page, given.title)


def _one_or_several(metrics: list[str]) -> str | list[str]:
    return "equalized_odds" if not metrics else metrics[0] if len(metrics) == 1 else metrics
