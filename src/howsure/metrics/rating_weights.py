"""How near two categories are to each other: weights of agreement, and distances of disagreement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from howsure.arrays import Floats
from howsure.errors import HowsureError, one_of
from howsure.metrics.forms import divide
from howsure.tables.ratings import RatingsTable

IDENTITY = "identity"
UNORDERED_SIZE = 2  # categories, whose order makes no difference


def _between(numbers: Floats) -> Floats:
    return np.abs(numbers[:, None] - numbers)


def _ratio(numbers: Floats) -> Floats:
    total = numbers[:, None] + numbers
    share = np.divide(_between(numbers), total, out=np.zeros(total.shape), where=total != 0)
    return np.asarray(share**2)


def _of_places(places: Floats) -> Floats:
    steps = _between(places)
    return np.asarray(steps * (steps + 1) / 2)


# By name: categories as numbers → how far they are apart; weights are 1 less that, over its largest.
APART: dict[str, Callable[[Floats], Floats]] = {
    IDENTITY: lambda numbers: 1.0 - np.eye(len(numbers)),
    "linear": _between,
    "quadratic": lambda numbers: _between(numbers) ** 2,
    "ordinal": _of_places,
    "radical": lambda numbers: np.sqrt(_between(numbers)),
    "ratio": _ratio,
}
KEEPS_BOUND = {IDENTITY, "linear", "quadratic", "radical", "ratio"}  # distances of negative type: see `ratings`


def weights_of(name: str, table: RatingsTable) -> Floats:
    """Return the weights of agreement of each two categories, 1 of one and the same, ``(K, K)``.

    Categories that are numbers are as far apart as these, others, and all for ordinal weights, as their places in the
    order.

    Raises
    ------
    HowsureError
        If there is no such kind, or the order of the categories is not known.
    """
    one_of("kind of weights", name, APART)
    if name == IDENTITY:
        return np.eye(len(table.labels))
    numbers = table.numbers
    if name == "ratio":
        numbers = ratio_scale("weights=ratio", table)
    elif numbers is None or name == "ordinal":
        numbers = np.arange(float(len(ordered(f"weights={name}", table).labels)))
    apart = APART[name](numbers)
    return np.asarray(1 - apart / max(float(apart.max()), np.finfo(float).tiny))


def ordered(asked: str, table: RatingsTable) -> RatingsTable:
    """Return a table unchanged; raise an error if the order of its categories is unknown.

    Raises
    ------
    HowsureError
        If the order is not known.
    """
    if table.is_ordered or len(table.labels) <= UNORDERED_SIZE:
        return table
    first, second = table.labels.tolist()[:2]
    raise HowsureError(
        f"`{asked}` needs the order of the categories: state it, from the lowest to the highest, as in "
        f"`ratings(…, labels=[{first!r}, {second!r}, …])`."
    )


def numeric(asked: str, table: RatingsTable) -> Floats:
    """Return the categories as numbers; raise an error for other categories.

    Raises
    ------
    HowsureError
        If they are no numbers.
    """
    if table.numbers is None:
        raise HowsureError(f"`{asked}` needs ratings that are numbers, and {table.labels.tolist()[0]!r} is none.")
    return table.numbers


def ratio_scale(asked: str, table: RatingsTable) -> Floats:
    """Return the categories as numbers of at least 0; raise an error for others.

    Raises
    ------
    HowsureError
        If they are no numbers, or some are negative.
    """
    numbers = numeric(asked, table)
    if numbers.min() < 0:
        raise HowsureError(
            f"`{asked}` needs ratings of at least 0, and there is {numbers.min():g}. Use 'interval' or 'quadratic'."
        )
    return numbers


def distances_of(level: str, table: RatingsTable) -> Floats:
    """Return Krippendorff's squared distance between each two categories, for a level that does not depend on counts.

    Parameters
    ----------
    level : {"nominal", "interval", "ratio"}
        The level of measurement.
    table : RatingsTable
        Its categories.
    """
    if level == "nominal":
        return 1.0 - np.eye(len(table.labels))
    if level == "ratio":
        return _ratio(ratio_scale("level=ratio", table))
    numbers = numeric("level=interval", table)
    width = float(np.ptp(numbers))
    return np.asarray(_between(divide(numbers, np.asarray(width if width > 0 else 1.0))) ** 2)
