"""One stream of draws serves all metrics, and depends on nothing but the seed."""

import numpy as np
import pytest

import howsure as hs
from howsure.methods.core.draws import (
    child_seed,
    collapsed_for,
    drawn_blocks,
    group_seed,
    in_order,
    stream_at,
    stream_of,
    values_of_draws,
)
from howsure.metrics.binding import resolve

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
    with pytest.raises(hs.HowsureError, match=r"at least \d+ and at most 100,000,000"):
        ask()


@pytest.mark.parametrize("codes", [[7, 2, 7, 0], [0], [3, 3, 3], [5, 4, 3, 2, 1, 0], [0, 2, 1, 2, 9, 0]])
def test_codes_are_numbered_in_the_order_in_which_they_occur(codes):
    """Equal codes stay equal, and each new one has the next number."""
    found, seen = in_order(np.array(codes)), list(dict.fromkeys(codes))
    assert found.tolist() == [seen.index(each) for each in codes]


def test_seeds_of_groups_and_tables_are_apart():
    """A group's seed follows from the key alone, whatever NumPy calls its type, and is no other's; tables have theirs."""
    keys = ["a", "b", 1, 2, ("a", 1), ("a", 2), ("a",)]
    seeds = {repr(key): group_seed(7, key) for key in keys}
    assert len({each.spawn_key for each in seeds.values()}) == len(keys)
    assert all(each.entropy == 7 for each in seeds.values())
    assert group_seed(7, np.int64(1)).spawn_key == seeds["1"].spawn_key
    assert group_seed(7, ("a", np.int32(2))).spawn_key == seeds["('a', 2)"].spawn_key
    assert group_seed(8, "a").spawn_key == seeds["'a'"].spawn_key
    parent = np.random.SeedSequence(3, spawn_key=(4,))
    assert child_seed(parent, 5, 6).spawn_key == (4, 5, 6)
    assert child_seed(parent, 5).generate_state(2).tolist() != parent.generate_state(2).tolist()
    assert stream_at(None, 3) is None
    assert [stream_at(7, index).spawn_key for index in (0, 5)] == [(2**22,), (2**22 + 5,)]


def test_tokens_of_streams_are_equal_for_the_same_draws_alone():
    """Another seed, table, design, or setting of the method has another token."""
    method, seed = hs.methods.Bootstrap(n_resamples=50), np.random.SeedSequence(1)
    other = hs.from_counts(np.asarray(TABLE.counts + np.eye(12)).astype(int))
    token = stream_of(method, TABLE, seed)
    assert token == stream_of(hs.methods.Bootstrap(n_resamples=50), TABLE, np.random.SeedSequence(1))
    others = [
        stream_of(method, TABLE, np.random.SeedSequence(2)),
        stream_of(method, TABLE, child_seed(seed, 0)),
        stream_of(method, other, seed),
        stream_of(method, TABLE.with_design(hs.designs.FixedMargins()), seed),
        stream_of(hs.methods.Bootstrap(n_resamples=51), TABLE, seed),
        stream_of(hs.methods.Bootstrap("basic", n_resamples=50), TABLE, seed),
        stream_of(hs.methods.Dirichlet(n_draws=50), TABLE, seed),
    ]
    truth = np.arange(40) % 2
    clusters = [hs.confusion(truth, np.arange(40) % 3 % 2, groups=np.arange(40) // size) for size in (2, 4)]
    others += [stream_of(method, each, seed) for each in clusters]
    assert len({token, *others}) == 1 + len(others)


@pytest.mark.parametrize("size, step", [(10, 4), (8, 4), (3, 5), (1, 1)])
def test_blocks_have_a_stream_each(size, step):
    """Draws are in blocks of equal size, the last one shorter, of the children of the seed in their order."""
    seed, found = np.random.SeedSequence(6), np.full(size, np.nan)

    def fill(rows, stream):
        assert 0 < rows.stop - rows.start <= step
        found[rows] = stream.random(rows.stop - rows.start)

    drawn_blocks(fill, size, step, seed)
    expected = [
        np.random.Generator(np.random.PCG64(np.random.SeedSequence(6, spawn_key=(number,)))).random(step)
        for number in range(-(-size // step))
    ]
    assert found.tolist() == np.concatenate(expected)[:size].tolist()


def test_metrics_are_evaluated_on_each_drawn_table():
    """Each column is of one table that the method drew, in the order of the blocks."""
    drawn = []

    def draw(size, stream):
        drawn.append(stream.multinomial(100, np.full(144, 1 / 144), size) * 1.0)
        return drawn[-1]

    metrics = [resolve("accuracy", TABLE), resolve("error_rate", TABLE)]
    found = values_of_draws(metrics, TABLE, draw, 30, np.random.SeedSequence(0))
    tables = np.concatenate(drawn).reshape(30, 12, 12)
    accuracy = np.trace(tables, axis1=1, axis2=2) / 100
    assert np.sort(found[0]) == pytest.approx(np.sort(accuracy))
    assert found.sum(0) == pytest.approx(np.ones(30))


def test_cells_that_no_metric_tells_apart_are_put_together():
    """For accuracy two sums are enough; with a metric that uses each cell, or cells kept apart, none are."""
    accuracy, kappa = resolve("accuracy", TABLE), resolve("mcc", TABLE)
    apart = np.zeros(144, dtype=int)
    small = collapsed_for(TABLE, [accuracy], apart)
    assert sorted(small.cells.ravel()) == sorted([np.trace(TABLE.counts), TABLE.counts.sum() - np.trace(TABLE.counts)])
    assert collapsed_for(TABLE, [accuracy, kappa], apart) is TABLE
    assert collapsed_for(TABLE, [accuracy], np.arange(144)) is TABLE
    assert collapsed_for(TABLE, [accuracy], None) is TABLE
    assert collapsed_for(TABLE, [], apart) is TABLE
    halves = collapsed_for(TABLE, [accuracy], np.arange(144) % 2)
    assert halves.cells.size == 4
    assert halves.cells.sum() == TABLE.counts.sum()
    quarter = collapsed_for(
        TABLE, [accuracy], np.arange(144) // 2
    )  # codes of 72 cells, and twelve hits apart from an error each
    assert quarter is TABLE
