"""Functions of scores in the drop-in for scikit-learn."""

import numpy as np
import pytest
import sklearn.metrics

import howsure as hs
from howsure.metrics.spec import parse


@pytest.mark.parametrize("seed", range(20))
def test_top_k_counts_tied_scores_as_scikit_learn_does(seed):
    """Scores of few values, repeated rows and weights: the value equals scikit-learn's."""
    rng = np.random.default_rng(seed)
    classes, k = int(rng.integers(3, 9)), int(rng.integers(1, 3))
    true, score = rng.integers(0, classes, 50), rng.integers(0, 3, (50, classes)).astype(float)
    weight = rng.random(50) if seed % 2 else None
    found = hs.top_k_accuracy_score(true, score, k=k, labels=range(classes), sample_weight=weight)
    expected = sklearn.metrics.top_k_accuracy_score(true, score, k=k, labels=range(classes), sample_weight=weight)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert parse(found.metric) == parse(f"top_{k}_accuracy")
