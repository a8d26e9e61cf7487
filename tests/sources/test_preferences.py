"""Battles of two models at a time, counted by pair and outcome."""

import numpy as np
import pandas as pd
import pytest

import howsure as hs
from howsure.errors import HowsureError

A, B = ["x", "y", "x", "z", "y"], ["y", "x", "z", "x", "z"]
WINNER = ["x", "x", "tie", "x", "z"]


def by_pair(table):
    """Return wins of the first, of the second, and ties, by pair of names."""
    names = table.models
    return {
        (names[i], names[j]): counts.tolist()
        for (i, j), counts in zip(table.codes.tolist(), table.counts.reshape(-1, 3), strict=True)
    }


def test_counts_by_pair_and_outcome():
    """Battles of a pair are counted together, whichever model is named first."""
    table = hs.preferences(A, B, WINNER)
    assert table.models == ["x", "y", "z"]
    assert by_pair(table) == {("x", "y"): [2, 0, 0], ("x", "z"): [1, 0, 1], ("y", "z"): [0, 1, 0]}
    assert table.rows == 5


@pytest.mark.parametrize(
    "winner",
    [
        ["model_a", "model_b", "tie", "model_b", "model_b"],
        ["a", "b", "draw", "b", "b"],
        ["a", "b", "tie (bothbad)", "b", "b"],
        [1, 0, 0.5, 0, 0],
    ],
)
def test_words_and_numbers_for_the_winner(winner):
    """An arena's words, and the first model's score, are equivalent to names."""
    assert by_pair(hs.preferences(A, B, winner)) == by_pair(hs.preferences(A, B, WINNER))


def test_names_come_before_words():
    """A model that is called like a word is that model, if the caller skips the check."""
    table = hs.preferences(["b", "b"], ["a", "a"], ["a", "b"], check=False)
    assert by_pair(table) == {("a", "b"): [1, 1, 0]}


def test_frame_weights_groups_and_parts():
    """Columns of a frame, weights, clusters and groups work as elsewhere."""
    data = pd.DataFrame({"left": A, "right": B, "won": WINNER, "w": [1, 2, 1, 1, 3], "prompt": list("ppqqq")})
    table = hs.preferences("left", "right", "won", data=data, sample_weight="w")
    assert by_pair(table)["x", "y"] == [3, 0, 0]
    assert type(table.design).__name__ == "Weighted"
    clustered = hs.preferences("left", "right", "won", data=data, groups="prompt")
    assert clustered.design.number == 2
    parts = hs.preferences("left", "right", "won", data=data, by="prompt")
    assert parts["p"].rows == 2
    assert by_pair(parts["p"]) == {("x", "y"): [2, 0, 0], ("x", "z"): [0, 0, 0], ("y", "z"): [0, 0, 0]}
    assert by_pair(parts.overall) == by_pair(hs.preferences(A, B, WINNER))


def test_parts_add_up(tmp_path):
    """Tables of parts add up to that of all battles, also where the parts have other models; and are saved whole."""
    whole = hs.preferences(A, B, WINNER)
    parts = [hs.preferences(A[some], B[some], WINNER[some]) for some in (slice(0, 2), slice(2, 4), slice(4, 5))]
    assert by_pair(sum(parts)) == by_pair(whole)
    again = hs.load(whole.save(tmp_path / "table.json"))
    assert by_pair(again) == by_pair(whole)
    assert again.model("x").names == ("x", "y", "z")


def test_order_of_names_in_a_part_does_not_matter():
    """A pair whose models are in another order in a part has the same wins."""
    first = hs.preferences(["y"], ["z"], ["z"])
    other = hs.preferences(["x", "z"], ["z", "y"], ["x", "y"])
    assert by_pair(first + other) == {("x", "z"): [1, 0, 0], ("y", "z"): [1, 1, 0]}


