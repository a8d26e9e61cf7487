"""What a design is that says nothing but its variance: the defaults of every other method."""

from dataclasses import dataclass

import numpy as np
import pytest

import howsure as hs
from howsure.designs.base import Design, quotient
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
    """It is of counted, labelled cases of an infinite population, with normal quantiles, and has no words."""
    flags = ("is_independent", "awaits_labels", "knows_chances", "trusts_scores", "fixes_margins", "has_strata")
    assert not any(getattr(TWICE, name) for name in flags)
    assert all(getattr(TWICE, name) for name in ("is_counted", "has_trials", "has_labels"))
    assert (TWICE.is_exact, TWICE.estimates_shares, TWICE.refit, TWICE.remaining) == (False, False, None, 1.0)
    assert (TWICE.method, TWICE.note, TWICE.words, TWICE.cautions) == ("", "", "", ())
    assert (TWICE.degrees_of_freedom, TWICE.unit_names, TWICE.test_sets) == (np.inf, None, (TWICE,))
    assert TWICE.small_sample(COUNTS, FORM) == (1.0, np.inf)
    assert (TWICE.unseen(COUNTS, FORM), TWICE.squares(COUNTS), TWICE.lumps(4)) == (1.0, None, None)
    assert TWICE.placement_variance(COUNTS, np.zeros(4, int), FORM) == TWICE.variance(COUNTS, FORM)
    assert TWICE.satterthwaite(COUNTS, np.zeros(4, int), FORM) == np.inf
    assert (TWICE.offers("resample"), TWICE.offers("variance"), TWICE.offers("posterior")) == (False, True, False)
    assert (TWICE.smoothed(COUNTS, FORM), TWICE.influences(COUNTS, FORM), TWICE.cells_at(0.5)) == (None, None, None)
    assert all(
        each is TWICE for each in (TWICE.apart(), TWICE.bound(COUNTS), TWICE.picked(1), *TWICE.parted(COUNTS, 2))
    )
    assert len(TWICE.parted(COUNTS, 3)) == 3
    assert all(each is FORM for each in (TWICE.tangent(COUNTS, FORM), TWICE.lifted(FORM), TWICE.spread(FORM)))
    assert all(each is COUNTS for each in (TWICE.sampled(COUNTS), TWICE.tables(COUNTS)))
    assert TWICE.weighs_alike(COUNTS > 3)
    assert dict(TWICE.exact_values) == {}
    assert TWICE.excess_skewness(COUNTS, np.ones((3, 2))).tolist() == [[0, 0]] * 3
    assert TWICE.settles(np.ones((3, 4))).tolist() == [False] * 3
    assert hs.designs.FixedMargins(np.zeros(4, int)).settles(np.ones((2, 3, 4))).tolist() == [[True] * 3] * 2
    doubled = TWICE.rescaled(np.stack([2 * COUNTS, COUNTS]), np.stack([COUNTS, 3 * COUNTS]))
    assert doubled.tolist() == [COUNTS.tolist(), (3 * COUNTS).tolist()]
    TWICE.check((4,))
    TWICE.check_sums(COUNTS)


@pytest.mark.parametrize("factor, unit", [(2.0, 2.0), (1.0, 1.0), (0.5, 1.0), (0.0, 0.0), (40.0, 20.0)])
def test_units_follow_from_the_variance(factor, unit):
    """Cases are worth the squared total over the variance; a unit is a case at least, and all of them at most."""
    design, marked = Times(factor), np.array([True, False, False, True])
    expected = 100 / (factor * 10) if factor else 0.0
    assert design.effective_trials(COUNTS, marked) == pytest.approx(expected)
    assert design.unit_size(COUNTS) == pytest.approx(unit)
    assert design.unit_size(np.stack([COUNTS, COUNTS])) == pytest.approx([unit, unit])


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("merged", (np.zeros(4, int), 1)),
        ("cut", (1, 2)),
        ("joined", ([],)),
        ("stacked", ([], 4)),
        ("merged_each", (np.zeros((2, 4), int), 1)),
        ("kept", (COUNTS > 3, np.arange(4))),
        ("by_unit", (4,)),
        ("strata", (COUNTS, FORM)),
        ("extremes", (COUNTS, FORM)),
        ("resample", (COUNTS, 3, None)),
        ("repeated", (COUNTS, 1.0, 3, None)),
        ("tilted", (COUNTS, FORM)),
        ("posterior", (COUNTS, FORM, 3, None)),
        ("left_out", (COUNTS,)),
    ],
)
def test_what_a_design_does_not_define_is_named(name, arguments):
    """Each method that is missing gives an error that names the design."""
    with pytest.raises(UndefinedDesignError, match="Times"):
        getattr(TWICE, name)(*arguments)


@pytest.mark.parametrize("row", [0, 1, 2, 3])
def test_a_table_of_scores_is_cut_at_a_row(row):
    """Cells of rows from the threshold on are predicted positive: of true class k, cell 2 k + 1."""
    squares = np.arange(1.0, 7.0)  # of three scores, the classes side by side
    found = hs.designs.Weighted(squares).cut(row, 3).weight_squared.reshape(2, 2)
    by_row = squares.reshape(3, 2)
    assert found[:, 1].tolist() == by_row[row:].sum(0).tolist()
    assert found[:, 0].tolist() == by_row[:row].sum(0).tolist()


def test_nothing_is_divided_by_nothing():
    """A quotient is 0 where the divisor is not positive, and the plain one elsewhere."""
    assert quotient(np.array([3.0, 4.0]), np.array([2.0, 8.0])).tolist() == [1.5, 0.5]
    assert quotient(np.array([3.0, 4.0, 5.0]), np.array([0.0, 8.0, -1.0])).tolist() == [0, 0.5, 0]
    assert quotient(np.array(3.0), np.array(0.0)) == 0


def test_the_text_of_a_design_has_its_settings():
    """Arrays are told by their shape and type, and long values are cut."""
    assert repr(Times(2.0)) == "Times(factor=2.0, extra=None)"
    assert repr(Times(2.0, np.zeros((3, 2)))) == "Times(factor=2.0, extra=<3 × 2 float64>)"
    assert len(repr(Times("x" * 500))) < 250
