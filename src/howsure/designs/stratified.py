"""Design of samples from strata with known sizes: cases are weighted by the size of their stratum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from howsure.designs import invariants
from howsure.designs.base import DUST, Design, quotient
from howsure.designs.counted import smoothed
from howsure.designs.fixed_margins import FixedMargins
from howsure.designs.sampling import Blocks
from howsure.designs.separate import Separate
from howsure.designs.sums import added_up, confusion_from_top, dot
from howsure.errors import UndefinedDesignError

Array = NDArray[Any]
FEW = 2**12  # products of cells and places
NOWHERE = -1  # place of observed cases outside a table: the other cases of its strata


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StratifiedSample(Design):
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
    has_strata: ClassVar[bool] = True

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
    def words(self) -> str:
        """Number of strata and, if applicable, of clusters, as text."""
        own = self.design.words
        if self.units is not None and self._are_apart:
            has_clusters = np.isfinite(self.design.degrees_of_freedom)
            own = f"in {self.units.sum():,.0f} clusters" if has_clusters else "of different weights"
        number = f"{len(self.share):,} {'stratum' if len(self.share) == 1 else 'strata'}"
        said = "at stated class frequencies" if self.noun == "classes" else f"from {number} of known size"
        return f"{own}, {said}" if own else said

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences on the weights of cases, strata with a single case, and a finite population."""
        shares = ", ".join(f"{name} {share:.3g}" for name, share in zip(self.names, self.share, strict=True))
        listed = f" ({shares})" if len(self.share) <= 8 else ""
        if self.noun == "classes":
            first = f"The classes count as often as is stated{listed}, not as in the sample; the intervals are of that."
        else:
            first = (
                f"The cases come from {len(self.share):,} strata of known size{listed}, and count in proportion to "
                "these; the intervals take this into account."
            )
        found = [first]
        if (self._drawn > 0).any():
            found.append(
                "The population is finite: the intervals are of its cases as they are, not of others like them."
            )
        if self._single.any():
            single = [str(name) for name, alone in zip(self.names, self._single, strict=True) if alone]
            found.append(
                f"A stratum with one case shows no variation ({', '.join(single[:8])}): its distance to the mean "
                "of all is taken. Merge such strata with others."
            )
        return (*self.design.cautions, *found)

    @property
    def method(self) -> str:
        """The delta method if the fractions are estimates: their variance belongs to no observed cell."""
        return "" if self.covariance is None else "delta"

    @property
    def degrees_of_freedom(self) -> Any:
        """Those of the observed cells, or the number of cases or clusters minus the number of strata."""
        if self.units is None:
            return self.design.degrees_of_freedom
        return np.maximum(self.units.sum() - len(self.units), 1.0)

    @property
    def remaining(self) -> Array:
        """1 minus the sampling fraction of the stratum of each observed cell."""
        return np.asarray((1 - self._drawn)[self.stratum])

    @property
    def whole(self) -> Array:
        """The table estimated from the observed cells, ``(..., cells)``."""
        return self.tables(self.observed)

    def tables(self, observed: Array) -> Array:
        """Return the tables estimated from other observed cells, ``(..., observed cells)`` → ``(..., cells)``."""
        return self._tables(observed, self._weights(observed))

    def sampled(self, counts: Array) -> Array:
        """Return the observed cells."""
        return self.observed

    def lifted(self, values: Array) -> Array:
        """Expand a value per cell of the table to a value per observed cell; 0 outside the table."""
        none = np.zeros((*values.shape[:-1], 1), dtype=values.dtype)
        return np.asarray(np.concatenate([values, none], -1)[..., self.place])

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the variance within the strata, plus that of their fractions if these are estimates."""
        slopes = self.tangent(self.observed, gradient)
        found = self.design.variance(np.broadcast_to(self.observed, slopes.shape), slopes)
        if self.covariance is None:
            return found
        means = self._means(self.observed, self.lifted(gradient)) * self._population[..., None]
        return np.asarray(found + np.einsum("...s,st,...t->...", means, self.covariance, means))

    def tangent(self, counts: Array, gradient: Array) -> Array:
        """Return the effect of one more case in each observed cell minus the stratum mean, ``(..., observed cells)``.

        The variance of a stratum is a sample variance, with its number of cases minus 1, times the finite population
        correction. The deviation of a single case in a stratum is taken from the overall mean.
        """
        form = self.lifted(gradient)
        means = np.where(self._single, 0.0, self._means(counts, form))
        scale = self._weights(counts) * np.sqrt(self._correction)
        away = form - means[..., self.stratum]
        away = np.where(np.abs(away) > DUST * np.abs(form).max(-1, keepdims=True), away, 0.0)
        return np.asarray(away * scale[..., self.stratum])

    def rescaled(self, cells: Array, counts: Array) -> Array:
        """Scale ``cells`` to the totals of the strata in ``counts``."""
        scale = quotient(self._sums(counts), self._sums(cells))
        return np.asarray(cells * scale[..., self.stratum])

    def small_sample(self, counts: Array, gradient: Array) -> tuple[Any, Any]:
        """Return Satterthwaite's degrees of freedom of a sum over strata, each with its number of cases minus 1."""
        slopes = self.tangent(self.observed, gradient)
        observed = np.broadcast_to(self.observed, slopes.shape)
        if self.units is None:
            return self.design.small_sample(observed, slopes)
        least = np.maximum(self.units - 1, 1.0)
        if self.design.is_independent:
            variances, inflations, freedoms = self._sums(observed * slopes**2), np.ones(least.shape), least
        else:
            parts = [*self._parts(observed, slopes)]
            variances = np.stack([part.variance(*each) for part, *each in parts], -1)
            known = [part.small_sample(*each) for part, *each in parts]
            inflations, freedoms = (np.stack(np.broadcast_arrays(*each), -1) for each in zip(*known, strict=True))
            freedoms = np.minimum(freedoms, least)
        seen = np.where(variances > 0, variances, 0.0)
        whole = seen.sum(-1)
        inflation = np.where(whole > 0, quotient((seen * inflations).sum(-1), whole), inflations.max(-1))
        spread = (seen**2 / freedoms).sum(-1)
        return inflation, np.where(spread > 0, quotient(whole**2, spread), self.degrees_of_freedom)

    def satterthwaite(self, counts: Array, truth: Array, slopes: Array) -> Any:
        """Return the degrees of freedom of the observed cells, stratum by stratum."""
        own = self.tangent(self.observed, slopes)
        observed = np.broadcast_to(self.observed, own.shape)
        found = self.design.satterthwaite(observed, self.stratum, own)
        return np.where(self.design.variance(observed, own) > 0, found, self.degrees_of_freedom)

    def placement_variance(self, counts: Array, truth: Array, slopes: Array) -> Array:
        """Return the variance, already a sample variance; if the strata are the classes, that of their samples."""
        if self.covariance is not None or not np.array_equal(self.lifted(truth), self.stratum):
            return self.variance(counts, slopes)
        own = self.tangent(self.observed, slopes)
        return self.design.placement_variance(np.broadcast_to(self.observed, own.shape), self.stratum, own)

    def effective_trials(self, counts: Array, trials: Array) -> Array:
        """Return the total of the marked cells divided by the largest case weight among strata that can contain them.

        The probability that none of K cases is sampled, in a finite stratum with sampling fraction f, is about (1 −
        f)ᴷ. Equating it with exp(−K f_eff) gives each sampled case the weight −log(1 − f) / f. A fully enumerated
        stratum (f = 1) has infinite weight: it contributes no uncertainty.
        """
        marked = self.lifted(np.asarray(trials, dtype=float))
        own = np.broadcast_to(self.observed, np.broadcast_shapes(self.observed.shape, marked.shape))
        weights = np.broadcast_to(self._weights(self.observed)[..., self.stratum], own.shape)
        drawn, left = 1 - self.remaining, self.remaining
        unseen = np.where(drawn > 0, quotient(drawn, -np.log(np.where(left > 0, left, np.nan))), 1.0)
        heaviest = np.where(marked > 0, weights * unseen, 0.0).max(-1)
        total = dot(own * weights, marked)
        worth = np.where((total > 0) & (heaviest == 0), np.inf, quotient(total, heaviest))
        if self.design.is_independent:
            return worth
        # Weighted or clustered cases: times the ratio of effective to observed cases in the marked cells.
        return worth * quotient(self.design.effective_trials(own, marked), dot(own, marked))

    def spread(self, extra: Array) -> Array:
        """Distribute pseudo-counts of the table's cells evenly over the observed cells of their strata."""
        inside = np.where(self.place < 0, self.cells, self.place)
        number = np.bincount(inside, minlength=self.cells + 1)[:-1]
        found = self.lifted(np.where(number > 0, extra / np.maximum(number, 1), 0.0))
        return np.asarray(found * quotient(extra.sum(-1), found.sum(-1))[..., None])

    def settles(self, form: Array) -> Array:
        """Return whether a linear form is constant over the possible outcomes of each stratum not fully sampled."""
        lifted = self.lifted(form)
        spans = [np.ptp(lifted[..., cells], -1) * (self.remaining[cells[0]] > 0) for cells in self._members()]
        return np.asarray(np.max(spans, 0) <= DUST * np.abs(lifted).max(-1))

    def weighs_alike(self, marked: Array) -> bool:
        """Return whether all cases that can fall in the marked cells have the same weight."""
        chosen = self.lifted(np.asarray(marked, dtype=float)) > 0
        weights = np.where(chosen, self._weights(self.observed)[..., self.stratum], np.nan)
        return bool((np.nanmax(weights, -1) <= np.nanmin(weights, -1) * (1 + 1e-9)).all()) if chosen.any() else True

    def merged(self, cells: Array, size: int) -> StratifiedSample:
        """Count each observed cell in its merged one."""
        target = np.where(self.place < 0, size, np.append(cells, size)[self.place])
        kept, pair = np.unique(self.stratum * (size + 1) + target, return_inverse=True)
        stratum, place = np.divmod(kept, size + 1)
        observed = added_up(self.observed, pair, len(kept))
        place = np.where(place == size, NOWHERE, place)
        return replace(
            self, observed=observed, stratum=stratum, place=place, cells=size, design=self._merged(pair, stratum)
        )

    def stacked(self, others: Sequence[Self], size: int) -> StratifiedSample:
        """Stack the observed cells of tables from the same strata, whose cases are independent."""
        rest: Sequence[StratifiedSample] = others
        for other in rest:
            alike = all(
                np.array_equal(getattr(self, name), getattr(other, name))
                for name in ("stratum", "place", "share", "units", "fraction", "total")
            )
            if not (alike and self.design.is_independent and self.covariance is None and other.covariance is None):
                raise UndefinedDesignError(type(self).__name__, "tables as one batch")
        return replace(self, observed=np.stack([self.observed, *(each.observed for each in rest)]))

    def picked(self, index: int) -> StratifiedSample:
        """Return the observed cells of one table of a batch."""
        return replace(self, observed=self.observed[index], design=self.design.picked(index))

    def smoothed(self, counts: Array, extra: Array) -> tuple[Array, Design]:
        """Distribute pseudo-counts over the observed cells of each cell of the table."""
        filled, design = smoothed(self.design, self.observed, self.spread(extra))
        return self.tables(filled), replace(self, observed=filled, design=design)

    def influences(self, counts: Array, gradient: Array) -> tuple[Array, Array] | None:
        """Return the contributions of the observed units."""
        slopes = self.tangent(self.observed, gradient)
        if not self._are_apart:
            return self.design.influences(self.observed, slopes)
        found = [part.influences(*each) for part, *each in self._parts(self.observed, slopes)]
        known = [each for each in found if each is not None]
        form, number = (np.concatenate(each) for each in zip(*known, strict=True))
        return form, number

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw within strata, one case fewer each; shrink deviations in finite strata (Rao and Wu 1988)."""
        if not self.design.is_independent:
            drawn = self.design.resample(self.observed, size, rng)
        elif self.units is None:
            drawn = FixedMargins(self.stratum).resample(self.observed, size, rng)
        else:
            drawn = np.zeros((size, self.observed.size))
            for cells in self._members():
                own = self.observed[cells]
                fewer = max(round(float(own.sum())) - 1, 1)
                drawn[:, cells] = rng.multinomial(fewer, own / own.sum(), size)
        return self._with_shares(self._towards(drawn), rng)

    def repeated(self, counts: Array, scale: float, size: int, rng: np.random.Generator) -> tuple[Array, Design]:
        """Draw new samples from the strata, with ``scale`` times their number of cases."""
        own: Design = FixedMargins(self.stratum) if self.design.is_independent else self.design
        drawn, new = own.repeated(self.observed, scale, size, rng)
        design = self.design if self.design.is_independent else new
        units = None if self.units is None else np.maximum(np.rint(scale * self.units), 1.0)
        fraction = None if self.fraction is None else np.minimum(scale * self.fraction, 1.0)
        return self.tables(drawn), replace(
            self,
            observed=drawn,
            design=design,
            units=units,
            fraction=fraction,
        )

    def tilted(self, counts: Array, slopes: Array) -> tuple[Array, Design]:
        """Tilt the observed cases by their weighted slopes; the total of each stratum stays."""
        own: Design = FixedMargins(self.stratum) if self.design.is_independent else self.design
        moved, new = own.tilted(self.observed, self.tangent(self.observed, slopes))
        design = self.design if self.design.is_independent else new
        return self.tables(moved), replace(self, observed=moved, design=design)

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw each stratum's probabilities; the sampled cases of a finite stratum are known."""
        drawn = self.design.posterior(self.observed, self.spread(prior), size, rng)
        return self._with_shares(self._towards(drawn), rng)

    def left_out(self, counts: Array) -> Blocks:
        """Leave out one observed unit, and reweight the others of its stratum."""
        for observed, number in self.design.left_out(self.observed):
            yield self.tables(observed), number

    def variance_from_top(self, counts: Array, slopes: Array, index: Array | None = None) -> Array:
        """Return the sum of the strata's variances at each threshold, in one pass where cases are independent."""
        if not self.design.is_independent or self.covariance is not None or self._single.any():
            return Design.variance_from_top(self, counts, slopes, index)
        by_stratum = np.zeros((len(self.share), *counts.shape))
        inside = self.place >= 0
        np.add.at(by_stratum, (self.stratum[inside], *np.divmod(self.place[inside], 2)), self.observed[inside])
        cells = confusion_from_top(by_stratum, index)
        first, second = ((cells * each).sum((-2, -1)) for each in (slopes, slopes**2))
        scale = self._weights(self.observed) ** 2 * self._correction
        return np.asarray(scale @ (second - first**2 / self._sums(self.observed)[:, None]))

    @property
    def _are_apart(self) -> bool:
        """Whether each stratum has its own design."""
        return self.units is not None and not self.design.is_independent

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
        if self.units is None or np.all(
            np.isfinite(self.design.degrees_of_freedom)
        ):  # variances of clusters already use their number minus 1
            return left
        return np.where(self.units < 2, left, quotient(self.units, self.units - 1) * left)

    @property
    def _population(self) -> Array:
        """Total of the tables, ``(...)``."""
        return np.asarray(self.observed.sum(-1) if self.total is None else self.total)

    def _sums(self, cells: Array) -> Array:
        return _gathered(cells, self.stratum, len(self.share))

    def _weights(self, observed: Array) -> Array:
        """Return the weight of a case of each stratum, ``(..., S)``."""
        whole = observed.sum(-1)[..., None] if self.total is None else self.total
        return quotient(whole * self.share, self._sums(observed))

    def _means(self, observed: Array, form: Array) -> Array:
        """Return the mean of a form in each stratum, ``(..., S)``."""
        return quotient(self._sums(observed * form), self._sums(np.broadcast_to(observed, form.shape)))

    def _members(self) -> list[Array]:
        order = np.argsort(self.stratum, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.stratum, minlength=len(self.share)))[:-1])

    def _parts(self, *values: Array) -> Any:
        """Yield the design of each stratum with values of its observed cells."""
        ends = np.cumsum(np.bincount(self.stratum, minlength=len(self.share)))[:-1]
        return zip(self.design.test_sets, *(np.split(each, ends, -1) for each in values), strict=True)

    def _merged(self, pair: Array, stratum: Array) -> Design:
        """Return the design of merged observed cells with these strata."""
        if not self._are_apart:
            return self.design.merged(pair, len(stratum))
        sizes = np.bincount(stratum, minlength=len(self.share))
        starts = np.cumsum(sizes) - sizes
        parts = [
            part.merged(own - start, size)
            for (part, own), start, size in zip(self._parts(pair), starts, sizes, strict=True)
        ]
        return Separate(tuple(parts), tuple(sizes.tolist()))

    def _towards(self, drawn: Array) -> Array:
        """Scale drawn cells to the totals of the strata, and deviations by the root of the unsampled fraction."""
        moved = self.rescaled(drawn, self.observed)
        return np.asarray(self.observed + np.sqrt(self.remaining) * (moved - self.observed))

    def _with_shares(self, drawn: Array, rng: np.random.Generator) -> Array:
        """Return the tables of drawn cells; fractions that are estimates are drawn too."""
        if self.covariance is None:
            return self.tables(drawn)
        shares = np.maximum(rng.multivariate_normal(self.share, self.covariance, len(drawn)), 0.0)
        shares = shares / shares.sum(-1, keepdims=True)
        return self._tables(drawn, self._weights(drawn) * quotient(shares, self.share))

    def _tables(self, observed: Array, weights: Array) -> Array:
        inside = np.where(self.place < 0, self.cells, self.place)
        return _gathered(observed * weights[..., self.stratum], inside, self.cells + 1)[..., :-1]


def _gathered(values: Array, places: Array, size: int) -> Array:
    """Return the sums of values over their places; a matrix product is faster for few cells."""
    if values.ndim == 1 or len(places) * size > FEW:
        return added_up(values, places, size)
    return np.asarray(values @ (places[:, None] == np.arange(size)))


def at_shares(
    counts: Array, truth: Array, names: Sequence[Any], share: Array, design: Design, covariance: Array | None = None
) -> StratifiedSample:
    """Return the design of a table with stated class frequencies.

    Parameters
    ----------
    counts : ndarray of shape (..., cells)
        The observed counts.
    truth : ndarray of shape (cells,)
        Position of the true class of each cell.
    names : sequence
        The classes.
    share : ndarray of shape (K,)
        Share of each class; they sum to 1.
    design : Design
        Design of the observed counts.
    covariance : ndarray of shape (K, K), optional
        Covariance of the frequencies, if they are estimates.
    """
    cells = counts.shape[-1]
    found = counts, truth, np.arange(cells), cells, share, design, tuple(names)
    return StratifiedSample(*found, noun="classes", covariance=covariance)
