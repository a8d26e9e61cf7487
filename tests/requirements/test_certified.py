"""Thresholds that meet requirements with stated confidence."""

import math
import pickle

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import binom, norm

import howsure as hs
from howsure.metrics.forms import Proportion, Ratio
from howsure.requirements.requirement import Requirement
from howsure.requirements.risk_tests import binomial_p_values, bounded_mean_p_values, hoeffding_bentkus


def sample(n=400, seed=0, prevalence=0.4):
    """Return labels and scores between 0 and 1, whose logits are normal around −1 and 1."""
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n) < prevalence) * 1
    return y_true, expit(rng.normal(2.0 * y_true - 1))


Y_TRUE, SCORE = sample()
SCORES = hs.scores(Y_TRUE, SCORE)


def test_the_recall_threshold_is_wilks_tolerance_limit():
    """It is the k-th smallest positive score, for the largest k with P(Bin(n, 0.1) ≤ k − 1) ≤ 0.05."""
    positives = np.sort(SCORE[Y_TRUE == 1])
    misses = np.arange(len(positives))
    most = misses[binom.cdf(misses, len(positives), 0.1) <= 0.05].max()
    found = hs.certified_threshold(SCORES, "recall>0.9")
    assert found.threshold == positives[most]
    assert (found.low, found.high) == (-math.inf, positives[most])
    assert found.method == "exact_binomial"
    assert found.is_finite_sample
    same = hs.certified_threshold(SCORES, "fnr<0.1")
    assert same.threshold == found.threshold


def test_the_false_positive_rate_has_a_smallest_threshold():
    """All thresholds above it are certified too, and the next lower score is not."""
    found = hs.certified_threshold(SCORES, "fpr<0.1")
    assert found.choose == "smallest"
    assert found.high == math.inf
    negatives = SCORE[Y_TRUE == 0]

    def p_value(threshold):
        return binom.cdf((negatives >= threshold).sum(), len(negatives), 0.1)

    below = SCORE[found.threshold > SCORE].max()
    assert p_value(found.threshold) == pytest.approx(found.p_values[0])
    assert p_value(found.threshold) <= 0.05 < p_value(below)


def test_two_monotone_requirements_share_the_error():
    """Each is tested at level δ/2, and all thresholds between are certified."""
    found = hs.certified_threshold(SCORES, ["recall>0.8", "specificity>0.6"])
    assert found.test_level == pytest.approx(0.025)
    alone = [hs.certified_threshold(SCORES, each, confidence_level=0.975) for each in ("recall>0.8", "specificity>0.6")]
    assert (found.low, found.high) == (alone[1].threshold, alone[0].threshold)
    assert found.threshold == found.high
    assert hs.certified_threshold(SCORES, ["recall>0.8", "specificity>0.6"], choose="smallest").threshold == found.low


def test_other_metrics_are_tested_from_starts():
    """From each start upwards at level δ/m, by the exact test of TP among TP + FP + FN for F1."""
    found = hs.certified_threshold(SCORES, "f1>0.65", starts=[0.3, 0.5])
    assert found.starts == (0.3, 0.5)
    assert found.test_level == pytest.approx(0.025)
    null = 0.65 / (2 - 0.65)  # F1 is 2 p / (1 + p)

    def p_value(threshold):
        said = threshold <= SCORE
        hits, trials = (said & (Y_TRUE == 1)).sum(), (said | (Y_TRUE == 1)).sum()
        return binom.sf(hits - 1, trials, null)

    path = np.sort(SCORE[found.low <= SCORE])
    certified = path[path <= found.threshold]
    assert all(p_value(each) <= 0.025 for each in certified)
    assert p_value(path[len(certified)]) > 0.025
    lowest = hs.certified_threshold(SCORES, "f1>0.65", starts=[0.3, 0.5], choose="smallest")
    assert lowest.threshold < found.threshold


