"""The command `howsure readers`: a study in which several readers rated the same cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from howsure.cli.inputs import Files, Input, InputFormat
from howsure.cli.option_groups import OUTPUT, Output
from howsure.cli.options import Level, Metric, Sheet, Words, split
from howsure.errors import HowsureError

if TYPE_CHECKING:
    from howsure.estimates.grouped import Grouped
    from howsure.readers.sizes import ReaderPlan
    from howsure.readers.study import ReaderStudy
    from howsure.report.report import Report


def readers(
    files: Files,
    /,
    *,
    reader: str | None = None,
    case: str | None = None,
    truth: str | None = None,
    rating: str | None = None,
    call: str | None = None,
    modality: str | None = None,
    metric: Metric | None = None,
    threshold: float | None = None,
    pos_label: str | None = None,
    method: Literal["obuchowski_rockette", "one_shot"] = "obuchowski_rockette",
    covariance: Literal["delong", "jackknife", "unbiased"] | None = None,
    fixed: Literal["reader", "case"] | None = None,
    scale: Literal["auto", "identity"] = "auto",
    by: Words = None,
    confidence_level: Level = 0.95,
    margin: float | None = None,
    plan_readers: int | None = None,
    plan_cases: int | None = None,
    power: float | None = None,
    width: float | None = None,
    true_value: float | None = None,
    input_format: InputFormat = None,
    sheet: Sheet = None,
    output: Output = OUTPUT,
) -> None:
    """Multi-reader multi-case (MRMC) studies: metrics averaged over readers.

    Parameters
    ----------
    files
        One row per read: CSV, TSV, JSON lines, Parquet, Arrow, Feather or a spreadsheet; or a file of iMRMC, which
        needs no names of columns. Files, folders and quoted patterns are read as one data set; - is standard input.
    reader
        Column with the reader.
    case
        Column with the case identifier.
    truth
        Column with the true class of the case; may be left out if rows of the reader "truth" or -1 have it as their
        rating, as in files of iMRMC.
    rating
        Column with the rating, a number that is higher for positive (diseased) cases.
    call
        Column with the class that the reader called, instead of a rating.
    modality
        Column with the modality, treatment or test, if there are several.
    metric
        Metric of each reader: roc_auc by default, or one of a 2×2 table such as sensitivity, with a threshold or calls.
    threshold
        Smallest rating that is a positive call.
    pos_label
        Which of the two classes is the positive one; the last in order by default.
    method
        Analysis of variance by Obuchowski and Rockette with Hillis' degrees of freedom, or Gallas' one-shot variance.
    covariance
        Covariance of the readers' metrics over samples of cases; delong by default for roc_auc, jackknife for others.
    fixed
        The factor that is not sampled; by default readers and cases both vary.
    scale
        Scale of the means' intervals: auto keeps them in the metric's range, identity is value ± t · se as in MRMCaov.
    by
        Column to split by, or several: a study for all rows, then for each value or combination of values.
    margin
        Non-inferiority margin: tests whether the first modality is at most this much below the second. With a plan,
        the study should show that.
    plan_readers
        Readers of a planned study, with this one as the pilot.
    plan_cases
        Cases of a planned study.
    power
        Power of the planned study; without a number of readers or cases a table of both is printed.
    width
        Expected width of the planned study's interval.
    true_value
        True difference in the planned study; the observed one by default.
    """
    from howsure.estimates.grouped import Grouped
    from howsure.readers.studies import reader_study

    given = Input.of(files, input_format, sheet)
    split_by: Any = split(by) or None
    study: ReaderStudy | Grouped[ReaderStudy] = reader_study(
        rating,
        call=call,
        truth=truth,
        reader=reader,
        case=case,
        modality=modality,
        data=given.data,
        metric=metric,
        threshold=threshold,
        pos_label=pos_label,
        method=method,
        covariance=covariance,
        fixed=fixed,
        scale=scale,
        by=split_by,
        confidence_level=confidence_level,
    )

    def report(**about: Any) -> Report:
        from howsure.report.readers import report_of_readers

        return report_of_readers(study, **about)

    page = output.save(given, report)
    goals = {"readers": plan_readers, "cases": plan_cases, "power": power, "width": width}
    found: ReaderStudy | Grouped[ReaderStudy] | ReaderPlan = study
    notes = [] if isinstance(study, Grouped) else [study.sentence()]
    if any(each is not None for each in goals.values()):
        found = _planned(study, true_value=true_value, margin=margin, **goals)
        notes = [found.sentence()]
    elif margin is not None:
        notes.append(_tested(study, margin))
    output.write(found, page, given.title, "\n".join(notes))


def _planned(study: ReaderStudy | Grouped[ReaderStudy], **goals: Any) -> ReaderPlan:
    if not hasattr(study, "plan"):
        raise HowsureError("A plan has one pilot: leave out --by.")
    return study.plan(**goals)


def _tested(study: ReaderStudy | Grouped[ReaderStudy], margin: float) -> str:
    """Return the test that the first modality is worse than the second by less than the margin."""
    if not hasattr(study, "differences") or len(study.differences) != 1:
        raise HowsureError("`--margin` is for one difference: of two modalities, without --by.")
    return next(iter(study.differences.values())).non_inferiority(margin).sentence
