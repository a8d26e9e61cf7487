"""Precision after a review of labels: a model with one mislabelling rate each for true and false positives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array, Seed
from howsure.errors import HowsureError, checked_level, one_of, whole_number
from howsure.estimates.estimate import Estimate
from howsure.grids import OneRecord
from howsure.imperfect_labels.review.beta_nodes import jacobi_nodes, stepped_nodes
from howsure.methods.core.draws import MOST_DRAWS, seed_sequence
from howsure.methods.numerics.draw_summaries import equal_tailed

Function = Callable[[Array, Array, Array], Array]  # of the two Beta parameters and a point
FEWEST_NODES, MOST_NODES, MOST_NARROW_NODES = 32, 128, 256  # nodes for each rate; for the narrower rate
AGREEMENT = 1e-10  # largest change of the distribution function when nodes are doubled
TOLERANCE = 1e-7  # error in probability above which the estimate has a reason
N_DRAWS, FEWEST_DRAWS = 10_000, 2
FAR = 6.0  # standard deviations from the mean: the first bracket of a quantile


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class ReviewedPrecision(OneRecord):
    """Posterior of precision, given the number of reviewed positives that were found mislabelled.

    A share ``rho_tp ~ Beta(m_tp + a, r_tp - m_tp + b)`` of the recorded true positives is mislabelled, where ``r_tp``
    were reviewed and ``m_tp`` found wrong; ``rho_fp`` is the same for the false positives. The corrected counts are
    ``TP' = TP (1 - rho_tp) + FP rho_fp`` and ``FP' = TP + FP - TP'``, and ``precision ~ Beta(TP' + 1, FP' + 1)``.

    Parameters
    ----------
    tp, fp : int
        True and false positives by the recorded labels.
    reviewed_tp, mislabelled_tp, reviewed_fp, mislabelled_fp : int
        Number of each that were reviewed, chosen at random, and number of the reviewed ones whose label was wrong.
    prior_tp, prior_fp : tuple of two float
        Parameters ``(a, b)`` of the Beta prior of each mislabelling rate; ``(1, 1)`` is uniform.

    Raises
    ------
    HowsureError
        If a number is negative or not an integer, or a prior parameter is not positive. If more cases were mislabelled
        than reviewed, or more reviewed than counted.

    Examples
    --------
    >>> model = ReviewedPrecision(
    ...     tp=1000, fp=300, reviewed_tp=100, mislabelled_tp=5, reviewed_fp=100, mislabelled_fp=20
    ... )
    >>> round(model.mean, 4), round(float(model.distribution(model.mean)), 2)
    (0.7711, 0.48)
    >>> round(float(model.rates["tp"].mean()), 4)
    0.0588
    """

    tp: int
    fp: int
    reviewed_tp: int
    mislabelled_tp: int
    reviewed_fp: int
    mislabelled_fp: int
    prior_tp: tuple[float, float] = (1, 1)
    prior_fp: tuple[float, float] = (1, 1)

    def __post_init__(self) -> None:
        for name in ("tp", "fp", "reviewed_tp", "mislabelled_tp", "reviewed_fp", "mislabelled_fp"):
            _refuse_unless_count(name, getattr(self, name))
        for kind in ("tp", "fp"):
            counted, reviewed, wrong = (getattr(self, name + kind) for name in ("", "reviewed_", "mislabelled_"))
            if reviewed > counted:
                raise HowsureError(
                    f"`reviewed_{kind}` is {reviewed}, more than the {counted} cases counted in `{kind}`."
                )
            if wrong > reviewed:
                raise HowsureError(
                    f"`mislabelled_{kind}` is {wrong}, more than the {reviewed} cases of `reviewed_{kind}`."
                )
            _refuse_unless_beta(f"prior_{kind}", getattr(self, f"prior_{kind}"))
        if not self.tp + self.fp:
            raise HowsureError("`tp` and `fp` are both 0: nothing was predicted positive, and precision is undefined.")

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, the parameters of the priors, and the posterior mean and standard deviation."""
        counts = {name: getattr(self, name) for name in self.__slots__ if not name.startswith("prior_")}
        priors = {
            f"prior_{kind}_{letter}": float(part)
            for kind in ("tp", "fp")
            for letter, part in zip("ab", getattr(self, f"prior_{kind}"), strict=True)
        }
        return counts | priors | {"mean": self.mean, "standard_deviation": self.standard_deviation}

    @property
    def prior_rates(self) -> dict[str, Any]:
        """Prior distributions of the mislabelling rates, ``{"tp": ..., "fp": ...}``, as SciPy distributions."""
        from scipy import stats

        return {"tp": stats.beta(*self.prior_tp), "fp": stats.beta(*self.prior_fp)}

    @property
    def rates(self) -> dict[str, Any]:
        """Posterior distributions of the mislabelling rates, ``{"tp": ..., "fp": ...}``, as SciPy distributions."""
        from scipy import stats

        return {kind: stats.beta(*shape) for kind, shape in zip(("tp", "fp"), self._shapes, strict=True)}

    @property
    def mean(self) -> float:
        """Posterior mean of precision, in closed form."""
        return (self._actual_mean + 1) / (self.tp + self.fp + 2)

    @property
    def standard_deviation(self) -> float:
        """Posterior standard deviation of precision, in closed form."""
        cases, mean, spread = self.tp + self.fp, self._actual_mean, self._actual_variance
        within = ((mean + 1) * (cases - mean + 1) - spread) / ((cases + 2) ** 2 * (cases + 3))
        return float(np.sqrt(within + spread / (cases + 2) ** 2))

    def draws(self, size: int = N_DRAWS, *, random_state: Seed = None) -> Array:
        """Return independent draws of precision, each with its own draw of the rates.

        Parameters
        ----------
        size : int
            Number of draws.
        random_state : int, Generator or None
            Seed of the draws.

        Returns
        -------
        ndarray of shape (size,)
            Draws of precision.
        """
        rng = np.random.default_rng(seed_sequence(random_state))
        of_tp, of_fp = (rng.beta(*shape, size) for shape in self._shapes)
        actual = self._actual(of_tp, of_fp)
        return np.asarray(rng.beta(actual + 1, self.tp + self.fp - actual + 1))

    def distribution(self, precision: ArrayLike) -> Array:
        """Return the posterior distribution function of precision, by quadrature over the two rates.

        Parameters
        ----------
        precision : array-like of any shape
            Values of precision.

        Returns
        -------
        ndarray of the same shape
            Probability that precision is at most each value; nan for nan.
        """
        from scipy import special

        points = np.asarray(precision, dtype=float)
        return self._inside(points, special.betainc, np.where(points > 1, 1.0, 0.0))

    def density(self, precision: ArrayLike) -> Array:
        """Return the posterior density of precision, by quadrature over the two rates.

        Parameters
        ----------
        precision : array-like of any shape
            Values of precision.

        Returns
        -------
        ndarray of the same shape
            Densities; nan for nan.
        """
        from scipy import special

        def beta_density(a: Array, b: Array, x: Array) -> Array:
            return np.asarray(np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b)))

        points = np.asarray(precision, dtype=float)
        return self._inside(points, beta_density, np.zeros(points.shape))

    def quantile(self, probability: float) -> float:
        """Return the posterior quantile of precision, accurate to 1e-10.

        Parameters
        ----------
        probability : float
            Probability below the quantile, in [0, 1].

        Returns
        -------
        float
            The quantile.

        Raises
        ------
        HowsureError
            If the probability is outside [0, 1].
        """
        from scipy import optimize

        if not 0 <= probability <= 1:
            raise HowsureError(f"`probability` is {probability!r}. Give one from 0 to 1.")

        def excess(x: float) -> float:
            return float(self.distribution(x)) - probability

        low, high = (
            max(self.mean - FAR * self.standard_deviation, 0.0),
            min(self.mean + FAR * self.standard_deviation, 1.0),
        )
        if excess(low) > 0 or excess(high) < 0:
            low, high = 0.0, 1.0
        if not excess(low) < 0 < excess(high):  # next to an end, where only rounding errors are left
            return low if excess(low) >= 0 else high
        return float(optimize.brentq(excess, low, high, xtol=1e-11))

    @property
    def _shapes(self) -> tuple[tuple[float, float], tuple[float, float]]:
        of_tp = (self.mislabelled_tp + self.prior_tp[0], self.reviewed_tp - self.mislabelled_tp + self.prior_tp[1])
        of_fp = (self.mislabelled_fp + self.prior_fp[0], self.reviewed_fp - self.mislabelled_fp + self.prior_fp[1])
        return of_tp, of_fp

    def _actual(self, of_tp: Any, of_fp: Any) -> Any:
        """Return the corrected true positives for given mislabelling rates."""
        return self.tp * (1 - of_tp) + self.fp * of_fp

    @property
    def _actual_mean(self) -> float:
        return float(self._actual(*(a / (a + b) for a, b in self._shapes)))

    @property
    def _actual_variance(self) -> float:
        variances = [a * b / ((a + b) ** 2 * (a + b + 1)) for a, b in self._shapes]
        return float(self.tp**2 * variances[0] + self.fp**2 * variances[1])

    def _inside(self, points: Array, function: Function, outside: Array) -> Array:
        """Return the mean of the function at points in [0, 1], ``outside`` at other points, and nan at nan."""
        values = np.where(np.isnan(points), np.nan, outside)
        inside = (points >= 0) & (points <= 1)
        values[inside] = self._mixed(points[inside], function)[0]
        return values

    def _mixed(self, precision: ArrayLike, function: Function) -> tuple[Array, float]:
        """Return the mean of a function over the rates, and its last change; nodes are doubled until it is small.

        If counts are so large that the function is a step between the nodes of a rate, the nodes of the wider rate are
        placed around the step.
        """
        points = np.asarray(precision, dtype=float)
        value, change = points, np.inf
        for averaged, most in ((self._averaged, MOST_NODES), (self._averaged_at_step, MOST_NARROW_NODES)):
            nodes, value = FEWEST_NODES, averaged(points, function, FEWEST_NODES)
            change = np.inf
            while nodes < most and change > AGREEMENT:
                nodes *= 2
                before, value = value, averaged(points, function, nodes)
                change = float(np.abs(value - before).max(initial=0.0) / max(1.0, np.abs(value).max(initial=0.0)))
            if change <= AGREEMENT:
                break
        return value, change

    def quadrature_change(self, precision: ArrayLike) -> float:
        """Return the change of the distribution function when the nodes of the quadrature were last doubled.

        Parameters
        ----------
        precision : array-like of any shape
            Values of precision.

        Returns
        -------
        float
            The largest change.
        """
        from scipy import special

        return self._mixed(precision, special.betainc)[1]

    def _averaged(self, points: Array, function: Function, nodes: int) -> Array:
        (of_tp, tp_weights), (of_fp, fp_weights) = (jacobi_nodes(*shape, nodes) for shape in self._shapes)
        actual = self._actual(of_tp[:, None], of_fp).ravel()
        weights = np.outer(tp_weights, fp_weights).ravel()
        kept = weights > 1e-18 * weights.max()  # drop the far tails of both rates
        actual, weights = actual[kept], weights[kept]
        rest = self.tp + self.fp - actual
        return np.array([function(actual + 1, rest + 1, x) @ weights for x in points.ravel()]).reshape(points.shape)

    def _averaged_at_step(self, points: Array, function: Function, nodes: int) -> Array:
        """Return the mean over the narrower rate's nodes of the mean over the wider rate, with nodes at the step."""
        shapes, slopes, cases = self._shapes, (-float(self.tp), float(self.fp)), self.tp + self.fp
        spreads = [
            abs(slope) * (a * b / (a + b + 1)) ** 0.5 / (a + b) for slope, (a, b) in zip(slopes, shapes, strict=True)
        ]
        wide = int(np.argmax(spreads))
        narrow_nodes, weights = jacobi_nodes(*shapes[1 - wide], nodes)
        kept = weights > 1e-18 * weights.max()
        starts = self.tp + slopes[1 - wide] * narrow_nodes[kept]  # true positives if the wider rate were zero
        values = np.empty(points.size)
        for place, x in enumerate(points.ravel()):
            width = (cases * max(x * (1 - x), 0.0)) ** 0.5 + 1
            total = 0.0
            for start, weight in zip(starts, weights[kept], strict=True):
                middle, scale = (cases * x - start) / slopes[wide], width / abs(slopes[wide])
                rates, shares = stepped_nodes(*shapes[wide], middle, scale)
                actual = np.clip(start + slopes[wide] * rates, 0.0, cases)
                total += weight * float(function(actual + 1, cases - actual + 1, x) @ shares)
            values[place] = total
        return values.reshape(points.shape)


