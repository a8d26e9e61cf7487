"""What a design is: how the counts would vary if the study were repeated.

A design knows the variance of a linear form in the counts. Together with a metric's gradient that is the delta
method. It is asked for what it can do and never recognised by its class, so a design of your own works wherever its
answers suffice, and is refused in words elsewhere.

Counts and gradients come flat: ``(..., cells)``, with any leading axes of a batch in front. Every metric is unchanged
when the counts are multiplied by a constant, so ``sum(counts * gradient) == 0`` (Euler), and no term has to be
subtracted for the mean.
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
PSEUDO_CASES = 2.0  # spread over the cells where the sample alone shows no variation, and by the default prior
DUST = 1e-12  # relative: what rounding leaves of zero
NOTHING: Mapping[str, float] = MappingProxyType({})


class Design(abc.ABC):
    """How the counts would vary if the study were repeated.

    A subclass needs `variance`; each further method opens more of the library to it: `merged` the metrics of one class
    and thresholds, `joined` the sum of tables, `resample` the bootstraps, `posterior` the credible intervals,
    `left_out` the BCa bootstrap, `small_sample` and `unseen` intervals that know how little few unequal units tell,
    `repeated` the simulation of coverage.

    Attributes
    ----------
    is_independent : bool
        Whether the counts are one multinomial sample of unweighted, independent cases.
    is_counted : bool
        Whether cases were counted; False for counts that are estimates or expectations.
    has_trials : bool
        Whether a share varies as one of its effective number of trials, also near 0 and 1.
    has_labels : bool
        Whether the true classes were seen; False for counts expected from scores.
    trusts_scores : bool
        Whether the scores of the cases at hand are taken for the probabilities of their classes.
    is_exact : bool
        Whether nothing is drawn, so that nothing is uncertain.
    awaits_labels : bool
        Whether the counts are of given cases whose labels are yet to come.
    knows_chances : bool
        Whether the probabilities of such labels are given, not estimated.
    estimates_shares : bool
        Whether the shares of the true classes are estimates, which may come out near 0.
    fixes_margins : bool
        Whether the number of cases of each true class is fixed.
    has_strata : bool
        Whether a case counts by the size of its stratum, and the sampled cells are those of strata.
    note : str
        Caveat attached to every estimate; empty for counted cases.
    words : str
        What is said of the cases behind their number, such as "in 120 clusters"; empty for independent cases.
    cautions : tuple of str
        What a reader of the intervals should know of the design, in sentences.
    method : str
        Name of the method that suits every metric of such counts; empty where it depends on the metric.

    Examples
    --------
    >>> import howsure as hs
    >>> class Twice(hs.Design):
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
        """Which part of the population of each sampled cell was not drawn: less than 1 where that is finite."""
        return 1.0

    @property
    def is_exact(self) -> bool:
        """Whether nothing is drawn."""
        return False

    @property
    def estimates_shares(self) -> bool:
        """Whether the shares of the true classes are estimates, which may come out near 0."""
        return False

    @property
    def refit(self) -> Refit | None:
        """The samples that an estimated table is a known function of; None where there is no such function."""
        return None

    @property
    def method(self) -> str:
        """Name of the method that suits every metric of such counts; empty where it depends on the metric."""
        return ""

    @property
    def note(self) -> str:
        """Caveat attached to every estimate; empty for counted cases."""
        return ""

    @property
    def words(self) -> str:
        """What is said of the cases behind their number; empty for independent cases."""
        return ""

    @property
    def cautions(self) -> tuple[str, ...]:
        """What a reader of the intervals should know of the design, in sentences."""
        return ()

    @property
    def degrees_of_freedom(self) -> Any:
        """Degrees of freedom of the variance estimate; infinite where a normal quantile is right."""
        return np.inf

    @property
    def unit_names(self) -> Array | None:
        """Names of the units of `influences`, by which other tables know them too; None of those without."""
        return None

    @property
    def test_sets(self) -> tuple[Design, ...]:
        """The designs of separate test sets; itself where there is one."""
        return (self,)

    @abc.abstractmethod
    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the variance of ``sum(gradient * counts)``, shape ``(...)``.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and what is summed.
        """

    def small_sample(self, counts: Array, gradient: Array) -> tuple[Any, Any]:
        """Return by how much `variance` is too small on average, and its degrees of freedom.

        A quantile of Student's t with these degrees of freedom, times the root of the factor, takes the place of the
        normal quantile. By default the factor is 1 and the degrees of freedom are the design's.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and what is summed.

        Returns
        -------
        inflation : float or ndarray of shape (...)
            Factor of the variance.
        degrees_of_freedom : float or ndarray of shape (...)
            Infinite where a normal quantile is right.
        """
        return 1.0, self.degrees_of_freedom

    def unseen(self, counts: Array, gradient: Array) -> Any:
        """Return the factor of the variance, over that of independent cases, with a unit that a sample may have missed.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and what is summed.

        Returns
        -------
        float or ndarray of shape (...)
            At least 1; by default 1.
        """
        return 1.0

    def squares(self, counts: Array) -> Array | None:
        """Return the sum of squared weights by cell where cells vary independently, else None."""
        return None

    def placement_variance(self, counts: Array, truth: Array, slopes: Array) -> Array:
        """Return the variance of a mean of placements within each class, such as an area under the ROC curve.

        Where cases are counted, squared deviations from the class's mean are divided by its number of cases minus 1.

        Parameters
        ----------
        counts, slopes : ndarray of shape (..., cells)
            The tables, and the derivative of the mean by the cells.
        truth : ndarray of shape (cells,)
            Position of the true class of each cell.

        Returns
        -------
        ndarray of shape (...)
            The variance; nan where a class has too few cases to show one.
        """
        return self.variance(counts, slopes)

    def satterthwaite(self, counts: Array, truth: Array, slopes: Array) -> Any:
        """Return the degrees of freedom of the variance of a linear form, such as a metric of scores.

        Twice the squared variance over the variance that it has itself (Satterthwaite): few where a class has few
        cases, or where few cases make up most of the variance. A design that does not know has those of any form.

        Parameters
        ----------
        counts, slopes : ndarray of shape (..., cells)
            The tables, and the derivative of the form by the cells.
        truth : ndarray of shape (cells,)
            Position of the true class of each cell.
        """
        return self.degrees_of_freedom

    def offers(self, what: str) -> bool:
        """Return whether the design defines one of the answers that not every design has, such as ``"resample"``."""
        return getattr(type(self), what) is not getattr(Design, what)

    def effective_trials(self, counts: Array, trials: Array) -> Array:
        """Return the size of the simple random sample that the marked cells are worth when all agree.

        Kish's size: the squared total of the cells over its variance, were the cases Poisson.
        """
        marked = np.broadcast_to(np.asarray(trials, dtype=float), counts.shape)
        return quotient((counts * marked).sum(-1) ** 2, self.variance(counts, marked))

    def unit_size(self, counts: Array) -> Any:
        """Return the size of an average sampling unit, in counts; 0 where what does not vary is certain.

        Pseudo-cases of a table that shows no variation are of this size.

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The tables.
        """
        worth = self.effective_trials(counts, np.ones(counts.shape[-1], dtype=bool))
        return np.where(worth > 0, np.maximum(counts.sum(-1) / np.maximum(worth, 1.0), self.least_unit), 0.0)

    @property
    def least_unit(self) -> float:
        """Size of a sampling unit at the least, in counts: a case, of which the average weight is 1."""
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
        """Return the design of a table whose units, such as clusters, are taken to be in no other table."""
        return self

    def lumps(self, cells: int) -> Array | None:
        """Return codes of the cells: sums over cells of one code are drawn alike from the table and the merged one.

        None where they are not, or nothing is known of it.

        Parameters
        ----------
        cells : int
            Number of cells.
        """
        return None

    def merged_each(self, cells: Array, size: int) -> Design:
        """Return the design of a batch of tables, each merged in its own way; ``cells`` is ``(tables, cells)``.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for such a batch.
        """
        raise UndefinedDesignError(type(self).__name__, "several mergers at once")

    def bound(self, truth: Array) -> Design:
        """Return the design for a table whose cells hold these true classes."""
        return self

    def picked(self, index: int) -> Design:
        """Return the design of one table of a batch."""
        return self

    def smoothed(self, counts: Array, extra: Array) -> tuple[Array, Design] | None:
        """Return counts and design with pseudo-cases added; None where they vary on their own (see `smoothed`).

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The tables.
        extra : ndarray of shape (cells,)
            Pseudo-cases of each cell, each worth a sampling unit of average size.
        """
        return None

    def influences(self, counts: Array, gradient: Array) -> tuple[Array, Array] | None:
        """Return what each kind of unit adds to a linear form, and how many units there are of it.

        None where the units are not cases or clusters of them.
        """
        return None

    def tangent(self, counts: Array, gradient: Array) -> Array:
        """Return what a gradient tells of the tables that the design allows: less what fixed totals take from it."""
        return gradient

    def sampled(self, counts: Array) -> Array:
        """Return the cells that were sampled: those of the table, or the finer ones that it is estimated from.

        Those have a `tangent`, are `rescaled`, and have a table: `tables`.
        """
        return counts

    def tables(self, sampled: Array) -> Array:
        """Return the tables that sampled cells give, ``(..., cells)``."""
        return sampled

    def lifted(self, values: Array) -> Array:
        """Return the value of each sampled cell from those of the table's cells, ``(..., cells)``."""
        return values

    def spread(self, extra: Array) -> Array:
        """Return pseudo-cases of the table's cells as those of the sampled cells, as many in all, ``(..., cells)``."""
        return extra

    def weighs_alike(self, marked: Array) -> bool:
        """Return whether all cases that may fall in the marked cells weigh alike, but for weights of their own.

        Parameters
        ----------
        marked : ndarray of shape (cells,)
            Which cells.
        """
        return True

    def settles(self, form: Array) -> Array:
        """Return whether a linear form that shows no variation is one of totals that the design fixes, ``(...)``.

        Parameters
        ----------
        form : ndarray of shape (..., cells)
            What is summed.
        """
        return np.full(form.shape[:-1], self.fixes_margins)

    def rescaled(self, cells: Array, counts: Array) -> Array:
        """Return tables in proportion to ``cells`` with those totals of ``counts`` that the design fixes."""
        return cells * quotient(counts.sum(-1), cells.sum(-1))[..., None]

    def kept(self, chosen: Array, cells: Array) -> Design:
        """Return the design of some of the cells alone, whose units are the same.

        Parameters
        ----------
        chosen : ndarray of shape (cells,)
            Which cells are kept.
        cells : ndarray of shape (cells,)
            Where each of those is among them.

        Raises
        ------
        UndefinedDesignError
            If the design is not defined for them.
        """
        raise UndefinedDesignError(type(self).__name__, "some of the cells")

    def parted(self, part: Array, number: int) -> list[Design]:
        """Return designs that answer for linear forms in the cells of one part each, if they can sooner than this one.

        Parameters
        ----------
        part : ndarray of shape (cells,)
            The part that each cell is in.
        number : int
            How many parts there are.
        """
        return [self] * number

    def by_unit(self, size: int) -> tuple[Any, Array | None, Array | None]:
        """Return the table of each unit, a sparse matrix ``(units, size)``, its cluster, and the clusters' names.

        The latter are None where each unit is a cluster by itself.

        Parameters
        ----------
        size : int
            Number of cells.

        Raises
        ------
        UndefinedDesignError
            If what each unit has is not known.
        """
        raise UndefinedDesignError(type(self).__name__, "a table for each unit")

    def excess_skewness(self, counts: Array, effect: Array) -> Array:
        """Return by what part a smooth function of the counts is more skewed than that of independent cases.

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The tables.
        effect : ndarray of shape (...)
            How many times the variance is that of independent cases, one a count.
        """
        return np.zeros(np.shape(effect))

    def strata(self, counts: Array, gradient: Array) -> Strata:
        """Return what each stratum adds to a linear form, where the cases of each are labelled in part.

        Parameters
        ----------
        counts, gradient : ndarray of shape (..., cells)
            The tables, and what is summed.
        """
        raise UndefinedDesignError(type(self).__name__, "strata of cases that are labelled in part")

    def extremes(self, counts: Array, gradient: Array) -> Array:
        """Return the tables of which one stratum has nothing but the outcome that is worst, or best, for a linear form.

        Parameters
        ----------
        counts, gradient : ndarray of shape (cells,)
            The table, and what is summed.

        Returns
        -------
        ndarray of shape (2, ties, strata, cells)
            First the worst. Where several outcomes are, there are tables of each.
        """
        raise UndefinedDesignError(type(self).__name__, "strata of cases that are labelled in part")

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Return tables that a repetition of the study could have given, ``(size, cells)``."""
        raise UndefinedDesignError(type(self).__name__, "resampled tables")

    def repeated(self, counts: Array, scale: float, size: int, rng: np.random.Generator) -> tuple[Array, Design]:
        """Return tables of new studies of the population that the counts describe, with the design of this batch.

        A `resample` has the counts alone; here each table has what an interval of it needs.

        Parameters
        ----------
        counts : ndarray of shape (cells,)
            The table whose shares are the population's.
        scale : float
            How many times as large as the table each study is: in cases, or in clusters of them.
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
        """Return the table of a population in which units are as many times as frequent as their slopes say.

        The number of each kind of unit is multiplied by the exponential of what one adds to ``sum(slopes * counts)``,
        and the whole by what leaves the number of units as it was.

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
        """Return tables in proportion to draws of the cells' probabilities, ``(size, cells)``.

        Parameters
        ----------
        counts : ndarray of shape (cells,)
            The table.
        prior : ndarray of shape (cells,) or (size, cells)
            Pseudo-cases of each cell, each worth a sampling unit of average size: the same in all draws, or each
            draw's own. Only designs of counted cases are given the second.
        size : int
            Number of draws.
        rng : Generator
            Source of randomness.
        """
        raise UndefinedDesignError(type(self).__name__, "posterior tables")

    def posterior_with(self, counts: Array, pair: Array, size: int, rng: np.random.Generator) -> Array:
        """Return what `posterior` does, where each draw has two whole pseudo-cases of its own.

        Parameters
        ----------
        counts : ndarray of shape (cells,)
            The table.
        pair : ndarray of shape (size, 2)
            The cells of each draw's pseudo-cases.
        size : int
            Number of draws.
        rng : Generator
            Source of randomness.
        """
        return self.posterior(counts, counts_of_draws(pair, counts.size), size, rng)

    def left_out(self, counts: Array) -> Blocks:
        """Yield tables without one unit, ``(distinct units, cells)``, and how many units each stands for."""
        raise UndefinedDesignError(type(self).__name__, "tables without one unit")

    def variance_from_top(self, counts: Array, slopes: Array, index: Array | None = None) -> Array:
        """Return the variance at each threshold of a table of scores, of slopes by the confusion table there.

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
        """Return the exact shares of the confusion table's cells at a threshold, where they are known."""
        return None

    @property
    def exact_values(self) -> Mapping[str, float]:
        """Metrics of scores whose exact values are known, by name."""
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
    """Return a setting as it is, and of an array or another long value how large it is."""
    if isinstance(value, np.ndarray):
        return f"<{' × '.join(map(str, value.shape))} {value.dtype}>"
    return shortened(repr(value), 100)
