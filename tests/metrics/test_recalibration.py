"""O:E, calibration slope and intercept equal R's glm, with the variances of R's sandwich."""

import numpy as np
import pytest
from scipy import special

import howsure as hs
from howsure.methods.core.standard_errors import standard_error
from howsure.metrics.binding import resolve
from howsure.metrics.spec import parse
from support.examples import CANCER
from support.files import rows_of

CASES, REFERENCE = rows_of("recalibration.csv"), rows_of("recalibration_reference.csv")
TRUTH, SCORE, WEIGHT = (np.array([float(row[name]) for row in CASES]) for name in ("y", "p", "weight"))
CLUSTER = [row["cluster"] for row in CASES]
VAL_PROB = rows_of("val_prob_reference.csv")
SPECS = {
    "slope": "calibration_slope",
    "free": "calibration_intercept+slope=free",
    "fixed": "calibration_intercept",
}
METRICS = ("observed_expected", *SPECS.values())


def sample(seed, size=200, slope=0.8):
    """Return truth and scores, tied, of cases whose calibration slope is known."""
    rng = np.random.default_rng(seed)
    score = np.round(special.expit(rng.normal(-0.5, 1.3, size)), 2).clip(0.01, 0.99)
    return rng.random(size) < special.expit(0.3 + slope * special.logit(score)), score


@pytest.mark.parametrize("row", REFERENCE, ids=lambda row: f"{row['metric']} {row['weighting']}")
def test_coefficients_equal_glm(row):
    """Slope and intercepts equal `glm` on the example of `rms::val.prob`, with the errors of R's sandwich."""
    weight = None if row["weighting"] == "none" else WEIGHT
    found = hs.estimate(hs.scores(TRUTH, SCORE, sample_weight=weight), SPECS[row["metric"]])
    assert found.value == pytest.approx(float(row["value"]), abs=1e-10)
    assert found.standard_error == pytest.approx(float(row["robust"]), rel=1e-8)
    clustered = hs.estimate(hs.scores(TRUTH, SCORE, sample_weight=weight, groups=CLUSTER), SPECS[row["metric"]])
    assert clustered.value == pytest.approx(float(row["value"]), abs=1e-10)
    assert clustered.standard_error == pytest.approx(
        float(row["clustered"]) * np.sqrt(25 / 24), rel=1e-8
    )  # G / (G - 1)


def cases_of(name):
    """Return truth, scores and weights of a data set of `val_prob.R`."""
    if name in ("logistic", "forest"):
        rows = rows_of(CANCER)
        return np.array([(row["label"] == "malignant", float(row[f"score_{name}"]), 1.0) for row in rows]).T
    rows = rows_of("val_prob.csv")
    return np.array([[float(row[each]) for each in ("y", "p", "weight")] for row in rows if row["set"] == name]).T


@pytest.mark.parametrize("row", VAL_PROB, ids=lambda row: row["set"])
def test_values_equal_val_prob(row):
    """O:E, slope, intercept, Brier score and C equal `rms::val.prob` on three data sets, with ties and whole weights.

    The function fits until the deviance changes by less than 0.025, which leaves 5e-7. It leaves out scores of exactly 0
    and 1, which does not change the coefficients where all of these are right.
    """
    truth, score, weight = cases_of(row["set"])
    found = hs.evaluate(
        hs.scores(truth, score, sample_weight=weight),
        ["observed_expected", "calibration_slope", "calibration_intercept+slope=free", "brier_score", "roc_auc"],
    )
    expected = [float(row[name]) for name in ("oe", "Slope", "Intercept", "Brier", "C")]
    assert [each.value for each in found.values()] == pytest.approx(expected, abs=1e-6)


