"""Tests of calibration."""

import numpy as np
import pytest
from scipy import stats
from statsmodels import api as sm

import howsure as hs


def labelled(seed=0, rows=500, power=1.0):
    rng = np.random.default_rng(seed)
    score = rng.beta(0.8, 1.2, rows)
    return rng.random(rows) < score**power, score


def test_statistics_are_their_formulas():
    """Spiegelhalter's z is that of the formula, slope and intercept those of statsmodels' robust regressions."""
    label, score = labelled(1, power=1.4)
    test = hs.shift.calibration_test(hs.scores(label, score))
    z = ((label - score) * (1 - 2 * score)).sum() / np.sqrt(((1 - 2 * score) ** 2 * score * (1 - score)).sum())
    logits = np.log(score / (1 - score))
    both = sm.GLM(label.astype(float), np.column_stack([logits, np.ones(500)]), family=sm.families.Binomial()).fit(
        cov_type="HC0"
    )
    large = sm.GLM(label.astype(float), np.ones(500), family=sm.families.Binomial(), offset=logits).fit(cov_type="HC0")
    assert test.z == pytest.approx(z)
    assert test.z_p_value == pytest.approx(2 * stats.norm.sf(abs(z)))
    assert next(iter(test.slope)) == pytest.approx(both.params[0], abs=1e-6)
    assert test.slope.standard_error == pytest.approx(both.bse[0], abs=1e-5)
    assert test.intercept.standard_error == pytest.approx(large.bse[0], abs=1e-5)


def test_the_overall_test_is_the_score_test_of_slope_and_intercept():
    """The statistic is the score test that statsmodels gives for a regression with nothing but the offset."""
    label, score = labelled(2, power=1.3)
    logits = np.log(score / (1 - score))
    features = np.column_stack([logits, np.ones(500)])
    residual = label - score
    information = (features.T * (score * (1 - score))) @ features
    statistic = residual @ features @ np.linalg.solve(information, features.T @ residual)
    test = hs.shift.calibration_test(hs.scores(label, score))
    assert test.statistic == pytest.approx(statistic)
    assert test.p_value == pytest.approx(stats.chi2.sf(statistic, 2))


def test_groups_are_hosmer_and_lemeshows():
    """Over ten groups of fifty it is Pearson's sum of (O - E)² / E over both classes, as in the paper and in R."""
    label, score = labelled(3)
    order = np.argsort(score)
    groups = zip(np.split(label[order], 10), np.split(score[order], 10), strict=True)
    literal = sum((y.sum() - s.sum()) ** 2 * (1 / s.sum() + 1 / (1 - s).sum()) for y, s in groups)
    test = hs.shift.calibration_test(hs.scores(label, score))
    assert (test.groups_statistic, test.groups) == (pytest.approx(literal), 10)
    assert test.groups_p_value == pytest.approx(stats.chi2.sf(literal, 10))


@pytest.mark.thorough
def test_calibrated_scores_are_rejected_at_the_nominal_rate():
    """On calibrated batches each test rejects 5 %, and the intervals of slope and intercept cover 1 and 0 in 95 %."""
    tests = [hs.shift.calibration_test(hs.scores(*labelled(seed, 300))) for seed in range(250)]
    tolerance = 4 * np.sqrt(0.05 * 0.95 / 250)
    for name in ("p_value", "z_p_value", "groups_p_value"):
        assert np.mean([getattr(test, name) < 0.05 for test in tests]) == pytest.approx(0.05, abs=tolerance)
    assert np.mean([test.slope.low < 1 < test.slope.high for test in tests]) == pytest.approx(0.95, abs=tolerance)
    assert np.mean([test.intercept.low < 0 < test.intercept.high for test in tests]) == pytest.approx(
        0.95, abs=tolerance
    )


