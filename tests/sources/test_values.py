"""Tables of values from one number per case."""

import numpy as np
import pytest

import howsure as hs

X = np.array([0.5, 0.25, 0.5, 1.0])


def test_values_are_counted():
    """Equal values are one cell; the bounds are cells, whether they occur or not."""
    table = hs.values(X)
    assert (table.values.tolist(), table.counts.tolist()) == ([0.25, 0.5, 1.0], [1, 2, 1])
    table = hs.values(X, bounds=(0, 1))
    assert (table.values.tolist(), table.counts.tolist()) == ([0.0, 0.25, 0.5, 1.0], [0, 1, 2, 1])
    assert table.rows == 4


def test_truth_values_are_bounded():
    """Booleans have the bounds 0 and 1 by default; numbers have no bounds."""
    assert hs.values([True, True]).bounds == (0, 1)
    assert hs.values(np.array([True, False])).bounds == (0, 1)
    assert hs.values([1, 0]).bounds is None


def test_bounds_may_be_open():
    """Times have no largest value: limits stay above 0, and ratios of means have a meaning."""
    seconds = np.random.default_rng(0).lognormal(size=30)
    both = hs.values({"a": seconds, "b": 2 * seconds}, bounds=(0, np.inf))
    found = hs.compare(both, "mean", contrast="ratio")
    assert found.value == pytest.approx(0.5)
    assert hs.estimate(both.model("a"), "mean", confidence_level=1 - 1e-9).low >= 0
    with pytest.raises(hs.HowsureError, match="ratio has no meaning"):
        hs.compare(hs.values({"a": seconds, "b": 2 * seconds}), "mean", contrast="ratio")


def test_columns_come_from_data():
    """Numbers, weights, clusters and groups may be named columns."""
    data = {"score": X, "weight": [1, 2, 3, 4], "who": ["a", "a", "b", "b"], "part": [0, 0, 0, 1]}
    tables = hs.values("score", data=data, sample_weight="weight", groups="who", by="part")
    assert tables[0].counts.tolist() == [2, 4]
    assert tables.overall.counts.tolist() == [2, 4, 4]
    assert tables.overall.design.number == 2


def test_models_are_counted_jointly():
    """Several models on the same cases are one table, of which each model's follows."""
    other = X[::-1]
    both = hs.values({"a": X, "b": other}, bounds=(0, 1))
    for name, own in (("a", X), ("b", other)):
        alone = hs.values(own, bounds=(0, 1))
        assert both.model(name).counts.tolist() == alone.counts.tolist()
        one, two = hs.estimate(both.model(name), "mean"), hs.estimate(alone, "mean")
        assert (one.low, one.high) == pytest.approx((two.low, two.high))
    named = hs.values(["a", "b"], data={"a": X, "b": other}, bounds=(0, 1))
    assert named.counts.tolist() == both.counts.tolist()
    assert both.priors.shares.sum() == pytest.approx(1)


def test_evaluating_models_at_once_reads_the_values_of_each():
    """Also with joint draws, each model has its own values."""
    models = hs.values({"a": X, "b": X + 1, "c": 2 * X})
    found = hs.evaluate_models(models, "mean", method="bootstrap", random_state=0)
    means = [each["mean"].value for each in found.values()]
    assert means == pytest.approx([X.mean(), X.mean() + 1, 2 * X.mean()])
    assert found["b"]["mean"].low >= 1.25


