"""Errors of predicted numbers: equal to scikit-learn's, with weights, clusters and several models."""

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score, root_mean_squared_error

import howsure as hs
from howsure.metrics.binding import resolve

RNG = np.random.default_rng(5)
TRUE = RNG.normal(3, 2, 60).round(1)
MODELS = {name: (TRUE + RNG.normal(shift, 1, 60)).round(1) for name, shift in (("A", 0.0), ("B", 0.4))}
WEIGHT = RNG.gamma(2, 0.5, 60)
PEERS = {
    "mae": mean_absolute_error,
    "mse": mean_squared_error,
    "rmse": root_mean_squared_error,
    "r2": r2_score,
}


@pytest.mark.parametrize("metric", PEERS)
def test_values_equal_scikit_learns(metric):
    """With and without weights, and for each of several models."""
    peer = PEERS[metric]
    assert hs.estimate(hs.values(MODELS["A"], truth=TRUE), metric).value == pytest.approx(
        peer(TRUE, MODELS["A"]), abs=1e-10
    )
    weighted = hs.values("A", truth="true", data={**MODELS, "true": TRUE, "w": WEIGHT}, sample_weight="w")
    expected = peer(TRUE, MODELS["A"], sample_weight=WEIGHT)
    assert hs.estimate(weighted, metric).value == pytest.approx(expected, abs=1e-10)
    both = hs.values(MODELS, truth=TRUE)
    found = hs.compare(both, metric)
    assert found.value == pytest.approx(peer(TRUE, MODELS["A"]) - peer(TRUE, MODELS["B"]), abs=1e-10)


def jackknife(statistic, parts):
    """Return the standard error of a statistic of rows by leaving out each of several parts of them in turn."""
    left = np.array([statistic(np.flatnonzero(parts != each)) for each in np.unique(parts)])
    return np.sqrt((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum())


@pytest.mark.thorough
@pytest.mark.parametrize("metric", PEERS)
@pytest.mark.parametrize("size", [1, 3])
def test_standard_errors_are_close_to_the_jackknifes(metric, size):
    """The delta method's are, of cases and of clusters, of one model and of the difference of two."""
    true = RNG.normal(size=900)
    models = {name: true + RNG.normal(shift, 0.7, 900) for name, shift in (("A", 0.0), ("B", 0.1))}
    parts = np.arange(900) // size
    groups = {} if size == 1 else {"groups": parts}
    peer = PEERS[metric]
    one = hs.estimate(hs.values(models["A"], truth=true, **groups), metric).standard_error
    assert one == pytest.approx(jackknife(lambda rows: peer(true[rows], models["A"][rows]), parts), rel=0.02)
    difference = hs.compare(hs.values(models, truth=true, **groups), metric).standard_error
    expected = jackknife(lambda rows: peer(true[rows], models["A"][rows]) - peer(true[rows], models["B"][rows]), parts)
    assert difference == pytest.approx(expected, rel=0.02)


def test_a_table_of_errors_holds_their_values():
    """Its mean is the bias, and its quantiles those of the errors; the mean absolute error of a model is a mean."""
    table = hs.values(MODELS["B"], truth=TRUE)
    assert hs.estimate(table, "mean").value == pytest.approx((MODELS["B"] - TRUE).mean(), abs=1e-12)
    assert hs.estimate(table, "median").value == pytest.approx(np.median(MODELS["B"] - TRUE), abs=1e-12)
    by_hand = hs.estimate(hs.values(np.abs(MODELS["B"] - TRUE)), "mean")
    found = hs.estimate(table, "mae")
    assert (found.low, found.high) == pytest.approx((by_hand.low, by_hand.high))


def test_bounds_are_those_of_the_numbers():
    """An error is at most as large as the range; truth and prediction outside it are refused."""
    table = hs.values([0.2, 0.9, 0.4], truth=[0.0, 1.0, 0.5], bounds=(0, 1))
    assert table.bounds == (-1, 1)
    assert resolve("mse", table).range == (0, 1)
    exact = hs.estimate(hs.values([0.0, 1.0, 0.5] * 5, truth=[0.0, 1.0, 0.5] * 5, bounds=(0, 1)), "mae")
    assert exact.low == 0
    assert exact.high == pytest.approx(1.96**2 / (15 + 1.96**2), abs=1e-4)  # Wilson's limit of 0 among 15
    with pytest.raises(hs.HowsureError, match="`truth` holds 1.5, outside the bounds"):
        hs.values([0.2, 0.9], truth=[0.0, 1.5], bounds=(0, 1))


def test_what_is_undefined_says_so():
    """Without variance of the true values there is no share of it."""
    found = hs.estimate(hs.values([0.2, 0.9, 0.4], truth=[1.0, 1.0, 1.0]), "r2")
    assert np.isnan(found.value)
    assert "denominator" in found.reason


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: hs.estimate(hs.values([1.0, 2.0]), "r2"), "Make a table of errors: `values\\(prediction, truth=…\\)`"),
        (lambda: hs.estimate(hs.values([1.0, 2.0], truth=[1.0, 3.0]), "f1"), "metric of predictions"),
        (lambda: hs.values([1.0, 2.0], truth=[1.0]), "differ in length: `score` has 2, `truth` has 1"),
        (lambda: hs.values([1.0, 2.0], truth=[1.0, np.nan]), "`truth` has 1 missing"),
        (lambda: hs.values("a", truth="b", data={"a": [1.0]}), "no column 'b'"),
    ],
)
def test_refusals(call, said):
    """Errors name the column and the remedy."""
    with pytest.raises(hs.HowsureError, match=said):
        call()


def test_files_give_the_same_numbers(tmp_path):
    """Truth and predictions are read from a file by name."""
    path = tmp_path / "a.csv"
    path.write_text("A,true\n" + "\n".join(f"{a},{t}" for a, t in zip(MODELS["A"], TRUE, strict=True)))
    found = hs.estimate(hs.values("A", truth="true", data=str(path)), "r2")
    assert found.value == pytest.approx(r2_score(TRUE, MODELS["A"]), abs=1e-10)


def test_groups_and_parts(tmp_path):
    """Tables of groups, sums of parts and saved tables have equal numbers."""
    by = np.repeat(["x", "y"], 30)
    tables = hs.values(MODELS["A"], truth=TRUE, by=by)
    assert hs.estimate(tables["y"], "r2").value == pytest.approx(r2_score(TRUE[30:], MODELS["A"][30:]), abs=1e-12)
    whole = tables["x"] + tables["y"]
    assert hs.estimate(whole, "rmse").value == pytest.approx(root_mean_squared_error(TRUE, MODELS["A"]), abs=1e-12)
    again = hs.load(whole.save(tmp_path / "table.json"))
    assert hs.estimate(again, "r2").high == hs.estimate(whole, "r2").high


@pytest.mark.parametrize("predicted", [[0.3], [0.3, 0.2, 0.7, 0.1, 0.9, 0.4, 0.5]])
def test_equal_truths_have_no_variance_whatever_the_weights(predicted):
    """The mean of equal numbers has rounding errors in each unit of the weights: R² stays undefined, with a reason."""
    weight = np.random.default_rng(0).exponential(size=len(predicted))
    for unit in np.arange(1, 40) / 7:
        table = hs.values(predicted, truth=[0.1] * len(predicted), sample_weight=unit * weight)
        found = hs.estimate(table, "r2")
        assert np.isnan(found.value)
        assert "denominator is zero" in found.reason
