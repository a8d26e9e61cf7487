"""Pooled estimates against R's metafor, against arithmetic, and on their edges."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import howsure as hs
from howsure.pooling.effects import cochran_q
from howsure.pooling.pooled import BAR, _bar
from support.files import rows_of

METHODS = {"FE": "fixed", "DL": "dl", "PM": "pm", "REML": "reml"}
TESTS = ["z", "knha", "adhoc"]
SETS = {"all": slice(None), "first four": slice(4), "four others": [1, 2, 8, 12]}


def log_risk_ratios():
    """Log risk ratios and standard errors by the textbook: ln(a/n1 : c/n2), 1/a - 1/n1 + 1/c - 1/n2."""
    cells = np.array([[float(row[name]) for name in ("tpos", "tneg", "cpos", "cneg")] for row in rows_of("bcg.csv")])
    a, b, c, d = cells.T
    return np.log(a / (a + b) * (c + d) / c), np.sqrt(1 / a - 1 / (a + b) + 1 / c - 1 / (c + d))


@pytest.mark.parametrize(
    "row", rows_of("bcg_reference.csv"), ids=lambda row: f"{row['set']} {row['method']} {row['test']}"
)
def test_equals_metafor(row):
    """Estimate, interval, τ², I², H², Q, their intervals and the prediction interval equal R's metafor."""
    values, errors = (part[SETS[row["set"]]] for part in log_risk_ratios())
    pooled = hs.pool(values, errors, method=METHODS[row["method"]], test=row["test"])
    record = pooled.records()[0] | {"first_weight": pooled.weights[0]}
    compared = [name for name in row if name not in {"set", "method", "test"} and row[name] != "NA"]
    assert len(compared) >= 10
    for name in compared:
        assert record[name] == pytest.approx(float(row[name]), rel=1e-6, abs=1e-9), name


@pytest.mark.parametrize("part", SETS)
@pytest.mark.parametrize("method", METHODS)
def test_safeguard_takes_the_larger_of_both_standard_errors(method, part):
    """With 'adhoc' the standard error is the larger of metafor's two, with Student's t on experiments minus one."""
    values, errors = (each[SETS[part]] for each in log_risk_ratios())
    found = [row for row in rows_of("bcg_reference.csv") if (row["set"], row["method"]) == (part, method)]
    error = max(float(row["standard_error"]) for row in found)
    half = stats.t.ppf(0.975, len(values) - 1) * error
    pooled = hs.pool(values, errors, method=METHODS[method], test="adhoc")
    middle = float(found[0]["value"])
    assert (pooled.standard_error, pooled.low, pooled.high) == pytest.approx((error, middle - half, middle + half))
    if method != "FE":
        default = hs.pool(values, errors, method=METHODS[method])
        assert (default.low, default.high) == (pooled.low, pooled.high)


def test_scale_pools_there_and_carries_back():
    """On the log scale the risk ratio is the exponential of the pooled log risk ratio, its limits too."""
    logs, errors = log_risk_ratios()
    ratios = np.exp(logs)
    there, back = hs.pool(logs, errors, method="reml"), hs.pool(ratios, errors * ratios, method="reml", scale="log")
    expected = np.exp([there.value, there.low, there.high, *there.prediction_interval])
    assert [back.value, back.low, back.high, *back.prediction_interval] == pytest.approx(expected, rel=1e-9)
    assert back.standard_error == pytest.approx(there.standard_error * back.value, rel=1e-9)
    assert back.tau2 == pytest.approx(there.tau2, rel=1e-9)


@pytest.mark.parametrize(
    "scale, forward, slope",
    [
        ("logit", stats.logistic.ppf, lambda x: 1 / x / (1 - x)),
        ("fisher_z", np.arctanh, lambda x: 1 / (1 - x * x)),
    ],
)
def test_bounded_scales(scale, forward, slope):
    """Logit and Fisher's z give the interval that pooling by hand on that scale gives, inside the range."""
    values, errors = np.array([0.93, 0.985, 0.9, 0.97]), np.array([0.02, 0.012, 0.03, 0.015])
    by_hand = hs.pool(forward(values), errors * slope(values), method="pm", test="knha")
    pooled = hs.pool(values, errors, method="pm", test="knha", scale=scale)
    on_scale = forward(np.array([pooled.value, pooled.low, pooled.high]))
    assert on_scale == pytest.approx(np.array([by_hand.value, by_hand.low, by_hand.high]))
    assert pooled.high < 1


