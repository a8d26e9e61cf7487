"""Prevalence and metrics corrected for label noise whose rates are known or were measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.designs.linearised import Linearised, Sample
from howsure.errors import HowsureError, checked_level, real_numbers
from howsure.estimates.estimate import Estimate
from howsure.imperfect_labels.noisy.dawid_skene import Votes
from howsure.methods.core.lookup import named
from howsure.methods.core.standard_errors import normal_quantile
from howsure.methods.proportions.proportion import Binomial, Wilson
from howsure.tables.batch import Tables
from howsure.tables.confusion import ConfusionTable
from howsure.tables.table import require_table

Rate = float | Sequence[float]  # a known rate, or (correct, checked) of a validation sample
SINGULAR = 1e-6  # smallest singular value of an invertible labelling matrix
LEAST_CHECKED = 160  # cases: with fewer, 95 % intervals cover as little as 90 %
FEW = "the error rates were measured on {:,} cases: the interval may cover less than stated; check {} or more"
TRUNCATED = "corrected counts below zero were set to zero"


@dataclass(frozen=True, slots=True)
class _Measured:
    """A rate and the number of cases that it was measured on, infinite if it is known."""

    value: float
    checked: float

    @classmethod
    def of(cls, name: str, rate: Rate) -> _Measured:
        try:
            pair = real_numbers(name, rate)
        except HowsureError:
            pair = np.empty(0)
        if pair.shape == () and 0 <= pair <= 1:
            return cls(float(pair), np.inf)
        if pair.shape == (2,):
            correct, checked = (float(part) for part in pair)
            if checked > 0 and 0 <= correct <= checked and correct == int(correct) and checked == int(checked):
                return cls(correct / checked, checked)
        raise HowsureError(
            f"`{name}` is {rate!r}. Give a share between 0 and 1 where it is known, or (correct, checked), two whole "
            "numbers, where it was measured."
        )

    @property
    def known(self) -> bool:
        return bool(np.isinf(self.checked))

    def smoothed(self) -> _Measured:
        """Return the rate with one pseudo-case of each outcome added."""
        if self.known:
            return self
        return _Measured((self.value * self.checked + 1) / (self.checked + 2), self.checked + 2)

    @property
    def variance(self) -> float:
        return self.value * (1 - self.value) / self.checked


def corrected_prevalence(
    positive: int,
    n: int,
    *,
    sensitivity: Rate,
    specificity: Rate,
    method: str | Binomial | None = None,
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate the true prevalence from labels or tests with known or measured error rates.

    The estimate is ``(positive / n + specificity - 1) / (sensitivity + specificity - 1)``, clipped to [0, 1] (Rogan and
    Gladen 1978).

    Parameters
    ----------
    positive, n : int
        Number of cases labelled positive, and of all cases.
    sensitivity, specificity : float or tuple of two int
        Share of the truly positive (negative) cases that are labelled positive (negative): a number if it is known, or
        ``(correct, checked)`` if it was measured on cases with known true class.
    method : str or Method, optional
        Interval method for a proportion (``"wilson"``, ``"clopper_pearson"``, …) whose limits are transformed, if both
        rates are known. If a rate was measured, the only method is that of Lang and Reiczigel.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    Estimate
        The prevalence. It has a reason if the formula gives a value outside [0, 1].

    Raises
    ------
    HowsureError
        If counts or rates are impossible, or if labels with these rates carry no information on the true class
        (``sensitivity + specificity <= 1``).

    References
    ----------
    Rogan, Gladen (1978), American Journal of Epidemiology 107; Reiczigel, Földi, Ózsvári (2010), Epidemiology and
    Infection 138; Lang, Reiczigel (2014), Preventive Veterinary Medicine 113.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.labels.corrected_prevalence(37, 120, sensitivity=0.85, specificity=0.93))
    0.306 [0.209, 0.418]
    >>> print(hs.labels.corrected_prevalence(37, 120, sensitivity=(85, 100), specificity=(186, 200)))
    0.306 [0.199, 0.428]
    """
    level = checked_level(confidence_level)
    numbers = all(isinstance(each, int | float | np.number) for each in (positive, n))
    if not (numbers and n > 0 and 0 <= positive <= n < np.inf and int(positive) == positive and int(n) == n):
        raise HowsureError(
            f"`positive` = {positive!r} of `n` = {n!r}: give two whole numbers, 0 ≤ positive ≤ n, n > 0."
        )
    rates = _Measured.of("sensitivity", sensitivity), _Measured.of("specificity", specificity)
    _refuse_uninformative(*rates)
    known = rates[0].known and rates[1].known
    chosen = Wilson() if known and method is None else named(method)
    if chosen is not None and not (known and isinstance(chosen, Binomial)):
        words = "one for a proportion" if known else "for rates that are known; these were measured"
        raise HowsureError(f"`{chosen.name}` does not fit: `method` is {words}. Leave it out, or use 'wilson'.")
    apparent = positive / n
    value = _corrected(apparent, *rates)
    if chosen is None:
        low, high = _lang_reiczigel(positive, n, *rates, level)
    else:
        low, high = (_corrected(float(limit), *rates) for limit in chosen.limits(positive, n, level))
    error = np.sqrt(_variance(apparent, n, *rates))
    reason = "" if 0 <= value <= 1 else f"the formula gives {value:.3g}: more errors are expected than were seen"
    value, low, high = (min(max(each, 0.0), 1.0) for each in (value, low, high))
    if not low < high:
        low, high, reason = np.nan, np.nan, f"{reason}; no share from 0 to 1 agrees with the rates"
    low, high = min(low, value), max(high, value)  # Lang and Reiczigel's centre is not the estimate; nan stays
    name = "lang_reiczigel" if chosen is None else chosen.name
    return Estimate(
        value,
        low=low,
        high=high,
        metric="prevalence",
        confidence_level=level,
        method=name,
        standard_error=float(error),
        reason=reason,
    )


