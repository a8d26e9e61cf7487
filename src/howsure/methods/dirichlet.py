"""Bayesian intervals: Dirichlet distributions of the prevalence and of the predictions within each true class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howsure.designs.sampling import gammas
from howsure.designs.sums import added_up
from howsure.errors import HowsureError, one_of, real_numbers, whole_number
from howsure.methods.draws import MOST_DRAWS, Draw
from howsure.methods.interval import AtLevels, Interval
from howsure.methods.matching import Limits, averages_all_classes, matched, of_proportion
from howsure.methods.method import DrawingMethod, needs_no_distance
from howsure.methods.standard_errors import shows_variation
from howsure.methods.summary import equal_tailed, highest_density
from howsure.metrics.averages import EXTREMES
from howsure.metrics.forms import divide
from howsure.metrics.metric import Metric
from howsure.tables.counts import ClassCounts
from howsure.tables.table import Table

Array = NDArray[Any]
Prior = float | str | ArrayLike

SOURCES = ("posterior", "prior", "random")
NOTHING_UNCERTAIN = "every draw gives the same value: prior and design leave nothing uncertain"
NAMED_PRIORS = {
    **dict.fromkeys(("haldane", "zero", "zeros"), 0.0),
    **dict.fromkeys(("jeffreys", "jeffrey", "half", "halves"), 0.5),
    **dict.fromkeys(("bayes-laplace", "bayes", "laplace", "one", "ones"), 1.0),
}


@final
@dataclass(frozen=True, slots=True, eq=False)
class Dirichlet(DrawingMethod):
    """Posterior intervals of any metric.

    The prevalence is ``φ ~ Dirichlet(P + a)``, the predictions within true class i are ``Dirichlet(C_i + α_i)``,
    and the table is ``φ_i`` times row i. With ``a_i`` the sum of row i of ``α`` (the default) this is one
    Dirichlet over all cells.

    Parameters
    ----------
    prior : float, str or array-like of shape (K, K), optional
        ``α``: pseudo-cases in each cell, as a number, a K×K array, or a name (``"haldane"`` 0, ``"jeffreys"``
        1/2, ``"bayes-laplace"`` 1). By default two whole pseudo-cases in all, drawn anew for each table: each is of
        a class at random, and as likely right as wrong (see the notes). Other kinds of tables, estimated counts, and
        a prevalence of its own take two pseudo-cases that are spread over the cells.
    prevalence_prior : float, str or array-like of shape (K,), optional
        ``a``: the same for the true classes.
    prevalence : array-like of shape (K,), optional
        The prevalence of another population, instead of the test set's: K shares that sum to 1 (known), or K
        parameters of a Dirichlet that sum to more (uncertain). The estimate's value is of that population too.
    credible : {"matched", "equal_tailed", "hdi"}
        ``"equal_tailed"`` for quantiles that leave equal probability on both sides, ``"hdi"`` for the interval of
        highest density. By default the quantiles are moved and spread to match confidence limits (see the notes).
    n_draws : int
        Number of draws.
    source : {"posterior", "prior", "random"}
        ``"posterior"``; ``"prior"`` for what the prior alone says; ``"random"`` for a classifier that predicts at
        random, with the test set's prevalence.

    Notes
    -----
    The default is a mixture of Dirichlet distributions: of ``Dirichlet(C + e)`` over the places ``e`` of two cases that
    were not seen. Its weights are those of the places and not of what the data say of them, as Bayes' theorem would
    have it (which would take the places back where cases were seen). With one such case accuracy is an even mixture
    of Beta(x + 1, n - x) and Beta(x, n - x + 1), the distribution whose quantiles are the mid-p interval.

    Where a metric of classes is curved, as F1 averaged over many of them, the mean of its draws lies below its value on
    their mean table, and the sample's own value as much below the truth: draws repeat what chance did. And where
    classes have few cases, draws vary less than samples do. Matched limits are the quantiles, moved by twice ``θ(mean
    table) − mean draw``, and as many times as far from their centre as the standard deviation of the metric, by the
    mean of the delta method's variance and the jackknife's, is that of the draws, where it is larger. They are within
    the metric's range and hold the sample's value. Of a proportion they are the mid-p limits. Where the sample leaves a
    class out, which draws may have, they are not moved. A prior or a prevalence of your own says more than the sample
    does: limits are moved then, and no more. They are just the quantiles of
    metrics without bounds, of scores and values, and of cases that are not independent. The draws themselves are not
    changed.

    References
    ----------
    Caelen (2017), Annals of Mathematics and Artificial Intelligence 81; Tötsch, Hoffmann (2021), PeerJ Computer
    Science 7.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> print(hs.estimate(table, "mcc", method=hs.Dirichlet(prior="jeffreys"), random_state=0))
    0.840 [0.701, 0.916]
    """

    prior: Prior | None = None
    prevalence_prior: Prior | None = None
    prevalence: ArrayLike | None = None
    credible: Literal["matched", "equal_tailed", "hdi"] = "matched"
    n_draws: int = 10_000
    source: Literal["posterior", "prior", "random"] = "posterior"
    name: ClassVar[str] = "bayes"
    synonyms: ClassVar[tuple[str, ...]] = ("dirichlet", "posterior")
    _intervals: ClassVar[dict[str, Any]] = {
        **dict.fromkeys(("matched", "equal_tailed"), equal_tailed),
        "hdi": highest_density,
    }

    def __post_init__(self) -> None:
        one_of("credible interval", self.credible, self._intervals)
        one_of("source of draws", self.source, SOURCES)
        whole_number("n_draws", self.n_draws, most=MOST_DRAWS)
        for what in ("prior", "prevalence_prior", "prevalence"):
            given = getattr(self, what)
            if given is not None:
                _pseudo_cases(given, what)

    @property
    def is_plain(self) -> bool:
        """Whether it is one Dirichlet distribution over all cells."""
        return self.prevalence is None and self.prevalence_prior is None and self.source != "random"

    @property
    def size(self) -> int:
        """Number of draws."""
        return self.n_draws

    def suits(self, metric: Metric, table: Table) -> str:
        """Return an empty text for tables that have a posterior, with the priors and the prevalence that they can.

        Not for calibration errors.
        """
        return needs_no_distance(self, metric, table) or self.fits(table)

    def fits(self, table: Table) -> str:
        """Return an empty text where tables can be drawn, else what to do instead."""
        if not self.is_plain and not table.has_rows:
            return "`prevalence`, `prevalence_prior` and `source='random'` are for the confusion table of one model."
        adds = self.source != "posterior" or self.prior is not None or self.prevalence_prior is not None
        if adds and not all(design.has_labels for design in table.design.test_sets):
            return "`Dirichlet` has no prior to add to scores without labels. Use it without `prior` and `source`."
        if self.source == "prior" and self.prior is None and not table.default_prior.any():
            return "`Dirichlet` has no prior of values without bounds: state them, `values(score, bounds=(0, 1))`."
        if self.source == "posterior" and not table.design.offers("posterior"):
            design = type(table.design).__name__
            return f"`Dirichlet` needs a posterior, and the design `{design}` has none. Use 'delta'."
        return ""

    def described(self, table: Table) -> Table:
        """Return the table at the other population's prevalence, or the one that the prior or chance alone expects."""
        if self.source == "posterior" and self.prevalence is None:
            return table
        return replace(table, counts=_Sampler.of(self, table).expected())

    def lumps(self, table: Table) -> Array | None:
        """Return what the design says, within each true class where prevalence has a distribution of its own."""
        found = table.design.lumps(table.cells.shape[-1])
        return found if found is None or self.is_plain else found * len(table.labels) + table.truth

    def drawer(self, table: Table) -> Draw:
        """Return what draws tables from the posterior, or the prior, in proportion to the cells' probabilities."""
        return _Sampler.of(self, table).draw

    def _values(self, metrics: Sequence[Metric], table: Table, seed: np.random.SeedSequence) -> Array:
        return super(Dirichlet, self)._values([each.estimand for each in metrics], table, seed)

    def levels_of(self, draws: Array, metric: Metric, table: Table, rng: Any = None) -> AtLevels:
        """Return the interval that draws of the metric give, as a function of its level."""
        metric = metric.estimand
        kept = draws[np.isfinite(draws)]
        lost = len(draws) - len(kept)
        if not kept.size:
            return lambda _: Interval(np.nan, np.nan, draws=draws, reason="undefined on every draw")
        limits = self._limits(kept, metric, table)
        error = float(kept.std(ddof=1)) if len(kept) > 1 else np.nan
        reason = f"undefined on {lost} of {len(draws)} draws" if lost else ""

        def interval(confidence_level: float) -> Interval:
            low, high = map(float, limits(confidence_level))
            if shows_variation(high - low, high):
                return Interval(low, high, error, draws, reason)
            return Interval(np.nan, np.nan, error, draws, NOTHING_UNCERTAIN)

        return interval

    def _limits(self, draws: Array, metric: Metric, table: Table) -> Limits:
        """Return the limits that defined draws give at a level, matched to confidence limits where asked."""
        quantiles = partial(self._intervals[self.credible], draws)
        is_of_classes = issubclass(metric.of_one_model.counts_class, ClassCounts)
        matches = self.credible == "matched" and self.source == "posterior" and table.design.is_independent
        if not (matches and is_of_classes and np.isfinite(metric.range).all()):
            return quantiles
        has_own_prior = self.prior is not None or not self.is_plain
        if metric.proportion is not None:
            return quantiles if has_own_prior else of_proportion(metric, table, quantiles)
        if has_own_prior and metric.of_one_model.average in EXTREMES:
            return quantiles
        small = self.lumped([metric], table)
        middle = None
        if averages_all_classes(metric, small.counted):  # else some draws have more classes than the sample
            middle = small.wrap(_Sampler.of(self, small).middle().reshape(-1))
        return matched(quantiles, draws, metric, middle, None if has_own_prior else small)

    def one_sided(self) -> Dirichlet:
        """Return the method with limits that hold one by one, as those of highest density do not."""
        return replace(self, credible="equal_tailed") if self.credible == "hdi" else self

    def of_draws_alone(self) -> Dirichlet:
        """Return the method with limits that draws alone give, also of what is no metric of the table."""
        return replace(self, credible="equal_tailed") if self.credible == "matched" else self

    def p_value(
        self, metric: Metric, table: Table, null: float, *, draws: Array | None = None, rng: Any = None
    ) -> float:
        """Return nan: a posterior tests nothing."""
        return np.nan


