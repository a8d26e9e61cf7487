"""Metrics of calibration for prediction models: observed over expected cases, calibration slope and intercept.

Counts have shape ``(..., S, 2)`` over the distinct scores. Scores must lie in [0, 1]. Slope and intercept are
coefficients of a logistic regression of the class on the logit of the score. Their gradients are influence functions,
so that their variance is the robust one of the design: White's "sandwich" for independent cases.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, one_of
from howsure.metrics.forms import Undefined, divide
from howsure.metrics.logistic import influence, most_likely
from howsure.metrics.probability import probabilities
from howsure.metrics.registry import Scored, score_metric
from howsure.tables.scores import ScoresTable as Table

DEFINED, ONE_CLASS, CONSTANT, SEPARATED, CERTAIN, NO_SLOPE = range(6)
WHY = np.array(
    [
        "",
        "undefined: one of the classes has no case with a score between 0 and 1",
        "undefined: the scores do not vary",
        "undefined: the scores separate the classes, so that the slope is infinite",
        "undefined: a case of score exactly 0 or 1 is of the other class; `+clip=1e-6` moves such scores inwards",
        "undefined: without the scores of exactly 0 and 1 the slope is not positive; `+clip=1e-6` moves them inwards",
    ],
    dtype=object,
)


@score_metric(
    name="observed_expected",
    aliases=("oe_ratio", "o_e_ratio", "observed_expected_ratio"),
    range=(0.0, np.inf),
    better="neither",
)
def _observed_expected(table: Table) -> Scored:
    """Observed positive cases over expected ones, the sum of the scores: 1 if calibrated, above 1 if they are too low.

    This is TRIPOD's O:E ratio; some papers report its inverse, E/O.
    """
    scores = probabilities(table, "observed_expected")

    def value(cells: Array) -> Array:
        return divide(cells[..., 1].sum(-1), cells.sum(-1) @ scores)

    def slopes(cells: Array) -> Array:
        residuals = np.array([0.0, 1.0]) - value(cells)[..., None, None] * scores[:, None]
        return divide(residuals, (cells.sum(-1) @ scores)[..., None, None])

    return Scored(value, slopes, structure=Undefined(lambda _: "undefined: no positive case is expected"))


@score_metric(name="calibration_slope", aliases=("cal_slope",), range=(-np.inf, np.inf), better="neither")
def _calibration_slope(table: Table, *, clip: float = 0.0) -> Scored:
    """Slope of the logistic regression of the class on the score's logit: 1 if calibrated, below if too extreme.

    A score of exactly 0 or 1 has an infinite logit. Such cases of the predicted class have no influence; one of the
    other class leaves the slope undefined. ``clip`` moves scores into ``[clip, 1 - clip]`` first.
    """
    return _Regression.of(table, "calibration_slope", clip).coefficient(0)


@score_metric(
    name="calibration_intercept",
    aliases=("cal_intercept",),
    range=(-np.inf, np.inf),
    better="neither",
    always_stated=("slope",),
)
def _calibration_intercept(table: Table, *, slope: str = "fixed", clip: float = 0.0) -> Scored:
    """Intercept of the logistic regression of the class on the score's logit: 0 if calibrated.

    ``slope=fixed``: with slope 1 (calibration in the large; below 0, the scores are too high). ``slope=free``: with the
    fitted slope, as the intercept of ``rms::val.prob``. Scores of 0 and 1, and ``clip``: as for `calibration_slope`.
    """
    is_free = one_of("slope of `calibration_intercept`", slope, ("fixed", "free")) == "free"
    return _Regression.of(table, "calibration_intercept", clip, is_free=is_free).coefficient(-1)


@dataclass(frozen=True, slots=True, eq=False)
class _Regression:
    """Logistic regression of the class on the logit of the score, over the scores between 0 and 1.

    Parameters
    ----------
    counts : ndarray of shape (S, 2)
        The observed counts, for which the fit is kept.
    logits : ndarray of shape (S,)
        Logits of the scores, infinite for 0 and 1.
    is_free : bool
        Whether the slope is fitted; otherwise it is 1.
    """

    counts: Array
    logits: Array
    is_free: bool
    observed: list[tuple[Array, Array]] = field(default_factory=list)

    @classmethod
    def of(cls, table: Table, metric: str, clip: float, *, is_free: bool = True) -> _Regression:
        """Return the regression for the scores of a table, moved into ``[clip, 1 - clip]``."""
        if not 0 <= clip < 1 / 2:
            raise HowsureError(f"`clip` of `{metric}` lies in [0, 0.5), not {clip:g}.")
        scores = np.clip(probabilities(table, metric), clip, 1 - clip)
        with np.errstate(divide="ignore"):
            return cls(table.counts, np.log(scores) - np.log1p(-scores), is_free)

    @property
    def finite(self) -> Array:
        """Which scores are between 0 and 1."""
        return np.isfinite(self.logits)

    @property
    def features(self) -> Array:
        """Features of the finite logits: the logit if the slope is free, and 1."""
        inside = self.logits[self.finite]
        return np.column_stack([inside, np.ones(len(inside))][0 if self.is_free else 1 :])

    @property
    def offset(self) -> Array | float:
        """Part of the finite logits with coefficient 1."""
        return 0.0 if self.is_free else self.logits[self.finite]

    def coefficient(self, place: int) -> Scored:
        """Return a coefficient as a function of the counts."""

        def value(cells: Array) -> Array:
            return self.fitted(cells)[0][..., place]

        def slopes(cells: Array) -> Array:
            coefficients, state = self.fitted(cells)
            found = np.zeros(cells.shape)
            for index in np.ndindex(cells.shape[:-2]):
                if state[index] == DEFINED:
                    inside = cells[index][self.finite]
                    each = influence(self.features, inside, coefficients[index], self.offset)
                    found[index][self.finite] = each[place]
            return found

        return Scored(value, slopes, structure=Undefined(lambda cells: WHY[self.fitted(cells)[1]]))

    def fitted(self, cells: Array) -> tuple[Array, Array]:
        """Return the coefficients, ``(..., k)``, nan where they are undefined, and the reason, ``(...)``."""
        if cells is not self.counts:
            return self._fitted(cells)
        if not self.observed:
            self.observed.append(self._fitted(cells))
        return self.observed[0]

    def _fitted(self, cells: Array) -> tuple[Array, Array]:
        flat = cells.reshape(-1, *cells.shape[-2:])
        state = self._state(flat)
        features = self.features
        coefficients = np.full((len(flat), features.shape[1]), np.nan)
        defined = state == DEFINED
        if defined.any():
            coefficients[defined] = most_likely(features, flat[defined][:, self.finite], self.offset)
        if self.is_free and not self.finite.all():
            with np.errstate(invalid="ignore"):
                falls = (coefficients[:, 0] <= 0) & (flat[:, ~self.finite].sum((-2, -1)) > 0)
            coefficients[falls], state[falls] = np.nan, NO_SLOPE
        return coefficients.reshape(*cells.shape[:-2], -1), state.reshape(cells.shape[:-2])

    def _state(self, cells: Array) -> Array:
        """Return for each table, ``(T, S, 2)``, whether the maximum of the likelihood exists."""
        inside = cells[:, self.finite] > 0
        wrong = cells[:, self.logits == -np.inf, 1].sum(-1) + cells[:, self.logits == np.inf, 0].sum(-1) > 0
        state = np.zeros(len(cells), dtype=np.intp)
        if not self.finite.any():
            state[:] = ONE_CLASS
        elif self.is_free:
            lowest = inside.argmax(1)
            highest = inside.shape[1] - 1 - inside[:, ::-1].argmax(1)
            overlap = (lowest < highest[:, ::-1]).all(-1)
            state[~overlap] = SEPARATED
            state[lowest.min(-1) == highest.max(-1)] = CONSTANT
        state[~inside.any(1).all(-1)] = ONE_CLASS
        state[wrong] = CERTAIN
        return state