@pytest.mark.thorough
def test_clusters_count_once():
    """Cases repeated four times in clusters are rejected at the nominal rate; as independent cases, far more often."""
    naive, honest = [], []
    for seed in range(150):
        label, score = labelled(seed, 100)
        four, ids = (np.repeat(label, 4), np.repeat(score, 4)), np.repeat(np.arange(100), 4)
        naive.append(hs.shift.calibration_test(hs.scores(*four)).p_value < 0.05)
        honest.append(hs.shift.calibration_test(hs.scores(*four, groups=ids)).p_value < 0.05)
    assert np.mean(naive) > 0.3
    assert np.mean(honest) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 150)


def test_what_has_no_answer_is_nan_with_a_reason():
    """Separated classes have no slope, clusters no Hosmer–Lemeshow statistic, and scores of one half no z."""
    test = hs.shift.calibration_test(hs.scores([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]))
    assert np.isnan(test.slope.value)
    assert "separate the classes" in test.slope.reason
    assert np.isfinite(test.p_value)
    assert np.isnan(hs.shift.calibration_test(hs.scores([0, 1, 0, 1], [0.5] * 4)).z)
    clustered = hs.scores([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.7], groups=[1, 1, 2, 3])
    assert np.isnan(hs.shift.calibration_test(clustered).groups_p_value)


def test_unusable_tables_are_named():
    """A confusion table, and scores outside [0, 1], give errors that state what is needed."""
    with pytest.raises(hs.HowsureError, match="table of scores"):
        hs.shift.calibration_test(hs.from_counts([[5, 1], [2, 7]]))
    with pytest.raises(hs.HowsureError, match="probabilities"):
        hs.shift.calibration_test(hs.scores([0, 1], [-1.0, 2.0]))


def test_scores_that_do_not_vary_have_no_slope():
    """A single score, also one of a half, leaves the slope undefined with a reason, never a point."""
    for score in (0.5, 0.3):
        test = hs.shift.calibration_test(hs.scores([0, 1] * 20, [score] * 40))
        assert np.isnan(test.slope.low)
        assert "do not vary" in test.slope.reason
        assert test.intercept.low < test.intercept.high


def test_the_test_is_the_same_of_the_other_class():
    """After swapping classes and scores the statistics are the same, also with scores of 0 and 1."""
    rng = np.random.default_rng(9)
    score = np.concatenate([rng.uniform(0.05, 0.95, 200), [0.0, 0.0, 1.0]])
    truth = (rng.random(203) < score).astype(int)
    one, other = (hs.shift.calibration_test(hs.scores(*each)) for each in ((truth, score), (1 - truth, 1 - score)))
    assert np.isfinite([one.statistic, one.z, one.groups_statistic]).all()
    assert one.statistic == pytest.approx(other.statistic, rel=1e-9)
    assert abs(one.z) == pytest.approx(abs(other.z))
    assert one.slope.value == pytest.approx(other.slope.value, rel=1e-6)


def test_the_unit_of_weights_is_no_matter_to_the_groups():
    """Weights a thousandth as large have the same statistic of the groups, each of which then weighs below 1."""
    label, score = labelled(3)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(label))
    found = [hs.shift.calibration_test(hs.scores(label, score, sample_weight=unit * weight)) for unit in (1.0, 1e-3)]
    assert found[1].groups_statistic == pytest.approx(found[0].groups_statistic, rel=1e-9)
    assert found[0].groups_statistic > 0


