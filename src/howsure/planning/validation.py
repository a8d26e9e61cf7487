"""Checks of the arguments of a plan: widths, power, regions, and cases of each class."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.errors import INVALID_ARGUMENT, HowsureError, of_per_cent, real_number, whole_number
from howsure.methods.core.interval_spec import IntervalSpec
from howsure.planning.clustered import has_weights
from howsure.planning.pilots import Pilot
from howsure.tables.table import Table

Regions = tuple[tuple[float, float], ...]
ASK = (
    "State the aim of the study: `width=0.05`, `power=0.8` or `support=30`; or give `n=500` for the width or the "
    "power of 500 cases."
)


def checked_width(width: object, sides: IntervalSpec, span: float) -> float:
    """Return a valid width of an interval; refuse other values, and widths that every study reaches."""
    found = real_number("width", width)
    if not 0 < found < math.inf:
        raise HowsureError(f"`width` is {width!r}. Give a positive number, such as 0.05.")
    if sides.alternative != "two-sided":
        raise HowsureError("`width` is of an interval with two limits: drop `alternative`.")
    if found >= span:
        hint = (of_per_cent(found) if span <= 2 else "") or " Give a smaller one."
        raise HowsureError(
            f"`width` = {found:g} is not below the range of the values, {span:g}: any study reaches it.{hint}"
        )
    return found


def checked_power(power: object) -> float:
    """Return a valid power; refuse other values."""
    found = real_number("power", power)
    if not 0 < found < 1:
        raise HowsureError(
            f"`power` is the chance that the study succeeds, between 0 and 1, not {power!r}.{of_per_cent(found)}"
        )
    return found


def regions_of(pilot: Pilot, null: object, margin: Any, sides: IntervalSpec) -> Regions:
    """Return the regions; the study succeeds if its interval lies inside one of them. Empty without such a goal.

    The regions without a margin are the two sides of the null value. The region with a margin contains the values that
    are worse by less than the margin (one limit), or that differ by less (two limits).

    Parameters
    ----------
    pilot : Pilot
        The pilot of the study.
    null : float, optional
        Value to be excluded; for a comparison, by default the value for equal models.
    margin : float or tuple of two float, optional
        Largest irrelevant distance from the null value; or the limits of the irrelevant values.
    sides : Sides
        Limits of the interval: one or both.
    """
    if null is None and not pilot.is_comparison:
        if margin is not None and np.ndim(margin) == 0:
            raise HowsureError(
                "`margin` lies around a value: give it as `null=0.8`, or both ends as `margin=(0.75, 0.85)`."
            )
        if margin is None:
            return ()
    centre = pilot.effect.null if null is None else real_number("null", null)
    if not math.isfinite(centre):
        raise HowsureError(f"`null` is {null!r}: give a finite number.")
    lowest, highest = pilot.joint[1].range
    if not lowest <= centre <= highest:
        hint = (of_per_cent(centre) if highest == 1 else "") or " Give a value within it."
        raise HowsureError(
            f"`null` is {centre:g}, outside of the range of `{pilot.name}`, {lowest:g} to {highest:g}.{hint}",
            INVALID_ARGUMENT,
        )
    ratio = pilot.is_comparison and pilot.effect.null == 1
    low, high = (centre, centre) if margin is None else _ends(margin, centre, ratio=ratio)
    if margin is not None and low <= lowest and high >= highest:
        hint = (of_per_cent(margin) if np.ndim(margin) == 0 and not ratio else "") or " Give a smaller one."
        raise HowsureError(
            f"`margin` is {margin}, and `{pilot.name}` lies within it in any study.{hint}", INVALID_ARGUMENT
        )
    if sides.alternative == "greater":
        return ((low, math.inf),)
    if sides.alternative == "less":
        return ((-math.inf, high),)
    return ((centre, math.inf), (-math.inf, centre)) if margin is None else ((low, high),)


def _ends(margin: Any, centre: float, *, ratio: bool) -> tuple[float, float]:
    """Return the limits of the irrelevant values."""
    if np.ndim(margin) == 0:
        reach = real_number("margin", margin)
        if not (1 if ratio else 0) < reach < math.inf:
            words = "a ratio above 1, such as 1.25" if ratio else "a positive number, such as 0.05"
            raise HowsureError(f"`margin` is {margin!r}. Give {words}.")
        return (centre / reach, centre * reach) if ratio else (centre - reach, centre + reach)
    ends = [real_number("margin", each) for each in margin]
    if len(ends) != 2 or not -math.inf < ends[0] < ends[1] < math.inf:
        raise HowsureError(
            f"`margin` is the largest difference that does not matter, or both ends in order, not {margin!r}."
        )
    return ends[0], ends[1]


def refuse_outside(pilot: Pilot, regions: Regions) -> None:
    """Refuse regions that do not contain the true value of the pilot."""
    if not any(low < pilot.value < high for low, high in regions):
        ends = " or ".join(f"between {low:g} and {high:g}" for low, high in regions).replace("-inf", "−∞")
        raise HowsureError(
            f"`{pilot.name}` is {pilot.value:.4g} in truth, no study shows that it lies {ends.replace('inf', '∞')}. "
            "State another `true_value`, `null` or `margin`."
        )


def least_of_classes(support: object, table: Table) -> Array:
    """Return the required number of cases of each class: one number for all, or one for each named class.

    Parameters
    ----------
    support : int or mapping of labels to int
        The numbers.
    table : Table
        Table with these classes.
    """
    if not (len(table.labels) > 1 and table.kind.has_one_cell_per_case and table.kind.has_one_label_per_case):
        raise HowsureError(f"`support` is for cases of one class each, not for a {table.kind.noun}. Drop it.")
    if has_weights(table) or not table.design.traits.is_counted:
        raise HowsureError(
            "`support` counts cases, and those of the pilot have weights, strata or estimated counts. Drop it."
        )
    least = np.zeros(len(table.labels))
    if isinstance(support, Mapping):
        for label, number in support.items():
            least[table.position(label)] = whole_number(f"support[{label!r}]", number)
    else:
        least[:] = whole_number("support", support)
    if (unmet := (least > 0) & (table.class_totals == 0)).any():
        label = table.labels[unmet][0]
        raise HowsureError(
            f"The pilot has no case of class '{label}', so its frequency is unknown. State it by `from_counts`."
        )
    if table.design.traits.has_fixed_class_totals:
        raise HowsureError(
            "`support` is for random class sizes, and the design fixes the numbers of the classes. Drop it."
        )
    return least
