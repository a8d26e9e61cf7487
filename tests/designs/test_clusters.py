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


def test_parts_answer_as_the_whole_does():
    """Of a form in the cells of one part a part's entries have the variance and the small sample of all entries."""
    rng = np.random.default_rng(0)
    table = hs.events(*rng.poisson(5, (3, 40)), unit=np.arange(40) // 2, label=np.tile(["a", "b"], 20))
    for index, part in enumerate(table.design.parted(table.truth, 2)):
        form = np.where(table.truth == index, rng.normal(size=table.counts.size), 0.0)
        expected = table.design.variance(table.counts, form), *table.design.small_sample(table.counts, form)
        found = part.variance(table.counts, form), *part.small_sample(table.counts, form)
        assert [float(each) for each in found] == pytest.approx([float(each) for each in expected])
