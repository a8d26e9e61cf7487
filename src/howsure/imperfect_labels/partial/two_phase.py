"""Two-phase design: cheap labels of all cases, and trusted labels of some cases of each stratum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np

from howsure.arrays import Array
from howsure.designs import invariants
from howsure.designs.base import RELATIVE_TOLERANCE, Design, safe_divide
from howsure.designs.independent import Independent
from howsure.designs.resampling import Resampling
from howsure.designs.sampling import Blocks
from howsure.designs.strata import PartialLabels, Strata
from howsure.designs.traits import ESTIMATED, Description, Traits
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import HowsureError
from howsure.methods.core.standard_errors import normal_quantile
from howsure.methods.proportions.stratified import reaches
from howsure.sources.groups import Tally

FEWEST = 2  # human labels: a single one shows no variance
LEVEL = 0.95  # confidence level of the intervals whose widths are compared
CLOSE = 1e-6  # relative to a stratum's span: outcomes this close to an end count as worst or best
PRIOR = 4.0  # prior degrees of freedom of the pooled variance of the strata
ALONE = "the human labels alone are as precise: the judge adds no information"


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TwoPhase(VarianceDetails, Resampling, PartialLabels):
    """Cases of known stratum, some of which have a trusted outcome: Neyman's double sampling.

    The cases of a stratum are assumed to have the outcome distribution of its labelled cases. The table is then a
    smooth function of the observed cells, whose sampling design is ``design``.

    Parameters
    ----------
    labelled : ndarray of shape (strata, outcomes)
        Labelled cases, or sums of their weights, by stratum and outcome.
    others : ndarray of shape (strata,)
        Unlabelled cases of each stratum.
    kin : ndarray of shape (strata,)
        Group of each stratum. A stratum without labels gets the outcome distribution of its group, or, if that has no
        labels either, of all strata.
    places : ndarray of shape (strata, outcomes)
        Flat index of the cell of the table in which a case of each stratum and outcome is counted.
    names : tuple of str
        Names of the strata.
    design : Design
        Design of the observed cells, ``(strata, outcomes + 1)``, flattened; the unlabelled cases come last.
    number : int
        Number of labelled cases.
    note : str
        Caveat attached to every estimate; empty if there is none.
    """

    labelled: Array
    others: Array
    kin: Array
    places: Array
    names: tuple[str, ...]
    design: Design
    number: int
    note: str = ""
    traits: ClassVar[Traits] = ESTIMATED

    def check(self, shape: tuple[int, ...]) -> None:
        """Check the parts of the design, and that it fits counts of this shape: batch and cells."""
        invariants.numbers("labelled", self.labelled, (None, None))
        strata, outcomes = self.labelled.shape
        invariants.numbers("others", self.others, (strata,))
        some = self.observed[self.observed > 0]
        if some.size and some.max() > invariants.MOST_CASES * some.min():
            invariants.refuse("`labelled` and `others` are too far apart to be added up.")
        invariants.array("kin", self.kin, (strata,), invariants.WHOLE)
        invariants.positions("places", self.places, (strata, outcomes), shape[-1])
        if not isinstance(self.names, tuple) or len(self.names) != strata:
            invariants.refuse(f"`names` must name {strata:,} strata.")
        invariants.instance("design", self.design, Design)
        self.design.check((strata * (outcomes + 1),))
        invariants.number("number", self.number, 0)
        invariants.instance("note", self.note, str)

    def check_sums(self, counts: Array) -> None:
        """Check that the labels imply the counts, and that the entries of the design add up to the observed cells."""
        invariants.sums("labelled", self.counts(counts.size), counts)
        self.design.check_sums(self.observed)

    @property
    def description(self) -> Description:
        """Number of labels, the note, and the description of the design of the observed cells."""
        observed = self.design.description
        note = (f"{self.note[0].upper()}{self.note[1:]}.",) if self.note else ()
        sample = f"with {self.number:,} labels {observed.sample}".rstrip()
        return Description(sample, self.note, (*observed.caveats, *note))

    def noted(self, more: str) -> TwoPhase:
        """Return the design with a note: the number of strata without a label, and ``more``."""
        number = int(((self.labelled.sum(1) == 0) & (self.others > 0)).sum())
        words = "1 verdict has" if number == 1 else f"{number} kinds of verdict have"
        silent = f"{words} no human label" if number else ""
        return replace(self, note="; ".join(filter(None, (silent, more))))

    @property
    def degrees_of_freedom(self) -> Any:
        """Degrees of freedom of the observed cells."""
        return self.design.degrees_of_freedom

    @property
    def totals(self) -> Array:
        """Number of cases of each stratum, labelled or not."""
        return np.asarray(self.labelled.sum(1) + self.others)

    @property
    def _cases_per_weight(self) -> float:
        """Labelled cases per unit of weight; 1 for unweighted data."""
        return float(safe_divide(np.asarray(self.number), self.labelled.sum())) or 1.0

    @property
    def observed(self) -> Array:
        """The observed cells, flattened."""
        return np.column_stack([self.labelled, self.others]).ravel()

    def counts(self, size: int) -> Array:
        """Return the expected counts, ``(size,)``."""
        return np.asarray(self._tables(self.observed[None], size)[0])

    def variance(self, counts: Array, gradient: Array) -> Array:
        """Return the sum of the variances within and between strata."""
        parts = self.stratum_contributions(counts, gradient)
        return np.asarray(parts.within.sum(-1) + parts.between)

    def effective_sample_size(self, counts: Array, cells: Array) -> Array:
        """Return the effective number of labelled cases in the marked cells."""
        selected = np.asarray(cells, dtype=float)[self.places]
        return self.design.effective_sample_size(
            self.observed, np.column_stack([selected, np.zeros(len(selected))]).ravel()
        )

    @property
    def minimum_unit_size(self) -> float:
        """Average weight of a labelled case (in a group it need not be 1)."""
        return 1 / self._cases_per_weight

    def small_sample_correction(self, counts: Array, gradient: Array) -> tuple[Any, Any]:
        """Return the small-sample correction for the labelled cells: few clusters may contain all labels."""
        return VarianceDetails.of(self.design).small_sample_correction(self.observed, self._slopes_within(gradient))

    def stratum_contributions(self, counts: Array, gradient: Array) -> Strata:
        """Return the contribution of each stratum to a linear form; within-stratum variances are partially pooled."""
        unit = self._cases_per_weight
        low, span, place = self._placed(gradient)
        number, total, shares = unit * self.labelled.sum(1), self.totals, self._shares()
        value = (shares * place).sum(-1)
        mean = low + span * value
        value = np.where(
            value < RELATIVE_TOLERANCE, 0.0, np.where(value > 1 - RELATIVE_TOLERANCE, 1.0, value)
        )  # rounding errors
        square = unit * (self.labelled * (place - value[..., None]) ** 2).sum(-1)
        degrees_of_freedom = np.maximum(number - 1, 0.0)
        # Pool relative to the span: a stratum on which the form is constant contributes nothing to the pooled variance.
        pooled = safe_divide(square.sum(-1), (degrees_of_freedom * (span > 0)).sum(-1))[..., None]
        variance = (square + PRIOR * pooled) / (degrees_of_freedom + PRIOR)
        # If no stratum shows variation, use the variance of a share with one pseudo-case, half of each outcome.
        centre = (number * value + 0.5) / (number + 1)
        variance = np.where(pooled > RELATIVE_TOLERANCE, variance, centre * (1 - centre))
        variance = np.where(number > 0, variance, 0.25)
        effect = unit * self._effect(gradient)[..., None]
        # Outcomes between the ends vary less than a binary outcome with the same mean.
        at_ends = ((place == 0) | (place == 1)).all(-1)
        worth = np.where(at_ends, 1.0, np.maximum(safe_divide(value * (1 - value), variance), 1.0))
        between = self._spread_slopes(self._apart(mean, gradient))
        return Strata(
            reach=total * span,
            value=value,
            trials=number * worth / effect,
            within=(total * span) ** 2 * variance * effect / np.where(number > 0, number, 1.0),
            between=self.design.variance(self.observed, between),
        )

    def extreme_tables(self, counts: Array, gradient: Array) -> Array:
        """Return the tables in which all cases of one stratum have the worst or the best outcome for the form."""
        _, span, place = self._placed(gradient)
        seen, shares = span[:, None] > 0, self._shares()
        ties = np.stack([place == 0, place == 1]) & seen
        number = ties.sum(-1)
        ranked = np.argsort(~ties, axis=-1, kind="stable")[..., : max(number.max(), 1)]
        ranked = np.where(np.arange(ranked.shape[-1]) < number[..., None], ranked, ranked[..., :1])
        change = (self.totals[:, None] * seen) * (np.eye(place.shape[-1])[np.moveaxis(ranked, -1, 1)] - shares)
        tables = np.zeros((*change.shape[:-1], counts.size))
        cells: Any = (..., np.broadcast_to(np.arange(len(place))[:, None], place.shape), self.places)
        np.add.at(tables, cells, change)
        return np.asarray(counts + tables)

    def collapse_cells(self, codes: Array, size: int) -> TwoPhase:
        """Return the design after merging cells."""
        return replace(self, places=codes[self.places])

    def of_outcomes(self) -> TwoPhase:
        """Return the design of a table with one cell per outcome, summed over strata."""
        return replace(self, places=np.broadcast_to(np.arange(self.places.shape[1]), self.places.shape))

    def as_one_stratum(self) -> TwoPhase:
        """Return the design of the outcomes from the labelled cases alone, without strata."""
        strata, outcomes = self.labelled.shape
        cells = np.tile(np.arange(outcomes + 1), strata)
        return TwoPhase(
            labelled=self.labelled.sum(0, keepdims=True),
            others=self.others.sum(keepdims=True),
            kin=np.zeros(1, dtype=int),
            places=np.arange(outcomes)[None],
            names=("all cases",),
            design=self.design.collapse_cells(cells, outcomes + 1),
            number=self.number,
        )

    def resample(self, counts: Array, size: int, rng: np.random.Generator) -> Array:
        """Resample the observed cells and return the tables that they imply."""
        return self._tables(Resampling.of(self.design).resample(self.observed, size, rng), counts.size)

    def posterior(self, counts: Array, prior: Array, size: int, rng: np.random.Generator) -> Array:
        """Draw the probabilities of the observed cells, with one pseudo-case per stratum (Jeffreys for two outcomes).

        The prior of the table's cells is not used: the unknown quantities are the outcomes within strata.
        """
        strata, outcomes = self.labelled.shape
        pseudo = np.column_stack([np.full((strata, outcomes), 1 / outcomes), np.zeros(strata)])
        pseudo[self.totals == 0] = 0.0
        drawn = Resampling.of(self.design).posterior(self.observed, np.zeros(self.observed.size), size, rng)
        cells = drawn.reshape(size, strata, outcomes + 1)
        labelled = (
            cells[..., :-1] + rng.standard_gamma(pseudo[:, :-1], (size, strata, outcomes)) / self._cases_per_weight
        )
        shares = labelled / labelled.sum(-1, keepdims=True).clip(min=np.finfo(float).tiny)
        return self._added(cells.sum(-1)[..., None] * shares, counts.size)

    def leave_one_out(self, counts: Array) -> Blocks:
        """Return the tables without each observed unit."""
        return self._left_out(counts.size)

    def _left_out(self, size: int) -> Iterator[tuple[Array, Array]]:
        for observed, number in Resampling.of(self.design).leave_one_out(self.observed):
            yield self._tables(observed, size), number

    def _placed(self, gradient: Array) -> tuple[Array, Array, Array]:
        """Return the smallest value and the span of a linear form in each stratum, and the relative outcome positions.

        Positions are in [0, 1] and are snapped to an end within rounding error. If the span is 0, all positions are 0.
        """
        form = gradient[..., self.places]
        dust = RELATIVE_TOLERANCE * np.abs(gradient).max(-1)[..., None]
        low = form.min(-1)
        span = form.max(-1) - low
        span = np.where(span > dust, span, 0.0)
        place = safe_divide(form - low[..., None], span[..., None])
        close = np.maximum(CLOSE, safe_divide(dust, span))[..., None]
        return low, span, np.where(place <= close, 0.0, np.where(place >= 1 - close, 1.0, place))

    def _shares(self) -> Array:
        """Return the outcome distribution of each stratum, borrowed from other strata if it has no labels."""
        return np.asarray(_shares(self.labelled[None], self.kin)[0])

    def _tables(self, observed: Array, size: int) -> Array:
        """Return the tables that observed cells imply, ``(B, observed)`` → ``(B, size)``."""
        cells = observed.reshape(len(observed), len(self.others), -1)
        shares = _shares(cells[..., :-1], self.kin)
        return self._added(cells.sum(-1)[..., None] * shares, size)

    def _added(self, outcomes: Array, size: int) -> Array:
        """Sum expected cases by stratum and outcome, ``(B, strata, outcomes)``, to the cells of the table."""
        from scipy import sparse

        entries = np.ones(self.places.size), (np.arange(self.places.size), self.places.ravel())
        return np.asarray(outcomes.reshape(len(outcomes), -1) @ sparse.csr_array(entries, (self.places.size, size)))

    def _slopes(self, gradient: Array) -> Array:
        """Return the effect of one more case in each observed cell on a linear form, ``(..., observed)``."""
        mean = (self._shares() * gradient[..., self.places]).sum(-1)
        return self._slopes_within(gradient) + self._spread_slopes(self._apart(mean, gradient))

    def _apart(self, mean: Array, gradient: Array) -> Array:
        """Return the deviation of each stratum's mean from the overall mean of a linear form; 0 within rounding."""
        found = mean - (self.totals * mean).sum(-1, keepdims=True) / self.totals.sum()
        return np.where(np.abs(found) > RELATIVE_TOLERANCE * np.abs(gradient).max(-1)[..., None], found, 0.0)

    def _slopes_within(self, gradient: Array) -> Array:
        """Return the effect of one more label on a linear form through its stratum's outcomes, ``(..., observed)``."""
        form = gradient[..., self.places]
        mean = (self._shares() * form).sum(-1, keepdims=True)
        away = form - mean
        away = np.where(np.abs(away) > RELATIVE_TOLERANCE * np.abs(gradient).max(-1)[..., None, None], away, 0.0)
        each = safe_divide(self.totals, self.labelled.sum(1))[:, None] * away
        slopes = np.concatenate([each, np.zeros((*each.shape[:-1], 1))], -1)
        return slopes.reshape(*slopes.shape[:-2], -1)

    def _spread_slopes(self, values: Array) -> Array:
        """Repeat a value of each stratum for its observed cells."""
        repeated = np.repeat(values[..., None], self.labelled.shape[1] + 1, -1)
        return repeated.reshape(*values.shape[:-1], -1)

    def _effect(self, gradient: Array) -> Array:
        """Return the design effect of a linear form."""
        if self.design.traits.is_independent:
            return np.ones(gradient.shape[:-1])
        slopes, observed = self._slopes(gradient), self.observed
        alone = Independent().variance(observed, slopes)
        unit = np.asarray(VarianceDetails.of(self.design).mean_unit_size(observed))
        least = observed.sum() * (RELATIVE_TOLERANCE * np.abs(gradient).max(-1)) ** 2
        effect = safe_divide(self.design.variance(observed, slopes), alone)
        return np.where((alone > least) & (effect > RELATIVE_TOLERANCE), effect, unit)


