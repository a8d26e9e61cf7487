"""Reviews under the prior that labels are right."""

import numpy as np
import pytest

import howsure as hs

COUNTS = np.array([[420, 30], [60, 490]])
TRUTH = np.repeat([0, 1], COUNTS.sum(1))
SAID = np.repeat([0, 1, 0, 1], COUNTS.ravel())
NONE = np.full(len(TRUTH), np.nan)


@pytest.mark.parametrize("method", ["delta", "fieller", "wilson", "bayes"])
def test_without_a_review_labels_are_right(method):
    """With no case reviewed the estimates are those of the recorded table."""
    metric = "recall" if method == "wilson" else "f1"
    plain = hs.estimate(hs.from_counts(COUNTS), metric, method=method, random_state=0)
    for table in (
        hs.reviewed(COUNTS, np.zeros((2, 2, 2)), prior="recorded"),
        hs.reviewed(y_true=TRUTH, y_pred=SAID, y_reviewed=NONE, prior="recorded"),
    ):
        np.testing.assert_array_equal(table.counts, COUNTS)
        if method == "wilson":
            method = None
        found = hs.estimate(table, metric, method=method, random_state=0)
        assert (found, found.low, found.high) == pytest.approx((plain, plain.low, plain.high), abs=2e-3)
        assert "no review" in found.reason


def test_a_group_without_a_review_is_as_recorded():
    """Each group is corrected by its own reviews, and one without any is left as it was recorded."""
    reviewed = np.full(len(TRUTH), np.nan)
    reviewed[:50] = [0] * 45 + [1] * 5
    found = hs.reviewed(y_true=TRUTH, y_pred=SAID, y_reviewed=reviewed, by=TRUTH, prior="recorded")
    assert found[1].counts.tolist() == [[0, 0], [60, 490]]
    # 370 unreviewed of 420, with 5 of 51 reviews and pseudo-reviews finding a wrong record
    assert found[0].counts[1, 0] == pytest.approx(5 + 370 * 5 / 51)


@pytest.mark.parametrize("by", [{}, {"by": TRUTH}])
def test_nothing_reviewed_and_no_prior_is_refused(by):
    """Without a review and a prior the labels are unknown; the message names both remedies."""
    with pytest.raises(hs.HowsureError, match="prior='recorded'"):
        hs.reviewed(y_true=TRUTH, y_pred=SAID, y_reviewed=NONE, **by)
