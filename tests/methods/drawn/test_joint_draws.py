"""Draws of several models' tables from draws of the cases."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.drawn import joint_draws
from howsure.metrics.binding import resolve


@pytest.mark.parametrize("dense", [True, False])
def test_tables_of_all_models_are_sums_of_the_weights_of_their_cases(dense, monkeypatch):
    """The dense and the sparse layout add each case's weight to one cell of each model's table."""
    rng = np.random.default_rng(4)
    truth, said = rng.integers(0, 3, 40), rng.integers(0, 3, (3, 40))
    table = hs.paired(truth, dict(zip("ABC", said, strict=True)), labels=[0, 1, 2], check=False)
    monkeypatch.setattr(joint_draws, "DENSE_CLASSES", 99 if dense else 0)
    filled = np.flatnonzero(table.cells > 0)
    adding = joint_draws._Adding.of(table, filled, np.float64)
    assert (adding.sparse is None) == dense
    weights = rng.random((5, len(filled)))
    expected = np.zeros((5, 3, 3, 3))
    for place, cell in enumerate(filled):
        true, *others = table.codes[cell]
        for model, each in enumerate(others):
            expected[:, model, true, each] += weights[:, place]
    assert adding.tables(weights) == pytest.approx(expected)


@pytest.mark.parametrize("size, cells, width", [(3, 40, 2), (3, 41, 2), (1, 500, 1), (2, 7, 5), (4, 1, 3)])
@pytest.mark.parametrize("most", [1, 60, 2**18])
def test_a_product_in_parts_is_the_product(size, cells, width, most, monkeypatch):
    """However small the parts, and whatever is left at the end."""
    rng = np.random.default_rng(cells)
    weights, matrix = rng.random((size, cells)), rng.random((cells, width))
    monkeypatch.setattr(joint_draws, "UNTHREADED", most)
    monkeypatch.setattr(joint_draws, "STACKED", 4)
    np.testing.assert_allclose(joint_draws._product(weights, matrix), weights @ matrix, rtol=1e-12)


def test_weights_of_cases_are_poissons_to_the_precision_of_a_byte():
    """Each number has its chance to about 1/256, mean and variance are 1, and cases are independent."""
    weights = joint_draws.poisson_weights(2000, 501, np.random.default_rng(3))
    assert weights.shape == (2000, 501)
    shares = np.array([94, 95, 46, 16, 4, 1]) / 256
    assert np.abs(shares[:4] - stats.poisson(1).pmf(np.arange(4))).max() < 0.005
    error = np.sqrt(shares * (1 - shares) / weights.size)
    assert (np.abs(np.bincount(weights.astype(int).ravel()) / weights.size - shares) < 3.5 * error).all()
    assert weights.mean() == pytest.approx(1, abs=3 / np.sqrt(weights.size))
    assert weights.var() == pytest.approx(1, abs=0.01)
    together = np.corrcoef(weights[:, [0, 1, 7, 8, 63, 64, 500]].T)
    assert np.abs(together - np.eye(7)).max() < 4.5 / np.sqrt(2000)


@pytest.mark.parametrize("kind", ["many cells", "few cells", "posterior", "scores"])
def test_draws_of_models_have_the_moments_of_their_metrics(kind):
    """Accuracies vary as in samples of the cases, with the covariance of who is right where."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 150)
    hard = rng.random(150) < 0.4
    said = [np.where(rng.random(150) < np.where(hard, 0.5, share), truth, 1 - truth) for share in (0.95, 0.9, 0.85)]
    if kind == "scores":
        scores = [np.where(each == 1, 0.9, 0.1) for each in said]
        table = hs.paired_scores(truth, dict(zip("ABC", scores, strict=True)))
        metric = resolve("brier_score", table.model("A"))
        values = np.array([(score - truth) ** 2 for score in scores])
    else:
        if kind == "many cells":  # as many classes as make most cells rare
            truth, said = truth * 9 + np.arange(150) % 9, [each * 9 + np.arange(150) % 9 for each in said]
        labels = range(18) if kind == "many cells" else [0, 1]
        table = hs.paired(truth, dict(zip("ABC", said, strict=True)), labels=labels, check=False)
        metric = resolve("accuracy", table.model("A"))
        values = np.array(said) == truth
    method = hs.methods.Dirichlet(n_draws=4000) if kind == "posterior" else hs.methods.Bootstrap(n_resamples=4000)
    ((draws),) = joint_draws.draws_of_models([metric], table, method, 5)
    assert draws.shape == (3, 4000)
    expected = np.cov(values) / 150
    assert draws.mean(1) == pytest.approx(values.mean(1), abs=0.03 if kind == "posterior" else 0.004)
    assert np.cov(draws) == pytest.approx(expected, abs=0.15 * expected.max())
    again = joint_draws.draws_of_models([metric, metric], table, method, 5)
    assert (again == draws).all()
