"""Fixed and random effects, Hartung–Knapp intervals, and heterogeneity with intervals by the Q-profile."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array
from howsure.errors import HowsureError, checked_level, one_of, real_numbers, several
from howsure.methods.core.standard_errors import normal_quantile
from howsure.pooling.pooled import Pooled
from howsure.pooling.scales import ZERO_COUNT, Scale, scale_named

Spread = tuple[float, float, str]
Model = Literal["fixed", "dl", "pm", "reml"]
Test = Literal["z", "knha", "adhoc"]
ALONE = "one experiment has no heterogeneity"
NARROW = "Hartung–Knapp is narrower than the normal interval here: the experiments agree more than chance would have it"


def normal_pool(
    values: ArrayLike,
    standard_errors: ArrayLike,
    *,
    method: Model = "dl",
    test: Test | None = None,
    scale: str | None = None,
    confidence_level: float = 0.95,
    names: Sequence[str] | None = None,
    metric: str = "",
    limits: tuple[Array, Array] | None = None,
) -> Pooled:
    """Pool values with standard errors by a normal model, on a scale; see `pool`.

    ``limits`` are those of the experiments; by default normal ones on the scale.
    """
    one_of("pooling method", method, MODELS)
    taken = one_of("test", test, SPREADS) if test is not None else "z" if method == "fixed" else "adhoc"
    level, chosen = checked_level(confidence_level), scale_named(scale)
    natural, errors, labels = checked_experiments(values, standard_errors, names, chosen)
    y, v = chosen.forward(natural), (errors * chosen.slope(natural)) ** 2
    tau2 = MODELS[method](y, v)
    weight = 1 / (v + tau2)
    centre = float(weight @ y / weight.sum())
    error, half, reason = SPREADS[taken](y, weight, centre, level)
    low, middle, high = (float(each) for each in chosen.back(np.array([centre - half, centre, centre + half])))
    ends = normal_quantile(level) * np.sqrt(v)
    lows, highs = (chosen.back(y - ends), chosen.back(y + ends)) if limits is None else limits
    return Pooled(
        value=middle,
        low=low,
        high=high,
        standard_error=error / float(chosen.slope(np.array(middle))),
        confidence_level=level,
        method=method if taken == "z" else f"{method}_{taken}",
        estimand="common_value"
        if method == "fixed"
        else "mean_of_sites"
        if chosen.name == "identity"
        else "typical_site",
        metric=metric,
        **_heterogeneity(y, v, tau2, method, level),
        prediction_interval=_prediction(centre, error, tau2, len(y), level, chosen)
        if method != "fixed"
        else (math.nan, math.nan),
        weights=weight / weight.sum(),
        names=labels,
        values=natural,
        lows=lows,
        highs=highs,
        standard_errors=errors,
        scale=chosen.name,
        reason=reason,
    )


def checked_experiments(
    values: ArrayLike, standard_errors: ArrayLike, names: Sequence[str] | None, scale: Scale
) -> tuple[Array, Array, tuple[str, ...]]:
    """Return values, standard errors and names; raise an error for values that cannot be pooled on the scale."""
    given = {"values": values, "standard_errors": standard_errors}
    natural, errors = (np.atleast_1d(real_numbers(*each)) for each in given.items())
    if natural.ndim != 1 or natural.shape != errors.shape or not natural.size:
        limits = " The width of a 95 % interval is about 3.92 standard errors." if errors.ndim == 2 else ""
        raise HowsureError(
            f"`values` has shape {natural.shape} and `standard_errors` {errors.shape}. Give one of each per experiment."
            f"{limits}"
        )
    labels = names_of_experiments(names, len(natural))
    for label, value, error in zip(labels, natural, errors, strict=True):
        if not (math.isfinite(value) and scale.range[0] < value < scale.range[1]):
            where = (
                "finite."
                if scale.name == "identity" or not math.isfinite(value)
                else f"inside {scale.range}, as the scale '{scale.name}' needs. "
                + (ZERO_COUNT if scale.name == "log" else "Estimates and tables have method='binomial_normal'.")
            )
            raise HowsureError(f"The value of experiment '{label}' is {value:g}, not {where}")
        if not (error > 0 and 0 < error**2 < math.inf):
            raise HowsureError(
                f"The standard error of experiment '{label}' is {error:g}: its weight would be infinite. "
                "Give a positive one; for a perfect result give estimates or tables, `hs.pool(tables, 'recall')`."
            )
    return natural, errors, labels


def names_of_experiments(names: Sequence[str] | None, size: int) -> tuple[str, ...]:
    """Return the names of experiments as texts: 1, 2, … where none are given."""
    labels = tuple(map(str, range(1, size + 1) if names is None else several("names", names, "names of experiments")))
    if len(labels) != size:
        raise HowsureError(f"`names` has {len(labels)} entries for {size} experiments.")
    return labels


def _normal(y: Array, weight: Array, centre: float, level: float) -> Spread:  # noqa: ARG001 - the tests' signature
    """Return standard error, half width of the interval, and a caveat, under the assumption that τ² is known."""
    error = 1 / math.sqrt(weight.sum())
    return error, normal_quantile(level) * error, ALONE if len(y) == 1 else ""


def _hartung_knapp(y: Array, weight: Array, centre: float, level: float) -> Spread:
    """Return the same from the observed scatter, however small."""
    if len(y) == 1:
        return math.nan, math.nan, "one experiment shows no scatter to take an interval from"
    normal, half, _ = _normal(y, weight, centre, level)
    error = math.sqrt(_scatter(y, weight, centre)) * normal
    wide = _student(len(y) - 1, level) * error
    return error, wide, NARROW if wide < half else ""


def _safeguarded(y: Array, weight: Array, centre: float, level: float) -> Spread:
    """Return the same from a scatter that is never smaller than expected (Knapp and Hartung 2003)."""
    if len(y) == 1:
        return _normal(y, weight, centre, level)
    error = math.sqrt(max(1.0, _scatter(y, weight, centre))) / math.sqrt(weight.sum())
    return error, _student(len(y) - 1, level) * error, ""


def _scatter(y: Array, weight: Array, centre: float) -> float:
    """Return the observed weighted variance, relative to its expectation under the weights."""
    return float(weight @ (y - centre) ** 2) / (len(y) - 1)


def _student(degrees_of_freedom: int, level: float) -> float:
    from scipy import special

    return float(special.stdtrit(degrees_of_freedom, (1 + level) / 2))


SPREADS: dict[str, Callable[[Array, Array, float, float], Spread]] = {
    "z": _normal,
    "knha": _hartung_knapp,
    "adhoc": _safeguarded,
}


def _prediction(centre: float, error: float, tau2: float, size: int, level: float, scale: Scale) -> tuple[float, float]:
    degrees_of_freedom = size - 2  # besides value and τ²
    if degrees_of_freedom < 1:
        return math.nan, math.nan
    half = _student(degrees_of_freedom, level) * math.sqrt(error**2 + tau2)
    low, high = scale.back(np.array([centre - half, centre + half]))
    return float(low), float(high)


# --- heterogeneity -----------------------------------------------------------------------------------------------


def cochran_q(y: Array, v: Array, tau2: float = 0.0) -> float:
    """Return Cochran's Q: the weighted sum of squares about the pooled value."""
    weight = 1 / (v + tau2)
    return float(weight @ (y - weight @ y / weight.sum()) ** 2)


