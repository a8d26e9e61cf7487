"""Tables at stated frequencies of the classes."""

import numpy as np
import pytest

import howsure as hs
from howsure.designs.base import RELATIVE_TOLERANCE
from howsure.methods.default import default_method
from howsure.metrics.binding import resolve
from howsure.tables.confusion import ConfusionTable

COUNTS = [[180, 20], [10, 90]]
RARE = [0.99, 0.01]


def test_predictive_values_are_those_of_bayes_rule():
    """Precision is ``p TPR / (p TPR + (1 - p) FPR)``, with the delta method's error of two independent rates."""
    table = hs.from_counts(COUNTS).at_prevalence(RARE)
    found = hs.estimate(table, "precision", method="wald")
    true, false = 0.9, 0.1
    value = 0.01 * true / (0.01 * true + 0.99 * false)
    # log odds of precision: log(p / (1 - p)) + log TPR - log FPR
    spread = (1 - true) / (true * 100) + (1 - false) / (false * 200)
    assert found.value == pytest.approx(value)
    assert found.standard_error == pytest.approx(value * (1 - value) * np.sqrt(spread))
    for metric in ("ppv_at", "npv_at"):
        stated = hs.estimate(hs.from_counts(COUNTS), f"{metric}+prevalence=0.01", method="wald")
        plain = hs.estimate(table, {"ppv_at": "precision", "npv_at": "npv"}[metric], method="wald")
        assert [plain.value, plain.standard_error] == pytest.approx([stated.value, stated.standard_error])


def test_a_published_example():
    """If 1 % of women of 40 have the disease, a test of recall 80 % and false positive rate 9.6 % has precision 7.8 %.

    Eddy (1982), in Judgment under Uncertainty, with Gigerenzer and Hoffrage's (1995) rates.
    """
    table = hs.from_counts([[904, 96], [20, 80]], labels=["healthy", "ill"])
    found = hs.estimate(table.at_prevalence({"ill": 0.01, "healthy": 0.99}), "precision")
    assert round(found.value, 3) == 0.078


def test_rates_of_a_class_do_not_depend_on_frequencies():
    """Recall and specificity have the value and interval that they have at any other frequency."""
    plain = hs.from_counts(COUNTS)
    for metric in ("recall", "specificity"):
        own, other = hs.estimate(plain, metric), hs.estimate(plain.at_prevalence(RARE), metric)
        assert [other.value, other.low, other.high] == pytest.approx([own.value, own.low, own.high])


def test_frequencies_that_are_stated_are_certain():
    """The frequency of a class does not vary, and has no interval; one that is estimated has its own error."""
    table = hs.from_counts(COUNTS)
    known = hs.estimate(table.at_prevalence(RARE), "prevalence")
    assert known.value == pytest.approx(0.01)
    assert known.reason == "the metric does not vary between samples of this design"
    spread = 0.03**2 * np.array([[1, -1], [-1, 1]])
    found = table.at_prevalence([0.7, 0.3], covariance=spread)
    assert hs.estimate(found, "prevalence").standard_error == pytest.approx(0.03)
    one = hs.estimate(found, "precision", method="wald").standard_error
    other = hs.estimate(table.at_prevalence([0.7, 0.3]), "precision", method="wald").standard_error
    slope = 0.9 * 0.1 / (0.3 * 0.9 + 0.7 * 0.1) ** 2  # of precision by the frequency
    assert one**2 - other**2 == pytest.approx((0.03 * slope) ** 2)


def test_scores_at_stated_frequencies():
    """ROC AUC stays as it is, average precision follows the frequency, and a threshold gives the table there."""
    rng = np.random.default_rng(2)
    truth = np.repeat([0, 1], [120, 80])
    score = 1 / (1 + np.exp(-2 * truth + 1 - rng.normal(size=200)))
    table = hs.scores(truth, score)
    rare = table.at_prevalence({0: 0.95, 1: 0.05})
    one, two = hs.estimate(table, "roc_auc"), hs.estimate(rare, "roc_auc")
    assert [two.value, two.low, two.high] == pytest.approx([one.value, one.low, one.high], rel=1e-6)
    weight = np.where(truth == 1, 0.05 / 80, 0.95 / 120)
    weighted = hs.estimate(hs.scores(truth, score, sample_weight=weight), "average_precision")
    assert hs.estimate(rare, "average_precision").value == pytest.approx(weighted.value)
    at, after = rare.at(0.5), table.at(0.5).at_prevalence([0.95, 0.05])
    assert at.counts == pytest.approx(after.counts)
    for metric in ("precision", "f1", "mcc"):
        own, other = hs.estimate(at, metric), hs.estimate(after, metric)
        assert [own.value, own.low, own.high] == pytest.approx([other.value, other.low, other.high])


def test_groups_and_models_at_stated_frequencies():
    """Each group's table, and each model's table in a joint one, is the one that it has alone."""
    rng = np.random.default_rng(4)
    truth, site = rng.integers(0, 2, 90), np.arange(90) % 3
    said = {name: np.where(rng.random(90) < 0.8, truth, 1 - truth) for name in "AB"}
    groups = hs.confusion(truth, said["A"], by=site).mapped(lambda tables: tables.at_prevalence(RARE))
    for key in range(3):
        alone = hs.confusion(truth[site == key], said["A"][site == key]).at_prevalence(RARE)
        own, other = hs.estimate(groups[key], "f1"), hs.estimate(alone, "f1")
        assert [own.value, own.low, own.high] == pytest.approx([other.value, other.low, other.high])
    both = hs.paired(truth, said).at_prevalence(RARE)
    alone = hs.confusion(truth, said["B"]).at_prevalence(RARE)
    own, other = hs.estimate(both.model("B"), "precision"), hs.estimate(alone, "precision")
    assert [own.value, own.standard_error] == pytest.approx([other.value, other.standard_error])