def _refuse_uninformative(sensitivity: _Measured, specificity: _Measured) -> None:
    if sensitivity.value + specificity.value <= 1 + SINGULAR:
        raise HowsureError(
            f"`sensitivity` {sensitivity.value:g} and `specificity` {specificity.value:g} add up to no more than 1: "
            "such labels are no better than chance. Are the classes swapped?"
        )


def _corrected(apparent: float, sensitivity: _Measured, specificity: _Measured) -> float:
    return (apparent + specificity.value - 1) / (sensitivity.value + specificity.value - 1)


def _variance(apparent: float, n: float, sensitivity: _Measured, specificity: _Measured) -> float:
    share = _corrected(apparent, sensitivity, specificity)
    spread = apparent * (1 - apparent) / n
    spread += share**2 * sensitivity.variance + (1 - share) ** 2 * specificity.variance
    return spread / (sensitivity.value + specificity.value - 1) ** 2


def _lang_reiczigel(
    positive: float, n: float, sensitivity: _Measured, specificity: _Measured, level: float
) -> tuple[float, float]:
    """Return the limits of Lang and Reiczigel (2014), equations 6, 7, 16 and 17."""
    z = normal_quantile(level)
    size = n + z * z
    apparent = (positive + z * z / 2) / size
    rates = sensitivity.smoothed(), specificity.smoothed()
    share = _corrected(apparent, *rates)
    shift = 2 * z * z * (share * rates[0].variance - (1 - share) * rates[1].variance)
    half = z * np.sqrt(_variance(apparent, size, *rates))
    return share + shift - half, share + shift + half


class _Keywords(TypedDict, total=False):
    """Keyword arguments that do not decide the type of the result."""

    sensitivity: Rate | None
    specificity: Rate | None
    labelling: ArrayLike | None


@overload
def corrected(table: ConfusionTable, **keywords: Unpack[_Keywords]) -> ConfusionTable: ...


@overload
def corrected(table: Tables[ConfusionTable], **keywords: Unpack[_Keywords]) -> Tables[ConfusionTable]: ...