@pytest.mark.parametrize(
    "given, more, words",
    [
        ([], {}, "is empty"),
        ([1e308, -1.0], {}, "another unit"),
        ([1e-200, 0.0], {}, "another unit"),
        ([1.0, np.nan], {}, "1 missing or infinite values .first at row 1."),
        (["a", "b"], {}, "`score` is not numeric: it holds 'a' at row 0"),
        (["pass", "fail", "pass"], {}, "`score` is not numeric: it holds 'pass' at row 0"),
        (["1,850", "1,900"], {}, "`score` is not numeric: it holds '1,850' at row 0"),
        (["A"], {"data": {"A": [1, 2]}}, "Give several models"),
        ([[1, 2], [3, 4]], {}, "it is one number per case"),
        ([0.5, 2.0], {"bounds": (0, 1)}, "holds 2, outside the bounds 0 and 1"),
        ([0.5, 0.2], {"bounds": (1, 0)}, "`bounds` are the smallest and the largest"),
        ([0.5, 0.2], {"groups": [1]}, "differ in length: `score` has 2, `groups` has 1"),
        ([0.5, 0.2], {"sample_weight": [1, 2, 3]}, "`sample_weight` has 3"),
        ({"a": [1, 2], "b": [1]}, {}, "differ in length"),
        ({"a": [1, 2]}, {}, "Give several models"),
        ("score", {"data": {"scores": [1]}}, "Did you mean 'scores'"),
    ],
)
def test_what_is_no_column_of_numbers_is_refused(given, more, words):
    """One line names the culprit and the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.values(given, **more)


@pytest.mark.parametrize("missing", [None, np.nan])
@pytest.mark.parametrize("by_column", [False, True])
def test_cases_that_a_model_lacks_are_refused_or_dropped_from_columns_too(missing, by_column):
    """The other columns of these cases are dropped, too."""
    data = {
        "A": [1, 0, missing, 1, 0, 1],
        "B": [1, 1, 0, 1, 0, missing],
        "site": list("xxyyzz"),
        "worth": [2, 1, 1, 1, 1, 3],
    }
    score = ["A", "B"] if by_column else {name: data[name] for name in "AB"}
    beside = {"groups": "site", "sample_weight": "worth"}
    given = {"data": data, **beside} if by_column else {role: data[name] for role, name in beside.items()}
    with pytest.raises(
        hs.HowsureError, match="2 of 6 cases lack a model's number .*row 2 of `score.'A'.`.*incomplete='drop'"
    ):
        hs.values(score, **given)
    found = hs.values(score, incomplete="drop", **given)
    alone = hs.values(
        {"A": [1, 0, 1, 0], "B": [1, 1, 1, 0]}, groups=list("xxyz"), sample_weight=[2, 1, 1, 1], bounds=None
    )
    one, other = (hs.compare(each, "mean") for each in (found, alone))
    assert (one.value, one.low, one.high) == (other.value, other.low, other.high)


def test_no_case_that_all_models_have_is_refused():
    with pytest.raises(hs.HowsureError, match="No case has the numbers of all 2 models"):
        hs.values({"A": [1, None], "B": [None, 1]}, incomplete="drop")


@pytest.mark.parametrize("texts", [["0,85", "0,90", "0,70"], ["0.85", "0.90", "0.70"], ("0,85", "0,90", "0,70")])
def test_a_list_of_numbers_in_text_is_one_column(texts):
    """Without data texts name no columns: they are the numbers, as in an array or a series."""
    assert hs.values(texts).values.tolist() == hs.values(np.array(texts)).values.tolist() == [0.7, 0.85, 0.9]


def test_columns_may_have_numbers_for_names():
    """With data a list of texts names the models' columns."""
    assert hs.values(["1", "2"], data={"1": [0.5, 1], "2": [0.1, 0.4]}).models == ["1", "2"]


def test_percentages_of_one_model_and_shares_of_another():
    """The one in percent would be the better by far; seconds and hundreds of them are another matter."""
    share = np.linspace(0.2, 0.9, 20)
    with pytest.raises(hs.HowsureError, match="percentages and shares, it seems. Divide the percentages by 100"):
        hs.values({"a": share, "b": 100 * share[::-1]})
    assert hs.compare(hs.values({"a": share, "b": 100 * share}, check=False), "mean").value < -50
    for other in (share * 5, share * 20, share * 2000, -100 * share):
        hs.values({"a": share, "b": other})
