"""Times the paths that every user takes. `make bench` runs them."""

import numpy as np
import pytest

import howsure as hs

FOUR = ["accuracy", "f1@macro", "mcc", "kappa"]


def table_of(classes, cases, seed=0):
    rng = np.random.default_rng(seed)
    shares = np.full((classes, classes), 0.2 / (classes * (classes - 1)))
    np.fill_diagonal(shares, 0.8 / classes)
    return hs.from_counts(rng.multinomial(cases, shares.ravel()).reshape(classes, classes))


@pytest.mark.parametrize("classes", [2, 10, 1000])
def bench_four_metrics(benchmark, classes):
    table = table_of(classes, 100_000)
    found = benchmark(hs.evaluate, table, FOUR)
    assert len(found) == len(FOUR)


@pytest.mark.parametrize("classes", [2, 10])
@pytest.mark.parametrize("method", ["bootstrap_percentile", "bayes"])
def bench_ten_thousand_draws_of_four_metrics(benchmark, classes, method):
    table = table_of(classes, 100_000)
    found = benchmark(hs.evaluate, table, FOUR, method=method, random_state=0)
    assert len(found) == len(FOUR)
