"""The command `howsure require`: whether requirements are met, and thresholds that meet them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from howsure.cli.gates import end_where
from howsure.cli.labelled import labelled_tables
from howsure.cli.option_groups import OUTPUT, SAMPLE, SOURCE, Output, Sample, Source
from howsure.cli.options import (
    Level,
    Predictions,
    Seed,
    TrueLabels,
    Words,
    split,
)
from howsure.errors import HowsureError

if TYPE_CHECKING:
    from howsure.report.report import Report

Requirements = Annotated[list[str] | None, Parameter(name=("--require", "-r"), consume_multiple=True)]
Starts = Annotated[list[float] | None, Parameter(consume_multiple=True)]


def require(
    files: Predictions,
    /,
    *,
    y_true: TrueLabels,
    y_pred: str | None = None,
    y_score: str | None = None,
    requirements: Requirements = None,
    threshold: float | None = None,
    certify: bool = False,
    choose: Literal["largest", "smallest"] | None = None,
    starts: Starts = None,
    by: Words = None,
    sample: Sample = SAMPLE,
    source: Source = SOURCE,
    method: str | None = None,
    confidence_level: Annotated[
        Level,
        Parameter(help="Confidence level of the one-sided limits, or of the certified threshold, between 0 and 1."),
    ] = 0.95,
    random_state: Seed = None,
    output: Output = OUTPUT,
) -> None:
    """Test requirements on metrics, or find the threshold that meets them with stated confidence.

    The command ends with code 1 unless all requirements are shown.

    Parameters
    ----------
    y_pred
        Column with the predicted labels.
    y_score
        Column with the score of the positive class, instead of labels.
    requirements
        Requirements such as "sensitivity>0.9" and "fpr<0.1"; quote them. All must be shown together.
    threshold
        Smallest score that is predicted positive, for metrics of counts.
    certify
        Find the threshold of the scores at which the requirements are met with stated confidence.
    choose
        Which certified threshold to print: the largest or the smallest.
    starts
        Thresholds at which --certify starts to test metrics such as F1 and precision, chosen without these data.
    by
        Column with the group of each case, or several: each group is tested.
    method
        Method of the tests and limits; see `howsure methods`. By default exact tests where they apply.
    """
    from howsure.methods.core.lookup import named

    if not requirements:
        raise HowsureError('Name the requirements with --require, such as --require "recall>0.9".')
    if not certify and (choose is not None or starts is not None):
        raise HowsureError("`--choose` and `--starts` go with `--certify`.")
    if certify and (y_score is None or threshold is not None):
        raise HowsureError(
            "`--certify` finds the threshold of scores: name their column with --y-score, and no --threshold."
        )
    given = source.read(files)
    table = labelled_tables(given, source, sample, y_true=y_true, y_pred=y_pred, y_score=y_score, by=split(by))
    settings: dict[str, Any] = {
        "method": named(method),
        "confidence_level": confidence_level,
        "random_state": random_state,
    }
    found: Any
    region, absent = None, ""
    if certify:
        from howsure.requirements.certified import certified_threshold

        found = certified_threshold(table, requirements, choose=choose, starts=starts, **settings)
    else:
        from howsure.requirements.joint_tests import joint_test

        found = joint_test(table, requirements, threshold=threshold, **settings)
        region, absent = _region(table, requirements, threshold=threshold, **settings)

    def report(**about: Any) -> Report:
        from howsure.report.requirements import report_of_requirements

        return report_of_requirements(found, region=region, **about)

    page = output.save(given, report)
    said = [f"{name}: {each.sentence()}" if name else each.sentence() for name, each in _by_group(region)]
    output.write(found, page, given.title, "\n".join(filter(None, [*said, absent])))
    end_where(_failures(found))


def _region(table: Any, requirements: list[str], **settings: Any) -> tuple[Any, str]:
    """Return the joint region of two metrics, or None and why there is none; nothing for another number of metrics."""
    from howsure.requirements.regions import joint_region
    from howsure.requirements.requirement import listed_requirements

    metrics: list[Any] = [each.metric for each in listed_requirements(requirements)]
    if len(metrics) != 2 or metrics[0] == metrics[1]:
        return None, ""
    try:
        return joint_region(table, *metrics, **settings), ""
    except HowsureError as error:
        return None, f"There is no joint region of the two metrics. {error}"


def _by_group(found: Any) -> Iterable[tuple[str, Any]]:
    """Return results by group, "" for all cases alone; none for None."""
    return () if found is None else found.by_name().items() if hasattr(found, "overall") else (("", found),)


def _failures(found: object) -> list[str]:
    """Return why requirements are not shown, for each group."""
    return [f"{name}: {words}" if name else words for name, one in _by_group(found) for words in one.failures]
