"""Bayesian intervals: Dirichlet distributions for the prevalence and for the predictions within each true class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Literal, final

import numpy as np
from numpy.typing import ArrayLike

from howsure.arrays import Array, Seed
from howsure.designs.algebra import Algebra
from howsure.designs.cell_sums import added_up
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import gammas
from howsure.errors import HowsureError, one_of, real_numbers, whole_number
from howsure.methods.core.draws import MOST_DRAWS, Draw
from howsure.methods.core.interval import Interval, IntervalAtLevel
from howsure.methods.core.method import DrawingMethod, needs_no_distance
from howsure.methods.core.standard_errors import is_positive_error
from howsure.methods.drawn.probability_matching import Limits, averages_all_classes, matched, of_proportion
from howsure.methods.numerics.draw_summaries import equal_tailed, highest_density
from howsure.metrics.averages import EXTREMES
from howsure.metrics.forms import divide
from howsure.metrics.metric import Metric
from howsure.tables.counts import ClassCounts
from howsure.tables.table import Table

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
    """Posterior interval of any metric.

    The prevalence is ``φ ~ Dirichlet(P + a)``, the predictions within true class i are ``Dirichlet(C_i + α_i)``,
    and the table is ``φ_i`` times row i. If ``a_i`` is the sum of row i of ``α`` (the default), this is a single
    Dirichlet over all cells.

    Parameters
    ----------
    prior : float, str or array-like of shape (K, K), optional
        ``α``: pseudo-counts of the cells, as a number, a K×K array, or a name (``"haldane"`` 0, ``"jeffreys"``
        1/2, ``"bayes-laplace"`` 1). The default is two whole pseudo-cases in total, drawn anew for each table: each
        belongs to a random class and is correct with probability 1/2 (see the notes). Other kinds of tables, estimated
        counts, and a ``prevalence`` of another population use two pseudo-cases spread over the cells.
    prevalence_prior : float, str or array-like of shape (K,), optional
        ``a``: pseudo-counts of the true classes, in the same forms.
    prevalence : array-like of shape (K,), optional
        The prevalence of another population, used instead of the test set's: K proportions that sum to 1 (known), or
        K Dirichlet parameters with a larger sum (uncertain). The estimate is then also for that population.
    credible : {"matched", "equal_tailed", "hdi"}
        ``"equal_tailed"`` for quantiles with equal probability on both sides, ``"hdi"`` for the interval of highest
        density. The default shifts and stretches the quantiles to match confidence limits (see the notes).
    n_draws : int
        Number of draws.
    source : {"posterior", "prior", "random"}
        ``"posterior"``; ``"prior"`` for the prior alone; ``"random"`` for a classifier that predicts at random, with
        the test set's prevalence.
        random, with the test set's prevalence.

    Notes
    -----
    The default is a mixture of the distributions ``Dirichlet(C + e)`` over the cells ``e`` of two unseen cases. The
    weights of the mixture are those of the cells before the data are seen. Bayes' theorem would update them, and so
    put the pseudo-cases into cells that already have cases. For accuracy and one such case, the default is an even
    mixture of Beta(x + 1, n - x) and Beta(x, n - x + 1), the distribution whose quantiles are the mid-p interval.

    Two properties of the draws make plain quantiles inaccurate. First, if a metric is nonlinear, such as F1 averaged
    over many classes, the mean of its draws lies below its value on their mean table; the sample's own value is below
    the true value by the same amount. Second, with few cases per class the draws vary less than samples do. Matched
    limits correct both:

    - The quantiles are shifted by twice ``θ(mean table) − mean draw``.
    - Their distances from the centre are multiplied by the ratio of two standard deviations, if it exceeds 1: that of
      the metric over that of the draws. The variance of the metric is the mean of the delta method's and the
      jackknife's.

    The limits stay in the metric's range and contain the sample's value. For a proportion they are the mid-p limits.
    Limits are not shifted if a class is absent from the sample, since it may occur in the draws. With your own prior
    or prevalence the limits are shifted but not stretched. The limits are the plain quantiles for metrics without
    bounds, for scores and values, and for cases that are not independent. The draws themselves are never changed.

    References
    ----------
    Caelen (2017), Annals of Mathematics and Artificial Intelligence 81; Tötsch, Hoffmann (2021), PeerJ Computer
    Science 7.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> print(hs.estimate(table, "mcc", method=hs.methods.Dirichlet(prior="jeffreys"), random_state=0))
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
        """Return whether the method uses a single Dirichlet distribution over all cells."""
        return self.prevalence is None and self.prevalence_prior is None and self.source != "random"

    @property
    def size(self) -> int:
        """Number of draws."""
        return self.n_draws

    def unsupported_reason(self, metric: Metric, table: Table) -> str:
        """Return "" for tables that have a posterior with these priors and prevalence, otherwise the reason why not.

        Calibration errors are not supported.
        """
        return needs_no_distance(self, metric, table) or self.fits(table)

    def fits(self, table: Table) -> str:
        """Return "" if tables can be drawn, else what to do instead."""
        if not self.is_plain and not table.kind.has_rows:
            return "`prevalence`, `prevalence_prior` and `source='random'` are for the confusion table of one model."
        adds = self.source != "posterior" or self.prior is not None or self.prevalence_prior is not None
        if adds and not all(design.traits.has_labels for design in table.design.test_sets):
            return "`Dirichlet` has no prior to add to scores without labels. Use it without `prior` and `source`."
        if self.source == "prior" and self.prior is None and not table.priors.default.any():
            return "`Dirichlet` has no prior of values without bounds: state them, `values(score, bounds=(0, 1))`."
        if self.source == "posterior" and not table.design.supports(Resampling.posterior):
            design = type(table.design).__name__
            return f"`Dirichlet` needs a posterior, and the design `{design}` has none. Use 'delta'."
        return ""

    def target_table(self, table: Table) -> Table:
        """Return the table at the other population's prevalence, or the one expected under the prior or at random."""
        if self.source == "posterior" and self.prevalence is None:
            return table
        return replace(table, counts=_Sampler.of(self, table).expected())

    def collapsible_cells(self, table: Table) -> Array | None:
        """Return the design's codes of cells; within true classes if the prevalence has its own distribution."""
        found = Algebra.of(table.design).collapsible_cells(table.cells.shape[-1])
        return found if found is None or self.is_plain else found * len(table.labels) + table.true_class

    def drawer(self, table: Table) -> Draw:
        """Return the function that draws tables of cell probabilities, up to a factor, from the posterior or prior."""
        return _Sampler.of(self, table).draw

    def _values(self, metrics: Sequence[Metric], table: Table, seed: np.random.SeedSequence) -> Array:
        return super(Dirichlet, self)._values([each.estimand for each in metrics], table, seed)

    def levels_of(self, draws: Array, metric: Metric, table: Table, rng: Seed = None) -> IntervalAtLevel:
        """Return the interval from draws of the metric, as a function of its level."""
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
            if is_positive_error(high - low, high):
                return Interval(low, high, error, draws, reason)
            return Interval(np.nan, np.nan, error, draws, NOTHING_UNCERTAIN)

        return interval

    def _limits(self, draws: Array, metric: Metric, table: Table) -> Limits:
        """Return the limits from defined draws as a function of the level; matched ones if requested."""
        quantiles = partial(self._intervals[self.credible], draws)
        is_of_classes = issubclass(metric.single_model.counts_class, ClassCounts)
        matches = self.credible == "matched" and self.source == "posterior" and table.design.traits.is_independent
        if not (matches and is_of_classes and np.isfinite(metric.range).all()):
            return quantiles
        has_own_prior = self.prior is not None or not self.is_plain
        if metric.proportion is not None:
            return quantiles if has_own_prior else of_proportion(metric, table, quantiles)
        if has_own_prior and metric.single_model.average in EXTREMES:
            return quantiles
        small = self.drawn_from([metric], table)
        middle = None
        if averages_all_classes(metric, small.counted):  # otherwise some draws have more classes than the sample
            middle = small.make_counts(_Sampler.of(self, small).middle().reshape(-1))
        return matched(quantiles, draws, metric, middle, None if has_own_prior else small)

    def one_sided(self) -> Dirichlet:
        """Return the method with limits that are valid one by one; those of highest density are not."""
        return replace(self, credible="equal_tailed") if self.credible == "hdi" else self

    def of_draws_alone(self) -> Dirichlet:
        """Return the method with limits from the draws alone, which need no metric of the table."""
        return replace(self, credible="equal_tailed") if self.credible == "matched" else self

    def p_value(
        self, metric: Metric, table: Table, null: float, *, draws: Array | None = None, rng: Seed = None
    ) -> float:
        """Return nan: a posterior interval has no test."""
        return np.nan