def test_many_classes_and_labels_by_name():
    """Rows of a table of many classes add up to the stated shares."""
    table = hs.from_counts([[20, 3, 1], [4, 30, 2], [1, 1, 9]], labels=["a", "b", "c"])
    found = table.at_prevalence({"c": 0.01, "a": 0.9, "b": 0.09})
    assert found.counts.sum(1) / found.counts.sum() == pytest.approx([0.9, 0.09, 0.01])
    assert "stated class frequencies" in found.design.description.sample
    assert any("The classes count as often as is stated (a 0.9, b 0.09, c 0.01)" in each for each in found.cautions)


def test_a_series_is_read_by_its_index():
    """Shares in a pandas series, as of counted labels, are those of the classes that its index names."""
    pandas = pytest.importorskip("pandas")
    table = hs.from_counts(COUNTS, labels=["well", "ill"])
    used = pandas.Series(["well"] * 1 + ["ill"] * 99).value_counts(normalize=True)  # the most frequent first
    found, named = table.at_prevalence(used), table.at_prevalence({"well": 0.01, "ill": 0.99})
    assert found.counts == pytest.approx(named.counts)


NO_COVARIANCE = (0.1, "x", [[np.nan] * 2] * 2, [[-1, 1], [1, -1]], [[1, -1], [1, -1]], [[0.1, 0.0], [0.0, 0.1]])


@pytest.mark.parametrize("covariance", NO_COVARIANCE)
def test_what_is_no_covariance_of_shares_is_refused(covariance):
    """A covariance is a matrix of the classes, symmetric and of no negative variance, whose rows sum to 0."""
    with pytest.raises(hs.HowsureError, match="`covariance` is no covariance of 2 shares that sum to 1"):
        hs.from_counts(COUNTS).at_prevalence(RARE, covariance=covariance)


REFUSED = {
    "shares that sum to 1|share, that sum to 1": [0.9, 0.2],
    "give each class a share": [1.0],
    "class 'x'": {"x": 0.5, "1": 0.5},
    "sum to 1: of '?0'? and": {"0": 1.0},
}


@pytest.mark.parametrize("message", REFUSED)
def test_shares_that_are_none_are_refused(message):
    """Shares must be of every class and sum to 1."""
    with pytest.raises(hs.HowsureError):
        hs.from_counts(COUNTS).at_prevalence(REFUSED[message])


def test_classes_without_cases_tell_nothing():
    """A class with a frequency but no case, and tables without counted labels, are refused."""
    with pytest.raises(hs.HowsureError, match=r"Class 1 has a share of 0.01 and no case"):
        hs.from_counts([[5, 2], [0, 0]]).at_prevalence(RARE)
    for table in (hs.calibrated([0.2, 0.9, 0.4]).at(0.5), hs.confusion(np.eye(3), np.eye(3))):
        with pytest.raises(hs.HowsureError, match="`at_prevalence` is for counted cases"):
            table.at_prevalence(RARE)


def test_precision_at_one_percent_covers():
    """With 50 to 200 cases of each class the intervals at 1 % cover, with positive width, also without any error.

    With 800 studies the simulated coverage has a standard error of 0.8 percentage points at 95 %; if false positives
    are rarely seen, coverage is higher.
    """
    rng = np.random.default_rng(8)
    for cases, false in ((50, 0.02), (100, 0.1), (200, 0.005)):
        wrong, right = rng.binomial(cases, false, 800), rng.binomial(cases, 0.85, 800)
        counts = np.stack([np.stack([cases - wrong, wrong], -1), np.stack([cases - right, right], -1)], -2)
        tables = ConfusionTable(counts=counts.astype(float), labels=np.arange(2)).at_prevalence(RARE)
        truth = np.array([[0.99 * (1 - false), 0.99 * false], [0.0015, 0.0085]])
        for name in ("precision", "f1", "mcc"):
            metric = resolve(name, tables)
            found = default_method(metric, tables).interval(metric, tables, 0.95)
            true = float(metric(tables.make_counts(truth.reshape(1, 4)))[0])
            covered = ((found.low <= true) & (true <= found.high)).mean()
            assert 0.925 < covered < 0.995, (cases, false, name, covered)
            assert (found.high - found.low > RELATIVE_TOLERANCE).all()


@pytest.mark.parametrize("method", ["mid_p", "wilson", "flow", "delta", "bayes", "bootstrap_percentile"])
def test_no_method_doubts_a_stated_frequency(method):
    """With any method, a stated frequency has no interval, but a reason."""
    found = hs.estimate(hs.from_counts(COUNTS).at_prevalence(RARE), "prevalence", method=method, random_state=0)
    assert np.isnan(found.low)
    assert found.reason


def test_one_number_is_the_frequency_of_the_positive_class():
    """Of two classes one frequency says both; of three it does not, and one beyond 1 is refused."""
    table = hs.from_counts([[80, 20], [10, 90]], labels=["well", "ill"])
    found = hs.estimate(table.at_prevalence(0.02), "precision")
    assert found.value == pytest.approx(0.02 * 0.9 / (0.02 * 0.9 + 0.98 * 0.2))
    turned = hs.from_counts([[80, 20], [10, 90]], labels=["well", "ill"], pos_label="well")
    assert hs.estimate(turned.at_prevalence(0.98), "npv").value == pytest.approx(found.value)
    for wrong, each in ((0.2, hs.from_counts(np.eye(3) + 4)), (1.2, table), (-0.1, table), (True, table)):
        with pytest.raises(hs.HowsureError, match=f"is {wrong}; give each class a share"):
            each.at_prevalence(wrong)
