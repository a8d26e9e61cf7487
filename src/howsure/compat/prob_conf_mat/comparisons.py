"""Comparisons of experiments from their draws, pair by pair and all at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.comparison.result import Comparison
from howsure.comparison.rope import odds_ratio, region_shares, share_within
from howsure.estimates.estimate import Estimate
from howsure.methods.numerics.draw_summaries import Summary, summarise

SHARE_OF_DEVIATION = 0.1  # of the difference's draws: the region of no difference there, unless one is named
# Makowski and others (2019), Frontiers in Psychology 10: words for a probability of direction, and of equivalence.
DIRECTION = ((0.999, "certain"), (0.99, "probable"), (0.97, "likely"), (0.95, "possible"), (-1.0, "dubious"))
SIGNIFICANCE = (
    (0.99, "negligible"),
    (0.975, "probably negligible"),
    (0.025, "undecided"),
    (0.01, "probable"),
    (-1.0, "certain"),
)


@dataclass(frozen=True, eq=False)
class PairwiseComparisonResult:
    """The difference of two experiments from their draws, with the region of practical equivalence."""

    lhs_name: str
    rhs_name: str
    metric: Any
    observed_diff: float | None
    min_sig_diff: float
    comparison: Comparison
    p_rope_random: float
    bf_rope: float

    @property
    def diff_dist(self) -> Array:
        """Draws of the difference."""
        return np.asarray(self.comparison.draws)

    @property
    def diff_dist_summary(self) -> Summary:
        """Summary of these draws."""
        return self.comparison.summary()

    @property
    def direction(self) -> str:
        """``"positive"`` or ``"negative"``, by the median."""
        return "positive" if self.diff_dist_summary.median > 0 else "negative"

    @property
    def p_direction(self) -> float:
        """Proportion of the draws on the median's side of 0."""
        sign = 1 if self.direction == "positive" else -1
        return float((sign * self.diff_dist > 0).mean())

    @property
    def p_direction_interpretation(self) -> str:
        """The same in a word."""
        return next(word for limit, word in DIRECTION if self.p_direction > limit)

    @property
    def p_sig_neg(self) -> float:
        """Proportion of the draws below the region of practical equivalence."""
        return float((self.diff_dist < -self.min_sig_diff).mean())

    @property
    def p_sig_pos(self) -> float:
        """Proportion of the draws above it."""
        return float((self.diff_dist > self.min_sig_diff).mean())

    @property
    def p_rope(self) -> float:
        """Proportion of the draws inside it."""
        return 1 - self.p_bi_sig

    @property
    def p_bi_sig(self) -> float:
        """Proportion of the draws outside it, on either side."""
        return self.p_sig_neg + self.p_sig_pos

    @property
    def p_bi_sig_interpretation(self) -> str:
        """The same in a word."""
        return next(word for limit, word in SIGNIFICANCE if self.p_rope > limit)

    @property
    def p_uni_sig(self) -> float:
        """Proportion of the draws outside it, on the median's side."""
        return self.p_sig_pos if self.direction == "positive" else self.p_sig_neg

    def template_sentence(self, precision: int = 4) -> str:
        """Return the comparison in words."""
        shares = f"{self.p_sig_neg:.{precision}f}, {self.p_rope:.{precision}f} and {self.p_sig_pos:.{precision}f}"
        return (
            f"{self.comparison.sentence()} Of its draws {shares} lie below, inside and above "
            f"±{self.min_sig_diff:.{precision}f}."
        )


def compared(
    metric: Any,
    sides: tuple[tuple[str, float, Array], tuple[str, float, Array]],
    level: float,
    min_sig_diff: float | None,
    guesses: Array | None,
) -> PairwiseComparisonResult:
    """Return the difference of two sides, each (name, observed value, draws)."""
    difference = sides[0][2] - sides[1][2]
    width = SHARE_OF_DEVIATION * float(np.nanstd(difference)) if min_sig_diff is None else float(min_sig_diff)
    region = (-width, width)
    by_chance = None if guesses is None or width <= 0 else share_within(guesses, region)
    observed = sides[0][1] - sides[1][1]
    a, b = (_estimate(metric, value, draws, level) for _, value, draws in sides)
    found = summarise(difference, level)
    comparison = Comparison(
        metric=metric.name,
        contrast="difference",
        a=a,
        b=b,
        names=(sides[0][0], sides[1][0]),
        value=observed if math.isfinite(observed) else found.mean,
        low=found.low,
        high=found.high,
        p_value=math.nan,
        standard_error=found.standard_deviation,
        confidence_level=level,
        method="bayes",
        draws=difference,
        rope=region_shares(region, difference) if width > 0 else None,
    )
    factor = math.nan if by_chance is None else odds_ratio(share_within(difference, region), by_chance).value
    return PairwiseComparisonResult(
        sides[0][0],
        sides[1][0],
        metric,
        observed if math.isfinite(observed) else None,
        width,
        comparison,
        math.nan if by_chance is None else by_chance.value,
        factor,
    )


def _estimate(metric: Any, value: float, draws: Array, level: float) -> Estimate:
    found = summarise(draws, level)
    return Estimate(
        value if math.isfinite(value) else found.mean,
        low=found.low,
        high=found.high,
        metric=metric.name,
        confidence_level=level,
        method="bayes",
        standard_error=found.standard_deviation,
        draws=draws,
    )


@dataclass(frozen=True, eq=False)
class ListwiseComparisonResult:
    """The probability of each rank for each experiment, the likely best first."""

    experiment_names: list[str]
    metric: Any
    p_rank_given_experiment: Array

    @property
    def p_experiment_given_rank(self) -> Array:
        """The same, ranks down and experiments across."""
        return self.p_rank_given_experiment.T
