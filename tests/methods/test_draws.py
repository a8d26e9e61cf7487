"""One stream of draws serves all metrics, and depends on nothing but the seed."""

import numpy as np
import pytest

import howsure as hs

TABLE = hs.from_counts(np.random.default_rng(0).poisson(np.full((12, 12), 2.0) + 30 * np.eye(12)))
METHODS = ["bootstrap_percentile", "bayes"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cores", [1, 2, 8])
def test_draws_do_not_depend_on_the_number_of_threads(method, cores, monkeypatch):
    """With one, two or eight processors the draws are the same, bit for bit."""
    expected = hs.estimate(TABLE, "f1@macro", method=method, random_state=7).draws
    monkeypatch.setattr("howsure.running.threads.cores", lambda: cores)
    found = hs.estimate(TABLE, "f1@macro", method=method, random_state=7).draws
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("method", METHODS)
def test_draws_do_not_depend_on_other_metrics_level_or_order(method):
    """Adding a metric, changing the level or evaluating another table first changes no draw."""
    alone = hs.estimate(TABLE, "mcc", method=method, random_state=1)
    hs.estimate(hs.from_counts([[5, 1], [2, 9]]), "mcc", method=method, random_state=1)
    among = hs.evaluate(TABLE, ["accuracy", "mcc", "f1@macro"], method=method, random_state=1, confidence_level=0.8)
    assert np.array_equal(alone.draws, among["mcc"].draws)
    assert among["mcc"].low > alone.low


@pytest.mark.parametrize("method", METHODS)
def test_metrics_share_their_tables(method):
    """Draws are joint: error rate is one less accuracy on every draw, and related metrics correlate."""
    evaluation = hs.evaluate(TABLE, ["accuracy", "error_rate", "kappa"], method=method, random_state=2)
    assert np.allclose(evaluation["accuracy"].draws + evaluation["error_rate"].draws, 1)
    assert evaluation.correlations()["accuracy"]["kappa"] > 0.95
    assert evaluation.draws["kappa"] == pytest.approx(evaluation["kappa"].draws)
    assert evaluation.draws.dtype.names == ("accuracy", "error_rate", "kappa")


def test_seeds_of_every_kind_reproduce():
    """Ints, seed sequences and equal generators give equal draws; a generator advances; None is fresh."""

    def draws(seed):
        return hs.estimate(TABLE, "accuracy", method="bootstrap_percentile", random_state=seed).draws

    assert np.array_equal(draws(3), draws(np.random.SeedSequence(3)))
    assert np.array_equal(draws(np.random.default_rng(3)), draws(np.random.default_rng(3)))
    generator = np.random.default_rng(3)
    assert not np.array_equal(draws(generator), draws(generator))
    assert not np.array_equal(draws(None), draws(None))


def test_analytic_methods_have_no_draws():
    """Where the method makes no draws there are none."""
    assert hs.evaluate(TABLE, ["accuracy"]).draws is None


@pytest.mark.parametrize(
    "ask",
    [
        lambda: hs.methods.Dirichlet(n_draws=1e13),
        lambda: hs.methods.Bootstrap(n_resamples=10**13),
        lambda: hs.methods.draw_tables(hs.from_counts([[5, 1], [2, 7]]), 10**13),
        lambda: hs.Study(n_draws=10**13),
    ],
    ids=["posterior", "bootstrap", "tables", "study"],
)
def test_more_draws_than_fit_are_refused(ask):
    """A number of draws that does not fit into memory is refused at once."""
    with pytest.raises(hs.HowsureError, match="at least 1 and at most 100,000,000"):
        ask()