@dataclass(frozen=True, slots=True, eq=False)
class _Sampler:
    """Parameters of the distribution of the tables, constant for all blocks of draws; by flat cells."""

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
            # If the two priors agree, the product of Dirichlets is a single Dirichlet over the cells.
            of_rows = added_up(prior, table.true_class, size)
            prevalence = None if np.array_equal(extra, of_rows) else added_up(counts, table.true_class, size) + extra
        if method.source == "random":
            chance = cell_prior(1.0, table).ravel()
            prevalence = added_up(counts + prior, table.true_class, size) if prevalence is None else prevalence
        mixes = method.prior is None and method.is_plain
        return cls(table, counts, prior, prevalence, fixed, mixes, chance)

    def draw(self, size: int, rng: np.random.Generator) -> Array:
        cells = self._cells(size, rng)
        if self.prevalence is None:
            return cells
        truth, classes = self.table.true_class, len(self.prevalence)
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
            priors = self.table.priors
            if priors.cells is not None:
                return Resampling.of(design).posterior_with_pairs(self.counts, priors.cells(size, rng), size, rng)
            prior = priors.drawn(size, rng)
        return Resampling.of(design).posterior(self.counts, prior, size, rng)

    def expected(self) -> Array:
        """Return the central counts of the draws: the observed ones, or the prior's if nothing was observed."""
        shape = self.table.counts.shape
        counts, prior = self.counts.reshape(shape), self.prior.reshape(shape)
        if self.chance is not None:
            return self._at_prevalence(self.chance.reshape(shape))
        seen = counts.sum(-1, keepdims=True) if self.prevalence is not None else counts.sum()
        return self._at_prevalence(np.where(seen > 0, counts, prior))

    def middle(self) -> Array:
        """Return the mean of the tables drawn for independent cases, up to a factor."""
        return self._at_prevalence((self.counts + self.prior).reshape(self.table.counts.shape))

    def _at_prevalence(self, rows: Array) -> Array:
        """Return the table with the prevalence of the draws."""
        if self.prevalence is None:
            return rows
        return np.asarray(self.prevalence[:, None] * divide(rows, rows.sum(-1, keepdims=True)))