def test_the_normal_interval_is_by_hand():
    """With 'z' the half width is the normal quantile over the root of the sum of weights, as in simulations below."""
    values, errors = log_risk_ratios()
    pooled = hs.pool(values, errors, test="z")
    assert normal_holds(pooled, pooled.high - 1e-12)
    assert not normal_holds(pooled, pooled.high + 1e-12)


def test_one_experiment_is_honest():
    """One experiment keeps its own interval, with a note that heterogeneity is unknown: I² is not 100 %."""
    for method in METHODS.values():
        pooled = hs.pool([0.8], [0.05], method=method)
        assert (pooled.value, pooled.standard_error) == pytest.approx((0.8, 0.05))
        assert pooled.high == pytest.approx(0.8 + stats.norm.ppf(0.975) * 0.05)
        assert math.isnan(pooled.i2)
        assert math.isnan(pooled.tau2)
        assert "one experiment" in pooled.reason
    lone = hs.pool([0.8], [0.05], test="knha")
    assert math.isnan(lone.low)
    assert "no scatter" in lone.reason


def test_two_experiments_have_no_prediction_interval():
    """A prediction interval needs a degree of freedom in addition to value and τ²: with two experiments it is nan."""
    assert all(map(math.isnan, hs.pool([0.8, 0.7], [0.05, 0.04]).prediction_interval))


def test_identical_values_are_homogeneous():
    """Experiments that agree exactly have Q = 0, p = 1, τ² = 0; the fixed and the random effect are the same."""
    for method in METHODS.values():
        pooled = hs.pool([0.8, 0.8, 0.8], [0.05, 0.04, 0.03], method=method)
        assert pooled.value == pytest.approx(0.8)
        assert (pooled.q, pooled.tau2, pooled.i2) == pytest.approx((0, 0, 0), abs=1e-20)
        assert pooled.q_p_value == 1


@pytest.mark.parametrize(
    "values, errors, settings, words",
    [
        ([0.8, 0.9], [0.05, 0.0], {}, "experiment '2' is 0: its weight would be infinite"),
        ([0.8, 0.9], [0.05, -0.1], {}, "experiment '2' is -0.1"),
        ([0.8, 0.9], [0.05, math.nan], {"names": ["a", "b"]}, "experiment 'b' is nan"),
        ([0.8, math.nan], [0.05, 0.1], {}, "value of experiment '2' is nan, not finite"),
        ([0.8, 1.0], [0.05, 0.1], {"scale": "logit"}, "experiment '2' is 1, not inside"),
        ([0.8, 0.9], [0.05], {}, "Give one of each"),
        ([], [], {}, "Give one of each"),
        ([0.8], [0.1], {"method": "reml2"}, "Did you mean 'reml'"),
        ([0.8], [0.1], {"test": "kna"}, "no test 'kna'"),
        ([0.8], [0.1], {"scale": "logt"}, "Did you mean 'logit'"),
        ([0.8], [0.1], {"names": ["a", "b"]}, "2 entries for 1 experiments"),
        ([0.8], [0.1], {"confidence_level": 95}, "Did you mean 0.95"),
    ],
)
def test_refusals(values, errors, settings, words):
    """Inputs that cannot be pooled are refused by name, with the remedy."""
    with pytest.raises(hs.HowsureError, match=words):
        hs.pool(values, errors, **settings)


experiments = st.lists(st.tuples(st.floats(-3, 3), st.floats(0.01, 2)), min_size=2, max_size=8)


@given(
    experiments,
    st.sampled_from(["fixed", "dl", "pm", "reml"]),
    st.sampled_from(TESTS),
    st.floats(0.1, 10),
    st.floats(-5, 5),
)
def test_shifting_and_stretching(pairs, method, test, stretch, shift):
    """Values in other units give the same weights and I², and τ² in the square of those units."""
    values, errors = np.array(pairs).T
    first = hs.pool(values, errors, method=method, test=test)
    second = hs.pool(stretch * values + shift, stretch * errors, method=method, test=test)
    tolerance = 1e-5 * (np.ptp(values) + errors.max())
    assert second.value == pytest.approx(stretch * first.value + shift, abs=stretch * tolerance)
    assert second.tau2 == pytest.approx(stretch**2 * first.tau2, rel=1e-4, abs=stretch**2 * tolerance**2)
    assert first.weights.sum() == pytest.approx(1)


