"""Sampling design of two crossed factors: readers and cases, models and items, annotators and documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, cast, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.base import Design, safe_divide
from howsure.designs.clustering import Clustering, NamedUnits
from howsure.designs.clusters import FEW, Clusters
from howsure.designs.entries import OWN, joined_names
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import BLOCK_CELLS, gammas_with_prior
from howsure.designs.traits import Description, Traits
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import HowsureError

FACTORS = 2
POWER = 1.25  # of a part's fraction of the variance in the degrees of freedom; 2 is Satterthwaite's
LEAST = 0.5  # smallest variance, as a fraction of that of the interaction, which is part of it


@dataclass(frozen=True, slots=True, eq=False)
class Combinations:
    """Distinct combinations of the levels of two factors, in order: the names of the combinations of a table.

    Parameters
    ----------
    levels : ndarray of shape (2, combinations)
        Level of each factor.
    names : tuple of two ndarray
        Names of the levels of each factor.
    factors : tuple of two str
        Names of the factors.
    """

    levels: Array
    names: tuple[Array, Array]
    factors: tuple[str, str]

    def __len__(self) -> int:
        return int(self.levels.shape[1])

    def __getitem__(self, places: Any) -> Combinations:
        return replace(self, levels=self.levels[:, places])

    def tolist(self) -> list[tuple[Any, ...]]:
        """Return the names of the two levels of each combination."""
        named = [names[levels].tolist() for names, levels in zip(self.names, self.levels, strict=True)]
        return list(zip(*named, strict=True))


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Crossed(VarianceDetails, Algebra, Resampling, Clustering):
    """Cases in two crossed factors, both of which a new study would draw anew, such as readers and cases.

    The standard error of a linear form is the root of ``V_a + V_b - V_ab``: the variances of clusters of the first
    factor, of clusters of the second, and of clusters of their combinations, each with its factor ``G / (G - 1)``
    (Cameron, Gelbach and Miller 2011). It equals `vcovCL(..., cluster = ~ a + b, type = "HC0")` of R's sandwich, unless
    sampling error makes the sum smaller than one of its parts; the largest of the three is then used. Intervals and
    tests use another estimate without this limit, and its own degrees of freedom; see `small_sample_correction`.
    Combinations may be missing or have several cases.

    Parameters
    ----------
    cells : Clusters
        Tables of the combinations that occur, each a cluster.
    levels : ndarray of shape (2, combinations)
        Level of each factor; in a batch numbered through all tables, in their order.
    names : tuple of two ndarray, optional
        Names of the levels, for matching them in other parts of the data; None if they occur in no other part.
    factors : tuple of two str
        Names of the factors.

    Examples
    --------
    >>> import howsure as hs
    >>> reader, case = ["ann", "ann", "ann", "bob", "bob", "bob"], [1, 2, 3, 1, 2, 3]
    >>> table = hs.confusion([1, 0, 1, 1, 0, 1], [1, 0, 0, 1, 1, 1], groups={"reader": reader, "case": case})
    >>> table.design.number, table.design.description.sample
    ((2, 3), 'in 2 × 3 crossed groups (reader × case)')
    """

    cells: Clusters
    levels: Array
    names: tuple[Array, Array] | None = None
    factors: tuple[str, str] = ("first", "second")
    parts: tuple[Clusters, Clusters, Clusters] = field(init=False)
    traits: ClassVar[Traits] = Traits(has_one_unit=False)

    def __post_init__(self) -> None:
        first, second = (_clusters_of(self.cells, levels) for levels in self.levels)
        object.__setattr__(self, "parts", (first, second, self.cells))

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.positions("levels", self.levels, (FACTORS, len(self.cells.multiplicity)), max(self.levels.size, 1))
        invariants.texts("factors", self.factors, FACTORS)
        for part in self.parts:
            part.check(shape)
        if self.names is not None:
            invariants.parts("names", self.names, np.ndarray, FACTORS)
            for names, part in zip(self.names, self.parts, strict=False):
                invariants.array("names", names, part.multiplicity.shape, invariants.ANY)

    def check_sums(self, counts: Array) -> None:
        """Check that the cells of all combinations add up to the counts."""
        self.cells.check_sums(counts)

    @property
    def number(self) -> tuple[Any, Any]:
        """Number of levels of each factor, for each table of a batch."""
        return self.parts[0].number, self.parts[1].number

    @property
    def description(self) -> Description:
        """Text on the number of levels, on the two factors and, if applicable, on few levels."""
        first, second = (f"{np.sum(each):,}" for each in self.number)
        sample = f"in {first} × {second} crossed groups ({' × '.join(self.factors)})"
        few = " So few make the intervals themselves uncertain." if np.min(self.number) < FEW else ""
        both = " and ".join(f"`{factor}`" for factor in self.factors)
        caveat = f"The cases come {sample}; the intervals are for new draws of both {both}.{few}"
        return Description(sample, caveats=(caveat,))

    @property
    def degrees_of_freedom(self) -> Any:
        """The smaller number of levels minus 1; `small_sample_correction` returns those of a linear form."""
        return np.minimum(*self.number) - 1.0

    @property
    def named_units(self) -> tuple[NamedUnits, ...]:
        """Levels of both factors and their combinations, if the levels have names."""
        if self.names is None:
            return ()
        combinations = Combinations(self.levels, self.names, self.factors).tolist()
        named = [*(each.tolist() for each in self.names), combinations]
        kinds = *self.factors, " × ".join(self.factors)
        parts = zip(kinds, (1.0, 1.0, -1.0), named, self.parts, strict=True)
        return tuple(NamedUnits(kind, sign, [*map(str, names)], part) for kind, sign, names, part in parts)

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return ``V_a + V_b - V_ab``, and at least the largest of the three."""
        return _sum(self._variances(counts, gradient))

    def small_sample_correction(self, counts: Array, gradient: Array) -> tuple[Any, Any]:
        """Return the factor from `variance` to an estimate without its bias and floor, and degrees of freedom.

        ``V_a`` and ``V_b`` both contain the variance of the interaction, I, which `interaction_variance` estimates;
        ``V_ab`` is larger. Each factor's variance is inflated as that of clusters. The variance for intervals is
        ``V = max(V_a - w_a I, 0) + max(V_b - w_b I, 0)``, and at least I / 2. The weights ``w_a = f_a / (f_a + f_b)``
        and ``w_b = f_b / (f_a + f_b)`` follow from the factors' degrees of freedom, ``f_a`` and ``f_b``: little is
        subtracted from a variance that is poorly known. The degrees of freedom f follow Satterthwaite,
        ``1 / f = (A / V)**p / f_a + (B / V)**p / f_b``, where A and B are the two terms. For known fractions of the
        variance p is 2; they are estimates from few levels, and p = 1.25 covers.
        """
        variances = self._variances(counts, gradient)
        inflations, freedoms = zip(
            *(part.small_sample_correction(counts, gradient) for part in self.parts[:FACTORS]), strict=True
        )
        whole, degrees_of_freedom = self._combined(
            counts, [*map(np.multiply, variances, inflations), variances[-1]], freedoms
        )
        plain = _sum(variances)
        return np.where(plain > 0, safe_divide(whole, plain), np.maximum(*inflations)), degrees_of_freedom

    def missed_cluster_inflation(self, counts: Array, gradient: Array) -> Any:
        """Return the variance after adding part of an unobserved level of each factor, divided by the variance."""
        variances = self._variances(counts, gradient)
        unseen = [part.missed_cluster_inflation(counts, gradient) for part in self.parts[:FACTORS]]
        more = [*map(np.multiply, variances, unseen), variances[-1]]
        whole, plain = (self.combined_variance(counts, each)[0] for each in (more, variances))
        return np.maximum(safe_divide(whole, plain), 1.0)

    def interaction_variance(self, counts: Array, variances: Sequence[Array]) -> Array:
        """Return the part of ``V_ab`` that is due to neither factor, from moments.

        With n effective combinations (Kish), ``n_a`` and ``n_b`` effective levels, it is
        ``I = V_ab - (V_a - V_ab) / (n / n_a - 1) - (V_b - V_ab) / (n / n_b - 1)``, and at least 0. If each combination
        has the same number of cases, it is the mean square of the interaction divided by the number of combinations.

        Parameters
        ----------
        counts : ndarray of shape (..., cells)
            The tables.
        variances : sequence of three ndarray of shape (...)
            ``V_a``, ``V_b`` and ``V_ab`` of a linear form.
        """
        first, second, both = variances
        *levels, pairs = (part.effective_sample_size(counts, np.ones(counts.shape[-1])) for part in self.parts)
        excess = [
            safe_divide(one - both, safe_divide(pairs, each) - 1)
            for one, each in zip((first, second), levels, strict=True)
        ]
        return np.maximum(both - sum(excess), 0.0)

    def excess_skewness(self, counts: Array, design_effect: Array) -> Array:
        """Return the larger excess skewness of the two factors."""
        return np.maximum(*(part.excess_skewness(counts, design_effect) for part in self.parts[:FACTORS]))

    def placement_variance(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return the combination of the parts' variances by Obuchowski (1997), as in `variance`."""
        return _sum(part.placement_variance(counts, true_class, gradient) for part in self.parts)

    def satterthwaite_df(self, counts: Array, true_class: Array, gradient: Array) -> Any:
        """Return degrees of freedom as in `small_sample_correction`, from the kurtosis of the levels' totals."""
        variances = self._variances(counts, np.broadcast_to(gradient, counts.shape))
        freedoms = [part.satterthwaite_df(counts, true_class, gradient) for part in self.parts[:FACTORS]]
        return self._combined(counts, variances, freedoms)[1]

    def combined_variance(self, counts: Array, variances: Sequence[Array]) -> tuple[Array, Any]:
        """Return the variance for intervals and its degrees of freedom, as in `small_sample_correction`."""
        return self._combined(counts, variances, [part.degrees_of_freedom for part in self.parts[:FACTORS]])

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return Kish's effective number of levels, of the factor with more, as if all cases of a level agreed."""
        return np.maximum(*(part.effective_sample_size(counts, cells) for part in self.parts[:FACTORS]))

    def mean_unit_size(self, counts: Array) -> Any:
        """Return the mean number of cases in a level of the factor with more levels."""
        return safe_divide(counts.sum(-1), self.effective_sample_size(counts, np.ones(counts.shape[-1])))

    def collapse_cells(self, codes: Array, size: int) -> Crossed:
        """Relabel the cells."""
        return self._with(self.cells.collapse_cells(codes, size))

    def collapse_cells_per_table(self, codes: Array, size: int) -> Crossed:
        """Relabel the cells of each table; every table has all levels."""
        tables = len(codes)
        levels = np.stack([_beside([each] * tables) for each in self.levels])
        names = None if self.names is None else _pair(np.tile(each, tables) for each in self.names)
        return Crossed(self.cells.collapse_cells_per_table(codes, size), levels, names, self.factors)

    def keep_cells(self, selected: Array, position: Array) -> Crossed:
        """Return the design restricted to the selected cells; cell ``c`` becomes ``position[c]``."""
        return self._with(self.cells.keep_cells(selected, position))

    def split_by_class(self, class_of_cell: Array, number: int) -> list[Design]:
        """Return one design per part, with the entries in its cells."""
        return [
            self._with(each) for each in self.cells.split_by_class(class_of_cell, number) if isinstance(each, Clusters)
        ]

    def collapsible_cells(self, cells: int) -> Array:
        """Return one code: draws are of whole levels and do not depend on the cells of their cases."""
        return np.zeros(cells, dtype=np.intp)

    def with_unshared_units(self) -> Crossed:
        """Return the design of this table, without names shared with other tables."""
        return replace(self, names=None)

    def select_table(self, index: int) -> Crossed:
        """Return the design of one table of a batch."""
        if self.cells.owner is None:
            return self
        first, last = np.searchsorted(self.cells.owner, [index, index + 1])
        levels, names = self.levels[:, first:last], self.names
        starts = levels.min(1, initial=0 if first == last else self.levels.size)
        levels = levels - starts[:, None]
        if names is not None:
            ends = starts + levels.max(1, initial=-1) + 1
            names = _pair(each[start:end] for each, start, end in zip(names, starts, ends, strict=True))
        return Crossed(self.cells.select_table(index), levels, names, self.factors)

    def stack_tables(self, others: Sequence[Self], size: int) -> Crossed:
        """Put the levels of all tables side by side."""
        designs: list[Self] = [self, *others]
        known = [each.names for each in designs if each.names is not None]
        names = _pair(map(joined_names, zip(*known, strict=True))) if len(known) == len(designs) else None
        levels = np.stack([_beside([each.levels[place] for each in designs]) for place in range(FACTORS)])
        return Crossed(self.cells.stack_tables([each.cells for each in others], size), levels, names, self.factors)

    def add_tables(self, others: Sequence[Self]) -> Crossed:
        """Combine the levels of all tables; levels with the same name are one level.

        Raises
        ------
        HowsureError
            If the tables have other factors, or some have names of levels and others none.
        """
        designs: list[Self] = [self, *others]
        known = [each.names for each in designs if each.names is not None]
        if any(each.factors != self.factors for each in others) or len(known) not in {0, len(designs)}:
            raise HowsureError("The tables have different crossed `groups`. Give all parts the same two columns.")
        every, codes = [], []
        for place in range(FACTORS):
            levels, found = _beside([each.levels[place] for each in designs]), np.empty(0)
            if known:
                found, code = np.unique(joined_names([each[place] for each in known]), return_inverse=True)
                levels = code.ravel()[levels]
            every.append(found)
            codes.append(levels)
        size = int(codes[1].max(initial=0)) + 1
        ends = np.cumsum([len(each.cells.multiplicity) for each in designs])[:-1]
        pairs = np.split(codes[0] * np.int64(size) + codes[1], ends)
        first, *rest = (replace(each.cells, names=pair) for each, pair in zip(designs, pairs, strict=True))
        cells = first.add_tables(rest)
        levels = np.stack(np.divmod(cast("Array", cells.names), size))  # clusters that were joined by name
        return Crossed(replace(cells, names=OWN), levels, _pair(every) if known else None, self.factors)

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw the levels of each factor with replacement; a combination has the product of their two numbers.

        This is conservative: the variance is about ``V_a + V_b + V_ab`` (Owen and Eckles 2012).
        """
        return self._drawn(counts.size, size, lambda part, number: part.chosen(number, rng))

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw the levels' weights from a flat Dirichlet for each factor, and add the prior's cells.

        A combination has the product of its two weights, which is conservative, as for `resample`. A pseudo-count has
        the size of an average level of the factor with more levels.
        """
        drawn = self._drawn(
            counts.size, size, lambda part, number: rng.standard_gamma(1.0, (number, len(part.multiplicity)))
        )
        if prior.any():
            pseudo = gammas_with_prior(np.zeros(counts.size), prior, size, rng)
            drawn += pseudo * (self.mean_unit_size(counts) / self.cells.labels_per_case)
        return drawn

    def threshold_variances(self, counts: Array, gradients: Array, thresholds: Array | None = None) -> Array:
        """Return the variance at each threshold, exactly, in one pass over the sorted cases for each part."""
        return _sum(part.threshold_variances(counts, gradients, thresholds) for part in self.parts)

    def _with(self, cells: Clusters) -> Crossed:
        return Crossed(cells, self.levels, self.names, self.factors)

    def _variances(self, counts: Array, gradient: Array) -> list[Array]:
        """Return ``V_a``, ``V_b`` and ``V_ab``, which R's sandwich computes with one column of clusters each."""
        return [part.variance(counts, gradient) for part in self.parts]

    def _combined(self, counts: Array, variances: Sequence[Array], freedoms: Sequence[Any]) -> tuple[Array, Array]:
        """Return the variance for intervals, and its degrees of freedom; see `small_sample_correction`."""
        interaction = self.interaction_variance(counts, variances)
        total = sum(freedoms)
        kept = [
            np.maximum(variance - safe_divide(freedom, total) * interaction, 0.0)
            for variance, freedom in zip(variances, freedoms, strict=False)
        ]
        whole = np.maximum(sum(kept), LEAST * interaction)
        return whole, degrees_of_freedom(kept, freedoms, whole, self.degrees_of_freedom)

    def _drawn(self, cells: int, size: int, weights: Callable[[Clusters, int], Array]) -> Array:
        """Return sums of the combinations' tables with products of drawn weights, ``(size, cells)``."""
        fewer, more = np.argsort([len(part.multiplicity) for part in self.parts[:FACTORS]], kind="stable")
        levels = len(self.parts[fewer].multiplicity)
        if levels * cells > len(self.cells.cell):  # most levels have few of the cells

            def products(number: int) -> Array:
                each = (weights(part, number)[:, levels] for part, levels in zip(self.parts, self.levels, strict=False))
                first, second = each
                return np.multiply(first, second, out=first)

            return self.cells.weighted_sums(cells, size, products)
        # The sums over one factor, for each level of the other.
        inner = replace(self.parts[more], cell=self.levels[fewer][self.cells.cluster] * cells + self.cells.cell)
        drawn, step = np.empty((size, cells)), max(1, BLOCK_CELLS // (levels * cells))
        for start in range(0, size, step):
            some = drawn[start : start + step]
            sums = inner.weighted_sums(levels * cells, len(some), lambda number: weights(self.parts[more], number))
            outer = weights(self.parts[fewer], len(some))
            some[:] = np.einsum("sl,slc->sc", outer, sums.reshape(len(some), levels, cells))
        return drawn


def degrees_of_freedom(variances: Sequence[Any], freedoms: Sequence[Any], whole: Any, most: Any = np.inf) -> Array:
    """Return the degrees of freedom of a variance from those of its parts; see `Crossed.small_sample_correction`.

    Parameters
    ----------
    variances, freedoms : sequence of float or ndarray of shape (...)
        Variance due to each factor, and its degrees of freedom.
    whole : float or ndarray of shape (...)
        The variance.
    most : float or ndarray of shape (...)
        Degrees of freedom of a variance of 0.
    """
    parts = zip(variances, freedoms, strict=True)
    lost = np.asarray(
        sum(safe_divide(safe_divide(part, whole) ** POWER, degrees_of_freedom) for part, degrees_of_freedom in parts)
    )
    return np.where(lost > 0, safe_divide(np.ones(lost.shape), lost), most)


def crossed(cells: Clusters, pairs: Combinations) -> Crossed | Clusters:
    """Return the design of cases in combinations of two factors.

    If every level of one factor lies in a single level of the other, the factors are nested, and the design is that of
    clusters of the outer factor.
    """
    owner = np.zeros(len(pairs), dtype=np.intp) if cells.owner is None else cells.owner
    levels, names = [], []
    for known, level in zip(pairs.names, pairs.levels, strict=True):
        found, code = np.unique(owner * len(known) + level, return_inverse=True)
        levels.append(code.ravel())
        names.append(known[found % len(known)])
    for outer, inner in ((0, 1), (1, 0)):
        if len(names[inner]) == len(cells.multiplicity):
            return replace(_clusters_of(cells, levels[outer]), names=names[outer])
    return Crossed(replace(cells, names=OWN), np.stack(levels), _pair(names), pairs.factors)


def _clusters_of(cells: Clusters, levels: Array) -> Clusters:
    """Return the clusters of one factor, from its level of each combination."""
    number, owner = int(levels.max(initial=-1)) + 1, None
    if cells.owner is not None:
        owner = np.zeros(number, dtype=np.intp)
        owner[levels] = cells.owner
    return replace(cells, cluster=levels[cells.cluster], multiplicity=np.ones(number), owner=owner, names=OWN)


def _beside(levels: Sequence[Array]) -> Array:
    """Return the levels of several tables, numbered through all of them."""
    starts = np.cumsum([0, *(int(each.max(initial=-1)) + 1 for each in levels[:-1])])
    return np.concatenate([each + start for each, start in zip(levels, starts, strict=True)])


def _pair(each: Any) -> tuple[Any, Any]:
    first, second = each
    return first, second


def _sum(parts: Any) -> Array:
    """Return ``a + b - ab``, and at least the largest of the three."""
    first, second, both = parts
    return np.asarray(np.maximum(first + second - both, np.maximum(np.maximum(first, second), both)))
