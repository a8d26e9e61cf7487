"""Groups are in the order that their names mean."""

import numpy as np
import pytest

import howsure as hs

pandas = pytest.importorskip("pandas")
TRUTH, SAID = np.tile([1, 0], 6), np.tile([1, 0, 1, 1], 3)


def makers():
    """Return functions that make tables of groups, by kind."""
    return {
        "confusion": lambda by: hs.confusion(TRUTH, SAID, by=by),
        "paired": lambda by: hs.paired(TRUTH, {"A": SAID, "B": SAID[::-1]}, by=by),
        "values": lambda by: hs.values(SAID * 1.0, by=by),
        "scores": lambda by: hs.scores(TRUTH, SAID + np.arange(12) / 20, by=by),
        "frame": lambda by: hs.confusion("t", "s", data=pandas.DataFrame({"t": TRUTH, "s": SAID, "g": by}), by="g"),
    }


@pytest.mark.parametrize("way", makers())
@pytest.mark.parametrize(
    "names",
    [
        ["week 2", "week 9", "week 10"],
        ["2024-1-31", "2024-2-1", "2024-10-1"],
        ["0.25–0.5", "0.5–0.75", "0.75–1"],
        ["run", "run 007", "run 10"],
        ["1.10", "1.9", "2.0"],  # decimals
    ],
)
def test_text_is_ordered_by_the_whole_numbers_in_it(way, names):
    """Week 10 comes after week 9, and digits after a point are decimals."""
    by = np.repeat(names[::-1], 4)
    assert list(makers()[way](by)) == names


@pytest.mark.parametrize("way", makers())
def test_ordered_categories_are_in_their_order(way):
    """Months that are ordered categories stay in order, and the classes are sorted as without them."""
    names = ["Jan", "Feb", "Mar"]
    by = pandas.Series(pandas.Categorical(np.repeat(names[::-1], 4), categories=names, ordered=True))
    assert list(makers()[way](by)) == names


def test_the_order_of_groups_is_not_that_of_classes():
    """Classes that are text are sorted, where the groups are ordered categories of which they are none."""
    by = pandas.Series(pandas.Categorical(["x", "y"] * 2, categories=["y", "x"], ordered=True))
    table = hs.confusion(["c", "c", "b", "b"], ["b", "a", "a", "c"], by=by)
    assert list(table) == ["y", "x"]
    assert table.overall.labels.tolist() == ["a", "b", "c"]


def test_several_columns_are_each_in_order():
    """Each of several columns has its own order, and mixed types are ordered by type and text."""
    by = {"site": ["b", "a"] * 6, "week": np.repeat(["week 10", "week 9"], 6)}
    expected = [(site, week) for site in "ab" for week in ("week 9", "week 10")]
    assert list(hs.confusion(TRUTH, SAID, by=by)) == expected
    mixed = np.array(["week 2", 3] * 6, dtype=object)
    assert list(hs.confusion(TRUTH, SAID, by=mixed)) == [3, "week 2"]
