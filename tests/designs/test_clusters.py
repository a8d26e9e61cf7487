"""Clusters of cases."""

import numpy as np
import pytest

import howsure as hs


def test_variance_along_thresholds_is_the_clusters_variance_at_each():
    """Of any form in the cases above and below a threshold: the squared sums over the clusters, times n / (n − 1)."""
    rng = np.random.default_rng(0)
    truth, score, group = rng.integers(0, 2, 50), rng.integers(0, 12, 50) / 12, rng.integers(0, 9, 50)
    table = hs.scores(truth, score, groups=group)
    thresholds = [np.inf, *table.scores[::-1]]  # from the top
    slopes = rng.normal(size=(len(thresholds), 2, 2))  # at each, of either class, below and above
    expected = []
    for threshold, slope in zip(thresholds, slopes, strict=True):
        each = slope[truth, (score >= threshold).astype(int)]
        expected.append(9 / 8 * sum(each[group == name].sum() ** 2 for name in range(9)))
    assert table.design.variance_from_top(table.counts, slopes) == pytest.approx(np.array(expected))