def _heterogeneity(y: Array, v: Array, tau2: float, method: str, level: float) -> dict[str, Any]:
    from scipy import special

    degrees_of_freedom = len(y) - 1
    if not degrees_of_freedom:
        none = (math.nan, math.nan)
        numbers = dict.fromkeys(("tau2", "i2", "h2", "q_p_value", "within_variance"), math.nan)
        return {**numbers, "q": 0.0, "tau2_interval": none, "i2_interval": none, "h2_interval": none}
    weight = 1 / v
    within = degrees_of_freedom * float(weight.sum() / (weight @ _others(weight)))
    q = cochran_q(y, v)
    low, high = (
        _tau2_where_q_is(y, v, float(special.chdtri(degrees_of_freedom, tail)))
        for tail in ((1 - level) / 2, (1 + level) / 2)
    )
    i2, h2 = tau2 / (tau2 + within), 1 + tau2 / within
    if method == "fixed":  # τ² is 0 by assumption; heterogeneity appears only in Q
        i2, h2 = max(0.0, 1 - degrees_of_freedom / q) if q > 0 else 0.0, q / degrees_of_freedom
    return {
        "tau2": tau2,
        "tau2_interval": (low, high),
        "i2": i2,
        "i2_interval": (low / (low + within), high / (high + within)),
        "h2": h2,
        "h2_interval": (1 + low / within, 1 + high / within),
        "q": q,
        "q_p_value": float(special.chdtrc(degrees_of_freedom, q)),
        "within_variance": within,
    }


