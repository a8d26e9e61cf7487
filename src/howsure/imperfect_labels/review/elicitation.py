"""Beta priors from statements about a rate."""

from __future__ import annotations

import math
from typing import Any

from howsure.errors import HowsureError, of_per_cent, real_number

LARGEST = 1e8  # pseudo-cases of a prior


def beta_prior(
    *, below: float | None = None, above: float | None = None, sure: float = 0.9, mean: float | None = None
) -> tuple[float, float]:
    """Return the parameters of the Beta prior that a statement about a rate describes.

    Parameters
    ----------
    below, above : float, optional
        "I am 90 % sure that the rate is below 0.2", ``below=0.2``; or above; or between the two, with equal
        probabilities on either side.
    sure : float
        The probability of the statement, between 0.5 and 1.
    mean : float, optional
        Mean of the rate, with one of ``below`` and ``above``. By default a prior of one limit has its mode at the
        end of the range, ``Beta(1, b)`` or ``Beta(a, 1)``.

    Returns
    -------
    tuple of two float
        ``(a, b)``, for example for ``prior_tp`` of `reviewed_precision`.

    Raises
    ------
    HowsureError
        If no limit is given, a number is outside its range, or no Beta distribution agrees with the statement.

    Notes
    -----
    ``P(X < below) = sure`` has the solution ``b = log(1 - sure) / log(1 - below)`` for ``Beta(1, b)``. A mean m gives
    ``Beta(m n, (1 - m) n)``, and two limits give two equations; both are solved numerically.

    Examples
    --------
    >>> import howsure as hs
    >>> a, b = hs.labels.beta_prior(below=0.2, sure=0.9)
    >>> round(a, 2), round(b, 2)
    (1.0, 10.32)
    >>> [round(part, 2) for part in hs.labels.beta_prior(above=0.02, below=0.2)]
    [2.27, 22.58]
    """
    rates = {"below": below, "above": above, "mean": mean}
    for name, each in rates.items():
        if each is not None and not 0 < real_number(name, each) < 1:
            raise HowsureError(f"`{name}` is {each!r}, and a rate lies between 0 and 1.{of_per_cent(each)}")
    sure = real_number("sure", sure)
    if not 0.5 < sure < 1:
        raise HowsureError(f"`sure` is {sure:g}: give a probability above 0.5 and below 1, such as 0.9.")
    if below is not None and above is not None:
        return _between(above, below, sure, mean)
    if below is not None:
        return (1.0, math.log1p(-sure) / math.log1p(-below)) if mean is None else _about_mean(mean, sure, below)
    if above is None:
        raise HowsureError("`beta_prior` needs a limit of the rate: `below=0.2`, `above=0.05`, or both.")
    if mean is None:
        return math.log1p(-sure) / math.log(above), 1.0
    return _about_mean(1 - mean, sure, 1 - above)[::-1]


def _about_mean(mean: float, sure: float, below: float) -> tuple[float, float]:
    """Return the prior with a mean and an upper limit: of the sizes that agree, the largest."""
    from scipy import optimize, special

    def excess(log_size: float) -> float:
        size = math.exp(log_size)
        return float(special.betainc(mean * size, (1 - mean) * size, below)) - sure

    if mean >= below:
        raise HowsureError(
            f"With {sure:g} of the probability on one side of the limit, the mean lies there too. Change `mean`."
        )
    start = math.log(LARGEST)
    while excess(start) > 0:  # from a certain rate down to the first size that is less sure
        start -= 0.25
        if start < -math.log(LARGEST):
            raise HowsureError(
                f"Every Beta distribution with this mean is surer than {sure:g}. Raise `sure`, or leave out `mean`."
            )
    size = math.exp(optimize.brentq(excess, start, start + 0.25))
    return mean * size, (1 - mean) * size


def _between(above: float, below: float, sure: float, mean: float | None) -> tuple[float, float]:
    """Return the prior with equal probabilities below and above two limits."""
    from scipy import optimize, special

    if mean is not None:
        raise HowsureError("Two limits leave no choice of the mean: leave out `mean`, or one limit.")
    if above >= below:
        raise HowsureError(f"The rate cannot be above {above:g} and below {below:g}.")
    tail = (1 - sure) / 2
    middle, spread = (special.logit(above) + special.logit(below)) / 2, special.logit(below) - special.logit(above)
    size = 4 * (2 * special.ndtri(1 - tail) / spread) ** 2 * math.cosh(middle / 2) ** 2  # logits of about this variance
    guess = math.log(size * special.expit(middle)), math.log(size * special.expit(-middle))

    def gaps(logs: Any) -> list[float]:
        a, b = map(math.exp, logs)
        ends = special.betaincinv(a, b, tail), special.betainccinv(a, b, tail)
        return [
            float(special.logit(end) - special.logit(limit)) for end, limit in zip(ends, (above, below), strict=True)
        ]

    found = optimize.root(gaps, guess)
    if not found.success or max(map(abs, gaps(found.x))) > 1e-8:
        raise HowsureError(f"No Beta distribution has {sure:g} between {above:g} and {below:g}, and equal tails.")
    a, b = map(math.exp, found.x)
    return a, b