@pytest.mark.parametrize(
    "given, words",
    [
        ((["x"], ["x"], ["x"]), "with itself"),
        ((["x"], ["y"], ["z"]), "is 'z' at row 0, a battle of 'x' and 'y'"),
        ((["x", "z"], ["y", "y"], ["z", "z"]), "is 'z' at row 0"),
        ((["x"], ["y", "z"], ["x"]), "length"),
        (([], [], []), "empty"),
        ((["x", "y"], ["y", "x"], ["x", None]), "missing"),
    ],
)
def test_refusals_name_the_battle(given, words):
    """Invalid battles are refused, with their row."""
    with pytest.raises(HowsureError, match=words):
        hs.preferences(*given)


def test_a_table_of_battles_says_what_it_holds():
    """Metrics of other tables are refused, with the table to make, and a view is labelled with its model."""
    table = hs.preferences(A, B, WINNER)
    with pytest.raises(HowsureError, match="preferences"):
        hs.estimate(hs.confusion([1, 0], [1, 0]), "bradley_terry")
    with pytest.raises(HowsureError, match="metric of predictions"):
        hs.estimate(table.model("x"), "accuracy")
    assert "seen from 'x'" in repr(table.model("x"))
    assert np.isclose(hs.estimate(table.model("y"), "win_rate").value, 0)


@pytest.mark.parametrize(
    "first, second, tie",
    [
        ("left", "right", "tie"),
        ("first", "second", "draw"),
        ("model_1", "model_2", "equal"),
        ("1", "2", "0.5"),
        (1, 2, 0.5),
        ("Left", "Right", "TIE"),
    ],
    ids=["sides", "order", "models", "texts", "numbers", "capitals"],
)
def test_sides_name_the_winner(first, second, tie):
    """The two sides of a battle are known by the words of common files."""
    a, b = ["x", "y", "x", "y"], ["y", "x", "y", "x"]
    by_name = hs.preferences(a, b, ["x", "y", "y", "tie"])
    by_side = hs.preferences(a, b, [first, first, second, tie])
    assert by_side.counts.tolist() == by_name.counts.tolist()


def test_unknown_words_are_refused_with_the_known_ones():
    """The message lists the known words; 0 together with 2 is ambiguous."""
    with pytest.raises(hs.HowsureError, match=r"'up' at row 0.*known words: .*model_a.*left.*right"):
        hs.preferences(["A"], ["B"], ["up"])
    with pytest.raises(hs.HowsureError, match="numbers="):
        hs.preferences(["A"] * 3, ["B"] * 3, [0, 1, 2])


@pytest.mark.parametrize("winner", [[1, -1, 0], [1.0, -1.0, 1.0], ["1", "-1", "tie"]])
@pytest.mark.parametrize("numbers", [None, "score", "index"])
def test_a_winner_of_minus_one_is_to_be_named(winner, numbers):
    """The numbers 1, -1 and 0 are neither a score nor an index; the message has the names to give."""
    with pytest.raises(hs.HowsureError, match="holds -1, .*1: 'model_a', -1: 'model_b', 0: 'tie'"):
        hs.preferences(["A"] * 3, ["B"] * 3, winner, numbers=numbers)
    named = [{1: "model_a", -1: "model_b", 0: "tie"}[each] for each in (1, -1, 0)]
    assert hs.preferences(["A"] * 3, ["B"] * 3, named).rows == 3


def test_models_may_be_numbered():
    """Where 0, 1 and 2 are the models, a winner is one of them by name."""
    table = hs.preferences([0, 1, 2], [1, 2, 0], [0, 2, "tie"])
    assert table.model("0").counts.tolist() == [1, 0, 0, 0, 0, 1, 0, 1, 0]


@pytest.mark.parametrize(
    "first, second, winner",
    [
        (["A", "B"] * 3, ["B", "A"] * 3, ["A", "B"] * 3),
        (["A", "B", "C"] * 3, ["B", "A", "A"] * 3, ["A", "A", "B"] * 3),
        ([1, 2, 3] * 3, [2, 3, 1] * 3, [1, 2, 1] * 3),
    ],
)
def test_names_that_are_also_words_for_places_are_refused(first, second, winner):
    """A winner A may be the model of this name, or the first one, if these disagree in some battle."""
    with pytest.raises(hs.HowsureError, match="names of models, and also words for the first and the second"):
        hs.preferences(first, second, winner)


