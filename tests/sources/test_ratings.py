"""Ratings counted as tables of items by rating pattern."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import howsure as hs
from howsure.errors import DoubtfulDataError
from support.optional import optional

pl = optional("polars")

MATRIX = [["a", "a", "b"], ["b", "b", None], ["a", "a", "a"], ["b", None, "a"], ["c", "c", "c"]]
METRICS = ["percent_agreement", "fleiss_kappa", "conger_kappa", "gwet_ac1", "krippendorff_alpha"]


def values(table):
    return {name: found.value for name, found in hs.evaluate(table, METRICS, method="delta").items()}


def long():
    """Return the ratings of the matrix, one in each row, in some order."""
    rows = [(f"item {i}", f"rater {j}", said) for i, row in enumerate(MATRIX) for j, said in enumerate(row) if said]
    return pd.DataFrame(rows, columns=["item", "rater", "rating"]).sample(frac=1, random_state=0)


def test_items_are_counted_by_pattern():
    """Items with the same pattern are one cell; items without a rating are left out."""
    table = hs.ratings([["a", "b"], ["a", "b"], ["a", None], [None, None], ["b", "b"]])
    said = {tuple(row): count for row, count in zip(table.codes.tolist(), table.counts.tolist(), strict=True) if count}
    assert said == {(0, 1): 2, (0, -1): 1, (1, 1): 1}
    assert table.rows == 4
    assert repr(table) == "<RatingsTable: 4 items, 2 raters, 2 categories>"


LAYOUTS = {
    "matrix": lambda: hs.ratings(np.array(MATRIX, dtype=object)),
    "mapping": lambda: hs.ratings({name: [row[at] for row in MATRIX] for at, name in enumerate("xyz")}),
    "pandas": lambda: hs.ratings(pd.DataFrame(MATRIX)),
    "polars": lambda: hs.ratings(pl.DataFrame(MATRIX, schema=["x", "y", "z"], orient="row")),
    "columns by name": lambda: hs.ratings(
        ["x", "y", "z"], data=pl.DataFrame(MATRIX, schema=["x", "y", "z"], orient="row")
    ),
    "long frame": lambda: hs.ratings("rating", item="item", rater="rater", data=long()),
    "long lists": lambda: hs.ratings(
        long()["rating"].tolist(), item=long()["item"].tolist(), rater=long()["rater"].tolist()
    ),
    "whole numbers": lambda: hs.ratings(
        [[None if each is None else "abc".index(each) for each in row] for row in MATRIX]
    ),
    "floats": lambda: hs.ratings(
        [[np.nan if each is None else "abc".index(each) * 0.5 for each in row] for row in MATRIX]
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_has_the_same_table(layout):
    """Matrices, mappings, frames, columns by name and one rating a row, in words or numbers, give the same values."""
    assert values(LAYOUTS[layout]()) == pytest.approx(values(hs.ratings(MATRIX)))


def test_weights_and_clusters_are_of_items():
    """Where each row is a rating, an item's weight counts once, and its cluster is that of all its rows."""
    rows = long()
    number = rows["item"].str[-1].astype(int)
    given = {"item": rows["item"], "rater": rows["rater"], "sample_weight": number + 1, "groups": number // 2}
    table = hs.ratings(rows["rating"], **given)
    assert table.counts.sum() == 1 + 2 + 3 + 4 + 5
    assert table.design.number == 3
    heavier = hs.ratings([row for at, row in enumerate(MATRIX) for _ in range(at + 1)])
    assert values(table)["fleiss_kappa"] == pytest.approx(values(heavier)["fleiss_kappa"])


def test_groups_split_ratings():
    """Each group has its own items; of one rating a row also its own raters."""
    by_item = hs.ratings(MATRIX * 2, by=["x", "y", "x", "x", "x"] * 2)
    assert [by_item[key].rows for key in ("x", "y")] == [8, 2]
    rows = long()
    kind = np.where(rows["rater"] == "rater 2", "crowd", "expert")
    more = rows.assign(rater=rows["rater"] + " again", kind="crowd")
    every = pd.concat([rows.assign(kind=kind), more])
    tables = hs.ratings("rating", item="item", rater="rater", data=every, by="kind")
    assert len(tables["expert"].raters) == 2
    assert values(tables["expert"]) == pytest.approx(values(hs.ratings([row[:2] for row in MATRIX])))


def test_parts_add_up():
    """The sum of two parts has the values of all items, for any missing categories."""
    whole = hs.ratings(MATRIX[:3]) + hs.ratings(MATRIX[3:])
    assert values(whole) == pytest.approx(values(hs.ratings(MATRIX)))
    with pytest.raises(hs.HowsureError, match="of different raters"):
        hs.ratings({"x": ["a", "b"], "y": ["a", "b"]}) + hs.ratings({"x": ["a", "b"], "z": ["a", "b"]})


def test_several_sets_of_raters_are_one_table():
    """Named sets of raters on the same items have the values of each set, and a difference."""
    before, after = MATRIX, [["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"], ["c", "c"]]
    table = hs.ratings({"before": before, "after": after})
    assert values(table.model("before")) == pytest.approx(values(hs.ratings(before)))
    assert values(table.model("after")) == pytest.approx(values(hs.ratings(after, labels=["a", "b", "c"])))
    frame = pd.DataFrame(np.hstack([np.array(before, dtype=object), after]), columns=list("vwxyz"))
    named = hs.ratings({"before": ["v", "w", "x"], "after": ["y", "z"]}, data=frame)
    found = hs.compare(named, "fleiss_kappa", a="after", b="before")
    expected = values(table.model("after"))["fleiss_kappa"] - values(table.model("before"))["fleiss_kappa"]
    assert found.value == pytest.approx(expected)
    assert found.low < found.value < found.high


def test_ordered_categories_keep_their_order():
    """Ordered categories of pandas are the categories, in their order, including unused ones."""
    scale = pd.CategoricalDtype(["low", "mid", "high", "top"], ordered=True)
    columns = {
        name: pd.Series(said, dtype=scale)
        for name, said in (("x", ["high", "low", None]), ("y", ["mid", "low", "low"]))
    }
    table = hs.ratings(columns)
    assert table.labels.tolist() == ["low", "mid", "high", "top"]
    assert hs.estimate(table, "gwet_ac2").value < 1


@pytest.mark.parametrize(
    "given, words",
    [
        ({"rating": [["a"], ["b"]]}, "one rater only, 0"),
        ({"rating": [["a", None], [None, "b"]]}, "No item has two ratings"),
        ({"rating": [["a", "b"], [None, "b"]], "sample_weight": [0.0, 1.0]}, "No item with two ratings has a weight"),
        ({"rating": [[None, None]]}, "all are missing"),
        ({"rating": []}, "`rating`"),
        ({"rating": ["a", "b"]}, "To name columns of a frame or file, give `data=`"),
        ({"rating": "ab"}, "To name columns of a frame or file, give `data=`"),
        ({"rating": []}, "`rating` is empty"),
        ({"rating": {}}, "all are missing"),
        ({"rating": ["x", "y", "y"], "data": {"x": ["a"], "y": ["b"]}}, "column 'y' more than once"),
        ({"rating": pd.DataFrame([["a", "b"]], columns=["x", "x"])}, "column 'x' more than once"),
        ({"rating": {1: ["a", "b"], "1": ["b", "b"]}}, "column '1' more than once"),
        ({"rating": [["a", "b"], ["a"]]}, "`rating` is ragged"),
        ({"rating": 3}, "no table of cases × raters"),
        ({"rating": ["a", "b"], "item": [1, 1]}, "`item` and `rater` go together"),
        (
            {"rating": ["a", "b"], "item": [1, 1], "rater": ["x", "x"]},
            "rates an item more than once, such as 'x' the item 1",
        ),
        ({"rating": ["a", "b"], "item": [1, 1], "rater": ["x"]}, "differ in length"),
        ({"rating": ["a", "b"], "item": [1, 1], "rater": "xy", "groups": [1, 2]}, "not a column"),
        (
            {"rating": ["a", "b"], "item": [1, 1], "rater": ["x", "y"], "groups": [1, 2]},
            "item 1 has several values of `groups`",
        ),
        ({"rating": [["a", "b"], ["b", "b"]], "labels": ["a"]}, "no label 'b'"),
        ({"rating": [["a", "b"], ["b", "b"]], "sample_weight": [1, 2, 3]}, "differ in length"),
        ({"rating": {"only": [["a", "b"]]}}, "Give several sets of raters"),
    ],
)
def test_what_are_no_ratings_is_refused(given, words):
    """One line names the culprit and the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.ratings(**given)


def test_ratings_of_one_category_are_undefined_in_words():
    """If only one category is used, chance alone makes all agree: kappa is nan, with a reason."""
    found = hs.evaluate(hs.ratings([["yes"] * 3] * 20))
    assert np.isnan(found["fleiss_kappa"].value)
    assert "of one category" in found["fleiss_kappa"].reason
    known = hs.evaluate(hs.ratings([["yes"] * 3] * 20, labels=["no", "yes"]), ["percent_agreement", "gwet_ac1"])
    for estimate in known.values():
        assert estimate.value == estimate.high == 1
        assert 0.5 < estimate.low < 1


THREE = pd.DataFrame(
    [[1, 1, 2], [2, 2, 2], [3, 3, 3], [1, 2, 1], [2, 2, 3], [3, 3, 3], [1, 1, 1], [2, 1, 2], [3, 3, 2], [1, 1, 1]],
    columns=["ann", "bob", "cy"],
)
LINES = pd.DataFrame(
    [(item, rater, said) for item, row in enumerate(THREE.to_numpy()) for rater, said in enumerate(row)],
    columns=["item", "annotator", "label"],
)


@pytest.mark.parametrize(
    "name, column",
    [
        ("item_id", range(1, 11)),
        ("itemID", range(1001, 1011)),
        ("id", [f"doc{place}" for place in range(10)]),
        ("Question no.", range(10)),
        ("what", [f"doc{place}" for place in range(10)]),
        ("what", range(1, 11)),
        ("what", np.arange(1001.0, 1011.0)),
    ],
)
def test_a_column_that_names_the_items_is_no_rater(name, column):
    """A column with another value in each row is refused by its name, or beside repeated ratings, unless meant so."""
    frame = THREE.assign(**{name: list(column)})
    with pytest.raises(DoubtfulDataError, match=rf"`rating\['{name}'\]` has another value in each row.*Leave it out"):
        hs.ratings(frame)
    assert len(hs.ratings(frame, check=False).raters) == 4


@pytest.mark.parametrize(
    "given",
    [
        np.random.default_rng(0).normal(size=(30, 2)),  # all differ, as measurements do
        THREE.assign(model=np.linspace(0.5, 3, 10)),
        {"ann": [1, 2, 3, 4, 5, 6, 7, 8], "bob": [1, 2, 3, 4, 4, 6, 7, 7]},
        {"ann": [1, 2, 3], "bob": [2, 2, 2]},
        {"ann": ["x", "y", "z"], "judge_id": ["x", "x", "z"]},
        {"ann": [1], "item": [1]},
    ],
)
def test_ratings_that_differ_are_of_raters(given):
    """Measurements, and ratings of few items or on a fine scale, may differ in each row."""
    assert len(hs.ratings(given).raters) == np.shape(pd.DataFrame(given))[1]


def test_an_enumeration_has_its_order():
    """Polars' Enum states the order of its categories, as an ordered categorical of pandas does."""
    kind = pl.Enum(["low", "mid", "high"])
    said = {"x": ["low", "mid", "high", "low"], "y": ["low", "high", "high", "mid"]}
    found = hs.ratings(pl.DataFrame(said, schema={"x": kind, "y": kind}))
    stated = hs.ratings(said, labels=["low", "mid", "high"])
    assert hs.estimate(found, "gwet_ac2").value == hs.estimate(stated, "gwet_ac2").value


def test_parts_of_two_words_have_no_order_together():
    """Two words need no order, but the three of two tables do, and none was stated."""
    parts = [hs.ratings([[one, other], [one, one]] * 5) for one, other in (("fair", "good"), ("good", "bad"))]
    assert np.isfinite(hs.estimate(parts[0], "gwet_ac2").value)
    with pytest.raises(hs.HowsureError, match="needs the order of the categories"):
        hs.estimate(parts[0] + parts[1], "gwet_ac2")


@pytest.mark.parametrize("method", ["flow", "items_and_raters", "raters", "delta"])
def test_who_rates_nothing_changes_nothing(method):
    """A column without a rating is not a rater: values and intervals are those without it."""
    said = [["a", "a", "b"], ["b", "b", "b"], ["a", "a", "a"], ["b", "a", "b"], ["a", "b", "a"]] * 4
    metrics = [*METRICS, "brennan_prediger"]
    found, expected = (
        hs.evaluate(hs.ratings(each), metrics, method=method) for each in ([[*row, None] for row in said], said)
    )
    for name in metrics:
        limits = [(each[name].value, each[name].low, each[name].high) for each in (found, expected)]
        assert limits[0] == pytest.approx(limits[1], rel=1e-6), name


def test_several_sets_have_no_metrics_of_one():
    """For metrics of several sets of raters at once, the error of `evaluate` states how to select one set."""
    table = hs.ratings({"before": MATRIX, "after": MATRIX})
    with pytest.raises(hs.HowsureError, match="holds 2 models"):
        hs.evaluate(table)


def test_numbers_on_a_fine_scale_have_intervals_as_wide_as_numbers_vary():
    """The prior's pseudo-items of a fine scale are not outliers: limits are about Student's t times the error away."""
    rng = np.random.default_rng(0)
    said = rng.normal(size=(50, 1)) + 0.6 * rng.normal(size=(50, 3))
    found = hs.estimate(hs.ratings(said), "krippendorff_alpha+level=interval")
    assert found.high - found.low < 1.3 * 2 * stats.t.ppf(0.975, 49) * found.standard_error


@pytest.mark.parametrize("suffix", ["json", "parquet"])
def test_tables_are_saved_and_read_again(suffix, tmp_path):
    """A table of ratings, with clusters, and one of several sets give the same intervals from a file."""
    alone = hs.ratings(MATRIX * 3, groups=np.arange(15) // 2)
    several = hs.ratings({"before": MATRIX * 3, "after": [row[::-1] for row in MATRIX] * 3})
    for place, table in enumerate((alone, several)):
        again = hs.load(table.save(tmp_path / f"{place}.{suffix}"))
        one, other = (each.model("after") if place else each for each in (table, again))
        found, expected = (hs.evaluate(each, METRICS).records() for each in (other, one))
        assert found == expected


def crowd(raters, ratings, items, seed=0):
    """Return rows of items by raters, a few of whom rated each item; the others left it out."""
    rng = np.random.default_rng(seed)
    who = np.argsort(rng.random((items, raters)), 1)[:, :ratings]
    truth = rng.integers(0, 3, items)
    said = np.where(rng.random((items, ratings)) < 0.6, truth[:, None], rng.integers(0, 3, (items, ratings)))
    rows = np.full((items, raters), None, dtype=object)
    np.put_along_axis(rows, who, said.astype(object), 1)
    return rows.tolist()


@pytest.mark.parametrize(
    "metric, method",
    [
        *((metric, "flow") for metric in ("krippendorff_alpha", "fleiss_kappa", "gwet_ac1", "conger_kappa")),
        *((metric, "bayes") for metric in ("krippendorff_alpha", "gwet_ac1")),
    ],
)
def test_pseudo_items_of_a_crowd_have_as_many_ratings_as_the_median_item(metric, method):
    """Agreement of three ratings per item has the delta method's interval, for any number of raters."""
    for raters in (10, 60):
        table = hs.ratings(crowd(raters, 3, 80))
        assert set(table.tallies[table.pseudo > 0].sum(1).tolist()) == {3.0}
        found = hs.estimate(table, metric, method=method, random_state=0)
        normal = hs.estimate(table, metric, method="delta")
        width = normal.high - normal.low
        assert abs(found.low - normal.low) < 0.15 * width
        assert abs(found.high - normal.high) < 0.15 * width


def test_pseudo_items_treat_raters_alike_and_are_of_all_raters_where_these_rate_all():
    """Each rater differs alone as often as any other; one gap in a complete table changes nothing."""
    table = hs.ratings(crowd(12, 3, 40))
    alone = [(codes, share) for codes, share in zip(table.codes, table.pseudo, strict=True) if share > 0]
    by_rater = sum(share * (codes >= 0) for codes, share in alone)
    assert by_rater == pytest.approx(np.full(12, 3 / 12))
    rows = [[0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 1, 0]] * 5
    complete, gap = hs.ratings(rows), hs.ratings([*rows[:-1], [0, 0, 1, None]])
    assert set(gap.tallies[gap.pseudo > 0].sum(1)) == set(complete.tallies[complete.pseudo > 0].sum(1)) == {4.0}


def test_triples_of_rater_item_and_rating_are_refused():
    """Three columns without a common value are no ratings of three raters, as in NLTK's records of agreement."""
    triples = [(rater, item, label) for rater in ("c1", "c2") for item, label in [("1", "a"), ("2", "b"), ("3", "a")]]
    with pytest.raises(hs.HowsureError, match="item=…, rater=…"):
        hs.ratings(triples)
    rater, item, label = zip(*triples, strict=True)
    assert hs.estimate(hs.ratings(label, item=item, rater=rater), "percent_agreement").value == 1


@pytest.mark.parametrize(
    "frame, words",
    [
        (LINES, "item='item', rater='annotator'"),
        (pl.DataFrame(LINES.to_dict("list")), "item='item', rater='annotator'"),
        (LINES.rename(columns={"item": "doc_id", "annotator": "workerId"}), "item='doc_id', rater='workerId'"),
        (LINES.to_dict("list"), "item='item', rater='annotator'"),
    ],
)
def test_a_frame_of_one_rating_a_row_is_refused_by_its_names(frame, words):
    """Numbers of items and raters share values with ratings, but their columns' names say what they are."""
    with pytest.raises(DoubtfulDataError, match=rf"ratings\('label', {words}, data=frame\)"):
        hs.ratings(frame)
    found = hs.ratings("label", item="item", rater="annotator", data=LINES)
    assert values(found) == pytest.approx(values(hs.ratings(THREE)))


def turned(**names):
    return THREE.T.rename_axis(**names)


@pytest.mark.parametrize(
    "frame, words",
    [
        (turned().add_prefix("item"), "columns named as items, such as 'item0'"),
        (turned().add_prefix("Q").to_dict("list"), "columns named as items, such as 'Q0'"),
        (turned().add_prefix("doc_").rename_axis(index="coder").reset_index(), "and leave out 'coder'"),
        (turned(index="rater").iloc[:, :3], "as its axes are named"),
        (turned(columns="item").iloc[:, :3], "as its axes are named"),
        (LINES.pivot_table(index="annotator", columns="item", values="label").iloc[:, :3], "as its axes are named"),
    ],
)
def test_raters_in_rows_are_refused_by_their_names(frame, words):
    """Columns named as items, or axes named as raters × items, need a stated layout."""
    with pytest.raises(DoubtfulDataError, match=rf"`rating` has .*{words}") as caught:
        hs.ratings(frame)
    assert "Say layout='raters_by_items'" in str(caught.value)


def test_named_axes_of_items_by_raters_are_the_layout():
    """A frame pivoted to items × raters keeps the names of its axes."""
    frame = LINES.pivot_table(index="item", columns="annotator", values="label")
    expected = values(hs.ratings(THREE))
    assert values(hs.ratings(frame)) == pytest.approx(expected)
    assert values(hs.ratings(turned(index="rater", columns="item"), layout="raters_by_items")) == pytest.approx(
        expected
    )
    assert len(hs.ratings(turned().add_prefix("item"), check=False).raters) == 10


@pytest.mark.parametrize("one, other", [("Yes", "yes"), ("yes", "yes "), ("big cell", "big\u00a0cell")])
def test_categories_that_are_written_alike(one, other):
    """Two raters who agree do not disagree for a capital or a blank."""
    ratings = {"a": [one, "other"] * 9, "b": [other, "other"] * 9}
    with pytest.raises(hs.HowsureError, match="would never agree"):
        hs.ratings(ratings)
    assert hs.estimate(hs.ratings(ratings, check=False), "percent_agreement") == 0.5


@pytest.mark.parametrize("name", ["majority", "gold", "consensus_label", "Final label", "adjudicated"])
def test_a_column_made_from_the_raters(name):
    """What raters agreed on agrees with them; beside a single rater it is one to compare with."""
    ratings = {"a": [1, 2, 1, 2] * 5, "b": [1, 2, 2, 2] * 5, name: [1, 2, 1, 2] * 5}
    with pytest.raises(hs.HowsureError, match="is named as what the raters agreed on"):
        hs.ratings(ratings)
    assert hs.estimate(hs.ratings({key: ratings[key] for key in ("b", name)}), "percent_agreement") == 0.75


def test_a_word_for_a_missing_rating():
    """Other ratings of the item are kept."""
    with pytest.raises(hs.HowsureError, match="'NA' stands for a missing value. Give None for a rating"):
        hs.ratings({"a": ["x", "NA", "y"] * 5, "b": ["x", "x", "y"] * 5})
