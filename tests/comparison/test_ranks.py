"""Ranks and rewards from draws."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import howsure as hs
from howsure.comparison.multiplicity import simultaneous_differences
from howsure.comparison.ranks import ranks
from support.files import rows_of


def shared_ranks(draws):
    """Rank probabilities by averaging over all strict orders that agree with the values."""
    size, number = draws.shape
    total = np.zeros((size, size))
    for column in draws.T:
        orders = [
            order
            for order in itertools.permutations(range(size))
            if all(column[a] >= column[b] for a, b in itertools.pairwise(order))
        ]
        for order in orders:
            for rank, model in enumerate(order):
                total[model, rank] += 1 / len(orders)
    return total / number


@given(hnp.arrays(float, st.tuples(st.integers(2, 5), st.integers(1, 6)), elements=st.integers(0, 3).map(float)))
def test_ties_share_ranks(values):
    """Ties are shared as if every order of the tied were equally likely; rows and columns sum to one."""
    found = ranks({str(i): row for i, row in enumerate(values)})
    np.testing.assert_allclose(found.probabilities, shared_ranks(values), atol=1e-12)
    np.testing.assert_allclose(found.probabilities.sum(0), 1, atol=1e-12)
    np.testing.assert_allclose(found.probabilities.sum(1), 1, atol=1e-12)


@given(hnp.arrays(float, st.tuples(st.integers(2, 6), st.integers(1, 9)), elements=st.floats(-1, 1)))
def test_lower_is_higher_mirrored(values):
    """Ranks where lower values win are those of the negated values."""
    named = {str(i): row for i, row in enumerate(values)}
    negated = {name: -row for name, row in named.items()}
    np.testing.assert_array_equal(ranks(named, better="lower").probabilities, ranks(negated).probabilities)


def test_the_published_competition():
    """Ten teams' expected rewards and probabilities of first place are the published ones, within Monte Carlo error."""
    rows = rows_of("competition.csv")
    tables = {
        row["team"]: hs.from_counts([[int(row["tn"]), int(row["fp"])], [int(row["fn"]), int(row["tp"])]])
        for row in rows
    }
    size = 40_000
    method = hs.methods.Dirichlet(prior=0, n_draws=size)
    draws = {
        team: hs.estimate(table, "accuracy", method=method, random_state=seed)
        for seed, (team, table) in enumerate(tables.items())
    }
    found = ranks(draws)
    rewards = found.expected_rewards([10_000, 2_000, 1_000])
    published = 10_000  # draws behind the published figures
    for row in rows:
        share = float(row["p_rank_1"])
        error = np.sqrt(max(share * (1 - share), 1e-4) * (1 / size + 1 / published))
        assert abs(found.best[row["team"]] - share) < 4 * error
        # A reward is in [0, 10,000]: its variance is at most 10,000 times its mean, minus the mean squared.
        mean = float(row["expected_reward"])
        error = np.sqrt(max(mean * (10_000 - mean), 1e4) * (1 / size + 1 / published))
        assert abs(rewards[row["team"]] - mean) < 4 * error
    assert sum(rewards.values()) == pytest.approx(13_000)


def test_likely_ranks():
    """The shortest range of ranks with at least the level, found by trying all."""
    rng = np.random.default_rng(1)
    found = ranks({name: rng.normal(mean, 1, 500) for name, mean in zip("ABCDE", (0, 0.5, 1, 3, 3.2), strict=True)})
    for name in found:
        row = found.probabilities[found.names.index(name)]
        low, high = found.likely(0.9)[name]
        assert row[low - 1 : high].sum() >= 0.9 - 1e-9
        width = high - low + 1
        shorter = [row[start : start + width - 1].sum() for start in range(len(row))]
        assert max(shorter) < 0.9


def test_undefined_draws_are_left_out():
    """A draw in which one model is undefined has no information on the others' ranks."""
    found = ranks({"A": [0.9, np.nan, 0.2], "B": [0.5, 0.9, 0.4]})
    assert found.draws == 2
    assert found.best == {"A": 0.5, "B": 0.5}


@pytest.mark.parametrize(
    "draws, words",
    [
        ({"A": [1.0, 2.0]}, "at least two models"),
        ({"A": [1.0, 2.0], "B": [1.0]}, "'A' has 2, 'B' has 1"),
        ({"A": [np.nan], "B": [1.0]}, "nothing to rank"),
        ([[1.0], [2.0]], "by name"),
        ({"A": [1.0], "B": hs.Estimate(0.5, low=0.4, high=0.6, metric="f1")}, "'B' holds no draws"),
    ],
)
def test_bad_draws_are_refused(draws, words):
    """Too few, unequal or undefined draws end with a line that names the culprit."""
    with pytest.raises(hs.HowsureError, match=words):
        ranks(draws)


def test_bad_words_are_refused():
    """Unknown names come back with the nearest known ones."""
    found = ranks({"alpha": [1.0], "beta": [2.0]})
    with pytest.raises(hs.HowsureError, match="alpha"):
        found["alhpa"]
    with pytest.raises(hs.HowsureError, match="at most 2 ranks"):
        found.expected_rewards([3, 2, 1])


def test_shown_as_tables():
    """Text, Markdown, HTML and frames contain the same probabilities."""
    pytest.importorskip("polars")
    found = ranks({"A": [0.9, 0.8], "<b>": [0.5, 0.9]})
    assert "0.500" in str(found)
    assert "<b>" not in found._repr_html_()
    frame = found.to_pandas()
    assert frame["probability"].tolist() == [0.5, 0.5, 0.5, 0.5]
    assert found.to_polars().height == 4
    assert found.to_dict() == {"A": {1: 0.5, 2: 0.5}, "<b>": {1: 0.5, 2: 0.5}}


