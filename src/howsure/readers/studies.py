"""The public `reader_study`: readers, cases and modalities from long data."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import replace
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from howsure.arrays import Array, Booleans, Floats
from howsure.errors import HowsureError, checked_level, without
from howsure.estimates.grouped import Grouped
from howsure.readers.analysis import analysed
from howsure.readers.reads import Design, reads_of
from howsure.readers.settings import Covariance, Fixed, Method, Scale, question_of
from howsure.readers.study import ReaderStudy
from howsure.readers.truth_rows import GIVE, truth_by_row
from howsure.sources.columns import refuse_other_lengths
from howsure.sources.encoding import Column, encoded
from howsure.sources.frames import columns
from howsure.sources.groups import by_columns, groups_of_columns, roles
from howsure.sources.imrmc import columns_by_role
from howsure.sources.scores import binary_truth, is_positive_stated, score_values

ROLES = ("reader", "case", "modality")


class _Keywords(TypedDict, total=False):
    """Keyword arguments that do not decide the type of the result."""

    truth: object
    reader: object
    case: object
    modality: object
    call: object
    data: object
    metric: str | None
    threshold: float | None
    pos_label: object
    method: Method
    covariance: Covariance | None
    fixed: Fixed | None
    design: Design | None
    scale: Scale
    confidence_level: float


@overload
def reader_study(rating: object = ..., *, by: None = None, **keywords: Unpack[_Keywords]) -> ReaderStudy: ...


@overload
def reader_study(rating: object = ..., *, by: Sized, **keywords: Unpack[_Keywords]) -> Grouped[ReaderStudy]: ...


@without(
    counts="Each row is a read: repeat the rows, such as by numpy.repeat(rows, counts, axis=0).",
    sample_weight="Cases have equal weights. All reads pooled may have others: `hs.scores(truth, rating, "
    "groups=[reader, case], sample_weight=…)`.",
    groups="`reader` and `case` are its factors. All reads pooled may have others: `hs.scores(truth, rating, "
    "groups=[reader, patient])`.",
)
def reader_study(
    rating: object = None,
    *,
    truth: object = None,
    reader: object = None,
    case: object = None,
    modality: object = None,
    call: object = None,
    data: object = None,
    metric: str | None = None,
    threshold: float | None = None,
    pos_label: object = None,
    method: Method = "obuchowski_rockette",
    covariance: Covariance | None = None,
    fixed: Fixed | None = None,
    design: Design | None = None,
    scale: Scale = "auto",
    by: Sized | None = None,
    confidence_level: float = 0.95,
) -> ReaderStudy | Grouped[ReaderStudy]:
    """Analyse a study in which several readers rated the same cases (multi-reader multi-case, MRMC).

    The result is the mean over readers of each reader's metric, under each modality, and the differences of modalities.
    Their intervals account for two samples: other readers would have been as good a choice, and other cases too.

    Parameters
    ----------
    rating : array-like of shape (n,) or str
        Rating of each read, higher for positive (diseased) cases; or, with ``data``, the name of its column.
    truth : array-like of shape (n,) or str, optional
        True class of the case of each read. It may be left out if each case has a row of the reader ``"truth"`` or −1,
        whose rating is the true class, as in files of iMRMC.
    reader, case : array-like of shape (n,) or str
        The reader and the case of each read.
    modality : array-like of shape (n,) or str, optional
        The modality, treatment or test under which the case was read, where there are several.
    call : array-like of shape (n,) or str, optional
        The class that the reader called, in place of a rating.
    data : frame, mapping, path or None
        A frame (pandas, Polars, Arrow …), a lazy frame or relation, a mapping of columns, or the path of a file. The
        columns of a file of iMRMC need no names: ``hs.reader_study(data="study.imrmc")``.
    metric : str, optional
        ``"roc_auc"``, the default for ratings: the empirical area, by placements. Or any metric of a 2×2 table, such as
        ``"sensitivity"``, with a ``threshold`` or calls.
    threshold : float, optional
        Smallest rating that is a positive call, for metrics of a 2×2 table.
    pos_label : label, optional
        The positive class; by default the last one in order.
    method : {"obuchowski_rockette", "one_shot"}
        ``"obuchowski_rockette"``: analysis of variance of the readers' metrics with correlated errors, and Hillis'
        degrees of freedom. ``"one_shot"``: the unbiased U-statistic variance of Gallas, for areas.
    covariance : {"delong", "jackknife", "unbiased"}, optional
        Covariance of the readers' metrics over samples of cases. ``"delong"`` is the default for areas, ``"unbiased"``
        that of ``"one_shot"``, and ``"jackknife"`` that of other metrics.
    fixed : {"reader", "case"}, optional
        The factor that is not sampled: results are then about these readers, or these cases, only.
    design : {"factorial", "cases_in_readers", "cases_in_modalities", "readers_in_modalities", "partial"}, optional
        The design that the data should have; by default it is inferred, and other data raise an error.
    scale : {"auto", "identity"}
        Scale of the intervals of means and of single readers. ``"auto"``: the logit scale if the metric has a finite
        range; ``"identity"``: ``value ± t · se``, cut to the range, as MRMCaov and iMRMC do. Differences are always
        ``value ± t · se``.
    by : array-like of shape (n,), str, list of str, mapping or frame, optional
        One column, or several, to split by: one study for each value.
    confidence_level : float
        Confidence level of the intervals, between 0 and 1.

    Returns
    -------
    ReaderStudy or Grouped
        Means, differences, readers, variance components and a plan; with ``by``, a `Grouped` of studies.

    Raises
    ------
    HowsureError
        If a case has two truths, a read occurs twice or has no rating, a reader lacks a class or a modality that others
        have, there is one reader who is not fixed, or an argument does not apply.

    Notes
    -----
    Let θ_ij be the metric of reader j under modality i, with r readers. The variance of a difference of two means is
    ``2 / r (MS(T:R) + r max(Cov2 − Cov3, 0))``. MS(T:R) is the mean square of reader by modality. Cov2 and Cov3 are
    averaged covariances for different readers, under one and under two modalities. The degrees of freedom are
    ``(t − 1)(r − 1) ((MS(T:R) + r max(Cov2 − Cov3, 0)) / MS(T:R))^p`` for t modalities. Hillis' power p = 2 applies to
    areas, sensitivity and specificity, as in other programs. Other metrics have p = 1.25, because with few readers a
    small MS(T:R) by chance makes the degrees of freedom too many. A mean has the variance
    ``MS(R) / r + max(Cov2, 0)``, from its own modality. Fixed readers have the variance of the cases alone, ``2 / r
    (Var − Cov1 + (r − 1)(Cov2 − Cov3))``, and the normal distribution; fixed cases have ``2 / r MS(T:R)``.

    In studies simulated from 48 random truths (3 to 20 readers, 30 to 300 cases) the intervals of mean areas contain
    the true value in 94 % by ``scale="auto"`` and in 91 % by ``"identity"``, and those of differences in 95 %. With
    three readers, a true difference of 0 is rejected in about 5 %, and for sensitivity in 6 to 7 %.
    ``benchmarks/readers.py`` repeats this.

    The designs: in a factorial study all readers read all cases under all modalities. Cases may be nested in readers or
    in modalities, or readers in modalities; covariances of groups without common cases are 0. Absent reads are
    accepted: each reader's metric is of the cases read. The result states their number.

    References
    ----------
    Obuchowski, Rockette (1995), Communications in Statistics – Simulation and Computation 24; Hillis (2007), Statistics
    in Medicine 26; Hillis (2014), Statistics in Medicine 33, for the designs; Gallas (2006), Academic Radiology 13;
    Gallas, Bandos, Samuelson, Wagner (2009), Communications in Statistics – Theory and Methods 38.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> rows = [(r, m, c) for r in "ABCDE" for m in ("with AI", "without") for c in range(80)]
    >>> reader, modality, case = map(np.array, zip(*rows))
    >>> truth = case % 2
    >>> rating = (1.6 + 0.4 * (modality == "with AI")) * truth + rng.normal(size=80)[case] + rng.normal(size=800)
    >>> study = hs.reader_study(rating, truth=truth, reader=reader, case=case, modality=modality)
    >>> print(study.compare("with AI", "without"))
    roc_auc: with AI − without = 0.068 [0.024, 0.112], p = 0.006
    >>> study.components.correlations["cov2"] > 0  # readers of the same cases err alike
    True
    """
    named = by_columns(by, data)
    given = _given(
        {"rating": rating, "call": call, "truth": truth, "reader": reader, "case": case, "modality": modality}, data
    )
    found = columns(data, given | roles(named))
    coded = {role: encoded(role, found[role]) for role in ROLES if role in found}
    split = [encoded(role, found[role]) for role in roles(named)]
    is_read = np.ones(len(coded["case"]), dtype=bool)
    if "truth" not in given:
        if call is not None:
            raise HowsureError(GIVE)
        refuse_other_lengths({each: found[each] for each in ("rating", *ROLES[:2])})
        found["truth"], is_read = truth_by_row(
            score_values(found["rating"], role="rating"), coded["reader"], coded["case"]
        )
    of_case = encoded("truth", found["truth"])
    positive, classes = _truth(of_case, pos_label)
    values = score_values(found["rating"], role="rating") if call is None else _calls(found["call"], classes)
    refuse_other_lengths({"rating" if call is None else "call": values, "truth": of_case})
    refuse_other_lengths({each.name: each for each in (of_case, *coded.values(), *split)})
    question = question_of(
        metric,
        threshold=threshold,
        is_called=call is not None,
        method=method,
        covariance=covariance,
        fixed=fixed,
        scale=scale,
        level=checked_level(confidence_level),
        classes=classes,
        stated=is_positive_stated(of_case, classes, pos_label),
    )

    def study(rows: Any) -> ReaderStudy:
        parts = {
            role: groups_of_columns([role], [replace(each, codes=each.codes[rows])]) for role, each in coded.items()
        }
        codes = {role: each.code for role, each in parts.items()}
        names = {role: tuple(map(str, each.keys)) for role, each in parts.items()}
        codes.setdefault("modality", np.zeros(len(codes["case"]), dtype=np.intp))
        names.setdefault("modality", ("",))
        return analysed(reads_of(positive[rows], values[rows], codes, names, design), question)

    if not named:
        return study(np.flatnonzero(is_read))
    groups = groups_of_columns(list(named), split)
    results = {}
    for place, key in enumerate(groups.keys):
        try:
            results[key] = study(np.flatnonzero((groups.code == place) & is_read))
        except HowsureError as error:
            raise HowsureError(f"Group '{key}': {error}") from None
    return Grouped(results=results, overall=study(np.flatnonzero(is_read)), columns=groups.columns)


def _given(columns: dict[str, object], data: object) -> dict[str, object]:
    """Return the given columns by role, and by default those of a file of iMRMC."""
    usual = columns_by_role(data)
    if columns["call"] is not None and columns["rating"] is None:
        usual.pop("rating", None)
    given = usual | {role: each for role, each in columns.items() if each is not None}
    if ("rating" in given) == ("call" in given):
        raise HowsureError(
            "Give `rating`, a number for each read that is higher for positive cases, or `call`, the class called."
        )
    lacking = [f"`{role}`" for role in ROLES[:2] if role not in given]
    if lacking:
        raise HowsureError(f"Give {' and '.join(lacking)}: a study needs the reader and the case of each read.")
    return given


def _truth(column: Column, pos_label: object) -> tuple[Booleans, Array]:
    present = column.levels[column.occurring()].tolist()
    if len(present) != 2:
        few = f"only the class {present[0]!r}" if len(present) == 1 else f"{len(present)} classes"
        raise HowsureError(f"`truth` has {few}, and a reader study needs two: positive (diseased) and negative cases.")
    return binary_truth(column, pos_label)


def _calls(given: object, classes: Array) -> Floats:
    """Return 1 for calls of the positive class, else 0."""
    column = encoded("call", given)
    negative, positive = (str(each) for each in classes.tolist())
    texts = [str(each) for each in column.levels.tolist()]
    kind = {negative: 0.0, positive: 1.0}
    unknown = [texts[place] for place in column.occurring() if texts[place] not in kind]
    if unknown:
        raise HowsureError(
            f"`call` has the class {unknown[0]!r}, and `truth` has {negative!r} and {positive!r}. Use the same."
        )
    values = np.array([kind.get(text, np.nan) for text in texts])
    return values[np.asarray(column.codes, dtype=np.int64) - column.offset]