def reviewed_precision(
    tp: int,
    fp: int,
    *,
    reviewed_tp: int,
    mislabelled_tp: int,
    reviewed_fp: int,
    mislabelled_fp: int,
    prior_tp: tuple[float, float] = (1, 1),
    prior_fp: tuple[float, float] = (1, 1),
    method: Literal["draws", "quadrature"] = "draws",
    confidence_level: float = 0.95,
    n_draws: int = N_DRAWS,
    random_state: Seed = None,
) -> Estimate:
    """Estimate precision from true and false positives after a review of some of their labels.

    Parameters
    ----------
    tp, fp : int
        True and false positives by the recorded labels.
    reviewed_tp, mislabelled_tp, reviewed_fp, mislabelled_fp : int
        Number of each that were reviewed, chosen at random, and number of the reviewed ones whose label was wrong.
    prior_tp, prior_fp : tuple of two float
        Parameters of the Beta prior of each mislabelling rate.
    method : {"draws", "quadrature"}
        ``"draws"``: limits from independent draws; ``"quadrature"``: the same limits without Monte Carlo error.
    confidence_level : float
        Posterior probability of the equal-tailed interval, between 0 and 1.
    n_draws : int
        Number of draws stored in the estimate, at least 2.
    random_state : int, Generator or None
        Seed of the draws.

    Returns
    -------
    Estimate
        Value and standard error are the posterior mean and standard deviation, in closed form.

    Raises
    ------
    HowsureError
        If a number is negative or not an integer, a prior parameter is not positive, or the method is unknown. If more
        cases were mislabelled than reviewed, or more reviewed than counted.

    Notes
    -----
    This model does not treat the labels of the reviewed cases as known, and it corrects only precision. `reviewed`
    treats them as known and corrects every metric. `ReviewedPrecision` also provides the posterior density and the
    mislabelling rates.

    References
    ----------
    Tenenbein (1970), Journal of the American Statistical Association 65.

    Examples
    --------
    >>> import howsure as hs
    >>> review = {"reviewed_tp": 100, "mislabelled_tp": 5, "reviewed_fp": 100, "mislabelled_fp": 20}
    >>> print(hs.labels.reviewed_precision(1000, 300, **review, method="quadrature"))
    0.771 [0.722, 0.813]
    """
    one_of("method", method, ["draws", "quadrature"])
    level = checked_level(confidence_level)
    n_draws = whole_number("n_draws", n_draws, FEWEST_DRAWS, MOST_DRAWS)
    model = ReviewedPrecision(
        tp=tp,
        fp=fp,
        reviewed_tp=reviewed_tp,
        mislabelled_tp=mislabelled_tp,
        reviewed_fp=reviewed_fp,
        mislabelled_fp=mislabelled_fp,
        prior_tp=prior_tp,
        prior_fp=prior_fp,
    )
    draws = model.draws(n_draws, random_state=random_state)
    reason = ""
    if method == "quadrature":
        low, high = model.quantile((1 - level) / 2), model.quantile((1 + level) / 2)
        change = model.quadrature_change((low, high))
        if change > TOLERANCE:
            reason = f"counts so large that the quadrature of the tails' probability is only good to {change:.0e}"
    else:
        low, high = equal_tailed(draws, level)
    return Estimate(
        model.mean,
        low=low,
        high=high,
        metric="precision",
        confidence_level=level,
        method=method,
        standard_error=model.standard_deviation,
        draws=draws,
        reason=reason,
    )


def _refuse_unless_count(name: str, number: Any) -> None:
    try:
        whole = not isinstance(number, bool | str) and float(number) >= 0 and float(number) == int(number)
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole:
        raise HowsureError(f"`{name}` is {number!r}, not a number of cases. Give a whole number of at least 0.")


def _refuse_unless_beta(name: str, prior: Any) -> None:
    try:
        a, b = (float(each) for each in prior)
        proper = 0 < a < np.inf and 0 < b < np.inf
    except (TypeError, ValueError):
        proper = False
    if not proper:
        raise HowsureError(
            f"`{name}` is {prior!r}. Give the two positive parameters of a Beta distribution, such as (1, 1)."
        )
