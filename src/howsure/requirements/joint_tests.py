"""`joint_test`: whether several metrics all exceed their bounds (intersection–union test)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.arrays import Seed
from howsure.errors import HowsureError
from howsure.estimates.batched_intervals import method_and_table
from howsure.estimates.estimate import Estimate, positive_notes
from howsure.estimates.estimation import estimate
from howsure.estimates.grouped import apply_by_group
from howsure.grids import Grid, Tabular
from howsure.methods.core.draws import seed_sequence
from howsure.methods.core.interval_spec import Alternative, IntervalSpec
from howsure.methods.core.lookup import named
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.methods.proportions.proportion import ClopperPearson
from howsure.metrics.binding import resolve
from howsure.metrics.metric import Metric
from howsure.numbers import number, p_cell, p_text, percent, significant_decimals
from howsure.requirements.regions import one_model, thresholds
from howsure.requirements.requirement import Asked, Requirement, listed_requirements
from howsure.requirements.risk_tests import binomial_p_values, exact_binomial, has_counts
from howsure.tables.table import Table


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class JointTest(Tabular):
    """Test that several metrics all exceed, or stay below, their bounds; made by `joint_test`.

    Parameters
    ----------
    requirements : tuple of str
        The requirements as text.
    estimates : tuple of Estimate
        The metrics, each with its one-sided confidence limit.
    bounds : tuple of float
        The bounds.
    p_values : tuple of float
        One-sided p-value of each requirement; nan if it is undefined.
    confidence_level : float
        Confidence level of the limits; the significance level of the test is 1 minus it.

    Examples
    --------
    >>> import howsure as hs
    >>> found = hs.joint_test(hs.from_counts([[90, 3], [2, 85]]), ["sensitivity>0.9", "specificity>0.9"])
    >>> found.shown, round(found.p_value, 4), [round(each, 4) for each in found.p_values]
    (True, 0.0134, [0.0059, 0.0134])
    """

    requirements: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    bounds: tuple[float, ...]
    p_values: tuple[float, ...]
    confidence_level: float

    @property
    def p_value(self) -> float:
        """P-value of the statement that all requirements are met: the largest one; nan if one is undefined."""
        return float(np.max(self.p_values))

    @property
    def shown(self) -> bool:
        """Whether all requirements are shown to be met: the p-value is at most 1 minus the confidence level."""
        return self.p_value <= 1 - self.confidence_level

    @property
    def failures(self) -> tuple[str, ...]:
        """Sentences about the requirements that are not shown to be met."""
        return tuple(
            f"{text} is not shown: {found}, {p_text(p)}"
            for text, found, p in zip(self.requirements, self.estimates, self.p_values, strict=True)
            if not p <= 1 - self.confidence_level
        )

    def sentence(self) -> str:
        """Return the result as a sentence.

        Examples
        --------
        >>> import howsure as hs
        >>> table = hs.from_counts([[90, 3], [2, 85]])
        >>> print(hs.joint_test(table, ["sensitivity>0.9", "specificity>0.9"]).sentence())
        Shown: sensitivity > 0.9 and specificity > 0.9 (one-sided intersection–union test, p = 0.013, level 0.05).
        """
        level = f"level {1 - self.confidence_level:.3g}"
        wanted = " and ".join(self.requirements)
        kind = "intersection–union test" if len(self.requirements) > 1 else "test"
        return (
            f"{'Shown' if self.shown else 'Not shown'}: {wanted} (one-sided {kind}, {p_text(self.p_value)}, {level})."
        )

    def records(self) -> list[dict[str, Any]]:
        """Return one flat dict per requirement."""
        return [
            {
                "requirement": text,
                "metric": found.label,
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "bound": bound,
                "p_value": p,
                "shown": bool(p <= 1 - self.confidence_level),
                "confidence_level": self.confidence_level,
                "method": found.method,
                "positive": found.positive,
                "reason": found.reason if np.isnan(p) else "",
            }
            for text, found, bound, p in zip(self.requirements, self.estimates, self.bounds, self.p_values, strict=True)
        ]

    def grid(self) -> Grid:
        """Return a table of strings with one row per requirement."""
        rows = []
        for each, found in zip(self.records(), self.estimates, strict=True):
            decimals = significant_decimals(found.low, found.high)
            limit = number(found.low if ">" in each["requirement"].split(found.label, 1)[1] else found.high, decimals)
            shown = "yes" if each["shown"] else "no"
            rows.append((each["requirement"], number(found.value, decimals), limit, p_cell(each["p_value"]), shown))
        headers = ("requirement", "value", f"{percent(self.confidence_level)} limit", "p", "shown")
        notes = [self.sentence(), *dict.fromkeys(each["reason"] for each in self.records() if each["reason"])]
        return Grid(headers, tuple(rows), "\n".join([*notes, *positive_notes(self.estimates)]))


@apply_by_group
def joint_test(
    table: Table,
    requirements: Asked | Sequence[Asked],
    *,
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    threshold: float | None = None,
    random_state: Seed = None,
) -> JointTest:
    """Test whether all of several requirements are met, such as "sensitivity above 0.9 and specificity above 0.8".

    Parameters
    ----------
    table : Table or Tables
        A table, or the tables of groups.
    requirements : str, tuple or sequence of them
        Requirements such as ``"recall>0.9"`` or ``"brier_score<0.1"``, or tuples ``(metric, ">", 0.9)``.
    method : str or Method, optional
        Method of the tests and limits. By default the exact binomial test (Clopper–Pearson) for proportions: it holds
        the level in any sample of independent cases, and takes effective sample sizes for weights and clusters. Other
        metrics have their default method.
    confidence_level : float
        Confidence level of the one-sided limits, above 0.5; the test has level 1 minus it.
    threshold : float, optional
        Threshold for metrics of counts on a table of scores.
    random_state : int, Generator, SeedSequence or None
        Seed of methods that draw.

    Returns
    -------
    JointTest
        For `Tables`, a `Grouped` of such results.

    Raises
    ------
    HowsureError
        If a requirement, the method, the level or the threshold is not valid, or the method has no test.

    Notes
    -----
    The null hypothesis is that at least one requirement is not met, a union of hypotheses. It is rejected if each
    requirement is shown by its own one-sided test at the full level, so the p-value is the largest of theirs (Berger
    1982). No correction for the number of requirements is needed, whatever the correlation of the metrics. The test of
    one metric inverts its interval: a requirement is shown if the one-sided limit is beyond the bound.

    References
    ----------
    Berger (1982), Technometrics 24:295–300; Korn, Graubard (1998), Survey Methodology 24:193–201.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.joint_test(hs.from_counts([[90, 3], [2, 85]]), ["sensitivity>0.9", "specificity>0.95"]))
    requirement         value  95 % limit      p  shown
    ───────────────────────────────────────────────────
    sensitivity > 0.9   0.977       0.929  0.006    yes
    specificity > 0.95  0.968       0.919  0.311     no
    Not shown: sensitivity > 0.9 and specificity > 0.95 (one-sided intersection–union test, p = 0.311, level 0.05).
    """
    one, seed = one_model(table, "joint_test"), seed_sequence(random_state)
    asked, chosen = listed_requirements(requirements), named(method)
    found, p_values = [], []
    for each, at in zip(asked, thresholds([each.metric for each in asked], threshold), strict=True):
        sides = IntervalSpec.checked(confidence_level, _side(each))
        metric = resolve(each.metric, one, threshold=at)
        each.check(metric)
        test = exact_binomial(metric, one) if chosen is None else chosen
        settings: dict[str, Any] = {"method": test, "threshold": at, "random_state": seed}
        own = estimate(one, each.metric, confidence_level=sides.level, alternative=sides.alternative, **settings)
        found.append(own)
        p_values.append(_p_value(metric, one, sides, test, each, seed))
        if np.isnan(p_values[-1]) and not np.isnan(own.value) and not np.isnan([own.low, own.high]).any():
            raise HowsureError(f"`{own.method}` has no test for `{own.label}`. Use another `method`.")
    return JointTest(
        requirements=tuple(each.text(own.label) for each, own in zip(asked, found, strict=True)),
        estimates=tuple(found),
        bounds=tuple(each.bound for each in asked),
        p_values=tuple(p_values),
        confidence_level=IntervalSpec.checked(confidence_level, "greater").level,
    )


def _side(requirement: Requirement) -> Alternative:
    return "greater" if requirement.is_above else "less"


def _p_value(
    metric: Metric, table: Table, sides: IntervalSpec, method: Method | None, requirement: Requirement, seed: Seed
) -> float:
    """Return the one-sided p-value of a requirement, of the method whose interval `estimate` returns."""
    chosen, same, small = method_and_table(metric, table, sides.form_of(method))
    value = float(np.asarray(same.value_at(small.counted)))
    if isinstance(chosen, ClopperPearson) and same.proportion is not None and has_counts(small) and not np.isnan(value):
        # Its two-sided p-value ends at 1, so that no one-sided one above 1/2 follows from it.
        return float(binomial_p_values(same.proportion, requirement, small.counts[None])[0])
    two_sided = chosen.p_value(same, small, requirement.bound, rng=seed)
    return float(sides.p_value(two_sided, value, requirement.bound))
