"""Boards that print how many answers of each model are right."""

import numpy as np
import pytest

import howsure as hs

RIGHT, ALL = {"new": 188, "old": 171, "tiny": 90}, {"new": 200, "old": 200, "tiny": 100}
ROWS = {"name": list(RIGHT), "right": list(RIGHT.values()), "every": list(ALL.values())}


def test_each_model_has_the_interval_of_its_proportion():
    tables = hs.proportions(RIGHT, ALL)
    board = hs.leaderboard(tables, "mean", random_state=0)
    for name, place in board.items():
        alone = hs.proportion(RIGHT[name], ALL[name])
        assert (place.value, place.estimate.low, place.estimate.high) == pytest.approx(
            (alone.value, alone.low, alone.high)
        )


def test_rows_and_columns_are_the_mapping():
    expected = [hs.leaderboard(hs.proportions(RIGHT, ALL), "mean", random_state=0).records()]
    given = [
        hs.proportions(ROWS["right"], ROWS["every"], model=ROWS["name"]),
        hs.proportions("right", "every", model="name", data=ROWS),
    ]
    for tables in given:
        assert [hs.leaderboard(tables, "mean", random_state=0).records()] == expected


def test_one_number_of_answers_serves_all():
    one = hs.proportions({"A": 4, "B": 0}, 5)
    other = hs.proportions("k", 5, model="m", data={"k": [4, 0], "m": ["A", "B"]})
    for each in (one, other):
        assert [float(hs.estimate(table, "mean")) for table in each.values()] == [0.8, 0.0]


@pytest.mark.parametrize(
    "k, n, settings, words",
    [
        ([1, 2], [3, 4], {}, "Name them: proportions"),
        ([1, 2], 3, {"model": ["A", "A"]}, "'A': named more than once"),
        ([1, 2], [3, 4, 5], {"model": ["A", "B"]}, "differ in length"),
        ({"A": 5, "B": 2}, 4, {}, "`k` = 5 of 'A' is beyond its `n` = 4"),
        ({"A": 0.5, "B": 2}, 4, {}, "whole number"),
        ({"A": 1}, {"B": 2}, {}, "name different models"),
        ({"A": 1}, 2, {}, "There is one model"),
        ({"A": 1, "B": 1}, 2, {"model": "m"}, "needs neither `model` nor `data`"),
        ("k", "n", {"model": "m"}, "give `data=`"),
    ],
)
def test_counts_that_are_no_board_are_refused(k, n, settings, words):
    with pytest.raises(hs.HowsureError, match=words):
        hs.proportions(k, n, **settings)


def test_counts_without_tables_lead_here():
    with pytest.raises(hs.HowsureError, match="proportions"):
        hs.leaderboard({"A": hs.proportion(4, 5), "B": hs.proportion(3, 5)}, "mean")


def test_groups_of_one_model_are_compared_pair_by_pair():
    """As `compare` does with two tables, with Holm's correction."""
    rng = np.random.default_rng(0)
    true, group = rng.integers(0, 2, 90), np.array(list("abc"))[np.arange(90) % 3]
    said = np.where(rng.random(90) < 0.8, true, 1 - true)
    tables = hs.confusion(true, said, by=group)
    found = hs.compare_all(tables, "accuracy", correction="none")
    first, _, last = tables.values()
    alone = hs.compare(first, last, "accuracy")
    pair = found["a", "c"]
    assert (pair.value, pair.low, pair.high, pair.p_value) == (alone.value, alone.low, alone.high, alone.p_value)
    assert [each.names for each in found.values()] == [("a", "b"), ("a", "c"), ("b", "c")]
    with pytest.raises(hs.HowsureError, match="leaderboard.tables, metric..differences"):
        hs.compare_all(tables, "accuracy", correction="max_t")
    with pytest.raises(hs.HowsureError, match="There is one table"):
        hs.compare_all({"A": first}, "accuracy")


def test_differences_of_tables_lead_to_those_of_the_leaderboard():
    with pytest.raises(hs.HowsureError, match="leaderboard.tables, metric..differences"):
        hs.comparison.simultaneous_differences(hs.proportions(RIGHT, ALL))
