"""Sampling designs: how the counts of a table vary between repetitions of the study.

A design returns the variance of a linear form in the counts. Together with the gradient of a metric this gives the
delta method. Callers test which methods a design defines, never its class. A user-defined design therefore works
wherever it defines the required methods; elsewhere an error names the missing one.

Counts and gradients are flat arrays of shape ``(..., cells)``; leading axes are a batch of tables. A metric does not
change when the counts are multiplied by a constant, so ``sum(counts * gradient) == 0`` (Euler's theorem), and variances
need no correction for the mean.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from howsure.designs import invariants
from howsure.designs.refit import Refit
from howsure.designs.sampling import Blocks, counts_of_draws
from howsure.designs.strata import Strata
from howsure.errors import UndefinedDesignError
from howsure.escapes import shortened

Array = NDArray[Any]
PSEUDO_CASES = 2.0  # total pseudo-count: for samples without variation, and of the default prior
DUST = 1e-12  # relative tolerance for rounding errors around zero
NOTHING: Mapping[str, float] = MappingProxyType({})


class Design(abc.ABC):
    """Sampling distribution of the counts of a table.

    A subclass needs `variance`. Each further method makes more of the library available: `merged` gives metrics of one
    class and thresholds, and `joined` the sum of tables. Bootstraps need `resample`, credible intervals `posterior`,
    and the BCa bootstrap `left_out`. The methods `small_sample` and `unseen` correct intervals for few units of unequal
    size, and `repeated` simulates coverage.

    Attributes
    ----------
    is_independent : bool
        Whether the counts are one multinomial sample of unweighted, independent cases.
    is_counted : bool
        Whether cases were counted; False for counts that are estimates or expectations.
    has_trials : bool
        Whether proportions are binomial with the effective sample size, including near 0 and 1.
    has_labels : bool
        Whether the true classes were observed; False for counts expected from scores.
    trusts_scores : bool
        Whether scores are taken as the class probabilities of the observed cases.
    is_exact : bool
        Whether there is no sampling, so that estimates have no uncertainty.
    awaits_labels : bool
        Whether the cases are given and their labels are still to be observed.
    knows_chances : bool
        Whether the probabilities of such labels are given, not estimated.
    estimates_shares : bool
        Whether the class frequencies are estimates, which may be close to 0.
    fixes_margins : bool
        Whether the number of cases of each true class is fixed.
    has_strata : bool
        Whether cases are weighted by the size of their stratum, and the sampled cells are those of strata.
    has_one_unit : bool
        Whether one kind of unit is drawn, cases or clusters; False for two crossed factors.
    note : str
        Caveat attached to every estimate; empty for counted cases.
    words : str
        Text printed after the number of cases, such as "in 120 clusters"; empty for independent cases.
    cautions : tuple of str
        Sentences about the design for readers of the intervals.
    method : str
        Name of the default method for every metric of such counts; empty if it depends on the metric.

    Examples
    --------
    >>> import howsure as hs
    >>> class Twice(hs.designs.Design):
    ...     '''Independent cases, each of which was counted twice.'''
    ...
    ...     def variance(self, counts, gradient):
    ...         return 2 * (counts * gradient**2).sum(-1)
    >>> table = hs.from_counts([[50, 3], [5, 42]])
    >>> print(hs.estimate(table, "mcc"), hs.estimate(table.with_design(Twice()), "mcc"))
    0.840 [0.708, 0.923] 0.840 [0.639, 0.946]
    """

    __slots__ = ()
    is_independent: ClassVar[bool] = False
    is_counted: ClassVar[bool] = True
    has_trials: ClassVar[bool] = True
    has_labels: ClassVar[bool] = True
    awaits_labels: ClassVar[bool] = False
    knows_chances: ClassVar[bool] = False
    trusts_scores: ClassVar[bool] = False
    fixes_margins: ClassVar[bool] = False
    has_strata: ClassVar[bool] = False
    has_one_unit: ClassVar[bool] = True

    def __repr__(self) -> str:
        names: list[str] = [each.name for each in fields(self)] if is_dataclass(self) else []
        return f"{type(self).__name__}({', '.join(f'{name}={_size_of(getattr(self, name))}' for name in names)})"

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells.

        Parameters
        ----------
        shape : tuple of int
            Shape of the table's counts with the cells along the last axis.

        Raises
        ------
        HowsureError
            If a part breaks an invariant; the message names it.
        """
        invariants.instance("note", self.note, str)

    def check_sums(self, counts: Array) -> None:
        """Check that the entries of the design add up to the counts of its table.

        A saved table is checked once, when it is loaded: the check costs a pass over all entries.

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The table's counts.

        Raises
        ------
        HowsureError
            If they add up to other counts; the message names the first cell.
        """
        invariants.numbers("counts", counts, counts.shape)  # a design without entries has nothing to add up

    @property
    def remaining(self) -> Any:
        """Return 1 minus the sampling fraction of each sampled cell; 1 for an infinite population."""
        return 1.0

    @property
    def is_exact(self) -> bool:
        """Whether there is no sampling, so that estimates have no uncertainty."""
        return False

    @property
    def estimates_shares(self) -> bool:
        """Whether the class frequencies are estimates, which may be close to 0."""
        return False

    @property
    def refit(self) -> Refit | None:
        """Samples of which an estimated table is a known function; None if there is no such function."""
        return None

    @property
    def method(self) -> str:
        """Name of the default method for every metric of such counts; empty if it depends on the metric."""
        return ""

    @property
    def note(self) -> str:
        """Caveat attached to every estimate; empty for counted cases."""
        return ""

    @property
    def words(self) -> str:
        """Text printed after the number of cases; empty for independent cases."""
        return ""

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences about the design for readers of the intervals."""
        return ()

    @property
    def degrees_of_freedom(self) -> Any:
        """Degrees of freedom of the variance estimate; infinite if normal quantiles are valid."""
        return np.inf

    @property
    def unit_names(self) -> Array | None:
        """Names of the units of `influences`, for matching them across tables; None without names."""
        return None

    @property
    def test_sets(self) -> tuple[Design, ...]:
        """The designs of separate test sets; by default the design itself."""
        return (self,)

    @abc.abstractmethod
    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the variance of ``sum(gradient * counts)``, shape ``(...)``.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and the coefficients of the linear form.
        """

    def small_sample(self, counts: Array, gradient: Array) -> tuple[Any, Any]:
        """Return the small-sample inflation factor of `variance`, and its degrees of freedom.

        Intervals use the Student t quantile times the square root of the factor instead of the normal quantile. The
        defaults are a factor of 1 and the degrees of freedom of the design.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and the coefficients of the linear form.

        Returns
        -------
        inflation : float or ndarray of shape (...)
            Factor of the variance.
        degrees_of_freedom : float or ndarray of shape (...)
            Infinite if normal quantiles are valid.
        """
        return 1.0, self.degrees_of_freedom

    def unseen(self, counts: Array, gradient: Array) -> Any:
        """Return the design effect after adding an unobserved unit, divided by the design effect.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and the coefficients of the linear form.

        Returns
        -------
        float or ndarray of shape (...)
            At least 1; by default 1.
        """
        return 1.0

    def squares(self, counts: Array) -> Array | None:
        """Return the sum of squared weights by cell if cells vary independently, else None."""
        return None

    def placement_variance(self, counts: Array, truth: Array, slopes: Array) -> Array:
        """Return the variance of a mean of placement values within classes, such as an area under the ROC curve.

        Squared deviations of counted cases from the class mean are divided by the number of cases minus 1.

        Parameters
        ----------
        counts, slopes : ndarray of shape (..., cells)
            The tables, and the derivative of the mean by the cells.
        truth : ndarray of shape (cells,)
            Position of the true class of each cell.

        Returns
        -------
        ndarray of shape (...)
            The variance; nan if a class has too few cases.
        """
        return self.variance(counts, slopes)

    def satterthwaite(self, counts: Array, truth: Array, slopes: Array) -> Any:
        """Return the degrees of freedom of the variance of a linear form, such as a metric of scores.

        They equal 2 V² / Var(V̂), where V̂ is the estimate of the variance V (Satterthwaite). They are small if a class
        has few cases or if a few cases dominate the variance. The default is the design's `degrees_of_freedom`.

        Parameters
        ----------
        counts, slopes : ndarray of shape (..., cells)
            The tables, and the derivative of the form by the cells.
        truth : ndarray of shape (cells,)
            Position of the true class of each cell.
        """
        return self.degrees_of_freedom

    def offers(self, what: str) -> bool:
        """Return whether the design defines an optional method, such as ``"resample"``."""
        return getattr(type(self), what) is not getattr(Design, what)

    def effective_trials(self, counts: Array, trials: Array) -> Array:
        """Return the Kish effective sample size of the marked cells.

        It is the squared total of the cells divided by its variance under Poisson sampling.
        """
        marked = np.broadcast_to(np.asarray(trials, dtype=float), counts.shape)
        return quotient((counts * marked).sum(-1) ** 2, self.variance(counts, marked))

    def unit_size(self, counts: Array) -> Any:
        """Return the mean size of a sampling unit, in counts; 0 if a total without variation is certain.

        Pseudo-counts added to a table without variation have this size.

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The tables.
        """
        worth = self.effective_trials(counts, np.ones(counts.shape[-1], dtype=bool))
        return np.where(worth > 0, np.maximum(counts.sum(-1) / np.maximum(worth, 1.0), self.least_unit), 0.0)

    @property
    def least_unit(self) -> float:
        """Smallest size of a sampling unit, in counts; 1 for cases with a mean weight of 1."""
        return 1.0

    def merged(self, cells: Array, size: int) -> Design:
        """Return the design of the table whose cell ``cells[c]`` collects cell ``c``; ``size`` cells in all.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for the merged table.
        """
        raise UndefinedDesignError(type(self).__name__)

    def cut(self, row: int, rows: int) -> Design:
        """Return the design of the confusion table of a table of scores, positive from one of its rows on.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for the merged table.
        """
        positive = (np.arange(rows) >= row).astype(np.intp)
        return self.merged((2 * np.arange(2) + positive[:, None]).ravel(), 4)  # true class × predicted class

    def joined(self, others: Sequence[Self]) -> Design:
        """Return the design of the sum of tables over the same cells, whose cases are distinct.

        Parameters
        ----------
        others : sequence of Design
            Designs of the same class: those of the other tables.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for the sum.
        """
        raise UndefinedDesignError(type(self).__name__, "the sum of tables")

    def stacked(self, others: Sequence[Self], size: int) -> Design:
        """Return the design of a batch of tables over the same cells.

        Parameters
        ----------
        others : sequence of Design
            Designs of the same class: those of the tables after the first.
        size : int
            Number of cells of each table.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for a batch.
        """
        raise UndefinedDesignError(type(self).__name__, "tables as one batch")

    def apart(self) -> Design:
        """Return the design under the assumption that its units, such as clusters, occur in no other table."""
        return self

    def lumps(self, cells: int) -> Array | None:
        """Return codes of cells that can be merged before a draw without a change in the distribution of their sums.

        Cells with the same code can be merged. None if no such codes are known.

        Parameters
        ----------
        cells : int
            Number of cells.
        """
        return None

    def merged_each(self, cells: Array, size: int) -> Design:
        """Return the design of a batch in which each table is merged by its own row of ``cells``, ``(tables, cells)``.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for such a batch.
        """
        raise UndefinedDesignError(type(self).__name__, "several mergers at once")

    def bound(self, truth: Array) -> Design:
        """Return the design for a table whose cells have these true classes."""
        return self

    def picked(self, index: int) -> Design:
        """Return the design of one table of a batch."""
        return self

    def smoothed(self, counts: Array, extra: Array) -> tuple[Array, Design] | None:
        """Return counts and design after adding pseudo-counts; None if they vary separately (see `smoothed`).

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The tables.
        extra : ndarray of shape (cells,)
            Pseudo-counts of each cell, in sampling units of mean size.
        """
        return None

    def influences(self, counts: Array, gradient: Array) -> tuple[Array, Array] | None:
        """Return the contribution of each kind of unit to a linear form, and the number of units of that kind.

        None if the units are neither cases nor clusters.
        """
        return None

    def tangent(self, counts: Array, gradient: Array) -> Array:
        """Project a gradient onto the tables that satisfy the fixed totals of the design."""
        return gradient

    def sampled(self, counts: Array) -> Array:
        """Return the sampled cells, which can be finer than the cells of the table.

        The methods `tangent`, `rescaled` and `tables` take sampled cells.
        """
        return counts

    def tables(self, sampled: Array) -> Array:
        """Return the tables estimated from sampled cells, ``(..., cells)``."""
        return sampled

    def lifted(self, values: Array) -> Array:
        """Expand a value per cell of the table to a value per sampled cell, ``(..., cells)``."""
        return values

    def spread(self, extra: Array) -> Array:
        """Distribute pseudo-counts of the table over the sampled cells, ``(..., cells)``; the total is unchanged."""
        return extra

    def weighs_alike(self, marked: Array) -> bool:
        """Return whether all cases that can fall in the marked cells have the same stratum weight.

        Parameters
        ----------
        marked : ndarray of shape (cells,)
            Which cells.
        """
        return True

    def settles(self, form: Array) -> Array:
        """Return whether a linear form without observed variation is a total fixed by the design, ``(...)``.

        Parameters
        ----------
        form : ndarray of shape (..., cells)
            What is summed.
        """
        return np.full(form.shape[:-1], self.fixes_margins)

    def rescaled(self, cells: Array, counts: Array) -> Array:
        """Scale ``cells`` to the totals of ``counts`` that the design fixes; by default the overall total."""
        return cells * quotient(counts.sum(-1), cells.sum(-1))[..., None]

    def kept(self, chosen: Array, cells: Array) -> Design:
        """Return the design restricted to some of the cells; the units stay the same.

        Parameters
        ----------
        chosen : ndarray of shape (cells,)
            Which cells are kept.
        cells : ndarray of shape (cells,)
            Position of each kept cell among the kept ones.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for them.
        """
        raise UndefinedDesignError(type(self).__name__, "some of the cells")

    def parted(self, part: Array, number: int) -> list[Design]:
        """Return one design per part, restricted to its cells where that is faster; by default the full design.

        Parameters
        ----------
        part : ndarray of shape (cells,)
            The part that each cell is in.
        number : int
            How many parts there are.
        """
        return [self] * number

    def by_unit(self, size: int) -> tuple[Any, Array | None, Array | None]:
        """Return the table of each unit as a sparse matrix ``(units, size)``, its cluster, and the clusters' names.

        Clusters and names are None if each unit is its own cluster.

        Parameters
        ----------
        size : int
            Number of cells.

        Raises
        ------
        UndefinedDesignError
            If the tables of the units are not known.
        """
        raise UndefinedDesignError(type(self).__name__, "a table for each unit")

    def excess_skewness(self, counts: Array, effect: Array) -> Array:
        """Return the relative increase in skewness of a smooth function of the counts over independent cases.

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The tables.
        effect : ndarray of shape (...)
            Design effect: the variance divided by that of independent cases with weight 1.
        """
        return np.zeros(np.shape(effect))

    def strata(self, counts: Array, gradient: Array) -> Strata:
        """Return the contribution of each partially labelled stratum to a linear form.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and the coefficients of the linear form.
        """
        raise UndefinedDesignError(type(self).__name__, "strata of cases that are labelled in part")

    def extremes(self, counts: Array, gradient: Array) -> Array:
        """Return tables in which one stratum has only its worst, or only its best, outcome for a linear form.

        Parameters
        ----------
        counts, gradient : ndarray of shape (cells,)
            The table, and the coefficients of the linear form.

        Returns
        -------
        ndarray of shape (2, ties, strata, cells)
            The worst outcome comes first. Tied outcomes have one table each.
        """
        raise UndefinedDesignError(type(self).__name__, "strata of cases that are labelled in part")

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Return bootstrap replicates of the table, ``(size, cells)``."""
        raise UndefinedDesignError(type(self).__name__, "resampled tables")

    def repeated(self, counts: Array, scale: float, size: int, rng: np.random.Generator) -> tuple[Array, Design]:
        """Return tables of new studies from the population with these cell probabilities, and their batch design.

        `resample` returns counts only; here the interval of each table can also be computed.

        Parameters
        ----------
        counts : ndarray of shape (cells,)
            The table whose proportions define the population.
        scale : float
            Sample size of a study divided by that of the table, in cases or clusters.
        size : int
            How many studies.
        rng : Generator
            Source of the draws.

        Returns
        -------
        tuple of ndarray of shape (size, cells) and Design
        """
        raise UndefinedDesignError(type(self).__name__, "new studies")

    def tilted(self, counts: Array, slopes: Array) -> tuple[Array, Design]:
        """Return table and design of the exponentially tilted population.

        The number of units of each kind is multiplied by the exponential of the contribution of one unit to
        ``sum(slopes * counts)``. The result is rescaled to the original number of units.

        Parameters
        ----------
        counts, slopes : ndarray of shape (cells,)
            The table, and the logarithm of the factor of each cell.

        Returns
        -------
        tuple of ndarray of shape (cells,) and Design
        """
        raise UndefinedDesignError(type(self).__name__, "another truth than the table's own")

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Return posterior draws of the cell probabilities, up to a factor per draw, ``(size, cells)``.

        Parameters
        ----------
        counts : ndarray of shape (cells,)
            The table.
        prior : ndarray of shape (cells,) or (size, cells)
            Pseudo-counts of each cell, in sampling units of mean size: one set for all draws, or one set per draw.
            Callers pass one set per draw only to designs of counted cases.
        size : int
            Number of draws.
        rng : Generator
            Source of randomness.
        """
        raise UndefinedDesignError(type(self).__name__, "posterior tables")

    def posterior_with(self, counts: Array, pair: Array, size: int, rng: np.random.Generator) -> Array:
        """Return `posterior` draws in which each draw has its own two whole pseudo-counts.

        Parameters
        ----------
        counts : ndarray of shape (cells,)
            The table.
        pair : ndarray of shape (size, 2)
            The cells of the two pseudo-counts of each draw.
        size : int
            Number of draws.
        rng : Generator
            Source of randomness.
        """
        return self.posterior(counts, counts_of_draws(pair, counts.size), size, rng)

    def left_out(self, counts: Array) -> Blocks:
        """Yield jackknife tables without one unit, ``(distinct units, cells)``, and the number of such units."""
        raise UndefinedDesignError(type(self).__name__, "tables without one unit")

    def variance_from_top(self, counts: Array, slopes: Array, index: Array | None = None) -> Array:
        """Return the variance of a linear form of the confusion table at each threshold of a table of scores.

        Parameters
        ----------
        counts : ndarray of shape (S, 2)
            Cases of either class by distinct score, ascending.
        slopes : ndarray of shape (T, 2, 2)
            Derivatives by the confusion table at each threshold; from the top, the first one above all scores.
        index : ndarray of shape (T,), optional
            Thresholds among the ``S + 1``; all by default.
        """
        rows = len(counts)
        thresholds = np.arange(rows + 1) if index is None else index
        variances = np.empty(len(thresholds))
        for place, (threshold, slope) in enumerate(zip(thresholds, slopes, strict=True)):
            positive = np.arange(rows) >= rows - threshold
            cells = (2 * np.arange(2) + positive[:, None]).ravel()
            merged = np.bincount(cells, counts.ravel(), 4)
            variances[place] = self.merged(cells, 4).variance(merged, slope.ravel())
        return variances

    def cells_at(self, threshold: float) -> Array | None:
        """Return the exact cell probabilities of the confusion table at a threshold, if they are known."""
        return None

    @property
    def exact_values(self) -> Mapping[str, float]:
        """Exact values of metrics of scores, by name."""
        return NOTHING


def is_heard(counts: Array, gradient: Array) -> Array:
    """Return 1 for the cells that a linear form depends on and 0 for the others, ``(..., cells)``."""
    size = np.abs(np.broadcast_to(gradient, counts.shape))
    return np.asarray(1.0 * (size > DUST * size.max(-1, keepdims=True)))


def quotient(part: Array, whole: Array) -> Array:
    """Return ``part / whole``; 0 where ``whole`` is not positive."""
    some = np.greater(whole, 0)
    if some.all():
        return np.asarray(np.true_divide(part, whole))
    return np.asarray(np.where(some, np.true_divide(part, np.where(some, whole, 1.0)), 0.0))


def _size_of(value: Any) -> str:
    """Return a setting as text; arrays and other long values are replaced by their size."""
    if isinstance(value, np.ndarray):
        return f"<{' × '.join(map(str, value.shape))} {value.dtype}>"
    return shortened(repr(value), 100)
