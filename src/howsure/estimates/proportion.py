"""`proportion`: estimate a proportion from two counts."""

from __future__ import annotations

from howsure.arrays import Seed
from howsure.errors import HowsureError, whole_number
from howsure.estimates.estimate import Estimate
from howsure.estimates.estimation import estimate
from howsure.methods.core.interval_spec import Alternative
from howsure.methods.core.method import Method
from howsure.methods.core.names import MethodName
from howsure.sources.matrices import from_counts


def proportion(
    k: int,
    n: int,
    *,
    method: MethodName | Method | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    random_state: Seed = None,
) -> Estimate:
    """Estimate a proportion and its interval from counts.

    Parameters
    ----------
    k : int
        Number of successes.
    n : int
        Number of trials, at least 1.
    method : str or Method, optional
        A method or its name; by default ``"mid_p"``, the exact interval with half the probability of the observed
        count.
    confidence_level : float
        Confidence level of the interval, between 0 and 1.
    alternative : {"two-sided", "less", "greater"}
        Requested limits: both, only the upper one, or only the lower one.
    random_state : int, Generator, SeedSequence or None
        Seed of methods that draw.

    Returns
    -------
    Estimate
        The proportion ``k / n``; its metric is named ``"proportion"``.

    Raises
    ------
    HowsureError
        If the counts are not integers, k exceeds n, or the method does not apply to a proportion.

    Examples
    --------
    >>> import howsure as hs
    >>> print(hs.proportion(42, 47))
    0.894 [0.780, 0.960]
    >>> print(hs.proportion(0, 50, method="clopper_pearson", alternative="less"))
    0.000 [0.000, 0.058] (one-sided: an upper limit)
    """
    trials = whole_number("n", n)
    if isinstance(k, float) and 0 < k < 1:
        raise HowsureError(
            f"`k` = {k:g} is a proportion. Give the number of successes: {k:g} of {trials} are {k * trials:.6g}."
        )
    successes = whole_number("k", k, least=0)
    if successes > trials:
        raise HowsureError(f"`k` = {successes} is beyond `n` = {trials}. Give the successes first, then all trials.")
    table = from_counts([[0, 0], [trials - successes, successes]])
    found = estimate(
        table,
        "recall",  # in a table of one class: the share of successes
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        random_state=random_state,
    )
    return found.replace(metric="proportion")
