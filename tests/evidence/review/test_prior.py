"""What a prior says of records that were not reviewed."""

import numpy as np
import pytest

from howsure.evidence.review.prior import (
    OTHER,
    OTHER_WHERE_WRONG,
    PREDICTED,
    RIGHT,
    STRENGTHS,
    WRONG_WHERE_NOT,
    _agreed,
    _not_agreed,
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
