"""Pooling of a metric with a finite range by the binomial-normal model."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError
from howsure.pooling.binomial_normal import BinomialNormal
from howsure.pooling.effects import ALONE
from howsure.pooling.equivalent import equivalent_sizes
from howsure.pooling.likelihood import Likelihood
from howsure.pooling.pooled import Pooled
from howsure.pooling.rows import FARTHEST
from howsure.pooling.sites import Sites

Estimand = Literal["typical_site", "mean_of_sites"]
ESTIMANDS = ("typical_site", "mean_of_sites")
BINOMIAL_NORMAL = "binomial_normal"
TAILS = 1 / (1 + np.exp(-np.linspace(-7, 7, 141)))  # of draws: limits are found at these and interpolated


def bounded_pool(sites: Sites, estimand: Estimand, tails: Array | None = None) -> Pooled:
    """Return the pooled value of sites; with one draw for each tail probability, if these are given."""
    start, width = sites.range[0], sites.range[1] - sites.range[0]
    if len(sites.values) == 1:
        return _alone(sites, estimand)
    likelihood = Likelihood((sites.values - start) / width, *_sizes(sites))
    fit = BinomialNormal(likelihood, sites.level, of_mean=estimand == "mean_of_sites")
    low, high = (float(each[0]) for each in fit.limits(sites.level))
    low, high = min(low, fit.value), max(high, fit.value)  # the penalised limits of a low level may lie beside it
    predicted = (
        fit.predicted()
    )  # of few sites it may be the narrower one, though a new site varies more than their typical value
    predicted = min(predicted[0], low), max(predicted[1], high)
    return Pooled(
        value=start + width * fit.value,
        low=start + width * low,
        high=start + width * high,
        standard_error=width * fit.standard_error,
        confidence_level=sites.level,
        method=BINOMIAL_NORMAL,
        estimand=estimand,
        metric=sites.metric,
        positive=sites.positive,
        **_heterogeneity(fit),
        prediction_interval=(start + width * predicted[0], start + width * predicted[1]),
        weights=fit.weights,
        names=sites.names,
        values=sites.values,
        lows=sites.lows,
        highs=sites.highs,
        standard_errors=sites.standard_errors,
        scale="logit" if sites.range == (0.0, 1.0) else f"logit({start:.17g}, {sites.range[1]:.17g})",
        draws=None if tails is None else start + width * _quantiles(fit, tails),
    )


def _sizes(sites: Sites) -> tuple[Array, Array]:
    """Return the equivalent binomial sizes; raise an error for sites without limits.

    The interval of an area under a curve is conservative on the side nearer to an end of the range, so that the two
    sizes of a site differ. Both are then replaced by their geometric mean.
    """
    start, width = sites.range[0], sites.range[1] - sites.range[0]
    values, lows, highs = ((each - start) / width for each in (sites.values, sites.lows, sites.highs))
    below, above = equivalent_sizes(values, lows, highs, sites.level)
    for name, size, low, high in zip(sites.names, below, sites.lows, sites.highs, strict=True):
        if not math.isfinite(size):
            raise HowsureError(
                f"The limits of experiment '{name}', [{low:g}, {high:g}], give it no weight. "
                "Leave it out, or estimate it by another method."
            )
    both = np.sqrt(below * above)
    return (both, both) if sites.of_areas else (below, above)


def _heterogeneity(fit: BinomialNormal) -> dict[str, Any]:
    """Return tau², I² and H² with their limits, and the deviance of one common value."""
    from scipy import special

    weight = fit.likelihood.information(float(np.clip(fit.maximum[0], -FARTHEST, FARTHEST)))
    degrees_of_freedom = len(weight) - 1
    total = float(weight.sum())
    within = degrees_of_freedom * total / float((weight * (total - weight)).sum())  # Higgins and Thompson (2002)
    tau2, low, high = (tau**2 for tau in (fit.maximum[1], *fit.tau_limits))
    deviance = max(0.0, -2 * fit.likelihood.common[1])
    return {
        "tau2": tau2,
        "tau2_interval": (low, high),
        "i2": tau2 / (tau2 + within),
        "i2_interval": (low / (low + within), high / (high + within)),
        "h2": 1 + tau2 / within,
        "h2_interval": (1 + low / within, 1 + high / within),
        "q": deviance,
        "q_p_value": float(special.chdtrc(degrees_of_freedom, deviance)),
        "within_variance": within,
    }


def _quantiles(fit: BinomialNormal, tails: Array) -> Array:
    """Return quantiles of the confidence distribution, whose quantiles are the limits at each level."""
    from scipy import special

    lows, highs = fit.limits(np.abs(1 - 2 * TAILS))
    quantiles = np.maximum.accumulate(np.where(TAILS < 0.5, lows, highs))
    return np.interp(special.logit(tails), special.logit(TAILS), quantiles)


def _alone(sites: Sites, estimand: Estimand) -> Pooled:
    """Return the value of a single site as the pooled value."""
    nothing = (math.nan, math.nan)
    unknown: dict[str, Any] = dict.fromkeys(("tau2", "i2", "h2", "q", "q_p_value", "within_variance"), math.nan)
    unknown |= dict.fromkeys(("tau2_interval", "i2_interval", "h2_interval", "prediction_interval"), nothing)
    return Pooled(
        value=float(sites.values[0]),
        low=float(sites.lows[0]),
        high=float(sites.highs[0]),
        standard_error=float(sites.standard_errors[0]),
        confidence_level=sites.level,
        method=BINOMIAL_NORMAL,
        estimand=estimand,
        metric=sites.metric,
        positive=sites.positive,
        **unknown,
        weights=np.ones(1),
        names=sites.names,
        values=sites.values,
        lows=sites.lows,
        highs=sites.highs,
        standard_errors=sites.standard_errors,
        reason=ALONE,
    )
