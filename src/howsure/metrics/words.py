"""Metrics in words, for the eyes of readers."""

from __future__ import annotations

from howsure.metrics.spec import named, parse

ACRONYMS = {
    "f1": "F1",
    "mcc": "MCC",
    "npv": "NPV",
    "ppv": "PPV",
    "auc": "AUC",
    "auroc": "AUROC",
    "roc_auc": "ROC AUC",
    "dor": "DOR",
    "p4": "P4",
}


def metric_words(text: str) -> str:
    """Return a spec string in words; another name as it is, without underscores.

    Parameters
    ----------
    text : str
        Name of a metric.

    Examples
    --------
    >>> metric_words("f1@macro"), metric_words("recall@binary+positive_class=ill"), metric_words("log_loss")
    ('F1, macro average', 'recall of ill', 'log loss')
    >>> metric_words("fbeta+beta=2@weighted")
    'fbeta (beta=2), weighted average'
    """
    if named(text) is None:
        return text.replace("_", " ")
    spec = parse(text)
    name = spec.definition.name if "average" in spec.implied else spec.asked or spec.definition.name
    words = ACRONYMS.get(name, name.replace("_", " "))
    if spec.settings:
        words += f" ({', '.join(spec.settings)})"
    if spec.positive_class:
        return f"{words} of {spec.positive_class}"
    if spec.average in {None, "binary"}:
        return words
    return f"{words}, {spec.average}{', multi_class=ovo' if spec.pairs else ''} average"