def _shares(labelled: Array, kin: Array) -> Array:
    """Return the outcome distributions, ``(B, strata, outcomes)``; strata without labels borrow that of their group."""
    alike = (kin[:, None] == kin).astype(float)
    lent = np.einsum("st,btk->bsk", alike, labelled)
    everywhere = np.broadcast_to(labelled.sum(1, keepdims=True), labelled.shape)
    known = labelled
    for more in (lent, everywhere, np.ones_like(labelled)):
        known = np.where(known.sum(-1, keepdims=True) > 0, known, more)
    return np.asarray(known / known.sum(-1, keepdims=True))


def two_phase(  # noqa: PLR0917 - the columns of the cases, and the strata
    outcome: Array,
    stratum: Array,
    kin: Array,
    places: Array,
    names: tuple[str, ...],
    tally: Tally,
    cluster: Array | None,
    clusters_named: Array | None,
    *,
    scores: Array | None = None,
    alone: str = ALONE,
) -> TwoPhase:
    """Return the two-phase design of cases with given outcomes and strata.

    Parameters
    ----------
    outcome, stratum : ndarray of shape (n,)
        Positions of the outcome (−1 if unknown) and of the stratum of each case.
    kin, places : ndarray of shape (strata,) and (strata, outcomes)
        See `TwoPhase`.
    names : tuple of str
        Names of the strata.
    tally : Tally
        Weight of each case.
    cluster, clusters_named : ndarray, optional
        Cluster of each case, and names of the clusters.
    scores : ndarray of shape (outcomes,), optional
        A number for each outcome, whose mean is used to check whether the judge improves precision; by default 1 for
        the last outcome and 0 for the others.
    alone : str
        Note for a table in which the labelled cases alone are as precise.

    Raises
    ------
    HowsureError
        If fewer than two cases have an outcome.
    """
    known = int(((outcome >= 0) & (tally.weight > 0)).sum())
    if known < FEWEST:
        raise HowsureError(f"`human` has {known} labels of {len(outcome)} cases. Have two or more of them labelled.")
    strata, outcomes = places.shape
    cell = stratum * (outcomes + 1) + np.where(outcome < 0, outcomes, outcome)
    size = strata * (outcomes + 1)
    observed = tally.counts(cell, size).reshape(strata, outcomes + 1)
    base = tally.design(cell, size, cluster, clusters_named)
    found = TwoPhase(observed[:, :-1], observed[:, -1], kin, places, names, base, known)
    worth = np.eye(outcomes)[-1] if scores is None else scores
    with_judge, without = (_spreads(each, observed, worth) for each in (found.of_outcomes(), found.as_one_stratum()))
    return found.noted(alone if any(np.greater_equal(with_judge, without)) else "")


def _spreads(design: TwoPhase, observed: Array, worth: Array) -> tuple[float, float]:
    """Return the variance of a linear form of the outcomes, and the width of its interval."""
    width = sum(reaches(design.stratum_contributions(observed, worth), normal_quantile(LEVEL), LEVEL))
    return float(design.variance(observed, worth)), width
