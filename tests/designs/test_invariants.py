"""Invariants of a loaded design: an invalid value is named with its position."""

import numpy as np
import pytest
from scipy import sparse

import howsure as hs
from howsure.designs import invariants
from howsure.tables.confusion import ConfusionTable


@pytest.mark.parametrize(
    "values, place",
    [([0.0, 5.0, -1.0], 2), ([0.0, 7.0, 5.0, 8.0], 3), ([9.0, 0.0], 0), ([3.0, np.nan, 0.0], 1)],
)
def test_the_first_number_outside_is_named(values, place):
    """Numbers at the ends are inside: the first one beyond them is named with its position."""
    with pytest.raises(hs.HowsureError, match=rf"`x` has {values[place]} at position {place}, .* from 0 to 7"):
        invariants._within("x", np.array(values), 0.0, 7.0)


def test_numbers_at_the_ends_are_inside():
    """Nothing is refused from the lowest to the highest number, or without numbers."""
    invariants._within("x", np.array([0.0, 7.0, 3.0]), 0.0, 7.0)
    invariants._within("x", np.array([]), 0.0, 7.0)


@pytest.mark.parametrize("change", [0.0, 0.9, -0.9])
def test_sums_may_differ_by_rounding_alone(change):
    """Entries add up to the counts to the relative rounding of the largest one, from either side."""
    counts = np.array([3.0, 1000.0])
    invariants.sums("count", counts + change * invariants.EACH_SUM * np.array([1000, 0]), counts)
    with pytest.raises(hs.HowsureError, match=r"`count` adds up to 3.* in cell 0, and `counts` has 3 there"):
        invariants.sums("count", counts + 1.1 * invariants.EACH_SUM * np.array([1000, 0]), counts)


@pytest.mark.parametrize("values", [[1.0, 2.0, 2.0], [2.0, 1.0], [0.0, 3.0, 2.999]])
def test_numbers_that_do_not_ascend_are_refused(values):
    """Equal neighbours are refused as well; a single number ascends."""
    with pytest.raises(hs.HowsureError, match="`x` must ascend"):
        invariants.ascending("x", np.array(values))
    invariants.ascending("x", np.array(values[:1]))


ARRAY, TWO = np.array([1.0, 2.0]), (2,)
GOOD_AND_BAD = {  # each check: arguments that pass, and those that are refused
    "array": (
        [(ARRAY, TWO), (ARRAY, (None,)), (np.zeros((2, 3)), (None, 3)), (np.array(["a"]), (1,), invariants.ANY)],
        [
            ([1.0, 2.0], TWO),
            (ARRAY, (3,)),
            (ARRAY, (2, 1)),
            (ARRAY, ()),
            (np.array(["a", "b"]), TWO),
            (ARRAY, TWO, invariants.WHOLE),
            (np.zeros((2, 3)), (None, 2)),
            (np.array([True, False]), TWO),
        ],
    ),
    "numbers": (
        [(ARRAY, TWO), (ARRAY, TWO, 1.0, 2.0), (-ARRAY, TWO, -invariants.LARGEST)],
        [(-ARRAY, TWO), (ARRAY, TWO, 1.5), (ARRAY, TWO, 0.0, 1.5), (np.array([1, np.inf]), TWO)],
    ),
    "positions": (
        [(np.array([0, 4]), TWO, 5), (np.array([-1, 0]), TWO, 5, -1)],
        [(np.array([0, 5]), TWO, 5), (np.array([-1, 0]), TWO, 5), (np.array([0.0, 4.0]), TWO, 5)],
    ),
    "probabilities": (
        [(np.array([0.25, 0.75]), TWO), (np.array([[0.0, 1.0], [0.5, 0.5]]), (None, 2))],
        [
            *((np.array(each), TWO) for each in ([0.25, 0.7499], [0.25, 0.7501], [-0.25, 1.25], [0.25, np.nan])),
            (np.array([[0.5, 0.5]] * 20_000 + [[0.5, 0.6]]), (None, 2)),
        ],
    ),
    "number": (
        [(1,), (0.5, 0.5), (0.5, 0.0, 0.5), (np.float64(3), 2), (np.inf, 0, np.inf)],
        [(True,), ("1",), (0.5, 0.6), (0.5, 0.0, 0.4), (np.nan,), (np.inf,), (None,)],
    ),
    "limits": (
        [(None,), ((0, 0),), ((-np.inf, np.inf),), ((1, 2.5),)],
        [([0, 1],), ((0, 1, 2),), ((1,),), ((1, 0),), ((np.nan, 1),), (("a", "b"),)],
    ),
    "names": (
        [(np.array(["a", "b"]),), (np.array([1, 2]), 2)],
        [(["a"],), (np.array([]),), (np.array([["a"]]),), (np.array(["a", "a"]),), (np.array(["a"]), 2)],
    ),
    "texts": (
        [(("a", "b"),), (("a", "b"), 2)],
        [(["a"],), ((),), (("a", 1),), (("a", "a"),), (("a",), 2), (("a", "b", "c"), 2)],
    ),
    "parts": (
        [((ARRAY,), np.ndarray), ((ARRAY, ARRAY), np.ndarray, 2)],
        [([ARRAY], np.ndarray), ((), np.ndarray), ((ARRAY, 1), np.ndarray), ((ARRAY,), np.ndarray, 2)],
    ),
    "instance": ([(1, int), (1, str, int)], [(1, str), (1.0, str, int)]),
    "sparse": (
        [(np.eye(2), (2, 2)), (-sparse.csr_array(np.eye(2)), [2, 2])],
        [
            (np.eye(2), (2, 3)),
            (sparse.csr_array(np.eye(2)), (2, 3)),
            (sparse.csr_array(np.nan * np.eye(2)), (2, 2)),
            (np.nan * np.eye(2), (2, 2)),
        ],
    ),
}