def _others(weight: Array) -> Array:
    """Return the sum of all other weights for each, without the cancellation of taking one off the total."""
    before, after = np.cumsum(weight), np.cumsum(weight[::-1])[::-1]
    return np.asarray(np.append(0.0, before[:-1]) + np.append(after[1:], 0.0))


def _tau2_where_q_is(y: Array, v: Array, target: float) -> float:
    """Return the τ² at which Q, a decreasing function of it, equals the target; 0 if Q starts below the target."""
    from scipy import optimize

    def excess(tau2: float) -> float:
        return cochran_q(y, v, tau2) - target

    # Q is at most this sum over τ²; where errors vanish beside τ it equals that, up to rounding.
    upper = (1 + 1e-9) * float(np.square(y - y.mean()).sum() / target)
    if excess(0.0) <= 0 or not excess(upper) < 0:  # values that differ by rounding alone
        return 0.0
    return float(optimize.brentq(excess, 0.0, upper, xtol=1e-15 * upper, rtol=1e-14))


def _no_variance(y: Array, v: Array) -> float:  # noqa: ARG001 - the models' signature
    return 0.0


def _dersimonian_laird(y: Array, v: Array) -> float:
    if len(y) == 1:
        return 0.0
    weight = 1 / v
    scale = float(weight @ _others(weight) / weight.sum())
    return max(0.0, (cochran_q(y, v) - (len(y) - 1)) / scale)


def _paule_mandel(y: Array, v: Array) -> float:
    return 0.0 if len(y) == 1 else _tau2_where_q_is(y, v, len(y) - 1)


def _restricted_likelihood(y: Array, v: Array) -> float:
    """Return the τ² that maximises the restricted likelihood: the best of a grid, then the root of the slope."""
    from scipy import optimize

    if len(y) == 1:
        return 0.0

    def likelihoods(tau2: Array) -> Array:
        weight = 1 / (v + tau2[:, None])
        total = weight.sum(-1)
        residual = y - (weight @ y / total)[:, None]
        return np.asarray(np.log(weight).sum(-1) - np.log(total) - (weight * residual**2).sum(-1))

    def slope(tau2: float) -> float:
        weight = 1 / (v + tau2)
        residual = y - weight @ y / weight.sum()
        return float(weight**2 @ residual**2 - weight.sum() + weight @ weight / weight.sum())

    top = float(np.square(y - y.mean()).sum()) + float(v.max())
    grid = np.concatenate([[0.0], np.geomspace(1e-8 * top, top, 200)])
    best = int(np.argmax(likelihoods(grid)))
    left, right = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    if not slope(left) > 0 > slope(right):
        return float(grid[best])
    return float(optimize.brentq(slope, left, right, xtol=1e-15 * top, rtol=1e-14))


MODELS: dict[str, Callable[[Array, Array], float]] = {
    "fixed": _no_variance,
    "dl": _dersimonian_laird,
    "pm": _paule_mandel,
    "reml": _restricted_likelihood,
}