@pytest.mark.parametrize(
    "first, second, winner, counts",
    [
        (["A", "A"], ["B", "B"], ["A", "B"], [1, 1, 0]),  # both readings agree
        (["A", "B"], ["B", "A"], ["a", "b"], [2, 0, 0]),  # no name of a model
        (["A", "B", "C"], ["C", "A", "B"], ["C", "A", "B"], [1, 0, 0, 0, 1, 0, 1, 0, 0]),  # C is no word for a place
    ],
)
def test_winners_that_can_be_read_in_one_way(first, second, winner, counts):
    """Names in one order, words in other letters, and a third winner leave no doubt."""
    assert hs.preferences(first, second, winner).counts.tolist() == counts


def test_verdicts_of_a_judge_speak_of_the_sides():
    """The letters of "A>B" are the first and the second answer; models named so make them ambiguous."""
    winners = ["[[A>B]]", "A>>B", "[[B>A]]", "B>>A", "A=B"]
    table = hs.preferences(["x", "y", "x", "x", "y"], ["y", "x", "y", "y", "x"], winners)
    expected = hs.preferences(["x", "y", "x", "x", "y"], ["y", "x", "y", "y", "x"], ["x", "y", "y", "y", "tie"])
    assert table.counts.tolist() == expected.counts.tolist()
    letters = hs.preferences(["x", "y", "x"], ["y", "x", "y"], ["[[A]]", "[[B]]", "[[C]]"])  # as in MT-Bench
    assert (
        letters.counts.tolist() == hs.preferences(["x", "y", "x"], ["y", "x", "y"], ["x", "x", "tie"]).counts.tolist()
    )
    for verdict in ("A>B", "[[A]]"):
        with pytest.raises(hs.HowsureError, match="a battle of 'B' and 'A'"):
            hs.preferences(["B"], ["A"], [verdict])


def test_blanks_and_ends_of_lines_around_a_winner_mean_nothing():
    """Answers of judges end in line feeds."""
    table = hs.preferences(["x", "y", "x"], ["y", "x", "y"], ["model_a\n", "\tmodel_a", " tie\r\n"])
    assert table.counts.tolist() == hs.preferences(["x", "y", "x"], ["y", "x", "y"], ["x", "y", "tie"]).counts.tolist()


@pytest.mark.parametrize("winner", ["winner_model_a", "winner_model_b"])
@pytest.mark.parametrize("numbers", [None, "score", "index"])
def test_a_column_of_wins_beside_one_of_ties(winner, numbers, tmp_path):
    """Where ties have a column of their own, 0 is a loss or a tie; both columns together state each outcome."""
    frame = pd.DataFrame({"a": ["x", "y", "x", "y"] * 5, "b": ["y", "x", "y", "x"] * 5})
    outcome = np.array([0, 1, 2, 2] * 5)
    named = {
        f"winner_{name}": (outcome == place).astype(int) for place, name in enumerate(("model_a", "model_b", "tie"))
    }
    frame, path = frame.assign(**named), tmp_path / "battles.csv"
    frame.to_csv(path, index=False)
    for data in (frame, path, frame.to_dict("list")):
        with pytest.raises(
            hs.HowsureError, match="ties are in 'winner_tie'. Make one column of both: 1 where the first"
        ):
            hs.preferences("a", "b", winner, data=data, numbers=numbers)
    both = frame["winner_model_a"] + frame["winner_tie"] / 2
    table = hs.preferences("a", "b", "both", data=frame.assign(both=both))
    assert hs.estimate(table.model("x"), "win_rate") == pytest.approx((10 + 0.5 * 10) / 20)


def test_names_of_winners_beside_ties_are_no_column_of_wins():
    """Names of winners state every outcome but ties, whatever the other columns are called."""
    frame = pd.DataFrame(
        {"a": ["x", "y"] * 3, "b": ["y", "x"] * 3, "winner_name": ["x", "x", "y"] * 2, "winner_tie": 0}
    )
    assert hs.preferences("a", "b", "winner_name", data=frame).rows == 6
