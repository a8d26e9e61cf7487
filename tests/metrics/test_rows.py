"""Losses of whole rows of probabilities."""

import pytest

import howsure as hs


@pytest.mark.parametrize(
    "scores, worst",
    [
        ([[0.2, -0.5], [0.6, 0.7]], "-0.5"),
        ([[0.2, 0.5], [1.25, 0.7]], "1.25"),
        ([[0.2, -0.125], [1.25, 0.7]], "-0.125"),
    ],
)
def test_scores_of_labels_that_are_no_probabilities_are_refused_by_the_worst(scores, worst):
    """One below 0 is named before one above 1."""
    with pytest.raises(hs.HowsureError, match=rf"needs probabilities, and `y_score` holds {worst}\."):
        hs.brier_score_loss([[0, 1], [1, 1]], scores)


@pytest.mark.parametrize("scores", [[[0.0, 1.0], [0.6, 0.7]], [[0.2, 0.5], [0.6, 0.7]]])
def test_probabilities_of_labels_need_not_sum_to_one(scores):
    """The loss is the mean of the squared differences over cases and labels."""
    truth = [[0, 1], [1, 1]]
    pairs = [(a, b) for one, other in zip(truth, scores, strict=True) for a, b in zip(one, other, strict=True)]
    expected = sum((a - b) ** 2 for a, b in pairs) / 4
    assert hs.brier_score_loss(truth, scores).value == pytest.approx(expected)
