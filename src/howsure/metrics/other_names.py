"""Names that other packages and fields have for metrics: howsure's name for some, advice for the rest."""

from __future__ import annotations

import re

from howsure.errors import HowsureError
from howsure.metrics.registry import REGISTRY
from howsure.names import by_word, canonical, squeezed

NUMBERED = (  # names with a number, and the metric that they mean
    (r"f_?(\d+(?:\.\d+)?)(?:_score)?", "fbeta+beta={}"),
    (r"top_?(\d+)(?:_accuracy)?", "top_k_accuracy+k={}"),
    (r"pass_at_(\d+)", "pass_at+k={}"),
    (r"m?ap_?([579][05])", "map+iou=0.{}"),
    (r"pass(?:\^|_all_)(\d+)", "pass_all+k={}"),
)
SIGNS = {"lr+": "plr", "lr_": "nlr", "lr−": "nlr"}  # likelihood ratios; a plus would start an argument
AVERAGES = ("macro", "micro", "weighted", "mean")  # as others write them into a metric's name
AVERAGED = re.compile(rf"(?<![^_])({'|'.join(AVERAGES)})_(?:averaged?|avg)(?![^_])")
MEANT = {  # the names that mean a metric, without blanks and signs
    "accuracy": "overallaccuracy overallacc oa opa overallpercentagreement efficiency pixelaccuracy proportioncorrect "
    "correctlyclassifiedinstances categoricalaccuracy sparsecategoricalaccuracy",
    "error_rate": "err merror multierror misclassification incorrectlyclassifiedinstances",
    "balanced_accuracy": "uar unweightedaveragerecall meanperclassaccuracy meanclassaccuracy",
    "balanced_accuracy+adjusted=true": "normmacrorecall",
    "fnr@macro": "balancederrorrate ber meanperclasserror halftotalerrorrate hter acer",
    "recall": "pod probabilityofdetection tprate producersaccuracy ppa positivepercentagreement tar",
    "recall@min": "minperclassaccuracy",
    "selection_rate": "pprev",
    "specificity": "npa negativepercentagreement",
    "precision": "pospredvalue usersaccuracy successratio",
    "npv": "negpredvalue",
    "fpr": "pofd probabilityoffalsedetection falsealarmrate fprate fmr falsematchrate 1specificity",
    "fnr": "frr falserejectionrate fnmr falsenonmatchrate omissionerror",
    "fdr": "falsealarmratio commissionerror",
    "f1": "dsc sorensen sorensendice",
    "fbeta+beta=0.5": "f0point5",
    "jaccard": "csi",
    "jaccard@macro": "miou meaniou",
    "jaccard@weighted": "fwiou frequencyweightediou",
    "informedness": "tss trueskillstatistic pss peirceskillscore hanssenkuipers",
    "markedness": "mk",
    "mcc": "overallmcc",
    "kappa": "hss heidkeskillscore kappastatistic kappacoefficient",
    "quadratic_weighted_kappa": "kappaquadratic",
    "linear_weighted_kappa": "kappalinear",
    "brennan_prediger": "pabak",
    "percent_agreement": "percentageagreement agreement rawagreement",
    "roc_auc": "aucroc rocarea",
    "roc_auc@macro": "rocaunu",
    "roc_auc@weighted": "rocaunp",
    "average_precision": "aucpr aupr prcarea prarea",
    "log_loss": "mlogloss multilogloss nll negativeloglikelihood",
    "brier_skill": "bss scaledbrier ipa indexofpredictionaccuracy",
    "observed_expected": "oe",
    "calibration_intercept+slope=fixed": "citl calibrationinthelarge",
    "mean": "avg",
}
ADVICE = {  # the names that mean no metric, by what is said of them
    "needs its limit: 'roc_auc+max_fpr=0.1' up to a false positive rate, 'roc_auc+min_tpr=0.9' from a true positive "
    "rate. `+standardized=false` gives the plain area.": "partialauc pauc partialrocauc rocpauc",
    "is 2 × 'roc_auc' − 1. Estimate 'roc_auc', and convert its limits in the same way.": "gini ginicoefficient "
    "normalizedgini accuracyratio somersd dxy gaincapture rocss",
    "is the largest 'informedness' of all thresholds. `hs.optimal_threshold` of scores estimates it.": "ks ksstatistic "
    "kolmogorovsmirnov",
    "is 'fpr' where access is decided (false acceptance rate), and 'fdr' of forecasts (false alarm ratio). Ask for one "
    "of them.": "far",
    "is 1 − 'specificity_at+sensitivity=0.95'. Estimate that, and subtract its limits from 1.": "fpr95 fpr95tpr "
    "fprat95tpr fpratrecall95",
    "is where 'fpr' and 'fnr' are equal. `hs.det_curve` of scores shows both, with bands.": "eer equalerrorrate",
    "is κ / (2 − κ), where κ is 'kappa'. Estimate that, and convert its limits in the same way.": "ets gss "
    "equitablethreatscore gilbertskillscore",
    "is 'balanced_accuracy', the mean of the recalls of the classes, or 'class_accuracy@macro', the mean of their "
    "accuracies against the rest. Ask for one of them.": "aa averageaccuracy macroaccuracy",
    "is 'f1' of the class in `hs.confusion` of two raters, and 'f1@none' of each class.": "specificagreement "
    "positiveagreement negativeagreement",
    "is a ratio of variances. For numerical ratings estimate 'krippendorff_alpha+level=interval', for repeated runs of "
    "tasks 'icc' of `hs.trials`.": "icc1 icc2 icc3 icc11 icc21 icc31 icc1k icc2k icc3k",
    "is the mean of kappa over the pairs of raters. 'conger_kappa' pools the pairs.": "lightkappa lightskappa",
    "is 1 / 'informedness'. Estimate that, and take the reciprocals of its limits.": "nnd numberneededtodiagnose",
    "is 1 / 'observed_expected'. Estimate that, and take the reciprocals of its limits.": "eo eoratio expectedobserved "
    "expectedobservedratio",
    "is of the k highest scores. For one ranking estimate 'precision', 'recall' or 'lift' with `threshold=` the k-th "
    "highest score; the interval takes it as fixed. For queries make a table of their numbers by `hs.values`.": ""
    "precisionatk precisionat10 recallatk recallat10 liftatk topkprecision",
    "is 1 − 'flip_rate'. Estimate that of `hs.trials`, and subtract its limits from 1.": "consistency agreementofruns",
    "is exp('log_loss'). Estimate that, and take exp of its limits.": "perplexity ppl",
    "is a test of calibration. Estimate how far from calibrated the scores are: 'calibration_slope', 'ici' or "
    "'smooth_ece'.": "hosmerlemeshow hosmerlemeshowtest spiegelhalter spiegelhalterz",
    "compares groups in 'selection_rate'. Use `hs.gaps` of a table made with `by=`; its `difference` and `ratio` have "
    "intervals.": "demographicparity demographicparitydifference demographicparityratio statisticalparity "
    "statisticalparitydifference disparateimpact disparateimpactratio adverseimpactratio fourfifthsrule",
    "compares groups in 'recall' and 'fpr'. Use `hs.gaps` of a table made with `by=`; its `difference` and `ratio` "
    "have intervals.": "equalizedodds equalizedoddsdifference equalizedoddsratio averageodds averageoddsdifference "
    "averageabsoddsdifference",
    "compares groups in 'recall'. Use `hs.gaps` of a table made with `by=`; its `difference` and `ratio` have "
    "intervals.": "equalopportunity equalopportunitydifference equalopportunityratio",
    "compares two models. Use `hs.compare` of `hs.paired_scores` in 'brier_score', 'roc_auc' or "
    "'net_benefit+threshold=0.2'.": "nri idi netreclassificationimprovement integrateddiscriminationimprovement",
    "compares the set of labels of each case. Use `hs.f1_score` with the average 'samples', or the function of the "
    "same kind.": "f1samples samplesf1 jaccardsamples precisionsamples recallsamples",
    "compares the set of labels of each case. Use `hs.accuracy_score` or `hs.zero_one_loss`.": "subsetaccuracy",
    "is a number of each case or query. Make a table of these numbers by `hs.values`, and ask for their 'mean'.": ""
    "exactmatch em accnorm rouge rouge1 rouge2 rougel rougelsum bertscore bertscoref1 bleurt comet meteor toxicity "
    "faithfulness answerrelevancy mrr meanreciprocalrank reciprocalrank ndcg ndcgscore dcg dcgscore lrap "
    "labelrankingaverageprecisionscore coverageerror hit hits refusalrate hallucinationrate successrate "
    "resolverate attacksuccessrate mape maj cons majorityvote selfconsistency bestofn bon",
    "is a ratio of sums. Make a table of the rates of the texts by `hs.values`, with their lengths as weights, and ask "
    "for their 'mean'.": "wer cer worderrorrate charactererrorrate",
    "is no metric of classes. `hs.bootstrap` gives the interval of any function of the cases.": "bleu "
    "sacrebleu chrf pearson pearsonr spearman spearmanr kendall kendalltau kendallw ari nmi "
    "ami adjustedrandscore randscore "
    "normalizedmutualinfoscore adjustedmutualinfoscore mutualinfoscore vmeasure vmeasurescore homogeneityscore "
    "completenessscore fowlkesmallowsscore purity silhouette explainedvariance harrellsc psi hmeasure cllr dprime",
}
METRIC_OF = by_word(MEANT)
ADVICE_OF = by_word(ADVICE)


