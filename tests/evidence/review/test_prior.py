"""What a prior says of records that were not reviewed."""

import numpy as np
import pytest
from scipy import stats

from howsure.evidence.review.prior import (
    OTHER,
    OTHER_WHERE_WRONG,
    PREDICTED,
    RIGHT,
    STRENGTHS,
    WRONG_WHERE_NOT,
    _agreed,
    _not_agreed,
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
