"""Confusion tables and areas under curves for scores with a known distribution.

All quantities follow from the distribution function F by integration by parts, so no density is needed. If ``I(t)`` is
the integral of F up to t, the positive cases below t are ``FN = t F(t) - I(t)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from howsure.arrays import Array
from howsure.cached import cached_property
from howsure.errors import HowsureError

Function = Callable[[Array], Array]
NODES = 16  # nodes of the Gauss–Legendre rule on each panel
DEPTH = 46  # halvings of the panels towards 0 and 1, where densities can be infinite
PRECISE = 1e-14  # a panel is halved if its integral differs by more than this from that of its halves
ROUNDS = 50  # of halving
NARROW, JUMP = 1e-7, 1e-4  # relative to the distance from 0 and 1: a larger rise over a smaller width is an atom
OUTSIDE = 1e-9  # mass outside [0, 1] that counts as rounding error
KERNELS = 2**20  # points of a density estimate evaluated at once
GRID = 1024  # edges of equal width, and as many of equal mass, of the table that represents the curves


class ScoreDistribution:
    """Calibrated scores with a known, continuous distribution on [0, 1].

    Parameters
    ----------
    distribution
        A frozen SciPy distribution or another object with a method ``cdf``, the distribution function itself, or a
        ``scipy.stats.gaussian_kde``, which is truncated to [0, 1].

    Raises
    ------
    HowsureError
        If it has no distribution function, mass outside [0, 1] or an atom.

    Notes
    -----
    Beta and uniform distributions have closed forms; for all others Gauss–Legendre panels are halved until the
    integral of F agrees with that of the halves to 1e-14.

    Examples
    --------
    >>> from scipy import stats
    >>> scores = ScoreDistribution(stats.uniform())
    >>> scores.cells(np.array(0.5)).tolist()
    [[0.375, 0.125], [0.125, 0.375]]
    >>> round(scores.areas["roc_auc"], 12) == round(5 / 6, 12)
    True
    """

    def __init__(self, distribution: object) -> None:
        if hasattr(distribution, "integrate_box_1d"):
            distribution = _of_kernels(distribution)
        function = getattr(distribution, "cdf", distribution)
        if not callable(function):
            raise HowsureError(
                f"{distribution!r} is neither scores nor a distribution of them. Give numbers, a frozen distribution "
                "such as `scipy.stats.beta(2, 3)`, or a distribution function."
            )
        if isinstance(distribution, type) or hasattr(distribution, "freeze"):
            raise HowsureError(
                "The distribution has no parameters yet: give a frozen one, such as `scipy.stats.beta(2, 3)`."
            )
        self._function = function
        self._upper = getattr(distribution, "sf", None)
        self._closed = closed_form(distribution)
        along = self._values(np.linspace(0.0, 1.0, GRID))
        if not ((along >= -OUTSIDE) & (along <= 1 + OUTSIDE)).all():
            raise HowsureError(
                f"A distribution function must stay in [0, 1]; this one goes from {along.min():g} to {along.max():g}."
            )
        for outside, words in (
            (float(self.below(np.array(np.nextafter(0.0, -1)))), "below 0"),
            (1 - float(self.below(np.array(1.0))), "above 1"),
        ):
            if not outside <= OUTSIDE:
                raise HowsureError(f"Scores are probabilities, and the distribution has mass {outside:.3g} {words}.")
        if self.below(np.array(0.0)) > OUTSIDE:
            raise HowsureError(_atom(0.0))

    def below(self, threshold: Array) -> Array:
        """Return F, the proportion of scores below a threshold."""
        return np.asarray(np.clip(self._values(threshold), 0.0, 1.0))

    def _values(self, threshold: Array) -> Array:
        try:
            return np.asarray(self._function(threshold), dtype=float)
        except (TypeError, ValueError):  # a scalar function
            return np.asarray(np.vectorize(self._function, otypes=[float])(threshold))

    def above(self, threshold: Array) -> Array:
        """Return 1 − F, at full precision in the upper tail if the distribution supports it."""
        if self._upper is None:
            return 1 - self.below(threshold)
        return np.asarray(np.clip(self._upper(threshold), 0.0, 1.0))

    def cells(self, threshold: Array) -> Array:
        """Return the expected confusion table of one case at each threshold, ``(..., 2, 2)``."""
        inside = np.clip(threshold, 0.0, 1.0)
        beyond = np.asarray(threshold) > 1
        under = np.where(beyond, 1.0, self.below(inside))
        over = np.where(beyond, 0.0, self.above(inside))
        if self._closed is None:
            area = self._integral(inside)
            false_negative = inside * under - area
            positive = inside * over + (1 - inside) - (self.panels.total - area)
        else:
            false_negative, positive = self._closed(inside)
        positive = np.where(beyond, 0.0, np.clip(positive, 0.0, over))
        false_negative = np.where(beyond, self.prevalence, np.clip(false_negative, 0.0, under))
        rows = np.stack([under - false_negative, over - positive]), np.stack([false_negative, positive])
        return np.moveaxis(np.stack(rows), (0, 1), (-2, -1))

    @cached_property
    def prevalence(self) -> float:
        """Mean of the scores, the proportion of positive cases."""
        return 1 - self.panels.total if self._closed is None else float(self._closed(np.array(0.0))[1])

    @cached_property
    def panels(self) -> Panels:
        """Panels with the nodes at which the distribution function was evaluated."""
        return Panels(self.below)

    def _integral(self, threshold: Array) -> Array:
        """Return the integral of F from 0 to each threshold."""
        panels = self.panels
        index = np.clip(np.searchsorted(panels.edges, threshold, side="right") - 1, 0, len(panels.edges) - 2)
        start = panels.edges[index]
        half = (threshold - start) / 2
        values = self.below(start[..., None] + half[..., None] * (1 + _rule().points))
        return np.asarray(panels.below[index] + half * (values @ _rule().weights))

    @cached_property
    def areas(self) -> dict[str, float]:
        """Metrics of the scores by name: the areas under both curves, the Brier score, the log loss.

        Let ``p`` be the prevalence, S = 1 − F and ``J(y)`` the integral of S above y. Integration by parts gives ``AUC
        = (1 - p² - ∫F²) / (2 p (1 - p))``, ``AP = (1 - 2∫yF + ∫ log S (J - yS)) / p``, ``Brier = p - 1 + 2∫yF`` and
        ``log loss = ∫ F log(y / (1 - y))``.
        """
        panels, p = self.panels, self.prevalence
        y, under = panels.nodes, panels.values
        over = np.clip(1 - under, 0.0, 1.0) if self._upper is None else self.above(y)
        tail = (1 - y) - (panels.total - panels.at_nodes)
        first = panels.integral(y * under)
        logarithm = np.log(np.where(over > 0, over, 1.0))
        ordered = 1 - 2 * first + panels.integral(logarithm * (tail - y * over))
        pairs = 2 * p * (1 - p)
        return {
            "roc_auc": (1 - p**2 - panels.integral(under**2)) / pairs if pairs > 0 else np.nan,
            "average_precision": ordered / p if p > 0 else np.nan,
            "brier_score": p - 1 + 2 * first,
            "log_loss": panels.integral(under * (np.log(y) - np.log1p(-y))),
        }

    def edges(self) -> Array:
        """Return the thresholds of the curves: some with equal widths, some with about equal mass between them."""
        width = np.linspace(0.0, 1.0, GRID + 1)
        known = np.concatenate([self.panels.edges, width])
        known.sort()
        mass = np.interp(np.linspace(0.0, 1.0, GRID + 1)[1:-1], self.below(known), known)
        return np.unique(np.concatenate([width, mass]))


@dataclass(frozen=True, slots=True)
class _Rule:
    """The Gauss–Legendre rule on [−1, 1], and the matrix from values at its points to integrals up to each."""

    points: Array
    weights: Array
    up_to: Array


@cache
def _rule() -> _Rule:
    legendre = np.polynomial.legendre
    points, weights = legendre.leggauss(NODES)
    vandermonde = legendre.legvander(points, NODES - 1)
    integrals = [legendre.legval(points, legendre.legint(row, lbnd=-1)) for row in np.eye(NODES)]
    return _Rule(points, weights, np.linalg.solve(vandermonde.T, np.stack(integrals)).T)


class Panels:
    """Panels of [0, 1] on which a distribution function is resolved.

    ``nodes`` and ``values`` are ``(panels, NODES)``; ``below`` holds its integral up to each edge and ``at_nodes`` up
    to each node.
    """

    def __init__(self, function: Function) -> None:
        graded = 0.5 ** np.arange(1, DEPTH + 1)
        edges = np.unique(np.concatenate([[0.0, 1.0], graded, 1 - graded]))
        left, right = edges[:-1], edges[1:]
        done: list[tuple[Array, Array, Array]] = []
        values = function(_nodes(left, right))
        for _ in range(ROUNDS):
            middle = (left + right) / 2
            halves = function(_nodes(left, middle)), function(_nodes(middle, right))
            width = (right - left) / 2
            coarse, fine = width * (values @ _rule().weights), width / 2 * ((halves[0] + halves[1]) @ _rule().weights)
            rough = np.abs(coarse - fine) > PRECISE
            done.append((left[~rough], right[~rough], values[~rough]))
            if not rough.any():
                break
            left, right, values = (
                np.concatenate(pair)
                for pair in (
                    (left[rough], middle[rough]),
                    (middle[rough], right[rough]),
                    (halves[0][rough], halves[1][rough]),
                )
            )
        else:
            done.append((left, right, values))
        order = np.argsort(np.concatenate([each[0] for each in done]))
        starts, stops, self.values = (np.concatenate(parts)[order] for parts in zip(*done, strict=True))
        self._checked(starts, stops)
        self.half = (stops - starts) / 2
        self.nodes = _nodes(starts, stops)
        self.edges = np.append(starts, 1.0)
        self.below = np.concatenate([[0.0], np.cumsum(self.half * (self.values @ _rule().weights))])
        self.total = float(self.below[-1])
        self.at_nodes = self.below[:-1, None] + self.half[:, None] * (self.values @ _rule().up_to.T)

    def integral(self, values: Array) -> float:
        """Return the integral over [0, 1] of a function given at the nodes."""
        return float(self.half @ (values @ _rule().weights))

    def _checked(self, starts: Array, stops: Array) -> None:
        flat = self.values.ravel()
        if not np.isfinite(flat).all() or (np.diff(flat) < -OUTSIDE).any():
            raise HowsureError(
                "The distribution function is not one: it must rise from 0 to 1 on [0, 1], and be finite."
            )
        rises = self.values[:, -1] - self.values[:, 0]
        # Panels near 0 and 1 are as narrow as their distance; narrow panels elsewhere surround an atom.
        steep = (stops - starts < NARROW * np.minimum(starts, 1 - stops)) & (rises > JUMP)
        if steep.any():
            raise HowsureError(_atom(float(starts[np.argmax(steep)])))


def _nodes(left: Array, right: Array) -> Array:
    return np.asarray(left[:, None] + (right - left)[:, None] / 2 * (1 + _rule().points))


def _of_kernels(density: Any) -> Function:
    """Return the distribution function of SciPy's kernel density estimate, truncated to [0, 1]."""
    from scipy import special

    points, weights = np.atleast_2d(density.dataset), np.asarray(density.weights)
    if len(points) != 1:
        raise HowsureError(f"The kernel density estimate is of {len(points)} dimensions: give one of the scores alone.")
    width = float(np.sqrt(np.asarray(density.covariance).ravel()[0]))

    def whole(threshold: Array) -> Array:
        flat = np.ravel(threshold)
        step = max(1, KERNELS // points.size)
        parts = [
            special.ndtr((flat[start : start + step, None] - points[0]) / width) @ weights
            for start in range(0, flat.size, step)
        ]
        return np.concatenate(parts).reshape(np.shape(threshold))

    start, end = whole(np.array([0.0, 1.0]))
    if not end - start > OUTSIDE:
        raise HowsureError("Scores are probabilities, and the kernel density estimate has no mass within [0, 1].")
    return lambda threshold: np.clip((whole(np.asarray(threshold)) - start) / (end - start), 0.0, 1.0)


def _atom(place: float) -> str:
    return (
        f"The distribution has an atom at {place:.6g}: it must be continuous. "
        "Where scores repeat, give the scores themselves."
    )


def closed_form(distribution: Any) -> Callable[[Array], tuple[Array, Array]] | None:
    """Return the positive cases below and above thresholds for a Beta or uniform distribution, else None."""
    name = getattr(getattr(distribution, "dist", None), "name", None)
    if name == "uniform":
        return _beta(1.0, 1.0, *_location(*distribution.args, **distribution.kwds))
    if name == "beta":
        return _beta(*_shapes(*distribution.args, **distribution.kwds))
    return None


def _location(loc: float = 0.0, scale: float = 1.0) -> tuple[float, float]:
    return loc, scale


def _shapes(a: float, b: float, loc: float = 0.0, scale: float = 1.0) -> tuple[float, float, float, float]:
    return a, b, loc, scale


def _beta(a: float, b: float, location: float, scale: float) -> Callable[[Array], tuple[Array, Array]]:
    def sums(threshold: Array) -> tuple[Array, Array]:
        from scipy import special

        place = np.clip((threshold - location) / scale, 0.0, 1.0)
        mean = scale * a / (a + b)
        return (
            location * special.betainc(a, b, place) + mean * special.betainc(a + 1, b, place),
            location * special.betaincc(a, b, place) + mean * special.betaincc(a + 1, b, place),
        )

    return sums