def meant(name: str) -> tuple[str, str]:
    """Return the metric, with arguments, and the average that another package's name means; empty if none.

    Parameters
    ----------
    name : str
        The name, in lower case with underscores.

    Examples
    --------
    >>> meant("f2_score"), meant("macro_averaged_f1"), meant("miou"), meant("cohenkappa")
    (('fbeta+beta=2', ''), ('f1', 'macro'), ('jaccard', 'macro'), ('cohen_kappa', ''))
    """
    for pattern, metric in NUMBERED:
        if number := re.fullmatch(pattern, name):
            return metric.format(number[1]), ""
    if pairs := re.fullmatch(r"roc_auc_(ov[ro])(_weighted)?", name):
        return "roc_auc", f"{'weighted' if pairs[2] else 'macro'}+multi_class={pairs[1]}"
    short = AVERAGED.sub(r"\1", name)
    for average in AVERAGES:
        own = short.removeprefix(f"{average}_").removesuffix(f"_{average}")
        definition = None if own == short else REGISTRY.find(own)
        if definition is not None and definition.has_averages:
            return definition.name, average
    return _of_others(name)


def _of_others(name: str) -> tuple[str, str]:
    """Return the metric and the average of a name that is listed here, or is one of howsure's but for its signs."""
    plain = squeezed(name)
    known = SIGNS | METRIC_OF | {squeezed(each): each for each in REGISTRY.names}
    found = [known[each] for each in (name, plain, plain.removeprefix("binary")) if each in known]
    metric, _, average = found[0].partition("@") if found else ("", "", "")
    return metric, average


def advice(name: str) -> str:
    """Return a sentence on a name that means no metric of howsure; empty if there is none."""
    found = ADVICE_OF.get(squeezed(name))
    return f"'{name}' {found}" if found else ""


def unknown(name: str) -> HowsureError:
    """Return the error for a name that no metric has, with the remedy: another metric, or the nearest names."""
    if "," in name:
        several = ", ".join(repr(each.strip()) for each in name.split(","))
        return HowsureError(f"There is no metric '{name}'. Name several as a list: [{several}].")
    if said := advice(name):
        return HowsureError(said, "unknown-metric")
    positive = re.fullmatch(r"neg_(\w+)", canonical(name))
    if positive and REGISTRY.find(positive[1]):
        return HowsureError(
            f"'{name}' is scikit-learn's name for the metric times −1. Ask for '{positive[1]}': lower is better."
        )
    return HowsureError.unknown("metric", name.partition("+")[0].strip(), REGISTRY.names)
