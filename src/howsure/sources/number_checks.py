"""Checks for implausible columns of numbers, such as scores and grades, which ``check=False`` skips."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from howsure.arrays import Array
from howsure.errors import DoubtfulDataError
from howsure.tables.cautions import SENTINELS

DIGITS = 8  # after the point, of a mean that was rounded
MANY_TERMS = 9  # smallest number of terms at which an equal sum is not a coincidence
PER_CENT = 100.0
LIKE = 3.0  # largest ratio of the means of two models that are compared
FEWEST = 4  # distinct numbers beside a mark for a missing one
HALF = 0.5  # of the numbers; more are no marks
FAR = 3.0  # distance of a mark from the other numbers, in ranges of these
LARGE = 99  # smallest size of a mark that is recognised by its distance alone


def refuse_marks_of_missing(argument_name: str, numbers: Array) -> None:
    """Refuse a number that stands for missing ones: −1 or −9 below numbers that are all positive, or 999 far from all.

    Below fractions the number may be next to them; below whole numbers it is not the next one, as −1 below 0 to 10 may
    be a grade.
    """
    if not len(numbers) or numbers.dtype.kind not in "iuf":
        return
    for mark in {float(numbers.min()), float(numbers.max())} & SENTINELS:
        others = numbers[numbers != mark]
        if len(others) < HALF * len(numbers) or len(np.unique(others[: 2**10])) < FEWEST:
            continue
        low, high = float(others.min()), float(others.max())
        gap = max(low - mark, mark - high)
        is_next = bool(np.all(others == np.floor(others))) and gap < 2
        if (mark < 0 <= low and not is_next) or (abs(mark) >= LARGE and gap > FAR * (high - low)):
            raise DoubtfulDataError(
                f"`{argument_name}` holds {mark:g}, and otherwise {low:g} to {high:g}: a mark for a missing number, it "
                "seems. Leave these cases out."
            )


def refuse_last_sum(argument_name: str, numbers: Array) -> None:
    """Refuse a column whose last number is the sum of the others, and larger than each of them."""
    others = numbers[:-1]
    if len(others) < MANY_TERMS:
        return
    _refuse_last_mean(argument_name, others, float(numbers[-1]))
    if not numbers[-1] > others.max() or others.min() < 0:
        return
    if abs(others.sum() - numbers[-1]) <= 1e-12 * numbers[-1]:
        raise DoubtfulDataError(
            f"The last number of `{argument_name}`, {numbers[-1]:g}, is the sum of the others: a total, it seems. "
            "Leave it out."
        )


def _refuse_last_mean(argument_name: str, others: Array, last: float) -> None:
    """Refuse a last number that is the mean of the others and none of them; among whole numbers also a rounded one."""
    mean = float(others.mean())
    digits = len(repr(last).partition(".")[2]) if np.array_equal(others, np.floor(others)) and last % 1 else 0
    margin = 10.0**-digits / 2 if 1 < digits <= DIGITS else 0.0
    if abs(mean - last) <= margin + 1e-12 * abs(mean) and not np.any(others == last):
        raise DoubtfulDataError(
            f"The last number of `{argument_name}`, {last:g}, is the mean of the others: a row of averages, it seems. "
            "Leave it out."
        )


def refuse_other_units(numbers: Mapping[str, Array]) -> None:
    """Refuse models of which one has shares and another percentages: about a hundred times as large, and up to 100.

    Parameters
    ----------
    numbers : mapping of str to ndarray
        The numbers of each model, by its name in errors.
    """
    inside = {name: each for name, each in numbers.items() if each.min() >= 0 and each.mean() > 0}
    shares = {name: each.mean() for name, each in inside.items() if each.max() <= 1}
    percentages = {name: each.mean() for name, each in inside.items() if 1 < each.max() <= PER_CENT}
    for (name, mean), (other, share) in product(percentages.items(), shares.items()):
        if PER_CENT / LIKE <= mean / share <= PER_CENT * LIKE:
            raise DoubtfulDataError(
                f"`{name}` has numbers up to {numbers[name].max():g} and `{other}` up to {numbers[other].max():g}: "
                "percentages and shares, it seems. Divide the percentages by 100."
            )
