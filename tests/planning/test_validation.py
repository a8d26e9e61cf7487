"""What a plan may be asked, and what it is asked then."""

import math

import numpy as np
import pytest

import howsure as hs
from howsure.methods.core.interval_spec import IntervalSpec
from howsure.metrics.contrast import EFFECTS
from howsure.planning import validation
from howsure.planning.pilots import Pilot

TABLE = hs.from_counts([[50, 3], [5, 42]], labels=["no", "yes"])
ONE = Pilot.of((TABLE,), "accuracy", effect=EFFECTS["difference"])  # 0.92
TWO = Pilot.of((TABLE, hs.from_counts([[40, 13], [9, 38]])), "accuracy", effect=EFFECTS["difference"])
RATIO = Pilot.of(TWO.tables, "accuracy", effect=EFFECTS["ratio"])
BOTH, GREATER, LESS = (IntervalSpec(0.95, each) for each in ("two-sided", "greater", "less"))
INF = math.inf


@pytest.mark.parametrize(
    "width, span, words", [(0.0, 1, "`width` is 0"), (INF, 1, "inf"), (1.0, 1, "values, 1:"), (2, 2, "values, 2:")]
)
def test_widths_are_positive_and_below_the_range(width, span, words):
    """Any study has an interval that is as wide as the range; one limit has no width."""
    assert validation.checked_width(0.999, BOTH, 1.0) == 0.999
    with pytest.raises(hs.HowsureError, match=words):
        validation.checked_width(width, BOTH, span)
    for sides in (GREATER, LESS):
        with pytest.raises(hs.HowsureError, match="two limits"):
            validation.checked_width(0.1, sides, 1.0)


@pytest.mark.parametrize("power, hint", [(0, ""), (1, ""), (1.5, ""), (80, "0.8"), (100, ""), (-1, ""), (99, "0.99")])
def test_powers_are_chances(power, hint):
    """A power is strictly between 0 and 1; one in percent is understood, and not taken."""
    assert validation.checked_power(0.01) == 0.01
    with pytest.raises(hs.HowsureError, match="between 0 and 1") as caught:
        validation.checked_power(power)
    assert ("Did you mean" in str(caught.value)) == bool(hint)
    assert str(caught.value).endswith(f"Did you mean {hint}?" if hint else f"not {power!r}.")


@pytest.mark.parametrize(
    "pilot, null, margin, sides, expected",
    [
        (ONE, None, None, BOTH, ()),
        (ONE, 0.8, None, BOTH, ((0.8, INF), (-INF, 0.8))),
        (ONE, 0.8, None, GREATER, ((0.8, INF),)),
        (ONE, 0.8, None, LESS, ((-INF, 0.8),)),
        (ONE, 0.8, 0.125, BOTH, ((0.675, 0.925),)),
        (ONE, 0.8, 0.125, GREATER, ((0.675, INF),)),
        (ONE, 0.8, 0.125, LESS, ((-INF, 0.925),)),
        (ONE, None, (0.75, 0.95), BOTH, ((0.75, 0.95),)),
        (TWO, None, None, BOTH, ((0, INF), (-INF, 0))),
        (TWO, None, 0.25, BOTH, ((-0.25, 0.25),)),
        (TWO, 0.5, 0.25, BOTH, ((0.25, 0.75),)),
        (RATIO, None, None, GREATER, ((1, INF),)),
        (RATIO, None, 1.25, BOTH, ((0.8, 1.25),)),
        (RATIO, None, 1.25, GREATER, ((0.8, INF),)),
        (RATIO, 2.0, 4.0, BOTH, ((0.5, 8.0),)),
    ],
)
def test_regions_are_those_of_the_hypothesis(pilot, null, margin, sides, expected):
    """Above or below a value, off it, or within a margin of it: differences add it, ratios multiply it."""
    assert validation.regions_of(pilot, null, margin, sides) == expected


