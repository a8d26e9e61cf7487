"""The design of counts that are estimated from other counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import howsure as hs
from howsure.designs.independent import Independent
from howsure.designs.linearised import Linearised, MergedDraws, Sample
from howsure.tables.protocols import effective_sample_size

COUNTS = np.array([[50.0, 3, 2], [5, 42, 4], [1, 6, 30]])


def plain() -> hs.Table:
    """Return a table whose counts are estimated as themselves."""
    design = Linearised((Sample(COUNTS.ravel(), np.eye(9)),), COUNTS.ravel())
    return hs.tables.ConfusionTable(counts=COUNTS, labels=np.arange(3), design=design)


def test_counts_that_stand_for_themselves_behave_as_counted_ones() -> None:
    """With the identity as influence, variances, one class's table, jackknife and draws are multinomial."""
    gradient = np.random.default_rng(0).normal(size=(3, 3))
    gradient -= np.average(gradient, weights=COUNTS)
    table = plain()
    assert table.variance(gradient) == pytest.approx(Independent().variance(COUNTS.ravel(), gradient.ravel()))
    marked = np.eye(3, dtype=bool)
    assert effective_sample_size(table, marked) == pytest.approx(COUNTS.trace())
    counted = hs.from_counts(COUNTS)
    for metric in ("f1@macro", "accuracy", "mcc"):
        for method in ("delta", "bootstrap_bca", "bayes"):
            ours, theirs = (hs.estimate(each, metric, method=method, random_state=0) for each in (table, counted))
            assert ours.value == pytest.approx(theirs.value)
            assert ours.standard_error == pytest.approx(theirs.standard_error, rel=0.05), (metric, method)
    small, known = table.one_against_rest(1), counted.one_against_rest(1)
    np.testing.assert_allclose(small.counts, known.counts)
    assert hs.estimate(small, "f1", method="delta").standard_error == pytest.approx(
        hs.estimate(known, "f1", method="delta").standard_error
    )


def test_independent_samples_add_their_variances() -> None:
    """The variance of a table from two samples is the sum of their contributions."""
    gradient = np.random.default_rng(1).normal(size=(3, 3))
    one = Sample(COUNTS.ravel(), np.eye(9))
    other = Sample(np.array([20.0, 80.0]), np.random.default_rng(2).normal(size=(2, 9)))
    together = Linearised((one, other), COUNTS).variance(COUNTS.ravel(), gradient.ravel())
    assert together == pytest.approx(one.variance(gradient.ravel()) + other.variance(gradient.ravel()))
    slope = other.influence @ gradient.ravel()
    assert other.variance(gradient.ravel()) == pytest.approx(100 * 0.2 * 0.8 * (slope[0] - slope[1]) ** 2)


def test_resamples_are_never_negative_and_centre_on_the_estimate() -> None:
    """Draws are cut at zero; elsewhere their mean is the estimated table."""
    drawn = plain().design.resample(COUNTS, 20_000, np.random.default_rng(3))
    assert drawn.min() >= 0
    np.testing.assert_allclose(drawn.mean(0), COUNTS.ravel(), atol=0.2)


def test_merged_cells_share_the_prior_of_the_posterior() -> None:
    """Collapsing spreads the prior of a merged cell over its parts, and adds up the draws."""
    seen = []

    def draws(prior, size, rng):  # noqa: ARG001 - the design's signature
        seen.append(prior)
        return np.tile(np.arange(9.0), (size, 1))

    design = Linearised((Sample(COUNTS.ravel(), np.eye(9)),), COUNTS.ravel(), draws, "a note")
    member = np.array([0, 1, 0])
    small = design.collapse_cells((2 * member[:, None] + member).ravel(), 4)
    drawn = small.posterior(np.ones(4), np.array([4.0, 2, 6, 1]), 2, np.random.default_rng(0))
    np.testing.assert_allclose(seen[0], [1, 1, 1, 3, 1, 3, 1, 1, 1])
    np.testing.assert_allclose(drawn, [[0 + 2 + 6 + 8, 1 + 7, 3 + 5, 4]] * 2)
    assert small.description.estimate_caveat == "a note"