def test_weights_count_in_the_sums_and_squared_in_the_variances():
    """With weights, z, slope, intercept and groups are weighted sums, whose variances have the squared weights."""
    label, score = labelled(5, power=1.3)
    weight = np.random.default_rng(6).choice([0.5, 1.0, 2.5], len(label))
    test = hs.shift.calibration_test(hs.scores(label, score, sample_weight=weight))
    form, spread = 1 - 2 * score, score * (1 - score)
    assert test.z == pytest.approx(
        (weight * form * (label - score)).sum() / np.sqrt((weight**2 * form**2 * spread).sum())
    )
    logits = np.log(score / (1 - score))
    features = np.column_stack([logits, np.ones(len(score))])
    covariance = (features.T * (weight**2 * spread)) @ features
    total = features.T @ (weight * (label - score))
    assert test.statistic == pytest.approx(total @ np.linalg.solve(covariance, total))
    family = sm.families.Binomial()
    fits = (
        (test.slope, sm.GLM(label * 1.0, features, family=family, freq_weights=weight).fit(), features),
        (
            test.intercept,
            sm.GLM(label * 1.0, np.ones(len(score)), family=family, offset=logits, freq_weights=weight).fit(),
            np.ones((len(score), 1)),
        ),
    )
    for found, fit, columns in fits:
        mean = fit.fittedvalues
        inverse = np.linalg.inv((columns.T * (weight * mean * (1 - mean))) @ columns)
        error = np.sqrt((weight * (label - mean)) ** 2 @ (columns @ inverse[0]) ** 2)
        assert found.value == pytest.approx(fit.params[0], abs=1e-6)
        assert found.standard_error == pytest.approx(error, rel=1e-5)
        assert found.high - found.low >= 2 * stats.norm.ppf(0.975) * error


def test_clusters_have_the_variance_of_their_sums():
    """In clusters z has the variance of the clusters' sums; slope and intercept are those of the metrics."""
    label, score = labelled(7, rows=90)
    group = np.arange(90) // 6
    test = hs.shift.calibration_test(hs.scores(label, score, groups=group))
    sums = np.bincount(group, (1 - 2 * score) * (label - score))
    assert test.z == pytest.approx(sums.sum() / np.sqrt(15 / 14 * (sums**2).sum()))
    for found, metric in ((test.slope, "calibration_slope"), (test.intercept, "calibration_intercept")):
        same = hs.estimate(hs.scores(label, score, groups=group), metric)
        assert (found.value, found.low, found.high) == pytest.approx((same.value, same.low, same.high), rel=1e-6)
    assert np.isnan(test.groups_statistic)


@pytest.mark.parametrize("wrong", [0, 1])
def test_groups_of_certain_scores_that_hold_are_left_out(wrong):
    """A tenth of scores of 0 adds nothing if all are negative; a positive one among them is impossible."""
    label, score = labelled(8, rows=450)
    order = np.argsort(score)
    label, score = np.concatenate([np.arange(50) < wrong, label[order]]), np.concatenate([np.zeros(50), score[order]])
    test = hs.shift.calibration_test(hs.scores(label, score))
    parts = zip(np.split(label, 10)[1:], np.split(score, 10)[1:], strict=True)
    literal = sum((y.sum() - s.sum()) ** 2 * (1 / s.sum() + 1 / (1 - s).sum()) for y, s in parts)
    assert test.groups == 9 + wrong
    assert test.groups_statistic == (np.inf if wrong else pytest.approx(literal))
    assert test.groups_p_value == (0 if wrong else pytest.approx(stats.chi2.sf(literal, 9)))


def test_rows_and_text_are_those_of_the_tests():
    """Each test and coefficient has a row; the positive class is named if it has a name."""
    label, score = labelled(1)
    test = hs.shift.calibration_test(hs.scores(np.where(label, "ill", "well"), score, pos_label="ill"))
    rows = {row["name"]: row for row in test.records()}
    assert {name: (row["value"], row["p_value"]) for name, row in rows.items() if not name.startswith("calib")} == {
        "score_test": (test.statistic, test.p_value),
        "spiegelhalter": (test.z, test.z_p_value),
        "hosmer_lemeshow": (test.groups_statistic, test.groups_p_value),
    }
    assert rows["calibration_slope"]["low"] == test.slope.low
    assert rows["calibration_intercept"]["high"] == test.intercept.high
    assert {row["positive"] for row in test.records()} == {"ill"}
    assert str(test).endswith("positive class: ill")
    assert "positive" not in hs.shift.calibration_test(hs.scores(label, score)).records()[0]
    assert test.to_dict()["slope"] == test.slope.to_dict()
