"""Isotonic regression of shares, of many tables at once."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from howsure.errors import HowsureError
from howsure.native.isotonic import rising_shares


def some(rng, scores):
    """Return which scores have cases, at least the first."""
    return (rng.random((20, scores, 1)) < 0.3) | (np.arange(scores) == 0)[:, None]


KINDS = {
    "weights": lambda rng, scores: rng.gamma(0.5, size=(20, scores, 2)),
    "few cases": lambda rng, scores: rng.poisson(1.0, (20, scores, 2)) + some(rng, scores),
    "rising": lambda rng, scores: rng.gamma(
        np.stack([np.ones(scores), np.arange(scores) + 1.0], 1), size=(20, scores, 2)
    ),
    "falling": lambda rng, scores: np.stack([np.arange(scores) + 1.0, scores - np.arange(scores)], 1)[None],
    "gaps": lambda rng, scores: rng.gamma(1.0, size=(20, scores, 2)) * some(rng, scores),
    "all alike": lambda rng, scores: np.full((2, scores, 2), 0.1),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scores", [1, 2, 3, 70, 513])
def test_shares_are_those_of_isotonic_regression(kind, scores, by_numpy):
    """For weights, few cases, ties and gaps the shares are scikit-learn's, bitwise equal compiled and with NumPy."""
    counts = KINDS[kind](np.random.default_rng(scores), scores)
    found = rising_shares(counts)
    np.testing.assert_array_equal(found, by_numpy(lambda: rising_shares(counts)))
    for shares, own in zip(found, counts, strict=True):
        mass = own.sum(1)
        filled = np.flatnonzero(mass > 0)
        model = IsotonicRegression().fit(filled, own[filled, 1] / mass[filled], sample_weight=mass[filled])
        np.testing.assert_allclose(shares[filled], model.predict(filled), rtol=1e-9)
        assert (np.diff(shares) >= 0).all()


def test_shares_carry_on_over_scores_without_weight(by_numpy):
    """A score that no case has takes its neighbour's share, and changes no other, compiled and by NumPy."""
    counts = np.array([[0.0, 0.0], [3.0, 1.0], [0.0, 0.0], [1.0, 3.0]])
    for call in (lambda ask: ask(), by_numpy):
        assert call(lambda: rising_shares(counts)).tolist() == [0.25, 0.25, 0.25, 0.75]


@pytest.mark.usefixtures("compiled")
def test_shares_of_nothing_are_refused():
    """A table without weight has no shares, and the compiled kernel refuses it."""
    with pytest.raises(HowsureError, match="rising_shares"):
        rising_shares(np.zeros((2, 3, 2)))