@given(experiments)
def test_restricted_likelihood_is_at_its_maximum(pairs):
    """REML's τ² has a restricted likelihood that no other τ² exceeds."""
    values, errors = np.array(pairs).T

    def likelihoods(*tau2):
        weight = 1 / (errors**2 + np.array(tau2)[:, None])
        mean = weight @ values / weight.sum(1)
        squares = (weight * (values - mean[:, None]) ** 2).sum(1)
        return np.log(weight).sum(1) - np.log(weight.sum(1)) - squares

    best = likelihoods(hs.pool(values, errors, method="reml").tau2)[0]
    assert likelihoods(0, *np.geomspace(1e-6, 50, 300)).max() <= best + 1e-6 * max(1, abs(best))


@given(experiments)
def test_paule_mandel_makes_q_what_it_should_be(pairs):
    """Paule and Mandel's τ² gives a Q of m - 1, or is 0 where Q is less from the start."""
    values, errors = np.array(pairs).T
    tau2 = hs.pool(values, errors, method="pm").tau2
    q = cochran_q(values, errors**2, tau2)
    assert q == pytest.approx(len(values) - 1, rel=1e-8) if tau2 > 0 else q <= len(values) - 1


def normal_holds(pooled, truth):
    """Return whether the normal interval for a pooled value, as if τ² were known, covers."""
    error = 1 / math.sqrt((1 / (np.square(pooled.standard_errors) + pooled.tau2)).sum())
    return abs(pooled.value - truth) <= stats.norm.ppf(0.975) * error


@pytest.mark.thorough
def test_random_effects_cover_the_mean():
    """With eight heterogeneous experiments Hartung–Knapp covers 93 % of simulated studies, the normal interval 90 %."""
    rng = np.random.default_rng(5)
    covered = {"z": 0, "knha": 0}
    for _ in range(600):
        errors = rng.uniform(0.02, 0.08, 8)
        values = 0.7 + 0.05 * rng.standard_normal(8) + errors * rng.standard_normal(8)
        pooled = hs.pool(values, errors, method="pm", test="knha")
        covered["knha"] += pooled.low <= 0.7 <= pooled.high
        covered["z"] += normal_holds(pooled, 0.7)
    assert covered["knha"] / 600 > 0.933 - 3 * math.sqrt(0.95 * 0.05 / 600)
    assert covered["knha"] > covered["z"]


@pytest.mark.thorough
@pytest.mark.parametrize("experiments", [3, 5])
def test_the_default_covers_where_experiments_are_few_and_unequal(experiments):
    """With variances from 1 to 16 and an I² of 60 % the default covers 95 %, the normal interval 81 to 86 %."""
    rng = np.random.default_rng(7)
    variance = np.geomspace(1, 16, experiments)
    weight = 1 / variance
    typical = (experiments - 1) * weight.sum() / (weight.sum() ** 2 - weight @ weight)
    spread = np.sqrt(variance + 1.5 * typical)
    covered = {"adhoc": 0, "z": 0}
    for values in rng.normal(0, spread, (800, experiments)):
        pooled = hs.pool(values, np.sqrt(variance))
        covered["adhoc"] += pooled.low <= 0 <= pooled.high
        covered["z"] += normal_holds(pooled, 0)
    assert covered["adhoc"] / 800 > 0.945 - 3 * math.sqrt(0.95 * 0.05 / 800)
    assert covered["z"] / 800 < 0.9


