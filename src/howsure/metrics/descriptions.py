"""Metrics in words, for reports and sentences."""

from __future__ import annotations

from howsure.errors import HowsureError
from howsure.metrics.spec import named, parse

EXTREMES = {"min": "smallest", "max": "largest"}
ACRONYMS = {
    **{
        name: name.upper()
        for name in (
            *("f1", "f2", "mcc", "npv", "ppv", "auc", "auroc", "dor", "p4", "ece", "ici", "e50", "e90"),
            *("tpr", "fpr", "tnr", "fnr", "tar", "frr", "fmr", "fnmr", "hter"),
            *("csi", "pod", "pofd", "tss", "hss", "bss", "oa", "uar", "ppa", "npa", "opa"),
        )
    },
    "roc_auc": "ROC AUC",
    "lr+": "LR+",
    "lr-": "LR−",
    "observed_expected": "O:E ratio",
    "citl": "calibration in the large",
    "brier_score": "Brier score",
    "brier_skill": "Brier skill",
    "fleiss_kappa": "Fleiss' kappa",
    "conger_kappa": "Conger's kappa",
    "gwet_ac1": "Gwet's AC1",
    "gwet_ac2": "Gwet's AC2",
    "krippendorff_alpha": "Krippendorff's alpha",
}


def metric_words(text: str) -> str:
    """Return a spec string in words; any other name without underscores.

    Examples
    --------
    >>> metric_words("f1@macro"), metric_words("recall@binary+positive_class=ill"), metric_words("log_loss")
    ('F1, macro average', 'recall of ill', 'log loss')
    >>> metric_words("fbeta+beta=2@weighted"), metric_words("sensitivity_at")
    ('fbeta (beta=2), weighted average', 'sensitivity at specificity 0.9')
    >>> metric_words("f1@min")
    'F1, smallest of the classes'
    >>> metric_words("my_own_score"), metric_words("f1@macro_difference")
    ('my own score', 'f1@macro difference')
    """
    try:
        spec = None if named(text) is None else parse(text)
    except HowsureError:  # a name with an ending, such as that of a difference
        spec = None
    if spec is None:
        return text.replace("_", " ")
    name = spec.definition.name if "average" in spec.implied else spec.asked or spec.definition.name
    words = ACRONYMS.get(name, name.replace("_", " "))
    point = name.removesuffix("_at")
    if point != name and spec.stated:
        words = f"{ACRONYMS.get(point, point)} at {', '.join(spec.stated).replace('=', ' ')}"
    elif spec.settings:
        words += f" ({', '.join(spec.settings)})"
    if spec.positive_class:
        return f"{words} of {spec.positive_class}"
    if spec.average in {None, "binary"}:
        return words
    if spec.average in EXTREMES:
        return f"{words}, {EXTREMES[spec.average]} of the classes"
    return f"{words}, {spec.average}{', multi_class=ovo' if spec.pairs else ''} average"