def test_precision_has_a_smallest_threshold():
    """Higher thresholds are more precise as a rule, so the smallest one is of use; a high miss rate is its opposite."""
    found = hs.certified_threshold(SCORES, "precision>0.7")
    assert found.choose == "smallest"
    assert found.threshold <= 0.9
    assert hs.certified_threshold(SCORES, "fdr<0.3").threshold == found.threshold
    assert hs.certified_threshold(SCORES, "npv>0.6").choose == "largest"


def test_unreachable_requirements_have_no_threshold():
    """The reason says so, and nothing is certified."""
    found = hs.certified_threshold(SCORES, "precision>0.999")
    assert not found.is_certified
    assert math.isnan(found.threshold)
    assert found.reason
    assert "No threshold is certified" in found.sentence()
    assert not hs.certified_threshold(SCORES, ["recall>0.99", "specificity>0.99"]).is_certified


def test_weights_and_clusters_use_the_tests_of_the_intervals():
    """The guarantee then holds in large samples, and says so; unit weights give about the exact threshold."""
    exact = hs.certified_threshold(SCORES, "recall>0.8")
    for settings in ({"groups": np.arange(400)}, {"sample_weight": np.where(np.arange(400) % 2, 1.0, 1.5)}):
        found = hs.certified_threshold(hs.scores(Y_TRUE, SCORE, **settings), "recall>0.8")
        assert not found.is_finite_sample
        assert found.threshold == pytest.approx(exact.threshold, abs=0.06)
        assert "in large samples" in found.sentence()
    many = hs.certified_threshold(hs.scores(Y_TRUE, SCORE, groups=np.arange(400)), "mcc>0.3", starts=[0.4, 0.6])
    assert many.is_certified
    mid_p = hs.certified_threshold(SCORES, "recall>0.8", method="mid_p")
    assert mid_p.method == "mid_p"
    assert mid_p.threshold == pytest.approx(exact.threshold, abs=0.01)


def test_groups_have_a_threshold_each():
    """All cases come first."""
    found = hs.certified_threshold(hs.scores(Y_TRUE, SCORE, by=np.arange(400) % 2), "recall>0.8")
    assert found[0].threshold <= 1
    assert found.overall.threshold == hs.certified_threshold(SCORES, "recall>0.8").threshold


def test_bounded_losses_have_hoeffding_bentkus_p_values():
    """A cost of 1 per false alarm and 5 per miss: the loss is a fifth of it, compared with a fifth of the bound."""
    cost = Ratio(np.array([[0.0, 1.0], [5.0, 0.0]]), np.ones((2, 2)))
    cells = np.array([[[80.0, 20.0], [4.0, 96.0]], [[100.0, 0.0], [0.0, 100.0]]])
    found = bounded_mean_p_values(cost, Requirement.of("accuracy<0.5"), cells)
    loss, bound = np.array([20 + 5 * 4, 0.0]) / 5, 0.1
    mean = loss / 200
    with np.errstate(all="ignore"):
        entropy = np.nan_to_num(mean * np.log(mean / bound)) + (1 - mean) * np.log((1 - mean) / (1 - bound))
    expected = np.minimum(np.exp(-200 * entropy), np.e * binom.cdf(np.ceil(loss), 200, bound))
    assert found == pytest.approx(expected)
    opposite = bounded_mean_p_values(cost, Requirement.of("accuracy>0.5"), cells)
    assert (opposite == 1).all()
    assert hoeffding_bentkus(np.array([0.0]), np.array([0]), 0.1).tolist() == [1.0]


def test_other_ratios_of_counts_have_a_finite_sample_guarantee_too():
    """F2 above b is a positive mean of 5 (1 − b) per hit, −4 b per miss and −b per false alarm."""
    found = hs.certified_threshold(SCORES, "fbeta+beta=2>0.6", starts=[0.3])
    assert found.method == "hoeffding_bentkus"
    assert found.is_finite_sample
    said = found.threshold <= SCORE
    hits, misses, alarms = (said & (Y_TRUE == 1)).sum(), (~said & (Y_TRUE == 1)).sum(), (said & (Y_TRUE == 0)).sum()
    gain = 5 * 0.4 * hits - 4 * 0.6 * misses - 0.6 * alarms
    most, least = 5 * 0.4, -4 * 0.6
    loss, bound = (400 * most - gain) / (most - least), most / (most - least)
    assert found.p_values[0] == pytest.approx(float(hoeffding_bentkus(np.array(loss), np.array(400), bound)))
    assert found.p_values[0] <= 0.05


