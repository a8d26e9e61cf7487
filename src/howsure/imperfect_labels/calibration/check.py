"""Tests of calibration: whether the scores of labelled cases are the probabilities of the positive class."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import HowsureError, checked_level
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate
from howsure.grids import Tabular
from howsure.metrics.calibration import bin_starts
from howsure.metrics.probability import SMALLEST, probabilities
from howsure.tables.scores import ScoresTable
from howsure.tables.table import require_table

GROUPS = 10


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class CalibrationTest(Tabular):
    """Tests of calibration, with estimates of the miscalibration.

    Parameters
    ----------
    statistic, p_value : float
        Score test of slope 1 and intercept 0 in the logistic regression of the class on the logit of the score:
        chi-square with two degrees of freedom.
    z, z_p_value : float
        Spiegelhalter's statistic and its two-sided p-value. The statistic is standard normal if the scores are
        calibrated. It detects scores that are too extreme or too cautious, but may miss scores that are all too high.
    slope, intercept : Estimate
        Coefficients of that regression: 1 and 0 if the scores are calibrated. A slope below 1 means that the scores
        are too extreme. The intercept is estimated with the slope fixed at 1 (calibration in the large): below 0, the
        scores are too high.
    groups_statistic, groups, groups_p_value : float, int, float
        Hosmer and Lemeshow's statistic, the number of groups, and the p-value. The statistic is
        ``Σ (O - E)² / (n p (1 - p))`` over groups of about equal size, with O and E the observed and expected positive
        cases, n the cases and p the mean score of a group. It is chi-square with one degree of freedom per group if the
        scores were not fitted to these cases. nan for clustered cases and for fixed class totals.
    positive : str
        The positive class, where the classes have names.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> score = np.random.default_rng(0).random(2000)
    >>> label = np.random.default_rng(1).random(2000) < score
    >>> [each["name"] for each in hs.shift.calibration_test(hs.scores(label, score)).records()][:3]
    ['score_test', 'spiegelhalter', 'hosmer_lemeshow']
    """

    statistic: float
    p_value: float
    z: float
    z_p_value: float
    slope: Estimate
    intercept: Estimate
    groups_statistic: float
    groups: int
    groups_p_value: float
    positive: str = ""

    def __str__(self) -> str:
        named = f", positive class: {self.positive}" if self.positive else ""
        return f"p = {self.p_value:.3g}, slope {self.slope}, intercept {self.intercept}, z = {self.z:.2f}{named}"

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per test and coefficient."""
        tests = {
            "score_test": (self.statistic, self.p_value),
            "spiegelhalter": (self.z, self.z_p_value),
            "hosmer_lemeshow": (self.groups_statistic, self.groups_p_value),
        }
        nan = math.nan
        found = [
            {"name": name, "value": value, "low": nan, "high": nan, "p_value": p_value}
            for name, (value, p_value) in tests.items()
        ]
        found += [
            {"name": each.metric, "value": each.value, "low": each.low, "high": each.high, "p_value": nan}
            for each in (self.slope, self.intercept)
        ]
        return [row | {"positive": self.positive} for row in found] if self.positive else found

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, with slope and intercept as dicts."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: each.to_dict() if isinstance(each, Estimate) else each for name, each in values.items()}


