"""Metrics of decisions: net benefit and its relatives, and the expected cost and utility of a case.

Each is a mean utility: every outcome of a case has a utility, and the metric is its mean over the cases, or over a
population with a stated prevalence.
"""

from __future__ import annotations

import math

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, of_per_cent
from howsure.metrics.forms import divide
from howsure.metrics.registry import cells_ratio, outcomes_metric

Bounds = tuple[float, float]
OWN = math.nan  # prevalence: that of the table


def odds(threshold: float) -> float:
    """Return t / (1 − t), the number of true positives that a false positive costs; refuse a t outside (0, 1).

    Parameters
    ----------
    threshold : float
        The risk t at which a decision maker is indifferent between treating and not treating.

    Examples
    --------
    >>> round(odds(0.2), 3)
    0.25
    """
    if 0 < threshold < 1:
        return threshold / (1 - threshold)
    hint = of_per_cent(threshold)
    raise HowsureError(
        f"`threshold` of a net benefit is a risk between 0 and 1, both excluded, not {threshold:g}.{hint}"
    )


def _share(prevalence: float) -> float:
    if not (math.isnan(prevalence) or 0 < prevalence < 1):
        raise HowsureError(
            f"`prevalence` lies between 0 and 1, both excluded, not {prevalence:g}.{of_per_cent(prevalence)}"
        )
    return prevalence


def _mean(outcomes: tuple[Array, Array, Array, Array], utilities: tuple[float, ...], prevalence: float) -> Array:
    """Return the mean utility of cases with these outcomes, reweighted to a stated prevalence."""
    share = _share(prevalence)
    tp, fn, fp, tn = (utility * number for utility, number in zip(utilities, outcomes, strict=True))
    positive, negative = outcomes[0] + outcomes[1], outcomes[2] + outcomes[3]
    if math.isnan(share):
        return divide(tp + fn + fp + tn, positive + negative)
    return share * divide(tp + fn, positive) + (1 - share) * divide(fp + tn, negative)


def _bounds(utilities: tuple[float, ...], prevalence: float) -> Bounds:
    """Return the range of the mean utility."""
    share = _share(prevalence)
    ends = []
    for end in (min, max):
        positive, negative = end(utilities[:2]), end(utilities[2:])
        ends.append(end(positive, negative) if math.isnan(share) else share * positive + (1 - share) * negative)
    return ends[0], ends[1]


def _net_benefit_bounds(_: int, threshold: float, prevalence: float = OWN) -> Bounds:
    return _bounds((1.0, 0.0, -odds(threshold), 0.0), prevalence)


@outcomes_metric(range=_net_benefit_bounds, aliases=("nb",), cuts_scores=True)
def net_benefit(tp: Array, fn: Array, fp: Array, tn: Array, threshold: float, prevalence: float = OWN) -> Array:
    """Net benefit of acting on the predictions, (tp - w fp) / n, with w = t / (1 - t) at threshold t."""
    return _mean((tp, fn, fp, tn), (1.0, 0.0, -odds(threshold), 0.0), prevalence)


def _standardized_bounds(_: int, threshold: float, prevalence: float = OWN) -> Bounds:
    if math.isnan(_share(prevalence)):
        return -math.inf, 1.0
    return -odds(threshold) * (1 - prevalence) / prevalence, 1.0


@outcomes_metric(
    range=_standardized_bounds,
    aliases=("standardised_net_benefit", "snb"),
    cuts_scores=True,
)
def standardized_net_benefit(
    tp: Array, fn: Array, fp: Array, tn: Array, threshold: float, prevalence: float = OWN
) -> Array:
    """Net benefit over its maximum, the prevalence: (tp - w fp) / (tp + fn) with w = t / (1 - t)."""
    weight, share = odds(threshold), _share(prevalence)
    if math.isnan(share):
        return divide(tp - weight * fp, tp + fn)
    return divide(tp, tp + fn) - weight * (1 - share) / share * divide(fp, fp + tn)


def _avoided_bounds(_: int, threshold: float, prevalence: float = OWN) -> Bounds:
    return _bounds((0.0, -1 / odds(threshold), 0.0, 1.0), prevalence)


@outcomes_metric(
    range=_avoided_bounds,
    aliases=("net_interventions_avoided", "net_intervention_avoided"),
    cuts_scores=True,
)
def interventions_avoided(
    tp: Array, fn: Array, fp: Array, tn: Array, threshold: float, prevalence: float = OWN
) -> Array:
    """Net interventions avoided a case, against treating everyone: (tn - fn / w) / n with w = t / (1 - t)."""
    return _mean((tp, fn, fp, tn), (0.0, -1 / odds(threshold), 0.0, 1.0), prevalence)


def _cost_bounds(
    _: int, cost_fp: float, cost_fn: float, cost_tp: float = 0.0, cost_tn: float = 0.0, prevalence: float = OWN
) -> Bounds:
    low, high = _bounds((cost_tp, cost_fn, cost_fp, cost_tn), prevalence)
    if low == high:
        raise HowsureError(f"The expected cost of a case is {low:g} whatever is predicted. Give costs that differ.")
    return low, high


@outcomes_metric(range=_cost_bounds, better="lower")
def expected_cost(
    tp: Array,
    fn: Array,
    fp: Array,
    tn: Array,
    *,
    cost_fp: float,
    cost_fn: float,
    cost_tp: float = 0.0,
    cost_tn: float = 0.0,
    prevalence: float = OWN,
) -> Array:
    """Mean cost of a case, (cost_fp fp + cost_fn fn + cost_tp tp + cost_tn tn) / n."""
    return _mean((tp, fn, fp, tn), (cost_tp, cost_fn, cost_fp, cost_tn), prevalence)


def _matrix(text: str, size: int) -> Array:
    """Return the utilities that a text states, rows of the true classes separated by slashes."""
    try:
        found = [[float(each) for each in row.split(",")] for row in text.split("/")]
    except ValueError:
        found = []
    if [len(row) for row in found] != [size] * size or not np.isfinite(found).all():
        rows = "/".join(",".join("…" for _ in range(size)) for _ in range(size))
        raise HowsureError(
            f"`utilities` of `expected_utility` is '{text}'. Give {size} rows of {size} finite numbers, "
            f"'utilities={rows}': a row for each true class, in the order of the labels, and in it a number for each "
            "predicted class."
        )
    return np.array(found)


def _utility_bounds(size: int, utilities: str) -> Bounds:
    found = _matrix(utilities, size)
    low, high = float(found.min()), float(found.max())
    if low == high:
        raise HowsureError(
            f"The expected utility of a case is {low:g} whatever is predicted. Give utilities that differ."
        )
    return low, high


@cells_ratio(range=_utility_bounds, is_ordinal=True)
def expected_utility(size: int, utilities: str) -> tuple[Array, Array]:
    """Mean utility of a case, from the utility of each predicted class for each true class."""
    return _matrix(utilities, size), np.ones((size, size))