@pytest.mark.parametrize("check", GOOD_AND_BAD)
def test_checks_pass_what_is_whole_and_refuse_what_is_not(check):
    """Each check names what it refuses, and lets pass what lies at the ends of the rule."""
    good, bad = GOOD_AND_BAD[check]
    for arguments in good:
        getattr(invariants, check)("x", *arguments)
    for arguments in bad:
        with pytest.raises(hs.HowsureError, match="`x`"):
            getattr(invariants, check)("x", *arguments)


def test_equal_names_are_refused_unless_they_may_be():
    """Names may be repeated where the caller says so, and are to be hashable."""
    invariants.names("x", np.array(["a", "a"]), are_distinct=False)
    mixed = np.empty(1, dtype=object)
    mixed[0] = ["a"]
    with pytest.raises(hs.HowsureError, match="texts, numbers or dates"):
        invariants.names("x", mixed)


def test_the_number_of_cases_is_one_or_that_of_each_table():
    """Rows are whole or for each table of the batch, from none to the most that can be counted."""
    for value, batch in ((5, ()), (np.array([1, 2]), (2,)), (7, (2,)), (0, ()), (invariants.MOST_CASES, ())):
        invariants.rows(value, batch)
    for value, batch in ((np.array([1, 2]), ()), (np.array([1, 2]), (3,)), (-1, ()), ("7", ()), (2**54, ())):
        with pytest.raises(hs.HowsureError, match="`rows`"):
            invariants.rows(value, batch)


def test_totals_up_to_the_most_cases_are_counted():
    """Fractional counts add up to whole numbers of cases; more than 2**53 cannot be told apart."""
    assert invariants.whole_numbers_of_cases(np.array([2.8, 2.4])).tolist() == [3, 2]
    assert invariants.whole_numbers_of_cases(np.array(2.0**53)) == 2**53
    assert invariants.whole_numbers_of_cases(np.zeros(0)).shape == (0,)
    with pytest.raises(hs.HowsureError, match="`counts` add up to"):
        invariants.whole_numbers_of_cases(np.array(2.0**53 + 4))
    batch = np.array([[[1.4, 0.0], [0.0, 1.4]], [[2.0, 0.4], [0.0, 0.0]]])
    for counts in (batch, np.asfortranarray(batch)):
        assert ConfusionTable(counts=counts, labels=np.arange(2)).rows.tolist() == [3, 2]


def test_no_cases_add_up_to_none():
    """Without a case entries add up to 0 exactly, and to nothing else."""
    invariants.sums("count", np.zeros(3), np.zeros(3))
    invariants.sums("count", np.zeros(0), np.zeros(0))
    with pytest.raises(hs.HowsureError, match="in cell 1"):
        invariants.sums("count", np.array([0.0, 1e-300, 0.0]), np.zeros(3))
