"""Designs that define only a variance: defaults of every other member."""

from dataclasses import dataclass

import numpy as np
import pytest

import howsure as hs
from howsure.designs.algebra import Algebra
from howsure.designs.base import Design, safe_divide
from howsure.designs.clustering import Clustering
from howsure.designs.known import KnownProbabilities
from howsure.designs.refit import Refittable
from howsure.designs.resampling import Resampling
from howsure.designs.strata import PartialLabels
from howsure.designs.traits import Description, Traits
from howsure.designs.two_level import TwoLevel
from howsure.designs.variance_details import VarianceDetails
from howsure.errors import UndefinedDesignError

COUNTS, FORM = np.array([6.0, 2.0, 8.0, 4.0]), np.array([0.5, -1.0, 2.0, 0.25])


@dataclass(frozen=True, repr=False)
class Times(Design):
    """Independent cases, whose variance is a multiple of the counts'."""

    factor: float
    extra: np.ndarray | None = None

    def variance(self, counts, gradient):
        """Return the multiple of the sum of squares."""
        return self.factor * (counts * gradient**2).sum(-1)


TWICE = Times(2.0)


def test_a_design_of_a_variance_alone_has_plain_defaults():
    """It is of counted, labelled cases of an infinite population, with normal quantiles, and has no description."""
    assert TWICE.traits == Traits(is_independent=False, is_counted=True, has_binomial_proportions=True, has_labels=True)
    assert TWICE.description == Description("", "", ())
    assert (TWICE.degrees_of_freedom, TWICE.test_sets) == (np.inf, (TWICE,))
    assert (TWICE.supports(Resampling.resample), TWICE.supports(Resampling.posterior)) == (False, False)
    assert TWICE.supports(VarianceDetails.variance)
    TWICE.check((4,))
    TWICE.check_sums(COUNTS)


def test_protocols_have_defaults_for_any_design():
    """A design without a protocol gets the protocol's defaults, which return the design itself, not a stand-in."""
    details, algebra, units = VarianceDetails.of(TWICE), Algebra.of(TWICE), Clustering.of(TWICE)
    assert details.small_sample_correction(COUNTS, FORM) == (1.0, np.inf)
    assert (details.squared_weights(COUNTS), details.influence_functions(COUNTS, FORM)) == (None, None)
    assert details.placement_variance(COUNTS, np.zeros(4, int), FORM) == TWICE.variance(COUNTS, FORM)
    assert details.satterthwaite_df(COUNTS, np.zeros(4, int), FORM) == np.inf
    assert (algebra.collapsible_cells(4), algebra.with_pseudo_counts(COUNTS, FORM)) == (None, None)
    assert algebra.with_true_classes(COUNTS) is algebra.select_table(1) is TWICE
    assert (units.missed_cluster_inflation(COUNTS, FORM), units.unit_names) == (1.0, None)
    assert all(each is TWICE for each in (units.with_unshared_units(), *units.split_by_class(COUNTS, 2)))
    assert len(units.split_by_class(COUNTS, 3)) == 3
    assert units.excess_skewness(COUNTS, np.ones((3, 2))).tolist() == [[0, 0]] * 3
    assert (KnownProbabilities.of(TWICE).known_cells_at(0.5), Refittable.of(TWICE).refit) == (None, None)
    assert dict(KnownProbabilities.of(TWICE).known_metric_values) == {}


def test_observed_cells_are_those_of_the_table_by_default():
    """A design of one level leaves counts and gradients as they are, and fixes only the total."""
    cells = TwoLevel.of(TWICE)
    assert cells.unsampled_fraction == 1.0
    assert all(each is FORM for each in (cells.project_gradient(COUNTS, FORM), cells.expand_to_observed(FORM)))
    assert cells.spread_pseudo_counts(FORM) is FORM
    assert all(each is COUNTS for each in (cells.observed_cells(COUNTS), cells.table_from_observed(COUNTS)))
    assert cells.has_equal_weights(COUNTS > 3)
    assert cells.is_fixed_total(np.ones((3, 4))).tolist() == [False] * 3
    assert hs.designs.FixedMargins(np.zeros(4, int)).is_fixed_total(np.ones((2, 3, 4))).tolist() == [[True] * 3] * 2
    doubled = cells.rescale_to_fixed_totals(np.stack([2 * COUNTS, COUNTS]), np.stack([COUNTS, 3 * COUNTS]))
    assert doubled.tolist() == [COUNTS.tolist(), (3 * COUNTS).tolist()]


