"""Priors of records that were not reviewed."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.imperfect_labels.review.prior import (
    OTHER,
    OTHER_WHERE_WRONG,
    PREDICTED,
    RIGHT,
    STRENGTHS,
    WRONG_WHERE_AGREED,
    WRONG_WHERE_NOT,
    _agreed,
    _not_agreed,
    fixed_cells,
    pooled_cells,
)


def share(shape):
    """Mean of a Beta distribution."""
    return shape[0] / sum(shape)


@pytest.mark.parametrize("size", [2, 3, 4, 7])
def test_pseudo_reviews_of_a_cell_add_up_to_the_strength(size):
    """Whatever the number of classes, those of all labels together are the strength, and the wrong ones Beta shares."""
    points, weights = _not_agreed(size)
    others = (size - 2) * points[:, OTHER]
    total = points[:, RIGHT] + points[:, PREDICTED] + others
    assert weights.sum() == pytest.approx(1)
    assert np.unique(np.round(total, 9)) == pytest.approx(STRENGTHS)
    wrong = 1 - points[:, RIGHT] / total
    assert weights @ wrong == pytest.approx(share(WRONG_WHERE_NOT), abs=0.01)
    if size > 2:
        assert weights @ (others / (total * wrong)) == pytest.approx(share(OTHER_WHERE_WRONG), abs=0.01)

    points, weights = _agreed(size)
    total = points[:, RIGHT] + (size - 1) * points[:, OTHER]
    assert weights.sum() == pytest.approx(1)
    assert np.unique(np.round(total, 9)) == pytest.approx(STRENGTHS)


def test_points_are_weighted_by_the_likelihood_of_the_reviews():
    """Each point counts as much as its Dirichlet-multinomial distribution finds the reviews of the cells likely."""
    counts = np.array(
        [[50, 10], [10, 50]]
    )  # of equally frequent classes, as reviewed too, so that no label is likelier for its class
    reviews = np.zeros((2, 2, 2))  # recorded, predicted, corrected
    reviews[0, 1], reviews[1, 0] = (3, 2), (2, 3)
    points, _ = _not_agreed(2)
    expected = [stats.dirichlet_multinomial.pmf([3, 2], [right, predicted], 5) ** 2 for right, predicted, _ in points]
    _, cells = pooled_cells(counts, reviews)
    assert len(cells.weights) == len(points)
    assert cells.weights == pytest.approx(np.array(expected) / np.sum(expected), rel=1e-9)


COUNTS = np.array([[60, 9, 4], [5, 40, 12], [7, 3, 30]])


def some_reviews(seed=0):
    """Return reviews of some cases of each cell, recorded × predicted × corrected, and how many of each are corrected."""
    rng = np.random.default_rng(seed)
    number = np.minimum(COUNTS, rng.integers(2, 7, COUNTS.shape))
    right = np.eye(3)[:, None, :] * 0.6 + np.eye(3)[None] * 0.3 + 0.1 / 3
    return rng.multinomial(number, right) * 1.0


def groups():
    """Return groups of cells: with pseudo-reviews of their own, and with pooled ones of several points."""
    reviews = some_reviews()
    fixed = np.random.default_rng(1).uniform(0.1, 0.7, reviews.shape)
    return [*fixed_cells(COUNTS, reviews, fixed), *pooled_cells(COUNTS, reviews)]


def by_point(cells):
    """Return the pseudo-reviews of each point, cell and label; of each cell they add up to the point's strength."""
    found = []
    for point in cells.shared:
        rows = point[cells.role] * cells.tilt
        strength = point[cells.role[0]].sum()
        found.append(rows * (strength / np.where(rows.sum(1) > 0, rows.sum(1), 1.0))[:, None] + cells.fixed)
    return np.array(found)


@pytest.mark.parametrize("group", range(3))
def test_what_points_say_is_averaged_over_them(group):
    """Pseudo-reviews, shares and expected cases are weighted means over the points."""
    cells = groups()[group]
    pseudo = by_point(cells)
    known = pseudo + cells.reviews
    assert len(cells.weights) == (1 if group == 0 else len(cells.shared)) >= 1
    assert cells.evidence == pytest.approx(known.sum(-1))
    assert cells.pseudo_reviews == pytest.approx(np.tensordot(cells.weights, pseudo, 1))
    shares = np.tensordot(cells.weights, known / known.sum(-1, keepdims=True), 1)
    assert cells.shares == pytest.approx(shares)
    assert cells.expected == pytest.approx(cells.reviews + (cells.recorded - cells.reviews.sum(1))[:, None] * shares)
    evidence = cells.weights @ known.sum(-1)
    assert cells.weight[:, 0] == pytest.approx([max(n / k, 1) for n, k in zip(cells.recorded, evidence, strict=True)])