def test_the_ratio_is_observed_over_expected():
    """O:E is the number of positive cases over the sum of the scores, with a log interval around it."""
    found = hs.estimate(hs.scores(TRUTH, SCORE), "observed_expected")
    assert found.value == pytest.approx(TRUTH.sum() / SCORE.sum())
    residual = TRUTH - found.value * SCORE
    assert found.standard_error == pytest.approx(np.sqrt((residual**2).sum()) / SCORE.sum())
    assert found.high / found.value == pytest.approx(found.value / found.low)
    assert hs.estimate(hs.scores(TRUTH, SCORE, sample_weight=WEIGHT), "oe_ratio").value == pytest.approx(
        (WEIGHT @ TRUTH) / (WEIGHT @ SCORE)
    )


@pytest.mark.parametrize("spec", METRICS)
def test_errors_agree_with_the_bootstrap(spec):
    """The robust standard error is that of resampling the cases, for independent cases and for clusters."""
    truth, score = sample(3, 1500)
    for groups in (None, np.arange(1500) // 5):
        table = hs.scores(truth, score, groups=groups)
        drawn = hs.estimate(table, spec, method=hs.methods.Bootstrap("percentile", 800), random_state=1)
        assert standard_error(resolve(spec, table), table) == pytest.approx(drawn.standard_error, rel=0.1)


def test_certain_scores_are_the_limit_of_nearly_certain_ones():
    """Scores of exactly 0 or 1 that are right give the values of scores that approach 0 and 1."""
    truth, score = sample(5)
    certain, right = np.r_[score, np.repeat([0.0, 1.0], 20)], np.r_[truth, np.repeat([False, True], 20)]
    for spec in SPECS.values():
        limit = hs.estimate(hs.scores(right, np.clip(certain, 1e-15, 1 - 1e-15)), spec)
        found = hs.estimate(hs.scores(right, certain), spec)
        assert (found.value, found.standard_error) == pytest.approx((limit.value, limit.standard_error), rel=1e-6)
        mark = "+clip=0.001"
        clipped = hs.estimate(hs.scores(right, certain), spec + mark)
        assert clipped.value == pytest.approx(hs.estimate(hs.scores(right, certain.clip(0.001, 0.999)), spec).value)
        assert abs(clipped.value - found.value) > 1e-6


UNDEFINED = {
    "one class": (([0, 0, 1], [0.2, 0.4, 1.0]), ("slope", "free", "fixed"), "one of the classes has no case"),
    "separated": (([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.9]), ("slope", "free"), "separate the classes"),
    "separated backwards": (([1, 1, 0, 0], [0.1, 0.3, 0.4, 0.9]), ("slope", "free"), "separate the classes"),
    "constant": (([0, 1, 1], [0.4, 0.4, 0.4]), ("slope", "free"), "do not vary"),
    "certain and wrong": (([1, 0, 1, 0], [0.0, 0.3, 0.4, 0.5]), ("slope", "free", "fixed"), "clip=1e-6"),
    "certain, and falling": (([0, 1, 0, 1, 0], [0.0, 0.2, 0.3, 0.4, 0.5]), ("slope", "free"), "not positive"),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_undefined_coefficients_have_a_reason(name):
    """If the likelihood has no maximum, the coefficient is nan and the reason states why; the others are defined."""
    (truth, score), specs, why = UNDEFINED[name]
    table = hs.scores(truth, score)
    for key, spec in SPECS.items():
        found = hs.estimate(table, spec)
        assert np.isnan(found.value) == (key in specs), spec
        if key in specs:
            assert why in found.reason
            assert np.isnan(found.low)
            assert np.isnan(found.high)


def test_nothing_expected_is_undefined():
    """O:E is undefined where all scores are 0, and 0 with an interval where no case is positive."""
    none = hs.estimate(hs.scores([0, 1], [0.0, 0.0]), "observed_expected")
    assert np.isnan(none.value)
    assert "no positive case is expected" in none.reason
    zero = hs.estimate(hs.scores([0] * 30, [0.1] * 30, pos_label=1), "observed_expected")
    assert zero.value == zero.low == 0 < zero.high


@pytest.mark.parametrize("spec", METRICS)
def test_scores_that_are_no_probabilities_are_refused(spec):
    """Margins are refused, in one line that names a score."""
    with pytest.raises(hs.HowsureError, match="needs probabilities, and `y_score` holds -2"):
        hs.estimate(hs.scores([0, 1, 0, 1], [-2.0, 0.5, 0.2, 1.5]), spec)


@pytest.mark.parametrize("spec", ["calibration_slope+clip=0.5", "calibration_intercept+clip=-0.1"])
def test_invalid_clips_are_refused(spec):
    """The clip is a distance from 0 and 1, below one half."""
    with pytest.raises(hs.HowsureError, match=r"`clip` of .* lies in \[0, 0.5\)"):
        hs.estimate(hs.scores([0, 1, 0, 1], [0.3, 0.5, 0.2, 0.4]), spec)
    with pytest.raises(hs.HowsureError, match="Known: fixed, free"):
        hs.estimate(hs.scores([0, 1, 0, 1], [0.3, 0.5, 0.2, 0.4]), "calibration_intercept+slope=one")


def test_the_two_intercepts_have_two_names():
    """Labels state whether the slope is fixed, except for calibration in the large, which says so itself."""
    assert parse("calibration_intercept").label == "calibration_intercept+slope=fixed"
    assert parse("citl") == parse("calibration_in_the_large") == parse("calibration_intercept")
    assert parse("citl").label == "citl"
    with pytest.raises(hs.HowsureError, match="gives `slope` twice"):
        parse("citl+slope=free")


@pytest.mark.parametrize("spec", METRICS)
def test_each_class_against_the_rest(spec):
    """Of many classes the metric of each class is that of its own column, and averages are over these."""
    rng = np.random.default_rng(0)
    scores = rng.dirichlet([2.0, 1.0, 1.5], 300)
    truth = np.array([rng.choice(3, p=row) for row in scores])
    many = hs.multiclass_scores(truth, scores)
    each = [hs.estimate(hs.scores(truth == k, scores[:, k]), spec) for k in range(3)]
    for k, alone in enumerate(each):
        found = hs.estimate(many, f"{spec}@binary+positive_class={k}")
        assert (found.value, found.standard_error) == pytest.approx((alone.value, alone.standard_error))
    assert hs.estimate(many, f"{spec}@macro").value == pytest.approx(np.mean([alone.value for alone in each]))


def test_differences_of_paired_models_share_the_cases():
    """The difference of two models' slopes has the variance of the difference of their influences."""
    truth, score = sample(8, 400)
    other = special.expit(1.4 * special.logit(score) + np.random.default_rng(1).normal(0, 0.3, 400))
    paired = hs.paired_scores(truth, {"a": score, "b": other})
    found = hs.compare(paired, "calibration_slope", a="a", b="b")

    def influences(said):
        features = np.column_stack([special.logit(said), np.ones(400)])
        beta = np.zeros(2)
        for _ in range(50):
            share = special.expit(features @ beta)
            inverse = np.linalg.inv((features.T * (share * (1 - share))) @ features)
            beta += inverse @ features.T @ (truth - share)
        return beta[0], (features @ inverse[0]) * (truth - share)

    (first, one), (second, two) = influences(score), influences(other)
    assert abs(found.value) == pytest.approx(abs(first - second))
    assert found.standard_error == pytest.approx(np.sqrt(((one - two) ** 2).sum()), rel=1e-6)


@pytest.mark.thorough
def test_slope_covers_in_small_samples():
    """95 % intervals of the three numbers cover at n = 50 in 400 samples, within the error of the simulation.

    `benchmarks/recalibration.py` covers n = 50 to 2,000 and slopes 0.7, 1 and 1.3.
    """
    rng, missed = np.random.default_rng(2), np.zeros(3)
    for _ in range(400):
        score = special.expit(rng.normal(0, 1.5, 50))
        truth = rng.random(50) < score
        found = hs.evaluate(hs.scores(truth, score), ["observed_expected", "calibration_slope", "citl"])
        missed += [not each.low <= true <= each.high for each, true in zip(found.values(), (1, 1, 0), strict=True)]
    assert (missed <= 36).all()  # binomial(400, 0.05): P(> 36) < 0.001