def test_a_member_is_found_without_its_protocol():
    """A design that defines a member works like one that inherits the protocol."""

    class Halved(Times):
        def influence_functions(self, counts, gradient):
            return gradient, counts

    assert VarianceDetails.of(Halved(0.5)).influence_functions(COUNTS, FORM) == (FORM, COUNTS)
    assert Halved(0.5).supports(VarianceDetails.influence_functions)
    assert not Halved(0.5).supports(VarianceDetails.squared_weights)
    assert VarianceDetails.of(Halved(0.5)).squared_weights(COUNTS) is None


@pytest.mark.parametrize("factor, unit", [(2.0, 2.0), (1.0, 1.0), (0.5, 1.0), (0.0, 0.0), (40.0, 20.0)])
def test_units_follow_from_the_variance(factor, unit):
    """Cases are worth the squared total over the variance; a unit is a case at least, and all of them at most."""
    design, marked = Times(factor), np.array([True, False, False, True])
    expected = 100 / (factor * 10) if factor else 0.0
    assert design.effective_sample_size(COUNTS, marked) == pytest.approx(expected)
    assert VarianceDetails.of(design).mean_unit_size(COUNTS) == pytest.approx(unit)
    assert VarianceDetails.of(design).mean_unit_size(np.stack([COUNTS, COUNTS])) == pytest.approx([unit, unit])


@pytest.mark.parametrize(
    "protocol, name, arguments",
    [
        (VarianceDetails, "collapse_cells", (np.zeros(4, int), 1)),
        (Algebra, "at_threshold", (1, 2)),
        (Algebra, "add_tables", ([],)),
        (Algebra, "stack_tables", ([], 4)),
        (Algebra, "collapse_cells_per_table", (np.zeros((2, 4), int), 1)),
        (Clustering, "keep_cells", (COUNTS > 3, np.arange(4))),
        (Clustering, "unit_tables", (4,)),
        (PartialLabels, "stratum_contributions", (COUNTS, FORM)),
        (PartialLabels, "extreme_tables", (COUNTS, FORM)),
        (Resampling, "resample", (COUNTS, 3, None)),
        (Resampling, "simulate_studies", (COUNTS, 1.0, 3, None)),
        (Resampling, "exponential_tilt", (COUNTS, FORM)),
        (Resampling, "posterior", (COUNTS, FORM, 3, None)),
        (Resampling, "posterior_with_pairs", (COUNTS, np.zeros((3, 2), int), 3, None)),
        (Resampling, "leave_one_out", (COUNTS,)),
    ],
)
def test_what_a_design_does_not_define_is_named(protocol, name, arguments):
    """Each method that is missing gives an error that names the design."""
    with pytest.raises(UndefinedDesignError, match="Times"):
        getattr(protocol.of(TWICE), name)(*arguments)


@pytest.mark.parametrize("row", [0, 1, 2, 3])
def test_a_table_of_scores_is_cut_at_a_row(row):
    """Cells of rows from the threshold on are predicted positive: of true class k, cell 2 k + 1."""
    squares = np.arange(1.0, 7.0)  # of three scores, the classes side by side
    found = hs.designs.Weighted(squares).at_threshold(row, 3).weight_squared.reshape(2, 2)
    by_row = squares.reshape(3, 2)
    assert found[:, 1].tolist() == by_row[row:].sum(0).tolist()
    assert found[:, 0].tolist() == by_row[:row].sum(0).tolist()


def test_nothing_is_divided_by_nothing():
    """A quotient is 0 where the divisor is not positive, and the plain one elsewhere."""
    assert safe_divide(np.array([3.0, 4.0]), np.array([2.0, 8.0])).tolist() == [1.5, 0.5]
    assert safe_divide(np.array([3.0, 4.0, 5.0]), np.array([0.0, 8.0, -1.0])).tolist() == [0, 0.5, 0]
    assert safe_divide(np.array(3.0), np.array(0.0)) == 0


def test_the_text_of_a_design_has_its_settings():
    """Arrays are told by their shape and type, and long values are cut."""
    assert repr(Times(2.0)) == "Times(factor=2.0, extra=None)"
    assert repr(Times(2.0, np.zeros((3, 2)))) == "Times(factor=2.0, extra=<3 × 2 float64>)"
    assert len(repr(Times("x" * 500))) < 250
