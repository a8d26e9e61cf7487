"""Metrics in words, for the eyes of readers."""

from __future__ import annotations

ACRONYMS = {"f1": "F1", "mcc": "MCC", "npv": "NPV", "ppv": "PPV", "roc_auc": "ROC AUC", "dor": "DOR", "p4": "P4"}


def metric_words(spec: str) -> str:
    """Return a spec string in words.

    Examples
    --------
    >>> metric_words("f1@macro"), metric_words("recall@binary+positive_class=ill"), metric_words("log_loss")
    ('F1, macro average', 'recall of ill', 'log loss')
    >>> metric_words("fbeta+beta=2@weighted")
    'fbeta (beta=2), weighted average'
    """
    head, _, average = spec.partition("@")
    name, *arguments = head.split("+")
    words = ACRONYMS.get(name, name.replace("_", " "))
    if arguments:
        words += f" ({', '.join(arguments)})"
    kind, _, positive = average.partition("+positive_class=")
    if positive:
        return f"{words} of {positive}"
    return f"{words}, {kind.replace('+', ', ')} average" if kind and kind != "binary" else words
