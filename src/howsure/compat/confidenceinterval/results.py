"""Results in the form of that package: the value and its limits, or only the value."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from howsure.compat.differences import say_once
from howsure.errors import one_of
from howsure.estimates.estimate import Estimate

Limits = tuple[float, float]
Result = Estimate | tuple[Estimate, Limits]
INSIDE = {"normal": "delta", "takahashi": "delta", "delong_wald": "delong"}  # plain normal intervals → on a scale
LEAVES = (
    "The plain normal interval leaves [0, 1] here or shrinks to a point, as confidenceinterval returns it; this one is "
    "of the same standard error on the logit scale."
)


def scored(score: Callable[..., Any], method: str, known: Collection[str], **arguments: object) -> Estimate:
    """Return the estimate of a function of howsure by one of the methods of that package."""
    one_of("method", method, known)
    found: Estimate = score(method=method, **arguments)
    if method not in INSIDE or 0 <= found.low < found.high <= 1:
        return found
    say_once(LEAVES)
    inside: Estimate = score(method=INSIDE[method], **arguments)
    return inside


def result(found: Estimate, compute_ci: object) -> Result:
    """Return the value with its limits, or only the value."""
    return (found, (found.low, found.high)) if compute_ci else found