@dataclass(frozen=True, slots=True, eq=False)
class _Sampler:
    """What one stream of tables is drawn from; everything that does not change between blocks, by flat cells."""

    table: Table
    counts: Array
    prior: Array
    prevalence: Array | None  # fixed shares or gamma parameters of the true classes, None for the rows' own sums
    fixed: bool
    mixes: bool  # whether each draw has pseudo-cases of its own
    chance: Array | None = field(default=None)  # gamma parameters of a random classifier's cells

    @classmethod
    def of(cls, method: Dirichlet, table: Table) -> _Sampler:
        if refusal := method.fits(table):
            raise HowsureError(refusal)
        prior, size = cell_prior(method.prior, table).ravel(), len(table.labels)
        counts = np.zeros(prior.shape) if method.source == "prior" else table.cells
        prevalence, fixed, chance = None, False, None
        if method.prevalence is not None:
            prevalence, fixed = _elicited(method.prevalence, size)
        elif method.prevalence_prior is not None:
            extra = prior_array(method.prevalence_prior, (size,), "prevalence_prior")
            # Where the two priors agree the product of Dirichlets is one Dirichlet, which the cells alone give.
            of_rows = added_up(prior, table.truth, size)
            prevalence = None if np.array_equal(extra, of_rows) else added_up(counts, table.truth, size) + extra
        if method.source == "random":
            chance = cell_prior(1.0, table).ravel()
            prevalence = added_up(counts + prior, table.truth, size) if prevalence is None else prevalence
        mixes = method.prior is None and method.is_plain
        return cls(table, counts, prior, prevalence, fixed, mixes, chance)

    def draw(self, size: int, rng: np.random.Generator) -> Array:
        cells = self._cells(size, rng)
        if self.prevalence is None:
            return cells
        truth, classes = self.table.truth, len(self.prevalence)
        sums = added_up(cells, truth, classes)
        share = self.prevalence
        if not self.fixed:
            share = gammas(self.prevalence, size, rng)
        scale = np.divide(share, sums, out=np.full(sums.shape, np.nan), where=sums > 0)
        scale = np.where((sums == 0) & (np.broadcast_to(share, sums.shape) == 0), 0.0, scale)
        return np.asarray(cells * scale[:, truth])

    def _cells(self, size: int, rng: np.random.Generator) -> Array:
        if self.chance is not None:
            return gammas(self.chance, size, rng)
        if not self.counts.any():
            return gammas(self.prior, size, rng)
        design, prior = self.table.design, self.prior
        if self.mixes:
            pair = self.table.pseudo_cells(size, rng)
            if pair is not None:
                return design.posterior_with(self.counts, pair, size, rng)
            prior = self.table.pseudo_cases(size, rng)
        return design.posterior(self.counts, prior, size, rng)

    def expected(self) -> Array:
        """Return the counts in the middle of the draws: as seen, or as the prior has them where nothing was seen."""
        shape = self.table.counts.shape
        counts, prior = self.counts.reshape(shape), self.prior.reshape(shape)
        if self.chance is not None:
            return self._at_prevalence(self.chance.reshape(shape))
        seen = counts.sum(-1, keepdims=True) if self.prevalence is not None else counts.sum()
        return self._at_prevalence(np.where(seen > 0, counts, prior))

    def middle(self) -> Array:
        """Return the mean of the tables that are drawn from independent cases, up to a factor."""
        return self._at_prevalence((self.counts + self.prior).reshape(self.table.counts.shape))

    def _at_prevalence(self, rows: Array) -> Array:
        """Return the table whose true classes are as frequent as they are drawn."""
        if self.prevalence is None:
            return rows
        return np.asarray(self.prevalence[:, None] * divide(rows, rows.sum(-1, keepdims=True)))