@pytest.mark.parametrize("group", range(3))
def test_unreviewed_cases_vary_as_their_draws_do(group):
    """Mean and variance of drawn corrections equal the closed forms, for the total and for each cell."""
    cells, form = groups()[group], np.random.default_rng(2).normal(size=9)
    drawn = cells.imputed(60_000, np.random.default_rng(3)).reshape(60_000, -1, 3)
    assert (drawn.sum(-1) == cells.recorded).all()
    assert drawn.mean(0) == pytest.approx(cells.expected, abs=0.15)
    sums = (drawn * form[cells.destination]).sum(-1)
    assert sums.var(0) == pytest.approx(cells.cell_variances(form), rel=0.05)
    assert sums.sum(1).var() == pytest.approx(cells.imputation_variance(form), rel=0.05)


@pytest.mark.parametrize("group", range(3))
def test_reviews_that_are_repeated_vary_with_their_pseudo_reviews(group):
    """The repeated reviews, plus the rounded-up number of pseudo-reviews, correct the other cases."""
    cells = groups()[group]
    number, shares = cells.reviews.sum(1), cells.shares
    drawn = cells.repeated(np.broadcast_to(cells.recorded, (20_000, len(number))), np.random.default_rng(4))
    drawn = drawn.reshape(20_000, -1, 3)
    more = np.ceil(cells.pseudo_reviews.sum(1))
    part = (cells.recorded - number) / (number + more)
    expected = number * (1 + part) ** 2 + more * part**2
    assert drawn.sum(-1) == pytest.approx(np.broadcast_to(cells.recorded, drawn.shape[:2]))
    assert drawn.mean(0) == pytest.approx(cells.recorded[:, None] * shares, abs=0.15)
    assert drawn.var(0) == pytest.approx(expected[:, None] * shares * (1 - shares), rel=0.06, abs=1e-3)


def test_cases_that_are_left_out_change_what_their_cell_expects():
    """Leaving out an unreviewed case removes its shares; leaving out a review also changes the shares of others."""
    for cells in groups():
        blocks = list(cells.left_out())
        assert len(blocks) == len(cells.recorded)
        for place, (flat, number) in enumerate(blocks):
            changes = flat.reshape(len(number), -1, 3)
            others = np.delete(np.arange(len(blocks)), place)
            assert not changes[:, others].any()
            reviews, pseudo = cells.reviews[place], cells.pseudo_reviews[place]
            unreviewed = cells.recorded[place] - reviews.sum()
            expected, weights = [], []
            if unreviewed:
                expected.append(cells.shares[place])
                weights.append(unreviewed)
            for label in range(3):
                if reviews[label]:
                    left = reviews - np.eye(3)[label]
                    share = (left + pseudo) / (left + pseudo).sum()
                    expected.append(cells.expected[place] - left - unreviewed * share)
                    weights.append(reviews[label])
            assert changes[:, place] == pytest.approx(np.array(expected))
            assert number.tolist() == weights


def test_the_priors_of_errors_have_their_means():
    """Beta(1/4, 1) has mean 1/5: records are seldom wrong where the prediction agrees, and wrong ones seldom both."""
    assert share(OTHER_WHERE_WRONG) == pytest.approx(1 / 5)
    assert share(WRONG_WHERE_AGREED) == pytest.approx(1 / 5)
    assert share(WRONG_WHERE_NOT) == pytest.approx(1 / 2)


def test_a_single_case_without_a_review_lacks_evidence():
    """Without a review and a pseudo-review a cell of one case lacks evidence; an empty or reviewed one does not."""
    counts, reviews = np.array([[1, 3], [0, 2]]), np.zeros((2, 2, 2))
    reviews[1, 1, 1] = 2
    prior = np.zeros((2, 2, 2))
    prior[0, 1, 0] = 0.5
    (cells,) = fixed_cells(counts, reviews, prior)
    assert cells.index.tolist() == [0, 1, 3]
    assert cells.lacks_evidence.tolist() == [True, False, False]


def test_no_more_cases_are_reviewed_than_recorded():
    """As many reviews as cases are right, and one more is refused."""
    for cells in groups():
        cells.check(9)
        full = replace(cells, recorded=cells.reviews.sum(1))
        full.check(9)
        with pytest.raises(hs.HowsureError, match="more cases than"):
            replace(full, recorded=full.recorded - np.eye(len(full.recorded))[0]).check(9)


@pytest.mark.parametrize("group", [1, 2])
def test_points_of_unequal_classes_are_weighted_by_their_likelihood(group):
    """Where classes are not equally frequent the reviews' likelihood is of the tilted pseudo-reviews of each point."""
    cells = groups()[group]
    number = cells.reviews.sum(1)
    chances = np.array(
        [
            np.prod(
                [
                    stats.dirichlet_multinomial.pmf(seen[alpha > 0], alpha[alpha > 0], int(n))
                    for seen, alpha, n in zip(cells.reviews, pseudo, number, strict=True)
                ]
            )
            for pseudo in by_point(cells)
        ]
    )
    assert cells.weights == pytest.approx(chances / chances.sum(), rel=1e-6)
    assert np.ptp(cells.tilt) > 0.1
