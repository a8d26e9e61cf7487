"""Names of metrics in other packages and fields."""

import numpy as np
import pytest

import howsure as hs
from howsure.metrics.averages import canonical_average
from howsure.metrics.other_names import ADVICE, ADVICE_OF, MEANT, METRIC_OF
from howsure.metrics.registry import REGISTRY
from howsure.metrics.spec import parse
from howsure.names import squeezed

TP, FN, FP, TN = 50, 7, 11, 132
TWO = hs.from_counts([[TN, FP], [FN, TP]])
THREE = np.array([[40.0, 3, 7], [5, 60, 2], [1, 9, 30]])
N = TP + FN + FP + TN
OF_TWO_CLASSES = {  # by the textbooks of forecasts, of biometrics, of land cover and of diagnostic tests
    "CSI": TP / (TP + FN + FP),
    "POD": TP / (TP + FN),
    "POFD": FP / (FP + TN),
    "success ratio": TP / (TP + FP),
    "false alarm ratio": FP / (TP + FP),
    "false alarm rate": FP / (FP + TN),
    "TSS": (TP * TN - FP * FN) / ((TP + FN) * (FP + TN)),
    "Heidke skill score": 2 * (TP * TN - FN * FP) / ((TP + FN) * (FN + TN) + (TP + FP) * (FP + TN)),
    "proportion correct": (TP + TN) / N,
    "FRR": FN / (TP + FN),
    "FMR": FP / (FP + TN),
    "HTER": (FP / (FP + TN) + FN / (TP + FN)) / 2,
    "producer's accuracy": TP / (TP + FN),
    "User's accuracy": TP / (TP + FP),
    "omission error": FN / (TP + FN),
    "commission error": FP / (TP + FP),
    "PPA": TP / (TP + FN),
    "NPA": TN / (TN + FP),
    "OPA": (TP + TN) / N,
    "Pos Pred Value": TP / (TP + FP),
    "Neg Pred Value": TN / (TN + FN),
    "1-specificity": FP / (FP + TN),
    "TP Rate": TP / (TP + FN),
    "DSC": 2 * TP / (2 * TP + FN + FP),
    "BinaryF1Score": 2 * TP / (2 * TP + FN + FP),
    "f0point5": 1.25 * TP / (1.25 * TP + 0.25 * FN + FP),
    "MK": TP / (TP + FP) + TN / (TN + FN) - 1,
    "LR+": TP / (TP + FN) * (FP + TN) / FP,
    "LR-": FN / (TP + FN) * (FP + TN) / TN,
}
SHARES = np.diag(THREE) / THREE.sum(1)
OVERLAPS = np.diag(THREE) / (THREE.sum(0) + THREE.sum(1) - np.diag(THREE))
F1 = 2 * np.diag(THREE) / (THREE.sum(0) + THREE.sum(1))
OF_MORE_CLASSES = {
    "UAR": SHARES.mean(),
    "mean per-class accuracy": SHARES.mean(),
    "min_per_class_accuracy": SHARES.min(),
    "BalancedErrorRate": 1 - SHARES.mean(),
    "norm_macro_recall": (SHARES.mean() - 1 / 3) / (1 - 1 / 3),
    "mIoU": OVERLAPS.mean(),
    "MeanIoU": OVERLAPS.mean(),
    "FWIoU": OVERLAPS @ THREE.sum(1) / THREE.sum(),
    "OA": np.trace(THREE) / THREE.sum(),
    "Macro-averaged F1": F1.mean(),
    "Mean_F1": F1.mean(),
    "weighted avg F1-score": F1 @ THREE.sum(1) / THREE.sum(),
    "F1 macro avg": F1.mean(),
}


@pytest.mark.parametrize("name", OF_TWO_CLASSES)
def test_names_of_other_fields_have_their_values(name):
    """Names of metrics of two classes mean the formulas of their fields."""
    assert hs.estimate(TWO, name).value == pytest.approx(OF_TWO_CLASSES[name])


@pytest.mark.parametrize("name", OF_MORE_CLASSES)
def test_names_of_averages_have_their_values(name):
    """Averages over classes by other names mean the formulas of their fields."""
    assert hs.estimate(hs.from_counts(THREE), name).value == pytest.approx(OF_MORE_CLASSES[name])


@pytest.mark.parametrize("name", ["AUC-ROC", "AUC ROC", "ROC Area", "aucroc", "BinaryAUROC"])
def test_signs_and_blanks_of_a_name_do_not_matter(name):
    """Names that differ in hyphens, blanks, capitals or a leading "Binary" are one."""
    assert parse(name).text == "roc_auc"


