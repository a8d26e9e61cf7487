"""Properties of a sampling design that select methods and wording, and the text that reports print about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties of a design that select methods and wording.

    Parameters
    ----------
    is_independent : bool
        Whether the counts are one multinomial sample of unweighted, independent cases.
    is_counted : bool
        Whether cases were counted; False for counts that are estimates or expectations.
    has_binomial_proportions : bool
        Whether proportions are binomial with the effective sample size, including near 0 and 1.
    has_labels : bool
        Whether the true classes were observed; False for counts expected from scores.
    has_pending_labels : bool
        Whether the cases are given and their labels are still to be observed.
    has_known_probabilities : bool
        Whether the probabilities of such labels are given, not estimated.
    assumes_calibrated_scores : bool
        Whether scores are taken as the class probabilities of the observed cases.
    is_exact : bool
        Whether there is no sampling, so that estimates have no uncertainty.
    has_estimated_prevalence : bool
        Whether the class frequencies are estimates, which may be close to 0.
    has_fixed_class_totals : bool
        Whether the number of cases of each true class is fixed.
    is_stratified : bool
        Whether cases are weighted by the size of their stratum, and the observed cells are those of strata.
    has_strata : bool
        Whether units are drawn within strata of unknown size.
    has_one_unit : bool
        Whether one kind of unit is drawn, cases or clusters; False for two crossed factors.
    has_all_cases : bool
        Whether the design has every case with its probabilities, so that the variance does not depend on the counts.
    default_method : str
        Name of the default method for every metric of such counts; empty if it depends on the metric.

    Examples
    --------
    >>> import howsure as hs
    >>> hs.from_counts([[50, 3], [5, 42]]).design.traits.is_independent
    True
    """

    is_independent: bool = False
    is_counted: bool = True
    has_binomial_proportions: bool = True
    has_labels: bool = True
    has_pending_labels: bool = False
    has_known_probabilities: bool = False
    assumes_calibrated_scores: bool = False
    is_exact: bool = False
    has_estimated_prevalence: bool = False
    has_fixed_class_totals: bool = False
    is_stratified: bool = False
    has_strata: bool = False
    has_one_unit: bool = True
    has_all_cases: bool = False
    default_method: str = ""


@dataclass(frozen=True, slots=True)
class Description:
    """Text about a design; empty for independent cases.

    Parameters
    ----------
    sample : str
        Text printed after the number of cases, such as "in 120 clusters".
    estimate_caveat : str
        Caveat attached to every estimate.
    caveats : tuple of str
        Sentences about the design for readers of the intervals.

    Examples
    --------
    >>> import howsure as hs
    >>> table = hs.confusion([1, 0, 1, 0, 1], [1, 0, 0, 0, 1], groups=["a", "a", "b", "b", "c"])
    >>> table.design.description.sample
    'in 3 clusters'
    """

    sample: str = ""
    estimate_caveat: str = ""
    caveats: tuple[str, ...] = ()


COUNTED = Traits()  # cases of other designs than those below, with labels
INDEPENDENT = Traits(is_independent=True)
EXPECTED = Traits(  # counts that are expected from scores; no label was observed
    is_counted=False, has_binomial_proportions=False, has_labels=False, has_pending_labels=True
)
ESTIMATED = Traits(is_counted=False, has_binomial_proportions=False)  # counts that follow from other counts
NO_DESCRIPTION = Description()