def cell_prior(prior: Prior | None, table: Table) -> Array:
    """Return the prior pseudo-counts of each cell; a paired table has them for each model's own table."""
    if prior is None:
        return table.priors.default
    return table.priors.by_cell(prior_array(prior, table.priors.shape, "prior"))


def prior_array(prior: Prior, shape: tuple[int, ...], what: str) -> Array:
    """Return pseudo-counts of a given shape from a number, an array or a name; ``what`` names them in errors."""
    array = _pseudo_cases(prior, what)
    if array.ndim and array.shape != shape:
        raise HowsureError(f"`{what}` has shape {array.shape} where the table needs {shape}.")
    return np.broadcast_to(array, shape).astype(float)


def _pseudo_cases(prior: Prior, what: str) -> Array:
    """Return a number, an array or a name as pseudo-counts."""
    if isinstance(prior, str):
        name = prior.strip().lower().replace("_", "-").replace(" ", "-")
        if name not in NAMED_PRIORS:
            raise HowsureError.unknown(what, prior, NAMED_PRIORS)
        return np.asarray(NAMED_PRIORS[name])
    try:
        array = real_numbers(what, prior)
    except HowsureError:
        raise HowsureError(f"`{what}` is a number, an array of numbers or a name, not {prior!r}.") from None
    if not np.isfinite(array).all() or (array < 0).any():
        raise HowsureError(f"`{what}` holds a negative or non-finite number; pseudo-cases are at least 0.")
    return array


def _elicited(prevalence: ArrayLike, size: int) -> tuple[Array, bool]:
    array = prior_array(prevalence, (size,), "prevalence")
    total = array.sum()
    if np.asarray(prevalence).ndim == 0 or total < 1 - 1e-9:
        raise HowsureError(
            f"`prevalence` needs one share for each of the {size} classes, summing to 1, or Dirichlet parameters."
        )
    return array, bool(abs(total - 1) <= 1e-9)
