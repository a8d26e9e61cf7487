"""Metrics of harnesses: their directions and aggregations."""

from __future__ import annotations

import re

WORSE = r"perplexity|bits_per_byte|toxic|brier|nll|error|latency|cost|bias_score|hallucination|levenshtein"
WORSE += "|false_(positive|negative|alarm)"
WORSE_WORDS = r"n?r?mse|r?msle|n?mae|medae|[sw]?mape|mase|ppl|bpb|bpc|loss|distance|seconds|runtime|fpr|fnr|eer|wer|cer"
RATES = r"ter|mer"  # of translations and matches; at the end of a name
LOWER = re.compile(rf"{WORSE}|(^|[\W_])({WORSE_WORDS})([\W_]|$)|(^|[\W_])({RATES})$", re.IGNORECASE)
FREE = re.compile(
    rf"^neg(ative)?_|(^|[\W_])(non|not|no|without)[\W_]?({WORSE}|{WORSE_WORDS})|({WORSE}|{WORSE_WORDS})\w*?[\W_]?free([\W_]|$)",
    re.IGNORECASE,
)
EXPONENTIAL = {"perplexity", "word_perplexity", "byte_perplexity", "weighted_perplexity"}  # exp of a mean log loss
BITS = {"bits_per_byte"}
PLACEHOLDERS = {"bypass"}  # of lm-evaluation-harness: placeholder for no score


def name_of(metric: str) -> str:
    """Return the name of a metric without its filter and scorer.

    Examples
    --------
    >>> name_of("exact_match,strict-match"), name_of("judge/facts")
    ('exact_match', 'facts')
    """
    return metric.partition(",")[0].rpartition("/")[2]


def better_by_name(metric: str) -> str:
    """Return ``"lower"`` for metrics known to be better if lower, else ``"higher"``.

    Examples
    --------
    >>> [better_by_name(each) for each in ("word_perplexity", "acc_norm", "cer", "non_toxic")]
    ['lower', 'higher', 'lower', 'higher']
    """
    name = name_of(metric)
    return "lower" if LOWER.search(name) and not FREE.search(name) else "higher"


def is_exponential(aggregation: str) -> bool:
    """Return whether an aggregation is the exponential of a mean log loss.

    Examples
    --------
    >>> is_exponential("perplexity"), is_exponential("weighted_perplexity"), is_exponential("mean")
    (True, True, False)
    """
    return aggregation in EXPONENTIAL