@pytest.mark.parametrize(
    "pilot, null, margin, words",
    [
        (ONE, None, 0.1, "lies around a value"),
        (ONE, INF, None, "finite number"),
        (ONE, 0.8, 0.0, "a positive number"),
        (ONE, 0.8, INF, "a positive number"),
        (RATIO, None, 1.0, "a ratio above 1"),
        (RATIO, None, 0.5, "a ratio above 1"),
        (TWO, None, (0.1, 0.1), "both ends in order"),
        (TWO, None, (0.2, 0.1), "both ends in order"),
        (TWO, None, (-INF, 0.1), "both ends in order"),
        (TWO, None, (-0.1, INF), "both ends in order"),
        (TWO, None, (-0.1, 0.0, 0.1), "both ends in order"),
    ],
)
def test_margins_that_bound_nothing_are_refused(pilot, null, margin, words):
    """A margin is finite and on both sides of a value."""
    with pytest.raises(hs.HowsureError, match=words):
        validation.regions_of(pilot, null, margin, BOTH)


def test_a_truth_outside_of_the_regions_is_never_shown():
    """The true value must lie strictly inside one of the regions."""
    value = ONE.value
    for regions in (((0.9, INF),), ((0.95, INF), (-INF, 0.95)), ((0.9, 0.94),)):
        validation.refuse_outside(ONE, regions)
    for regions, words in (
        (((value, INF),), "between 0.92 and ∞"),
        (((-INF, value),), "between −∞ and 0.92"),
        (((0.95, INF), (-INF, 0.9)), "between 0.95 and ∞ or between −∞ and 0.9"),
    ):
        with pytest.raises(hs.HowsureError, match=words):
            validation.refuse_outside(ONE, regions)


def test_least_numbers_of_classes_are_by_class():
    """One number is of each class, a mapping is of those named; classes without a case have no known frequency."""
    assert validation.least_of_classes(30, TABLE).tolist() == [30, 30]
    assert validation.least_of_classes({"yes": 20}, TABLE).tolist() == [0, 20]
    absent = hs.from_counts([[5, 1], [0, 0]], labels=["no", "yes"])
    assert validation.least_of_classes({"no": 20}, absent).tolist() == [20, 0]
    for table, support, words in (
        (absent, {"yes": 1}, "no case of class 'yes'"),
        (absent, 3, "no case of class 'yes'"),
        (TABLE, -1, "`support`"),
        (TABLE, {"yes": 2.5}, r"support\['yes'\]"),
        (hs.values([0.5, 1.0]), 3, "one class each"),
        (hs.confusion([[0, 1], [1, 0]], [[0, 1], [1, 1]]), 3, "one class each"),
        (TABLE.with_design(hs.designs.FixedMargins()), 3, "fixes the numbers"),
        (hs.confusion([0, 1], [0, 1], sample_weight=[1.0, 2.0]), 1, "counts cases"),
        (hs.calibrated(np.array([[0.2, 0.8], [0.7, 0.3]])), 1, "counts cases"),
    ):
        with pytest.raises(hs.HowsureError, match=words):
            validation.least_of_classes(support, table)


@pytest.mark.parametrize(
    "null, words",
    [(80, r"outside of the range of `accuracy`, 0 to 1\. Did you mean 0\.8"), (-0.1, "Give a value within it")],
)
def test_a_null_value_lies_within_the_metrics_range(null, words):
    """No study is needed to show that an accuracy is not 80."""
    with pytest.raises(hs.HowsureError, match=words) as caught:
        hs.plan(TABLE, "accuracy", power=0.8, null=null)
    assert caught.value.code == "invalid-argument"
    with pytest.raises(hs.HowsureError, match=r"any study reaches it\. Did you mean 0\.1\?"):
        hs.plan(TABLE, "accuracy", width=10)
    with pytest.raises(hs.HowsureError, match=r"lies within it in any study\. Did you mean 0\.05\?"):
        hs.plan(TWO.tables[1], TWO.tables[1], "accuracy", power=0.8, margin=5)
