"""The variance of a sum over unknown labels is a plain sum, alike by the kernel and by NumPy."""

import math

import numpy as np
import pytest

from howsure.native.label_variance import label_variance


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 20_000])
@pytest.mark.parametrize("kind", ["one", "each"])
def test_each_case_adds_its_binomial_variance(size, kind, by_numpy):
    """Also of columns of other arrays: `math.fsum` gives the same."""
    rng = np.random.default_rng(size)
    chance, slopes = rng.random((size, 3))[:, 1], rng.normal(size=(size, 2))
    number = np.broadcast_to(3.0, size) if kind == "one" else rng.integers(0, 9, size).astype(float)
    rows = zip(number.tolist(), chance.tolist(), slopes.tolist(), strict=True)
    expected = math.fsum(each * share * (1 - share) * (high - low) ** 2 for each, share, (low, high) in rows)
    for call in (lambda ask: ask(), by_numpy):
        assert call(lambda: label_variance(chance, number, slopes)) == pytest.approx(expected, rel=1e-12)