def calibration_test(table: ScoresTable, *, confidence_level: float = 0.95) -> CalibrationTest:
    """Test whether scores are calibrated: whether a share s of the cases with score s is positive.

    Parameters
    ----------
    table : ScoresTable
        A table of `scores` in [0, 1] that were not fitted to these cases.
    confidence_level : float
        Confidence level of the intervals for slope and intercept, between 0 and 1.

    Returns
    -------
    CalibrationTest
        Three tests with p-values, and intervals for slope and intercept.

    Raises
    ------
    HowsureError
        If the table does not contain labelled scores, or a score is outside [0, 1].

    Notes
    -----
    Spiegelhalter's statistic is ``z = Σ (y - s)(1 - 2s) / √(Σ (1 - 2s)² s (1 - s))``, with y the class (0 or 1) and s
    the score. Sample weights multiply both sums, squared in the denominator; for clusters the variance is that of the
    cluster sums. Slope and intercept are the metrics `calibration_slope` and `calibration_intercept`, with the robust
    variance of the design.

    References
    ----------
    Spiegelhalter (1986), Statistics in Medicine 5; Cox (1958), Biometrika 45; Hosmer, Lemeshow (1980), Communications
    in Statistics 9.

    Examples
    --------
    >>> import numpy as np, howsure as hs
    >>> rng = np.random.default_rng(0)
    >>> score = rng.random(2000)
    >>> test = hs.shift.calibration_test(hs.scores(rng.random(2000) < score, score))
    >>> test.p_value > 0.05, test.slope.low < 1 < test.slope.high
    (True, True)
    >>> hs.shift.calibration_test(hs.scores(rng.random(2000) < score**2, score)).p_value < 1e-6
    True
    """
    level = checked_level(confidence_level)
    message = "`calibration_test` needs a table of scores: make one with `scores(y_true, y_score)`."
    require_table(ScoresTable, table, message)
    if not table.design.traits.has_labels:
        raise HowsureError("Without labels calibration cannot be tested: these counts assume it.")
    share = probabilities(table, "calibration_test")
    residual = table.counts[:, 1] - table.counts.sum(1) * share
    form = 1 - 2 * share
    variance = _variance(table, share, form)
    z = float(form @ residual / np.sqrt(variance)) if variance > 0 else np.nan  # nan: every score is 0, 1/2 or 1
    by_group, groups = _grouped(table, share, residual)
    inside = np.clip(share, SMALLEST, 1 - SMALLEST)
    logits = np.log(inside) - np.log1p(-inside)
    statistic = _score_statistic(table, share, np.column_stack([logits, np.ones(len(logits))]), residual)
    return CalibrationTest(
        statistic=statistic,
        p_value=_upper_tail(statistic, 2),
        z=z,
        z_p_value=_two_sided(z),
        slope=_coefficient(table, "slope", level),
        intercept=_coefficient(table, "intercept", level),
        groups_statistic=by_group,
        groups=groups,
        groups_p_value=_upper_tail(by_group, groups),
        positive=table.positive,
    )


def _score_statistic(table: ScoresTable, share: Array, features: Array, residual: Array) -> float:
    slope, level, both = (_variance(table, share, features @ form) for form in ((1, 0), (0, 1), (1, 1)))
    shared = (both - slope - level) / 2
    covariance = np.array([[slope, shared], [shared, level]])
    score = features.T @ residual
    return float(score @ np.linalg.pinv(covariance, hermitian=True) @ score)


def _variance(table: ScoresTable, share: Array, form: Array) -> float:
    """Return the variance of the sum of ``form`` times (observed − expected positive cases)."""
    squares = VarianceDetails.of(table.design).squared_weights(table.cells)
    if squares is not None:
        return float((squares.reshape(-1, 2).sum(1) * share * (1 - share)) @ form**2)
    slopes = np.stack([-share, 1 - share], -1) * form[:, None]
    return float(table.variance(slopes))


def _grouped(table: ScoresTable, share: Array, residual: Array) -> tuple[float, int]:
    squares = VarianceDetails.of(table.design).squared_weights(table.cells)
    starts = bin_starts(table, GROUPS, "quantile")
    if squares is None:
        return np.nan, len(starts)
    mass, each = table.counts.sum(1), squares.reshape(-1, 2).sum(1)
    cases, expected, squared, sums = (np.add.reduceat(part, starts) for part in (mass, mass * share, each, residual))
    mean = np.divide(expected, cases, out=np.zeros(len(cases)), where=cases > 0)
    variances = squared * mean * (1 - mean)
    certain = (variances == 0) & (sums == 0)  # groups whose scores of 0 or 1 are all correct
    with np.errstate(divide="ignore", invalid="ignore"):
        return float((sums[~certain] ** 2 / variances[~certain]).sum()), int((~certain).sum())


def _coefficient(table: ScoresTable, name: str, level: float) -> Estimate:
    """Return a coefficient of the logistic regression, with scores of 0 and 1 moved inwards a little."""
    found = estimate(table, f"calibration_{name}+clip={SMALLEST!r}", confidence_level=level)
    return found.replace(metric=f"calibration_{name}", label="")


def _two_sided(z: float) -> float:
    from scipy import special

    return float(2 * special.ndtr(-abs(z)))


def _upper_tail(chi_square: float, degrees_of_freedom: int) -> float:
    from scipy import special

    return float(special.chdtrc(degrees_of_freedom, chi_square))
