"""Metrics of one class against the rest, and of how many cases are right.

Each function of ``(tp, fn, fp, tn)`` is one definition: its average over classes, its gradient and its
intervals follow. Those that return two values are ratios of linear forms in the counts.
"""

from __future__ import annotations

import numpy as np

from howsure.arrays import Array
from howsure.errors import HowsureError, of_per_cent
from howsure.metrics.forms import divide, mean_of_defined
from howsure.metrics.registry import margins_metric, margins_ratio, outcomes_metric, outcomes_ratio
from howsure.native.outcomes import summed

Pair = tuple[Array, Array]
INFINITY = float("inf")


@outcomes_ratio(
    aliases=("tpr", "sensitivity", "sens", "hit_rate", "true_positive_rate", "tpr_score", "recall_score"),
    sklearn="recall_score",
)
def recall(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of the class that is predicted as it, tp / (tp + fn)."""
    return tp, tp + fn


@outcomes_ratio(
    aliases=("tnr", "spec", "selectivity", "true_negative_rate", "tnr_score", "specificity_score"),
    sklearn="recall_score",
)
def specificity(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of the other classes that is not predicted as this one, tn / (tn + fp)."""
    return tn, tn + fp


@outcomes_ratio(
    aliases=("ppv", "prec", "positive_predictive_value", "ppv_score", "precision_score"),
    sklearn="precision_score",
)
def precision(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of the predictions of the class that is right, tp / (tp + fp)."""
    return tp, tp + fp


@outcomes_ratio(aliases=("negative_predictive_value", "npv_score"))
def npv(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of the predictions of other classes that is right, tn / (tn + fn)."""
    return tn, tn + fn


@outcomes_ratio(aliases=("fall_out", "false_positive_rate", "fpr_score"), better="lower")
def fpr(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of the other classes that is predicted as this one, fp / (fp + tn)."""
    return fp, fp + tn


@outcomes_ratio(aliases=("miss_rate", "false_negative_rate", "fnr_score"), better="lower")
def fnr(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of the class that is missed, fn / (fn + tp)."""
    return fn, fn + tp


@outcomes_ratio(aliases=("false_discovery_rate",), better="lower")
def fdr(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of the predictions of the class that is wrong, fp / (fp + tp)."""
    return fp, fp + tp


@outcomes_ratio(name="for", aliases=("false_omission_rate",), better="lower")
def false_omission_rate(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of the predictions of other classes that is wrong, fn / (fn + tn)."""
    return fn, fn + tn


@outcomes_ratio(
    aliases=("f1_score", "f_measure", "f_meas", "dice", "dice_score", "dice_coefficient"), sklearn="f1_score"
)
def f1(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn)."""
    twice = 2 * tp
    return twice, twice + fp + fn


def _square(beta: float) -> float:
    """Return the square of beta, how many times as important recall is as precision."""
    if beta < 0:
        raise HowsureError(f"`beta` is 0 or more, not {beta:g}.")
    return beta * beta


@outcomes_ratio(aliases=("fbeta_score", "f_beta"), sklearn="fbeta_score")
def fbeta(tp: Array, fn: Array, fp: Array, tn: Array, beta: float = 1.0) -> Pair:
    """Harmonic mean of precision and recall with recall ``beta`` times as important."""
    square = _square(beta)
    return (1 + square) * tp, (1 + square) * tp + square * fn + fp


@outcomes_ratio(
    aliases=("jaccard_score", "threat_score", "critical_success_index", "jaccard_index", "iou"),
    sklearn="jaccard_score",
)
def jaccard(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Intersection over union of the class and its predictions, tp / (tp + fp + fn)."""
    return tp, tp + fp + fn


@outcomes_ratio(better="neither")
def prevalence(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of all cases that are of the class, (tp + fn) / n."""
    return tp + fn, tp + fn + fp + tn


@outcomes_ratio()
def pass_rate(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of all cases that truly are of the class, the one that passes, (tp + fn) / n."""
    return tp + fn, tp + fn + fp + tn


@outcomes_ratio(
    aliases=("predicted_prevalence", "detection_prevalence", "selection_rate", "predicted_positive_rate"),
    better="neither",
)
def model_bias(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of all cases that are predicted as the class, (tp + fp) / n."""
    return tp + fp, tp + fn + fp + tn


@outcomes_ratio(aliases=("detection_rate",))
def diag_mass(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of all cases that are of the class and predicted as it, tp / n."""
    return tp, tp + fn + fp + tn


@outcomes_ratio()
def class_accuracy(tp: Array, fn: Array, fp: Array, tn: Array) -> Pair:
    """Share of all cases on which the class-against-rest decision is right, (tp + tn) / n."""
    return tp + tn, tp + fn + fp + tn


@outcomes_metric(
    aliases=("youden_j", "youdens_j", "youden_index", "j_index", "youdenj", "bm", "bookmaker_informedness", "youden"),
    range=(-1.0, 1.0),
    terms=("recall", "specificity"),
    random=0.0,
)
def informedness(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Youden's J, recall + specificity - 1."""
    return divide(tp, tp + fn) + divide(tn, tn + fp) - 1


@outcomes_metric(aliases=("delta_p",), range=(-1.0, 1.0), terms=("precision", "npv"), random=0.0)
def markedness(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Precision + negative predictive value - 1."""
    return divide(tp, tp + fp) + divide(tn, tn + fn) - 1


def _rates_at(tp: Array, fn: Array, fp: Array, tn: Array, prevalence: float) -> tuple[Array, Array]:
    """Return recall and false positive rate, where the prevalence can be one."""
    if not 0 < prevalence < 1:
        hint = of_per_cent(prevalence)
        raise HowsureError(f"`prevalence` of a predictive value lies between 0 and 1, not {prevalence:g}.{hint}")
    return divide(tp, tp + fn), divide(fp, fp + tn)


@outcomes_metric(aliases=("precision_at_prevalence", "ppv_at_prevalence"))
def ppv_at(tp: Array, fn: Array, fp: Array, tn: Array, prevalence: float) -> Array:
    """Precision at a stated prevalence, from recall and specificity by Bayes' theorem."""
    true, false = _rates_at(tp, fn, fp, tn, prevalence)
    return divide(prevalence * true, prevalence * true + (1 - prevalence) * false)


@outcomes_metric(aliases=("npv_at_prevalence",))
def npv_at(tp: Array, fn: Array, fp: Array, tn: Array, prevalence: float) -> Array:
    """Negative predictive value at a stated prevalence, from recall and specificity by Bayes' theorem."""
    true, false = _rates_at(tp, fn, fp, tn, prevalence)
    return divide((1 - prevalence) * (1 - false), (1 - prevalence) * (1 - false) + prevalence * (1 - true))


@outcomes_metric(range=(-1.0, 1.0), random=0.0)
def class_mcc(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Matthews correlation of the class-against-rest decision with the truth; ``mcc@macro`` is its average."""
    spread = (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)
    return divide(tp * tn - fn * fp, np.sqrt(spread))


@outcomes_metric(is_steep_at_zero=True)
def p4(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Harmonic mean of precision, recall, specificity and npv, 4 tp tn / (4 tp tn + (tp + tn)(fp + fn))."""
    return divide(4 * tp * tn, 4 * tp * tn + (tp + tn) * (fp + fn))


@outcomes_metric(aliases=("gmean", "geometric_mean_score"))
def g_mean(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Geometric mean of recall and specificity."""
    return np.asarray(np.sqrt(divide(tp, tp + fn) * divide(tn, tn + fp)))


@outcomes_metric(aliases=("fmi", "g_measure"))
def fowlkes_mallows(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Geometric mean of precision and recall."""
    return np.asarray(np.sqrt(divide(tp, tp + fn) * divide(tp, tp + fp)))


@outcomes_metric(
    aliases=("positive_likelihood_ratio", "lr_plus", "lr_pos"),
    range=(0.0, INFINITY),
    random=1.0,
    sklearn="class_likelihood_ratios",
)
def plr(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Positive likelihood ratio, recall / fpr."""
    return divide(divide(tp, tp + fn), divide(fp, fp + tn))


@outcomes_metric(
    aliases=("negative_likelihood_ratio", "lr_minus", "lr_neg"),
    range=(0.0, INFINITY),
    better="lower",
    random=1.0,
    sklearn="class_likelihood_ratios",
)
def nlr(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Negative likelihood ratio, fnr / specificity."""
    return divide(divide(fn, tp + fn), divide(tn, fp + tn))


@outcomes_metric(aliases=("diagnostic_odds_ratio", "odds_ratio"), range=(0.0, INFINITY), random=1.0)
def dor(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Diagnostic odds ratio, tp tn / (fp fn)."""
    return divide(tp * tn, fp * fn)


def log(value: Array) -> Array:
    """Natural logarithm; nan at 0, where it has no finite value."""
    value = np.asarray(value)
    return np.log(np.where(value == 0, np.nan, value))


@outcomes_metric(aliases=("log_positive_likelihood_ratio", "lplr"), range=(-INFINITY, INFINITY), random=0.0)
def log_plr(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Natural logarithm of the positive likelihood ratio."""
    return log(plr(tp, fn, fp, tn))


@outcomes_metric(
    aliases=("log_negative_likelihood_ratio", "lnlr"), range=(-INFINITY, INFINITY), better="lower", random=0.0
)
def log_nlr(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Natural logarithm of the negative likelihood ratio."""
    return log(nlr(tp, fn, fp, tn))


@outcomes_metric(
    aliases=("log_diagnostic_odds_ratio", "log_odds_ratio", "ldor"), range=(-INFINITY, INFINITY), random=0.0
)
def log_dor(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Natural logarithm of the diagnostic odds ratio."""
    return log(dor(tp, fn, fp, tn))


@outcomes_metric(aliases=("pt", "prev_thresh"), better="lower", random=0.5, is_steep_at_zero=True)
def prevalence_threshold(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Prevalence under which precision falls off most steeply, sqrt(fpr) / (sqrt(tpr) + sqrt(fpr))."""
    true_rate, false_rate = np.sqrt(divide(tp, tp + fn)), np.sqrt(divide(fp, fp + tn))
    return divide(false_rate, true_rate + false_rate)


@outcomes_metric(range=(0.0, INFINITY), random=1.0)
def lift(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """How many times the prevalence the precision is."""
    return divide(divide(tp, tp + fp), divide(tp + fn, tp + fn + fp + tn))


@outcomes_metric(range=(-INFINITY, 1.0), random=0.0)
def precision_gain(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Precision on the harmonic scale from the prevalence (0) to 1, 1 - (prior odds) fp / tp."""
    return 1 - divide((tp + fn) * fp, (fp + tn) * tp)


@outcomes_metric(range=(-INFINITY, 1.0))
def recall_gain(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """Recall on the harmonic scale from the prevalence (0) to 1, 1 - (prior odds) fn / tp."""
    return 1 - divide((tp + fn) * fn, (fp + tn) * tp)


@outcomes_metric(range=(-INFINITY, 1.0))
def f1_gain(tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """F1 on the harmonic scale from the prevalence (0) to 1."""
    return fbeta_gain(tp, fn, fp, tn, 1.0)


@outcomes_metric(range=(-INFINITY, 1.0))
def fbeta_gain(tp: Array, fn: Array, fp: Array, tn: Array, beta: float = 1.0) -> Array:
    """F-beta on the harmonic scale from the prevalence (0) to 1: the mean of the gains of precision and recall."""
    square = _square(beta)
    return 1 - divide((tp + fn) * (square * fn + fp), (fp + tn) * tp * (1 + square))


@margins_ratio(aliases=("acc", "accuracy_score", "top_label_accuracy"), sklearn="accuracy_score")
def accuracy(hits: Array, rows: Array, columns: Array) -> Pair:
    """Share of cases whose prediction is right, the diagonal over n."""
    return summed(hits, -1), summed(rows, -1)


@margins_ratio(
    aliases=("error", "zero_one_loss", "hamming_loss", "misclassification_rate"),
    better="lower",
    sklearn="zero_one_loss",
)
def error_rate(hits: Array, rows: Array, columns: Array) -> Pair:
    """Share of cases whose prediction is wrong."""
    total = rows.sum(-1)
    return total - hits.sum(-1), total


def _balanced_range(_: int, *, adjusted: bool = False) -> tuple[float, float]:
    # The lowest value is -1 / (number of classes that occur - 1), and they may be as few as two.
    return (-1.0, 1.0) if adjusted else (0.0, 1.0)


@margins_metric(
    aliases=("ba", "balanced_accuracy_score", "bacc", "bal_accuracy", "balanced_acc"),
    range=_balanced_range,
    terms=("recall",),
    sklearn="balanced_accuracy_score",
)
def balanced_accuracy(hits: Array, rows: Array, columns: Array, *, adjusted: bool = False) -> Array:
    """Mean recall over the classes that occur; ``adjusted`` puts a random classifier at 0."""
    recalls = divide(hits, rows)
    mean = mean_of_defined(recalls)
    if not adjusted:
        return mean
    chance = 1 / np.maximum((~np.isnan(recalls)).sum(-1), 2)
    return divide(mean - chance, 1 - chance)