@pytest.mark.thorough
def test_prediction_interval_covers_a_new_experiment():
    """The prediction interval covers the true value of a new experiment in about 95 % of simulated studies."""
    rng = np.random.default_rng(6)
    covered = []
    for _ in range(600):
        errors = rng.uniform(0.01, 0.03, 10)
        values = 0.7 + 0.05 * rng.standard_normal(10) + errors * rng.standard_normal(10)
        low, high = hs.pool(values, errors, method="reml").prediction_interval
        covered.append(low <= 0.7 + 0.05 * rng.standard_normal() <= high)
    assert abs(np.mean(covered) - 0.95) < 3 * math.sqrt(0.95 * 0.05 / 600) + 0.005


def test_pooled_behaves_like_an_estimate():
    """A pooled value unpacks as value and limits, converts to a number, and exports plain values."""
    pooled = hs.pool([0.91, 0.84, 0.93], [0.01, 0.02, 0.015])
    value, (low, high) = pooled
    assert (value, low, high) == (float(pooled), pooled.low, pooled.high)
    assert pooled.to_dict()["weights"] == pooled.weights.tolist()
    assert pooled.records()[0]["tau2_low"] == pooled.tau2_interval[0]


def test_forest_shows_every_experiment():
    """The forest in text has a row for each experiment, one for the pooled value and one for a new experiment."""
    pooled = hs.pool([0.91, 0.84, 0.93], [0.01, 0.02, 0.015], names=["Ulm", "Bern", "Graz"])
    grid = pooled.grid()
    assert [row[0] for row in grid.rows] == ["Ulm", "Bern", "Graz", "pooled (dl_adhoc)", "a new experiment"]
    assert [row[3] for row in grid.rows[:3]] == [f"{100 * weight:.1f} %" for weight in pooled.weights]
    positions = [row[4].index("■") for row in grid.rows[:3]]
    assert positions[1] < positions[0] < positions[2]
    assert "I² = 85 % (high)" in grid.caption
    assert "<table" in pooled._repr_html_()
    assert "Bern" in pooled.to_markdown()


def test_equal_values_have_no_variance_between_them():
    """Equal values with standard errors below rounding are homogeneous, although their mean differs by rounding."""
    pooled = hs.pool([0.7] * 5, np.geomspace(1, 3, 5) * 1e-20, method="pm")
    assert (pooled.tau2, pooled.value) == (0, pytest.approx(0.7))


def test_standard_errors_of_very_different_size():
    """DerSimonian and Laird's τ² of errors that differ by 1e8 and more is that of exact arithmetic."""
    values, errors = ["0.9", "0.8", "0.7"], ["1e-10", "1e-2", "1e-2"]
    y, w = [Fraction(each) for each in values], [1 / Fraction(each) ** 2 for each in errors]
    mean = sum(a * b for a, b in zip(w, y, strict=True)) / sum(w)
    q = sum(a * (b - mean) ** 2 for a, b in zip(w, y, strict=True))
    tau2 = (q - 2) / (sum(w) - sum(a * a for a in w) / sum(w))
    found = hs.pool([float(each) for each in values], [float(each) for each in errors])
    assert found.tau2 == pytest.approx(float(tau2), rel=1e-6)
    for smallest in (1e-14, 1e-100):
        every = hs.pool([0.9, 0.8, 0.7], [smallest, 1e-6, 0.1])
        assert np.isfinite([every.low, every.high, every.tau2, every.i2]).all()
    with pytest.raises(hs.HowsureError, match="its weight would be infinite"):
        hs.pool([0.9, 0.8], [1e-300, 0.1])


def test_the_forest_draws_what_has_limits_and_tells_the_reason():
    """An experiment without an interval has a row and no bar; the reason follows the facts in the caption."""
    pooled = hs.pool([0.91, 0.84, 0.93], [0.01, 0.02, 0.015], names=["Ulm", "Bern", "Graz"])
    assert not pooled.grid().caption.endswith("; ")
    assert replace(pooled, reason="some reason").grid().caption.endswith("; some reason")
    assert _bar(0.2, 0.5, 1.0, "■", 0.0, 1.0).index("■") == round(0.5 * (BAR - 1))
    assert len(_bar(0.2, 0.5, 1.0, "■", 0.0, 1.0)) == BAR
    for low, high, left, right in [(np.nan, 1.0, 0.0, 1.0), (0.2, np.inf, 0.0, 1.0), (0.5, 0.5, 0.5, 0.5)]:
        assert not _bar(low, 0.5, high, "■", left, right)
