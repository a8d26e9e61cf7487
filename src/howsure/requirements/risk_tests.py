"""P-values that are valid in finite samples, for requirements on a batch of confusion tables of independent cases."""

from __future__ import annotations

import math

import numpy as np

from howsure.arrays import Array
from howsure.estimates.batched_intervals import own_table
from howsure.methods.core.method import Method
from howsure.methods.proportions.proportion import ClopperPearson
from howsure.metrics.forms import Proportion, Ratio
from howsure.metrics.metric import Metric
from howsure.requirements.requirement import Requirement
from howsure.tables.table import Table

ROUNDING = 1e-9  # of sums of losses


def has_counts(table: Table) -> bool:
    """Return whether a table has counts of independent cases without weights."""
    traits = table.design.traits
    return bool(traits.is_independent and traits.is_counted and table.counts.sum() == table.rows)


def exact_binomial(metric: Metric, table: Table) -> Method | None:
    """Return the exact binomial method for a proportion of counted cases; None for other metrics and designs.

    With weights or clusters it uses effective sample sizes (Korn and Graubard 1998).
    """
    (own, metric), exact = own_table(table, metric), ClopperPearson()
    is_usual = not own.design.traits.default_method
    return exact if is_usual and not exact.unsupported_reason(metric, own) else None


def binomial_p_values(share: Proportion, requirement: Requirement, cells: Array) -> Array:
    """Return exact one-sided binomial p-values; 1 without a trial.

    Parameters
    ----------
    share : Proportion
        The proportion of which the metric is an increasing function.
    requirement : Requirement
        The requirement.
    cells : ndarray of shape (T, 2, 2)
        The tables.
    """
    from scipy.stats import binom  # slow to import

    hits, trials = (cells[..., np.asarray(part, dtype=bool)].sum(-1) for part in (share.successes, share.trials))
    null = null_share(share, requirement.bound)
    found = binom.sf(hits - 1, trials, null) if requirement.is_above else binom.cdf(hits, trials, null)
    return np.where(trials > 0, found, 1.0)


def null_share(share: Proportion, bound: float) -> float:
    """Return the proportion at which the metric equals the bound.

    Examples
    --------
    F1 is 2p / (1 + p), so it is 0.8 at p = 2/3.

    >>> round(null_share(Proportion(np.array([1]), np.array([1]), (2, 2), (0, 1)), 0.8), 4)
    0.6667
    """
    (a, b), (c, d) = share.success_coefficients, share.failure_coefficients
    high, low = a - bound * b, c - bound * d
    return float(np.clip(low / (low - high), 0.0, 1.0))


def bounded_mean_p_values(ratio: Ratio, requirement: Requirement, cells: Array) -> Array:
    """Return Hoeffding–Bentkus p-values for a ratio of linear forms; 1 without a case.

    A ratio above a bound is a positive mean of ``numerator - bound * denominator``, which is bounded.

    Parameters
    ----------
    ratio : Ratio
        The metric.
    requirement : Requirement
        The requirement.
    cells : ndarray of shape (T, 2, 2)
        The tables.
    """
    gain = np.asarray(ratio.numerator - requirement.bound * ratio.denominator, dtype=float)
    gain = gain if requirement.is_above else -gain
    least, most = float(gain.min()), float(gain.max())
    if most <= 0:
        return np.ones(len(cells))
    number = cells.sum((-2, -1))
    loss = ((most - gain) * cells).sum((-2, -1)) / (most - least)
    return hoeffding_bentkus(loss, number, most / (most - least))


def hoeffding_bentkus(loss: Array, number: Array, bound: float) -> Array:
    r"""Return p-values of the hypothesis that the mean of losses in [0, 1] is at least a bound.

    Parameters
    ----------
    loss, number : ndarray
        Sum and number of independent losses; p is 1 without any.
    bound : float
        The bound α, between 0 and 1.

    Notes
    -----
    With the mean loss R of n cases and the relative entropy h, the p-value is

    .. math:: \min\{e^{-n h(\min(R, \alpha), \alpha)}, e \Pr(\mathrm{Bin}(n, \alpha) \le \lceil n R \rceil)\}.

    References
    ----------
    Bates, Angelopoulos, Lei, Malik, Jordan (2021), Journal of the ACM 68(6):43, section 3.1; Bentkus (2004), Annals of
    Probability 32:1650–1673.

    Examples
    --------
    >>> hoeffding_bentkus(np.array([4.0, 12.0]), np.array([100, 100]), 0.1).round(3).tolist()
    [0.064, 1.0]
    """
    from scipy.special import rel_entr
    from scipy.stats import binom

    size = np.maximum(number, 1)
    mean = np.minimum(loss / size, bound)
    entropy = rel_entr(mean, bound) + rel_entr(1 - mean, 1 - bound)
    tail = math.e * binom.cdf(np.ceil(loss - ROUNDING), size, bound)
    return np.where(number > 0, np.minimum(np.minimum(np.exp(-size * entropy), tail), 1.0), 1.0)