def test_the_unit_of_a_form_leaves_its_degrees_of_freedom() -> None:
    """For two means the degrees of freedom are Welch's, in any unit of the form."""
    form, counts = np.array([0.0, 1.0, 3.0, -1.0]), (np.array([4.0, 6.0]), np.array([5.0, 7.0]))
    influence = np.eye(4) / np.repeat([10.0, 12.0], 2)[:, None]
    samples = tuple(Sample(seen, each) for seen, each in zip(counts, (influence[:2], influence[2:]), strict=True))
    design = Linearised(samples, np.ones(4))
    cases = [np.repeat(form[:2], [4, 6]), np.repeat(form[2:], [5, 7])]
    squares = [each.var() / len(each) for each in cases]
    welch = sum(squares) ** 2 / sum(square**2 / (len(each) - 1) for square, each in zip(squares, cases, strict=True))
    for unit in (1.0, 1e-3, 1e3):
        assert design.satterthwaite_df(np.ones(4), np.zeros(4, int), unit * form) == pytest.approx(welch)


def test_a_table_moves_by_shares_of_observed_counts_alone() -> None:
    """Twice or a third of the observed counts move nothing; other shares move it by their change of the counts."""
    influence = np.random.default_rng(3).normal(size=(9, 9))
    sample, counts = Sample(COUNTS.ravel(), influence), COUNTS.ravel()
    other = counts[::-1]
    found = sample.deviations(np.stack([2 * counts, counts / 3, other, 4 * other]))
    moved = (other - counts) @ influence
    assert found == pytest.approx(np.stack([np.zeros(9), np.zeros(9), moved, moved]), abs=1e-9)


def test_a_form_without_variance_has_no_end_of_degrees_of_freedom() -> None:
    """Where no sample varies nothing is lost: the degrees of freedom are infinite."""
    table = hs.labels.corrected(hs.from_counts([[90, 10], [5, 45]]), sensitivity=0.95, specificity=0.97)
    assert np.isinf(table.design.satterthwaite_df(table.cells, np.array([0, 0, 1, 1]), np.zeros(4)))


FIRST = Sample(np.array([4.0, 6.0]), np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.4]]))
SECOND = Sample(
    np.array([5.0, 7.0, 8.0]),
    np.array([[0.2, 0.9, 0.1], [-0.6, 0.4, 1.1], [0.8, -0.2, 0.5]]),
    hs.designs.Weighted(np.array([10.0, 7.0, 24.0])),
)
CENTRE = np.array([30.0, 20.0, 10.0])
BOTH = Linearised((FIRST, SECOND), CENTRE, note="a note", estimates_shares=True)
FORM = np.array([0.7, -0.4, 1.3])


def moved(sample: Sample, observed: np.ndarray) -> np.ndarray:
    """Return the change of the table if these counts were observed, as shares of as many."""
    return (observed * sample.counts.sum() / observed.sum() - sample.counts) @ sample.influence


def centred(sample: Sample) -> np.ndarray:
    """Return what one more case of each observed cell adds to the form, minus the mean of all."""
    slopes = sample.influence @ FORM
    return slopes - sample.counts @ slopes / sample.counts.sum()


def test_counts_of_two_samples_have_the_effective_number_of_both() -> None:
    """The squared total over the sum of what each sample's units add, and the fewest degrees of freedom."""
    marked = np.array([1.0, 0.0, 1.0])
    squares = FIRST.counts @ (FIRST.influence @ marked) ** 2
    squares += np.array([10.0, 7.0, 24.0]) @ (SECOND.influence @ marked) ** 2
    assert BOTH.effective_sample_size(CENTRE, marked) == pytest.approx(40**2 / squares)
    assert np.isinf(BOTH.degrees_of_freedom)
    clusters = hs.confusion([0, 1, 1], [0, 1, 1], groups=[1, 2, 3])
    few = Sample(clusters.cells, np.ones((4, 3)), clusters.design)
    assert Linearised((FIRST, few), CENTRE).degrees_of_freedom == 2
    variances = [FIRST.counts @ centred(FIRST) ** 2, np.array([10.0, 7.0, 24.0]) @ centred(SECOND) ** 2]
    assert BOTH.variance(CENTRE, FORM) == pytest.approx(sum(variances))
    twice = BOTH.variance(np.stack([CENTRE] * 2), np.stack([FORM, 3 * FORM]))
    assert twice == pytest.approx([sum(variances), 9 * sum(variances)])


