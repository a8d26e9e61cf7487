"""Draws use memory by block: the matrix of all weights of all draws, whose size is below, is never stored."""

import tracemalloc

import numpy as np
import pytest

import howsure as hs
from howsure.designs.clusters import Clusters
from howsure.methods.core.draws import seed_sequence, values_of_draws
from howsure.metrics.binding import resolve

UNITS, DRAWS = 10_000, 2_000
ALL_AT_ONCE = UNITS * DRAWS * 8 / 2**20  # 153 MB of weights
BOUND = 100  # MB


def rows(kind):
    """Return labels, predictions, scores and the roles of three cases of each unit, or of one case."""
    rng = np.random.default_rng(0)
    size = UNITS * (3 if kind == "groups" else 1)
    truth = rng.integers(0, 3, size)
    said = np.where(rng.random((2, size)) < 0.8, truth, rng.integers(0, 3, (2, size)))
    roles = {"groups": np.arange(size) % UNITS} if kind == "groups" else {"sample_weight": rng.gamma(2, size=size)}
    return truth, said, truth + rng.normal(size=size), {} if kind == "cases" else roles


def confusion(kind):
    """Return counts of predictions."""
    truth, said, _, roles = rows(kind)
    return hs.confusion(truth, said[0], **roles), "f1@macro"


def weighted_groups(kind):
    """Return clusters no two of which have the same table."""
    truth, said, score, roles = rows(kind)
    return hs.confusion(truth, said[0], sample_weight=np.exp(score), **roles), "accuracy"


def multilabel(kind):
    """Return several labels of each case, each of which is a cluster."""
    truth, said, _, roles = rows(kind)
    indicators = [np.stack([each == label for label in range(3)], 1) for each in (truth, said[0])]
    return hs.confusion(*indicators, **roles), "f1@macro"


def paired(kind):
    """Return two models on the same cases."""
    truth, said, _, roles = rows(kind)
    return hs.paired(truth, {"a": said[0], "b": said[1]}, **roles), "accuracy"


def ratings(kind):
    """Return three raters of each item."""
    truth, said, _, roles = rows(kind)
    return hs.ratings(np.stack([truth, *said], 1), **roles), "fleiss_kappa"


def scores(kind):
    """Return scores, one per case."""
    truth, _, score, roles = rows(kind)
    return hs.scores(truth == 1, score, **roles), "roc_auc"


def values(kind):
    """Return a number of each case."""
    _, _, score, roles = rows(kind)
    return hs.values(score, **roles), "mean"


SOME = [
    *((make, kind) for make in (confusion, paired) for kind in ("cases", "groups")),
    (weighted_groups, "groups"),
    *((multilabel, kind) for kind in ("cases", "groups")),
    (ratings, "groups"),
]
OTHERS = [(make, kind) for make in (scores, values) for kind in ("cases", "groups", "weights")]
OTHERS += [(make, "weights") for make in (confusion, paired)]
PATHS = [  # of which some are ordinary, by the one method or the other
    pytest.param(*path, method, marks=() if path in SOME and place % 2 == turn else pytest.mark.thorough)
    for place, path in enumerate(SOME + OTHERS)
    for turn, method in enumerate((hs.methods.Bootstrap("percentile", DRAWS), hs.methods.Dirichlet(n_draws=DRAWS)))
]


@pytest.mark.parametrize("make, kind, method", PATHS)
def test_draws_of_many_units_take_the_memory_of_a_block(make, kind, method):
    """For any kind of units, 10,000 of them need less than 100 MB for 2,000 draws."""
    table, spec = make(kind)
    found = {}

    def ask(asked):
        if table.data_kinds == ("predictions",) and hasattr(table, "models"):
            found["comparison"] = hs.compare(table, spec, method=asked, random_state=0)
        else:
            found["estimate"] = hs.estimate(table, spec, method=asked, random_state=0)

    if method.unsupported_reason(resolve(spec, table.model("a") if hasattr(table, "models") else table), table):
        pytest.skip("the table has no such draws")
    ask(
        type(method)(n_resamples=39) if isinstance(method, hs.methods.Bootstrap) else hs.methods.Dirichlet(n_draws=3)
    )  # imports
    tracemalloc.start()
    ask(method)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    assert np.isfinite(next(iter(found.values())).low)
    assert peak < BOUND < ALL_AT_ONCE, peak


@pytest.mark.parametrize("draw", [Clusters.resample, Clusters.posterior])
@pytest.mark.parametrize("weighted", [False, True])
def test_draws_of_clusters_do_not_depend_on_the_blocks_that_hold_their_weights(draw, weighted, monkeypatch):
    """With ten weights in memory at once, or all, the tables are equal, for equal and for distinct clusters."""
    rng = np.random.default_rng(1)
    truth, said = rng.integers(0, 2, (2, 300))
    roles = {"sample_weight": rng.gamma(2, size=300)} if weighted else {}
    table = hs.confusion(truth, said, groups=np.arange(300) // 3, **roles)
    drawn = []
    for block in (10, 2**20):
        monkeypatch.setattr("howsure.designs.clusters.BLOCK_CELLS", block)
        prior = () if draw is Clusters.resample else (table.priors.default.ravel(),)
        drawn.append(draw(table.design, table.cells, *prior, 50, np.random.default_rng(2)))
    assert np.allclose(*drawn, rtol=1e-12)


def test_draws_do_not_depend_on_the_number_of_threads(monkeypatch):
    """One thread and three draw the same tables of clusters."""
    table, spec = weighted_groups("groups")
    metric, method = resolve(spec, table), hs.methods.Bootstrap("percentile", 40)
    seen = []
    for threads in (1, 3):
        monkeypatch.setattr("howsure.running.threads.cores", lambda threads=threads: threads)
        monkeypatch.setattr("howsure.tables.protocols.BLOCK_CELLS", 90)
        seen.append(values_of_draws([metric], table, method.drawer(table), 40, seed_sequence(0)))
    assert (seen[0] == seen[1]).all()
