"""Effective sample sizes of weighted and clustered cases."""

import numpy as np
import pytest

import howsure as hs


def test_tables_of_a_batch_are_worth_what_they_are_alone():
    """The effective size of a group is at most its number of cases, also in a batch with a group without errors."""
    truth = np.ones(26, dtype=int)
    said = np.r_[np.zeros(3, dtype=int), np.ones(23, dtype=int)]
    weight = np.r_[np.full(3, 0.01), np.linspace(0.8, 1.2, 23)]
    by = np.repeat(["some", "none"], 13)
    found = hs.estimate(hs.confusion(truth, said, sample_weight=weight, by=by, labels=[0, 1]), "recall")
    for name in ("some", "none"):
        inside = by == name
        table = hs.confusion(truth[inside], said[inside], sample_weight=weight[inside], labels=[0, 1])
        alone = hs.estimate(table, "recall")
        assert (found[name].low, found[name].high) == pytest.approx((alone.low, alone.high), rel=1e-9)
    assert found["some"].low < 0.8  # with 13 cases, for any small weight of the wrong ones