def test_exact_p_values_without_a_trial_are_one():
    """No predicted positive case: precision is unknown."""
    precision = Proportion(np.array([[0, 0], [0, 1]]), np.array([[0, 1], [0, 1]]), (1, 1), (0, 1))
    cells = np.array([[[5.0, 0.0], [5.0, 0.0]]])
    assert binomial_p_values(precision, Requirement.of("precision>0.5"), cells).tolist() == [1.0]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hs.certified_threshold(SCORES, "roc_auc>0.5"), "roc_auc"),
        (lambda: hs.certified_threshold(hs.from_counts([[5, 1], [2, 6]]), "recall>0.5"), "scores"),
        (lambda: hs.certified_threshold(hs.calibrated(SCORE), "recall>0.5"), "needs labels"),
        (lambda: hs.certified_threshold(hs.scores(Y_TRUE, 9 * SCORE), "f1>0.5"), "Give `starts`"),
        (lambda: hs.certified_threshold(SCORES, "f1>0.5", starts=[]), "list of thresholds"),
        (lambda: hs.certified_threshold(SCORES, "f1>0.5", starts="some"), "starts"),
        (lambda: hs.certified_threshold(SCORES, "f1>0.5", starts=[30]), r"`starts` has 30.* Did you mean 0\.3"),
        (lambda: hs.certified_threshold(SCORES, "f1>0.5", starts=[0.3, -1]), "`starts` has -1.* Give thresholds there"),
        (lambda: hs.certified_threshold(hs.scores(Y_TRUE, 9 * SCORE), "f1>0.5", starts=[10, 20]), "`starts` has 10"),
        (lambda: hs.certified_threshold(SCORES, "recall>0.5", starts=[0.5]), "drop it"),
        (lambda: hs.certified_threshold(SCORES, "recall>0.5", choose="best"), "choose"),
        (lambda: hs.certified_threshold(SCORES, "recall>50"), r"Did you mean 0\.5"),
    ],
)
def test_refusals_name_the_remedy(call, words):
    """Each is one line."""
    with pytest.raises(hs.HowsureError, match=words):
        call()


def test_equal_scores_are_one_threshold():
    """A certified threshold is a score of the sample."""
    rounded = hs.certified_threshold(hs.scores(Y_TRUE, SCORE.round(1)), "recall>0.8")
    assert rounded.threshold in SCORE.round(1)
    constant = hs.certified_threshold(hs.scores(Y_TRUE, np.full(400, 0.5)), "recall>0.8")
    assert constant.threshold == 0.5


def test_results_survive_pickle():
    """All fields stay."""
    found = hs.certified_threshold(SCORES, ["recall>0.8", "fpr<0.5"])
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()


def is_met(requirement, threshold):
    """Return whether the population meets a requirement at a threshold."""
    at = logit(threshold) if 0 < threshold < 1 else math.copysign(math.inf, threshold - 0.5)
    tp, fp = 0.4 * norm.sf(at - 1), 0.6 * norm.sf(at + 1)
    return {"recall>0.9": tp > 0.36, "precision>0.7": tp > 0.7 * (tp + fp), "f1>0.7": 2 * tp > 0.7 * (0.4 + tp + fp)}[
        requirement
    ]


@pytest.mark.parametrize(
    "requirement",
    ["precision>0.7", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("recall>0.9", "f1>0.7"))],
)
def test_the_guarantee_holds_in_simulated_studies(requirement):
    """At most 10 % of 300 studies break it, with the Monte Carlo error of 1.7 %."""
    found = [
        hs.certified_threshold(hs.scores(*sample(150, seed)), requirement, confidence_level=0.9) for seed in range(300)
    ]
    broken = [each.is_certified and not is_met(requirement, each.threshold) for each in found]
    assert np.mean(broken) <= 0.1 + 2 * 0.0173
    assert sum(each.is_certified for each in found) > 30