def test_draws_of_two_samples_move_the_table_by_both() -> None:
    """Resamples are multinomial in each sample, posterior draws Dirichlet, and pseudo-cases have the size of a case."""
    size = 30_000
    drawn = BOTH.resample(CENTRE, size, np.random.default_rng(0)) @ FORM
    weighted = np.array([10.0, 7.0, 24.0])
    expected = FIRST.counts @ centred(FIRST) ** 2 + weighted @ centred(SECOND) ** 2
    assert drawn.mean() == pytest.approx(CENTRE @ FORM, abs=5 * np.sqrt(expected / size) + 0.2)
    assert drawn.var() == pytest.approx(expected, rel=0.1)
    plain = Linearised((FIRST,), CENTRE)
    variance = FIRST.counts @ centred(FIRST) ** 2
    assert (plain.resample(CENTRE, size, np.random.default_rng(0)) @ FORM).var() == pytest.approx(variance, rel=0.05)
    posterior = plain.posterior(CENTRE, np.zeros(3), size, np.random.default_rng(1))
    assert (posterior @ FORM).var() == pytest.approx(variance * 10 / 11, rel=0.05)
    prior = np.array([0.0, 2.0, 0.5])
    with_prior = plain.posterior(CENTRE, prior, size, np.random.default_rng(1))
    worth = 60 / (60**2 / (FIRST.counts @ FIRST.influence.sum(1) ** 2))
    worth = 60 / max(60 / worth, 1)
    assert with_prior.mean(0) - posterior.mean(0) == pytest.approx(prior * worth, abs=0.03)
    empty = Linearised((FIRST,), np.array([0.01, 20.0, 10.0])).resample(CENTRE, size, np.random.default_rng(0))
    assert empty.min() == 0


def test_each_unit_of_each_sample_is_left_out() -> None:
    """The jackknife's tables are moved by one case less of each kind, of one sample at a time."""
    found = [(*table, n) for tables, many in BOTH.leave_one_out(CENTRE) for table, n in zip(tables, many, strict=True)]
    expected = [(*(CENTRE + moved(FIRST, FIRST.counts - np.eye(2)[cell])), FIRST.counts[cell]) for cell in range(2)]
    mean = np.array([2.0, 1.0, 3.0])  # weights of the second sample's cases
    expected += [
        (*(CENTRE + moved(SECOND, SECOND.counts - mean * np.eye(3)[cell])), SECOND.counts[cell] / mean[cell])
        for cell in range(3)
    ]
    assert np.array(found) == pytest.approx(np.array(expected))


def test_merged_cells_add_the_influences_on_them() -> None:
    """The merged design has the variance of the merged form, its centre and its words."""
    target = np.array([1, 0, 1])
    merged = BOTH.collapse_cells(target, 2)
    form = np.array([0.3, -1.2])
    assert merged.centre.tolist() == [20, 40]
    assert merged.variance(None, form) == pytest.approx(BOTH.variance(None, form[target]))
    assert (merged.description.estimate_caveat, merged.traits.has_estimated_prevalence, merged.draws) == (
        "a note",
        True,
        None,
    )


BAD = [
    {"centre": CENTRE[:2]},
    {"centre": np.array([1.0, np.nan, 2.0])},
    {"samples": (Sample(FIRST.counts, SECOND.influence),)},
    {"samples": (Sample(-FIRST.counts, FIRST.influence),)},
    {"samples": (Sample(FIRST.counts, FIRST.influence, SECOND.design),)},
    {"samples": ()},
    {"note": None},
    {"draws": 3},
    {"draws": MergedDraws(len, np.eye(2))},
    {"draws": MergedDraws(len, 2 * np.eye(3))},
    {"draws": MergedDraws(MergedDraws(len, np.eye(2)), np.eye(3))},
]


@pytest.mark.parametrize("change", BAD)
def test_parts_that_fit_no_table_are_refused(change: dict) -> None:
    """Samples, centre and draws must be of the cells of the table."""
    replace(BOTH, centre=-CENTRE, draws=MergedDraws(len, np.eye(3))).check((3,))
    with pytest.raises(hs.HowsureError):
        replace(BOTH, **change).check((3,))


def test_the_weights_of_a_sample_add_up_to_its_counts() -> None:
    """A sample whose design is of other counts is found."""
    atoms = np.array([0, 1]), np.array([2.0, 3.0]), np.array([2.0, 2.0])
    right = hs.designs.Weighted(np.array([8.0, 18.0]), atoms)
    Linearised((FIRST, Sample(np.array([4.0, 6.0]), FIRST.influence, right)), CENTRE).check_sums(CENTRE)
    with pytest.raises(hs.HowsureError):
        Linearised((FIRST, Sample(np.array([4.0, 7.0]), FIRST.influence, right)), CENTRE).check_sums(CENTRE)


def test_small_weights_are_shares_too() -> None:
    """Observed counts of less than one case in all move the table by their shares; none at all leave the rest."""
    found = FIRST.deviations(np.array([[0.02, 0.08], [0.0, 0.0]]))
    assert found[0] == pytest.approx(moved(FIRST, np.array([0.02, 0.08])))
    assert found[1] == pytest.approx(-FIRST.counts @ FIRST.influence)
