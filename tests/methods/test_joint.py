"""Draws of several models' tables from draws of the cases."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods import joint


@pytest.mark.parametrize("dense", [True, False])
def test_tables_of_all_models_are_sums_of_the_weights_of_their_cases(dense, monkeypatch):
    """The dense and the sparse layout add each case's weight to one cell of each model's table."""
    rng = np.random.default_rng(4)
    truth, said = rng.integers(0, 3, 40), rng.integers(0, 3, (3, 40))
    table = hs.paired(truth, dict(zip("ABC", said, strict=True)), labels=[0, 1, 2], check=False)
    monkeypatch.setattr(joint, "DENSE_CLASSES", 99 if dense else 0)
    filled = np.flatnonzero(table.cells > 0)
    adding = joint._Adding.of(table, filled, np.float64)
    assert (adding.sparse is None) == dense
    weights = rng.random((5, len(filled)))
    expected = np.zeros((5, 3, 3, 3))
    for place, cell in enumerate(filled):
        true, *others = table.codes[cell]
        for model, each in enumerate(others):
            expected[:, model, true, each] += weights[:, place]
    assert adding.tables(weights) == pytest.approx(expected)
