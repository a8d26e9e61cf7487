"""Design of samples from strata with known sizes: cases are weighted by the size of their stratum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.algebra import Algebra
from howsure.designs.base import RELATIVE_TOLERANCE, Design, safe_divide
from howsure.designs.cell_sums import added_up, confusion_from_top, dot, sums_by_place
from howsure.designs.fixed_margins import FixedMargins
from howsure.designs.independent import smoothed
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import Blocks
from howsure.designs.separate import Separate
from howsure.designs.stratified_text import caveats_of_strata, sample_of_strata
from howsure.designs.traits import Description, Traits
from howsure.designs.two_level import TwoLevel
from howsure.designs.units import Units, units_of_strata
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import UndefinedDesignError

STRATIFIED = Traits(is_stratified=True)
STRATIFIED_BY_ESTIMATES = replace(STRATIFIED, default_method="delta")
NOWHERE = -1  # place of observed cases outside a table: the other cases of its strata


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StratifiedSample(VarianceDetails, Algebra, Resampling, TwoLevel):
    """Cases sampled from strata with known sizes, or from classes with stated frequencies.

    There is one observed cell for each pair of a stratum and a cell of the table. The weight of a case is its stratum's
    fraction of the population divided by its fraction of the sample. The totals of the strata are therefore certain,
    and the variance is the variance within strata.

    Parameters
    ----------
    observed : ndarray of shape (..., observed cells)
        The cases, or sums of their weights.
    stratum, place : ndarray of shape (observed cells,)
        Stratum of each observed cell, 0 … S−1, ascending if each stratum has its own design. The place is its cell of
        the table, or −1 for cases in no cell, such as those of other groups.
    cells : int
        Number of cells of the table.
    share : ndarray of shape (S,)
        Fraction of the population in each stratum; they sum to 1.
    design : Design
        Design of the observed cells apart from the totals of the strata. It is `Independent`, `Separate` if each
        stratum has its own weighted cases or clusters, or any other design with a variance of residuals.
    names : tuple
        Names of the strata.
    noun : str
        Noun for the strata in messages: "strata" or "classes".
    total : float, optional
        Number of cases of the population, the total of the table; by default the number of observed cases.
    units : ndarray of shape (S,), optional
        Number of cases, or clusters, sampled from each stratum, if its variance is estimated as a sample variance.
    fraction : ndarray of shape (S,), optional
        Sampling fraction of each stratum; by default negligible.
    covariance : ndarray of shape (S, S), optional
        Covariance of the frequencies, if they are estimates.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.from_counts([[180, 20], [10, 90]]).at_prevalence([0.99, 0.01])
    >>> table.counts.sum(1).round(2).tolist(), table.design.observed.tolist()
    ([297.0, 3.0], [180.0, 20.0, 10.0, 90.0])
    """

    observed: Array
    stratum: Array
    place: Array
    cells: int
    share: Array
    design: Design
    names: tuple[Any, ...]
    noun: str = "strata"
    total: float | None = None
    units: Array | None = None
    fraction: Array | None = None
    covariance: Array | None = None

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.numbers("observed", self.observed, (*shape[:-1], None))
        observed = self.observed.shape[-1]
        invariants.probabilities("share", self.share, (None,))
        size = len(self.share)
        invariants.positions("stratum", self.stratum, (observed,), size)
        invariants.positions("place", self.place, (observed,), shape[-1], NOWHERE)
        if self.cells != shape[-1] or not isinstance(self.names, tuple) or len(self.names) != size:
            invariants.refuse(f"`cells` is {self.cells!r} and must be {shape[-1]}; `names` must name {size:,} strata.")
        invariants.instance("design", self.design, Design)
        self.design.check(self.observed.shape)
        invariants.instance("noun", self.noun, str)
        if self.total is not None:
            invariants.number("total", self.total, 0.0)
        for name, high in (("units", invariants.LARGEST), ("fraction", 1.0)):
            if getattr(self, name) is not None:
                invariants.numbers(name, getattr(self, name), (size,), 0.0, high)
        if self.covariance is not None:
            invariants.numbers("covariance", self.covariance, (size, size), -invariants.LARGEST)

    def check_sums(self, counts: Array) -> None:
        """Check that the observed cells give the counts, and the entries of their design add up to them."""
        invariants.sums("observed", self.whole, counts)
        self.design.check_sums(self.observed)

    @property
    def traits(self) -> Traits:
        """The delta method is the default if the fractions are estimates: no observed cell has their variance."""
        return STRATIFIED if self.covariance is None else STRATIFIED_BY_ESTIMATES

    @property
    def description(self) -> Description:
        """Text on the strata, the weights of cases and, if applicable, clusters."""
        sample = self.design.description.sample
        if self.units is not None and self._are_apart:
            sample = f"in {self.units.sum():,.0f} clusters"
            sample = sample if np.isfinite(self.design.degrees_of_freedom) else "of different weights"
        known, is_finite = (self.names, self.share, self.noun), bool((self._drawn > 0).any())
        own = caveats_of_strata(*known, is_finite=is_finite, single=self._single)
        words = sample_of_strata(sample, len(self.share), self.noun)
        return Description(words, caveats=(*self.design.description.caveats, *own))

    @property
    def degrees_of_freedom(self) -> Any:
        """Those of the observed cells, or the number of cases or clusters minus the number of strata."""
        if self.units is None:
            return self.design.degrees_of_freedom
        return np.maximum(self.units.sum() - len(self.units), 1.0)

    @property
    def unsampled_fraction(self) -> Array:
        """1 minus the sampling fraction of the stratum of each observed cell."""
        return np.asarray((1 - self._drawn)[self.stratum])

    @property
    def whole(self) -> Array:
        """The table estimated from the observed cells, ``(..., cells)``."""
        return self.table_from_observed(self.observed)

    def table_from_observed(self, observed: Array) -> Array:
        """Return the tables estimated from other observed cells, ``(..., observed cells)`` → ``(..., cells)``."""
        return self._tables(observed, self._weights(observed))

    def observed_cells(self, counts: Array) -> Array:
        """Return the observed cells."""
        return self.observed

    def expand_to_observed(self, values: Array) -> Array:
        """Expand a value per cell of the table to a value per observed cell; 0 outside the table."""
        none = np.zeros((*values.shape[:-1], 1), dtype=values.dtype)
        return np.asarray(np.concatenate([values, none], -1)[..., self.place])

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the variance within the strata, plus that of their fractions if these are estimates."""
        slopes = self.project_gradient(self.observed, gradient)
        found = self.design.variance(np.broadcast_to(self.observed, slopes.shape), slopes)
        if self.covariance is None:
            return found
        total = np.asarray(self.observed.sum(-1) if self.total is None else self.total)
        means = self._means(self.observed, self.expand_to_observed(gradient)) * total[..., None]
        return np.asarray(found + np.einsum("...s,st,...t->...", means, self.covariance, means))

    def project_gradient(self, observed: Array, gradient: Array) -> Array:
        """Return the effect of one more case in each observed cell minus the stratum mean, ``(..., observed cells)``.

        The variance of a stratum is a sample variance, with its number of cases minus 1, times the finite population
        correction. The deviation of a single case in a stratum is taken from the overall mean.
        """
        form = self.expand_to_observed(gradient)
        means = np.where(self._single, 0.0, self._means(observed, form))
        scale = self._weights(observed) * np.sqrt(self._correction)
        away = form - means[..., self.stratum]
        away = np.where(np.abs(away) > RELATIVE_TOLERANCE * np.abs(form).max(-1, keepdims=True), away, 0.0)
        return np.asarray(away * scale[..., self.stratum])

    def rescale_to_fixed_totals(self, cells: Array, counts: Array) -> Array:
        """Scale ``cells`` to the totals of the strata in ``counts``."""
        scale = safe_divide(self._sums(counts), self._sums(cells))
        return np.asarray(cells * scale[..., self.stratum])

    def small_sample_correction(self, counts: Array, gradient: Array) -> tuple[Any, Any]:
        """Return Satterthwaite's degrees of freedom of a sum over strata, each with its number of cases minus 1."""
        slopes = self.project_gradient(self.observed, gradient)
        observed = np.broadcast_to(self.observed, slopes.shape)
        if self.units is None:
            return VarianceDetails.of(self.design).small_sample_correction(observed, slopes)
        least = np.maximum(self.units - 1, 1.0)
        if self.design.traits.is_independent:
            variances, inflations, freedoms = self._sums(observed * slopes**2), np.ones(least.shape), least
        else:
            parts = [*self._parts(observed, slopes)]
            variances = np.stack([part.variance(*each) for part, *each in parts], -1)
            known = [VarianceDetails.of(part).small_sample_correction(*each) for part, *each in parts]
            inflations, freedoms = (np.stack(np.broadcast_arrays(*each), -1) for each in zip(*known, strict=True))
            freedoms = np.minimum(freedoms, least)
        seen = np.where(variances > 0, variances, 0.0)
        whole = seen.sum(-1)
        inflation = np.where(whole > 0, safe_divide((seen * inflations).sum(-1), whole), inflations.max(-1))
        spread = (seen**2 / freedoms).sum(-1)
        return inflation, np.where(spread > 0, safe_divide(whole**2, spread), self.degrees_of_freedom)

    def satterthwaite_df(self, counts: Array, true_class: Array, gradient: Array) -> Any:
        """Return the degrees of freedom of the observed cells, stratum by stratum."""
        own = self.project_gradient(self.observed, gradient)
        observed = np.broadcast_to(self.observed, own.shape)
        found = VarianceDetails.of(self.design).satterthwaite_df(observed, self.stratum, own)
        return np.where(self.design.variance(observed, own) > 0, found, self.degrees_of_freedom)

    def placement_variance(self, counts: Array, true_class: Array, gradient: Array) -> Array:
        """Return the variance, already a sample variance; if the strata are the classes, that of their samples."""
        if self.covariance is not None or not np.array_equal(self.expand_to_observed(true_class), self.stratum):
            return self.variance(counts, gradient)
        own = self.project_gradient(self.observed, gradient)
        return VarianceDetails.of(self.design).placement_variance(
            np.broadcast_to(self.observed, own.shape), self.stratum, own
        )

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return the total of the marked cells divided by the largest case weight among strata that can contain them.

        The probability that none of K cases is sampled, in a finite stratum with sampling fraction f, is about (1 −
        f)ᴷ. Equating it with exp(−K f_eff) gives each sampled case the weight −log(1 − f) / f. A fully enumerated
        stratum (f = 1) has infinite weight: it contributes no uncertainty.
        """
        selected = self.expand_to_observed(np.asarray(cells, dtype=float))
        own = np.broadcast_to(self.observed, np.broadcast_shapes(self.observed.shape, selected.shape))
        weights = np.broadcast_to(self._weights(self.observed)[..., self.stratum], own.shape)
        drawn, left = 1 - self.unsampled_fraction, self.unsampled_fraction
        unseen = np.where(drawn > 0, safe_divide(drawn, -np.log(np.where(left > 0, left, np.nan))), 1.0)
        heaviest = np.where(selected > 0, weights * unseen, 0.0).max(-1)
        total = dot(own * weights, selected)
        worth = np.where((total > 0) & (heaviest == 0), np.inf, safe_divide(total, heaviest))
        if self.design.traits.is_independent:
            return worth
        # Weighted or clustered cases: times the ratio of effective to observed cases in the marked cells.
        return worth * safe_divide(self.design.effective_sample_size(own, selected), dot(own, selected))

    def spread_pseudo_counts(self, extra: Array) -> Array:
        """Distribute pseudo-counts of the table's cells evenly over the observed cells of their strata."""
        inside = np.where(self.place < 0, self.cells, self.place)
        number = np.bincount(inside, minlength=self.cells + 1)[:-1]
        found = self.expand_to_observed(np.where(number > 0, extra / np.maximum(number, 1), 0.0))
        return np.asarray(found * safe_divide(extra.sum(-1), found.sum(-1))[..., None])

    def is_fixed_total(self, gradient: Array) -> Array:
        """Return whether a linear form is constant over the possible outcomes of each stratum not fully sampled."""
        lifted, left = self.expand_to_observed(gradient), self.unsampled_fraction
        spans = [np.ptp(lifted[..., cells], -1) * (left[cells[0]] > 0) for cells in self._members()]
        return np.asarray(np.max(spans, 0) <= RELATIVE_TOLERANCE * np.abs(lifted).max(-1))

    def has_equal_weights(self, cells: Array) -> bool:
        """Return whether all cases that can fall in the marked cells have the same weight."""
        chosen = self.expand_to_observed(np.asarray(cells, dtype=float)) > 0
        weights = np.where(chosen, self._weights(self.observed)[..., self.stratum], np.nan)
        return bool((np.nanmax(weights, -1) <= np.nanmin(weights, -1) * (1 + 1e-9)).all()) if chosen.any() else True

    def collapse_cells(self, codes: Array, size: int) -> StratifiedSample:
        """Count each observed cell in its merged one."""
        target = np.where(self.place < 0, size, np.append(codes, size)[self.place])
        kept, pair = np.unique(self.stratum * (size + 1) + target, return_inverse=True)
        stratum, place = np.divmod(kept, size + 1)
        observed = added_up(self.observed, pair, len(kept))
        place = np.where(place == size, NOWHERE, place)
        return replace(
            self, observed=observed, stratum=stratum, place=place, cells=size, design=self._merged(pair, stratum)
        )

    def stack_tables(self, others: Sequence[Self], size: int) -> StratifiedSample:
        """Stack the observed cells of tables from the same strata, whose cases are independent."""
        rest: Sequence[StratifiedSample] = others
        for other in rest:
            alike = all(
                np.array_equal(getattr(self, name), getattr(other, name))
                for name in ("stratum", "place", "share", "units", "fraction", "total")
            )
            if not (
                alike and self.design.traits.is_independent and self.covariance is None and other.covariance is None
            ):
                raise UndefinedDesignError(type(self).__name__, "tables as one batch")
        return replace(self, observed=np.stack([self.observed, *(each.observed for each in rest)]))

    def select_table(self, index: int) -> StratifiedSample:
        """Return the observed cells of one table of a batch."""
        return replace(self, observed=self.observed[index], design=Algebra.of(self.design).select_table(index))

    def with_pseudo_counts(self, counts: Array, extra: Array) -> tuple[Array, Design]:
        """Distribute pseudo-counts over the observed cells of each cell of the table."""
        filled, design = smoothed(self.design, self.observed, self.spread_pseudo_counts(extra))
        return self.table_from_observed(filled), replace(self, observed=filled, design=design)

    def influence_functions(self, counts: Array, gradient: Array) -> tuple[Array, Array] | None:
        """Return the contributions of the observed units."""
        slopes = self.project_gradient(self.observed, gradient)
        if not self._are_apart:
            return VarianceDetails.of(self.design).influence_functions(self.observed, slopes)
        found = [
            VarianceDetails.of(part).influence_functions(*each) for part, *each in self._parts(self.observed, slopes)
        ]
        known = [each for each in found if each is not None]
        form, number = map(np.concatenate, zip(*known, strict=True))
        return form, number

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw within strata, one case fewer each; shrink deviations in finite strata (Rao and Wu 1988)."""
        if not self.design.traits.is_independent:
            drawn = Resampling.of(self.design).resample(self.observed, size, rng)
        elif self.units is None:
            drawn = FixedMargins(self.stratum).resample(self.observed, size, rng)
        else:
            drawn = np.zeros((size, self.observed.size))
            for cells in self._members():
                own = self.observed[cells]
                fewer = max(round(float(own.sum())) - 1, 1)
                drawn[:, cells] = rng.multinomial(fewer, own / own.sum(), size)
        return self._with_shares(self._towards(drawn), rng)

    def exchangeable_units(self, counts: Array) -> Units | None:
        """Return the cases of each stratum; None if these have weights or clusters, or fractions are estimates."""
        if self.covariance is not None or not self.design.traits.is_independent:
            return None
        known = self.observed, self.stratum, self.place, self._weights(self.observed), 1 - self._drawn
        return units_of_strata(*known, self.cells, fewer=int(self.units is not None))

    def simulate_studies(
        self, counts: Array, scale: float, size: int, rng: np.random.Generator
    ) -> tuple[Array, Design]:
        """Draw new samples from the strata, with ``scale`` times their number of cases."""
        own: Design = FixedMargins(self.stratum) if self.design.traits.is_independent else self.design
        drawn, new_design = Resampling.of(own).simulate_studies(self.observed, scale, size, rng)
        design = self.design if self.design.traits.is_independent else new_design
        units = None if self.units is None else np.maximum(np.rint(scale * self.units), 1.0)
        fraction = None if self.fraction is None else np.minimum(scale * self.fraction, 1.0)
        new = replace(self, observed=drawn, design=design, units=units, fraction=fraction)
        return self.table_from_observed(drawn), new

    def exponential_tilt(self, counts: Array, log_factors: Array) -> tuple[Array, Design]:
        """Tilt the observed cases by their weighted slopes; the total of each stratum stays."""
        own: Design = FixedMargins(self.stratum) if self.design.traits.is_independent else self.design
        moved, new = Resampling.of(own).exponential_tilt(
            self.observed, self.project_gradient(self.observed, log_factors)
        )
        design = self.design if self.design.traits.is_independent else new
        return self.table_from_observed(moved), replace(self, observed=moved, design=design)

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw each stratum's probabilities; the sampled cases of a finite stratum are known."""
        drawn = Resampling.of(self.design).posterior(self.observed, self.spread_pseudo_counts(prior), size, rng)
        return self._with_shares(self._towards(drawn), rng)

    def leave_one_out(self, counts: Array) -> Blocks:
        """Leave out one observed unit, and reweight the others of its stratum."""
        for observed, number in Resampling.of(self.design).leave_one_out(self.observed):
            yield self.table_from_observed(observed), number

    def threshold_variances(self, counts: Array, gradients: Array, thresholds: Array | None = None) -> Array:
        """Return the sum of the strata's variances at each threshold, in one pass where cases are independent."""
        if not self.design.traits.is_independent or self.covariance is not None or self._single.any():
            return VarianceDetails.threshold_variances(self, counts, gradients, thresholds)
        by_stratum = np.zeros((len(self.share), *counts.shape))
        inside = self.place >= 0
        np.add.at(by_stratum, (self.stratum[inside], *np.divmod(self.place[inside], 2)), self.observed[inside])
        cells = confusion_from_top(by_stratum, thresholds)
        first, second = ((cells * each).sum((-2, -1)) for each in (gradients, gradients**2))
        scale = self._weights(self.observed) ** 2 * self._correction
        return np.asarray(scale @ (second - first**2 / self._sums(self.observed)[:, None]))

    @property
    def _are_apart(self) -> bool:
        """Whether each stratum has its own design."""
        return self.units is not None and not self.design.traits.is_independent

    @property
    def _drawn(self) -> Array:
        """Sampling fraction of each stratum."""
        return np.zeros(len(self.share)) if self.fraction is None else self.fraction

    @property
    def _single(self) -> Array:
        """Mask of strata with a single case or cluster that were not fully sampled."""
        if self.units is None:
            return np.zeros(len(self.share), dtype=bool)
        return (self.units < 2) & (self._drawn < 1)

    @property
    def _correction(self) -> Array:
        """Correction of the binomial variance: sample variance and finite population."""
        left = 1 - self._drawn
        if self.units is None or np.isfinite(self.design.degrees_of_freedom).all():
            return left  # variances of clusters already use their number minus 1
        return np.where(self.units < 2, left, safe_divide(self.units, self.units - 1) * left)

    def _sums(self, cells: Array) -> Array:
        return sums_by_place(cells, self.stratum, len(self.share))

    def _weights(self, observed: Array) -> Array:
        """Return the weight of a case of each stratum, ``(..., S)``."""
        whole = observed.sum(-1)[..., None] if self.total is None else self.total
        return safe_divide(whole * self.share, self._sums(observed))

    def _means(self, observed: Array, form: Array) -> Array:
        """Return the mean of a form in each stratum, ``(..., S)``."""
        return safe_divide(self._sums(observed * form), self._sums(np.broadcast_to(observed, form.shape)))

    def _members(self) -> list[Array]:
        order = np.argsort(self.stratum, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.stratum, minlength=len(self.share)))[:-1])

    def _parts(self, *values: Array) -> Iterator[tuple[Design, *tuple[Array, ...]]]:
        """Yield the design of each stratum with values of its observed cells."""
        ends = np.cumsum(np.bincount(self.stratum, minlength=len(self.share)))[:-1]
        return zip(self.design.test_sets, *(np.split(each, ends, -1) for each in values), strict=True)

    def _merged(self, pair: Array, stratum: Array) -> Design:
        """Return the design of merged observed cells with these strata."""
        if not self._are_apart:
            return self.design.collapse_cells(pair, len(stratum))
        sizes = np.bincount(stratum, minlength=len(self.share))
        starts = np.cumsum(sizes) - sizes
        parts = [
            part.collapse_cells(own[0] - start, size)
            for (part, *own), start, size in zip(self._parts(pair), starts, sizes, strict=True)
        ]
        return Separate(tuple(parts), tuple(sizes.tolist()))

    def _towards(self, drawn: Array) -> Array:
        """Scale drawn cells to the totals of the strata, and deviations by the root of the unsampled fraction."""
        moved = self.rescale_to_fixed_totals(drawn, self.observed)
        return np.asarray(self.observed + np.sqrt(self.unsampled_fraction) * (moved - self.observed))

    def _with_shares(self, drawn: Array, rng: np.random.Generator) -> Array:
        """Return the tables of drawn cells; fractions that are estimates are drawn too."""
        if self.covariance is None:
            return self.table_from_observed(drawn)
        shares = np.maximum(rng.multivariate_normal(self.share, self.covariance, len(drawn)), 0.0)
        shares = shares / shares.sum(-1, keepdims=True)
        return self._tables(drawn, self._weights(drawn) * safe_divide(shares, self.share))

    def _tables(self, observed: Array, weights: Array) -> Array:
        inside = np.where(self.place < 0, self.cells, self.place)
        return sums_by_place(observed * weights[..., self.stratum], inside, self.cells + 1)[..., :-1]