def test_every_listed_name_means_a_metric_or_has_advice():
    """No name is listed twice, and none is one of howsure's own names; metrics in sentences exist."""
    listed = [name for names in (*MEANT.values(), *ADVICE.values()) for name in names.split()]
    assert len(set(listed)) == len(listed)
    assert not set(listed) & {squeezed(each) for each in REGISTRY.names}
    for name, metric in METRIC_OF.items():
        assert parse(name).text == parse(metric).text, name
    quoted = {each for sentence in ADVICE for each in sentence.split("'")[1::2]}
    assert {"mean", "samples", "roc_auc", "class_accuracy@macro"} <= quoted
    for each in quoted - {"samples"}:
        parse(each)
    functions = {each for sentence in ADVICE for each in sentence.split("`")[1::2] if each.startswith("hs.")}
    assert all(hasattr(hs, each.removeprefix("hs.")) for each in functions)


@pytest.mark.parametrize(
    "name", ["gini", "KS", "FPR95", "Somers' D", "nDCG", "exact_match", "Hosmer-Lemeshow", "f1_samples"]
)
def test_names_that_mean_no_metric_have_advice(name):
    """The error says in one line how to get the number, as `hs.gini` does."""
    with pytest.raises(hs.HowsureError) as caught:
        hs.estimate(TWO, name)
    assert caught.value.code == "unknown-metric"
    assert str(caught.value) == f"'{name}' {ADVICE_OF[squeezed(name)]}"
    if name.isidentifier():
        with pytest.raises(AttributeError, match=f"'{name}' "):
            getattr(hs, name)


def test_conversions_of_the_advice_are_right():
    """Gini, ETS and the number needed to diagnose follow from the named metrics as the sentences say."""
    random = (TP + FN) * (TP + FP) / N
    kappa = hs.estimate(TWO, "kappa").value
    assert (TP - random) / (TP + FN + FP - random) == pytest.approx(kappa / (2 - kappa))
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    score = rng.normal(truth)
    pairs = np.sign(score[truth == 1][:, None] - score[truth == 0])
    assert pairs.mean() == pytest.approx(2 * hs.estimate(hs.scores(truth, score), "roc_auc").value - 1)
    words, errors = np.array([10, 20, 5]), np.array([1, 0, 2])
    rates = hs.values(errors / words, sample_weight=words)
    assert hs.estimate(rates, "mean").value == pytest.approx(errors.sum() / words.sum())


@pytest.mark.parametrize("name", ["neg_max_error", "neg_pred"])
def test_a_negative_of_no_metric_is_not_advised(name):
    """Advice to ask for the metric without "neg" is given only if there is one."""
    with pytest.raises(hs.HowsureError, match="There is no metric"):
        parse(name)


@pytest.mark.parametrize("word, said", [("5", "first 5 results"), ("0.5", "threshold"), ("fpr=0.01", "recall_at")])
def test_numbers_after_the_at_sign_are_explained(word, said):
    """They are cut-offs of rankings, thresholds or points of a curve, and no averages."""
    with pytest.raises(hs.HowsureError, match=said) as caught:
        canonical_average(word)
    assert caught.value.code == "unknown-average"
    with pytest.raises(hs.HowsureError, match=said):
        parse(f"recall@{word}")


def test_a_metric_of_ones_own_has_its_name():
    """A user's metric is meant before the same name in another field."""
    try:
        hs.define_metric(form="outcomes", name="uar")(lambda tp, fn, fp, tn: tp / (tp + fn))
        assert hs.estimate(TWO, "uar").value == pytest.approx(TP / (TP + FN))
    finally:
        REGISTRY.remove("uar")
    assert hs.estimate(TWO, "uar").value == pytest.approx((TP / (TP + FN) + TN / (TN + FP)) / 2)


def test_estimates_show_the_name_that_was_given():
    """The name is that of the request, and the spec string is canonical."""
    estimate = hs.estimate(TWO, "Heidke skill score")
    assert (estimate.metric, parse("Heidke skill score").label) == ("kappa", "heidke_skill_score")
    assert estimate.sentence().startswith("Heidke skill score was 0.78")


@pytest.mark.parametrize(
    "word, average",
    [("macro-average", "macro"), ("Macro avg", "macro"), ("weighted avg", "weighted"), ("per class", "none")],
)
def test_signs_and_blanks_of_an_average_do_not_matter(word, average):
    """Averages are named as classification reports print them, too."""
    assert parse(f"f1@{word}").text == f"f1@{average}"