def corrected(
    table: ConfusionTable | Tables[ConfusionTable],
    *,
    sensitivity: Rate | None = None,
    specificity: Rate | None = None,
    labelling: ArrayLike | None = None,
) -> ConfusionTable | Tables[ConfusionTable]:
    """Return the expected confusion table with true labels, from recorded labels with given error rates.

    Within each predicted class, the expected recorded counts are ``labellingᵀ @ true counts``; this equation is solved
    for the true counts. Every metric of the returned table is corrected. Its interval accounts for the label noise, for
    the sampling of the cases, and for the errors of measured rates.

    Parameters
    ----------
    table : ConfusionTable or Tables
        Counts of recorded labels and predictions for independent, weighted or clustered cases; or tables of groups,
        made by `confusion` with ``by``.
    sensitivity, specificity : float or tuple of two int, optional
        For two classes: share of the truly positive (negative) cases that are recorded as positive (negative). A number
        if it is known, or ``(correct, checked)`` if it was measured. The second class is the positive one.
    labelling : array-like of shape (K, K), optional
        For any number of classes: matrix with true classes in rows and recorded classes in columns. Known rates, with
        rows that add up to 1, or the counts of a validation sample.

    Returns
    -------
    ConfusionTable or Tables
        Table with fractional counts. Negative counts are set to zero, and every estimate carries a note about this.
        Another note is added if the rates were measured on fewer than 160 cases. For groups, the corrected table of
        each group; all groups have the same rates.

    Raises
    ------
    HowsureError
        If the rates are impossible or not invertible, or the table does not contain counts of recorded labels.

    Notes
    -----
    The correction assumes that, given the true class, label errors are independent of the prediction. If both fail on
    the same hard cases, the corrected metrics are too high. A review of cases from every cell (`reviewed`) does not
    need this assumption.

    References
    ----------
    Rogan, Gladen (1978), American Journal of Epidemiology 107; Staquet, Rozencweig, Lee, Muggia (1981), Journal of
    Chronic Diseases 34.

    Examples
    --------
    >>> import howsure as hs
    >>> recorded = hs.from_counts([[843, 67], [42, 148]])
    >>> table = hs.labels.corrected(recorded, sensitivity=0.9, specificity=0.98)
    >>> print(hs.estimate(recorded, "recall"), hs.estimate(table, "recall"))
    0.779 [0.716, 0.834] 0.855 [0.784, 0.917]
    """
    if isinstance(table, Tables):
        rates_of_all: dict[str, Any] = {"sensitivity": sensitivity, "specificity": specificity, "labelling": labelling}
        groups = [corrected(each, **rates_of_all) for each in table.values()]
        return Tables(table, groups, corrected(table.overall, **rates_of_all), table.columns)
    message = "`corrected` takes a confusion table of one sample of cases: make one with `confusion` or `from_counts`."
    if require_table(ConfusionTable, table, message).design.traits.has_fixed_class_totals:
        raise HowsureError(message)
    if not table.design.traits.is_counted:
        raise HowsureError("These counts are estimates already. Give `corrected` the counts of recorded labels.")
    size = len(table.labels)
    rates, checked = _labelling(size, sensitivity, specificity, labelling)
    inverse = np.linalg.inv(rates.T)
    centre = inverse @ table.counts
    samples = [Sample(table.cells, _columnwise(inverse, size), table.design)]
    for true in np.flatnonzero(np.isfinite(checked)):
        # One pseudo-case of each kind, as in Lang and Reiczigel: no sample proves that errors never happen.
        seen = rates[true] * checked[true] + 1
        influence = -np.einsum("ik,j->kij", inverse, centre[true]).reshape(size, -1) / seen.sum()
        samples.append(Sample(seen, influence))
    notes = [TRUNCATED] if (centre < -1e-9 * table.counts.sum()).any() else []
    if (measured := float(checked[np.isfinite(checked)].sum())) and measured < LEAST_CHECKED:
        notes.append(FEW.format(round(measured), LEAST_CHECKED))
    independent = table.design.traits.is_independent
    design = Linearised(
        tuple(samples),
        centre.ravel(),
        Votes.of_recorded(table.counts, rates, checked).draws if independent else None,
        "; ".join(notes),
    )
    return replace(table, counts=np.maximum(centre, 0.0), design=design)


def _columnwise(inverse: Array, size: int) -> Any:
    """Return the influence of each recorded cell on each true cell: the inverse within each predicted class."""
    from scipy import sparse

    return sparse.kron(sparse.csr_array(inverse.T), sparse.eye_array(size), format="csr")


def _labelling(
    size: int, sensitivity: Rate | None, specificity: Rate | None, labelling: ArrayLike | None
) -> tuple[Array, Array]:
    """Return P(recorded | true), K×K, and the number of cases behind each row, infinite if it is known."""
    if labelling is None:
        if size != 2 or sensitivity is None or specificity is None:
            raise HowsureError(
                "Give `sensitivity` and `specificity` for two classes, or `labelling`, K×K, for any number."
            )
        rates = _Measured.of("sensitivity", sensitivity), _Measured.of("specificity", specificity)
        _refuse_uninformative(*rates)
        matrix = np.array([[rates[1].value, 1 - rates[1].value], [1 - rates[0].value, rates[0].value]])
        return matrix, np.array([rates[1].checked, rates[0].checked])
    if sensitivity is not None or specificity is not None:
        raise HowsureError("`labelling` contains `sensitivity` and `specificity`. Give one or the other.")
    try:
        matrix = real_numbers("labelling", labelling)
    except HowsureError:
        raise HowsureError(
            f"`labelling` is no matrix of numbers. Give {size} rows of {size} shares or counts, rows true."
        ) from None
    if matrix.shape != (size, size):
        raise HowsureError(f"`labelling` has shape {matrix.shape} for {size} classes: rows true, columns recorded.")
    totals = matrix.sum(1)
    shares = bool(np.allclose(totals, 1, atol=1e-6))
    if not np.isfinite(matrix).all() or (matrix < 0).any() or not (shares or (totals > 0).all()):
        raise HowsureError("`labelling` holds a negative or missing number, or an empty row.")
    if not shares and (matrix != np.floor(matrix)).any():
        raise HowsureError("`labelling` needs rows of shares that add up to 1, or of whole numbers.")
    rates_matrix = matrix / totals[:, None]
    if np.linalg.svd(rates_matrix, compute_uv=False).min() < SINGULAR:
        raise HowsureError("`labelling` cannot be inverted: some classes have the same records.")
    if size == 2 and rates_matrix.trace() < 1:
        raise HowsureError(
            "`labelling` labels more cases wrongly than rightly. Are the classes swapped? Rows are true labels."
        )
    return rates_matrix, np.full(size, np.inf) if shares else totals