def estimate(draws, stream=None):
    """Return an estimate by hand, with draws of this stream."""
    return hs.Estimate(float(np.mean(draws)), low=0.0, high=1.0, metric="f1", draws=draws, stream=stream)


def test_draws_of_one_stream_are_joint():
    """Estimates with equal tokens, and arrays, keep their pairing: one that is better on every draw is surely better."""
    noise = np.random.default_rng(0).normal(0.5, 0.1, 4000)
    joint = {"A": estimate(noise + 0.001, "one"), "B": estimate(noise, "one")}
    assert ranks(joint).best == {"A": 1.0, "B": 0.0}
    assert ranks({name: each.draws for name, each in joint.items()}).best == {"A": 1.0, "B": 0.0}
    assert simultaneous_differences(joint).critical >= 0
    assert (
        simultaneous_differences(joint).p_value[0, 1] != simultaneous_differences(joint).p_value[0, 1]
    )  # never differs


@pytest.mark.parametrize("streams", [(None, None), ("one", None), ("one", "two")])
def test_draws_of_several_streams_are_paired_at_random(streams):
    """Equal draws of different or unknown streams do not mean equal models: each is the best about half the time."""
    noise = np.random.default_rng(0).normal(0.5, 0.1, 10_000)
    apart = {name: estimate(noise, stream) for name, stream in zip("AB", streams, strict=True)}
    assert ranks(apart).best["A"] == pytest.approx(0.5, abs=0.025)
    found = simultaneous_differences(apart)
    assert found.high[0, 1] == pytest.approx(1.96 * 0.1 * np.sqrt(2), rel=0.05)
    assert ranks(apart).best == ranks(apart).best


def test_models_of_one_stream_stay_together_beside_others():
    """Two joint models keep their pairing where a third one is of another table."""
    noise = np.random.default_rng(0).normal(0.5, 0.1, 4000)
    found = {"A": estimate(noise + 0.001, "one"), "B": estimate(noise, "one"), "C": estimate(noise, "two")}
    assert ranks(found).best["B"] < ranks(found).best["C"]
    assert np.isnan(simultaneous_differences(found).low[0, 1])  # A and B never differ by anything else
    assert np.isfinite(simultaneous_differences(found).low[0, 2])


def test_one_seed_does_not_make_different_tables_dependent():
    """The difference between test sets drawn with one seed has the uncertainty of `compare`, also in joint draws."""
    tables = {"A": hs.from_counts([[420, 80], [90, 410]]), "B": hs.from_counts([[422, 78], [89, 411]])}
    drawn = {name: hs.estimate(table, "accuracy", method="bayes", random_state=0) for name, table in tables.items()}
    common = np.corrcoef(drawn["A"].draws, drawn["B"].draws)[0, 1]
    assert common > 0.5  # the trap: common random numbers
    expected = hs.compare(tables["A"], tables["B"], "accuracy", method="bayes", random_state=1)
    found = simultaneous_differences(drawn)["A", "B"]
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.002)
    assert ranks(drawn).best["A"] == pytest.approx(expected.probability_greater.value, abs=0.02)


def test_models_on_the_same_cases_have_one_stream():
    """All models and metrics of one evaluation are of one stream; another seed, table or method makes another."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    said = {name: np.where(rng.random(400) < share, truth, 1 - truth) for name, share in (("A", 0.8), ("B", 0.78))}

    table = hs.paired(truth, said)

    def streams(table, **settings):
        found = hs.evaluate_models(table, ["accuracy", "f1"], **settings)
        return {each.stream for one in found.values() for each in one.values()}

    first = streams(table, method="bayes", random_state=0)
    assert len(first) == 1
    assert None not in first
    assert first == streams(table, method="bayes", random_state=0)
    others = [
        streams(table, method="bayes", random_state=1),
        streams(table, method="bootstrap_percentile", random_state=0),
        streams(hs.paired(truth, {"A": said["A"], "B": truth.copy()}), method="bayes", random_state=0),
    ]
    assert all(each.isdisjoint(first) for each in others)
    assert streams(table) == {None}


def test_equal_counts_of_other_cases_are_no_joint_draws():
    """Two test sets with equal counts have equal draws from one seed, but are not treated as the same cases."""
    tables = {name: hs.from_counts([[40, 10], [8, 42]]) for name in ("north", "south")}
    drawn = {name: hs.estimate(each, "accuracy", method="bayes", random_state=0) for name, each in tables.items()}
    expected = hs.compare(*tables.values(), "accuracy", method="bayes", random_state=1)
    found = simultaneous_differences(drawn)["north", "south"]
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.01)
    assert ranks(drawn).best["north"] == pytest.approx(0.5, abs=0.05)
    assert ranks(drawn).best == ranks(drawn).best


def pickled(table):
    """Return the result of unpickling a table in another process."""
    return pickle.loads(pickle.dumps(table))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_copies_of_a_table_have_one_stream(copied):
    """Draws of a table, of its copies and of the same view of either are joint; those of another view are not."""
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 60), rng.random(60).round(1)
    table = hs.scores(truth, score)

    def stream(table):
        return hs.estimate(table, "f1", method="bayes", random_state=0).stream

    assert stream(table.at(0.5)) == stream(copied(table).at(0.5))
    assert stream(table.at(0.5)) != stream(table.at(0.55))
    pair = hs.paired(truth, {"A": (score > 0.5) * 1, "B": (score > 0.4) * 1})
    assert stream(pair.model("A")) == stream(copied(pair).model("A")) != stream(pair.model("B"))
