"""Areas and average precisions of many tables are those of scikit-learn for each, compiled or not."""

import numpy as np
import pytest
from sklearn import metrics as sk

from howsure.native.drawn_areas import drawn_areas, drawn_precisions


def by_sklearn(table, function):
    """Return a metric of the cases of one table, given one by one by weight."""
    score = np.repeat(np.arange(len(table)), 2)
    return function(np.tile([0, 1], len(table)), score, sample_weight=table.ravel())


@pytest.mark.parametrize("draws", [0, 1, 3, 4, 5, 9])
@pytest.mark.parametrize("scores", [1, 2, 40])
@pytest.mark.parametrize("order", ["C", "F"])
def test_each_table_has_the_area_and_precision_of_its_cases(draws, scores, order, by_numpy):
    """Counts and weights, with ties, empty scores, and in either order of memory."""
    rng = np.random.default_rng(draws)
    tables = np.asarray(rng.poisson(1.0, (draws, scores, 2)) * rng.gamma(1, size=(draws, scores, 2)), order=order)
    tables[:, 0] += 1.0
    for ours, peer in ((drawn_areas, sk.roc_auc_score), (drawn_precisions, sk.average_precision_score)):
        expected = [by_sklearn(table, peer) for table in tables]
        for call in (lambda ask: ask(), by_numpy):
            found = call(lambda ours=ours: ours(tables))
            assert found.shape == (draws,)
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_tables_without_a_class_have_no_area(by_numpy):
    """Without negative cases the precision is 1 and the area nan; without positive ones both are nan."""
    tables = np.array([[[0.0, 2.0], [0.0, 1.0]], [[1.0, 0.0], [3.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]])
    for call in (lambda ask: ask(), by_numpy):
        np.testing.assert_array_equal(call(lambda: drawn_areas(tables)), [np.nan] * 3)
        np.testing.assert_array_equal(call(lambda: drawn_precisions(tables)), [1.0, np.nan, np.nan])