def cell_prior(prior: Prior | None, table: Table) -> Array:
    """Return the prior pseudo-cases of each cell; of a paired table so many a cell of each model's own table."""
    if prior is None:
        return table.default_prior
    return table.spread_prior(prior_array(prior, table.prior_shape, "prior"))


def prior_array(prior: Prior, shape: tuple[int, ...], what: str) -> Array:
    """Return pseudo-cases in this shape from a number, an array or a name; errors call them ``what``."""
    array = _pseudo_cases(prior, what)
    if array.ndim and array.shape != shape:
        message = f"`{what}` has shape {array.shape} where the table needs {shape}."
        raise HowsureError(message)
    return np.broadcast_to(array, shape).astype(float)


def _pseudo_cases(prior: Prior, what: str) -> Array:
    """Return a number, an array or a name as pseudo-cases, for whichever table."""
    if isinstance(prior, str):
        name = prior.strip().lower().replace("_", "-").replace(" ", "-")
        if name not in NAMED_PRIORS:
            raise HowsureError.unknown(what, prior, NAMED_PRIORS)
        return np.asarray(NAMED_PRIORS[name])
    try:
        array = real_numbers(what, prior)
    except HowsureError:
        message = f"`{what}` is a number, an array of numbers or a name, not {prior!r}."
        raise HowsureError(message) from None
    if not np.isfinite(array).all() or (array < 0).any():
        message = f"`{what}` holds a negative or non-finite number; pseudo-cases are at least 0."
        raise HowsureError(message)
    return array


def _elicited(prevalence: ArrayLike, size: int) -> tuple[Array, bool]:
    array = prior_array(prevalence, (size,), "prevalence")
    total = array.sum()
    if np.asarray(prevalence).ndim == 0 or total < 1 - 1e-9:
        message = f"`prevalence` needs one share for each of the {size} classes, summing to 1, or Dirichlet parameters."
        raise HowsureError(message)
    return array, bool(abs(total - 1) <= 1e-9)
